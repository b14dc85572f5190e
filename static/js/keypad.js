// Four boxes and a digit pad over one plain input, which stays the field that is sent.

function build(pad) {
  const input = pad.querySelector(".keypad__input");
  const boxes = pad.querySelector(".keypad__boxes");
  const keys = pad.querySelector(".keypad__keys");
  const say = pad.querySelector("[data-keypad-say]");
  const show = keys.querySelector("[data-show]");
  const length = Number(pad.dataset.length) || 4;
  const cells = Array.from({ length }, () => boxes.appendChild(document.createElement("span")));
  let shown = false;

  boxes.hidden = keys.hidden = false;
  // The real field stays reachable for a keyboard and for a screen reader, out of sight.
  input.classList.add("hidden-text");
  input.inputMode = "none";

  function draw() {
    input.value = input.value.replace(/\D/g, "").slice(0, length);
    cells.forEach((cell, i) => {
      const digit = input.value[i];
      cell.textContent = digit === undefined ? "" : shown ? digit : "•";
      cell.classList.toggle("is-next", i === input.value.length);
    });
  }
  function changed() {
    draw();
    if (say) say.textContent = say.dataset.text.replace("{n}", input.value.length);
    if (input.value.length === length) input.form.requestSubmit();
  }

  keys.addEventListener("click", (event) => {
    const key = event.target.closest("button");
    if (!key) return;
    if (key.dataset.digit !== undefined && input.value.length < length) {
      input.value += key.dataset.digit;
      changed();
    } else if ("erase" in key.dataset) {
      input.value = input.value.slice(0, -1);
      draw();
    } else if (key === show) {
      shown = !shown;
      [show.textContent, show.dataset.hideText] = [show.dataset.hideText, show.textContent];
      draw();
    }
  });
  input.addEventListener("input", changed);
  draw();
}

document.querySelectorAll("[data-keypad]").forEach(build);
