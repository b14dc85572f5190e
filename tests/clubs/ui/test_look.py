"""The look keeps its promises: measured contrasts, nothing external, nothing inline, words with shapes."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from django.template import Context, Template
from django.utils import translation

from clubs.templatetags import ui
from clubs.ui import badges, charts, icons
from clubs.ui.statuses import STATUS_TAGS

ROOT = Path(__file__).resolve().parents[3]
TOKENS = (ROOT / "static/css/tokens.css").read_text()
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
STYLES = sorted((ROOT / "static/css").glob("*.css"))
SCRIPTS = sorted((ROOT / "static/js").glob("*.js"))
CATEGORIES = tuple(badges.GEMS)


def colours(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z-]+):\s*(#[0-9a-f]{6})", css))


_light, _rest = TOKENS.split("@media screen and (prefers-color-scheme: dark)")
_auto, _chosen = _rest.split(':root[data-theme="dark"]')
THEMES = {"light": colours(_light), "dark": colours(_light) | colours(_chosen)}


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


TEXT = [
    *((ink, ground) for ink in ("ink", "muted", "link") for ground in ("page", "card", "sunk", "tint")),
    *((ink, ground) for ink in ("up", "down", "danger") for ground in ("page", "card")),
    ("up", "tint"), ("down", "tint"), ("on-primary", "primary"), ("warn", "warn-ground"),
    ("danger", "danger-tint"), ("ink", "danger-tint"), ("card", "danger"),
    *((f"on-{category}", category) for category in CATEGORIES),
    *(("muted", f"{category}-band") for category in CATEGORIES),
]  # fmt: skip
SHAPES = [
    ("control", "page"), ("control", "card"), ("focus", "page"), ("focus", "card"),
    ("primary", "card"), ("warn-line", "card"),
    *((f"{c}-border", ground) for c in CATEGORIES for ground in ("page", "card", "tint")),
    *((f"{c}-chart", "card") for c in CATEGORIES),
]  # fmt: skip


@pytest.mark.parametrize("theme", THEMES)
def test_every_text_is_readable_and_every_shape_visible(theme: str) -> None:
    tokens = THEMES[theme]
    too_pale = [(a, b) for a, b in TEXT if ratio(tokens[a], tokens[b]) < 4.5]
    too_faint = [(a, b) for a, b in SHAPES if ratio(tokens[a], tokens[b]) < 3]
    assert (too_pale, too_faint) == ([], [])


def test_automatic_dark_and_chosen_dark_are_the_same_colours() -> None:
    assert colours(_auto) == colours(_chosen)


def test_a_category_keeps_its_fill_in_the_dark_and_rises_in_lightness() -> None:
    assert not {c for c in CATEGORIES if c in colours(_chosen)}
    light = [luminance(THEMES["light"][c]) for c in CATEGORIES]
    assert light == sorted(light)


# What green-blind eyes see of red, green and blue light (Machado, Oliveira and Fernandes 2009).
DEUTERANOPIA = (
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.011820, 0.042940, 0.968881),
)


def seen_green_blind(colour: str) -> tuple[float, ...]:
    light = [(int(colour[i : i + 2], 16) / 255) ** 2.2 for i in (1, 3, 5)]
    rows = (sum(a * b for a, b in zip(row, light, strict=True)) for row in DEUTERANOPIA)
    return tuple(max(0.0, value) ** (1 / 2.2) for value in rows)


def test_two_categories_stay_apart_without_green_and_without_colour() -> None:
    fills = [THEMES["light"][category] for category in CATEGORIES]
    for one, other in combinations(fills, 2):
        assert math.dist(seen_green_blind(one), seen_green_blind(other)) > 0.3
        assert ratio(one, other) > 1.25


INLINE_STYLE = r"\sstyle=|<style(?! nonce=)"
NOT_IN_A_TEMPLATE = (
    r"\son(click|submit|change|load|input)=",
    r"""type=["']?number""",
    r"<script(?![^>]*(\bsrc=|application/(ld\+)?json))",
    r"""(src|href)=["'](https?:)?//(?!www\.w3\.org)[^"']+\.(js|css|woff2)""",
)


