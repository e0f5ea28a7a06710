// What the page shows is in its address: filters, order, view, sample, and how its images are compared.

const DEFAULTS = { mode: "side", zoom: "fit", run: 0, at: 50, pan: "" };
const FIELDS = ["run", "other", "task", "subset", "difficulty", "outcome", "metric", "least", "most", "order", "text", "find", "view", "height"];
const first = {}; // values of the fields of an address that says nothing

let list = []; // samples that the filters leave, in order
let queue = [];
let more = () => {};
let sort = null;
let opened = null; // the sample that is shown alone
let shape = { ...DEFAULTS };

const runAt = (name) => Math.max(0, data.runs.indexOf(name));
const text = (name) => {
  const own = field[name].value;
  return (name === "run" || name === "other") && own !== "" ? data.runs[Number(own)] : own;
};
const addressOf = () => {
  const wanted = new URLSearchParams();
  for (const name of FIELDS) if (text(name) !== first[name]) wanted.set(name, text(name));
  if (sort !== null) wanted.set("sort", `${sort[1] ? "up" : "down"} ${COLUMNS.includes(sort[0]) ? sort[0] : data.runs[sort[0]]}`);
  if (opened !== null) {
    wanted.set("sample", opened.key);
    if (shape.run !== 0) wanted.set("shows", data.runs[shape.run]);
    if (shape.mode !== DEFAULTS.mode) wanted.set("compare", shape.mode);
    if (shape.zoom !== DEFAULTS.zoom) wanted.set("zoom", shape.zoom);
    if (shape.at !== DEFAULTS.at) wanted.set("at", String(shape.at));
    if (shape.pan !== DEFAULTS.pan) wanted.set("pan", shape.pan);
  }
  return `#samples${wanted.size ? `?${wanted}` : ""}`;
};
const remember = (another) => {
  const wanted = addressOf();
  if (wanted === location.hash || (wanted === "#samples" && !location.hash.startsWith("#samples?"))) return;
  if (another) history.pushState(null, "", wanted);
  else history.replaceState(null, "", wanted);
};

const draw = () => {
  gallery.hidden = opened !== null;
  sampleView.hidden = opened === null;
  clearInterval(blinking);
  if (opened !== null) {
    drawSample(opened, shape, list.indexOf(opened), list.length, change);
    return;
  }
  sampleView.replaceChildren();
  document.getElementById("count").textContent = `${list.length} of ${samples.length} samples`;
  const run = Number(field.run.value);
  const other = field.other.value === "" ? null : Number(field.other.value);
  queue = [...(field.view.value === "table" ? sorted(list, sort) : list)];
  cards.className = field.view.value;
  cards.replaceChildren();
  document.getElementById("height-choice").hidden = field.view.value !== "chart";
  if (field.view.value === "chart") {
    cards.append(...scatter(list, run));
    more = () => {};
  } else if (field.view.value === "table") {
    const [table, body] = tableOf(sort, (wanted) => { sort = wanted; draw(); remember(false); });
    cards.append(table);
    more = () => body.append(...queue.splice(0, ROWS).map(row));
  } else {
    const one = field.view.value === "grid" ? (sample) => tile(sample, run) : (sample) => card(sample, run, other);
    more = () => cards.append(...queue.splice(0, field.view.value === "grid" ? 4 * PAGE : PAGE).map(one));
  }
  more();
};
const looking = (text) => { document.getElementById("count").textContent = text; };
const show = () => {
  offer();
  const run = Number(field.run.value);
  const other = field.other.value === "" ? null : Number(field.other.value);
  const wanted = field.text.value.trim().toLowerCase();
  const key = wanted && JSON.stringify([wanted, run, other]);
  if (key !== searched.key) {
    searched = { key, hits: null };
    if (wanted) {
      const told = (at) => looking(`searching, ${at} of ${samples.length} samples`);
      const done = (hits) => { searched = { key, hits }; show(); };
      search(key, wanted, other === null ? [run] : [run, other], told, done).catch(
        (error) => looking(`The texts cannot be searched: ${error}`));
    }
  }
  list = wanted && searched.hits === null ? [] : chosen(run, other);
  draw();
  if (wanted && searched.hits === null) looking("searching");
};
const open = (sample, run = Number(field.run.value), mode = shape.mode) => {
  opened = sample;
  shape = { ...shape, run, mode };
  draw();
  remember(true);
  document.getElementById("samples").scrollIntoView();
};
const change = (wanted) => {
  if (wanted.quiet) { // the page shows it already
    shape = { ...shape, ...wanted.quiet };
    remember(false);
    return;
  }
  if (wanted.step || wanted.zoom || wanted.run !== undefined) shape = { ...shape, pan: DEFAULTS.pan };
  if (wanted.sample === null) opened = null;
  else if (wanted.step) opened = list[list.indexOf(opened) + wanted.step] || opened;
  else shape = { ...shape, ...wanted };
  draw();
  remember(wanted.sample === null || Boolean(wanted.step));
};

