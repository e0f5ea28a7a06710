// Filters, order, and the list of samples that they leave.

// ---- filters

const options = (select, entries) => {
  const kept = select.value;
  select.replaceChildren(...entries.map(([name, title]) => new Option(title, name)));
  if (entries.some(([name]) => name === kept)) select.value = kept;
};
const distinct = (values) => [...new Set(values)];
const titled = (first, names) => [["", first], ...names.map((name) => [name, words(name)])];
const ORDERS = [["low", "lowest first"], ["high", "highest first"], ["set", "as in the data set"]];
const LEVELS = ["easy", "medium", "hard"];
const AGAINST = [["gain", "largest gain first"], ["loss", "largest loss first"]];

const offer = () => {
  const run = Number(field.run.value);
  const task = field.task.value;
  const own = samples.filter((one) => !task || one.task === task);
  options(field.other, [["", "no other run"], ...data.runs.map((name, at) => [String(at), name]).filter((_, at) => at !== run)]);
  options(field.subset, [["", "all"], ...distinct(own.map((one) => one.subset)).map((name) => [name, name])]);
  const levels = distinct(own.map((one) => one.difficulty)).filter(Boolean);
  levels.sort((a, b) => LEVELS.indexOf(a) - LEVELS.indexOf(b) || (a < b ? -1 : 1));
  options(field.difficulty, titled("all", levels));
  const endings = distinct(samples.map((one) => one.runs[run]).filter(Boolean).map(
    ended));
  options(field.outcome, [["", "all"], ["+usable", "usable"], ["-usable", "not usable"],
    ["+repair", "only after repair"], ...endings.map((name) => [name, words(name)])]);
  const names = distinct((task ? [task] : Object.keys(data.metrics)).flatMap((one) => data.metrics[one]));
  options(field.metric, [["", "main of the task"], ...names.map((name) => [name, name])]);
  options(field.height, [...data.took, ...names.slice(1), names[0]].map((name) => [name, name]));
  options(field.order, field.other.value === "" ? ORDERS : [...ORDERS, ...AGAINST]);
};
const ends = (ending, wanted) => {
  if (!wanted) return true;
  if (ending === null) return false;
  if (wanted === "+usable") return usable(ending);
  if (wanted === "-usable") return !usable(ending);
  if (wanted === "+repair") return ending[4] === 1;
  return ended(ending) === wanted;
};
const chosen = (run, other) => {
  const metric = field.metric.value;
  const least = field.least.value === "" ? null : Number(field.least.value);
  const most = field.most.value === "" ? null : Number(field.most.value);
  const find = field.find.value.trim().toLowerCase();
  const score = (sample) => value(sample, run, metric);
  const found = samples.filter((sample) => {
    const own = score(sample);
    return (sample.runs[run] !== null || (other !== null && sample.runs[other] !== null)) &&
      (!field.task.value || sample.task === field.task.value) &&
      (!field.subset.value || sample.subset === field.subset.value) &&
      (!field.difficulty.value || sample.difficulty === field.difficulty.value) &&
      ends(sample.runs[run], field.outcome.value) &&
      (least === null || (typeof own === "number" && own >= least)) &&
      (most === null || (typeof own === "number" && own <= most)) &&
      (searched.hits === null || searched.hits.has(sample.at)) &&
      (!find || sample.id.toLowerCase().includes(find));
  });
  const order = field.order.value;
  if (order === "set") return found;
  const gain = (sample) => {
    const theirs = value(sample, other, metric);
    const own = score(sample);
    return typeof own === "number" && typeof theirs === "number" ? own - theirs : null;
  };
  const by = { low: score, high: score, gain, loss: gain }[order];
  const sign = order === "low" || order === "loss" ? 1 : -1;
  const keyed = found.map((sample) => [by(sample), sample]);
  const present = keyed.filter(([key]) => typeof key === "number");
  present.sort(([a, one], [b, two]) => sign * (a - b) || one.at - two.at);
  const rest = order === "gain" || order === "loss" ? [] : keyed.filter(([key]) => typeof key !== "number");
  return [...present, ...rest].map(([, sample]) => sample);
};
