// The wall: pages that turn, a clock, full screen, text size, no cursor, a screen that stays on.

const root = document.documentElement;
const TURN = 12_000;
const held = document.querySelector('[data-board="pause"]');

// A name that is hidden, corrected or forgotten is no event of the stream.
const LOOK = 60_000;
setInterval(() => htmx.trigger(document.body, "live"), LOOK);

// Clock, on the server's time.
const clock = document.querySelector("[data-clock]");
const drift = clock ? Date.parse(clock.dataset.serverNow) - Date.now() : 0;
const zone = clock?.dataset.zone || undefined;
function tell() {
  if (!clock) return;
  clock.textContent = new Intl.DateTimeFormat("fr-FR", {
    hour: "2-digit",
    minute: "2-digit",
    timeZone: zone,
  }).format(Date.now() + (drift || 0));
}
tell();
setInterval(tell, 1000);

// Pages: as many rows as fit, at most data-max. [data-pinned] rows, which come first, stand on every
// page while they leave half of it to the others; more of them turn with the rest.
const turns = new Map();
function lay(list) {
  const rows = [...list.children];
  rows.forEach((row) => (row.hidden = false));
  if (!rows.length) return;
  const gap = parseFloat(getComputedStyle(list).rowGap) || 0;
  const tall = rows[0].getBoundingClientRect().height;
  const room = Math.max(1, Math.floor((list.clientHeight + gap + 1) / (tall + gap)));
  const size = Math.min(room, Number(list.dataset.max) || room);
  const urgent = rows.filter((row) => "pinned" in row.dataset);
  const pinned = urgent.length <= size / 2 ? urgent : [];
  const others = rows.filter((row) => !pinned.includes(row));
  const step = size - pinned.length;
  const pages = Math.max(1, Math.ceil(others.length / step));
  const page = (turns.get(list.dataset.pages) ?? 0) % pages;
  rows.forEach((row) => (row.hidden = true));
  [...pinned, ...others.slice(page * step, page * step + step)].forEach((row) => (row.hidden = false));
  const first = pinned.length + page * step + 1;
  const last = Math.min(rows.length, pinned.length + (page + 1) * step);
  report(list, page, pages, pinned.length ? 1 : first, last, rows.length);
}
function report(list, page, pages, first, last, total) {
  const name = list.dataset.pages;
  const range = document.querySelector(`[data-range="${name}"]`);
  if (range) {
    range.textContent = range.dataset.text
      .replace("{first}", first)
      .replace("{last}", last)
      .replace("{total}", total);
  }
  const dots = document.querySelector(`[data-dots="${name}"]`);
  if (!dots) return;
  dots.replaceChildren(
    ...(pages < 2 ? [] : Array.from({ length: pages }, (_, i) => {
      const dot = document.createElement("span");
      dot.classList.toggle("is-on", i === page);
      return dot;
    })),
  );
}
function layAll() {
  document.querySelectorAll("[data-pages]").forEach(lay);
  document.querySelectorAll(".wall-long").forEach(fit);
}
// A long name is printed smaller where its row has no room for it in the usual size: on one line if it can be.
function fit(name) {
  name.classList.remove("is-whole", "is-one-line");
  for (const size of ["is-whole", "is-one-line"]) {
    name.classList.add(size);
    if (name.scrollWidth <= name.clientWidth) return;
    name.classList.remove(size);
  }
}
function turn() {
  for (const list of document.querySelectorAll("[data-pages]")) {
    turns.set(list.dataset.pages, (turns.get(list.dataset.pages) ?? 0) + 1);
  }
  layAll();
}
setInterval(() => held.getAttribute("aria-pressed") === "true" || turn(), TURN);
addEventListener("resize", layAll);
document.addEventListener("htmx:afterSwap", layAll);
document.fonts?.ready.then(layAll);
layAll();

// Time left and minutes played, on the rows: [data-until-short] counts down, [data-since] up.
setInterval(() => {
  const now = Date.now() + (drift || 0);
  for (const box of document.querySelectorAll("[data-until-short]")) {
    const left = Math.max(0, Math.ceil((Date.parse(box.dataset.untilShort) - now) / 1000));
    box.textContent = left ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` : "";
  }
  for (const box of document.querySelectorAll("[data-since]")) {
    box.textContent = String(Math.max(0, Math.floor((now - Date.parse(box.dataset.since)) / 60_000)));
  }
}, 1000);

// Text size, kept on this screen.
const SIZES = 5;
function resize(by) {
  const size = Math.min(SIZES, Math.max(1, Number(root.dataset.size || 2) + by));
  root.dataset.size = String(size);
  try {
    localStorage.setItem("board-size", String(size));
  } catch {
    // a private window forgets; nothing else is lost
  }
  layAll();
}
try {
  root.dataset.size = localStorage.getItem("board-size") ?? root.dataset.size ?? "2";
} catch {
  root.dataset.size ??= "2";
}
layAll();

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else root.requestFullscreen?.().catch(() => {});
}
function hold() {
  held.setAttribute("aria-pressed", String(held.getAttribute("aria-pressed") !== "true"));
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === " " && event.target.closest("button")) return;
  if (event.key === "f" || event.key === "F") fullScreen();
  else if (event.key === "p" || event.key === "P") hold();
  else if (event.key === "+" || event.key === "=") resize(1);
  else if (event.key === "-" || event.key === "\u2212") resize(-1);
  else if (event.key === "ArrowRight" || event.key === " ") turn();
});
for (const button of document.querySelectorAll("[data-board]")) {
  button.addEventListener("click", () => {
    if (button.dataset.board === "full") fullScreen();
    else if (button === held) hold();
    else resize(button.dataset.board === "plus" ? 1 : -1);
  });
}

// The cursor and the buttons leave after four seconds.
let rest;
function wake() {
  document.body.classList.remove("is-resting");
  clearTimeout(rest);
  rest = setTimeout(() => document.body.classList.add("is-resting"), 4000);
}
addEventListener("pointermove", wake);
addEventListener("keydown", wake);
addEventListener("focusin", wake);
wake();

let lock = null;
async function stayOn() {
  if (document.visibilityState !== "visible" || !("wakeLock" in navigator)) return;
  lock = await navigator.wakeLock.request("screen").catch(() => null);
}
document.addEventListener("visibilitychange", stayOn);
stayOn();
