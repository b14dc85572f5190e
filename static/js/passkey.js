// A key that fails says so in the page; without keys in this browser, their button stays hidden.

if (window.PublicKeyCredential) {
  for (const button of document.querySelectorAll("[data-passkey]")) button.hidden = false;
}

document.addEventListener("allauth.error", () => {
  for (const words of document.querySelectorAll("[data-passkey-failed]")) words.hidden = false;
});
