"""The first evening of a season compares no place with the season before."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
import time_machine

from pairings.matches.models import Match
from pairings.ranking import live as live_ranking
from pairings.rules.match_state import Result
from ratings.editions import actions as editions
from ratings.ledger.models import Edition

pytestmark = pytest.mark.django_db


def publish(club):
    club.at += timedelta(hours=3)
    return club.publish_edition("Classement")


def change_season(club):
    """Play and publish the last evening of a season; its next one begins after a gap of nine days."""
    first, second, *others = club.members
    club.played(first, second)
    club.close()
    publish(club)
    season = club.season("2028", date(2028, 1, 10), date(2028, 12, 31))
    club.at = club.at.replace(year=2028, month=1, day=5)
    between = club.join("Zoé", joined_on=date(2028, 1, 5))
    club.at = club.at.replace(day=20)
    club.next_evening(days=0)
    assert club.evening.season == season
    club.played(second, others[0])
    return first, between


def ranking(club):
    return live_ranking.ranking(club.organisation, at=club.at, live=True)


def test_nobody_is_new_and_nothing_is_compared_as_a_season_begins(club, as_user, root):
    change_season(club)
    found = ranking(club)
    assert found.since is None
    assert {row.move for row in found.rows} == {None}
    with time_machine.travel(club.at, tick=False):
        page = as_user(None).get(f"{root}/classement/").content.decode()
    assert "nouveau" not in page and "évolution depuis" not in page


def test_the_second_evening_of_a_season_compares_places_with_its_first(club, as_user, root):
    change_season(club)
    club.close()
    first = club.evening
    club.next_evening()
    assert ranking(club).since == first
    newcomer = club.join("Tardif", joined_on=club.evening.held_on)
    row = next(row for row in ranking(club).rows if row.member == newcomer)
    assert row.move is None and not row.opens_season


def test_who_registers_between_two_seasons_is_ranked_in_the_second(club):
    _first, between = change_season(club)
    club.close()
    assert between in [row.member for row in ranking(club).rows]


def test_the_first_publication_of_a_season_counts_no_movement_from_the_season_before(club):
    change_season(club)
    club.close()
    opening = publish(club)
    assert opening.columns["since"] is None
    assert {row["move"] for row in opening.rows} == {None}
    club.next_evening()
    club.played(*club.members[:2])
    club.close()
    assert publish(club).columns["since"] == opening.number


def to_mend(club, as_user):
    """The numbers of the publications whose erratum the committee's first page asks for."""
    with time_machine.travel(club.at, tick=False):
        page = as_user(club.committee.user).get("/gestion/")
    return [
        url.partition("rectifie=")[2] for _words, url in page.context["awaiting"] if "rect" in url
    ]


def correct_last_season(club):
    """Correct the match of the season that is over; a correction moves cotes of both seasons."""
    match = Match.objects.order_by("pk").first()
    club.correct(match, Result("played", 300, 400), "faute de saisie")


def test_the_committee_reads_that_the_final_ranking_of_last_season_needs_an_erratum(club, as_user):
    change_season(club)
    club.close()
    final, opening = Edition.objects.get(), publish(club)
    correct_last_season(club)
    assert to_mend(club, as_user) == [str(opening.number), str(final.number)]
    # An erratum of the older day has the newest number, and hides no newer day.
    editions.publish_erratum(
        of=final, title="Classement final", note="faute", by=club.committee, at=club.at
    )
    assert to_mend(club, as_user) == [str(opening.number)]
