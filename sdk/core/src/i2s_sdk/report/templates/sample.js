// One sample on its own: images, question, target and answer, values, and what became of it in each run.

const sampleView = document.getElementById("sample");
const gallery = document.getElementById("gallery");
const seen = new Map();
for (const sample of samples) {
  const count = (seen.get(sample.id) || 0) + 1;
  seen.set(sample.id, count);
  sample.key = count === 1 ? sample.id : `${sample.id}~${count}`; // names it in an address
}
const byKey = new Map(samples.map((sample) => [sample.key, sample]));
const state_of = (sample, run) => {
  const ending = sample.runs[run];
  return ending !== null && ours.has(ending[0]) ? "no score" : `no rendering: ${state(ending)}`;
};
const linked = (sample) => {
  const link = make("a", "", sample.id);
  link.href = `#samples?${new URLSearchParams({ sample: sample.key })}`;
  link.addEventListener("click", (event) => {
    event.preventDefault();
    open(sample);
  });
  return link;
};

const values = (sample) => {
  const names = data.metrics[sample.task];
  const heads = make("tr", "", head("metric"), ...data.runs.map((name) => head(name)));
  const rows = names.map((name) => make("tr", name === data.tasks[sample.task].main ? "total" : "",
    head(term(sample.task, name), "row"), ...data.runs.map((_, run) => make("td", "", number(value(sample, run, name))))));
  return make("div", "wide", make("table", "", caption(`Values of ${sample.id}`), make("thead", "", heads), make("tbody", "", ...rows)));
};
const numberedFiles = (sample, text, line) => {
  const files = filesOf(sample.task, text);
  return files.flatMap(([name, content, language]) => [
    ...(name ? [make("p", "file", name)] : []), numbered(content, files.length === 1 ? line : 0, language),
  ]);
};
const texts = (sample, ending, detail) => {
  const found = [];
  const answer = detail.structure || (detail.structure === 0 || !data.tasks[sample.task].site ? detail.completion : "");
  const target = detail.target || (data.tasks[sample.task].site ? "" : detail.truth);
  if (target && answer) found.push(make("h4", "", "target and answer"), ...differing(sample.task, target, answer));
  else if (answer) found.push(make("h4", "", "answer"), ...structure(sample.task, answer));
  const source = detail.document === 0 ? answer : detail.document;
  if (source) {
    const line = detail.error ? detail.error.line : 0;
    const title = "document that was rendered";
    const shown = line > 0 ? make("details", "", make("summary", "", title), ...numberedFiles(sample, source, line))
      : folded(title, () => numberedFiles(sample, source, line));
    shown.open = line > 0;
    found.push(shown);
  }
  if (detail.dropped) found.push(make("p", "note", detail.dropped));
  if (detail.log) found.push(folded("log of the last render, excerpt", () => [make("pre", "log", detail.log)]));
  if (detail.unread) found.push(folded("reasoning and markers, not read", () => [make("pre", "", detail.unread)]));
  if (detail.completion) found.push(folded("completion, verbatim", () => [make("pre", "", detail.completion)]));
  return found;
};

// ---- what the model was asked: [name, system text, texts and images in order, JSON Schema] of each question

const askedPart = (sample, part) => {
  if (typeof part === "string") return make("pre", "", part);
  if (Array.isArray(part)) return make("p", "note", `${part[0]} (not in the run)`);
  if (part === sample.reference) return make("p", "note", "the reference image");
  return make("figure", "asked-image", make("figcaption", "", "image"), still(part, `${sample.task} ${sample.id}, image of the question`, false));
};
const askedQuestion = (sample, [name, system, list, schema]) => make("div", "asked",
  name && make("h5", "", name),
  ...(system ? [make("p", "where", "system text"), make("pre", "", system), make("p", "where", "message")] : []),
  ...list.map((part) => askedPart(sample, part)),
  ...(schema ? [make("p", "where", "JSON Schema of the answer"), coloured(schema, "json")] : []));
