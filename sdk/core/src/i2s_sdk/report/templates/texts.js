// Code beside code with what differs, and code with numbers of lines.

const MOST_STEPS = 4e6; // comparisons of pieces; longer texts are compared by lines
const PIECES = /\\(?:[a-zA-Z@]+\*?|[^])|[\p{L}\p{N}_]+|\s+|[^]/gu;

// Returns the pieces that are compared: [kind, text]. A comment is one piece, whatever it says.
const pieces = (text, language) => bounded(text, language).flatMap(([kind, own]) =>
  kind === "note" ? [[kind, own]] : (own.match(PIECES) || []).map((one) => [kind, one]));
const linesOf = (text) => (text.match(/[^\n]*\n|[^\n]+$/g) || []).map((line) => ["", line]);

// Returns whether a piece has no meaning in its language: a comment, or white space where it has none.
const silent = ([kind, text], language) => kind === "note" ||
  (/^\s+$/.test(text) && !(SPACED.has(language) && text.includes("\n")));
const equal = (a, b, language) => a[1] === b[1] || (silent(a, language) && silent(b, language)) ||
  (/^\s+$/.test(a[1]) && a[1].replace(/[ \t\r]+(?=\n)/g, "") === b[1].replace(/[ \t\r]+(?=\n)/g, ""));

// Returns [whether both are the same, pieces of the first, pieces of the second] in order.
const differences = (first, second, language) => {
  let [a, b] = [pieces(first, language), pieces(second, language)];
  if (a.length * b.length > MOST_STEPS) [a, b] = [linesOf(first), linesOf(second)];
  const same = (i, j) => equal(a[i], b[j], language);
  let head = 0;
  while (head < a.length && head < b.length && same(head, head)) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && same(a.length - 1 - tail, b.length - 1 - tail)) tail += 1;
  const [height, width] = [a.length - head - tail, b.length - head - tail + 1];
  const found = [[true, a.slice(0, head), b.slice(0, head)]];
  const rest = [true, a.slice(a.length - tail), b.slice(b.length - tail)];
  if (height * width > MOST_STEPS) return [...found, [false, a.slice(head, a.length - tail), b.slice(head, b.length - tail)], rest];
  const longest = new Uint32Array((height + 1) * width);
  for (let i = height - 1; i >= 0; i -= 1) {
    for (let j = width - 2; j >= 0; j -= 1) {
      longest[i * width + j] = same(head + i, head + j)
        ? longest[(i + 1) * width + j + 1] + 1
        : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  const add = (kind, one, other) => {
    if (found[found.length - 1][0] !== kind) found.push([kind, [], []]);
    const last = found[found.length - 1];
    if (one !== null) last[1].push(one);
    if (other !== null) last[2].push(other);
  };
  let [i, j] = [0, 0];
  while (i < height || j < width - 1) {
    if (i < height && j < width - 1 && same(head + i, head + j)) add(true, a[head + i++], b[head + j++]);
    else if (j >= width - 1 || (i < height && longest[(i + 1) * width + j] >= longest[i * width + j + 1])) add(false, a[head + i++], null);
    else add(false, null, b[head + j++]);
  }
  return [...found, rest];
};

// Puts pieces into a text; those that differ and have a meaning are marked by `tag`. Returns how many these are.
const lay = (place, same, list, tag, language) => {
  let marked = null;
  let count = 0;
  for (const piece of list) {
    const loud = !same && !silent(piece, language);
    if (!loud) marked = null;
    else if (marked === null) {
      marked = make(tag);
      place.append(marked);
    }
    count += loud;
    (marked || place).append(inColour(piece));
  }
  return count;
};
const side_by_side = (title, target, answer, language) => {
  const [gold, own] = [make("pre"), make("pre")];
  let count = 0;
  for (const [same, a, b] of differences(target, answer, language)) {
    count += lay(gold, same, a, "del", language) + lay(own, same, b, "ins", language);
  }
  const part = (name, text) => make("div", "", make("p", "where", name), text);
  const silence = target === answer ? "Both are the same." : "They differ only in comments or white space without a meaning.";
  return make("div", "compared-file",
    title && make("p", "file", title), make("div", "pair texts", part("target", gold), part("answer", own)),
    count === 0 ? make("p", "note", silence) : null);
};
// Returns target and answer beside each other, file by file where they are sites.
const differing = (task, target, answer) => {
  const [gold, own] = [filesOf(task, target), filesOf(task, answer)];
  if (gold.length === 1 && own.length === 1 && (gold[0][0] === "" || own[0][0] === "" || gold[0][0] === own[0][0])) {
    return [side_by_side(gold[0][0] && own[0][0], gold[0][1], own[0][1], gold[0][2])];
  }
  const names = [...new Set([...gold, ...own].map(([name]) => name))];
  return names.map((name) => {
    const [one, other] = [gold.find((file) => file[0] === name), own.find((file) => file[0] === name)];
    const missing = one === undefined ? " (only in the answer)" : other === undefined ? " (not in the answer)" : "";
    return side_by_side(`${name}${missing}`, one ? one[1] : "", other ? other[1] : "", (one || other)[2]);
  });
};
const numbered = (text, marked, language) => {
  const list = make("ol", "lines");
  let line = [];
  let number_ = 0;
  const end = () => {
    number_ += 1;
    list.append(make("li", number_ === marked ? "bad" : "", make("code", "", ...(line.length ? line : [" "]))));
    line = [];
  };
  for (const [kind, own] of bounded(text, language)) {
    for (const [at, piece] of own.split("\n").entries()) {
      if (at > 0) end();
      if (piece) line.push(inColour([kind, piece]));
    }
  }
  end();
  // Once the list has a place on the page: the marked line in its middle; the page itself does not move.
  const bad = list.querySelector("li.bad");
  if (bad) requestAnimationFrame(() => { list.scrollTop = bad.offsetTop - list.offsetTop - list.clientHeight / 2; });
  return list;
};

