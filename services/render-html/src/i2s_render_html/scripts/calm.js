// Brings a loaded document to rest, and says how far it is. Runs in a world of our own, which the page
// cannot reach, again and again until nothing changes any more.
async () => {
  const PATIENCE = 1000; // ms
  let moved = 0;
  for (const late of document.querySelectorAll('img[loading="lazy"], iframe[loading="lazy"]')) {
    late.loading = "eager";
    moved++;
  }
  // What ends is shown as it ends; what never ends, as if it had not begun.
  for (const animation of document.getAnimations()) {
    if (animation.playState === "finished" || animation.playState === "idle") continue;
    const end = animation.effect ? animation.effect.getComputedTiming().endTime : Infinity;
    if (Number.isFinite(Number(end)) && animation.playbackRate !== 0) animation.finish();
    else animation.cancel();
    moved++;
  }
  for (const drawing of document.querySelectorAll("svg")) {
    if (drawing.ownerSVGElement || !drawing.pauseAnimations || drawing.animationsPaused()) continue;
    drawing.pauseAnimations();
    drawing.setCurrentTime(0);
  }
  for (const media of document.querySelectorAll("video, audio")) if (!media.paused) media.pause();
  if (!globalThis.still) {
    globalThis.still = new CSSStyleSheet();
    globalThis.still.replaceSync("* { caret-color: transparent !important; scroll-behavior: auto !important; }");
  }
  if (!document.adoptedStyleSheets.includes(globalThis.still))
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, globalThis.still];

  const shown = [...document.images].filter((image) => image.currentSrc || image.src);
  const pictures = Promise.allSettled(shown.map((image) => image.decode()));
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE, false));
  const ready = Promise.all([document.fonts.ready, pictures]).then(() => true);
  const inTime = await Promise.race([ready, patience]);
  const title = String(document.title).slice(0, 1000);
  return { moved, title, ready: inTime && document.readyState === "complete" };
}