def test_no_template_has_an_inline_style_script_or_number_input() -> None:
    inline = []
    for path in TEMPLATES:
        # Letters, and the page that people take away with their data, have no stylesheet.
        unstyled = "mail" in path.parts or path.name == "export.html"
        patterns = NOT_IN_A_TEMPLATE if unstyled else (*NOT_IN_A_TEMPLATE, INLINE_STYLE)
        for pattern in patterns:
            inline += [(path, found.group()) for found in re.finditer(pattern, path.read_text())]
    assert inline == []


def test_a_list_and_a_table_keep_the_role_that_their_lines_need() -> None:
    """A status that is a list hides from a screen reader that its lines are some."""
    role = re.compile(r"<(?:ul|ol|dl|table)\b[^>]*\srole=")
    found = [(path.name, role.findall(path.read_text())) for path in TEMPLATES]
    assert [named for named in found if named[1]] == []


def test_no_style_and_no_script_asks_anything_of_another_host() -> None:
    comment = re.compile(r"^\s*//.*$|\s//\s.*$|/\*.*?\*/", re.MULTILINE | re.DOTALL)
    asking = [p for p in (*STYLES, *SCRIPTS) if "//" in comment.sub("", p.read_text())]
    assert asking == []


def test_every_icon_named_in_a_template_exists() -> None:
    named = re.compile(r"""\{% icon ["']([^"']+)["']""")
    for name in {name for path in TEMPLATES for name in named.findall(path.read_text())}:
        icons.drawn(name, 20, "")


def test_every_status_has_an_icon_that_exists() -> None:
    for _word, picture, _tone in STATUS_TAGS.values():
        icons.drawn(picture, 20, "")


def test_a_badge_says_its_word_and_draws_its_gem() -> None:
    for written in ("AMÉTHYSTE", "amethyste", "Améthyste"):
        assert "badge--amethyste" in ui.badge(written)
    assert "Améthyste" in ui.badge("amethyste") and "<svg" in ui.badge("amethyste")
    assert "hidden-text" in ui.badge_glyph("onyx") and "Onyx" in ui.badge_glyph("onyx")


def test_a_series_of_another_list_never_wears_the_club_colours() -> None:
    assert ui.badge("4B") == '<span class="badge">4B</span>'
    assert "&lt;b&gt;" in ui.badge("<b>")


def test_an_unknown_state_is_printed_and_never_blank() -> None:
    assert "bizarre" in ui.status_tag("bizarre")
    assert "confirmé" in ui.status_tag("final", "confirmed")
    assert "définitif" in ui.status_tag("final", "not a known basis")


@pytest.mark.parametrize(
    ("places", "words"),
    [
        (3, "monte de 3 places"),
        (1, "monte de 1 place"),
        (-2, "descend de 2 places"),
        (0, "place inchangée"),
        (None, "nouveau"),
    ],
)
def test_a_movement_is_a_shape_a_number_and_words(places: int | None, words: str) -> None:
    shown = ui.move(places)
    assert words in shown
    assert ("<svg" in shown) == bool(places)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (ui.cote(1917), "1917"),
        (ui.cote(None), "–"),
        (ui.percent_fr(Fraction(900, 389)), "2,3\u00a0%"),
        (ui.percent_fr(Fraction(25, 1000), 2), "0,03\u00a0%"),
        (ui.chance(0.2402530734), "24\u00a0%"),
        (ui.signed(17), "+17"),
        (ui.signed(-14), "\u221214"),
        (ui.signed(0), "="),
        (ui.signed(-4.3, 1), "\u22124,3"),
        (ui.minutes_seconds(252), "4:12"),
        (ui.minutes_seconds(-3), "0:00"),
        (ui.initials("Marie-Christine Vandenbroucke"), "MV"),
        (ui.initials(""), "?"),
        (ui.initials("gregoire@demo.club"), "G"),
    ],
)
def test_figures_are_written_as_the_club_writes_them(shown: str, expected: str) -> None:
    assert shown == expected


def test_an_english_page_writes_its_own_decimals() -> None:
    with translation.override("en"):
        assert ui.percent_fr(2.3) == "2.3%"
        assert ui.cote(1917) == "1917"


def graph(*points: charts.Point) -> charts.RatingGraph:
    return charts.RatingGraph(
        points=points, limits=(("onyx", 1000), ("amethyste", 1400)), sentence="Cote & soirées"
    )


