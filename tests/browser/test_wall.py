"""What a wall screen prints large: names are not broken where no one would break them."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string

from pairings.players import recap
from tests.browser.alone import show
from tests.browser.test_access import SPACED

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]

LINES = """() => [...document.querySelectorAll(".wall-podium__name")].map((name) => {
  const lines = new Map();
  const texts = document.createTreeWalker(name, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    for (let i = 0; i < texts.currentNode.length; i += 1) {
      const one = document.createRange();
      one.setStart(texts.currentNode, i);
      one.setEnd(texts.currentNode, i + 1);
      const box = one.getBoundingClientRect();
      if (box.width) lines.set(Math.round(box.top), (lines.get(Math.round(box.top)) ?? "") + one);
    }
  }
  return [...lines.values()].map((line) => line.trim());
})"""


@pytest.mark.parametrize("size", [(1920, 1080), (1280, 800)], ids=str)
@pytest.mark.parametrize("scale", ["2", "5"], ids=["normal", "largest"])
@pytest.mark.parametrize(
    "names",
    [
        ("Sofia H.", "M.-Christine V.", "Ștefan I."),
        ("Sofia H.", "Marie-Christine Vandenb.", "Ștefan I."),
        ("Alexandrin B.", "Maximilian R.", "Wilhelmina M."),
        ("Alexandrina B.", "M.-Christine V.", "Maximilienne R."),
        ("Guillaume D.", "Katherine B.", "Dominique A."),
    ],
    ids=str,
)
def test_a_name_on_the_podium_is_broken_between_its_words(chromium, names, scale, size):
    podium = [{"rank": n, "name": name, "pr": 9} for n, name in enumerate(names, 1)]
    over = {"podium": podium, "is_tight": recap.is_tight(names)}
    part = render_to_string("pairings/evenings/_board_over.html", {"over": over})
    page = wall(
        chromium,
        f'<main class="wall-main"><section class="wall-part">{part}</section>'
        '<section class="wall-part"></section></main>',
        size=size,
        scale=scale,
    )
    words = [[word for line in lines for word in line.split()] for lines in page.evaluate(LINES)]
    assert words == [name.split() for name in names]
    page.close()


SHOWN = """() => {
  const list = document.querySelector("[data-pages]");
  const end = list.getBoundingClientRect().bottom;
  return [...list.children]
    .filter((row) => !row.hidden && row.getBoundingClientRect().bottom <= end + 1)
    .map((row) => row.querySelector("b").textContent);
}"""


@pytest.mark.parametrize(("called", "pages"), [(33, 6), (4, 6), (2, 8)])
def test_each_of_33_tables_is_read_on_some_page_however_many_are_called(chromium, called, pages):
    rows = "".join(
        f'<li class="wall-table"{" data-pinned" if n <= called else ""}>'
        f'<div class="wall-table__no">Table<b>{n}</b></div>'
        '<div class="wall-table__names"><span>Ada B.</span><span>Kim C.</span></div></li>'
        for n in range(1, 34)
    )
    page = wall(
        chromium,
        '<header class="wall-head"></header><button data-board="pause"></button>'
        '<main class="wall-main"><section class="wall-part">'
        f'<ul class="wall-list" data-pages="tables" data-max="6">{rows}</ul></section>'
        '<section class="wall-part"></section></main><footer class="wall-foot"></footer>'
        '<script type="module" src="/static/js/board.js"></script>',
    )
    seen = []
    for _turn in range(pages):
        seen.append([int(n) for n in page.evaluate(SHOWN)])
        page.keyboard.press("ArrowRight")
    assert seen[0] == [1, 2, 3, 4, 5, 6]
    assert [int(n) for n in page.evaluate(SHOWN)] == seen[0]  # the round is complete
    assert {n for shown in seen for n in shown} == set(range(1, 34))
    if called == 2:
        assert all(shown[:2] == [1, 2] for shown in seen)
    page.close()


@pytest.mark.parametrize("move", [None, 0, 12, -12], ids=str)
def test_the_movement_of_a_rank_stays_left_of_its_gem(chromium, move):
    row = {"rank": 27, "move": move, "name": "Benoît M.", "points": 0, "cote": 1000}
    rank = render_to_string("pairings/evenings/_board_rank.html", {"row": row})
    page = wall(chromium, f'<ol class="wall-list" style="width: 1000px">{rank}</ol>')
    shown = "(e) => e.scrollWidth + e.getBoundingClientRect().left"
    gem = page.locator(".wall-rank > :nth-child(3)").bounding_box()
    assert page.locator(".wall-rank > .move").evaluate(shown) <= gem["x"] + 1
    page.close()


@pytest.mark.parametrize("heads", [("PR", "Cote projetée"), ("PM", "PPM", "Pdep")], ids=str)
def test_on_a_phone_heads_of_columns_find_room_where_letters_are_spaced(chromium, heads):
    """WCAG 1.4.12: the heads stand under the title instead of making the page wider."""
    line = "wall-cols--line" if len(heads) > 2 else ""
    columns = "".join(f"<span>{head}</span>" for head in heads)
    page = wall(
        chromium,
        '<main class="wall-main"><section class="wall-part"><div class="wall-part__head">'
        "<h2>Classement en direct</h2><span>1 à 8 sur 82</span>"
        f'<span class="wall-cols {line}">{columns}</span></div></section></main>',
        size=(360, 844),
    )
    assert not page.evaluate(SPACED)
    page.close()


HALVED = """() => {
  const end = document.querySelector(".wall-dots").getBoundingClientRect();
  return [...document.querySelectorAll(".wall-dots span")].map((dot) => dot.getBoundingClientRect())
    .filter(({ left, right, top }) => top < end.bottom && left < end.right && right > end.right + 1).length;
}"""


@pytest.mark.parametrize("width", [1280, 1300, 1316], ids=str)
def test_no_dot_of_a_page_is_cut_where_all_have_no_room(chromium, width):
    page = wall(
        chromium,
        '<main class="wall-main"><section class="wall-part"></section>'
        '<section class="wall-part"><div class="wall-part__head"><h2>Classement en direct</h2>'
        f'<span>1 à 8 sur 480</span><span class="wall-dots">{"<span></span>" * 60}</span>'
        '<span class="wall-cols"><span>Vict.</span><span>Écart</span></span></div></section></main>',
        size=(width, 800),
    )
    assert page.evaluate(HALVED) == 0
    assert page.locator(".wall-dots").bounding_box()["height"] < 20, "one row of dots"
    page.close()


@pytest.mark.parametrize(("width", "is_small"), [(1300, False), (920, True)], ids=str)
def test_a_long_name_is_small_only_where_its_row_has_no_room(chromium, width, is_small):
    usual = {
        "rank": 1,
        "move": 0,
        "name": "Sofia H.",
        "points": 0,
        "cote": 1000,
        "category": "topaze",
    }
    rows = [usual, {**usual, "rank": 2, "name": "Marie-Amandine Br."}]
    ranks = "".join(
        render_to_string("pairings/evenings/_board_rank.html", {"row": row}) for row in rows
    )
    page = wall(
        chromium,
        '<header class="wall-head"></header><button data-board="pause"></button>'
        f'<main class="wall-main" style="display: block; width: {width}px">'
        f'<ol class="wall-list" data-pages="ranks" data-max="8">{ranks}</ol></main>'
        '<script type="module" src="/static/js/board.js"></script>',
    )
    names = page.locator(".wall-rank__name")
    sizes = names.evaluate_all("(all) => all.map((e) => getComputedStyle(e).fontSize)")
    assert (sizes[0] != sizes[1]) == is_small
    assert all(names.evaluate_all("(all) => all.map((e) => e.scrollWidth <= e.clientWidth)"))
    page.close()


def test_without_scripts_the_wall_is_scrolled_and_read_again_and_no_key_is_promised(window):
    wall = window(java_script_enabled=False, size={"width": 1280, "height": 800})
    wall.goto("/c/faizers/soirees/")
    wall.goto(wall.get_by_role("link", name="Écran mural").get_attribute("href"))
    assert not wall.locator("[data-board]").first.is_visible()
    assert wall.locator('meta[http-equiv="refresh"]').count() == 1
    assert wall.evaluate("getComputedStyle(document.body).overflowY") == "auto"
    desk = window("odile", java_script_enabled=False)
    desk.goto(wall.url.replace("ecran", "conduite"))
    assert not desk.locator("[data-shortcuts]").is_visible()


def wall(chromium, body, *, size=(1920, 1080), scale="2"):
    """A screen of the room with these parts."""
    sheets = "".join(
        f'<link rel="stylesheet" href="/static/css/{name}.css">' for name in ("tokens", "board")
    )
    html = (
        f'<!doctype html><html class="board" data-size="{scale}" data-theme="dark"><meta charset="utf-8">{sheets}<body>'
        f"{body}"
    )
    page = chromium.new_page(viewport={"width": size[0], "height": size[1]})
    show(page, html)
    page.evaluate("document.fonts.ready.then(() => true)")
    return page


HEAD = """() => {
  const box = (part) => document.querySelector(part).getBoundingClientRect();
  return [document.documentElement.scrollWidth <= innerWidth, box(".wall-head").height / innerHeight,
    box(".wall-head__clock").right <= innerWidth];
}"""


@pytest.mark.parametrize("size", [(1024, 768), (1920, 1080), (1080, 1920)], ids=str)
def test_the_longest_names_leave_the_clock_and_the_tables_on_the_screen(chromium, size):
    """The clock stood beside the screen, and of a tournament no table was to be seen."""
    page = wall(
        chromium,
        f'<header class="wall-head"><h1>{("Club de Scrabble de Villeneuve " * 3)[:80]}</h1>'
        f'<p class="wall-head__sub">Ronde 3 · {("Championnat de Scrabble classique " * 4)[:120]}</p>'
        '<div class="wall-tools"><button></button><button></button><button></button></div>'
        '<p class="wall-head__clock">20:47</p></header><main class="wall-main"></main>',
        size=size,
    )
    fits, share, has_clock = page.evaluate(HEAD)
    assert fits and has_clock and share < 1 / 6
    page.close()


TOOL = """() => ["button", "svg"].map((part) =>
  document.querySelector(`.wall-tools ${part}`).getBoundingClientRect().width)"""


@pytest.mark.parametrize(
    ("size", "widths"),
    [((1024, 768), [44, 28]), ((1920, 1080), [56, 28]), ((3840, 2160), [112, 56])],
    ids=str,
)
def test_the_icon_of_a_button_grows_with_the_screen_as_the_button_does(chromium, size, widths):
    tools = '<button><svg width="28" height="28"></svg></button>'
    page = wall(chromium, f'<div class="wall-tools">{tools}</div>', size=size)
    assert page.evaluate(TOOL) == pytest.approx(widths, abs=0.6)
    page.close()


NAMES = """() => [...document.querySelectorAll(".wall-rank__name, .wall-table__names span")].map((name) => {
  const row = name.closest("li").getBoundingClientRect();
  const box = name.getBoundingClientRect();
  const isWhole = name.scrollWidth <= name.clientWidth && box.top >= row.top && box.bottom <= row.bottom;
  return [isWhole, parseFloat(getComputedStyle(name).fontSize)];
})"""


def table_of(name: str, **state: str) -> str:
    """The wall's part with one table, both of whose players have that name."""
    table = {"no": 12, "one": name, "two": name, **state}
    evening = {"address": "2026-11-20", "state": "running"}
    context = {"tables": [table], "evening": evening, "present": 2, "waiting": 0}
    return render_to_string("pairings/evenings/_board_tables.html", context)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("M.-Christine V.", 44),
        ("Alexandrina-Maria V.", 32),
        ("Wilhelmina-Anastasia M.", 32),
        ("Constantina-Maximiliana V.", 32),
        ("Marie-Christine Vandenberghe-Lacroix", 24),
        ("Maximiliana-Alexandrina-Constantina Constantinescu-Brâncoveanu", 24),
    ],
)
def test_a_long_name_is_printed_smaller_and_whole(chromium, name, size):
    row = {"key": "1", "rank": 8, "move": 2, "category": "topaze", "name": name, "points": 14}
    ranks = render_to_string("pairings/evenings/_board_rank.html", {"row": {**row, "cote": 1404}})
    tables = table_of(name, icon="clock", state="25 min")
    page = wall(
        chromium,
        f'<main class="wall-main">{tables}'
        f'<section class="wall-part"><ol class="wall-list">{ranks}</ol></section></main>',
    )
    assert page.evaluate(NAMES) == [[True, size]] * 3
    page.close()


