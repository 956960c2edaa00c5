function against(host) {
  const at = (i) => (row) => row[i];
  const percent = (x) => (x === null ? "" : `${x < 0 ? "" : "+"}${(100 * x).toFixed(1)}%`);
  const columns = [
    { title: "published in", value: at(0), filter: true, header: true },
    { title: "data set", value: at(1), filter: true },
    { title: "metric", value: at(2), filter: true },
    { title: "method", value: at(3), filter: true },
    {
      title: "published",
      value: at(4),
      number: true,
      show: (row) => [
        String(row[4]),
        el("span", { className: "spread" }, row[5] === null ? "" : ` ± ${row[5]}`),
      ],
    },
    { title: "measured", value: at(6), number: true, show: (row) => spread(row[6], row[7]) },
    { title: "difference", value: at(8), number: true, show: (row) => [percent(row[8])] },
    { title: "verdict", value: at(9), filter: true, show: (row) => [badge(row[9])] },
  ];
  host.append(...table("Every printed number", columns, data.against));
}

function results(host) {
  let [result, method] = [data.results[0], null];
  const state = {};
  const [row, box] = [el("div", { className: "row" }), el("div")];
  const note = el("p", { className: "note" });
  const labels = (rows) =>
    ["data set", "dim", "setting"]
      .map((title, i) => ({ title, value: (row) => row[i], filter: true, header: i === 0 }))
      .filter((_, i) => i === 0 || rows.some((row) => row[i]));

  function draw() {
    const numbers = data.methods.map((title, i) => ({
      title,
      number: true,
      value: (row) => row[i + 3]?.[0] ?? null,
      show: (row) => {
        const cell = row[i + 3];
        if (!cell) return [];
        const name = cell[2] ? "best" : "";
        return [el("span", { className: name }, ...spread(cell[0], cell[1]))];
      },
    }));
    const shown = numbers.filter((column) => method === null || column.title === method);
    const mark = (row) => (row[0] === OVER_ALL ? "over" : "");
    const columns = [...labels(result.rows), ...shown];
    const [controls, ...rest] = table(result.metric, columns, result.rows, { mark, state });
    row.lastChild.replaceWith(controls);
    box.replaceChildren(...rest);
    const better = result.better === "lower" ? "Lower" : "Higher";
    note.textContent = `${better} is better. ${result.convention} Bold: the best of a row.`;
  }

  const choose = el("div", { className: "controls" });
  const titles = data.results.map((each) => each.metric);
  if (titles.length > 1) {
    const change = (title) => {
      result = data.results[titles.indexOf(title)];
      draw();
    };
    choose.append(choice("metric", titles, null, change));
  }
  const narrow = (value) => {
    method = value;
    draw();
  };
  choose.append(choice("method", data.methods, "all", narrow));
  row.append(choose, el("div"));
  draw();
  host.append(row, box, note);
}

/** What was chosen or found beside the metrics; long texts come last there. */
function more(host, { title, head, rows }) {
  const columns = head.map((name, i) => ({
    title: name,
    value: (row) => row[i],
    filter: ["data set", "method"].includes(name),
    header: i === 0,
    wrap: i > 0 && i === head.length - 1,
  }));
  host.append(...table(title, columns, rows));
}

/** The records, made into rows when they are first looked at. */
function trials(host) {
  const { fields, metrics, count } = data.trials;
  const read = (column, i) => (column.at ? column.values[column.at[i]] : column.values[i]);
  const has = (title) => title in fields;
  const field = (title, more = {}) => ({ title, value: (i) => read(fields[title], i), ...more });
  const metric = (title) => ({
    title,
    number: true,
    value: (i) => read(metrics[title], i),
    show: (i) => spread(read(metrics[title], i), null),
  });
  const measure = (title) =>
    field(title, { number: true, show: (i) => [read(fields[title], i)?.toPrecision(4) ?? ""] });
  const columns = [
    field("data set", { filter: true, header: true }),
    field("method", { filter: true }),
    field("dim asked"),
    ...["dim", "split"].filter(has).map((title) => field(title, { number: true })),
    ...["setting"].filter(has).map((title) => field(title, { filter: true })),
    field("status", { filter: true, show: (i) => [badge(read(fields.status, i))] }),
    ...["reason", "chosen"].filter(has).map((title) => field(title, { wrap: true })),
    ...Object.keys(metrics).map(metric),
    ...["fit, s", "peak memory, MB"].filter(has).map(measure),
  ];
  const detail = (i) => {
    const list = el("dl");
    for (const [title, column] of Object.entries(fields)) {
      const value = read(column, i);
      if (value !== null) list.append(el("dt", {}, title), el("dd", {}, value));
    }
    return list;
  };
  const text = Object.values(fields).map((column) => (i) => read(column, i));
  const rows = Array.from({ length: count }, (_, i) => i);
  host.append(...table("Trials", columns, rows, { detail, text }));
}

if (data.against.length) against(part("against"));
if (data.results.length) {
  figures(part("figures"));
  results(part("results"));
}
data.more.forEach((each, i) => more(part(`more-${i}`), each));
{
  const host = part("trials");
  host.addEventListener("toggle", () => trials(host), { once: true });
}
