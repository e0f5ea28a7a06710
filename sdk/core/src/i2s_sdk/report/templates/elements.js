// What all parts of the page share: data, elements, endings, details and images of samples.
// Everything that comes from a model is put in place as text, never as markup.

const PAGE = 24; // cards that are added at a time
const LONGEST = 20000; // characters of a text that are coloured

const data = JSON.parse(document.getElementById("index").textContent);
const samples = data.samples.map((row, at) => ({
  at, id: row[0], task: row[1], subset: row[2], difficulty: row[3], reference: row[4], runs: row[5],
}));
const form = document.getElementById("filters");
const field = form.elements;
const cards = document.getElementById("cards");
const several = data.runs.length > 1;

// ---- elements

const make = (tag, className, ...children) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (tag === "pre") element.tabIndex = 0; // it scrolls, also by keyboard
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};
// The head of a column or a row, what a column means, and what a table shows.
const head = (title, scope = "col") => {
  const cell = make("th", "", title);
  cell.scope = scope;
  return cell;
};
const term = (task, metric) => {
  const about = (data.terms[task] || [])[data.metrics[task].indexOf(metric)];
  if (!about) return metric;
  const [button, place] = [make("button", "term", metric), make("div", "about", about)];
  Object.assign(button, { type: "button", title: about, popoverTargetElement: place });
  place.popover = "auto";
  return make("span", "", button, place);
};
const caption = (title) => make("caption", "unseen", title);
const number = (value) => (value === null || value === undefined ? "–" : value.toFixed(3));
const signed = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(3);
const words = (name) => name.toLowerCase().replaceAll("_", " ");

// ---- endings: [outcome, verdict, picture, values, whether a repair made it usable, whether it is usable, what it took]

const ours = new Set(["model_failure", "render_failure", "metric_failure", "cancelled"]);
const usable = (ending) => ending !== null && ending[0] === "scored" && ending[5] === 1;
const ended = (ending) => {
  if (ending[0] !== "scored") return ending[0];
  return ending[1] || (usable(ending) ? "usable" : "not_usable");
};
const state = (ending) => {
  if (ending === null) return "not in this run";
  return words(ended(ending));
};
const tone = (ending) => {
  if (ending === null || ours.has(ending[0])) return "ours";
  return usable(ending) ? "good" : "bad";
};
// The value of a metric, "" for the main metric of the task; its first one if samples have no value of that.
const mainOf = (task) => (data.metrics[task].includes(data.tasks[task].main) ? data.tasks[task].main : data.metrics[task][0]);
const value = (sample, run, metric) => {
  const ending = sample.runs[run];
  const place = data.metrics[sample.task].indexOf(metric || mainOf(sample.task));
  return ending === null || place < 0 ? undefined : ending[3][place];
};

// ---- details, unpacked when a card needs them

const chunks = new Map();
const unpack = async (chunk) => {
  const packed = atob(document.getElementById(`chunk-${chunk}`).textContent);
  const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
};
const details = async (sample, run) => {
  const chunk = Math.floor(sample.at / data.chunk);
  if (!chunks.has(chunk)) chunks.set(chunk, unpack(chunk));
  return (await chunks.get(chunk))[sample.at % data.chunk][run];
};

// ---- pictures: [shown, whole, width, height]

const address = (place, whole) => {
  const picture = data.pictures[place];
  return picture[0] ? picture[whole ? 1 : 0] : document.getElementById(`picture-${place}`).textContent;
};
// What an image shows, for people who do not see it; `run` is null for the reference.
const altOf = (sample, run) => `${sample.task} ${sample.id}, ${run === null ? "reference" : `rendering of ${data.runs[run]}`}`;
const image = (place, alt, whole) => {
  const element = make("img");
  element.loading = "lazy";
  element.decoding = "async";
  element.alt = alt;
  element.src = address(place, whole);
  return element;
};
const box = (width, height) => {
  const element = make("div", "box");
  element.style.aspectRatio = `${width} / ${height}`;
  element.style.setProperty("--width", `${width}px`);
  element.style.setProperty("--ratio", String(width / height));
  return element;
};
const still = (place, alt, whole) => {
  const [, , width, height] = data.pictures[place];
  const element = box(width, height);
  element.append(image(place, alt, whole));
  return element;
};
// Both pictures at one scale, from the upper left corner, as the metrics see them: white around the smaller
// one, but a rendered page is stretched to its reference. White is where they are equal.
const difference = (sample, run, whole) => {
  const place = sample.runs[run][2];
  const [, , width, height] = data.pictures[sample.reference];
  const stretched = data.tasks[sample.task].resized;
  const [wide, high] = stretched ? [width, height] : data.pictures[place].slice(2);
  const all = [Math.max(width, wide), Math.max(height, high)];
  const element = box(...all);
  element.classList.add("blend");
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", `${sample.task} ${sample.id}, difference of reference and rendering of ${data.runs[run]}`);
  const lay = (which, w, h) => {
    const layer = make("div", "layer", image(which, "", whole));
    layer.firstChild.style.width = `${(100 * w) / all[0]}%`;
    layer.firstChild.style.height = `${(100 * h) / all[1]}%`;
    element.append(layer);
  };
  lay(sample.reference, width, height);
  lay(place, wide, high);
  return element;
};
// Draws an image in a card; a click opens the sample with both images beside each other.
const figure = (kind, run, draw, missing, open) => {
  const caption = run && several ? `${kind}: ${run}` : kind;
  if (missing) return make("figure", kind, make("figcaption", "", caption), make("div", "missing", missing));
  const button = make("button", "zoom", draw());
  button.type = "button";
  button.title = "compare";
  button.addEventListener("click", open);
  return make("figure", kind, make("figcaption", "", caption), button);
};

