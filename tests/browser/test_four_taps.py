"""Entering a result takes few taps: the first field has the focus, the second after three digits."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]


@pytest.fixture
def entry(window):
    page = window("amelie")
    page.get_by_role("link", name="Saisir le résultat").click()
    page.wait_for_selector("[data-score=mine]:focus")
    return page


def scores(page) -> tuple[str, str]:
    return page.input_value("[data-score=mine]"), page.input_value("[data-score=theirs]")


def test_two_scores_are_typed_without_a_tap_between_them(entry):
    entry.keyboard.type("389398")
    assert scores(entry) == ("389", "398")


def test_a_score_that_may_have_four_digits_keeps_the_focus(entry):
    """2000 is the highest score: 200 may go on, 201 may not."""
    entry.keyboard.type("2000")
    assert scores(entry) == ("2000", "")
    for typed, expected in (("2001", ("2001", "")), ("2014", ("201", "4")), ("1999", ("1999", ""))):
        entry.fill("[data-score=theirs]", "")
        entry.fill("[data-score=mine]", "")
        entry.focus("[data-score=mine]")
        entry.keyboard.type(typed)
        assert scores(entry) == expected


def test_a_correction_of_the_first_score_keeps_the_focus(entry):
    entry.keyboard.type("389398")
    entry.focus("[data-score=mine]")
    entry.keyboard.press("End")
    entry.keyboard.press("Backspace")
    entry.keyboard.type("8")
    assert scores(entry) == ("388", "398")
    assert entry.evaluate("document.activeElement.dataset.score") == "mine"


def test_an_error_has_the_focus_before_the_fields(entry):
    entry.keyboard.type("389")
    entry.get_by_role("button", name="Envoyer le résultat à Grégoire").click()
    entry.wait_for_selector(".error-summary:focus")
