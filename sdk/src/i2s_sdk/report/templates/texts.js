// Code in colour, and code beside code with what differs.

// ---- texts in colour

const GRAMMARS = {
  latex: [["note", /%.*/y], ["command", /\\(?:[a-zA-Z@]+\*?|[^])/y], ["mark", /[{}[\]$&^_]+/y]],
  lilypond: [
    ["note", /%\{[^]*?%\}|%.*/y], ["text", /"(?:[^"\\\n]|\\.)*"/y], ["command", /\\[a-zA-Z-]+/y],
    ["mark", /[{}<>|()[\]~]+/y], ["value", /\b[0-9]+\.*/y],
  ],
  html: [
    ["note", /<!-{2}[^]*?-->|\/\*[^]*?\*\/|^---$/my], ["command", /<\/?[a-zA-Z][\w-]*|\/?>|<!\w+/y],
    ["text", /"[^"\n]*"|'[^'\n]*'/y], ["mark", /[{}();:=]+/y], ["value", /#[0-9a-fA-F]{3,8}\b|\b[0-9.]+(?:px|em|rem|%|vh|vw)?/y],
  ],
};
const coloured = (text, grammar) => {
  const code = make("code");
  const end = Math.min(text.length, LONGEST);
  let plain = 0;
  let at = 0;
  while (at < end) {
    let length = 0;
    for (const [name, pattern] of grammar) {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (found !== null && found[0].length > 0) {
        code.append(text.slice(plain, at), make("span", name, found[0]));
        length = found[0].length;
        break;
      }
    }
    if (length > 0) {
      at += length;
      plain = at;
    } else if (/\w/.test(text[at])) {
      while (at < end && /\w/.test(text[at])) at += 1; // a word is taken whole
    } else {
      at += 1;
    }
  }
  code.append(text.slice(plain));
  return make("pre", "", code);
};
const siteFiles = (text) => {
  try {
    const files = JSON.parse(text);
    if (Array.isArray(files) && files.every((one) => typeof one.filename === "string")) return files;
  } catch {
    // not a list of files: shown as it is
  }
  return null;
};
const structure = (task, text) => {
  const {site, language} = data.tasks[task];
  const files = site ? siteFiles(text) : null;
  if (files === null) return [coloured(text, GRAMMARS[language] || [])];
  return files.flatMap((file) => [
    make("p", "file", file.filename), coloured(String(file.content), GRAMMARS[language] || []),
  ]);
};
const folded = (title, draw) => {
  const element = make("details", "", make("summary", "", title));
  element.addEventListener("toggle", () => element.childElementCount < 2 && element.append(...draw()));
  return element;
};


// ---- what differs between two texts

const MOST_STEPS = 4e6; // comparisons of pieces; longer texts are compared by lines
const PIECES = /\\(?:[a-zA-Z@]+\*?|[^])|[\p{L}\p{N}_]+|\s+|[^]/gu;
const equal = (a, b) => a === b || (/^\s+$/.test(a) && /^\s+$/.test(b));

// Returns [kind, pieces of the first, pieces of the second] in order; kind is "same" or "other".
const differences = (first, second) => {
  const cut = (text, pattern) => text.match(pattern) || [];
  let [a, b] = [cut(first, PIECES), cut(second, PIECES)];
  if (a.length * b.length > MOST_STEPS) [a, b] = [cut(first, /[^\n]*\n|[^\n]+$/g), cut(second, /[^\n]*\n|[^\n]+$/g)];
  if (a.length * b.length > MOST_STEPS) return [["other", [first], [second]]];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = equal(a[i], b[j])
        ? longest[(i + 1) * width + j + 1] + 1
        : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  const found = [];
  const add = (kind, one, other) => {
    const last = found[found.length - 1];
    if (last && last[0] === kind) {
      if (one !== null) last[1].push(one);
      if (other !== null) last[2].push(other);
    } else found.push([kind, one === null ? [] : [one], other === null ? [] : [other]]);
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && equal(a[i], b[j])) add("same", a[i++], b[j++]);
    else if (j >= b.length || (i < a.length && longest[(i + 1) * width + j] >= longest[i * width + j + 1])) add("other", a[i++], null);
    else add("other", null, b[j++]);
  }
  return found;
};
const differing = (target, answer) => {
  const [gold, own] = [make("pre"), make("pre")];
  for (const [kind, a, b] of differences(target, answer)) {
    const [one, other] = [a.join(""), b.join("")];
    if (kind === "same") {
      gold.append(one);
      own.append(other);
    } else {
      if (one) gold.append(make("del", "", one));
      if (other) own.append(make("ins", "", other));
    }
  }
  const part = (title, text) => make("div", "", make("p", "where", title), text);
  return make("div", "pair texts", part("target", gold), part("answer", own));
};
const numbered = (text, marked) => {
  const list = make("ol", "lines");
  for (const [at, line] of text.split("\n").entries()) {
    list.append(make("li", at + 1 === marked ? "bad" : "", make("code", "", line || " ")));
  }
  return list;
};
