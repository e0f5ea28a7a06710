"use strict";
// Sorts the table of runs by the column whose name is pressed; what has no value stands last.
(() => {
  const body = document.querySelector("table.runs tbody");
  const heads = [...document.querySelectorAll("table.runs thead th")];
  const letters = new Intl.Collator("en", { numeric: true });
  heads.forEach((head, column) => head.firstElementChild.addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    const key = (row) => row.children[column].dataset.sort;
    const order = (a, b) => {
      if (key(a) === "" || key(b) === "") return (key(a) === "") - (key(b) === "");
      const by = Number(key(a)) - Number(key(b));
      return (up ? 1 : -1) * (Number.isNaN(by) ? letters.compare(key(a), key(b)) : by);
    };
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    body.append(...[...body.children].sort(order));
  }));
})();
