const COLOURS = 8; // of page.css; after that they return with dashes
const OVER_ALL = "mean over the data sets";
const MOST_MARKS = 16; // points of a line that are marked one by one

function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function words(text, x, y, anchor = "middle") {
  return svg("text", { x, y, "text-anchor": anchor }, text);
}

/** A mark with a shape and a colour of its own method. */
function mark(series, x, y, r = 4, printed = false) {
  const shapes = [
    `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
    `M${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
    `M0 ${-1.2 * r}L${1.2 * r} ${r}H${-1.2 * r}z`,
    `M0 ${-1.4 * r}L${1.4 * r} 0L0 ${1.4 * r}L${-1.4 * r} 0z`,
    `M0 ${1.2 * r}L${1.2 * r} ${-r}H${-1.2 * r}z`,
  ];
  const shape = `mark s${series % COLOURS}${printed ? " printed" : ""}`;
  const place = `translate(${x.toFixed(1)} ${y.toFixed(1)})`;
  return svg("path", { class: shape, d: shapes[series % shapes.length], transform: place });
}

function line(series, points) {
  const path = points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`);
  const dashes = series < COLOURS ? {} : { "stroke-dasharray": "6 3" };
  return svg("path", { class: `line s${series % COLOURS}`, d: path.join(""), ...dashes });
}

/** Round numbers that span the values, about `count` of them. */
function ticks(values, count) {
  let [low, high] = [Math.min(...values), Math.max(...values)];
  if (low === high) {
    const around = (Math.abs(low) || 1) / 10;
    [low, high] = [low - around, high + around];
  }
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 2.5, 5, 10].find((each) => each * power >= rough * 0.999);
  const found = [];
  for (let i = Math.floor(low / step); i <= Math.ceil(high / step); i += 1) {
    found.push(Number((i * step).toPrecision(12)));
  }
  return found;
}

/** From values to pixels; `outer` are the ticks at both ends. */
function scale(outer, from, to) {
  const [low, high] = [outer[0], outer.at(-1)];
  return (value) => from + ((value - low) / (high - low || 1)) * (to - from);
}

/** What is varied along a line: 1 the dimension, 2 the setting, 0 nothing. */
function swept(rows) {
  return [1, 2].find((key) => new Set(rows.map((row) => row[key])).size > 1) ?? 0;
}

/** The numbers in some labels, if all have one of the same kind; else their places. */
function positions(labels) {
  const numbers = labels.map((label) => Number(label.split("=").at(-1)));
  const shares = labels.filter((label) => label.includes(".")).length;
  const alike = shares === 0 || shares === labels.length;
  const usable = alike && numbers.every(Number.isFinite) && new Set(numbers).size === labels.length;
  return usable ? numbers : labels.map((_, i) => i);
}

/** One place on the axis of a chart: its label and, by method, [mean, deviation]. */
function place(label, row, printed = []) {
  return { label, cells: row.slice(3), printed };
}

function values(places, hidden) {
  const all = places.flatMap(({ cells, printed }) =>
    cells.flatMap((cell, i) => (hidden.has(i) ? [] : [cell?.[0], printed[i]])),
  );
  return all.filter((value) => value !== null && value !== undefined);
}

/** What stands under an axis: every label if there is room, else round numbers. */
function signs(places, xs, width) {
  const short = places.map((each) => each.label.split("= ").at(-1));
  const room = Math.max(...short.map((label) => label.length)) * 7 + 12;
  const most = Math.floor(width / room);
  const every = xs.map((value, i) => [value, short[i]]);
  if (every.length <= most) return every;
  if (!short.every((label) => Number.isFinite(Number(label)))) {
    return every.filter((_, i) => i % Math.ceil(every.length / most) === 0);
  }
  const [low, high] = [Math.min(...xs), Math.max(...xs)];
  const round = ticks(xs, Math.min(most, 10));
  return round.filter((x) => x >= low && x <= high).map((x) => [x, String(x)]);
}

/** Lines over the dimension or a setting. */
function lines(result, places, hidden, width, axis) {
  const [height, left, right, top, bottom] = [260, 56, 14, 10, 40];
  const xs = positions(places.map((each) => each.label));
  const x = scale([Math.min(...xs), Math.max(...xs)], left, width - right);
  const rungs = ticks(values(places, hidden), 5);
  const y = scale(rungs, height - bottom, top);
  const drawn = svg("svg", { viewBox: `0 0 ${width} ${height}`, height });
  for (const rung of rungs) {
    drawn.append(
      svg("line", { class: "grid", x1: left, x2: width - right, y1: y(rung), y2: y(rung) }),
      words(String(rung), left - 6, y(rung) + 4, "end"),
    );
  }
  for (const [value, label] of signs(places, xs, width - left - right)) {
    drawn.append(words(label, x(value), height - bottom + 18));
  }
  drawn.append(words(axis, (left + width - right) / 2, height - 4));
  data.methods.forEach((_, series) => {
    if (hidden.has(series)) return;
    const points = places.flatMap(({ cells }, i) =>
      cells[series] ? [[x(xs[i]), y(cells[series][0])]] : [],
    );
    drawn.append(line(series, points));
    if (places.length > MOST_MARKS) return;
    drawn.append(...points.map(([px, py]) => mark(series, px, py, 3)));
  });
  const probe = svg("line", { class: "probe", y1: top, y2: height - bottom });
  drawn.append(probe);
  const at = xs.map(x);
  const move = (i) => ["x1", "x2"].forEach((end) => probe.setAttribute(end, at[i]));
  return { drawn, probe, at, move, upright: false };
}

/** Marks for each data set, one data set a row; hollow where a paper printed one. */
function dots(result, places, hidden, width) {
  const [step, top, bottom] = [26, 8, 26];
  const longest = Math.max(...places.map((each) => each.label.length));
  const most = Math.floor((width * 0.42) / 7.2); // characters
  const left = Math.min(longest, most) * 7.2 + 12;
  const height = top + bottom + step * places.length;
  const rungs = ticks(values(places, hidden), Math.max(2, Math.floor((width - left) / 64)));
  const x = scale(rungs, left + 8, width - 20);
  const at = places.map((_, i) => top + step * (i + 0.5));
  const drawn = svg("svg", { viewBox: `0 0 ${width} ${height}`, height });
  for (const rung of rungs) {
    drawn.append(
      svg("line", { class: "grid", x1: x(rung), x2: x(rung), y1: top, y2: height - bottom }),
      words(String(rung), x(rung), height - 8),
    );
  }
  places.forEach(({ label, cells, printed }, i) => {
    const fits = label.length <= most ? label : `${label.slice(0, most - 1)}…`;
    drawn.append(words(fits, left - 4, at[i] + 4, "end"));
    cells.forEach((cell, series) => {
      if (hidden.has(series)) return;
      if (cell) drawn.append(mark(series, x(cell[0]), at[i]));
      const paper = printed[series];
      if (paper !== undefined) drawn.append(mark(series, x(paper), at[i], 6, true));
    });
  });
  const probe = svg("line", { class: "probe", x1: left, x2: width - 12 });
  drawn.append(probe);
  const move = (i) => ["y1", "y2"].forEach((end) => probe.setAttribute(end, at[i]));
  return { drawn, probe, at, move, upright: true };
}

/** The values at one place, best first. */
function reading(result, { label, cells, printed }, hidden) {
  const found = data.methods.map((name, series) => {
    return { name, series, cell: cells[series], paper: printed[series] };
  });
  const shown = found.filter(
    ({ series, cell, paper }) => !hidden.has(series) && (cell || paper !== undefined),
  );
  const ranked = sorted(shown, ({ cell }) => cell?.[0], result.better === "higher");
  const rows = ranked.map(({ name, series, cell, paper }) => {
    const value = cell ? spread(cell[0], cell[1]) : ["not measured"];
    const row = el("tr", { className: `s${series % COLOURS}` });
    row.append(el("td", {}, name), el("td", {}, ...value));
    if (paper !== undefined) row.append(el("td", {}, `published ${paper}`));
    return row;
  });
  return [el("p", {}, label), el("table", {}, ...rows)];
}

/** A chart whose values are read with the pointer or, once focused, with the arrows. */
function chart(result, places, hidden, width, axis) {
  const paint = axis ? lines : dots;
  const { drawn, probe, at, move, upright } = paint(result, places, hidden, width, axis);
  const tip = el("div", { className: "tip", role: "status" });
  const better = ` ${result.better} is better`;
  const caption = el("figcaption", {}, result.metric, el("small", {}, better));
  let now = null;
  const show = (i) => {
    if (i === now) return;
    now = i;
    move(i);
    probe.classList.add("shown");
    tip.replaceChildren(...reading(result, places[i], hidden));
    const top = caption.offsetHeight + (upright ? at[i] + 14 : 0);
    const room = width - tip.offsetWidth;
    let left = room / 2;
    // Beside what is read, on the side that has more room.
    if (!upright) left = at[i] > width / 2 ? at[i] - tip.offsetWidth - 10 : at[i] + 10;
    tip.style.left = `${Math.max(0, Math.min(left, room))}px`;
    tip.style.top = `${top}px`;
  };
  const hide = () => {
    now = null;
    probe.classList.remove("shown");
    tip.replaceChildren();
  };
  const nearest = (event) => {
    const box = drawn.getBoundingClientRect();
    const across = ((event.clientX - box.left) / box.width) * width;
    const here = upright ? event.clientY - box.top : across;
    const away = at.map((each) => Math.abs(each - here));
    return away.indexOf(Math.min(...away));
  };
  const last = places.length - 1;
  const steps = {
    ArrowLeft: (i) => i - 1,
    ArrowUp: (i) => i - 1,
    ArrowRight: (i) => i + 1,
    ArrowDown: (i) => i + 1,
    Home: () => 0,
    End: () => last,
  };
  drawn.addEventListener("pointermove", (event) => show(nearest(event)));
  drawn.addEventListener("pointerleave", hide);
  drawn.addEventListener("focus", () => drawn.matches(":focus-visible") && show(now ?? 0));
  drawn.addEventListener("blur", hide);
  drawn.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    if (!(event.key in steps)) return;
    event.preventDefault();
    show(Math.min(last, Math.max(0, steps[event.key](now ?? 0))));
  });
  drawn.setAttribute("tabindex", "0");
  drawn.setAttribute("role", "img");
  const what = `${result.metric},${better}, by ${axis || "data set"}`;
  drawn.setAttribute("aria-label", `${what}: the arrow keys read the values`);
  return el("figure", { className: "chart" }, caption, drawn, tip);
}

function figures(host) {
  const first = data.results[0].rows;
  const key = swept(first);
  const sets = [...new Set(first.map((row) => row[0]))];
  sets.sort((a, b) => (b === OVER_ALL) - (a === OVER_ALL)); // the mean leads
  const settings = key === 1 ? [...new Set(first.map((row) => row[2]))] : [];
  const hidden = new Set();
  let [set, setting] = [sets[0], settings[0]];
  const charts = el("div", { className: "charts" });
  const controls = el("div", { className: "controls" });

  /** What was printed for each method, less what the paper counts on top of ours. */
  const printed = (metric, dataset, cells) =>
    data.methods.map((method, i) => {
      const found = data.against.filter(
        (row) => row[1] === dataset && row[2] === metric && row[3] === method,
      );
      if (found.length !== 1) return undefined;
      const [paper, ours] = [found[0][4], found[0][6]];
      const offset = cells[i] && ours !== null ? ours - cells[i][0] : 0;
      return Number((paper - offset).toPrecision(6));
    });

  function places(result) {
    if (!key) {
      return result.rows.map((row) => {
        return place(row[0], row, printed(result.metric, row[0], row.slice(3)));
      });
    }
    const rows = result.rows.filter((row) => row[0] === set && (key === 2 || row[2] === setting));
    return rows.map((row) => place(row[key], row));
  }

  function draw() {
    const shown = data.results.map((result) => [result, places(result)]);
    const some = shown.filter(([, found]) => values(found, hidden).length);
    // An empty figure first: only the grid knows how wide its columns are.
    charts.replaceChildren(...some.map(() => el("figure", { className: "chart" })));
    const width = charts.firstChild?.clientWidth;
    const axis = key ? ["dimension", first[0][2].split(" =")[0]][key - 1] : "";
    const made = some.map(([result, found]) => chart(result, found, hidden, width, axis));
    charts.replaceChildren(...made);
  }

  if (key && sets.length > 1) {
    const change = (value) => {
      set = value;
      draw();
    };
    controls.append(choice("data set", sets, null, change));
  }
  if (settings.length > 1) {
    const change = (value) => {
      setting = value;
      draw();
    };
    controls.append(choice("setting", settings, null, change));
  }
  const legend = el("div", { className: "legend", role: "group", ariaLabel: "Methods shown" });
  data.methods.forEach((name, series) => {
    const sample = svg("svg", { viewBox: "0 0 26 12", "aria-hidden": "true" });
    if (key) sample.append(line(series, [[0, 6], [26, 6]]));
    sample.append(mark(series, 13, 6));
    const button = el("button", { type: "button", ariaPressed: "true" }, sample, name);
    button.addEventListener("click", () => {
      if (!hidden.delete(series)) hidden.add(series);
      button.ariaPressed = String(!hidden.has(series));
      draw();
    });
    legend.append(button);
  });
  host.append(controls, legend, charts);
  if (!key && data.against.some((row) => row[4] !== null)) {
    host.append(el("p", { className: "note" }, "Hollow marks: the published numbers, counted as ours."));
  }
  let wide = 0;
  new ResizeObserver(() => {
    if (charts.clientWidth !== wide) draw();
    wide = charts.clientWidth;
  }).observe(charts);
}
