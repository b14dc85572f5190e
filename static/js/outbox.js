// Results kept on this phone, and the way out for them from every page.
//
// entry.js writes an entry to IndexedDB before it sends it; every page tries again, under the entry's
// own reader only. [data-outbox] says how many wait, [data-outbox-sign-in] that one waits for its
// reader.

const RETRY = 10_000;
const PATIENCE = 15_000; // a network that never answers is no network
const STORE = "outbox";
const ALIVE = "/healthz";

function open() {
  return new Promise((done, fail) => {
    const ask = indexedDB.open("club", 1);
    ask.onupgradeneeded = () => ask.result.createObjectStore(STORE, { keyPath: "key" });
    ask.onsuccess = () => done(ask.result);
    ask.onerror = () => fail(ask.error);
  });
}

async function act(mode, work) {
  const base = await open();
  try {
    return await new Promise((done, fail) => {
      const step = base.transaction(STORE, mode);
      const ask = work(step.objectStore(STORE));
      step.oncomplete = () => done(ask.result);
      step.onerror = step.onabort = () => fail(step.error);
    });
  } finally {
    base.close();
  }
}

const change = async (work) => {
  await act("readwrite", work);
  tell();
};
const keep = (entry) => change((store) => store.put(entry));
const drop = (key) => change((store) => store.delete(key));
const reader = () => document.body.dataset.reader;
const stored = () => act("readonly", (store) => store.getAll());
const isOwn = (entry) => (entry.reader ?? reader()) === reader();
// Entries of this reader; the offline page knows no reader and sends nothing.
const kept = async () => (await stored()).filter(isOwn);

function token() {
  return document.querySelector('input[name="csrfmiddlewaretoken"]')?.value ?? "";
}

async function tokenOfNow(entry) {
  const page = await (await fetch(entry.page, { signal: AbortSignal.timeout(PATIENCE) })).text();
  return /name="csrfmiddlewaretoken" value="([^"]+)"/.exec(page)?.[1] ?? "none";
}

// "sent": the server has it. "kept": no network or a tired server, try again. "refused": its answer.
async function send(entry, fresh = "") {
  const body = new URLSearchParams(entry.fields);
  if (fresh || token()) body.set("csrfmiddlewaretoken", fresh || token());
  try {
    const answer = await fetch(entry.url, {
      method: "POST",
      body,
      headers: { "Idempotency-Key": entry.key, "X-Outbox": "1" },
      signal: AbortSignal.timeout(PATIENCE),
    });
    if (answer.status >= 500 || answer.status === 429) return { state: "kept" };
    // The session ended: the entry stays here until its owner has signed in again.
    if (answer.redirected && new URL(answer.url).pathname.includes("/compte/")) {
      return { state: "kept", url: answer.url };
    }
    // Signed in again elsewhere since this page was opened: ask for its token of now, once.
    if (answer.status === 403 && (await answer.clone().text()).includes("data-stale-page")) {
      return fresh ? { state: "kept" } : send(entry, await tokenOfNow(entry));
    }
    if (answer.redirected || answer.status === 204) return { state: "sent", url: answer.url };
    return { state: answer.ok ? "answered" : "refused", answer };
  } catch {
    return { state: "kept" };
  }
}

// What became of each entry; the entry page adds its own way of showing an answer.
const followers = [];
let trying = false;
let signedOut = false; // the site answered the last entry with its sign-in page

async function flush() {
  if (trying || reader() === undefined || !globalThis.indexedDB) return;
  trying = true;
  try {
    for (const entry of await kept()) {
      const here = entry.page === location.pathname;
      if (entry.refused && !here) continue; // its own page shows why
      const result = await send(entry);
      if (result.state !== "kept" || result.url) signedOut = result.state === "kept";
      if (result.state === "sent" || (result.state !== "kept" && here)) await drop(entry.key);
      else if (result.state !== "kept") await keep({ ...entry, refused: true });
      const taken = followers.some((follow) => follow(entry, result));
      if (result.state === "sent" && !taken && document.querySelector("[data-card]")) location.reload();
    }
  } catch {
    // IndexedDB refused (private window): the plain form post is the way left
  } finally {
    trying = false;
  }
  tell();
}

async function tell() {
  const all = await stored().catch(() => []);
  const entries = all.filter(isOwn);
  for (const box of document.querySelectorAll("[data-outbox]")) {
    const waiting = entries.filter((entry) => !entry.refused).length;
    const refused = entries.find((entry) => entry.refused);
    box.hidden = entries.length === 0;
    box.querySelector("[data-outbox-words]").textContent =
      waiting === 0 ? "" : waiting === 1 ? box.dataset.one : box.dataset.many.replace("{n}", waiting);
    const link = box.querySelector("[data-outbox-refused]");
    link.hidden = !refused;
    if (refused) link.href = refused.page;
  }
  const strip = document.querySelector("[data-outbox-sign-in]");
  if (!strip) return;
  const waits = (entry) => !entry.refused && (isOwn(entry) ? signedOut : "visitor" in strip.dataset);
  strip.hidden = !all.some(waits);
  strip.querySelector("a").search = new URLSearchParams({ next: location.pathname + location.search });
}

// A page from the cache, or the offline page: is the site there again?
const isOld = () =>
  "offlinePage" in document.body.dataset || document.querySelector("[data-seen-offline]")?.hidden === false;

async function look() {
  if (!isOld() || document.hidden) return;
  try {
    const alive = await fetch(ALIVE, { cache: "no-store", signal: AbortSignal.timeout(5000) });
    if (!alive.ok) return;
  } catch {
    return;
  }
  await flush();
  location.reload();
}

const again = () => (isOld() ? look() : flush());

addEventListener("online", again);
addEventListener("focus", again);
document.addEventListener("visibilitychange", () => document.hidden || again());
setInterval(again, RETRY);

globalThis.outbox = { RETRY, keep, drop, kept, send, flush, follow: (follower) => followers.push(follower) };
tell();
again();
