"""A phone says yes, its page is closed, and a message still reaches it, encrypted end to end."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ROOT, told
from tests.push_server import push_server

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]

# No push service can be reached here: the browser is given a subscription on our own.
SUBSCRIBED = """(given) => {
  let held = null;
  const made = { toJSON: () => given, unsubscribe: async () => { held = null; return true; } };
  PushManager.prototype.subscribe = async function (wanted) {
    window.wanted = wanted;
    return (held = made);
  };
  PushManager.prototype.getSubscription = async () => held;
}"""
CALLED = """
from datetime import timedelta
from django.utils import timezone
from clubs.notifications import push
from clubs.notifications.models import PushSubscription
at = timezone.now()
words = push.Words(link="http://x/c/faizers/ma-soiree/", until=at + timedelta(hours=1),
                   context={"table": 4, "other": "Karim B.", "until": at})
to = PushSubscription.objects.values_list("member", flat=True)
push.post(to=to, kind=push.Kind.TABLE, key="table:4", at=at, words=lambda reader: words)
print(push.sweep(at=at))
"""


@pytest.fixture(autouse=True)
def loopback(monkeypatch):
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "tests.push_settings")


def run(folder: Any, code: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", code],
        cwd=ROOT,
        env=told(folder),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_a_message_reaches_a_phone_whose_page_is_closed(window, site, tmp_path):
    with push_server() as server:
        phone = server.browser()
        page = window("amelie")
        context = page.context
        context.grant_permissions(["notifications"], origin=site)
        context.add_init_script(f"({SUBSCRIBED})({json.dumps(phone.subscription)})")
        devtools = context.new_cdp_session(page)
        registrations: dict[str, str] = {}
        devtools.on(
            "ServiceWorker.workerRegistrationUpdated",
            lambda told: registrations.update(
                {row["scopeURL"]: row["registrationId"] for row in told["registrations"]}
            ),
        )
        devtools.send("ServiceWorker.enable")
        page.goto("/c/faizers/ma-soiree/")
        expect(page.get_by_text("Vous prévenir quand votre table est prête ?")).to_be_visible()
        page.get_by_role("button", name="Oui, me prévenir").click()
        expect(page.locator("[data-push-words]")).to_have_text(
            "C’est fait : cet appareil vous prévient."
        )
        assert page.evaluate("window.wanted.userVisibleOnly") is True
        page.reload()
        expect(page.locator("[data-push]")).to_be_hidden()  # asked once

        elsewhere = context.new_page()
        elsewhere.goto("/c/faizers/classement/")
        other = context.new_cdp_session(elsewhere)
        other.send("ServiceWorker.enable")
        page.close()

        assert run(tmp_path / "site", CALLED).strip().endswith("1")
        [message] = phone.messages()
        assert "Table 4" in message["title"] and message["url"] == "/c/faizers/ma-soiree/"
        [club] = [number for scope, number in registrations.items() if scope.endswith("/faizers/")]
        other.send(
            "ServiceWorker.deliverPushMessage",
            {"origin": site, "registrationId": club, "data": json.dumps(message)},
        )
        elsewhere.wait_for_function(
            "navigator.serviceWorker.ready.then((w) => w.getNotifications()).then((n) => n.length)"
        )
        shown = elsewhere.evaluate(
            "navigator.serviceWorker.ready.then((w) => w.getNotifications())"
            ".then((n) => n.map((one) => [one.title, one.body, one.tag, one.data.url]))"
        )
        assert shown == [[message["title"], message["body"], "table:4", message["url"]]]


def test_the_question_can_be_put_off_and_stays_away(window):
    page = window("amelie")
    page.goto("/c/faizers/ma-soiree/")
    page.get_by_role("button", name="Plus tard").click()
    expect(page.locator("[data-push]")).to_be_hidden()
    page.reload()
    page.wait_for_load_state("networkidle")
    expect(page.locator("[data-push]")).to_be_hidden()


def test_the_first_tap_anywhere_switches_the_sound_on(window):
    page = window("amelie")
    page.goto("/c/faizers/ma-soiree/")
    awake = page.locator("[data-card]").get_attribute("data-card")
    page.locator("h2").first.click()
    page.wait_for_timeout(300)
    line = page.locator("[data-sound]")
    if awake in ("waiting", "called", "to_confirm"):
        expect(line).to_contain_text("Son activé")
    else:
        expect(line).to_be_hidden()
