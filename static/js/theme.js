// Theme at once, menus that close, the tab of this page in sight. Without script the same buttons post to the server.

const root = document.documentElement;

function paint(theme) {
  root.dataset.theme = theme;
  for (const button of document.querySelectorAll('button[name="theme"]')) {
    button.setAttribute("aria-pressed", String(button.value === theme));
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest('button[name="theme"]');
  if (button) {
    event.preventDefault();
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `theme=${button.value}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
    paint(button.value);
    const to = button.getAttribute("formaction");
    if (to) {
      // The person's setting follows to other devices; the page does not wait for it.
      const body = new FormData(button.form, button);
      fetch(to, { method: "POST", body, redirect: "manual" }).catch(() => {});
    }
    close(button.closest("details.menu"));
    return;
  }
  leave(event);
});

// A menu closes when a tap or the focus goes elsewhere: it would cover what has the focus.
function leave(event) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.removeAttribute("open");
  }
}
document.addEventListener("focusin", leave);

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close(document.querySelector("details.menu[open]"));
});

// The focus goes back to what opened the menu, not to the top of the page.
function close(menu) {
  menu?.removeAttribute("open");
  menu?.querySelector("summary").focus();
}

// More tabs than fit are pushed sideways: that of this page is in sight, the page itself stays.
for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
  const list = tab.closest(".tabs");
  list.scrollLeft = tab.offsetLeft - list.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2;
}

// The error summary takes the focus, so that it is read first.
const errors = document.querySelector("[data-autofocus]");
errors?.focus();
// An address with a #part takes the focus away again once the page has loaded.
if (errors && location.hash) addEventListener("load", () => setTimeout(() => errors.focus()));
