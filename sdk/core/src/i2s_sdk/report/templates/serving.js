"use strict";
// Asks how far the runs are until all are done.
(() => {
  const EVERY = 2000; // milliseconds
  const place = document.getElementById("runs");
  const draw = (runs) => place.replaceChildren(...runs.map((run) => {
    const section = document.createElement("section");
    const bar = document.createElement("progress");
    Object.assign(bar, { max: Math.max(1, run.planned), value: run.ended });
    bar.setAttribute("aria-label", run.run);
    const failed = run.ended > run.scored ? `, ${run.ended - run.scored} without a score` : "";
    const said = `${run.scored} of ${run.planned} samples scored, ${run.rendered} rendered${failed}`;
    section.append(`${run.run}: ${run.begun ? said : "has not begun"}`, bar);
    return section;
  }));
  const ask = async () => {
    try {
      const found = await (await fetch("progress.json")).json();
      draw(found.runs);
      document.getElementById("report").hidden = !found.runs.some((run) => run.begun);
      if (found.done) return;
    } catch {
      place.textContent = "The server has stopped.";
      return;
    }
    setTimeout(ask, EVERY);
  };
  ask();
})();