def test_a_single_evening_is_a_dot_and_no_line() -> None:
    drawn = charts.rating_graph(
        graph(charts.Point(label="13/11", value=1412)), bands={}, width=340, height=180
    )
    assert drawn.count("<circle") == 1 and "chart__line" not in drawn
    assert "Cote &amp; soirées" in drawn


def test_the_projected_end_is_dashed_and_hollow() -> None:
    drawn = charts.rating_graph(
        graph(
            charts.Point(label="a", value=1410),
            charts.Point(label="b", value=1420),
            charts.Point(label="ce soir", value=1404, projected=True),
        ),
        bands={"onyx": "Onyx"},
        width=340,
        height=180,
    )
    assert drawn.count("chart__line--projected") == 1 and drawn.count("chart__dot--projected") == 1


@pytest.mark.parametrize("label", ["19/12", "28/11/25", "28/11/2025"])
def test_days_under_a_graph_stand_apart(label: str) -> None:
    wide = 6 * len(label)
    for count in range(2, 80):
        points = [charts.Point(label=label, value=1400 + n) for n in range(count)]
        drawn = charts.rating_graph(graph(*points), bands={}, width=340, height=180)
        days = re.findall(rf'<text x="([0-9.]+)"[^>]*text-anchor="(\w+)">{label}<', drawn)
        starts = [float(x) - (wide if anchor == "end" else wide / 2) for x, anchor in days]
        assert all(b - a >= wide + 6 for a, b in pairwise(starts)), (count, starts)


def test_charts_of_nothing_are_nothing() -> None:
    assert charts.distribution([]) == ""
    assert charts.rating_graph(graph(), bands={}, width=340, height=180) == ""


def test_the_frame_is_drawn_even_when_nothing_is_known() -> None:
    page = Template('{% extends "base.html" %}{% block content %}<h1>Ici</h1>{% endblock %}')
    html = page.render(Context({}))
    assert "<h1>Ici</h1>" in html and 'data-theme="auto"' in html
    assert 'href="#main"' in html and 'id="main"' in html


def test_no_sign_that_a_style_draws_is_read_aloud() -> None:
    """An arrow before a link is for the eye: the second value says nothing in its place."""
    for sheet in STYLES:
        rules = sheet.read_text()
        for sign in re.findall(r'content: ("[^"]+");', rules):
            assert f'content: {sign} / "";' in rules, (sheet.name, sign)


def test_an_error_comes_first_in_the_title() -> None:
    page = Template('{% extends "base.html" %}{% block title %}Saisir{% endblock %}')
    for context, title in [({"error_list": [("Faux", "x")]}, "Erreur"), ({}, "Saisir")]:
        assert f"<title> {title}" in " ".join(page.render(Context(context)).split())


def test_a_first_phone_visit_stays_under_160_kb() -> None:
    """It loads what its worker keeps, the worker, and what its page names for printing."""
    import gzip

    from clubs.ui import pwa

    static = ROOT / "static"
    loaded = [static / name for name in [*pwa.kept_files(), "js/sw.js", "css/print.css"]]
    others = {static / f"js/{name}.js" for name in ("board", "passkey", "shortcuts")}
    assert set(SCRIPTS) - set(loaded) == others
    wall = [path.name for path in TEMPLATES if "js/board.js" in path.read_text()]
    assert wall == ["base_board.html"]
    sizes = {
        path: path.stat().st_size
        if path.suffix == ".woff2"
        else len(gzip.compress(path.read_bytes()))
        for path in loaded
    }
    assert sum(size for path, size in sizes.items() if path.suffix == ".js") < 40_000
    assert sum(sizes.values()) < 140_000  # the page itself has the rest


def test_a_notice_has_the_icon_of_its_tone_and_prints_words_as_text() -> None:
    text = '{% load ui %}{% notice "warn" title=name role="alert" %}{{ name }}{% endnotice %}'
    html = Template(text).render(Context({"name": "<b>Ana</b>"}))
    assert '<div class="notice notice--warn"' in html and 'role="alert"' in html
    assert html.count("&lt;b&gt;Ana&lt;/b&gt;") == 2
    assert str(ui.icon("circle-alert", 22)) in html
    without = Template('{% load ui %}{% notice icon="" %}Rien{% endnotice %}').render(Context())
    assert "<svg" not in without and "notice__title" not in without
