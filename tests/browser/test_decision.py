"""An arbiter's decision on an open match asks only for what the chosen act keeps."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from pairings.rules.match_state import Event

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]
KEEP_NONE = {Event.RECORD.value, Event.START.value}
"""Acts that keep no reason."""


@pytest.mark.parametrize("state", ["à jouer", "en jeu"])
def test_a_reason_is_asked_for_where_it_is_kept(window, state):
    arbiter = window("odile")
    arbiter.goto("/c/faizers/arbitrage/")
    arbiter.locator("main a[href$='/conduite/']").first.click()
    arbiter.locator("main a[href$='/arbitrer/']").filter(has_text=state).first.click()
    arbiter.wait_for_url("**/arbitrer/")
    reason = arbiter.locator("[name=reason]")
    expect(reason).to_be_visible()
    acts = arbiter.locator("[name=act]")
    offered = [acts.nth(n).get_attribute("value") for n in range(acts.count())]
    assert KEEP_NONE & set(offered) and Event.CANCEL.value in offered
    for act in offered:
        arbiter.check(f"[name=act][value={act}]")
        expect(reason).to_be_visible(visible=act not in KEEP_NONE)
