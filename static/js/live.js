// htmx's sse extension follows the stream named on <body>; each event asks for the fragments again
// (components/_live.html). This script adds a strip that says since when the stream is cut, a look
// every ten seconds meanwhile, and what a swap keeps: a field being filled, what a finger presses, the
// focus, open folds, a table pushed sideways, the eye on a row that moves.

const POLL = 10_000;
const PRESS = 2000; // who presses longer does not mean a click
const CLICK = 100; // a click comes this soon after the finger left
const TICK = 15_000;
const SILENCE = 50_000; // an open stream says something every fifteen seconds
const htmx = globalThis.htmx;
const body = document.body;
const lost = document.querySelector("[data-live-lost]");
const still = matchMedia("(prefers-reduced-motion: reduce)");

let source = null;
let asleep = document.visibilityState === "hidden"; // a hidden page has no stream
let lastId = "";
let wantedAt = 0;
let lostAt = null;
let current = Date.now(); // when what is shown was last known to be so
let heardAt = Date.now();
let poll = null;
let patience = null;

// A stream that was closed for good is taken up where it stopped; after a short gap the browser
// itself sends Last-Event-ID.
htmx.createEventSource = (url) => {
  const address = new URL(url, location.href);
  if (lastId) address.searchParams.set("last", lastId);
  source?.close(); // a page shown twice in a second asked for two
  source = new EventSource(address);
  if (asleep) source.close();
  heardAt = Date.now();
  source.addEventListener("alive", () => (heardAt = Date.now()));
  source.addEventListener("message", (message) => {
    lastId = message.lastEventId || lastId;
    wantedAt = performance.now();
    heardAt = Date.now();
  });
  return source;
};

// An error is what the extension connects after.
function connectAnew() {
  source.close();
  source.onerror(new Event("error"));
}

function refresh() {
  wantedAt = performance.now();
  htmx.trigger(body, "live");
}

// In the club's time zone: the reader's computer may have another.
globalThis.clock = (date) => {
  const timeZone = document.querySelector("[data-zone]")?.dataset.zone || undefined;
  return date.toLocaleTimeString("fr-FR", { hour: "2-digit", minute: "2-digit", timeZone });
};

function showLost() {
  if (!lost || !lostAt) return;
  lost.textContent = lost.dataset.text.replace("{time}", clock(lostAt));
  lost.hidden = false;
  body.classList.add("is-cut");
}

function cut() {
  if (asleep || !source) return;
  lostAt ??= new Date(hasSlept() ? current : Date.now());
  patience ??= setTimeout(showLost, POLL); // a short gap says nothing
  poll ??= setInterval(refresh, POLL);
}

function back() {
  clearTimeout(patience);
  clearInterval(poll);
  patience = poll = null;
  const wasCut = lostAt !== null;
  lostAt = null;
  heardAt = Date.now();
  if (lost) lost.hidden = true;
  body.classList.remove("is-cut", "is-long-cut");
  if (wasCut) refresh();
}

// A page that was hidden, or a computer that slept, shows what it knew before.
const hasSlept = () => Date.now() - current > 2 * TICK;

body.addEventListener("htmx:sseOpen", back);
body.addEventListener("htmx:sseError", () => {
  heardAt = Date.now(); // it is refused, so it does not hang: the browser tries again
  cut();
});
body.addEventListener("htmx:sendError", cut);
body.addEventListener("htmx:timeout", refresh);
body.addEventListener("htmx:afterOnLoad", () => (current = Date.now()));
addEventListener("offline", cut);
// A stream that outlived the gap opens no more.
addEventListener("online", () => {
  refresh();
  if (lostAt && !asleep && source.readyState !== EventSource.CLOSED) connectAnew();
});

// A hidden page closes its stream; its return connects.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") {
    asleep = true;
    source?.close();
  } else {
    if (asleep && source?.readyState === EventSource.CLOSED) connectAnew();
    asleep = false;
    refresh();
  }
});
addEventListener("pagehide", () => source?.close());

// After five minutes without news the wall dims. A router that is switched off ends no connection: a
// stream that is silent is cut, though it says that it is open, or goes on connecting.
setInterval(() => {
  if (lostAt && Date.now() - lostAt > 300_000) body.classList.add("is-long-cut");
  if (asleep || !source) return;
  if (source.readyState !== EventSource.CLOSED && Date.now() - heardAt > SILENCE) {
    lostAt ??= new Date(heardAt);
    connectAnew();
  } else if (lostAt) return;
  else if (hasSlept()) refresh();
  else if (source.readyState === EventSource.OPEN) current = Date.now();
}, TICK);

const asked = new Map(); // address -> when it was asked for last
const shown = new Map(); // address -> the fragment as it came last
let before = new Map();
let focus = null;
let folds = [];
let aside = [];
let inView = false;
let state = "";

// A link that is gone at the release is not followed.
let pressedAt = -Infinity;
let refused = false;
addEventListener("pointerdown", () => (pressedAt = performance.now()), true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(released, CLICK), true);

