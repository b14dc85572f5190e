// My evening and my card are read without a network, as they were last seen, by their reader alone
// (docs/decisions/0014). The server (clubs/ui/pwa.py) writes TOLD before this file.

const STATICS = `statics-${TOLD.version}`;
const PAGES = "pages";
const SEEN = "X-Seen";
const PATIENCE = 8000;
const LATEST = 70_000; // the site itself gives up before (deploy/)

self.addEventListener("install", (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(STATICS);
      await cache.addAll([...TOLD.files, TOLD.offline]);
      await self.skipWaiting();
    })(),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys()) {
        if (name.startsWith("statics-") && name !== STATICS) await caches.delete(name);
      }
      await self.clients.claim();
    })(),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin) return;
  if (request.method === "POST" && url.pathname.endsWith("/compte/logout/")) {
    event.waitUntil(Promise.all([caches.delete(PAGES), giveUp()]));
  }
  if (request.method !== "GET") {
    if (isForm(request)) event.respondWith(soon(request, LATEST).catch(unanswered));
    return;
  }
  if (request.mode === "navigate") event.respondWith(navigate(request, url.pathname));
  else if (isKept(url.pathname, TOLD.fragment)) event.respondWith(fragment(request, url.pathname));
  else if (url.pathname.startsWith(TOLD.statics)) event.respondWith(file(request));
});

// After signing out, what is sent to the last reader must not show here.
async function giveUp() {
  const held = await self.registration.pushManager?.getSubscription();
  await held?.unsubscribe();
}

// Without words that can be read, the name of the site alone.
self.addEventListener("push", (event) => {
  let told = {};
  try {
    told = event.data.json();
  } catch {
    // empty: the page has the words
  }
  event.waitUntil(
    self.registration.showNotification(told.title ?? TOLD.name, {
      body: told.body ?? "",
      tag: told.tag ?? "",
      renotify: Boolean(told.tag),
      icon: TOLD.icon,
      data: { url: told.url ?? TOLD.evening },
      vibrate: [200, 100, 200],
    }),
  );
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const url = new URL(event.notification.data?.url ?? TOLD.evening, location.origin);
  if (url.origin !== location.origin) return;
  event.waitUntil(
    (async () => {
      const open = await self.clients.matchAll({ type: "window" });
      const same = open.find((page) => new URL(page.url).pathname === url.pathname);
      if (same) return same.focus();
      return self.clients.openWindow(url.href);
    })(),
  );
});

// The site's own worker may stand before a club's pages until the club's own is there: both keep them.
function isKept(path, page) {
  const tail = page.slice(TOLD.base.length);
  return path.endsWith(tail) && /^(\/c\/[^/]+)?$/.test(path.slice(0, -tail.length));
}

async function navigate(request, path) {
  const kept = isKept(path, TOLD.evening) || isKept(path, TOLD.card);
  let answer;
  try {
    answer = await (kept ? soon(request, PATIENCE) : fetch(request));
  } catch {
    const seen = kept && ((await lastSeen(path)) ?? (await elsewhere(path)));
    return seen || nothing();
  }
  if (kept && answer.status < 500) await keep(path, answer);
  return answer;
}

// Of this site: of another one's form the server must see where it comes from. Safari may lose files here.
const isForm = ({ mode, referrer, headers }) =>
  mode === "navigate" &&
  referrer.startsWith(`${location.origin}/`) &&
  /urlencoded/.test(headers.get("Content-Type"));

// After a 204 the browser keeps the page; submit.js says why.
async function unanswered() {
  for (const page of await self.clients.matchAll()) page.postMessage("unanswered");
  return new Response(null, { status: 204 });
}

async function fragment(request, path) {
  const answer = await fetch(request);
  if (answer.status < 500) await keep(path, answer);
  return answer;
}

// A network that never answers is no network.
function soon(request, patience) {
  return new Promise((resolve, reject) => {
    setTimeout(reject, patience);
    fetch(request).then(resolve, reject);
  });
}

async function keep(path, answer) {
  const cache = await caches.open(PAGES);
  if (answer.type === "opaqueredirect") return void (await cache.delete(path)); // the next page says who reads
  const reader = answer.headers.get("X-Reader") ?? "";
  for (const old of await cache.keys()) {
    const held = await cache.match(old);
    if (held && held.headers.get("X-Reader") !== reader) await cache.delete(old);
  }
  if (!answer.ok || answer.redirected || !reader) {
    await cache.delete(path);
    return;
  }
  const headers = new Headers(answer.headers);
  headers.set(SEEN, new Date().toISOString());
  await cache.put(path, new Response(await answer.clone().text(), { headers }));
}

// The page as it was, with the newer card and the hour it was seen. What counts down went on since.
async function lastSeen(path) {
  const cache = await caches.open(PAGES);
  const held = await cache.match(path);
  if (!held) return null;
  let html = await held.text();
  let seen = held.headers.get(SEEN);
  const card = isKept(path, TOLD.evening) && (await cache.match(path + TOLD.fragment.slice(TOLD.evening.length)));
  if (card && card.headers.get(SEEN) > seen) {
    const [head, rest] = html.split("<!--card-->");
    const foot = rest?.split("<!--/card-->")[1];
    if (foot !== undefined) {
      html = `${head}<!--card-->${await card.text()}<!--/card-->${foot}`;
      seen = card.headers.get(SEEN);
    }
  }
  const gone = Date.now() - Date.parse(seen);
  const later = (_, name, then) => name + new Date(Date.parse(then) + gone).toISOString();
  html = html.replace(/(data-server-now=")([^"]+)/g, later);
  html = html.replace("data-seen-offline hidden", "data-seen-offline").replace("{seen}", hour(new Date(seen)));
  return new Response(html, { headers: held.headers });
}

// A short address, as on a home screen, stands for the same page of the one club.
async function elsewhere(path) {
  const cache = await caches.open(PAGES);
  const found = (await cache.keys()).map((held) => new URL(held.url)).find((url) => url.pathname.endsWith(path));
  return found && found.pathname !== path ? Response.redirect(found.href, 302) : null;
}

function hour(date) {
  const two = (number) => String(number).padStart(2, "0");
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const today = date.toDateString() === new Date().toDateString();
  return today ? clock : `${two(date.getDate())}/${two(date.getMonth() + 1)}, ${clock}`;
}

async function nothing() {
  const page = await caches.match(TOLD.offline);
  if (!page) return Response.error();
  return new Response(page.body, { status: 503, headers: page.headers });
}

// Names with a hash never change; where they have none, the network comes first.
async function file(request) {
  if (TOLD.hashed) return (await caches.match(request)) ?? fetch(request);
  try {
    return await fetch(request);
  } catch {
    return (await caches.match(request)) ?? Response.error();
  }
}
