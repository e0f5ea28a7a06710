// Elements with their rectangles on the page. Runs in a world of our own.
(query) => {
  const MOST_TEXT = 200, MOST_CONTENT = 2000, MOST_HREF = 2000, MOST_PIECES = 200;
  const INTERACTIVE = [
    "a[href]", "area[href]", "button", "input:not([type=hidden])", "select", "textarea", "summary", "label",
    "audio[controls]", "video[controls]", "iframe", "[contenteditable]:not([contenteditable=false])", "[onclick]",
    "[tabindex]:not([tabindex^='-'])", "[role=button]", "[role=link]", "[role=checkbox]", "[role=radio]",
    "[role=tab]", "[role=switch]", "[role=slider]", "[role=option]", "[role=textbox]", "[role=combobox]",
    "[role=menuitem]", "[role=menuitemcheckbox]", "[role=menuitemradio]", "[role=searchbox]", "[role=spinbutton]",
  ].join(",");
  const ROLES = {
    ARTICLE: "article", ASIDE: "complementary", BUTTON: "button", DIALOG: "dialog", FOOTER: "contentinfo",
    FORM: "form", H1: "heading", H2: "heading", H3: "heading", H4: "heading", H5: "heading", H6: "heading",
    HEADER: "banner", HR: "separator", IMG: "img", LI: "listitem", MAIN: "main", NAV: "navigation", OL: "list",
    OPTION: "option", P: "paragraph", PROGRESS: "progressbar", SUMMARY: "button", TABLE: "table", TD: "cell",
    TEXTAREA: "textbox", TH: "columnheader", TR: "row", UL: "list",
  };
  const INPUTS = {
    button: "button", checkbox: "checkbox", image: "button", number: "spinbutton", radio: "radio", range: "slider",
    reset: "button", search: "searchbox", submit: "button",
  };
  const role = (element) => {
    const given = (element.getAttribute("role") || "").trim().split(/\s+/)[0];
    if (given) return given;
    if (element.tagName === "A" || element.tagName === "AREA") return element.hasAttribute("href") ? "link" : "";
    if (element.tagName === "INPUT") return INPUTS[element.type] || "textbox";
    if (element.tagName === "SELECT") return element.multiple || element.size > 1 ? "listbox" : "combobox";
    return ROLES[element.tagName] || "";
  };
  const text = (element) => {
    if (element.tagName === "META") return String(element.content || "").trim().slice(0, MOST_CONTENT);
    const own = element.innerText || element.value || element.getAttribute("aria-label");
    return String(own || element.getAttribute("alt") || element.getAttribute("placeholder") || "")
      .trim().slice(0, MOST_TEXT);
  };
  const visible = (element, box) =>
    box.width > 0 && box.height > 0 &&
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  // Whether something that is neither inside of an element nor around it lies in front of it.
  const covered = (element, box) =>
    [0.1, 0.5, 0.9].some((down) => [0.1, 0.5, 0.9].some((across) => {
      const hit = document.elementFromPoint(box.x + box.width * across, box.y + box.height * down);
      return hit && !element.contains(hit) && !hit.contains(element);
    }));
  const hides = (style) => style.overflowX !== "visible" || style.overflowY !== "visible";
  const clipped = (element, box) => {
    if (hides(getComputedStyle(element)) &&
        (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1)) return true;
    for (let outer = element.parentElement; outer && outer !== document.body; outer = outer.parentElement) {
      if (!hides(getComputedStyle(outer))) continue;
      const around = outer.getBoundingClientRect();
      if (box.left < around.left - 1 || box.top < around.top - 1 ||
          box.right > around.right + 1 || box.bottom > around.bottom + 1) return true;
    }
    return false;
  };
  // Whether pieces of the text stand apart on a line and follow one another without white space.
  const joined = (element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), range = document.createRange();
    let before = null;
    for (let node = walker.nextNode(), seen = 0; node && seen < MOST_PIECES; node = walker.nextNode(), seen++) {
      const said = node.nodeValue;
      if (!said) continue;
      range.selectNodeContents(node);
      const boxes = range.getClientRects();
      if (!boxes.length) {
        if (said.trim() === "") before = null;
        continue;
      }
      const first = boxes[0], last = boxes[boxes.length - 1];
      if (before && !/^\s/.test(said) &&
          first.top < before.bottom && before.top < first.bottom && Math.abs(first.left - before.right) > 2) return true;
      before = /\s$/.test(said) ? null : last;
    }
    return false;
  };

  const found = [];
  for (const element of document.querySelectorAll(query.css || INTERACTIVE)) {
    if (found.length >= query.most) break;
    const box = element.getBoundingClientRect();
    if (!query.css && !visible(element, box)) continue;
    found.push({
      tag: element.tagName.toLowerCase().slice(0, 100),
      text: text(element),
      role: role(element).slice(0, 100),
      clickable: element.matches(INTERACTIVE) && !element.matches(":disabled"),
      x: box.x + scrollX,
      y: box.y + scrollY,
      width: box.width,
      height: box.height,
      href: String(element.hasAttribute("href") && element.href || "").slice(0, MOST_HREF),
      visible: visible(element, box),
      covered: covered(element, box),
      clipped: clipped(element, box),
      rectangles: element.getClientRects().length,
      joined: joined(element),
    });
  }
  return found;
}