function released() {
  pressedAt = -Infinity;
  if (refused) refresh();
  refused = false;
}

body.addEventListener("htmx:beforeRequest", (event) => {
  asked.set(event.detail.pathInfo.requestPath, performance.now());
});

body.addEventListener("htmx:beforeSwap", (event) => {
  const { target, xhr, pathInfo } = event.detail;
  if (!event.detail.shouldSwap || !target.matches('[hx-trigger^="sse:"]')) return;
  const html = event.detail.serverResponse.trim();
  const moved = new URL(xhr.responseURL).pathname !== new URL(pathInfo.requestPath, location.href).pathname;
  const active = target.contains(document.activeElement) ? document.activeElement : null;
  const pressed = performance.now() - pressedAt < PRESS;
  refused ||= pressed;
  // Never under somebody's fingers, and never the page that asks to sign in.
  if (pressed || moved || active?.matches("input, textarea, select") || shown.get(pathInfo.requestPath) === html) {
    event.detail.shouldSwap = false;
  } else {
    shown.set(pathInfo.requestPath, html);
    event.detail.serverResponse = html;
    before = places(target);
    state = target.dataset.card ?? "";
    focus = active;
    folds = [...target.querySelectorAll("details[open] > summary")];
    aside = [...target.querySelectorAll("[role=region]")].map((region) => [region, region.scrollLeft]);
    inView = active !== null && isInView(active);
  }
  if (lostAt && source?.readyState !== EventSource.OPEN) {
    lostAt = new Date(); // asking works: what we show is this fresh
    if (lost) lost.hidden = true;
  }
});

body.addEventListener("htmx:afterSwap", (event) => {
  if (!event.target.matches('[hx-trigger^="sse:"]')) return;
  for (const fold of folds) again(event.target, fold)?.parentElement.setAttribute("open", "");
  for (const [region, left] of aside) again(event.target, region)?.scrollTo({ left });
  if (focus !== null) takeUp(event.target);
  slide(event.target);
  announce(event.target);
  before = new Map();
  focus = null;
});

// What was wanted while this was on its way, or before it settled, went to an element that is gone.
body.addEventListener("htmx:afterSettle", (event) => {
  if (wantedAt > asked.get(event.detail.pathInfo.requestPath)) htmx.trigger(event.target, "sse:message");
});

// The focus stays on the same link or button; where that is gone, it goes to the card's title.
function takeUp(block) {
  const same = again(block, focus);
  const title = block.querySelector("h2, .empty__title");
  if (!same && title) title.tabIndex = -1;
  (same || title)?.focus({ preventScroll: true });
  if (inView) (same || title)?.scrollIntoView({ block: "nearest" }); // who has scrolled away stays there
}

function isInView(element) {
  const box = element.getBoundingClientRect();
  return box.bottom > 0 && box.top < innerHeight;
}

// A card in a new state is said once to who cannot see it change; the words stand in the card's title.
// What the page answered to the last act was about the state before.
function announce(block) {
  if ((block.dataset.card ?? "") === state) return;
  document.querySelector(".messages")?.remove();
  const words = block.querySelector("h2, .empty__title")?.textContent.replace(/\s+/g, " ").trim();
  const say = document.querySelector("[data-say]");
  if (say && words) say.textContent = words;
}

// What stands in the new block for an element of the old one: what has its id; in its row, what has its
// address or its words; else the first of its kind in that row.
function again(block, element) {
  if (element.id) return block.querySelector(`#${CSS.escape(element.id)}`);
  const row = element.closest("[data-key]");
  const place = row ? block.querySelector(`[data-key="${CSS.escape(row.dataset.key)}"]`) : block;
  const kind = [...(place?.querySelectorAll(element.localName) ?? [])];
  return kind.find((one) => naming(one) === naming(element)) ?? (row && kind[0]) ?? null;
}

function naming(element) {
  return element.getAttribute("href") ?? element.getAttribute("aria-label") ?? element.textContent.replace(/\s+/g, " ").trim();
}

function places(block) {
  const found = new Map();
  for (const row of block.querySelectorAll("[data-key]")) {
    found.set(row.dataset.key, { top: row.getBoundingClientRect().top, text: said(row) });
  }
  return found;
}

// What a row says, without the minutes that pass.
function said(row) {
  const copy = row.cloneNode(true);
  for (const part of copy.querySelectorAll("[data-quiet]")) part.remove();
  return copy.textContent;
}

// First, last, invert, play: a row that moved slides 400 ms; with reduced motion it is only tinted.
function slide(block) {
  for (const row of block.querySelectorAll("[data-key]")) {
    const old = before.get(row.dataset.key);
    if (!old) continue;
    const by = old.top - row.getBoundingClientRect().top;
    if (Math.abs(by) > 1 && !still.matches) {
      row.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], {
        duration: 400,
        easing: "ease-out",
      });
    } else if (old.text !== said(row) || Math.abs(by) > 1) {
      row.classList.add("is-moved");
      setTimeout(() => row.classList.remove("is-moved"), 3000);
    }
  }
}
