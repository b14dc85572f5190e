// A photo leaves as small as the site keeps it: a phone's own has too many megabytes, or a format of its
// own. Its name stands in the button. Without script the browser's own field shows it.

const SIDE = 1600;
const SMALL = 500_000; // a guest without an account may send 1 MB in all

async function smaller(file) {
  const picture = await createImageBitmap(file); // upright, as the camera says
  const scale = Math.min(1, SIDE / Math.max(picture.width, picture.height));
  const canvas = new OffscreenCanvas(picture.width * scale, picture.height * scale);
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  const made = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.8 });
  return new File([made], "photo.jpg", { type: made.type });
}

async function shrink(input) {
  const file = input.files[0];
  if (!file || (file.size <= SMALL && /jpeg|png|webp/.test(file.type))) return;
  try {
    const list = new DataTransfer();
    list.items.add(await smaller(file));
    if (input.files[0] === file) input.files = list.files; // no other was chosen meanwhile
  } catch {
    // not a photo that this browser reads: the site answers
  }
}

function dress() {
  for (const input of document.querySelectorAll("[data-photo]")) {
    const name = document.querySelector(`label[for="${CSS.escape(input.id)}"] [data-photo-name]`);
    if (!name) continue;
    input.classList.add("hidden-text");
    const words = name.textContent;
    input.addEventListener("change", () => {
      name.textContent = input.files[0]?.name ?? words;
      shrink(input);
    });
  }
}
dress();
document.addEventListener("replaced", dress); // entry.js put the answered page in place of this one