const read = () => {
  const [, query = ""] = location.hash.split("?", 2);
  const wanted = new URLSearchParams(query);
  const put = (name) => {
    const own = wanted.has(name) ? wanted.get(name) : first[name];
    field[name].value = (name === "run" || name === "other") && own !== "" ? String(runAt(own)) : own;
    offer();
  };
  FIELDS.forEach(put);
  const [way, ...label] = (wanted.get("sort") || "").split(" ");
  const column = label.join(" ");
  sort = way ? [COLUMNS.includes(column) ? column : runAt(column), way === "up"] : null;
  opened = byKey.get(wanted.get("sample")) || null;
  shape = {
    run: wanted.has("shows") ? runAt(wanted.get("shows")) : 0,
    mode: MODES.some(([name]) => name === wanted.get("compare")) ? wanted.get("compare") : DEFAULTS.mode,
    zoom: ZOOMS.includes(wanted.get("zoom")) ? wanted.get("zoom") : DEFAULTS.zoom,
    at: /^\d{1,3}$/.test(wanted.get("at") || "") ? Math.min(100, Number(wanted.get("at"))) : DEFAULTS.at,
    pan: /^\d{1,6},\d{1,6}$/.test(wanted.get("pan") || "") ? wanted.get("pan") : DEFAULTS.pan,
  };
  show();
  if (query) document.getElementById("samples").scrollIntoView();
};

new IntersectionObserver((entries) => {
  if (entries.some((entry) => entry.isIntersecting)) more();
}, { rootMargin: "1200px" }).observe(document.getElementById("end"));

options(field.run, data.runs.map((name, at) => [String(at), name]));
field.run.options[data.best].defaultSelected = true; // also once the filters are cleared
field.run.value = String(data.best);
options(field.task, titled("all", Object.keys(data.metrics)));
document.getElementById("run-choice").hidden = !several;
document.getElementById("other-choice").hidden = !several;
form.addEventListener("input", () => { show(); remember(false); });
form.addEventListener("reset", () => setTimeout(() => { sort = null; show(); remember(false); }));
form.addEventListener("submit", (event) => event.preventDefault());
for (const link of document.querySelectorAll("a[data-sample]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    form.reset();
    offer();
    field.run.value = link.dataset.run;
    offer();
    field.other.value = link.dataset.other;
    field.find.value = link.dataset.sample;
    opened = null;
    show();
    remember(true);
    document.getElementById("samples").scrollIntoView();
  });
}
const KEYS = { ArrowLeft: { step: -1 }, ArrowRight: { step: 1 }, Escape: { sample: null } };
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea") || document.querySelector(":popover-open");
  if (opened !== null && !typing && KEYS[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    change(KEYS[event.key]);
  }
});
window.addEventListener("popstate", read);
offer();
for (const name of FIELDS) first[name] = text(name);
read();
