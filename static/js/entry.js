// Score entry: the sentence that follows from two numbers, and a send that survives a dead network.
//
// <form data-entry> holds two inputs [data-score], the box [data-score-live] and optionally
// <template data-offline> ("kept on this phone"). The server answers the same to the same key.

const form = document.querySelector("form[data-entry]");

function number(input) {
  const text = input.value.replace(/\s/g, "").replace("\u2212", "-");
  return /^-?\d{1,4}$/.test(text) ? Number(text) : null;
}

function fill(words, values) {
  return words.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

// Difference of score: Δ / loser × 100, at most 100; a loser at zero or under gives 100.
function difference(mine, theirs) {
  const loser = Math.min(mine, theirs);
  const gap = Math.abs(mine - theirs);
  const share = gap === 0 ? 0 : loser <= 0 ? 100 : Math.min(100, (gap / loser) * 100);
  return share.toLocaleString(document.documentElement.lang || "fr", {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
}

function sentence(box, mine, theirs) {
  const title = box.querySelector("[data-score-title]");
  const detail = box.querySelector("[data-score-detail]");
  const warning = box.querySelector("[data-score-warning]");
  box.hidden = mine === null || theirs === null;
  if (box.hidden) return;
  const n = Math.abs(mine - theirs);
  const words = box.dataset;
  const side = mine > theirs ? "mine" : "theirs";
  const one = n === 1 ? "One" : "";
  title.textContent = n === 0 ? words.draw : fill(words[`${side}Wins${one}`], { n });
  const which = n === 0 ? words.detailDraw : mine > theirs ? words.detailWin : words.detailLoss;
  detail.textContent = fill(which ?? "", { n, ds: difference(mine, theirs) });
  const warnings = [
    words.low && Math.min(mine, theirs) < Number(words.low) && words.under,
    words.high && Math.max(mine, theirs) > Number(words.high) && words.over,
    words.before === `${mine}-${theirs}` && words.repeated,
  ].filter(Boolean);
  warning.hidden = !warnings.length;
  warning.textContent = warnings.join(" ");
}

// live.js, online.js and outbox.js are loaded before.

const { RETRY, keep, drop, kept, send, flush, follow } = globalThis.outbox;

function replacePage(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const main = page.querySelector("main");
  if (!main) return location.reload();
  document.title = page.title;
  document.querySelector("main").replaceWith(main);
  main.querySelector("[data-autofocus]")?.focus();
  document.dispatchEvent(new Event("replaced"));
  const again = main.querySelector("form[data-entry]");
  if (again) enter(again);
}

follow((entry, result) => {
  const here = entry.page === location.pathname;
  if (result.state === "kept") {
    next = Date.now() + RETRY;
  } else if (!here) {
    return false;
  } else if (result.state === "sent") {
    location.assign(result.url);
  } else {
    result.answer.text().then(replacePage);
  }
  return true;
});

let next = 0;
let waitingScreen = null;

function waiting(entry) {
  const template = document.querySelector("template[data-offline]");
  if (!template || waitingScreen) return;
  waitingScreen = template.content.firstElementChild.cloneNode(true);
  const { mine, theirs } = entry.fields;
  const holes = { mine, theirs, time: globalThis.clock(new Date(entry.at)) };
  for (const [name, value] of Object.entries(holes)) {
    for (const hole of waitingScreen.querySelectorAll(`[data-hole="${name}"]`)) hole.textContent = value;
  }
  const won = Number(mine) - Number(theirs);
  waitingScreen.querySelector('[data-side="mine"]')?.classList.toggle("score-card__line--winner", won > 0);
  waitingScreen.querySelector('[data-side="theirs"]')?.classList.toggle("score-card__line--winner", won < 0);
  const shown = document.querySelector("form[data-entry]");
  shown.hidden = true;
  shown.after(waitingScreen);
  waitingScreen.querySelector("[data-retry]")?.addEventListener("click", flush);
  waitingScreen.querySelector("[data-edit]")?.addEventListener("click", () => leave(entry, false));
  waitingScreen.querySelector("[data-delete]")?.addEventListener("click", () => leave(entry, true));
  waitingScreen.querySelector("h2")?.focus();
  globalThis.net(false);
}
async function leave(entry, empty) {
  await drop(entry.key);
  waitingScreen.remove();
  waitingScreen = null;
  globalThis.net(navigator.onLine);
  const shown = document.querySelector("form[data-entry]");
  shown.hidden = false;
  shown.elements.key.value = crypto.randomUUID();
  shown.dispatchEvent(new CustomEvent("form:release", { bubbles: true }));
  if (empty) for (const input of shown.querySelectorAll("[data-score]")) input.value = "";
}
setInterval(() => {
  const hole = waitingScreen?.querySelector('[data-hole="next"]');
  if (hole) hole.textContent = String(Math.max(0, Math.ceil((next - Date.now()) / 1000)));
}, 1000);

function enter(form) {
  const mine = form.querySelector('[data-score="mine"]');
  const theirs = form.querySelector('[data-score="theirs"]');
  const box = form.querySelector("[data-score-live]");
  if (!mine || !theirs) return;

  const redraw = () => {
    if (!box) return;
    sentence(box, number(mine), number(theirs));
    // The warnings were read here: the server need not ask once more.
    form.elements.seen.value = box.hidden ? "" : `${number(mine)}-${number(theirs)}`;
  };
  form.addEventListener("input", redraw);
  redraw();
  // After three digits the next field has the focus where no score has a fourth: 201 to 999 when the
  // highest is 2000. Only for digits typed at the end.
  const high = Number(mine.dataset.high) || 9999;
  let moved = false;
  mine.addEventListener("input", (event) => {
    const whole = /^\d{3}$/.test(mine.value) && Number(mine.value) * 10 > high;
    const typed = event.inputType === "insertText" && mine.selectionStart === mine.value.length;
    moved = Boolean(whole && typed && !theirs.value);
    if (moved) theirs.focus();
  });
  mine.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !theirs.value) {
      event.preventDefault();
      theirs.focus();
    }
  });
  // The key after the third digit finds the focus moved already: no half result, no field left out.
  theirs.addEventListener("keydown", (event) => {
    const enter = event.key === "Enter" && mine.value && !theirs.value;
    const tab = event.key === "Tab" && !event.shiftKey && moved;
    if (enter || tab) event.preventDefault();
    moved = false;
  });

  // A photo is not kept: its form is posted the plain way.
  const files = () => [...form.querySelectorAll('input[type="file"]')].some((input) => input.files.length);
  form.addEventListener("submit", async (event) => {
    if (event.defaultPrevented || files() || !globalThis.indexedDB) return;
    if (event.submitter?.hasAttribute("formaction")) return; // "accord sur ce téléphone" needs the page
    event.preventDefault();
    if (form.dataset.sending) return;
    form.dataset.sending = "1";
    const button = event.submitter;
    const words = button?.innerHTML;
    if (button) {
      button.style.minWidth = `${button.offsetWidth}px`;
      button.setAttribute("aria-disabled", "true");
      if (button.dataset.busy) button.textContent = button.dataset.busy;
    }
    const fields = Object.fromEntries(new FormData(form, button ?? undefined));
    fields.key ||= crypto.randomUUID();
    const entry = { key: fields.key, url: form.action, page: location.pathname, reader: document.body.dataset.reader, fields, at: Date.now() };
    let stored = true;
    try {
      await keep(entry);
    } catch {
      stored = false;
    }
    const result = await send(entry);
    delete form.dataset.sending;
    if (button) {
      button.innerHTML = words;
      button.removeAttribute("aria-disabled");
    }
    if (result.state === "kept") {
      next = Date.now() + RETRY;
      // The session ended: the entry waits on this phone, its page sends it after signing in.
      if (stored && result.url) location.assign(result.url);
      else if (stored) waiting(entry);
      return;
    }
    await drop(entry.key).catch(() => {});
    if (result.state === "sent") location.assign(result.url);
    else replacePage(await result.answer.text());
  });
}

if (form) enter(form);
// A reload with something still kept: show it again, and try at once.
kept()
  .then((entries) => {
    const mine = entries.find((entry) => entry.page === location.pathname);
    if (mine && form) waiting(mine);
    if (entries.length) flush();
  })
  .catch(() => {});
