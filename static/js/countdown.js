// Counts on the server's clock: data-server-now says what time it was there when the page left.
// Four sentences are spoken: 2 min, 1 min, 30 s, end.

const RING = 100;
const A_MOMENT = 1000;

function start(box) {
  if (box.dataset.started) return;
  box.dataset.started = "1";
  const until = Date.parse(box.dataset.until);
  const began = Date.parse(box.dataset.serverNow);
  const total = Number(box.dataset.total) * 1000 || until - began;
  const time = box.querySelector("[data-countdown-time]");
  const arc = box.querySelector(".countdown__arc");
  const say = box.querySelector("[data-countdown-say]");
  if (Number.isNaN(until) || Number.isNaN(began)) return;

  // performance.now() may sleep with the phone; the wall clock does not, but may be set wrong.
  // Their differences since the page came are both durations: the longer one is the true one,
  // unless somebody moved the clock by hours meanwhile.
  const monotonic = performance.now();
  const wall = Date.now();
  function serverNow() {
    const slept = Date.now() - wall;
    const counted = performance.now() - monotonic;
    return began + (slept > counted && slept < 6 * 3600e3 ? slept : counted);
  }

  const steps = [120, 60, 30, 0].filter((second) => second * 1000 < until - serverNow());
  function tick() {
    if (!box.isConnected) return;
    const left = Math.max(0, until - serverNow());
    const seconds = Math.ceil(left / 1000);
    if (time) time.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    arc?.setAttribute("stroke-dasharray", `${((left / total) * RING).toFixed(2)} ${RING}`);
    let spoken = null;
    while (steps.length && seconds <= steps[0]) spoken = steps.shift();
    if (spoken !== null && say) say.textContent = box.dataset[`say-${spoken}`];
    if (left > 0) setTimeout(tick, 1000 - ((serverNow() - until) % 1000 + 1000) % 1000 || 1000);
    else {
      box.classList.add("countdown--over");
      if (until > began) setTimeout(readAgain, A_MOMENT, box); // never in a circle
    }
  }
  tick();
}

// A page that can do nothing more once the time is over is fetched again: it says what became of it.
function readAgain(box) {
  if (!("again" in box.dataset) || document.querySelector("form[data-sent]")) return;
  if (navigator.onLine) location.replace(location.pathname + location.search);
  else addEventListener("online", () => readAgain(box), { once: true });
}

const startAll = () => document.querySelectorAll("[data-countdown]").forEach(start);
startAll();
document.addEventListener("htmx:afterSwap", startAll);
