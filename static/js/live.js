// What happens elsewhere shows here within two seconds.
// <body data-live-url> is an event stream; each message becomes a DOM event "live" on document
// and every [data-live-src] is fetched again and put in place. When the stream is cut, a strip
// says since when, the page asks every ten seconds, and the stream is taken up again where it
// stopped (the browser sends Last-Event-ID; we send ?last= after a hard failure).

const POLL = 10_000;
const address = document.body.dataset.liveUrl;
const lost = document.querySelector("[data-live-lost]");
const still = matchMedia("(prefers-reduced-motion: reduce)");

let source = null;
let lastId = "";
let lostAt = null;
let retry = null;
let poll = null;
let patience = null;

function clock(date) {
  return `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
}

function showLost() {
  if (!lost || !lostAt) return;
  lost.textContent = lost.dataset.text.replace("{time}", clock(lostAt));
  lost.hidden = false;
  document.body.classList.add("is-cut");
}

function cut() {
  lostAt ??= new Date();
  patience ??= setTimeout(showLost, POLL); // a short gap says nothing
  poll ??= setInterval(() => refresh(), POLL);
  source?.close();
  source = null;
  clearTimeout(retry);
  retry = setTimeout(connect, 4000 + Math.random() * 2000);
}

function back() {
  clearTimeout(patience);
  clearInterval(poll);
  patience = poll = null;
  const wasCut = lostAt !== null;
  lostAt = null;
  if (lost) lost.hidden = true;
  document.body.classList.remove("is-cut", "is-long-cut");
  if (wasCut) refresh();
}

function connect() {
  if (!address || source || document.visibilityState === "hidden") return;
  clearTimeout(retry);
  const url = new URL(address, location.href);
  if (lastId) url.searchParams.set("last", lastId);
  source = new EventSource(url);
  source.onopen = back;
  source.onerror = cut;
  source.onmessage = heard;
  for (const name of (document.body.dataset.liveEvents ?? "").split(" ").filter(Boolean)) {
    source.addEventListener(name, heard);
  }
}

function heard(message) {
  if (message.lastEventId) lastId = message.lastEventId;
  let data = message.data;
  try {
    data = JSON.parse(message.data);
  } catch {
    // a plain word is fine too
  }
  document.dispatchEvent(
    new CustomEvent("live", { detail: { type: message.type, data, id: message.lastEventId } }),
  );
  later(data?.kind);
}

// Several events at once ask for one refresh, and a hundred phones do not ask in the same instant.
// <… data-live-on="result check_in"> only follows events of these kinds.
let waiting = null;
let kinds = new Set();
function later(kind) {
  kinds.add(kind);
  waiting ??= setTimeout(() => {
    const heardKinds = kinds;
    waiting = null;
    kinds = new Set();
    refresh(heardKinds);
  }, 100 + Math.random() * 300);
}

const running = new Set();
function refresh(only) {
  for (const block of document.querySelectorAll("[data-live-src]")) {
    const wanted = block.dataset.liveOn?.split(" ");
    if (!wanted || !only || only.has(undefined) || wanted.some((kind) => only.has(kind))) replace(block);
  }
}

async function replace(block) {
  const url = block.dataset.liveSrc;
  if (running.has(url)) {
    running.add(`${url}#again`);
    return;
  }
  // Never under somebody's fingers: a form being filled waits.
  if (block.contains(document.activeElement) && document.activeElement.matches("input, textarea, select")) return;
  running.add(url);
  try {
    const answer = await fetch(url, { headers: { "X-Live": "1" }, credentials: "same-origin" });
    if (answer.status === 204 || !answer.ok || answer.redirected) return;
    const box = document.createElement("template");
    box.innerHTML = (await answer.text()).trim();
    const fresh = box.content.firstElementChild;
    if (!fresh || !block.isConnected || fresh.outerHTML === block.dataset.liveLast) return;
    put(block, fresh);
    if (lostAt && !source) {
      lostAt = new Date(); // polling works: what we show is this fresh
      if (lost) lost.hidden = true;
    }
  } catch {
    if (!lostAt && address) cut();
  } finally {
    running.delete(url);
    if (running.delete(`${url}#again`)) later();
  }
}

function put(block, fresh) {
  const focus = block.contains(document.activeElement) ? spot(document.activeElement) : null;
  const before = places(block);
  fresh.dataset.liveLast = fresh.outerHTML;
  block.replaceWith(fresh);
  globalThis.htmx?.process(fresh);
  if (focus) fresh.querySelector(focus)?.focus({ preventScroll: true });
  slide(fresh, before);
  fresh.dispatchEvent(new CustomEvent("live:replaced", { bubbles: true }));
}

function spot(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const row = element.closest("[data-key]");
  const name = element.tagName.toLowerCase();
  if (row) return `[data-key="${CSS.escape(row.dataset.key)}"] ${name}`;
  return element.getAttribute("href") ? `${name}[href="${CSS.escape(element.getAttribute("href"))}"]` : null;
}

function places(block) {
  const found = new Map();
  for (const row of block.querySelectorAll("[data-key]")) {
    found.set(row.dataset.key, { top: row.getBoundingClientRect().top, text: row.textContent });
  }
  return found;
}

// First, last, invert, play: a row that moved slides 400 ms; with reduced motion it is only tinted.
function slide(block, before) {
  for (const row of block.querySelectorAll("[data-key]")) {
    const old = before.get(row.dataset.key);
    if (!old) continue;
    const by = old.top - row.getBoundingClientRect().top;
    if (Math.abs(by) > 1 && !still.matches) {
      row.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], {
        duration: 400,
        easing: "ease-out",
      });
    } else if (old.text !== row.textContent || Math.abs(by) > 1) {
      row.classList.add("is-moved");
      setTimeout(() => row.classList.remove("is-moved"), 3000);
    }
  }
}

// After five minutes without news the wall dims.
setInterval(() => {
  if (lostAt && Date.now() - lostAt > 300_000) document.body.classList.add("is-long-cut");
}, 15_000);

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") {
    source?.close();
    source = null;
    return;
  }
  connect();
  refresh();
});
addEventListener("online", () => {
  connect();
  refresh();
});
addEventListener("offline", cut);
addEventListener("pagehide", () => source?.close());
document.addEventListener("live:refresh", () => later());
connect();
