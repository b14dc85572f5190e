"""What the lists say to somebody who hears them: no number without its name."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from pairings.matches.models import Match

pytestmark = pytest.mark.django_db


def heard(html: str) -> str:
    """Return the text of a piece of a page without what is hidden from a screen reader."""
    html = re.sub(r'<(\w+)[^>]*aria-hidden="true"[^>]*>.*?</\1>', "", html, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.mark.parametrize(
    ("projected", "words"), [(True, "cote projetée 1611"), (False, "cote 1611")]
)
def test_the_rating_of_a_row_is_named_and_said_to_be_projected(projected, words):
    row = {"key": 1, "rank": 4, "move": None, "name": "Ana B.", "category": "onyx", "cote": 1611}
    row |= {"points": 35, "projected": projected, "url": "/"}
    assert words in heard(render_to_string("components/_ranking_rows.html", {"rows": [row]}))


def test_the_sample_of_a_projected_rating_is_shown_and_not_read(club, as_user):
    """The number of its sample is nobody's."""
    club.played()
    page = as_user(club.members[0].user).get(reverse("pairings:ranking")).content.decode()
    assert ">1234<" in page
    assert "1234" not in heard(page)
    assert ": cote projetée" not in heard(page).replace("\u00a0", " ")


def test_a_projected_rating_is_said_to_be_one_in_the_table_of_a_wide_screen(club, as_user):
    _match, (one, _other) = club.played()
    page = as_user(one.user).get(reverse("pairings:ranking")).content.decode()
    table = heard(page[page.index("<table") : page.index("</table>")])
    assert re.search(r"\d+ projetée [+−]\d+", table)


@pytest.mark.parametrize(
    ("mine", "theirs", "outcome"),
    [(398, 389, "victoire"), (389, 398, "défaite"), (350, 350, "nul")],
)
def test_a_result_of_tonight_says_its_outcome_not_by_colour_alone(mine, theirs, outcome):
    line = SimpleNamespace(
        match=Match(pk=1, kind="played", status="final"),
        other="Paul L.",
        mine=mine,
        theirs=theirs,
        won=mine - theirs,
        url="/",
    )
    page = heard(render_to_string("pairings/players/_match_rows.html", {"lines": [line]}))
    assert f"{outcome} {mine} – {theirs}" in page


def test_outcomes_and_the_mean_margin_are_said_in_words():
    tally = SimpleNamespace(won=22, drawn=0, lost=3, margin=-12, decimals=0)
    rows = [{"name": "Zoé F.", "url": "/", "tally": tally}]
    page = heard(render_to_string("pairings/players/_opponents.html", {"rows": rows}))
    assert "Zoé F. victoires : 22, nuls : 0, défaites : 3 écart moyen −12" in page


def test_the_unit_of_a_rule_is_part_of_the_name_of_its_field(club, as_user):
    page = as_user(club.committee.user).get(reverse("clubs:rules_edit")).content.decode()
    (label,) = re.findall(r'<label for="id_match-contest_window_s">.*?</label>', page, re.DOTALL)
    assert "(minutes)" in heard(label)
