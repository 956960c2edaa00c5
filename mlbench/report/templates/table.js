const data = JSON.parse(document.getElementById("data").textContent);
const collator = new Intl.Collator("en", { numeric: true });
const PER_PAGE = 100; // rows that are in the document at one time

/** An element with properties and children. Text is only ever set as text. */
function el(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function badge(verdict) {
  return el("span", { className: "badge", "data-verdict": verdict }, verdict);
}

function spread(mean, deviation, digits = 4) {
  if (mean === null) return [];
  if (deviation === null) return [mean.toFixed(digits)];
  const text = ` ± ${deviation.toFixed(digits)}`;
  return [mean.toFixed(digits), el("span", { className: "spread" }, text)];
}

/** A labelled list to choose from; `whole`, if given, stands for all of them. */
function choice(label, values, whole, change, chosen) {
  const select = el("select");
  if (whole !== null) select.append(el("option", { value: "" }, whole));
  values.forEach((value, i) => {
    select.append(el("option", { value: i, selected: value === chosen }, value));
  });
  select.addEventListener("change", () => {
    change(select.value === "" ? null : values[Number(select.value)]);
  });
  return el("label", {}, label, select);
}

/** Numbers by size, words as a reader would order them; what is missing comes last. */
function compare(a, b) {
  const absent = (value) => value === null || value === undefined || value === "";
  if (absent(a) || absent(b)) return absent(a) - absent(b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return collator.compare(a, b);
}

function sorted(rows, value, descending) {
  const keyed = rows.map((row) => [value(row), row]);
  const missing = keyed.filter(([key]) => compare(key, null) === 0);
  const present = keyed.filter(([key]) => compare(key, null) !== 0);
  present.sort(([a], [b]) => (descending ? compare(b, a) : compare(a, b)));
  return [...present, ...missing].map(([, row]) => row);
}

function kind(column) {
  return column.number ? "number" : column.wrap ? "wrap" : "";
}

/**
 * A table that can be sorted and filtered.
 *
 * A column has a title and a value(row) to sort, filter and search by; it may have
 * show(row), the nodes of its cell, and the flags number, filter, header and wrap.
 * options.detail(row), if given, is what a row unfolds to; options.text are further
 * values to search in; options.state keeps what was asked for from one table to the
 * next that takes its place.
 */
function table(label, columns, rows, options = {}) {
  const state = options.state ?? {};
  state.wanted ??= new Map(); // title of a column -> value
  state.words ??= "";
  let page = 0;
  const body = el("tbody");
  const status = el("p", { className: "status", role: "status" });
  const heads = columns.map(heading);
  const controls = el("div", { className: "controls" });
  const pages = el("div", { className: "pages" });

  for (const column of columns.filter((each) => each.filter)) {
    const values = [...new Set(rows.map(column.value))];
    if (values.length < 2) continue;
    const change = (value) => {
      if (value === null) state.wanted.delete(column.title);
      else state.wanted.set(column.title, value);
      restart();
    };
    const chosen = state.wanted.get(column.title);
    controls.append(choice(column.title, values, "all", change, chosen));
  }
  const search = el("input", { type: "search", value: state.words });
  search.addEventListener("input", () => {
    state.words = search.value;
    restart();
  });
  controls.append(el("label", {}, "containing", search), status);

  function heading(column) {
    const button = el("button", { type: "button" }, column.title);
    const head = el("th", { scope: "col", className: kind(column) });
    head.append(button);
    button.addEventListener("click", () => {
      // Up, down, and back to the order of the experiment.
      if (state.order !== column.title) [state.order, state.descending] = [column.title, false];
      else if (!state.descending) state.descending = true;
      else state.order = null;
      restart();
    });
    return head;
  }

  function matches(row) {
    for (const column of columns) {
      const value = state.wanted.get(column.title);
      if (value !== undefined && column.value(row) !== value) return false;
    }
    const words = state.words.trim().toLowerCase();
    if (!words) return true;
    const places = [...columns.map((column) => column.value), ...(options.text ?? [])];
    return places.some((value) => String(value(row) ?? "").toLowerCase().includes(words));
  }

  function restart() {
    page = 0;
    draw();
  }

  function draw() {
    let chosen = rows.filter(matches);
    const order = columns.find((column) => column.title === state.order);
    if (order) chosen = sorted(chosen, order.value, state.descending);
    columns.forEach((column, i) => {
      if (column !== order) heads[i].removeAttribute("aria-sort");
      else heads[i].ariaSort = state.descending ? "descending" : "ascending";
    });
    const last = Math.max(0, Math.ceil(chosen.length / PER_PAGE) - 1);
    const from = page * PER_PAGE;
    body.replaceChildren(...chosen.slice(from, from + PER_PAGE).map(line));
    status.textContent = `${chosen.length} of ${rows.length}`;
    pages.replaceChildren();
    if (last === 0) return;
    const text = `page ${page + 1} of ${last + 1}`;
    pages.append(turn("Previous", page - 1, last), text, turn("Next", page + 1, last));
  }

  function turn(text, to, last) {
    const off = to < 0 || to > last;
    const button = el("button", { type: "button", disabled: off }, text);
    button.addEventListener("click", () => {
      page = to;
      draw();
      // The button was made anew: keep the focus where it was, or beside it.
      const usable = [...pages.querySelectorAll("button:enabled")];
      (usable.find((each) => each.textContent === text) ?? usable[0]).focus();
    });
    return button;
  }

  function line(row) {
    const cells = columns.map((column) => {
      const value = column.value(row);
      const nodes = column.show ? column.show(row) : [value ?? ""];
      const name = column.header ? "th" : "td";
      const cell = el(name, { className: kind(column) }, ...nodes);
      if (column.header) cell.scope = "row";
      return cell;
    });
    const made = el("tr", { className: options.mark?.(row) ?? "" }, ...cells);
    if (options.detail) made.prepend(el("td", {}, unfold(made, row)));
    return made;
  }

  function unfold(tr, row) {
    const button = el("button", { type: "button", ariaExpanded: "false" }, "Details");
    button.addEventListener("click", () => {
      const open = button.ariaExpanded === "true";
      button.ariaExpanded = String(!open);
      if (open) tr.nextSibling.remove();
      else tr.after(inside(options.detail(row)));
    });
    return button;
  }

  function inside(node) {
    const cell = el("td", { colSpan: columns.length + 1 }, node);
    return el("tr", { className: "inside" }, cell);
  }

  const head = el("tr", {}, ...heads);
  if (options.detail) head.prepend(el("th", { scope: "col" }));
  const whole = el("table", {}, el("thead", {}, head), body);
  const box = el("div", { className: "scroll", tabIndex: 0, role: "region" }, whole);
  box.ariaLabel = label;
  draw();
  return [controls, box, pages];
}

/** Where a part of the page goes, if the page has it. */
function part(name) {
  return document.querySelector(`[data-part="${name}"]`);
}

{
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const show = (dark) => (button.ariaPressed = String(dark));
  show(system.matches);
  system.addEventListener("change", () => {
    if (!document.documentElement.dataset.theme) show(system.matches);
  });
  button.addEventListener("click", () => {
    const dark = button.ariaPressed !== "true";
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    show(dark);
  });
}
