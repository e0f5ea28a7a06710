// The samples that filters leave, as cards, as a grid of small images, or as a table with a column for each run.

const ROWS = 200; // of the table that are added at a time

const tile = (sample, run) => {
  const ending = sample.runs[run];
  const place = ending === null ? -1 : ending[2];
  const button = make("button", "tile");
  button.type = "button";
  button.title = sample.id;
  for (const [one, whose] of [[sample.reference, null], [place, run]]) {
    button.append(one >= 0 ? image(one, altOf(sample, whose), false) : make("span", "missing", "–"));
  }
  const main = data.tasks[sample.task].main;
  button.append(make("span", tone(ending), `${number(value(sample, run, main))} ${state(ending)}`));
  button.addEventListener("click", () => open(sample, run));
  return button;
};
const row = (sample) => {
  const name = field.metric.value;
  const cells = sample.runs.map((ending, run) => {
    const own = value(sample, run, name);
    const shown = typeof own === "number" ? number(own) : state(ending);
    return make("td", typeof own === "number" && usable(ending) ? "" : tone(ending), shown);
  });
  return make("tr", "", head(linked(sample), "row"), make("td", "", sample.subset), make("td", "", sample.difficulty), ...cells);
};
// Columns beside those of runs, by the field of a sample.
const COLUMNS = ["id", "subset", "difficulty"];

// Returns a table without rows; `sort` is [run or column, whether the lowest is first], or null.
const tableOf = (sort, change) => {
  const sorting = (title, run) => {
    const button = make("button", "sort", title);
    const cell = head(button);
    button.type = "button";
    const up = sort !== null && sort[0] === run && sort[1];
    if (sort !== null && sort[0] === run) cell.setAttribute("aria-sort", up ? "ascending" : "descending");
    button.addEventListener("click", () => change([run, !up]));
    return cell;
  };
  const heads = [sorting("sample", "id"), sorting("subset", "subset"), sorting("difficulty", "difficulty"), ...data.runs.map(sorting)];
  const body = make("tbody");
  return [make("div", "wide", make("table", "samples", caption("samples that the filters leave"), make("thead", "", make("tr", "", ...heads)), body)), body];
};
const sorted = (list, sort) => {
  if (sort === null) return list;
  const [run, up] = sort;
  if (COLUMNS.includes(run)) {
    const place = (own) => (run === "difficulty" && LEVELS.includes(own) ? String(LEVELS.indexOf(own)) : own);
    const keys = new Map(list.map((sample) => [sample, place(sample[run])]));
    const words_ = new Intl.Collator("en", { numeric: true });
    return [...list].sort((a, b) => (up ? 1 : -1) * words_.compare(keys.get(a), keys.get(b)) || a.at - b.at);
  }
  const name = field.metric.value;
  const keyed = list.map((sample) => [value(sample, run, name), sample]);
  const present = keyed.filter(([key]) => typeof key === "number");
  present.sort(([a, one], [b, two]) => (up ? a - b : b - a) || one.at - two.at);
  return [...present, ...keyed.filter(([key]) => typeof key !== "number")].map(([, sample]) => sample);
};

// Returns a chart of the values of a metric in one run against another metric, or against what answers took: a
// point for each sample that has both.
const SVG = document.getElementById("drawing").namespaceURI;
const drawing = (tag, attributes, ...children) => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, own] of Object.entries(attributes)) element.setAttribute(name, own);
  element.append(...children);
  return element;
};
const scatter = (list, run) => {
  const [across, metric] = [field.height.value, field.metric.value];
  const up = metric || "main metric";
  const taken = data.took.indexOf(across);
  const took = (sample) => (taken >= 0 && sample.runs[run] !== null ? sample.runs[run][6][taken] : value(sample, run, across));
  const points = list.map((sample) => [took(sample), value(sample, run, metric), sample])
    .filter(([x, y]) => typeof x === "number" && typeof y === "number");
  // Values of metrics are on a scale from 0 to 1 at least; what answers took, on one from 0 to the most.
  const scale = (place, least) => points.reduce(([low, high], point) => [Math.min(low, point[place]), Math.max(high, point[place])], [0, least]);
  const [scaleX, scaleY] = [scale(0, taken >= 0 ? 1e-9 : 1), scale(1, 1)];
  const [width, height, left, below] = [640, 480, 50, 40];
  const at = (own, [low, high], length) => ((own - low) / (high - low)) * length;
  const x = (own) => left + at(own, scaleX, width - left - 24);
  const y = (own) => height - below - at(own, scaleY, height - below - 10);
  const ticks = ([low, high]) => [low, (low + high) / 2, high];
  const short = (own) => (own === 0 || Math.abs(own) >= 10 ? String(Math.round(own)) : own.toPrecision(2));
  const svg = drawing("svg", { class: "scatter", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `${up} against ${across}` });
  svg.append(drawing("path", { class: "axis", fill: "none", d: `M${left} 10V${height - below}H${width - 24}` }));
  for (const tick of ticks(scaleX)) svg.append(drawing("text", { x: x(tick), y: height - below + 16, "text-anchor": "middle" }, short(tick)));
  for (const tick of ticks(scaleY)) svg.append(drawing("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, tick.toFixed(2)));
  svg.append(
    drawing("text", { x: (left + width) / 2, y: height - 6, "text-anchor": "middle" }, across),
    drawing("text", { x: 14, y: height / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${height / 2})` }, up),
  );
  const tasks = distinct(points.map(([, , sample]) => sample.task));
  const marks = tasks.length === 1 ? data.points[tasks[0]] : {};
  for (const [at_, kind] of ["floor", "ceiling"].entries()) {
    const [one, other] = [across, metric || (tasks.length === 1 ? mainOf(tasks[0]) : "")].map((name) => (marks[name] ? marks[name][at_] : null));
    if (typeof one === "number") svg.append(drawing("path", { class: kind, d: `M${x(one)} 10V${height - below}` }, drawing("title", {}, `${kind} of ${across}: ${number(one)}`)));
    if (typeof other === "number") svg.append(drawing("path", { class: kind, d: `M${left} ${y(other)}H${width - 24}` }, drawing("title", {}, `${kind} of ${up}: ${number(other)}`)));
  }
  for (const [one, other, sample] of points) {
    const title = drawing("title", {}, `${sample.id}: ${up} ${number(other)}, ${across} ${taken >= 0 ? one : number(one)}`);
    const point = drawing("circle", { cx: x(one), cy: y(other), r: 5, tabindex: 0, role: "link" }, title);
    point.addEventListener("click", () => open(sample, run));
    point.addEventListener("keydown", (event) => event.key === "Enter" && open(sample, run));
    svg.append(point);
  }
  return [svg, make("p", "note", `${points.length} samples of ${data.runs[run]} that have both values; a point opens its sample. Of one task, dashed lines are the floor and solid ones the ceiling of a metric.`)];
};
