"""A reader who sets the browser's text to 200 % reads words on a narrow phone, not letters."""

from __future__ import annotations

import json

import pytest

from tests.browser.conftest import CHROMIUM, FLAGS, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]

SEEN = """() => {
  const words =
    ".phone-bar__words, .list__words, .list__name, .score-card__who, .score-entry label, .tasks .grow";
  const shown = [...document.querySelectorAll(words)].filter((each) => each.checkVisibility());
  const narrow = shown.filter((each) =>
    each.getBoundingClientRect().width < 3 * parseFloat(getComputedStyle(each).fontSize));
  const root = document.documentElement;
  return [shown.length > 0, narrow.map((each) => each.innerText), root.scrollWidth - root.clientWidth];
}"""


CUT = """() => {
  const kinds = "main :is(.list__sub, .field--short input, button), .bottom-bar .count";
  const { scrollWidth, clientWidth } = document.documentElement;
  const out = (each) => {
    const box = each.getBoundingClientRect();
    return each.scrollWidth > each.clientWidth + 2 || box.right > clientWidth || box.left < 0;
  };
  const shown = [...document.querySelectorAll(kinds)].filter((each) => each.checkVisibility());
  const cut = shown.filter((each) => each.clientWidth > 1 && out(each));
  return [shown.length > 0, cut.map((each) => each.innerText || each.name), scrollWidth - clientWidth];
}"""


@pytest.fixture
def large(chromium, site, tmp_path):
    """A browser 360 px wide whose reader set its text to 200 %."""
    settings = {"webkit": {"webprefs": {"default_font_size": 32}}}
    (tmp_path / "Default").mkdir()
    (tmp_path / "Default/Preferences").write_text(json.dumps(settings))
    with chromium.browser_type.launch_persistent_context(
        tmp_path,
        executable_path=CHROMIUM,
        args=FLAGS,
        viewport={"width": 360, "height": 740},
        base_url=site,
    ) as context:
        yield context


def test_text_twice_as_large_keeps_its_words_whole(large):
    sign_in(large, "amelie")
    page = large.new_page()
    page.goto("/ma-soiree/")
    entry = page.locator("main a[href*=saisir]").first.get_attribute("href")
    for path in ("/ma-soiree/", "/classement/", entry, "/matchs/1/"):
        page.goto(path)
        assert page.evaluate(SEEN) == [True, [], 0], path
    for path in ("/moi/reglages/", "/tournois/coupe-des-quatre-villes/ronde/3/"):
        page.goto(path)
        assert page.evaluate(SEEN) == [True, [], 0], path
    page.goto("/joueurs/?q=Vandenbroucke")
    profile = page.locator("main a", has_text="Vandenbroucke").first.get_attribute("href")
    page.goto(f"{profile}ce-soir/")
    assert page.evaluate(SEEN) == [True, [], 0]  # from one cote to the other: two lines


def test_text_twice_as_large_cuts_no_figure_and_no_button_of_the_committee(large):
    sign_in(large, "helene")
    page = large.new_page()
    for path in ("demarrer/", "classement/publier/"):
        page.goto(f"/gestion/{path}")
        assert page.evaluate(SEEN) == [True, [], 0], path
    for path in ("saisons/", "regles/brouillon/", "membres/", "journal/"):
        page.goto(f"/gestion/{path}")
        assert page.evaluate(CUT) == [True, [], 0], path
