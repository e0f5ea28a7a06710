// Code in colour: the tokens of each language, as [kind, text]. Kinds are classes of the style.
// "note" is a comment; a pattern with a third entry is code of another language within.

const CODE_STRING = /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'/y;
const NUMBER_TOKEN = /\b(?:0[xXbo][0-9a-fA-F_]+|[0-9][0-9_]*\.?[0-9_]*(?:[eE][+-]?[0-9]+)?)\b/y;
const worded = (words) => new RegExp(`\\b(?:${words.replaceAll(" ", "|")})\\b`, "y");
const GRAMMARS = {
  latex: [["note", /%[^\n]*/y], ["command", /\\(?:[a-zA-Z@]+\*?|[^])/y], ["mark", /[{}[\]$&^_]+/y]],
  lilypond: [
    ["note", /%\{[^]*?%\}|%[^\n]*/y], ["text", /"(?:[^"\\\n]|\\[^])*"/y], ["command", /\\[a-zA-Z-]+/y],
    ["value", /#[^\s{}()]+/y], ["mark", /[{}<>|()[\]~]+/y], ["value", /\b[0-9]+\.*/y],
  ],
  html: [
    ["note", /<!-{2}[^]*?-->/y],
    ["", /(?<=<style[^<>]*>)[^]+?(?=<\/style)/iy, "css"],
    ["", /(?<=<script[^<>]*>)[^]+?(?=<\/script)/iy, "javascript"],
    ["", /<[/!]?[a-zA-Z](?:"[^"]*"|'[^']*'|[^<>"'])*>/y, "tag"],
    ["value", /&#?\w+;/y],
  ],
  tag: [["command", /<[/!]?[a-zA-Z][\w:-]*|\/?>/y], ["text", /"[^"]*"|'[^']*'/y], ["mark", /[=/]/y], ["value", /[\w:@.-]+/y]],
  css: [
    ["note", /\/\*[^]*?\*\//y], ["text", CODE_STRING], ["command", /@[\w-]+|[.#][a-zA-Z_][\w-]*(?=[^;{}]*\{)/y],
    ["value", /#[0-9a-fA-F]{3,8}\b|-?\b[0-9.]+(?:px|em|rem|%|vh|vw|s|ms|fr|deg)?/y], ["mark", /[{}();:,>]+/y],
  ],
  javascript: [
    ["note", /\/\/[^\n]*|\/\*[^]*?\*\//y], ["text", /`(?:[^`\\]|\\[^])*`/y], ["text", CODE_STRING],
    ["command", worded("async await break case catch class const continue default delete do else export extends false finally for from function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while yield")],
    ["value", NUMBER_TOKEN], ["mark", /[{}()[\];:,.=<>+*/!&|?-]+/y],
  ],
  python: [
    ["note", /#[^\n]*/y], ["text", /[rbuf]{0,2}(?:"""[^]*?"""|'''[^]*?''')/iy], ["text", /[rbuf]{0,2}(?:"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*')/iy],
    ["command", worded("False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield")],
    ["value", NUMBER_TOKEN], ["mark", /[{}()[\]:,.=<>+*/%&|@~^-]+/y],
  ],
  markdown: [
    ["note", /<!-{2}[^]*?-->/y], ["text", /`{3}[^]*?`{3}|`[^`\n]+`/y], ["command", /^#{1,6}(?= )[^\n]*/my],
    ["value", /\$\$[^]+?\$\$|\$[^$\n]+\$/y], ["mark", /^\s*(?:[-*+]|\d+\.)(?= )|[*_|]+|^>+/my], ["value", /\]\([^)\n]*\)/y],
  ],
  json: [
    ["command", /"(?:[^"\\\n]|\\[^])*"(?=\s*:)/y], ["text", /"(?:[^"\\\n]|\\[^])*"/y],
    ["value", /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|\b(?:true|false|null)\b/y], ["mark", /[{}[\]:,]+/y],
  ],
};
const SUFFIXES = { html: "html", htm: "html", svg: "html", css: "css", js: "javascript", mjs: "javascript", json: "json", md: "markdown", py: "python", tex: "latex", ly: "lilypond" };
const languageOf = (name, other) => SUFFIXES[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] || other;

// Languages in which white space at the beginning of a line has a meaning, or the end of a line.
const SPACED = new Set(["python", "markdown"]);

// Returns the tokens of a text; what no pattern of its language finds has no kind.
const tokens = (text, language) => {
  const grammar = GRAMMARS[language] || [];
  const found = [];
  let plain = 0;
  let at = 0;
  const flush = (end) => { if (end > plain) found.push(["", text.slice(plain, end)]); };
  while (at < text.length) {
    let length = 0;
    for (const [kind, pattern, within] of grammar) {
      pattern.lastIndex = at;
      const one = pattern.exec(text);
      if (one === null || one[0].length === 0) continue;
      flush(at);
      if (within) found.push(...tokens(one[0], within));
      else found.push([kind, one[0]]);
      length = one[0].length;
      break;
    }
    if (length > 0) {
      at += length;
      plain = at;
    } else if (/\w/.test(text[at])) {
      while (at < text.length && /\w/.test(text[at])) at += 1; // a word is taken whole
    } else {
      at += 1;
    }
  }
  flush(text.length);
  return found;
};
const bounded = (text, language) => text.length <= LONGEST
  ? tokens(text, language) : [...tokens(text.slice(0, LONGEST), language), ["", text.slice(LONGEST)]];
const inColour = ([kind, text]) => (kind ? make("span", kind, text) : text);
const coloured = (text, language) => make("pre", "", make("code", "", ...bounded(text, language).map(inColour)));

// ---- structures of sites: lists of files

const siteFiles = (text) => {
  try {
    const files = JSON.parse(text);
    if (Array.isArray(files) && files.every((one) => typeof one.filename === "string")) {
      return files.map((one) => ({ filename: one.filename, content: String(one.content) }));
    }
  } catch {
    // not a list of files: shown as it is
  }
  return null;
};
// Returns the files that a structure consists of: [name or "", text, language].
const filesOf = (task, text) => {
  const { site, language } = data.tasks[task];
  const files = site ? siteFiles(text) : null;
  if (files === null) return [["", text, language]];
  return files.map((one) => [one.filename, one.content, languageOf(one.filename, language)]);
};
const structure = (task, text) => filesOf(task, text).flatMap(([name, content, language]) => [
  ...(name ? [make("p", "file", name)] : []), coloured(content, language),
]);
const folded = (title, draw) => {
  const element = make("details", "", make("summary", "", title));
  element.addEventListener("toggle", () => element.childElementCount < 2 && element.append(...draw()));
  return element;
};

