// The text nodes of a page with their places and colours, and the tree of its elements. Runs in a world of our own.
//
// Names of elements shadow members of forms and documents in every world (``<input name=childNodes>``), so members
// are taken from prototypes, which are this world's own.
(query) => {
  const MOST_TEXT = 2000, MOST_NAME = 100, MOST_PATH = 40, MOST_RECTANGLES = 2000, POINTS = 3;
  const SVG = "http://www.w3.org/2000/svg", DRAWN_TEXT = new Set(["a", "text", "textPath", "tspan"]);
  const member = (type, name) => {
    const { get, value } = Object.getOwnPropertyDescriptor(type.prototype, name);
    return get ? (of) => get.call(of) : (of, ...given) => value.call(of, ...given);
  };
  const nodeType = member(Node, "nodeType"), nodeValue = member(Node, "nodeValue");
  const childNodes = member(Node, "childNodes"), rootOf = member(Node, "getRootNode"), contains = member(Node, "contains");
  const localName = member(Element, "localName"), namespace = member(Element, "namespaceURI");
  const shadowRoot = member(Element, "shadowRoot"), boxOf = member(Element, "getBoundingClientRect");
  const checkVisibility = member(Element, "checkVisibility");
  const clientLeft = member(Element, "clientLeft"), clientTop = member(Element, "clientTop");
  const clientWidth = member(Element, "clientWidth"), clientHeight = member(Element, "clientHeight");
  const documentElement = member(Document, "documentElement"), defaultView = member(Document, "defaultView");
  const atPoint = member(Document, "elementFromPoint"), atPointOfShadow = member(ShadowRoot, "elementFromPoint");
  const bytesOf = (text) => new TextEncoder().encode(text).length;
  const heldBy = (frame) => {
    for (const type of [HTMLIFrameElement, HTMLFrameElement, HTMLObjectElement]) {
      try { return member(type, "contentDocument")(frame); } catch { /* an element of another kind */ }
    }
    return null;
  };

  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true }), colors = new Map();
  const rgba = (text) => {
    if (colors.has(text)) return colors.get(text);
    const numbers = /^rgba?\(([\d., ]+)\)$/.exec(text)?.[1].split(",").map(Number);
    let color = numbers && [numbers[0], numbers[1], numbers[2], numbers[3] ?? 1];
    if (!color) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = "rgba(0, 0, 0, 0)";
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
      color = [red, green, blue, alpha / 255];
    }
    colors.set(text, color);
    return color;
  };
  const hex = ([red, green, blue, alpha], opacity) => "#" + [red, green, blue, 255 * alpha * opacity]
    .map((one) => Math.max(0, Math.min(255, Math.round(one))).toString(16).padStart(2, "0")).join("");
  const letters = (style, svg) => {
    if (svg) return style.fill === "none" ? [0, 0, 0, 0] : style.fill.startsWith("url") ? null : rgba(style.fill);
    const color = rgba(style.webkitTextFillColor || style.color);
    return color[3] === 0 && style.webkitBackgroundClip.includes("text") ? null : color;
  };

  const cut = (box, by) => by ? {
    left: Math.max(box.left, by.left), top: Math.max(box.top, by.top),
    right: Math.min(box.right, by.right), bottom: Math.min(box.bottom, by.bottom),
  } : box;
  const empty = (box) => !(box.right > box.left && box.bottom > box.top);
  // A box as a script sees it, moved to where it is in the image.
  const moved = (box, place) => ({
    left: box.left + place.x, top: box.top + place.y, right: box.right + place.x, bottom: box.bottom + place.y,
  });

  // What descendants of an element take from it.
  const within = (element, name, style, around) => {
    const below = { ...around, element, path: around.path.length < MOST_PATH ? [...around.path, name] : around.path, name };
    if (style.display === "contents") return { ...below, style };
    const positioned = style.position !== "static" || style.transform !== "none";
    const by = style.position === "fixed" ? around.place.clip : style.position === "absolute" ? around.absolute : around.clip;
    const whole = name === "html" || name === "body";
    const hides = !whole && style.display !== "inline" && (style.overflowX !== "visible" || style.overflowY !== "visible");
    below.clip = hides ? cut(moved(boxOf(element), around.place), by) : by;
    below.absolute = positioned ? below.clip : around.absolute;
    below.opacity = around.opacity * Number(style.opacity);
    const background = rgba(style.backgroundColor);
    if (background[3] > 0) below.background = hex(background, 1);
    return { ...below, style };
  };

  const blocks = [], names = [], indexOf = new Map(), nameOf = [], parentOf = [];
  let bytes = 0, lacksBlocks = false, lacksElements = false;
  const range = new Range();

  const covered = (element, rectangles) => {
    const root = rootOf(element), find = root instanceof ShadowRoot ? atPointOfShadow : atPoint;
    let tried = 0, hidden = 0;
    for (const box of rectangles.slice(0, POINTS)) {
      let hit;
      try { hit = find(root, (box.left + box.right) / 2, (box.top + box.bottom) / 2); } catch { return false; }
      if (!hit) continue;
      tried++;
      if (!contains(element, hit) && !contains(hit, element)) hidden++;
    }
    return tried > 0 && hidden === tried;
  };

  const readText = (node, around) => {
    const { element, style, place } = around;
    if (!element || !style) return;
    const svg = namespace(element) === SVG;
    if (svg && !DRAWN_TEXT.has(localName(element))) return;
    const text = nodeValue(node).trim();
    if (!text) return;
    range.selectNodeContents(node);
    const rectangles = [];
    for (const box of range.getClientRects()) {
      if (box.width > 0 && box.height > 0) rectangles.push(box);
      if (rectangles.length >= MOST_RECTANGLES) break;
    }
    if (!rectangles.length) return;
    const union = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    for (const box of rectangles) {
      union.left = Math.min(union.left, box.left), union.top = Math.min(union.top, box.top);
      union.right = Math.max(union.right, box.right), union.bottom = Math.max(union.bottom, box.bottom);
    }
    const laidOut = moved(union, place), shown = cut(laidOut, around.clip), gone = empty(shown);
    const kept = gone ? laidOut : shown, color = letters(style, svg);
    const said = text.slice(0, MOST_TEXT);
    const tail = around.path.at(-1) === around.name ? around.path : [...around.path, around.name];
    const path = tail.join(">");
    bytes += bytesOf(said) + bytesOf(path);
    if (blocks.length >= query.blocks || bytes > query.bytes) {
      lacksBlocks = true;
      return;
    }
    blocks.push({
      text: said,
      x: kept.left, y: kept.top, width: kept.right - kept.left, height: kept.bottom - kept.top,
      color: color ? hex(color, around.opacity) : "",
      background: around.background,
      hidden: around.opacity === 0 || place.hidden ||
        !checkVisibility(element, { opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: false }),
      clipped: gone || shown.right - shown.left < union.right - union.left - 1 ||
        shown.bottom - shown.top < union.bottom - union.top - 1,
      covered: covered(element, rectangles),
      outside: gone || empty(cut(kept, { left: 0, top: 0, right: query.width, bottom: query.height })),
      path,
      element: around.index,
    });
  };

  const enter = (element, parent, around) => {
    const name = localName(element).slice(0, MOST_NAME);
    if (!indexOf.has(name)) indexOf.set(name, names.push(name) - 1);
    const index = nameOf.push(indexOf.get(name));
    parentOf.push(parent);
    const style = around.place.view.getComputedStyle(element);
    const below = { ...within(element, name, style, around), index };
    const held = heldBy(element);
    if (held && documentElement(held)) {
      const box = boxOf(element), { place } = below;
      const x = place.x + box.left + clientLeft(element), y = place.y + box.top + clientTop(element);
      const inner = { left: x, top: y, right: x + clientWidth(element), bottom: y + clientHeight(element) };
      const clip = cut(inner, below.clip);
      const hidden = place.hidden || style.visibility !== "visible" || empty(clip);
      const frame = { x, y, view: defaultView(held), clip, hidden };
      return { index, list: [documentElement(held)], around: { ...below, place: frame, clip, absolute: clip } };
    }
    const shadow = shadowRoot(element);
    const assigned = element instanceof HTMLSlotElement ? element.assignedNodes() : [];
    return { index, list: shadow ? childNodes(shadow) : assigned.length ? assigned : childNodes(element), around: below };
  };

  const place = { x: query.left, y: query.top, view: window, clip: null, hidden: false };
  const around = {
    element: null, style: null, name: "", path: [], place, index: 0, clip: null, absolute: null, opacity: 1,
    background: "#ffffffff",
  };
  const stack = [{ index: 0, list: [documentElement(document)], next: 0, around }];
  for (let seen = 0; stack.length; seen++) {
    const level = stack.at(-1), node = level.list[level.next++];
    if (!node) {
      stack.pop();
      continue;
    }
    const type = nodeType(node);
    if (seen > 20 * query.elements || (type === 1 && nameOf.length >= query.elements)) {
      lacksElements = lacksBlocks = true;
      break;
    }
    if (type === 3) readText(node, level.around);
    else if (type === 1) stack.push({ ...enter(node, level.index, level.around), next: 0 });
  }
  return { blocks, lacksBlocks, names, nameOf, parentOf, lacksElements };
}
