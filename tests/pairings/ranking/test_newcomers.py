"""A member who registers enters the general ranking at once, with the initial cote (002 III.C.2)."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest

from clubs.accounts.actor import Actor
from clubs.members import actions as members
from clubs.members.models import Member
from clubs.organisations.models import Organisation, Season
from pairings.ranking.live import ranking
from tests.clubhouse import NOW

pytestmark = pytest.mark.django_db


def register(organisation, name, at=NOW, **more):
    return members.create(
        organisation=organisation,
        first_name=name,
        last_name="Nouveau",
        by=Actor.system("test"),
        at=at,
        **more,
    )


def rows(organisation, at=NOW, *, live=True):
    return {row.member.first_name: row for row in ranking(organisation, at=at, live=live).rows}


def test_a_newcomer_is_ranked_before_the_first_check_in(club):
    assert "Ana" not in rows(club.organisation)
    register(club.organisation, "Ana")
    for live in (True, False):
        found = rows(club.organisation, live=live)["Ana"]
        assert (found.cote, found.move, found.is_projected) == (1000, None, False)


def test_the_word_of_a_newcomer_stands_behind_the_name_where_places_have_two_digits(club, as_user):
    register(club.organisation, "Ana")
    page = as_user(None).get("/classement/").content.decode()
    row = re.search(r'<a class="list__row"[^>]*>(?:(?!</a>).)*Ana Nouveau.*?</a>', page, re.S)[0]
    row = " ".join(row.split())
    assert '<span class="list__move"></span>' in row
    assert 'Ana Nouveau <small><span class="move">nouveau</span></small>' in row


def test_a_newcomer_is_ranked_in_a_season_without_an_evening(db):
    fresh = Organisation.objects.create(slug="neuf", name="Neuf", created_at=NOW)
    Season.objects.create(
        organisation=fresh, name="1", starts_on=date(2026, 1, 1), ends_on=date(2027, 12, 31)
    )
    register(fresh, "Ana")
    assert list(rows(fresh)) == ["Ana"]


def test_no_page_lists_everybody_at_0_before_the_first_evening(db, as_user):
    fresh = Organisation.objects.create(slug="neuf", name="Neuf", created_at=NOW)
    Season.objects.create(
        organisation=fresh, name="1", starts_on=date(2026, 1, 1), ends_on=date(2027, 12, 31)
    )
    register(fresh, "Ana")
    page = as_user().get("/c/neuf/classement/").content.decode()
    assert "Classement dès la première soirée" in page and "Ana" not in page
    assert "Tête du classement" not in as_user().get("/c/neuf/").content.decode()


@pytest.mark.parametrize(
    "kept_out",
    [
        {"is_guest": True},
        {"is_outsider": True},
        {"left_at": NOW},
        {"joined_on": date(2025, 12, 31)},
        {"joined_on": NOW.date() + timedelta(days=2)},
    ],
)
def test_guests_imported_players_and_members_of_before_enter_by_playing(club, kept_out):
    Member.objects.filter(pk=register(club.organisation, "Ana").pk).update(**kept_out)
    assert "Ana" not in rows(club.organisation)


@pytest.mark.parametrize(("days", "ranked"), [(0, False), (1, True), (2, True)])
def test_a_newcomer_of_a_season_has_registered_after_the_last_day_of_the_one_before(
    club, days, ranked
):
    """`days` after the last one of the season before."""
    over = date(2025, 11, 30)
    Season.objects.create(
        organisation=club.organisation, name="0", starts_on=date(2025, 1, 1), ends_on=over
    )
    new = register(club.organisation, "Ana")
    Member.objects.filter(pk=new.pk).update(joined_on=over + timedelta(days=days))
    assert ("Ana" in rows(club.organisation)) is ranked
