"""Races on real connections (two directors, two desks, one player twice): exactly one wins."""

from __future__ import annotations

from functools import partial

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from pairings.exchange.formats import json as tournament_json
from pairings.matches.models import Decision, Match
from pairings.rules.match_state import Result
from pairings.tournaments import closing as tournament_closing
from pairings.tournaments import rating, registration
from pairings.tournaments.files import snapshot
from pairings.tournaments.models import Entry, FinalRanking, Tournament
from pairings.tournaments.rounds import actions as rounds
from pairings.tournaments.rounds import publishing as round_publishing
from pairings.tournaments.rounds import score_entry
from pairings.tournaments.rounds.score_entry import GridLine
from pairings.tournaments.standings import sheet_of
from ratings.ledger import replay, settlement
from tests.pairings.matches.test_races import together, while_open
from tests.tournament_day import frozen, make_tournament, play_round, publish, round_of

pytestmark = pytest.mark.django_db(transaction=True)
TIMES = range(3)


@pytest.fixture
def club(transactional_db):
    from tests.clubhouse import make_club

    return make_club("tournoi", size=8)


@pytest.fixture
def open_(club):
    return frozen(club, 8)


@pytest.mark.parametrize("_time", TIMES)
def test_two_directors_publishing_one_draft_make_its_matches_once(club, open_, _time):
    drawn = rounds.draw(round=round_of(open_, 1), by=club.arbiter, at=club.at)
    given = {"round": drawn, "at": club.at, "version": drawn.version}
    answers = together(
        lambda: round_publishing.publish(by=club.arbiter, **given),
        lambda: round_publishing.publish(by=club.committee, **given),
    )
    assert sorted(answers) == ["ok", "stale"]
    assert Match.objects.filter(round=drawn).count() == 4


def test_a_swap_while_another_director_publishes_is_in_the_round_or_refused(club, open_):
    drawn = rounds.draw(round=round_of(open_, 1), by=club.arbiter, at=club.at)
    given = {"round": drawn, "at": club.at, "version": drawn.version}
    one, other = (board["first"] for board in drawn.draft[:2])
    answers = together(
        lambda: rounds.swap(one=one, other=other, reason="voisins", by=club.arbiter, **given),
        lambda: round_publishing.publish(by=club.committee, **given),
    )
    assert sorted(answers) == ["ok", "stale"]
    seated = [(match.first_id, match.second_id) for match in Match.objects.filter(round=drawn)]
    boards = [(board["first"], board["second"]) for board in drawn.draft]
    assert sorted(seated) == (sorted(boards) if answers[1] == "ok" else [])


@pytest.mark.parametrize("_time", TIMES)
def test_two_desks_typing_one_slip_leave_one_result(club, open_, _time):
    match = publish(club, open_, 1).matches.get(table_number=1)
    lines = [
        GridLine(match_id=match.pk, version=match.version, result=Result("played", score, 390))
        for score in (410, 411)
    ]
    found: list[str] = []

    def save(line, by):
        answer = score_entry.enter(round=match.round, lines=[line], by=by, at=club.at)[0]
        found.append("saved" if answer.saved else answer.code)

    answers = together(lambda: save(lines[0], club.arbiter), lambda: save(lines[1], club.committee))
    assert answers == ["ok", "ok"]
    assert sorted(found) == ["saved", "stale"]
    assert Decision.objects.filter(match=match).count() == 1


@pytest.mark.parametrize("_time", TIMES)
def test_a_player_entering_from_two_phones_is_entered_once(club, _time):
    made = make_tournament(club, 0)
    member = club.members[0]
    given = {"tournament": made, "member": member, "by": club.player(member), "at": club.at}
    answers = together(
        lambda: registration.enter(source="self", **given),
        lambda: registration.enter(source="self", **given),
    )
    assert sorted(answers) == ["already_entered", "ok"]
    assert Entry.objects.filter(tournament=made).count() == 1


@pytest.mark.parametrize("_time", TIMES)
def test_a_correction_while_the_tournament_closes_is_in_the_ranking_or_refused(club, open_, _time):
    for number in range(1, 6):
        play_round(club, open_, number)
    match = Match.objects.filter(round__tournament=open_, kind="played").order_by("pk").first()
    turned = Result("played", match.second_score, match.first_score)
    answers = together(
        lambda: tournament_closing.close(tournament=open_, by=club.committee, at=club.at),
        lambda: club.correct(match, turned, "inversés"),
    )
    assert answers[0] == "ok"
    assert answers[1] in ("ok", "tournament_closed")
    ranking = FinalRanking.objects.get(tournament=open_)
    from pairings.tournaments import standings as tournament_standings

    now = tournament_closing.lines_of(
        tournament_standings.standing(tournament_standings.sheet_of(open_))
    )
    assert ranking.lines == now


def test_results_handed_over_again_while_their_list_is_rated_are_rated(club, open_):
    """The list read as one that waits would keep the cotes of the results before."""
    by_committee = {"by": club.committee, "at": club.at}
    for number in range(1, 6):
        play_round(club, open_, number)
    tournament_closing.close(tournament=open_, **by_committee)
    rating_list = settlement.list_of(club.organisation, "glicko2")
    period = rating.hand_over(tournament=open_, rating_list=rating_list, **by_committee)
    tournament_closing.reopen(tournament=open_, reason="inversés", **by_committee)
    match = Match.objects.filter(round__tournament=open_, kind="played").order_by("pk").first()
    club.correct(match, Result("played", match.second_score, match.first_score), "inversés")
    tournament_closing.close(tournament=open_, reason="inversés", **by_committee)
    answers = while_open(
        lambda: settlement.settle(period=period, **by_committee),
        lambda: rating.hand_over(tournament=open_, rating_list=rating_list, **by_committee),
    )
    assert answers == ["ok", "ok"]
    assert list(replay.check(rating_list)) == []


def test_two_taps_on_the_import_of_one_file_make_one_tournament(club, open_):
    """Of a short file, which is imported within the request."""
    content = tournament_json.write(snapshot.photograph(sheet_of(open_)))
    clients, statuses = [Client(), Client()], []
    for client in clients:
        client.force_login(club.committee.user)

    def tap(client):
        file = SimpleUploadedFile("open.json", content)
        address = f"/c/{club.organisation.slug}/gestion/reprendre-un-tournoi/"
        statuses.append(client.post(address, {"file": file}).status_code)

    assert together(*(partial(tap, client) for client in clients)) == ["ok", "ok"]
    assert sorted(statuses) == [302, 422]
    assert Tournament.objects.exclude(pk=open_.pk).count() == 1
