"""A list that grows is paged by its key: what is added meanwhile repeats and hides nothing."""

from __future__ import annotations

import pytest
from django.test import Client

from clubs.members.models import Member
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_state import Result
from tests.clubhouse import Clubhouse
from tests.pairings.evenings.test_sessions import first_of_two_closed

pytestmark = pytest.mark.django_db


def ended(club: Clubhouse, one: Member, other: Member) -> Match:
    """Return a match of these two that was played and confirmed."""
    match, _players = club.played(one, other)
    return match


def test_a_match_that_ends_between_two_pages_repeats_none(club):
    one, *others = club.members[:4]
    first, second = (ended(club, one, other) for other in others[:2])
    client = Client()
    page = client.get(f"/c/faizers/api/v1/players/{one.public_id}/matches?limit=1").json()
    ended(club, one, others[2])
    rest = client.get(page["next"]).json()
    assert [match["id"] for match in page["items"] + rest["items"]] == [second.pk, first.pk]
    assert rest["next"] is None


def test_changes_of_one_day_stay_in_the_order_of_their_evenings_after_a_correction(club):
    """The first evening's entry is written anew, later than that of the second, which stays."""
    match = first_of_two_closed(club)
    again = {"result": Result("played", 420, 300), "reason": "feuille relue"}
    match_actions.correct(match=match, by=club.committee, at=club.at, **again)
    client = Client()
    page = client.get(f"/c/faizers/api/v1/players/{match.first.public_id}/changes?limit=1").json()
    rest = client.get(page["next"]).json()
    told = [(change["before"], change["after"]) for change in page["items"] + rest["items"]]
    assert told == [(1015, 1029), (1000, 1015)] and rest["next"] is None


@pytest.mark.parametrize(
    ("language", "name"),
    [("fr", "Soirée du 20 novembre"), ("en", "Club night of 20 November")],
)
def test_an_evening_that_was_rated_has_the_name_that_pages_print(club, ask, language, name):
    match = first_of_two_closed(club)
    player = f"players/{match.first.public_id}/changes"
    change = ask(player, language=language).json()["items"][-1]
    one = ask("lists/faizers/competitions", language=language).json()["items"][-1]
    whole = ask(f"lists/faizers/competitions/{one['id']}", language=language).json()
    assert [change["competition"], one["label"], whole["label"]] == [name] * 3
    assert ask(f"{player}/{change['id']}", language=language).json()["competition"] == name
