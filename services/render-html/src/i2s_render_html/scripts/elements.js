// Elements with their rectangles on the page. Runs in a world of our own.
(query) => {
  const MOST_TEXT = 200;
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
    const own = element.innerText || element.value || element.getAttribute("aria-label");
    return String(own || element.getAttribute("alt") || element.getAttribute("placeholder") || "")
      .trim().slice(0, MOST_TEXT);
  };
  const visible = (element, box) =>
    box.width > 0 && box.height > 0 &&
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true });

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
    });
  }
  return found;
}
