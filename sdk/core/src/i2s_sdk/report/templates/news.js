"use strict";
// In a report that is served: says how far the runs are, and offers new results. Reloading keeps the address,
// and with it filters, order, view and sample.
(() => {
  const EVERY = 2000; // milliseconds
  const shown = Number(document.getElementById("news").dataset.ended);
  const bar = document.createElement("p");
  bar.id = "news-bar";
  bar.setAttribute("role", "status");
  Object.assign(bar.style, {
    position: "fixed", right: "1rem", bottom: "0", zIndex: "2", padding: "0.4rem 0.75rem",
    background: "var(--card)", border: "1px solid var(--line)", borderRadius: "6px", fontSize: "0.85rem",
  });
  const text = document.createElement("span");
  const button = document.createElement("button");
  button.type = "button";
  button.hidden = true;
  button.textContent = "show new results";
  button.style.marginLeft = "0.75rem";
  button.addEventListener("click", () => location.reload());
  bar.append(text, button);
  const ask = async () => {
    try {
      const found = await (await fetch("progress.json")).json();
      if (found.done && found.ended === shown) {
        bar.remove();
        return;
      }
      const planned = found.runs.reduce((sum, run) => sum + run.planned, 0);
      text.textContent = `${found.ended} of ${planned} samples have ended`;
      button.hidden = found.ended <= shown;
      document.body.append(bar);
      if (found.done) return;
    } catch {
      text.textContent = "The server has stopped.";
      document.body.append(bar);
      return;
    }
    setTimeout(ask, EVERY);
  };
  ask();
})();
