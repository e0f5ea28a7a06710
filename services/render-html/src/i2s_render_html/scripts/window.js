// Runs in every frame and popup before any script of the page: its window cannot be moved or resized, as in
// browsers, where that is left to windows that a script has opened. The capture of a whole page has a resize
// event, in which the page would otherwise give itself another width.
for (const name of ["resizeTo", "resizeBy", "moveTo", "moveBy"])
  Object.defineProperty(globalThis, name, { value: () => undefined, writable: true, configurable: true });
