"""A passkey, with Chromium's own virtual authenticator: added, used to sign in, removed."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]
PHONE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def test_a_member_adds_a_passkey_and_signs_in_with_it(window: Any, site: str) -> None:
    home = site.replace("127.0.0.1", "localhost")  # a key belongs to a name, not to an address
    page = window()
    phone = page.context.new_cdp_session(page)
    phone.send("WebAuthn.enable")
    added = phone.send("WebAuthn.addVirtualAuthenticator", {"options": PHONE})

    page.goto(f"{home}/compte/login/")
    page.fill("input[name=login]", "amelie@demo.club")
    page.fill("input[name=password]", "faizers-demo")
    page.press("input[name=password]", "Enter")
    page.wait_for_url("**/ma-soiree/")

    page.goto(f"{home}/moi/reglages/")
    page.get_by_role("link", name="Clés d’accès et double vérification").click()
    page.get_by_role("link", name="Ajouter une clé d’accès").click()
    page.fill("input[name=name]", "mon téléphone")
    page.locator("#mfa_webauthn_add").click()
    page.wait_for_url("**/recovery-codes/")  # shown with the first key
    held = phone.send("WebAuthn.getCredentials", {"authenticatorId": added["authenticatorId"]})
    assert [key["isResidentCredential"] for key in held["credentials"]] == [True]

    page.context.clear_cookies()
    page.goto(f"{home}/compte/login/")
    page.get_by_role("button", name="Avec une clé d’accès").click()
    page.wait_for_url("**/ma-soiree/")

    other = window()  # a phone without the key
    elsewhere = other.context.new_cdp_session(other)
    elsewhere.send("WebAuthn.enable")
    elsewhere.send("WebAuthn.addVirtualAuthenticator", {"options": PHONE})
    other.goto(f"{home}/compte/login/")
    other.fill("input[name=login]", "amelie@demo.club")
    other.fill("input[name=password]", "faizers-demo")
    other.press("input[name=password]", "Enter")
    other.get_by_role("button", name="Utiliser ma clé d’accès").click()
    other.get_by_role("alert").get_by_text("La clé n’a pas répondu.").wait_for()

    blind = window(java_script_enabled=False)
    for shown, words in ((page, "Utiliser ma clé d’accès"), (blind, "Une clé demande JavaScript.")):
        shown.context.clear_cookies()
        shown.goto(f"{home}/compte/login/")
        shown.fill("input[name=login]", "amelie@demo.club")
        shown.fill("input[name=password]", "faizers-demo")
        shown.press("input[name=password]", "Enter")
        shown.wait_for_url("**/2fa/authenticate/")
        assert words in shown.locator("main").inner_text()
    page.get_by_role("button", name="Utiliser ma clé d’accès").click()
    page.wait_for_url("**/ma-soiree/")

    page.goto(f"{home}/compte/2fa/webauthn/")
    page.locator("main .list__name", has_text="mon téléphone").wait_for()
    assert page.locator("main .list__name").count() == 1
    page.get_by_role("link", name="Retirer mon téléphone").click()
    page.locator("main form button[type=submit]").click()
    page.get_by_text("Aucune clé pour l’instant.").wait_for()
