// Two images of a sample in one place: beside each other, or over each other in several ways.

const MODES = [
  ["side", "side by side"], ["slider", "slider"], ["onion", "onion skin"], ["blink", "blink"], ["difference", "difference"],
];
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
const pannable = (element) => {
  const place = make("div", "pan", element);
  place.tabIndex = 0;
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
const overlaid = (sample, place, mode, zoom, label) => {
  const { reference, rendering, all } = sizes(sample, place);
  const stack = frame(all, zoom);
  const below = layer(sample.reference, reference, all, "reference");
  const above = layer(place, rendering, all, "rendering");
  stack.append(below, above);
  if (mode === "slider") {
    const cut = (share) => { above.style.clipPath = `inset(0 0 0 ${percent(share)})`; };
    cut(0.5);
    return [pannable(stack), range(`left: reference, right: ${label}`, 0.5, cut)];
  }
  if (mode === "onion") {
    const fade = (share) => { above.style.opacity = String(share); };
    fade(0.5);
    return [pannable(stack), range(`from reference to ${label}`, 0.5, fade)];
  }
  if (mode === "difference") {
    stack.classList.add("blend");
    return [pannable(stack), make("p", "note", "White is where both are equal.")];
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
  return [pannable(stack), caption];
};

// Returns the images of a sample in the ways that `state` says; `change` is called with what the reader chose.
const comparison = (sample, state, change) => {
  clearInterval(blinking);
  const element = make("div", "comparison");
  const ending = sample.runs[state.run];
  const place = ending === null ? -1 : ending[2];
  const both = sample.reference >= 0 && place >= 0;
  const mode = both ? state.mode : "side";
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
  if (both) tools.append(buttons(MODES, mode, "mode"));
  tools.append(buttons(ZOOMS.map((zoom) => [zoom, zoom === "fit" ? "fit" : `${zoom}×`]), state.zoom, "zoom"));
  element.append(tools);
  if (mode !== "side") {
    element.append(...overlaid(sample, place, mode, state.zoom, data.runs[state.run]));
    return element;
  }
  const alone = (which, size, name) => {
    const picture = frame(size, state.zoom);
    picture.append(layer(which, size, size, name));
    return make("figure", "", make("figcaption", "", `${name}, ${size[0]} × ${size[1]} pixels`), pannable(picture));
  };
  const pair = make("div", "beside");
  if (sample.reference >= 0) pair.append(alone(sample.reference, data.pictures[sample.reference].slice(2), "reference"));
  if (place >= 0) pair.append(alone(place, data.pictures[place].slice(2), data.runs[state.run]));
  else if (data.tasks[sample.task].renders) pair.append(make("p", "missing", state_of(sample, state.run)));
  element.append(pair);
  return element;
};
