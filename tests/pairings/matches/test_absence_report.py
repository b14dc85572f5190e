"""Absence claims: the button pressed decides, not what happened since the page was read."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine

from pairings.arbitration.models import Contest
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from tests.clubhouse import NOW

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(seconds=901)


@pytest.fixture(autouse=True)
def after_the_grace():
    with time_machine.travel(LATER, tick=False):
        yield


@pytest.fixture
def table(club, as_user):
    """Return a match called a quarter of an hour ago: its row, each player's client, the address."""
    match, (a, b) = club.match()
    url = f"/c/faizers/matchs/{match.pk}/absence/"
    return match, as_user(a.user), as_user(b.user), url


def under(club, match, values) -> None:
    """Give the match a rule version with these values."""
    book = club.rule_book(values)
    Match.objects.filter(pk=match.pk).update(rule_book=book)


def test_both_saying_the_other_is_away_makes_nobody_admit_it(table):
    match, one, two, url = table
    for phone in (one, two):
        assert "Signaler l’absence" in phone.get(url).content.decode()
    assert one.post(url).status_code == 302
    page = two.post(url)
    match.refresh_from_db()
    assert match.status == "absence_claimed"
    text = page.content.decode()
    assert page.status_code == 422
    assert "J’étais là" in text and "vient de changer d’état" in text
    assert two.post(url, {"deny": "1", "words": "au bar"}).status_code == 302
    match.refresh_from_db()
    assert match.status == "contested"
    assert Contest.objects.get(match=match).words == "au bar"


def test_saying_it_twice_is_saying_it_once(table):
    match, one, _two, url = table
    assert [one.post(url).status_code for _again in range(2)] == [302, 302]
    match.refresh_from_db()
    assert (match.status, match.lines.filter(event="claim_absence").count()) == (
        "absence_claimed",
        1,
    )


def test_the_one_who_was_away_may_say_so(table):
    match, one, two, url = table
    one.post(url)
    assert two.post(url, {"agree": "1"}).status_code == 302
    match.refresh_from_db()
    assert (match.status, match.absent) == ("final", "b")


def test_an_altered_form_does_not_agree_with_a_score_unseen(table, club):
    match, _one, two, url = table
    match_actions.submit(
        match=match, by=club.player(match.first), scores=(400, 350), at=LATER - timedelta(seconds=5)
    )
    assert two.post(url, {"agree": "1"}).status_code == 422
    match.refresh_from_db()
    assert match.status == "submitted"


def test_points_of_a_forfeit_are_those_of_the_rule_book(table, club):
    match, one, _two, url = table
    under(club, match, {"pairing": {"pr_forfeit_win": 4}, "cote": {"rate_forfeits": True}})
    text = one.get(url).content.decode()
    assert "par forfait\xa0: 4 PR." in text
    assert "non coté" not in text
    one.post(url)
    match_actions.lapse(match=match, at=LATER + timedelta(seconds=301))
    text = one.get(f"/c/faizers/matchs/{match.pk}/").content.decode()
    assert "Victoire par forfait\xa0: 4 PR et 0 PR." in text


def test_a_silent_absence_is_a_forfeit_even_where_silence_is_no_agreement(table, club):
    """The setting applies to scores. An absent player cannot answer."""
    match, one, _two, url = table
    under(club, match, {"match": {"tacit_acceptance": False}})
    for _step in ("before", "after"):
        text = one.get(url).content.decode()
        assert "vous gagnez par forfait" in text
        assert "l’arbitre tranche" not in text
        one.post(url)
    match_actions.lapse(match=match, at=LATER + timedelta(seconds=301))
    match.refresh_from_db()
    assert (match.status, match.absent) == ("final", "b")


def test_an_absence_is_taken_back_when_the_opponent_arrives(table):
    match, one, two, url = table
    one.post(url)
    for page in (url, "/c/faizers/ma-soiree/"):
        assert "est là\xa0: retirer l’absence" in one.get(page).content.decode()
    assert two.post(url, {"withdraw": "1"}).status_code == 422
    assert one.post(url, {"withdraw": "1"}).status_code == 302
    match.refresh_from_db()
    assert (match.status, match.kind, match.absent) == ("playing", "", "")
    assert (match.submitted_by, match.submitted_at, match.contest_until) == (None, None, None)
    assert match_actions.lapse_due(at=LATER + timedelta(hours=1)) == 0
    assert "Match en cours" in one.get("/c/faizers/ma-soiree/").content.decode()
    assert "retire l’absence" in two.get(f"/c/faizers/matchs/{match.pk}/").content.decode()


def test_an_answer_that_crosses_the_taking_back_leads_to_the_game(table):
    match, one, two, url = table
    one.post(url)
    one.post(url, {"withdraw": "1"})
    answer = two.post(url, {"deny": "1", "words": "au bar"}, follow=True)
    assert "L’absence a été retirée" in answer.content.decode()
    match.refresh_from_db()
    assert match.status == "playing"


def test_taking_back_after_the_denial_says_who_denied_and_offers_no_claim(table):
    _match, one, two, url = table
    one.post(url)
    two.post(url, {"deny": "1"})
    page = one.post(url, {"withdraw": "1"})
    assert page.status_code == 422
    assert "a contesté ce résultat" in page.content.decode()
    assert "Signaler l’absence" not in page.content.decode()
