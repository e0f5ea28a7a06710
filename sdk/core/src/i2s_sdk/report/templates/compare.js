// Two images of a sample in one place: beside each other, or over each other in several ways.

const MODES = [
  ["side", "side by side"], ["slider", "slider"], ["onion", "onion skin"], ["blink", "blink"], ["difference", "difference"],
];
if (several) MODES.push(["all", "all runs"]);
const ZOOMS = ["fit", "1", "2", "4", "8"];
const BLINK = 700; // milliseconds

// Returns the size of both images in pixels as the metrics see them: from the upper left corner, the rendering
// of some tasks stretched to its reference.
const sizes = (sample, place) => {
  const [, , width, height] = data.pictures[sample.reference];
  const [wide, high] = data.tasks[sample.task].resized ? [width, height] : data.pictures[place].slice(2);
  return { reference: [width, height], rendering: [wide, high], all: [Math.max(width, wide), Math.max(height, high)] };
};

// Returns a picture frame of the size of all images; `zoom` is "fit", or screen pixels for a pixel.
const frame = ([width, height], zoom) => {
  const element = make("div", zoom === "fit" ? "frame" : "frame exact");
  element.style.aspectRatio = `${width} / ${height}`;
  const scale = zoom === "fit" ? 1 : Number(zoom) / window.devicePixelRatio;
  element.style.width = zoom === "fit" ? `min(100%, ${width}px)` : `${width * scale}px`;
  if (zoom !== "fit" && Number(zoom) > 1) element.classList.add("pixels");
  return element;
};
const layer = (place, [width, height], all, alt) => {
  const element = make("div", "layer", image(place, alt, true));
  element.firstChild.style.width = percent(width / all[0]);
  element.firstChild.style.height = percent(height / all[1]);
  return element;
};
const range = (label, value, change) => {
  const input = make("input");
  Object.assign(input, { type: "range", min: 0, max: 100, value: 100 * value });
  input.addEventListener("input", () => change(input.value / 100));
  return make("label", "range", label, input);
};
const pannable = (element, state, change) => {
  const place = make("div", "pan", element);
  place.tabIndex = 0;
  place.setAttribute("role", "group");
  place.setAttribute("aria-label", "image, moved with the arrow keys");
  const [left, top] = state.pan.split(",").map(Number);
  if (state.pan) requestAnimationFrame(() => place.scrollTo(left, top));
  let waiting = 0;
  place.addEventListener("scroll", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const pan = `${Math.round(place.scrollLeft)},${Math.round(place.scrollTop)}`;
      if (place.isConnected) change({ quiet: { pan: pan === "0,0" ? "" : pan } });
    }, 150);
  });
  let from = null;
  place.addEventListener("pointerdown", (event) => {
    from = [event.clientX + place.scrollLeft, event.clientY + place.scrollTop];
    place.setPointerCapture(event.pointerId);
  });
  place.addEventListener("pointermove", (event) => {
    if (from === null) return;
    place.scrollLeft = from[0] - event.clientX;
    place.scrollTop = from[1] - event.clientY;
  });
  for (const name of ["pointerup", "pointercancel"]) place.addEventListener(name, () => { from = null; });
  return place;
};

let blinking = null;
const overlaid = (sample, place, mode, state, label, change) => {
  const share = state.at / 100;
  const at = (apply) => (own) => { apply(own); change({ quiet: { at: Math.round(100 * own) } }); };
  const { reference, rendering, all } = sizes(sample, place);
  const stack = frame(all, state.zoom);
  const below = layer(sample.reference, reference, all, altOf(sample, null));
  const above = layer(place, rendering, all, altOf(sample, state.run));
  stack.append(below, above);
  if (mode === "slider") {
    const cut = (own) => { above.style.clipPath = `inset(0 0 0 ${percent(own)})`; };
    cut(share);
    return [pannable(stack, state, change), range(`left: reference, right: ${label}`, share, at(cut))];
  }
  if (mode === "onion") {
    const fade = (own) => { above.style.opacity = String(own); };
    fade(share);
    return [pannable(stack, state, change), range(`from reference to ${label}`, share, at(fade))];
  }
  if (mode === "difference") {
    stack.classList.add("blend");
    return [pannable(stack, state, change), make("p", "note", "White is where both are equal.")];
  }
  const caption = make("button", "", "");
  caption.type = "button";
  let first = false;
  const turn = () => {
    first = !first;
    above.hidden = first;
    caption.textContent = first ? "reference (click to turn)" : `${label} (click to turn)`;
  };
  caption.addEventListener("click", () => { clearInterval(blinking); turn(); });
  turn();
  if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) blinking = setInterval(turn, BLINK);
  return [pannable(stack, state, change), caption];
};

// Returns the images of a sample in the ways that `state` says; `change` is called with what the reader chose.
const comparison = (sample, state, change) => {
  clearInterval(blinking);
  const element = make("div", "comparison");
  const ending = sample.runs[state.run];
  const place = ending === null ? -1 : ending[2];
  const both = sample.reference >= 0 && place >= 0;
  const mode = both || state.mode === "all" ? state.mode : "side";
  const tools = make("div", "tools");
  const buttons = (entries, current, name) => {
    const group = make("div", "group");
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", name);
    for (const [key, title] of entries) {
      const button = make("button", "", title);
      button.type = "button";
      button.setAttribute("aria-pressed", String(key === current));
      button.addEventListener("click", () => change({ [name]: key }));
      group.append(button);
    }
    return group;
  };
  if (several) tools.append(buttons(data.runs.map((label, at) => [at, label]), state.run, "run"));
  if (both || several) tools.append(buttons(both ? MODES : MODES.filter(([name]) => name === "side" || name === "all"), mode, "mode"));
  tools.append(buttons(ZOOMS.map((zoom) => [zoom, zoom === "fit" ? "fit" : `${zoom}×`]), state.zoom, "zoom"));
  element.append(tools);
  if (mode !== "side" && mode !== "all") {
    element.append(...overlaid(sample, place, mode, state, data.runs[state.run], change));
    return element;
  }
  const alone = (which, size, name, run) => {
    const picture = frame(size, state.zoom);
    picture.append(layer(which, size, size, altOf(sample, run)));
    return make("figure", "", make("figcaption", "", `${name}, ${size[0]} × ${size[1]} pixels`), pannable(picture, state, change));
  };
  const pair = make("div", "beside");
  if (sample.reference >= 0) pair.append(alone(sample.reference, data.pictures[sample.reference].slice(2), "reference", null));
  const shown = mode === "all" ? data.runs.map((_, run) => run) : [state.run];
  for (const run of shown) {
    const own = sample.runs[run] === null ? -1 : sample.runs[run][2];
    if (own >= 0) pair.append(alone(own, data.pictures[own].slice(2), data.runs[run], run));
    else if (data.tasks[sample.task].renders) {
      pair.append(make("figure", "", make("figcaption", "", data.runs[run]), make("p", "missing", state_of(sample, run))));
    }
  }
  element.append(pair);
  return element;
};
