"""The ranking page makes as few queries for thirty members as for ten, uncached too."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.ranking import live as live_ranking
from pairings.ranking import projection, season
from pairings.rules.match_state import Status
from tests.clubhouse import Clubhouse, make_club

pytestmark = pytest.mark.django_db

QUESTIONS = 10
SIGNED_IN = 4  # session, account, member, roles


def play(club: Clubhouse, matches: int) -> None:
    for number in range(matches):
        club.played(scores=(400, 350 + number))


def after_two_evenings(size: int) -> Clubhouse:
    """Close two evenings and start a third: results in, one pending, one contested, one absent."""
    club = make_club("faizers", size=size)
    for _evening in range(2):
        play(club, size // 2)
        club.close()
        club.next_evening()
    play(club, size // 2 - 3)
    club.entered(scores=(1, 2))
    club.contested(scores=(1, 2))
    missed, _players = club.match()
    club.mark_absent(missed, "a")
    return club


@pytest.mark.parametrize("size", [10, 30])
def test_the_ranking_is_a_handful_of_questions_whoever_asks_first(size, client):
    club = after_two_evenings(size)
    for user, more in ((None, 0), (club.members[0].user, SIGNED_IN)):
        if user is not None:
            client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
        for address in ("", "?etat=soiree"):
            live_ranking.kept_rankings.clear()
            with CaptureQueriesContext(connection) as asked:
                answer = client.get(f"/c/faizers/classement/{address}")
            assert answer.status_code == 200
            said = [query["sql"] for query in asked]
            assert len(said) <= QUESTIONS + more, "\n".join(said)
    assert answer.context["page"].paginator.count >= size


def test_the_ranking_in_few_questions_is_the_ranking_asked_part_by_part(db):
    club = after_two_evenings(12)
    evening = club.evening
    found = live_ranking.ranking(club.organisation, at=club.at, live=True)
    assert found is not None
    here = set(evening.check_ins.values_list("member_id", flat=True))
    asked = season.standing(evening.season, evening.rule_book, today=evening.held_on, also=here)
    assert [(row.member, row.rank, row.values) for row in found.rows] == [
        (asked.members[line.player], line.rank, line.values) for line in asked.lines
    ]
    projected = {pk: change.after.rating for pk, change in projection.project(evening).items()}
    assert {row.member.pk: row.projected for row in found.rows if row.is_projected} == projected
    assert (found.waiting_results, found.open_contests, found.live) == (1, 1, True)
    assert found.since is not None and found.since.held_on < evening.held_on
    moves = {row.member.pk: row.move for row in found.rows}
    past = season.standing(
        evening.season, evening.rule_book, today=found.since.held_on, until=found.since.held_on
    )
    ranks = {line.player: line.rank for line in asked.lines}
    assert moves == {
        pk: past.places[pk] - rank if pk in past.places else None for pk, rank in ranks.items()
    }


def test_a_published_ranking_is_that_of_the_last_evening_closed(db):
    club = after_two_evenings(10)
    found = live_ranking.ranking(club.organisation, at=club.at, live=False)
    assert found is not None and found.evening is not None and found.since is not None
    assert found.evening.state == "closed"
    assert found.since.held_on < found.evening.held_on < club.evening.held_on
    assert not any(row.is_projected for row in found.rows)
    assert not found.live


def test_a_ranking_is_kept_until_something_changes_or_the_day_ends(db):
    club = after_two_evenings(10)

    def read(at):
        return live_ranking.ranking(club.organisation, at=at, live=True)

    midnight = (club.at + timedelta(days=1)).astimezone(club.organisation.zone)
    midnight = midnight.replace(hour=0, minute=0, second=0, microsecond=0)
    last = midnight - timedelta(seconds=1)
    before = read(club.at)
    assert before is not None and read(club.at) is before
    assert read(last) is before
    assert read(midnight) is not before
    before = read(club.at)
    match = Match.objects.get(status=Status.SUBMITTED.value)
    match_actions.confirm(match=match, by=club.player(match.second), at=club.at)
    assert read(club.at) is not before


def test_a_process_keeps_the_newest_rankings_alone(db, monkeypatch):
    club = after_two_evenings(10)
    monkeypatch.setattr(live_ranking, "KEPT", 2)
    live, closed = (live_ranking.ranking(club.organisation, at=club.at, live=on) for on in (1, 0))
    assert live_ranking.ranking(club.organisation, at=club.at, live=True) is live
    past = closed.evening
    assert live_ranking.ranking(club.organisation, at=club.at, live=True, after=past) is not None
    assert len(live_ranking.kept_rankings) == 2
    assert live_ranking.ranking(club.organisation, at=club.at, live=False) is closed
    assert live_ranking.ranking(club.organisation, at=club.at, live=True) is not live


def test_a_club_without_an_evening_has_an_empty_ranking(db, client):
    from datetime import date

    from clubs.organisations.models import Organisation, Season

    organisation = Organisation.objects.create(slug="neuf", name="Neuf")
    Season.objects.create(
        organisation=organisation, name="x", starts_on=date(2000, 1, 1), ends_on=date(2100, 1, 1)
    )
    with CaptureQueriesContext(connection) as asked:
        assert client.get("/c/neuf/classement/").status_code == 200
    assert len(asked) <= QUESTIONS