@pytest.mark.parametrize("size", [(1920, 1080), (1366, 768), (1024, 768)], ids=str)
def test_two_long_names_beside_a_long_state_are_whole(chromium, size):
    name = "Maximiliana Dupont-Aubertin"
    tables = table_of(name, icon="hourglass", state="À confirmer 3:49")
    page = wall(
        chromium,
        f'<main class="wall-main">{tables}<section class="wall-part"></section></main>',
        size=size,
    )
    assert [whole for whole, _size in page.evaluate(NAMES)] == [True, True]
    page.close()


def test_a_long_name_that_has_room_on_one_line_is_not_printed_smaller_than_that_asks(chromium):
    table = {"no": 5, "one": "Jean-Baptiste Petit", "two": "Ana C.", "icon": "hourglass"}
    evening = {"address": "2026-11-20", "state": "running"}
    tables = render_to_string(
        "pairings/evenings/_board_tables.html",
        {"tables": [{**table, "state": "À table ! 9:53"}], "evening": evening, "present": 2},
    )
    page = wall(
        chromium,
        '<header class="wall-head"></header><button data-board="pause"></button>'
        f'<main class="wall-main">{tables}<section class="wall-part"></section></main>'
        '<script type="module" src="/static/js/board.js"></script>',
    )
    assert page.evaluate(NAMES) == [[True, 32], [True, 44]]
    page.close()


HEIGHTS = """() => ["wall-main", "wall-foot", "wall-join"].map(
  (name) => Math.round(document.querySelector(`.${name}`).getBoundingClientRect().height))"""


def test_two_long_names_of_the_last_result_leave_the_tables_their_room(chromium):
    named = "Maximiliana-Alexandrina-Constantina Constantinescu-Brâncoveanu-Cantacuzino"
    main = '<main class="wall-main"><section class="wall-part"></section></main>'
    heights = []
    for last in ("Ana P. 372 – 312 Ion M.", f"{named} 372 – 312 {named}"):
        evening = {"address": "2026-11-20", "is_live": True, "state": "running"}
        part = render_to_string(
            "pairings/evenings/_board_foot.html",
            {"evening": evening, "last_line": last, "last_table": 12},
        )
        page = wall(chromium, f'{main}<footer class="wall-foot">{part}</footer>')
        heights.append(page.evaluate(HEIGHTS))
        page.close()
    (room, foot, _joins), (still, _taller, joins) = heights
    assert room - still < 10 and joins < foot
