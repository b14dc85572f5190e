// A chosen photo is made small before it leaves, as the site keeps it: what phones take now has more
// megabytes than the site accepts, or a format that only the phone reads. Its name stands in the button.
// Without script the browser's own field shows it and the file is sent as it is.

const SIDE = 1600;
const SMALL = 500_000; // a guest without an account may send 1 MB in all
const READ = ["image/jpeg", "image/png", "image/webp"];

async function smaller(file) {
  if (file.size <= SMALL && READ.includes(file.type)) return file;
  const picture = await createImageBitmap(file); // upright: the browser turns it as the camera says
  const scale = Math.min(1, SIDE / Math.max(picture.width, picture.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  const pen = canvas.getContext("2d");
  pen.imageSmoothingQuality = "high";
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const made = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.8));
  return new File([made], `${file.name.replace(/\.\w+$/, "")}.jpg`, { type: "image/jpeg" });
}

async function shrink(input) {
  const file = input.files[0];
  if (!file) return;
  try {
    const small = await smaller(file);
    if (small === file || input.files[0] !== file) return; // another one was chosen meanwhile
    const list = new DataTransfer();
    list.items.add(small);
    input.files = list.files;
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
