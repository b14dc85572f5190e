// "En ligne" / "Hors ligne" in the phone bar; the service worker.

globalThis.net = (online) => {
  for (const box of document.querySelectorAll("[data-net]")) {
    box.querySelector("[data-net-on]").hidden = !online;
    box.querySelector("[data-net-off]").hidden = online;
  }
};
const show = () => globalThis.net(navigator.onLine);

addEventListener("online", show);
addEventListener("offline", show);
show();

// Pages kept for another reader go at once, whoever signed out and however.
async function forgetOthers() {
  if (!("caches" in window) || !(await caches.has("pages"))) return;
  const pages = await caches.open("pages");
  for (const request of await pages.keys()) {
    const held = await pages.match(request);
    if (!held) continue; // taken away meanwhile
    if (held.headers.get("X-Reader") !== document.body.dataset.reader) await pages.delete(request);
  }
}
if (navigator.onLine && "reader" in document.body.dataset) forgetOthers().catch(() => {});

const worker = document.body.dataset.swUrl;
if (worker && "serviceWorker" in navigator) {
  addEventListener("load", () => navigator.serviceWorker.register(worker).catch(() => {}));
}
