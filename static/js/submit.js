// A form is sent once; the button keeps its width and says so. <button data-busy="Envoi…" data-typed="asked
// before typed fields are lost">; <form data-many> opts out (filters, downloads).

let button = null; // the last one pressed
let typed = false;
document.addEventListener("input", (event) => (typed ||= event.target.form?.method === "post"));

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || "many" in form.dataset) return;
  button = event.submitter;
  if (form.dataset.sent || (typed && button?.dataset.typed && !confirm(button.dataset.typed))) {
    event.preventDefault();
    return;
  }
  // Signing out is never stopped: sw.js then forgets what this phone keeps.
  if (!navigator.onLine && form.closest("main") && !form.action.endsWith("/logout/")) {
    event.preventDefault();
    stay(form, "unsent");
    return;
  }
  const file = form.querySelector("[type=file]"); // without one, sw.js sends the form
  if (file) form.enctype = file.files[0] ? "multipart/form-data" : "";
  form.dataset.sent = "1";
  if (!button) return;
  button.setAttribute("aria-disabled", "true");
  if (button.dataset.busy) {
    button.style.minWidth = `${button.offsetWidth}px`;
    button.dataset.words = button.innerHTML;
    button.textContent = button.dataset.busy;
  }
});

// Without a network the browser would show its own page, and what was typed would be gone.
function stay(form, why) {
  forget();
  const words = document.querySelector(`[data-${why}]`).content.firstElementChild.cloneNode(true);
  words.setAttribute("role", "alert");
  if (button) (button.closest(".foot-bar")?.firstChild ?? button).before(words);
  else form.append(words);
  words.closest("details")?.setAttribute("open", "");
}

const forget = () => document.querySelector(".unsent")?.remove();
addEventListener("online", forget);

function release(form) {
  delete form.dataset.sent;
  for (const button of form.querySelectorAll("button[aria-disabled]:not([data-refused])")) {
    if (button.dataset.words) button.innerHTML = button.dataset.words;
    delete button.dataset.words;
    button.removeAttribute("aria-disabled");
  }
}

// Back button: the page is still marked as sent.
addEventListener("pageshow", (event) => {
  if (event.persisted) document.querySelectorAll("form[data-sent]").forEach(release);
});
document.addEventListener("form:release", (event) => release(event.target));

// sw.js had no answer for a form.
navigator.serviceWorker?.addEventListener("message", ({ data }) => {
  const form = document.querySelector("form[data-sent]");
  if (!form) return;
  release(form);
  stay(form, data);
});

// htmx sends the form itself: free it with the answer.
document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.target.closest?.("form[data-sent]");
  if (form) release(form);
});

// A refused action says why beside the button; a tap does nothing.
addEventListener("click", (event) => event.target.closest("[data-refused]") && event.preventDefault(), true);