const questions = async (place, sample) => {
  const groups = new Map(); // runs by what they asked
  for (const [run, ending] of sample.runs.entries()) {
    const detail = ending === null ? null : await details(sample, run);
    if (detail === null) continue;
    const key = JSON.stringify(detail.asked || null);
    groups.set(key, [...(groups.get(key) || []), run]);
  }
  for (const [key, runs_] of groups) {
    const asked = JSON.parse(key);
    const whose = groups.size > 1 ? `: ${runs_.map((run) => data.runs[run]).join(", ")}` : "";
    const prompt = data.tasks[sample.task].prompt;
    if (asked) place.append(folded(`question${whose}`, () => asked.map((one) => askedQuestion(sample, one))));
    else if (prompt) place.append(folded(`prompt of the task; the run keeps no question${whose}`, () => [make("pre", "", prompt)]));
  }
};
// A metric that is pooled over samples is a sum of numerators over a sum of denominators; these are the sample's.
const pooled = (parts) => make("table", "pooled", caption("parts of pooled metrics"),
  make("tr", "", ...["pooled metric", "numerator", "denominator"].map((title) => head(title))),
  ...Object.entries(parts).map(([name, [top, bottom]]) =>
    make("tr", "", head(name, "row"), make("td", "", `${top}`), make("td", "", `${bottom}`))));
// ---- answers after the first, of a run in which models were shown their renderings

const ENDS = {
  done: "the model says that its answer is to stay", unchanged: "the same structure again", refused: "refused",
  no_answer: "no answer to show the model", no_turn: "the model has no further turns",
};
const turnPart = (sample, detail) => {
  const ending = detail.ending;
  const list = make("ul", "metrics", ...data.metrics[sample.task].map((name, at) =>
    make("li", name === data.tasks[sample.task].main ? "main" : "", make("b", "", name), ` ${number(ending[3][at])}`)));
  return make("section", "turn",
    make("h4", "", `answer ${detail.turn} `, make("span", `badge ${tone(ending)}`, state(ending))),
    ...(detail.end ? [make("p", "note", ENDS[detail.end] || words(detail.end))] : []),
    ...(ending[2] >= 0 ? [still(ending[2], `${sample.task} ${sample.id}, rendering of answer ${detail.turn}`, false)] : []),
    list, notes(ending, detail), ...texts(sample, ending, detail));
};
const runPart = async (place, sample, run, zoom) => {
  const ending = sample.runs[run];
  if (ending === null) return;
  try {
    const detail = await details(sample, run);
    place.append(notes(ending, detail), ...(detail.parts ? [pooled(detail.parts)] : []), ...(detail.panels || []).map((one) => panel(sample, one, run, zoom)), ...texts(sample, ending, detail),
      ...(detail.turns || []).map((one) => turnPart(sample, one)));
  } catch (error) {
    place.append(make("p", "bad", `The details cannot be shown: ${error}`));
  }
};
const drawSample = (sample, state_, at, count, change) => {
  const button = (title, key, to) => {
    const element = make("button", "", title);
    element.type = "button";
    element.title = key;
    element.disabled = to === null;
    element.addEventListener("click", () => change(to));
    return element;
  };
  const place = count > 0 ? `${at + 1} of ${count}` : "";
  const bar = make("div", "tools",
    button("all samples", "Escape", { sample: null }),
    button("previous", "left arrow", at > 0 ? { step: -1 } : null),
    button("next", "right arrow", at >= 0 && at + 1 < count ? { step: 1 } : null),
    make("span", "note", place));
  const about = [sample.task, sample.subset, sample.difficulty].filter(Boolean).join(" · ");
  const parts = make("div", "parts");
  data.runs.forEach((name, run) => {
    const part = make("div", "part", make("h3", "", name, " ", make("span", `badge ${tone(sample.runs[run])}`, state(sample.runs[run]))));
    parts.append(part);
    runPart(part, sample, run, state_.zoom);
  });
  const question = make("div", "questions");
  questions(question, sample);
  const licence = data.origins[sample.at] === undefined ? -1 : data.origins[sample.at];
  sampleView.replaceChildren(
    bar, make("h2", "", sample.id), make("p", "where", about),
    ...(data.tasks[sample.task].renders || sample.reference >= 0 ? [comparison(sample, state_, change)] : []),
    values(sample),
    ...(licence >= 0 ? [make("p", "note", data.licences[licence])] : []),
    question,
    parts,
  );
};
