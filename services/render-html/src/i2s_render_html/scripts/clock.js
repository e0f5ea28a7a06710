// Runs in every frame before any script of the page, in the page's own world: gives it a clock and a
// source of chance that are the same on every run. Time stands still while scripts run and moves only
// when the service says so, timer by timer, so that a slow machine sees what a fast one sees.
((options) => {
  "use strict";
  const { epoch, seed, handle, mostMessages } = options;
  const READ_STEP = 0.1; // ms by which a look at the clock moves it, so that waiting for it ends
  const FRAME = 16; // ms between two animation frames
  const NESTED = 4; // ms that a timer set by a timer waits at least, as the HTML standard has it
  const MOST_NESTED = 5;
  const LOOK = 2; // real ms between two looks whether answers have arrived
  const PATIENCE = 1000; // real ms that the clock stands for answers; a page can make some that never arrive
  const NativeDate = Date;
  const { apply, construct } = Reflect;
  const { then } = Promise.prototype;
  const { floor, max, min } = Math;

  const sleep = globalThis.setTimeout.bind(globalThis);
  const uptime = performance.now.bind(performance);

  // --- time
  let now = 0;
  const wall = () => floor(epoch + now);
  const look = () => (now += READ_STEP);
  const read = () => (look(), wall());

  globalThis.Date = new Proxy(NativeDate, {
    apply: () => new NativeDate(read()).toString(),
    construct: (target, given, made) => construct(target, given.length ? given : [read()], made),
    get: (target, name) => (name === "now" ? read : target[name]),
  });
  NativeDate.prototype.constructor = globalThis.Date;

  const define = (target, name, value) => {
    if (target) Object.defineProperty(target, name, { value, writable: true, configurable: true });
  };
  const getter = (target, name, get) => {
    if (target) Object.defineProperty(target, name, { get, configurable: true });
  };
  define(Performance.prototype, "now", () => look());
  getter(Performance.prototype, "timeOrigin", () => epoch);
  getter(Performance.prototype, "timing", () => new Proxy({}, { get: () => epoch }));
  getter(Event.prototype, "timeStamp", () => now);

  const format = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, "format").get;
  const parts = Intl.DateTimeFormat.prototype.formatToParts;
  getter(Intl.DateTimeFormat.prototype, "format", function () {
    const bound = format.call(this);
    return (date) => bound(date === undefined ? read() : date);
  });
  define(Intl.DateTimeFormat.prototype, "formatToParts", function (date) {
    return parts.call(this, date === undefined ? read() : date);
  });

  if (globalThis.Temporal) {
    const instant = () => Temporal.Instant.fromEpochMilliseconds(read());
    const zoned = (zone = "UTC") => instant().toZonedDateTimeISO(zone);
    define(Temporal.Now, "instant", instant);
    define(Temporal.Now, "zonedDateTimeISO", zoned);
    define(Temporal.Now, "plainDateTimeISO", (zone) => zoned(zone).toPlainDateTime());
    define(Temporal.Now, "plainDateISO", (zone) => zoned(zone).toPlainDate());
    define(Temporal.Now, "plainTimeISO", (zone) => zoned(zone).toPlainTime());
  }

  // --- timers
  const timers = new Map();
  let lastId = 0;
  let depth = 0;

  const add = (due, run, every, nesting) => {
    const id = ++lastId;
    timers.set(id, { id, due, run, every, nesting });
    return id;
  };
  const wait = (delay, nesting) => {
    const wanted = Number(delay) || 0;
    return max(wanted, nesting > MOST_NESTED ? NESTED : 1);
  };
  const code = (callback, given) =>
    typeof callback === "function" ? () => callback.apply(globalThis, given) : () => (0, eval)(String(callback));
  const remove = (id) => void timers.delete(Number(id));

  define(globalThis, "setTimeout", (callback, delay, ...given) =>
    add(now + wait(delay, depth), code(callback, given), 0, depth));
  define(globalThis, "setInterval", (callback, delay, ...given) => {
    const every = wait(delay, depth);
    return add(now + every, code(callback, given), every, depth);
  });
  define(globalThis, "clearTimeout", remove);
  define(globalThis, "clearInterval", remove);
  define(globalThis, "requestAnimationFrame", (callback) => {
    const due = (floor(now / FRAME) + 1) * FRAME;
    return add(due, () => callback(due), 0, 0);
  });
  define(globalThis, "cancelAnimationFrame", remove);
  const deadline = { didTimeout: false, timeRemaining: () => 50 };
  define(globalThis, "requestIdleCallback", (callback) => add(now + 1, () => callback(deadline), 0, depth));
  define(globalThis, "cancelIdleCallback", remove);

  const earliest = () => {
    let first = null;
    for (const timer of timers.values())
      if (first === null || timer.due < first.due || (timer.due === first.due && timer.id < first.id)) first = timer;
    return first;
  };

  // --- answers: time stands until what the page asked for has reached it, however long that takes here
  let awaited = 0;
  let tired = false;
  const expect = (promise) => {
    const end = () => void awaited--;
    awaited++;
    apply(then, promise, [end, end]);
    return promise;
  };
  const expecting = (target, name) => {
    const native = target && target[name];
    if (typeof native !== "function") return;
    define(target, name, function (...given) {
      return expect(native.apply(this, given));
    });
  };
  expecting(globalThis, "fetch");
  expecting(globalThis, "createImageBitmap");
  for (const name of ["arrayBuffer", "blob", "bytes", "formData", "json", "text"]) {
    expecting(Response.prototype, name);
    expecting(Blob.prototype, name);
  }
  expecting(HTMLImageElement.prototype, "decode");
  expecting(FontFace.prototype, "load");
  const { send } = XMLHttpRequest.prototype;
  define(XMLHttpRequest.prototype, "send", function (...given) {
    expect(new Promise((resolve) => this.addEventListener("loadend", resolve, { once: true })));
    return send.apply(this, given);
  });
  const arrival = (go) => {
    if (awaited === 0 || tired) return go();
    const begun = uptime();
    const look = () => {
      tired = uptime() - begun > PATIENCE;
      return awaited === 0 || tired ? go() : sleep(look, LOOK);
    };
    return sleep(look, LOOK);
  };

  // Every timer runs as a task of its own, so that promises are settled between two of them and an
  // exception is reported as one of the page.
  const channel = new MessageChannel();
  const post = channel.port2.postMessage.bind(channel.port2);
  let arrived = null;
  let until = 0;
  const tick = () => {
    const timer = earliest();
    if (timer === null || timer.due > until) {
      now = max(now, until);
      const done = arrived;
      arrived = null;
      if (done) done(timer === null ? null : timer.due);
      return;
    }
    now = max(now, timer.due);
    if (timer.every > 0) timer.due = now + timer.every;
    else timers.delete(timer.id);
    depth = timer.nesting + 1;
    try {
      timer.run();
    } finally {
      depth = 0;
      post(0);
    }
  };
  channel.port1.onmessage = () => arrival(tick);

  // Returns when the next timer is due, in ms since the start of the frame; null where there is none.
  const advance = (to) =>
    new Promise((resolve) => {
      until = to;
      arrived = resolve;
      post(0);
    });
  Object.defineProperty(globalThis, handle, { value: advance });

  // --- chance: xorshift32
  let state = seed;
  const draw = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  define(Math, "random", () => draw() / 4294967296);
  define(Crypto.prototype, "getRandomValues", (target) => {
    const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = draw() & 255;
    return target;
  });
  const digits = (count) => Array.from({ length: count }, () => (draw() & 15).toString(16)).join("");
  define(Crypto.prototype, "randomUUID", () => {
    const variant = "89ab"[draw() & 3];
    return `${digits(8)}-${digits(4)}-4${digits(3)}-${variant}${digits(3)}-${digits(12)}`;
  });

  // --- a flood of messages ends here and not in the service
  let messages = 0;
  for (const name of ["log", "info", "debug", "warn", "error", "trace", "dir", "table", "assert", "group"]) {
    const native = console[name];
    if (typeof native !== "function") continue;
    define(console, name, (...given) => {
      if (messages++ < mostMessages) native.apply(console, given.slice(0, min(given.length, 20)));
    });
  }
})(OPTIONS);
