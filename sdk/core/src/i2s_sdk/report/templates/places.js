// Two images with the places of their texts: what is chosen on one image is marked on the other and in the list.

const SAID = { matched: "matches", changed: "text differs", missed: "missing", extra: "extra" };
let lists = 0; // names of the options of a list are unique in the page

const bring = (place, element) => { // into view within a place that scrolls; the page itself does not move
  const [outer, inner] = [place.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top < outer.top) place.scrollTop += inner.top - outer.top;
  else if (inner.bottom > outer.bottom) place.scrollTop += Math.min(inner.bottom - outer.bottom, inner.top - outer.top);
  if (inner.left < outer.left || inner.right > outer.right) place.scrollLeft += inner.left - outer.left;
};
// An image with marks; the larger a place, the further below.
const placedImage = (sample, run, shown, at, rows, marks) => {
  const element = still(shown, `${altOf(sample, run)} with the places of its texts`, true);
  element.classList.add("marks");
  const area = ([left, top, right, bottom]) => (right - left) * (bottom - top);
  const order = [...rows.keys()].filter((one) => rows[one][at]).sort((a, b) => area(rows[b][at]) - area(rows[a][at]));
  for (const one of order) {
    const [left, top, right, bottom] = rows[one][at];
    const mark = make("span", `on-image ${rows[one][0]}`);
    Object.assign(mark.style, {
      left: percent(left), top: percent(top), width: percent(right - left), height: percent(bottom - top),
    });
    mark.dataset.row = String(one);
    marks[one].push(mark);
    element.append(mark);
  }
  const place = make("div", "side", element);
  place.tabIndex = 0;
  place.setAttribute("role", "group");
  place.setAttribute("aria-label", `${run === null ? "reference" : "rendering"}, scrolled with the arrow keys`);
  return make("figure", "", make("figcaption", "", run === null ? "reference" : "rendering"), place);
};
const placedRow = ([kind, gold, answer, label], name) => {
  const texts = kind === "changed" ? [make("span", "", gold), make("span", "answer", answer)] : [make("span", "", gold || answer)];
  for (const one of texts) one.dir = "auto";
  const option = make("li", kind, make("b", "", SAID[kind] || kind), make("div", "", ...texts), make("small", "", label));
  option.id = name;
  option.setAttribute("role", "option");
  option.setAttribute("aria-selected", "false");
  return option;
};
const places = (sample, panel, run) => {
  lists += 1;
  const name = `places-${lists}`;
  const marks = panel.rows.map(() => []);
  const options = panel.rows.map((row, at) => placedRow(row, `${name}-${at}`));
  const list = make("ul", "placed", ...options);
  list.tabIndex = 0;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", `${panel.title}: the arrow keys choose one, which is marked on the images`);
  const shown = [[null, sample.reference, 4], [run, sample.runs[run] === null ? -1 : sample.runs[run][2], 5]];
  const pages = make("div", "pages", ...shown.filter(([, image]) => image >= 0)
    .map(([whose, image, at]) => placedImage(sample, whose, image, at, panel.rows, marks)));
  let chosen = null;
  const choose = (at, from) => {
    if (at === chosen) return;
    if (chosen !== null) {
      options[chosen].setAttribute("aria-selected", "false");
      for (const mark of marks[chosen]) mark.classList.remove("chosen");
    }
    chosen = at;
    options[at].setAttribute("aria-selected", "true");
    list.setAttribute("aria-activedescendant", options[at].id);
    if (!list.contains(from)) bring(list, options[at]);
    for (const mark of marks[at]) {
      mark.classList.add("chosen");
      if (mark !== from) bring(mark.closest(".side"), mark);
    }
  };
  for (const kind of ["pointermove", "click"]) { // not "pointerover", which comes of scrolling too
    pages.addEventListener(kind, (event) => {
      const mark = event.target.closest("[data-row]");
      if (mark) choose(Number(mark.dataset.row), mark);
    });
    list.addEventListener(kind, (event) => {
      const option = event.target.closest("li");
      if (option) choose(options.indexOf(option), option);
    });
  }
  list.addEventListener("focus", () => choose(chosen === null ? 0 : chosen, null));
  list.addEventListener("keydown", (event) => {
    const last = options.length - 1;
    const steps = { ArrowUp: Math.max(0, chosen - 1), ArrowDown: Math.min(last, chosen + 1), Home: 0, End: last };
    if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(steps[event.key], null);
  });
  const counts = Object.entries(SAID).map(([kind, said]) => [kind, said, panel.rows.filter((row) => row[0] === kind).length]);
  const legend = make("p", "legend", ...counts.filter(([, , count]) => count > 0)
    .map(([kind, said, count]) => make("span", "", make("i", `sign ${kind}`), `${said}: ${count}`)));
  return [legend, pages, list, ...note(panel, panel.left, "texts")];
};
