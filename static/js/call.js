// "À table !": one sound and one vibration when this phone is newly called, if the page is open.

const KEY = "called";

function ring() {
  navigator.vibrate?.([200, 100, 200]);
  try {
    const context = new AudioContext();
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.frequency.value = 660;
    volume.gain.setValueAtTime(0.2, context.currentTime);
    volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + 0.6);
    tone.connect(volume).connect(context.destination);
    tone.start();
    tone.stop(context.currentTime + 0.6);
  } catch {
    // no sound allowed before a tap: the words are there
  }
}

function look() {
  const called = document.querySelector("[data-called]")?.dataset.called ?? "";
  if (called && called !== sessionStorage.getItem(KEY)) ring();
  sessionStorage.setItem(KEY, called);
}

look();
document.addEventListener("htmx:afterSwap", look);
