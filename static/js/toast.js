// What can be taken back: its button stays ten seconds, longer under a finger or the keyboard.

const STAY = 10_000;

for (const toast of document.querySelectorAll("[data-undo]")) {
  let timer = null;
  const leave = () => {
    if (toast.matches(":hover, :focus-within")) wait();
    else toast.querySelector("form")?.remove();
  };
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(leave, STAY);
  };
  toast.addEventListener("focusout", wait);
  toast.addEventListener("pointerleave", wait);
  wait();
}
