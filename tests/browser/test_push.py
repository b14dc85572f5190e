"""A phone says yes, its page is closed, and a message still shows there (E2E of static/js/sw.js)."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.permissions.access import PHONE as SUBSCRIPTION

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]

# No push service can be reached from here: the browser is given a subscription. Its clock is an
# hour early, and the screen lock is counted.
PREPARED = """(given) => {
  const made = { toJSON: () => given, unsubscribe: async () => true };
  let held = null;
  PushManager.prototype.subscribe = async function (wanted) {
    window.wanted = wanted;
    return (held = made);
  };
  PushManager.prototype.getSubscription = async () => held;
  const RealDate = Date, late = 3600e3;
  window.Date = class extends RealDate {
    constructor(...parts) { parts.length ? super(...parts) : super(RealDate.now() + late); }
    static now() { return RealDate.now() + late; }
  };
  const lock = { released: false, release: async () => { lock.released = true; } };
  navigator.wakeLock.request = async () => { window.locked = true; return lock; };
}"""
SHOWN = """navigator.serviceWorker.ready.then((worker) => worker.getNotifications()).then((all) =>
  all.map((one) => [one.title, one.body, one.tag, one.data.url]))"""


def test_a_message_shows_on_a_phone_whose_page_is_closed(window, site):
    page = window("amelie")
    context = page.context
    context.grant_permissions(["notifications"], origin=site)
    keys = {name: SUBSCRIPTION[name] for name in ("p256dh", "auth")}
    given = {"endpoint": SUBSCRIPTION["endpoint"], "keys": keys}
    context.add_init_script(f"({PREPARED})({json.dumps(given)})")
    page.goto("/c/faizers/ma-soiree/")
    page.get_by_role("button", name="Oui, me prévenir").click()
    expect(page.locator("[data-push-words]")).to_have_text(re.compile("C’est fait"))
    assert page.evaluate("wanted.userVisibleOnly") is True
    page.reload()
    expect(page.locator("[data-push]")).to_be_hidden()  # asked once

    # The hour to come is counted on the clock of the site, and the screen stays on meanwhile.
    page.get_by_role("link", name="Saisir le résultat").click()
    page.get_by_label("Votre score").fill("389")
    page.get_by_label("Score de l’adversaire").fill("398")
    page.get_by_role("button", name=re.compile("Envoyer le résultat à")).click()
    expect(page.locator("[data-countdown-time]").first).to_have_text(re.compile(r"^[0-5]:\d\d$"))

    other = context.new_page()
    other.goto("/c/faizers/classement/")
    page.close()
    devtools, workers = context.new_cdp_session(other), {}
    devtools.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda told: workers.update(
            {row["scopeURL"]: row["registrationId"] for row in told["registrations"]}
        ),
    )
    devtools.send("ServiceWorker.enable")
    other.evaluate("navigator.serviceWorker.ready")
    scope = other.evaluate("navigator.serviceWorker.ready.then((worker) => worker.scope)")
    message = {"title": "Table 4", "body": "Karim B.", "tag": "table:4", "url": "/c/faizers/"}
    devtools.send(
        "ServiceWorker.deliverPushMessage",
        {"origin": site, "registrationId": workers[scope], "data": json.dumps(message)},
    )
    other.wait_for_function(f"{SHOWN}.then((all) => all.length > 0)")
    assert other.evaluate(SHOWN) == [["Table 4", "Karim B.", "table:4", "/c/faizers/"]]
