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
  const head = make("tr", "", make("th", "", "metric"), ...data.runs.map((name) => make("th", "", name)));
  const rows = names.map((name) => make("tr", name === data.tasks[sample.task].main ? "total" : "",
    make("td", "", name), ...data.runs.map((_, run) => make("td", "", number(value(sample, run, name))))));
  return make("div", "wide", make("table", "", make("thead", "", head), make("tbody", "", ...rows)));
};
const texts = (sample, ending, detail) => {
  const found = [];
  if (detail.truth && (detail.structure || detail.completion)) {
    found.push(make("h4", "", "target and answer"), differing(detail.truth, detail.structure || detail.completion));
  } else if (detail.structure) found.push(make("h4", "", "answer"), ...structure(sample.task, detail.structure));
  if (detail.document) {
    const line = detail.error ? detail.error.line : 0;
    const shown = make("details", "", make("summary", "", "document that was rendered"), numbered(detail.document, line));
    shown.open = line > 0;
    found.push(shown);
  }
  if (detail.completion) found.push(folded("completion, verbatim", () => [make("pre", "", detail.completion)]));
  return found;
};
const runPart = async (place, sample, run) => {
  const ending = sample.runs[run];
  if (ending === null) return;
  try {
    const detail = await details(sample, run);
    place.append(notes(ending, detail), ...(detail.panels || []).map((one) => panel(sample, one)), ...texts(sample, ending, detail));
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
    const part = make("div", "part", make("h4", "", name, " ", make("span", `badge ${tone(sample.runs[run])}`, state(sample.runs[run]))));
    parts.append(part);
    runPart(part, sample, run);
  });
  const question = data.tasks[sample.task].prompt;
  const licence = data.origins[sample.at] === undefined ? -1 : data.origins[sample.at];
  sampleView.replaceChildren(
    bar, make("h2", "", sample.id), make("p", "where", about),
    ...(data.tasks[sample.task].renders || sample.reference >= 0 ? [comparison(sample, state_, change)] : []),
    values(sample),
    ...(licence >= 0 ? [make("p", "note", data.licences[licence])] : []),
    ...(question ? [folded("question", () => [make("pre", "", question)])] : []),
    parts,
  );
};
