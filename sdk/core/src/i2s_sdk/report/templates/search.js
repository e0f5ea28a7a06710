// Full-text search in answers and errors. Details are unpacked in their turn, and not kept.

const AROUND = 60; // characters of an excerpt on either side
const PATIENCE = 200; // milliseconds that a reader types on

// What is looked for, and the samples that have it, by place: [whose text, before, what is looked for, after].
let searched = { key: "", hits: null };

const textsOf = (detail) => [
  ["answer", detail.completion], ["structure", detail.structure], ["reasoning", detail.unread],
  ...[detail.error_before_repair, detail.error, detail.failure].filter(Boolean).map((one) => ["error", `${one.kind}: ${one.message}`]),
  ["message", detail.message], ...(detail.repairs || []).map((one) => ["repair", `${one.kind} ${one.detail} ${one.error}`]),
  ...Object.entries(detail.undefined || {}), ["log", detail.log],
].filter(([, text]) => typeof text === "string");
const excerpt = (detail, wanted) => {
  for (const [whose, text] of textsOf(detail)) {
    const at = text.toLowerCase().indexOf(wanted);
    if (at < 0) continue;
    const end = at + wanted.length;
    return [whose, text.slice(Math.max(0, at - AROUND), at), text.slice(at, end), text.slice(end, end + AROUND)];
  }
  return null;
};
// Calls `told` with the number of samples that were looked through, then `done` with the hits, as long as
// nothing else is looked for.
const search = async (key, wanted, runs, told, done) => {
  await new Promise((go) => { setTimeout(go, PATIENCE); });
  const hits = new Map();
  for (let start = 0; start < samples.length; start += data.chunk) {
    if (searched.key !== key) return;
    if (start % (10 * data.chunk) === 0) told(start);
    const rows = await (chunks.get(start / data.chunk) || unpack(start / data.chunk));
    rows.forEach((row, at) => {
      for (const run of runs) {
        const found = row[run] && !hits.has(start + at) ? excerpt(row[run], wanted) : null;
        if (found) hits.set(start + at, found);
      }
    });
  }
  if (searched.key === key) done(hits);
};
const hitOf = (sample) => {
  const hit = searched.hits && searched.hits.get(sample.at);
  return hit ? make("p", "where", `${hit[0]}: …${hit[1]}`, make("mark", "", hit[2]), `${hit[3]}…`) : null;
};
