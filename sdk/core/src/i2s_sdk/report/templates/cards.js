// A card for each sample.

// ---- cards

const metrics = (sample, run, other) => {
  const list = make("ul", "metrics");
  for (const name of data.metrics[sample.task]) {
    const own = value(sample, run, name);
    if (own === undefined) continue;
    const item = make("li", name === data.tasks[sample.task].main ? "main" : "", make("b", "", name), ` ${number(own)}`);
    const theirs = other === null ? undefined : value(sample, other, name);
    if (typeof own === "number" && typeof theirs === "number" && own !== theirs) {
      item.append(" ", make("span", own > theirs ? "good" : "bad", signed(own - theirs)));
    }
    list.append(item);
  }
  return list;
};
const notes = (ending, detail) => {
  const list = make("ul", "notes");
  const say = (title, text, className) =>
    list.append(make("li", className || "", make("b", "", title), ` ${text}`));
  const places = (error) =>
    (error.answer_line ? `, line ${error.answer_line} of the answer` : "") + (error.line ? `, line ${error.line}${error.answer_line ? " of the document" : ""}` : "");
  const located = (error) => `${error.message} (${words(error.kind)}${places(error)})`;
  const repairs = detail.repairs || [];
  const cause = detail.error_before_repair || (repairs.length === 0 ? detail.error : null);
  if (cause) say("first error", located(cause), "bad");
  else if (detail.message && !usable(ending) && repairs.length === 0) say("message", detail.message, "bad");
  for (const one of repairs) {
    const after = one.error && !(cause && cause.message === one.error) ? `, after: ${one.error}` : "";
    say("repair", words(one.kind) + (one.detail ? `: ${one.detail}` : "") + after);
  }
  if (repairs.length > 0 && detail.error) say("error after repairs", located(detail.error), "bad");
  else if (repairs.length > 0) say("after repairs", usable(ending) ? state(ending) : detail.message || state(ending), tone(ending));
  if (detail.failure) say("failure", `${detail.failure.kind}: ${detail.failure.message}`, "ours");
  for (const [name, reason] of Object.entries(detail.undefined || {})) say(name, `not defined: ${reason}`);
  if (detail.assets) say("assets", detail.assets.join(", "));
  if (detail.facts.length > 0) list.append(make("li", "faint", detail.facts.join(" · ")));
  return list;
};
const percent = (share) => `${100 * share}%`;
const marked = (element, marks) => {
  element.classList.add("marks");
  for (const [kind, [left, top, right, bottom], label] of marks) {
    const mark = make("span", `on-image ${kind}${left === right && top === bottom ? " point" : ""}`);
    Object.assign(mark.style, {
      left: percent(left), top: percent(top), width: percent(right - left), height: percent(bottom - top),
    });
    if (label) mark.append(make("b", "", label));
    mark.title = label ? `${kind}: ${label}` : kind;
    element.append(mark);
  }
  return element;
};
// The reference with marks on the page of a sample, as large as the reference above it; `zoom` as of a frame.
const markedReference = (sample, shown, zoom) => {
  const size = data.pictures[sample.reference].slice(2);
  const element = frame(size, zoom);
  element.append(layer(sample.reference, size, size, `${altOf(sample, null)} with marks`));
  const place = pannable(marked(element, shown.marks), { pan: "" }, () => {});
  return make("div", "beside", make("figure", "", make("figcaption", "", shown.title), place));
};
const tree = (panel) => {
  const body = make("tbody");
  for (const [depth, name, gold, answer, mark] of panel.rows) {
    const first = make("td", "", name);
    first.style.paddingLeft = `${1.1 * depth}em`;
    body.append(make("tr", mark, first, make("td", "", gold), make("td", "", answer), make("td", "", mark)));
  }
  const heads = ["field", "target", "answer", "kind"].map((title) => head(title));
  const shown = make("div", "wide", make("table", "tree", caption(panel.title), make("thead", "", make("tr", "", ...heads)), body));
  return panel.left > 0 ? [shown, make("p", "note", `${panel.left} more fields are not shown.`)] : [shown];
};
const runs = (pieces, name) => pieces.map(([text, differs]) => (differs ? make(name, "", text) : text));
const note = (panel, left, what) => [
  left > 0 && make("p", "note", `${left} more ${what} are not shown.`), panel.note && make("p", "note", panel.note),
].filter(Boolean);
const side = (className, depth, children) => {
  const cell = make("td", className, ...children);
  cell.dir = "auto";
  cell.style.paddingInlineStart = `${0.5 + 1.1 * depth}em`;
  return cell;
};
const diff = (panel) => {
  const body = make("tbody");
  for (const [mark, label, goldDepth, answerDepth, gold, answer] of panel.rows) {
    const name = make("td", "label", label, mark && make("small", "", mark));
    if (gold.length + answer.length === 0) {
      name.colSpan = 3;
      body.append(make("tr", "gap", name));
    } else {
      body.append(make("tr", mark, name, side("gold", goldDepth, runs(gold, "del")), side("answer", answerDepth, runs(answer, "ins"))));
    }
  }
  const heads = ["part", "target", "prediction"].map((title) => head(title));
  const table = make("table", "diff", caption(panel.title), make("thead", "", make("tr", "", ...heads)), body);
  return [make("div", "scrolled", table), ...note(panel, panel.left, "rows")];
};
const drawn = (rows, title) => {
  const place = make("div", "drawn", make("p", "where", title));
  if (rows === null) {
    place.append(make("p", "note", "none"));
    return place;
  }
  const body = make("tbody");
  for (const row of rows) {
    body.append(make("tr", "", ...row.map(([text, heading, columns, spanned]) => {
      const cell = make(heading ? "th" : "td", "", text);
      cell.dir = "auto";
      cell.colSpan = columns;
      cell.rowSpan = spanned;
      return cell;
    })));
  }
  place.append(make("div", "scrolled", make("table", "cells", caption(title), body)));
  return place;
};
const tables = (panel) => [
  ...panel.pairs.map(([title, gold, answer]) => make("div", "", make("p", "where", title),
    make("div", "pair", drawn(gold, "target"), drawn(answer, "prediction")))),
  ...note(panel, panel.left, "tables"),
];
const panel = (sample, one, run, zoom) => {
  if (one.kind === "places") return make("div", "panel", make("h4", "", one.title), ...places(sample, one, run));
  if (one.kind === "diff") return make("div", "panel", make("h4", "", one.title), ...diff(one));
  if (one.kind === "tables") return make("div", "panel", make("h4", "", one.title), ...tables(one));
  if (one.kind === "image") {
    if (zoom && sample.reference >= 0) return markedReference(sample, one, zoom);
    const draw = () => marked(still(sample.reference, `${altOf(sample, null)} with marks`, false), one.marks);
    return figure(one.title, "", draw, sample.reference < 0 && "no image", () => open(sample));
  }
  if (one.kind === "tree") return make("div", "panel", make("h4", "", one.title), ...tree(one));
  return make("div", "panel", make("h4", "", one.title), coloured(one.text, one.language));
};
const fill = async (place, sample, run) => {
  try {
    const detail = await details(sample, run);
    place.append(...(detail.panels || []).map((one) =>
      (one.kind === "places" ? folded(words(one.title), () => places(sample, one, run)) : panel(sample, one, run))));
    place.append(notes(sample.runs[run], detail));
    if (detail.structure) place.append(folded("structure", () => structure(sample.task, detail.structure)));
    if (detail.unread) place.append(folded("reasoning, not read", () => [make("pre", "", detail.unread)]));
    if (detail.completion) place.append(folded("completion", () => [make("pre", "", detail.completion)]));
  } catch (error) {
    place.append(make("p", "bad", `The details cannot be shown: ${error}`));
  }
};
const part = (sample, run, other) => {
  const ending = sample.runs[run];
  const element = make("div", "part");
  if (several) {
    element.append(make("h4", "", data.runs[run], " ", make("span", `badge ${tone(ending)}`, state(ending))));
  }
  if (ending !== null) {
    element.append(metrics(sample, run, other));
    fill(element, sample, run);
  }
  return element;
};
const card = (sample, run, other) => {
  const runs = other === null ? [run] : [run, other];
  const element = make("article");
  const ending = sample.runs[run];
  element.append(
    make("h3", "", linked(sample), " ", several ? null : make("span", `badge ${tone(ending)}`, state(ending))),
    make("p", "where", [sample.task, sample.subset, sample.difficulty].filter(Boolean).join(" · ")),
    hitOf(sample) || "",
  );
  const pictures = make("div", other === null ? "pictures" : "pictures two");
  const renders = data.tasks[sample.task].renders;
  if (renders || sample.reference >= 0) {
    pictures.append(
      figure("reference", "", () => still(sample.reference, altOf(sample, null), false), sample.reference < 0 && "no image", () => open(sample)),
    );
  }
  for (const one of renders ? runs : []) {
    const place = sample.runs[one] === null ? -1 : sample.runs[one][2];
    const name = data.runs[one];
    const missing = place < 0 && (sample.runs[one] !== null && ours.has(sample.runs[one][0]) ? "no score" : "no rendering");
    pictures.append(figure("rendering", name, () => still(place, altOf(sample, one), false), missing, () => open(sample, one)));
    if (sample.reference >= 0 && place >= 0) {
      const same = place === sample.reference && "none: the same image";
      pictures.append(figure("difference", name, () => difference(sample, one, false), same, () => open(sample, one, "difference")));
    }
  }
  element.append(pictures, make("div", "parts", ...runs.map((one) => part(sample, one, one === run ? other : null))));
  return element;
};

