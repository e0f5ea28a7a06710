"use strict";
// The gallery of a report. Everything that comes from a model is put in place as text, never as markup.
(() => {
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
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };
  const number = (value) => (value === null || value === undefined ? "–" : value.toFixed(3));
  const signed = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(3);
  const words = (name) => name.toLowerCase().replaceAll("_", " ");

  // ---- endings: [outcome, verdict, picture, values, whether a repair made it usable, whether it is usable]

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
  const value = (sample, run, metric) => {
    const ending = sample.runs[run];
    const place = data.metrics[sample.task].indexOf(metric);
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
  const difference = (sample, place, whole) => {
    const [, , width, height] = data.pictures[sample.reference];
    const stretched = data.tasks[sample.task].resized;
    const [wide, high] = stretched ? [width, height] : data.pictures[place].slice(2);
    const all = [Math.max(width, wide), Math.max(height, high)];
    const element = box(...all);
    element.classList.add("blend");
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
  const large = document.getElementById("large");
  const figure = (kind, run, draw, missing) => {
    const caption = run && several ? `${kind}: ${run}` : kind;
    if (missing) return make("figure", kind, make("figcaption", "", caption), make("div", "missing", missing));
    const button = make("button", "zoom", draw(false));
    button.type = "button";
    button.title = "enlarge";
    button.addEventListener("click", () => {
      large.lastElementChild.replaceChildren(make("p", "", caption), draw(true));
      large.showModal();
    });
    return make("figure", kind, make("figcaption", "", caption), button);
  };

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
    if (detail.error) {
      const line = detail.error.line ? `, line ${detail.error.line}` : "";
      say("first error", `${detail.error.message} (${words(detail.error.kind)}${line})`, "bad");
    } else if (detail.message && !usable(ending)) {
      say("message", detail.message, "bad");
    }
    for (const one of detail.repairs || []) {
      say("repair", words(one.kind) + (one.detail ? `: ${one.detail}` : "") + (one.error ? `, after: ${one.error}` : ""));
    }
    if (detail.failure) say("failure", `${detail.failure.kind}: ${detail.failure.message}`, "ours");
    for (const [name, reason] of Object.entries(detail.undefined || {})) say(name, `not defined: ${reason}`);
    if (detail.assets) say("assets", detail.assets.join(", "));
    if (detail.facts.length > 0) list.append(make("li", "faint", detail.facts.join(" · ")));
    return list;
  };
  const percent = (share) => `${100 * share}%`;
  const marked = (sample, marks, whole) => {
    const element = still(sample.reference, "reference with marks", whole);
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
  const tree = (panel) => {
    const body = make("tbody");
    for (const [depth, name, gold, answer, mark] of panel.rows) {
      const first = make("td", "", name);
      first.style.paddingLeft = `${1.1 * depth}em`;
      body.append(make("tr", mark, first, make("td", "", gold), make("td", "", answer), make("td", "", mark)));
    }
    const heads = ["field", "target", "answer", ""].map((title) => make("th", "", title));
    const shown = make("div", "wide", make("table", "tree", make("thead", "", make("tr", "", ...heads)), body));
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
    const heads = ["", "target", "prediction"].map((title) => make("th", "", title));
    const table = make("table", "diff", make("thead", "", make("tr", "", ...heads)), body);
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
    place.append(make("div", "scrolled", make("table", "cells", body)));
    return place;
  };
  const tables = (panel) => [
    ...panel.pairs.map(([title, gold, answer]) => make("div", "", make("p", "where", title),
      make("div", "pair", drawn(gold, "target"), drawn(answer, "prediction")))),
    ...note(panel, panel.left, "tables"),
  ];
  const panel = (sample, one) => {
    if (one.kind === "diff") return make("div", "panel", make("h4", "", one.title), ...diff(one));
    if (one.kind === "tables") return make("div", "panel", make("h4", "", one.title), ...tables(one));
    if (one.kind === "image") {
      return figure(one.title, "", (whole) => marked(sample, one.marks, whole), sample.reference < 0 && "no picture");
    }
    if (one.kind === "tree") return make("div", "panel", make("h4", "", one.title), ...tree(one));
    return make("div", "panel", make("h4", "", one.title), coloured(one.text, GRAMMARS[one.language] || []));
  };
  const fill = async (place, sample, run) => {
    try {
      const detail = await details(sample, run);
      place.append(...(detail.panels || []).map((one) => panel(sample, one)));
      place.append(notes(sample.runs[run], detail));
      if (detail.structure) place.append(folded("structure", () => structure(sample.task, detail.structure)));
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
      make("h3", "", sample.id, " ", several ? null : make("span", `badge ${tone(ending)}`, state(ending))),
      make("p", "where", [sample.task, sample.subset, sample.difficulty].filter(Boolean).join(" · ")),
    );
    const pictures = make("div", other === null ? "pictures" : "pictures two");
    const renders = data.tasks[sample.task].renders;
    if (renders || sample.reference >= 0) {
      pictures.append(
        figure("reference", "", (whole) => still(sample.reference, "reference", whole), sample.reference < 0 && "no picture"),
      );
    }
    for (const one of renders ? runs : []) {
      const place = sample.runs[one] === null ? -1 : sample.runs[one][2];
      const name = data.runs[one];
      const missing = place < 0 && (sample.runs[one] !== null && ours.has(sample.runs[one][0]) ? "no score" : "no rendering");
      pictures.append(figure("rendering", name, (whole) => still(place, "rendering", whole), missing));
      if (sample.reference >= 0 && place >= 0) {
        const same = place === sample.reference && "none: the same picture";
        pictures.append(figure("difference", name, (whole) => difference(sample, place, whole), same));
      }
    }
    element.append(pictures, make("div", "parts", ...runs.map((one) => part(sample, one, one === run ? other : null))));
    return element;
  };

  // ---- filters

  const options = (select, entries) => {
    const kept = select.value;
    select.replaceChildren(...entries.map(([name, title]) => new Option(title, name)));
    if (entries.some(([name]) => name === kept)) select.value = kept;
  };
  const distinct = (values) => [...new Set(values)];
  const titled = (first, names) => [["", first], ...names.map((name) => [name, words(name)])];
  const ORDERS = [["set", "as in the data set"], ["low", "lowest first"], ["high", "highest first"]];
  const AGAINST = [["gain", "largest gain first"], ["loss", "largest loss first"]];

  const offer = () => {
    const run = Number(field.run.value);
    const task = field.task.value;
    const own = samples.filter((one) => !task || one.task === task);
    options(field.other, [["", "no other run"], ...data.runs.map((name, at) => [String(at), name]).filter((_, at) => at !== run)]);
    options(field.subset, [["", "all"], ...distinct(own.map((one) => one.subset)).map((name) => [name, name])]);
    const endings = distinct(samples.map((one) => one.runs[run]).filter(Boolean).map(
      ended));
    options(field.outcome, [["", "all"], ["+usable", "usable"], ["-usable", "not usable"],
      ["+repair", "only after repair"], ...endings.map((name) => [name, words(name)])]);
    const names = distinct((task ? [task] : Object.keys(data.metrics)).flatMap((one) => data.metrics[one]));
    options(field.metric, names.map((name) => [name, name]));
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
        ends(sample.runs[run], field.outcome.value) &&
        (least === null || (typeof own === "number" && own >= least)) &&
        (most === null || (typeof own === "number" && own <= most)) &&
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

  let queue = [];
  let current = [0, null];
  const more = () => {
    cards.append(...queue.splice(0, PAGE).map((sample) => card(sample, ...current)));
  };
  const show = () => {
    offer();
    const run = Number(field.run.value);
    const other = field.other.value === "" ? null : Number(field.other.value);
    current = [run, other];
    queue = chosen(run, other);
    document.getElementById("count").textContent = `${queue.length} of ${samples.length} samples`;
    cards.replaceChildren();
    more();
  };
  new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) more();
  }, { rootMargin: "1200px" }).observe(document.getElementById("end"));

  options(field.run, data.runs.map((name, at) => [String(at), name]));
  options(field.task, titled("all", Object.keys(data.metrics)));
  document.getElementById("run-choice").hidden = !several;
  document.getElementById("other-choice").hidden = !several;
  form.addEventListener("input", show);
  form.addEventListener("reset", () => setTimeout(show));
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const link of document.querySelectorAll("a[data-sample]")) {
    link.addEventListener("click", () => {
      form.reset();
      offer();
      field.run.value = link.dataset.run;
      offer();
      field.other.value = link.dataset.other;
      field.find.value = link.dataset.sample;
      show();
    });
  }
  large.addEventListener("click", (event) => event.target === large && large.close());
  show();
})();
