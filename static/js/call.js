// "À table !": one sound and one vibration when this phone is newly called, if the page is open. The
// first tap anywhere allows the sound; while somebody waits or is called the screen stays on.

const KEY = "called";
let audio = null;
let lock = null;

// A browser lets a page sound only after a tap or a key.
function unlock() {
  try {
    audio ??= new AudioContext();
    audio.resume().then(showSound);
  } catch {
    // no sound on this phone: the words are there
  }
}

function showSound() {
  const line = document.querySelector("[data-sound]");
  if (!line) return;
  const on = audio?.state === "running";
  line.hidden = !("AudioContext" in window) || !awake();
  line.querySelector("[data-sound-on]").hidden = !on;
  line.querySelector("[data-sound-off]").hidden = on;
}

function ring() {
  navigator.vibrate?.([200, 100, 200]);
  if (audio?.state !== "running") return;
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = 660;
  volume.gain.setValueAtTime(0.2, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.6);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.6);
}

function awake() {
  return Boolean(document.querySelector("[data-card][data-screen-on]"));
}

// The browser takes the lock back whenever the page is hidden.
async function keepOn() {
  if (!awake()) {
    await lock?.release();
    lock = null;
  } else if (document.visibilityState === "visible" && (!lock || lock.released)) {
    lock = (await navigator.wakeLock?.request("screen").catch(() => null)) ?? null;
  }
}

function look() {
  const called = document.querySelector("[data-called]")?.dataset.called ?? "";
  if (called && called !== sessionStorage.getItem(KEY)) ring();
  sessionStorage.setItem(KEY, called);
  showSound();
  keepOn();
}

if (navigator.userActivation?.hasBeenActive) unlock();
for (const tap of ["pointerup", "keydown"]) addEventListener(tap, unlock, { once: true });
addEventListener("visibilitychange", keepOn);
look();
document.addEventListener("htmx:afterSwap", look);
