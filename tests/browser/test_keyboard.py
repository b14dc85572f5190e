"""A result goes from the sign-in page to the arbiter's decision by keyboard alone, the focus always seen."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]

# What has the focus: its words or its field's name, and whether a ring that nothing covers shows where.
# A field that a script draws as a button or as boxes shows the ring on those.
STOP = """() => {
  const e = document.activeElement;
  if (e === document.body) return null;
  const drawn = e.matches(".hidden-text") ? e.closest(".field, .keypad").querySelector("label.btn, .keypad__boxes") : e;
  const ringed = [drawn, e.closest(".choice")].find((one) => {
    const style = one && getComputedStyle(one);
    return style?.outlineStyle === "solid" && parseFloat(style.outlineWidth) >= 2;
  });
  const box = drawn.getBoundingClientRect();
  const top = document.elementFromPoint(box.left + box.width / 2, box.top + Math.min(box.height, innerHeight) / 2);
  const isSeen = !!top && (drawn.contains(top) || top.contains(drawn) || !!top.closest("label")?.contains(drawn));
  return { words: `${e.name ?? ""} ${e.innerText || e.ariaLabel || ""}`.replace(/\\s+/g, " ").trim(), shown: !!ringed && isSeen };
}"""


def reach(page: Any, words: str) -> None:
    """Press Tab until what has the focus holds these words; the ring shows at each stop."""
    passed: list[str] = []
    for _press in range(60):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop is None:
            continue
        assert stop["shown"], f"{page.url}: no ring on {stop['words']!r}"
        if words in stop["words"]:
            return
        passed.append(stop["words"])
    raise AssertionError(f"{page.url}: {words!r} is not among {passed}")


def follow(page: Any, words: str) -> None:
    reach(page, words)
    page.keyboard.press("Enter")


def test_a_result_is_entered_contested_and_decided_by_keyboard_alone(window):
    player = window()
    player.goto("/compte/login/")
    reach(player, "login")
    player.keyboard.type("amelie@demo.club")
    reach(player, "password")
    player.keyboard.type("faizers-demo\n")
    expect(player.get_by_role("link", name="Ma soirée").first).to_be_visible()
    follow(player, "Ma soirée")
    expect(player.get_by_role("link", name="Saisir le résultat")).to_be_visible()
    follow(player, "Saisir le résultat")
    expect(player.locator("[data-score=mine]")).to_be_focused()
    player.keyboard.type("401388")
    follow(player, "Faire confirmer sur ce téléphone")
    expect(player.get_by_role("button", name="Oui, je confirme")).to_be_visible()
    reach(player, "Oui, je confirme")

    opponent = window("gregoire")
    follow(opponent, "Lire et répondre")
    expect(opponent.get_by_role("link", name="Non, je conteste")).to_be_visible()
    follow(opponent, "Non, je conteste")
    expect(opponent.get_by_role("heading", name="Je conteste")).to_be_visible()
    reach(opponent, "subject")
    opponent.keyboard.press("ArrowDown")
    opponent.keyboard.press("ArrowUp")
    reach(opponent, "mine")
    opponent.keyboard.type("398")
    reach(opponent, "theirs")
    opponent.keyboard.type("401")
    reach(opponent, "photo")
    follow(opponent, "Envoyer à l’arbitre")
    expect(opponent.get_by_text("dans la liste de l’arbitre").first).to_be_visible()

    arbiter = window("odile")
    arbiter.goto("/arbitrage/litiges/")
    follow(arbiter, "table 1")
    expect(arbiter.get_by_role("button", name="Rendre la décision")).to_be_visible()
    follow(arbiter, "Voir l’effet")  # nothing is chosen: what is missing is read first
    arbiter.wait_for_selector(".error-summary:focus")
    reach(arbiter, "choice")
    arbiter.keyboard.press("ArrowDown")
    follow(arbiter, "Voir l’effet")
    expect(arbiter.get_by_role("heading", name="Effet sur le classement")).to_be_visible()
    reach(arbiter, "reason")
    arbiter.keyboard.type("Feuille relue.")
    follow(arbiter, "Rendre la décision")
    expect(arbiter.get_by_text("La décision est rendue.")).to_be_visible()
