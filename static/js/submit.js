// A form is sent once: a second tap changes nothing, the button keeps its width and says so.
// <button data-busy="Envoi…">; <form data-many> opts out (filters, searches, downloads).

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || "many" in form.dataset) return;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  // Signing out is never stopped: sw.js then forgets what this phone keeps.
  if (!navigator.onLine && form.closest("main") && !form.action.endsWith("/logout/")) {
    event.preventDefault();
    stay(form, event.submitter);
    return;
  }
  form.dataset.sent = "1";
  const button = event.submitter;
  if (!button) return;
  button.setAttribute("aria-disabled", "true");
  if (button.dataset.busy) {
    button.style.minWidth = `${button.offsetWidth}px`;
    button.dataset.words = button.innerHTML;
    button.textContent = button.dataset.busy;
  }
});

// Without a network the browser would show a page of its own, and what was typed would be gone.
function stay(form, button) {
  forget();
  const words = document.querySelector("[data-unsent]").content.firstElementChild.cloneNode(true);
  words.setAttribute("role", "alert");
  if (button) (button.closest(".foot-bar")?.firstChild ?? button).before(words);
  else form.append(words);
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

// Back button: the page comes out of the browser's memory, still marked as sent.
addEventListener("pageshow", (event) => {
  if (event.persisted) document.querySelectorAll("form[data-sent]").forEach(release);
});
document.addEventListener("form:release", (event) => release(event.target));

// htmx sends the form itself: free it when the answer is there.
document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.target.closest?.("form[data-sent]");
  if (form) release(form);
});

// A refused action explains itself beside the button; a tap does nothing.
document.addEventListener(
  "click",
  (event) => {
    if (event.target.closest("[data-refused]")) event.preventDefault();
  },
  true,
);
