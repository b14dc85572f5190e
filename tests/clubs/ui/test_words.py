"""What pages print instead of working names: documents, evenings, kinds of match, closed states."""

from __future__ import annotations

from datetime import date

from django.utils import translation
from django.utils.html import strip_tags

from clubs.rulebooks.citations import cited
from clubs.rulebooks.fields import Setting
from clubs.rulebooks.forms import RuleField
from clubs.rulebooks.units import unit_of
from clubs.rulebooks.wording import shown
from clubs.templatetags.ui import effect
from pairings.matches.models import Match
from pairings.tournaments.forms import field_for
from ratings.ledger.models import Period


def test_an_article_is_cited_by_the_name_of_its_document():
    with translation.override("fr"):
        assert cited("002 IV.A") == "FAIZERS IV.A"
        assert cited("001 1, ABSP ratings_detail") == "Roumanie 1, ABSP"
        assert cited("Cote et catégories (002 IV, VII)") == "Cote et catégories (FAIZERS IV, VII)"
        assert cited("000 annexe 2") == "FISF annexe 2"
    with translation.override("en"):
        assert cited("001 §3") == "Romania §3"
        assert cited("000 annexe 2") == "FISF annex 2"
        assert cited("usage international") == "international practice" and cited("") == ""


def test_a_club_evening_is_named_and_another_competition_keeps_its_name():
    with translation.override("fr"):
        day = date(2026, 11, 13)
        evenings = [Period(label="x", evening_number=n, held_on=day).title for n in (1, 2)]
        assert evenings == ["Soirée du 13 novembre", "Soirée du 13 novembre (2)"]
        assert Period(label="2026-11-13/2", held_on=day).title == "2026-11-13/2"


def test_a_value_that_there_was_not_is_said_as_a_word():
    """A dash alone is not read aloud: "avant, après 5"."""
    for language, words in [
        ("fr", "avant –rien après 5"),
        ("en", "before –none after 5"),
        ("ro", "înainte –nimic după 5"),
    ]:
        with translation.override(language):
            html = effect("–", "5")
        assert '<span aria-hidden="true">–</span>' in html
        assert " ".join(strip_tags(html).split()) == words
    assert '<s class="was">4–5</s>' in effect("4–5", "5")


def test_the_weights_of_matches_are_written_and_read_in_words():
    weights = (("played", 1), ("bye", 0.5), ("forfeit", 1))
    with translation.override("fr"):
        text = shown(weights)
        assert (
            text == "match joué = 1\N{NO-BREAK SPACE}; exempt = 0,5\N{NO-BREAK SPACE}; forfait = 1"
        )
        field = RuleField(words=Setting(label="x", article="002"), default=weights)
        assert field.clean(text) == [["played", 1], ["bye", 0.5], ["forfeit", 1]]
    with translation.override("en"):
        assert "= 0.5" in shown(weights)


def test_an_absence_is_said_before_the_silence_that_made_it_final():
    assert Match(kind="absent", why="expired").how == "forfeit"
    assert Match(kind="played", why="expired").how == "expired"


def test_a_unit_is_in_the_number_of_its_value():
    with translation.override("fr"):
        assert [unit_of(n, "ans") for n in (0, 1, 2)] == ["an", "an", "ans"]
        assert unit_of(1, "PR") == "PR" and unit_of(0.5, "parties") == "parties"
    with translation.override("ro"):
        assert [unit_of(n, "ans") for n in (1, 2, 20)] == ["an", "ani", "de ani"]


def test_a_number_of_the_rules_is_written_as_people_write_it():
    assert [shown(n) for n in (-200, 2000, -0.5, -2.0, None, (), [])] == [
        "−200",
        "2000",
        "−0,5",
        "−2",
        "–",
        "–",
        "–",
    ]
    field = RuleField(words=Setting(label="x", article="002", minimum=-1000), default=-200)
    assert field.clean(shown(-200)) == -200
    with translation.override("ro"):
        assert [unit_of(n, "points") for n in (-200, 1, 5)] == ["de puncte", "punct", "puncte"]
        assert unit_of(1, "soirées") == "seară de club"


def test_a_tournament_s_durations_are_in_the_reader_s_language():
    with translation.override("ro"):
        field = field_for(Setting(label="Durée", article="002", unit="secondes"), 300, 300)
        assert field is not None and str(field.label).endswith("(minute)")
