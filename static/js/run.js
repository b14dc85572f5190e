// A run that is going: its progress is fetched every second; the page is loaded again at its end.
const place = document.querySelector("[data-run-src][data-run-open]");

async function look() {
  try {
    const answer = await fetch(place.dataset.runSrc, { headers: { "X-Requested-With": "fetch" } });
    if (answer.ok) {
      const holder = document.createElement("template");
      holder.innerHTML = await answer.text();
      const state = holder.content.querySelector("[data-run-state]")?.dataset.runState;
      if (state !== "waiting" && state !== "running") {
        window.location.reload();
        return;
      }
      place.replaceChildren(holder.content);
    }
  } catch {
    // The network is away: the next look will tell.
  }
  window.setTimeout(look, 1000);
}

if (place) window.setTimeout(look, 1000);
