// Keyboard of the arbiter's evening. data-key-shortcut="a" on what a key reaches: a link opens, a
// <details> opens at its first field, a button or a list takes the focus: no single key changes
// anything. ↑ and ↓ walk through a [data-key-list]. "?" opens [data-shortcuts], where a box switches
// the keys off (WCAG 2.1.4).

const STORED = "shortcuts";
const FIELDS = "input, textarea, select, [contenteditable]";
const REACHED = "a[href], button:not([disabled])";
const help = document.querySelector("[data-shortcuts]");
const box = document.querySelector("[data-shortcuts-switch]");

let on = stored() !== "off";

function stored() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null; // no storage: the keys work, and the box holds for this page
  }
}

// The hints are shown by the style sheet; screen readers are told by the attribute.
function show() {
  document.documentElement.dataset.keys = on ? "on" : "off";
  for (const element of document.querySelectorAll("[data-key-shortcut]")) {
    if (on) element.setAttribute("aria-keyshortcuts", element.dataset.keyShortcut);
    else element.removeAttribute("aria-keyshortcuts");
  }
}

function reach(target) {
  if (target.localName === "details") {
    target.open = true;
    (target.querySelector("form :is(input:not([type=hidden]), select, textarea)") ?? target.firstElementChild).focus();
    return;
  }
  const element = target.matches(REACHED) ? target : target.querySelector(REACHED);
  element?.focus();
  if (element === target && target.localName === "a") target.click();
}

function step(list, by) {
  const stops = [...list.querySelectorAll(REACHED)];
  stops[stops.indexOf(document.activeElement) + by]?.focus();
}

if (box) {
  box.checked = on;
  box.closest("[hidden]")?.removeAttribute("hidden");
  box.addEventListener("change", () => {
    on = box.checked;
    try {
      localStorage.setItem(STORED, on ? "on" : "off");
    } catch {}
    show();
  });
}
show();
document.body.addEventListener("htmx:afterSwap", show);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
  if (event.repeat || event.target.closest(FIELDS)) return;
  const list = event.target.closest("[data-key-list]");
  if (list && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    step(list, event.key === "ArrowDown" ? 1 : -1);
    return;
  }
  if (!on) return;
  if (event.key === "?" && help) {
    event.preventDefault();
    help.open = !help.open;
    if (help.open) help.querySelector("summary").focus();
    return;
  }
  const target = document.querySelector(`[data-key-shortcut="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!target) return;
  event.preventDefault();
  reach(target);
});
