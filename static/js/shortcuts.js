// Keyboard shortcuts of the arbiter's pages. <a data-key-shortcut="g"> or <button …>;
// "?" opens <dialog data-shortcuts> or <details data-shortcuts>.

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  if (event.key === "?") {
    const help = document.querySelector("[data-shortcuts]");
    if (!help) return;
    event.preventDefault();
    if (help.localName === "dialog") help.open ? help.close() : help.showModal();
    else help.open = !help.open;
    return;
  }
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const target = document.querySelector(`[data-key-shortcut="${CSS.escape(key)}"]`);
  if (!target) return;
  event.preventDefault();
  target.focus();
  if (!target.matches("input, textarea, select")) target.click();
});
