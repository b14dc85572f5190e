// The chosen photo's name stands in the button. Without script the browser's own field shows it.

function dress() {
  for (const input of document.querySelectorAll("[data-photo]")) {
    const name = document.querySelector(`label[for="${CSS.escape(input.id)}"] [data-photo-name]`);
    if (!name) continue;
    input.classList.add("hidden-text");
    const words = name.textContent;
    input.addEventListener("change", () => {
      name.textContent = input.files[0]?.name ?? words;
    });
  }
}
dress();
document.addEventListener("replaced", dress); // entry.js put the answered page in place of this one
