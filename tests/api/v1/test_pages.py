"""A list that grows is paged by its key: what is added meanwhile repeats and hides nothing."""

from __future__ import annotations

import pytest
from django.test import Client

from clubs.members.models import Member
from pairings.matches.models import Match
from tests.clubhouse import Clubhouse

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
