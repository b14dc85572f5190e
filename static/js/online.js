// "En ligne" / "Hors ligne" in the phone bar; the service worker.

function show() {
  const online = navigator.onLine;
  for (const box of document.querySelectorAll("[data-net]")) {
    box.querySelector("[data-net-on]").hidden = !online;
    box.querySelector("[data-net-off]").hidden = online;
  }
}

addEventListener("online", show);
addEventListener("offline", show);
show();

const worker = document.body.dataset.swUrl;
if (worker && "serviceWorker" in navigator) {
  addEventListener("load", () => navigator.serviceWorker.register(worker).catch(() => {}));
}
