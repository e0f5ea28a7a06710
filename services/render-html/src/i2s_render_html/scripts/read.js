// The text of a page as it is shown. Runs in a world of our own.
//
// innerText knows neither shadow trees nor frames. A page that has some is copied as it is laid out: every slot
// holds what is assigned to it, every frame its document, and of the style remains what innerText depends on.
(most) => {
  const MOST_NODES = 50000, MOST_LEVELS = 400;
  const STYLE = ["display", "visibility", "content-visibility", "white-space", "text-transform", "float", "position"];
  // Elements that innerText knows by their names; of all others only the style counts.
  const KEPT = new Set(["br", "details", "optgroup", "option", "p", "select", "summary"]);
  // Elements that are one thing in a line; what they hold is not shown.
  const REPLACED = new Set([
    "audio", "canvas", "embed", "img", "input", "meter", "object", "progress", "textarea", "video",
  ]);
  const OF_DRAWINGS = new Set(["a", "foreignObject", "g", "svg", "switch", "text", "textPath", "tspan"]);
  const DRAWN_TEXT = new Set(["a", "text", "textPath", "tspan"]);
  const HTML = "http://www.w3.org/1999/xhtml", SVG = "http://www.w3.org/2000/svg";

  const inner = (element) => element.contentDocument; // null for another origin
  const shownIn = (held) => held.body || held.documentElement;
  const lacks = (element) => element.shadowRoot || (element.contentDocument && shownIn(element.contentDocument));
  const own = () => document.body ? document.body.innerText : document.documentElement?.textContent;

  let nodes = 0;
  const children = (node) => {
    if (node.shadowRoot) return node.shadowRoot.childNodes;
    const assigned = node instanceof HTMLSlotElement ? node.assignedNodes() : [];
    return assigned.length ? assigned : node.childNodes;
  };
  const copyText = (node, into) => {
    const around = node.parentNode;
    if (around.namespaceURI !== SVG || DRAWN_TEXT.has(around.localName)) into.append(node.data);
  };
  const copyFrame = (frame, style, into, level) => {
    const held = shownIn(inner(frame));
    if (held && style.visibility === "visible" && frame.clientWidth && frame.clientHeight)
      copy(held, into, inner(frame).defaultView, level);
  };
  const copy = (node, into, view, level) => {
    if (++nodes > MOST_NODES || level > MOST_LEVELS) throw new RangeError("too much to copy");
    if (node.nodeType === Node.TEXT_NODE) return copyText(node, into);
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    if (node.namespaceURI === SVG && !OF_DRAWINGS.has(node.localName)) return;
    const style = view.getComputedStyle(node);
    if (style.display === "none" || node.localName === "noscript") return;
    const named = node.namespaceURI === HTML && KEPT.has(node.localName);
    const made = document.createElement(named ? node.localName : "span");
    for (const name of STYLE) made.style.setProperty(name, style.getPropertyValue(name));
    if (node.open) made.open = true;
    into.append(made);
    if (style.display === "inline" && (REPLACED.has(node.localName) || node.localName === "svg"))
      made.style.setProperty("display", "inline-block");
    if (inner(node)) copyFrame(node, style, made, level + 1);
    else if (!REPLACED.has(node.localName))
      for (const child of children(node)) copy(child, made, view, level + 1);
  };
  const whole = () => {
    const place = document.createElement("div");
    place.style.setProperty("all", "initial", "important");
    place.style.setProperty("display", "block", "important");
    const copies = place.attachShadow({ mode: "closed" }); // where no style of the page reaches
    try {
      copy(document.body, copies, window, 0);
      document.documentElement.append(place);
      return copies.firstElementChild.innerText;
    } catch {
      return own();
    } finally {
      place.remove();
    }
  };

  const incomplete = document.body && [...document.querySelectorAll("*")].some(lacks);
  return String((incomplete ? whole() : own()) || "").slice(0, most);
}
