"""On a phone a long sentence takes the width of its row, and tables of names fit the screen."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]
TOURNAMENT = "/c/faizers/tournois/coupe-des-quatre-villes"
SHARES = """() => [...document.querySelectorAll(".list__row .list__sub")].map((each) =>
  each.getBoundingClientRect().width / each.closest(".list__row").getBoundingClientRect().width)"""
HIDDEN = """() => [...document.querySelectorAll("main table")].map((each) =>
  each.getBoundingClientRect().right - document.documentElement.clientWidth).filter((out) => out > 0)"""

BESIDE = """() => [...document.querySelectorAll("main tbody tr")].map((row) => {
  const name = row.querySelector("th").getBoundingClientRect();
  return [...row.querySelectorAll("button")].some(
    (each) => each.getBoundingClientRect().top < name.bottom);
})"""


def test_why_a_board_was_made_stands_under_names_and_score(window):
    page = window()
    page.goto(f"{TOURNAMENT}/ronde/3/")
    shares = page.evaluate(SHARES)
    assert len(shares) == 8 and min(shares) > 0.75


WAITING = """() => [...document.querySelectorAll(".list__row--why .list__value")].map((each) => {
  each.innerHTML = "450&nbsp;–&nbsp;380 <span class='tag'>en attente</span>";
  return each.parentElement.querySelector(".list__name").getBoundingClientRect().width;
})"""


def test_names_have_their_place_beside_a_score_that_waits(window):
    page = window()
    page.goto(f"{TOURNAMENT}/ronde/3/")
    for width in (390, 360):
        page.set_viewport_size({"width": width, "height": 780})
        names = page.evaluate(WAITING)
        assert len(names) == 8 and min(names) >= 110
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_comparison_shows_the_numbers_of_both_players(window):
    page = window()
    page.goto("/c/faizers/joueurs/")
    names = ("Hélène D’Arcy", "Marie-Christine Vandenbroucke")
    one, other = (
        (page.locator(f"main a:visible:has-text('{name}')").first.get_attribute("href") or "")
        for name in names
    )
    page.goto(f"{one}contre/{other.rstrip('/').rpartition('/')[2]}/")
    assert page.locator(".table--compare").count() == 1
    assert page.evaluate(HIDDEN) == []


def test_the_acts_of_an_entry_stand_under_its_name_alike(window):
    page = window("odile")
    page.goto("/c/faizers/gestion/tournois/coupe-des-quatre-villes/inscrits/")
    beside = page.evaluate(BESIDE)
    assert len(beside) == 16 and not any(beside)


LINES = """() => [...document.querySelectorAll("main tbody tr")].map((row) => [...new Set(
  [...row.querySelectorAll("button")].map((each) => Math.round(each.getBoundingClientRect().top)))].length)"""
LOW = """() => [...document.querySelectorAll("main tbody button")].filter(
  (each) => each.getBoundingClientRect().height < 44 || each.getBoundingClientRect().width < 44).length"""


PAID = """() => document.querySelectorAll("main tbody tr").forEach((row) => {
  const paid = [...row.querySelectorAll("td")].find((cell) => cell.querySelector(".tag")).cloneNode(true);
  paid.querySelector("button").textContent = "Annuler le paiement";
  row.querySelector("th").nextElementSibling.after(paid);
})"""


def test_the_acts_of_an_entry_take_two_lines_at_most_with_its_payment(window):
    page = window("odile")
    page.goto("/c/faizers/gestion/tournois/coupe-des-quatre-villes/inscrits/")
    page.evaluate(PAID)  # the cup of the demo is free; a payment is a cell like a presence
    lines = page.evaluate(LINES)
    assert len(lines) == 16 and max(lines) == 2
    assert page.evaluate(LOW) == 0 and page.evaluate(HIDDEN) == []


def test_before_the_start_the_acts_of_an_entry_take_two_lines_with_cote_and_payment(window):
    page = window("helene")
    page.goto("/c/faizers/gestion/tournois/nouveau/")
    told = {"name": "Coupe de Noël", "day": "2027-12-12", "hour": "09:30", "fee": "5 €"}
    for name, value in told.items():
        page.fill(f"[name={name}]", value)
    page.click("text=Annoncer le tournoi")
    page.wait_for_url("**/inscrits/")
    page.click("text=Inscrire plusieurs membres")
    for number in range(3):
        page.locator("details input[type=checkbox]").nth(number).check()
    page.click("text=Inscrire les membres cochés")
    page.wait_for_selector("main tbody tr")
    for act in ("Noter le paiement", "Noter l’absence"):
        page.locator("main tbody tr").first.get_by_role("button", name=act).click()
        page.wait_for_load_state()
    assert page.evaluate(LINES) == [2, 2, 2]
    assert page.evaluate(LOW) == 0 and page.evaluate(HIDDEN) == []
    row = page.locator("main tbody tr").first
    name = " ".join(row.locator("th").inner_text().split())
    for act in ("Enregistrer la cote", "Annuler le paiement", "Noter la présence"):
        assert row.get_by_role("button", name=f"{act} {name}").count() == 1


GAP = """() => Math.round(document.querySelector("main h1").getBoundingClientRect().top
  - document.querySelector("main .breadcrumb").getBoundingClientRect().bottom)"""


def test_a_title_stands_as_near_to_the_breadcrumb_beside_buttons_as_alone(window):
    page = window("helene", size={"width": 1280, "height": 800})
    gaps = set()
    for path in ("gestion/membres/", "gestion/saisons/", "regles/1/", "gestion/cotes/"):
        page.goto(f"/c/faizers/{path}")
        gaps.add(page.evaluate(GAP))
    assert len(gaps) == 1


TURNS = """() => [...document.querySelectorAll(".pages .btn")].map(
  (each) => each.getBoundingClientRect().top)"""


def test_both_ways_to_turn_a_page_stand_on_one_line(window):
    page = window("helene", size={"width": 390, "height": 844})
    page.goto("/c/faizers/gestion/journal/?page=2")
    back, on = page.evaluate(TURNS)
    assert back == on


LONG_NAME = """() => {
  const bar = document.querySelector(".phone-bar");
  bar.querySelector(".brand__name").textContent = "Cercle des joueurs de Scrabble de Châtillon-sur-Seine";
  return bar.getBoundingClientRect().height;
}"""


def test_a_long_name_of_a_club_takes_two_lines_of_the_bar(window):
    page = window(size={"width": 360, "height": 740})
    page.goto("/c/faizers/")
    assert page.evaluate(LONG_NAME) <= 70


ENDLESS = """() => {
  const names = "main :is(h1, h2, .breadcrumb a, .breadcrumb li:last-child, .list__name, .list__sub > *, .why a, .row > .muted, .page-head__line > .muted, .table--sticky tbody th, .table--stack tbody th)";
  const written = [...document.querySelectorAll(names)].filter((each) => each.checkVisibility() && !each.children.length);
  for (const each of written) each.textContent = "Anticonstitutionnellement".repeat(3);
  const cards = written.map((each) => [each, each.closest(".card, .table-card, main")]);
  const out = cards.filter(([each, card]) => {
    const box = document.createRange();
    box.selectNodeContents(each);
    return box.getBoundingClientRect().right > card.getBoundingClientRect().right;
  });
  const beside = [...document.querySelectorAll(".table--sticky tbody th")].filter(
    (each) => each.offsetWidth > each.closest(".table-card").clientWidth / 2);
  return [written.length > 0, document.documentElement.scrollWidth, [...out, ...beside].length];
}"""


def test_a_name_of_one_endless_word_breaks_and_hides_nothing(window):
    """It widened the page, was cut by its card, or covered every figure of the standings."""
    page = window("helene", size={"width": 360, "height": 740})
    played, desk = (
        f"{TOURNAMENT}/classement/",
        "/c/faizers/gestion/tournois/coupe-des-quatre-villes",
    )
    player = "/c/faizers/joueurs/gregoire-ancay/"
    for path in (played, f"{TOURNAMENT}/grille/", f"{TOURNAMENT}/ronde/3/", player):
        page.goto(path)
        assert page.evaluate(ENDLESS) == [True, 360, 0], path
    page.goto("/c/faizers/arbitrage/litiges/")
    contest = page.locator("main a", has_text="Litige · table").first.get_attribute("href") or ""
    for path in (
        contest,
        f"{desk}/ronde/3/conduite/",
        f"{desk}/ronde/3/saisie/",
        "/c/faizers/gestion/journal/",
    ):
        page.goto(path)
        assert page.evaluate(ENDLESS) == [True, 360, 0], path


OUTSIDE = """(list) => Math.max(...[...list.querySelectorAll(".num *")].map(
  (each) => each.getBoundingClientRect().right)) - list.getBoundingClientRect().right"""


def test_the_results_of_a_season_stay_inside_their_card(window):
    page = window("amelie", size={"width": 360, "height": 740})
    page.goto("/c/faizers/joueurs/gregoire-ancay/")
    page.click("text=Par saison")
    seasons = page.locator("details[open] .why").first
    assert "sans réponse" in seasons.inner_text()
    assert seasons.evaluate(OUTSIDE) <= 0


AFTER = """() => {
  const line = document.createElement("p");
  line.innerHTML = 'שרה <span class="num">362 – 389</span>';
  document.querySelector("main").append(line);
  const left = (node, from, to) => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    return range.getBoundingClientRect().left;
  };
  const score = line.querySelector("span").firstChild;
  return [left(line.firstChild, 0, 3), left(score, 0, 3), left(score, 6, 9)];
}"""


def test_a_score_after_a_name_in_hebrew_is_read_from_left_to_right(window):
    """One's own score stood last, as if the other player had won."""
    page = window()
    page.goto(f"{TOURNAMENT}/")
    name, own, other = page.evaluate(AFTER)
    assert name < own < other


CURRENT = """() => [...document.querySelectorAll(".tabs")].map((list) => {
  const [all, tab] = [list, list.querySelector("[aria-current]")].map((each) => each.getBoundingClientRect());
  return [list.scrollWidth > list.clientWidth, tab.left >= all.left && tab.right <= all.right, scrollY];
})"""


def test_the_tab_of_the_page_is_in_sight_among_more_than_fit(window):
    page = window()
    page.goto("/c/federation/joueurs/?q=Jégou")
    player = (
        page.locator("main a:visible:has-text('Claire Jégou')").first.get_attribute("href") or ""
    )
    page.goto(f"{player.split('/cotes/')[0].rstrip('/')}/cotes/romania-compunere-seniors/")
    assert page.evaluate(CURRENT) == [[True, True, 0]]
