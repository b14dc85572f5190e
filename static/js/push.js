// Notifications: the site asks first, in its own words; the browser's question comes after a yes.
// One subscription is one reader's: on a phone that changed hands it is given up. Without a tap a page
// only renews what the site still has: a device that was stopped, here or elsewhere, stays stopped.

const box = document.querySelector("[data-push]");
const OWNER = "push-reader";
const ADDRESS = "push-address";
const LATER = "push-later";
const A_WEEK = 7 * 86400e3;
const prompts = "pushPrompt" in (box?.dataset ?? {});
const reader = document.body.dataset.reader;
const possible = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
const apple = /iPad|iPhone|iPod/.test(navigator.userAgent) || (/Mac/.test(navigator.platform) && navigator.maxTouchPoints > 1);
const installed = matchMedia("(display-mode: standalone)").matches;

function show(state) {
  let any = false;
  for (const part of box.querySelectorAll("[data-push-state]")) {
    part.hidden = part.dataset.pushState !== state;
    any ||= !part.hidden;
  }
  box.hidden = !any;
}

function say(words) {
  box.querySelector("[data-push-words]").textContent = words;
}

async function post(fields) {
  const token = JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"];
  const answer = await fetch(box.dataset.pushUrl, {
    method: "POST",
    headers: { "X-CSRFToken": token },
    body: new URLSearchParams(fields),
  });
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(told.message ?? "");
  return told;
}

function tell(subscription, more = {}) {
  const { endpoint, keys } = subscription.toJSON();
  return post({ endpoint, ...keys, ...more });
}

function disown() {
  for (const key of [OWNER, ADDRESS]) localStorage.removeItem(key);
  sessionStorage.removeItem(OWNER);
}

async function subscribe() {
  const worker = await navigator.serviceWorker.ready;
  const wanted = { userVisibleOnly: true, applicationServerKey: box.dataset.pushKey };
  let subscription;
  try {
    subscription = await worker.pushManager.subscribe(wanted);
  } catch (refused) {
    const old = await worker.pushManager.getSubscription(); // made with an earlier key of the site
    if (!old) throw refused;
    await old.unsubscribe();
    subscription = await worker.pushManager.subscribe(wanted);
  }
  try {
    await tell(subscription);
  } catch (refused) {
    await subscription.unsubscribe();
    throw refused;
  }
  localStorage.setItem(OWNER, reader);
  localStorage.setItem(ADDRESS, subscription.toJSON().endpoint);
}

async function state() {
  if (!possible) return apple && !installed ? "ios" : "none";
  if (Notification.permission === "denied") return "denied";
  const worker = await navigator.serviceWorker.ready;
  const held = await worker.pushManager.getSubscription();
  const own = localStorage.getItem(OWNER) === reader;
  if (held && !own) await held.unsubscribe();
  if (!own || Notification.permission !== "granted") return "ask";
  const endpoint = localStorage.getItem(ADDRESS) ?? held?.toJSON().endpoint;
  const told = endpoint ? await post({ endpoint, ask: "1" }).catch(() => null) : { wanted: false };
  if (!told) return "on"; // no network: as it was
  if (!told.wanted) {
    disown();
    await held?.unsubscribe();
    return "ask";
  }
  if (!sessionStorage.getItem(OWNER)) {
    await subscribe(); // the push service may have changed the address since
    sessionStorage.setItem(OWNER, "told");
  }
  return "on";
}

async function start() {
  box.querySelector("[data-push-yes]").addEventListener("click", async () => {
    try {
      const answer = await Notification.requestPermission();
      if (answer === "denied") {
        show("denied"); // in the prompt too: the box must not vanish without a word
        box.querySelector('[data-push-state="denied"]').focus();
      }
      if (answer !== "granted") return;
      await subscribe();
      show("on");
      box.hidden = false;
      say(box.querySelector("[data-push-words]").dataset.done);
    } catch (refused) {
      say(refused.message || box.querySelector("[data-push-words]").dataset.failed);
    }
  });
  box.querySelector("[data-push-no]")?.addEventListener("click", async () => {
    disown();
    const worker = await navigator.serviceWorker.ready;
    const held = await worker.pushManager.getSubscription();
    if (held) {
      await tell(held, { forget: "1" }).catch(() => {});
      await held.unsubscribe();
    }
    show("ask");
  });
  // The page that answers gives the browser's own subscription up: it is nobody's any more.
  document.querySelector("[data-push-stop]")?.addEventListener("click", disown);
  for (const button of box.querySelectorAll("[data-push-later]")) {
    button.addEventListener("click", () => {
      localStorage.setItem(LATER, Date.now());
      box.hidden = true;
    });
  }
  const found = await state().catch(() => "ask");
  const later = Date.now() - Number(localStorage.getItem(LATER) ?? 0) < A_WEEK;
  if (prompts && (over() || later || !["ask", "ios"].includes(found))) return;
  show(found);
}

// A table is offered while one may come; the card below is fetched again as the evening goes on.
function over() {
  return Boolean(document.querySelector("[data-card]:not([data-expects-table])"));
}

if (box) start();
if (prompts) document.addEventListener("htmx:afterSwap", () => (box.hidden ||= over()));
