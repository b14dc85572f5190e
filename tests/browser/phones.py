"""A phone that says yes to notifications, and what its service worker shows of a message."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from tests.browser.waiting import until

# No push service can be reached from here: the browser is given a subscription. Its clock is an
# hour early, and the screen lock is counted.
PREPARED = """(given) => {
  const KEPT = "test-subscription";
  const unsubscribe = async () => { localStorage.removeItem(KEPT); return true; };
  const made = { toJSON: () => given, unsubscribe };
  PushManager.prototype.subscribe = async function (wanted) {
    window.wanted = wanted;
    localStorage.setItem(KEPT, "1");
    return made;
  };
  PushManager.prototype.getSubscription = async () => (localStorage.getItem(KEPT) ? made : null);
  const RealDate = Date, late = 3600e3;
  window.Date = class extends RealDate {
    constructor(...parts) { parts.length ? super(...parts) : super(RealDate.now() + late); }
    static now() { return RealDate.now() + late; }
  };
  const lock = { released: false, release: async () => { lock.released = true; } };
  navigator.wakeLock.request = async () => { window.locked = true; return lock; };
}"""
SENDS = 4
SHOWN = """navigator.serviceWorker.ready.then((worker) => worker.getNotifications()).then((all) =>
  all.map((one) => [one.title, one.body, one.tag, one.data.url]))"""


def prepare(page: Any, site: str, subscription: Mapping[str, Any]) -> None:
    """Allow notifications on this phone, whose clock is an hour early."""
    page.context.grant_permissions(["notifications"], origin=site)
    page.context.add_init_script(f"({PREPARED})({json.dumps(subscription)})")
    page.goto("/c/faizers/ma-soiree/")
    page.evaluate("navigator.serviceWorker.ready")


def deliver(page: Any, site: str, message: Mapping[str, Any]) -> list[list[str]]:
    """Hand a message to the phone's service worker; return the notifications that it then shows.

    `page` is any other page of the site that is open on this phone.
    """
    devtools, workers = page.context.new_cdp_session(page), {}
    devtools.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda found: workers.update(
            {row["scopeURL"]: row["registrationId"] for row in found["registrations"]}
        ),
    )
    devtools.send("ServiceWorker.enable")
    scope = page.evaluate("navigator.serviceWorker.ready.then((worker) => worker.scope)")
    for _wait in range(SENDS * 50):  # the browser tells of a new registration by itself
        if scope in workers:
            break
        page.wait_for_timeout(20)
    handed = {"origin": site, "registrationId": workers[scope], "data": json.dumps(message)}
    for _again in range(SENDS):  # of one tag: sent again, it takes the place of the first
        devtools.send("ServiceWorker.deliverPushMessage", handed)
        with suppress(AssertionError):
            until(page, f"{SHOWN}.then((all) => all.length > 0)", tries=50)
            break
    return page.evaluate(SHOWN)
