"""Snapshots of a tournament: what is printed and exported is what the pages show."""

from __future__ import annotations

import pytest

from pairings.exchange import validation as checks
from pairings.exchange.formats import json as tournament_json
from pairings.exchange.formats import trf, tsh
from pairings.exchange.snapshot import BYE, FORFEIT, PENDING, PLAYED
from pairings.rules.match_state import Result
from pairings.tournaments import actions as tournaments
from pairings.tournaments import closing as tournament_closing
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.files import snapshot
from pairings.tournaments.models import Tournament
from pairings.tournaments.rounds import actions as rounds
from tests.clubhouse import Clubhouse, make_club
from tests.kept import once_a_worker
from tests.tournament_day import (
    end_round,
    entry_of,
    frozen,
    make_tournament,
    play,
    play_round,
    publish,
    round_of,
)

pytestmark = pytest.mark.django_db


@once_a_worker
def club_that_plays() -> tuple[Clubhouse, Tournament]:
    """Round 1 of nine players is played, and round 2 published with only a forfeit."""
    house = make_club("tournoi", size=9)
    tournament = frozen(house, 9)
    play_round(house, tournament, 1)
    house.set_away(entry_of(tournament, house.members[8]), 2)
    second = publish(house, tournament, 2)
    house.mark_absent(second.matches.get(table_number=2), "b")
    return house, tournament


@pytest.fixture
def begun(db):
    return club_that_plays()


@pytest.fixture
def running(begun):
    return begun[1]


def sheet_of(tournament: Tournament, **options):
    fresh = Tournament.objects.select_related("organisation", "rating_list").get(pk=tournament.pk)
    return snapshot.photograph(tournament_standings.sheet_of(fresh), **options)


def test_a_sheet_holds_every_board_with_its_result_and_reason(house, running):
    sheet = sheet_of(running)
    assert [each.number for each in sheet.players] == list(range(1, 10))
    assert sheet.players[0].name == house.members[0].full_name
    assert sheet.players[0].rating == 1900 and sheet.players[0].initial_rank == 1
    first, second = sheet.rounds[:2]
    assert first.closed and [b.kind for b in first.boards] == [PLAYED] * 4 + [BYE]
    assert all(board.reason for board in first.boards)
    assert [b.kind for b in second.boards] == [PENDING, FORFEIT, PENDING, PENDING]
    assert second.boards[1].absent == "b" and second.absent == (9,)
    assert second.boards[0].match == running.rounds.get(number=2).matches.get(table_number=1).pk
    assert sheet.rounds[2].boards == () and not sheet.rounds[2].published
    assert checks.problems_of(sheet) == []


def test_the_standings_are_those_of_the_page(running):
    sheet = sheet_of(running)
    found = tournament_standings.standing(tournament_standings.sheet_of(running))
    assert [line.place for line in sheet.standings] == [row.rank for row in found.rows]
    assert [line.values["pm"].exact for line in sheet.standings] == [
        row.values["pm"] for row in found.rows
    ]
    assert sheet.columns[0].code == "pm" and sheet.standings_after == 2 and not sheet.final


def test_a_draft_is_on_no_sheet(house, running):
    later = running.rounds.get(number=2)
    for match in later.matches.open():
        house.record(match, Result("played", 400, 300))
    end_round(house, later)
    rounds.draw(round=round_of(running, 3), by=house.arbiter, at=house.at)
    assert sheet_of(running).rounds[2].boards == ()


def test_names_are_those_the_reader_may_see(running):
    sheet = sheet_of(running, named=lambda pk: f"Joueur {pk}.")
    assert all(each.name.startswith("Joueur") and not each.last_name for each in sheet.players)
    assert all(each.member_number is None and not each.fee_paid for each in sheet.players)


def test_every_file_can_be_written_from_the_rows(running):
    sheet = sheet_of(running)
    assert tournament_json.read(tournament_json.write(sheet)) == sheet
    assert tsh.read(tsh.write(sheet), name="a", held_on=sheet.held_on).players[0].rating == 1900
    assert trf.write(sheet).count(b"\r\n001 ") == 9


def test_two_winning_games_are_told_game_by_game(house):
    tournament = frozen(house, 2, rules={"winning_games": 2}, round_count=1)
    published = publish(house, tournament, 1)
    games = ((412, 388), (300, 350), (401, 400))
    match = published.matches.get()
    house.record(match, Result("played", games=games))
    sheet = sheet_of(tournament)
    (board,) = sheet.rounds[0].boards
    assert sheet.winning_games == 2 and board.games == games
    assert (board.first_score, board.second_score) == (2, 1)
    assert tournament_json.read(tournament_json.write(sheet)) == sheet


def test_the_final_ranking_is_final_once_the_tournament_is_closed(house):
    tournament = frozen(house, 8)
    for number in range(1, 6):
        play_round(house, tournament, number)
    assert not sheet_of(tournament).final
    tournament_closing.close(tournament=tournament, by=house.arbiter, at=house.at)
    sheet = sheet_of(tournament)
    assert sheet.final and not sheet.provisional
    ranking = tournaments.last_ranking(tournament)
    assert [line.place for line in sheet.standings] == [line["place"] for line in ranking.lines]


def test_before_the_freeze_the_entries_stand_in_the_order_they_will_have(house):
    sheet = sheet_of(make_tournament(house, 4))
    assert [each.initial_rank for each in sheet.players] == [0, 0, 0, 0]
    assert [each.rating for each in sheet.players] == [1900, 1890, 1880, 1870]
    assert sheet.rounds == () and checks.problems_of(sheet) == []


def test_places_are_printed_where_the_page_shows_them(house):
    open_ = frozen(house, 9, system="swiss", round_count=3)
    first = publish(house, open_, 1)  # one has an exemption, which is no game
    assert not sheet_of(open_).is_ranked
    play(house, first)
    assert sheet_of(open_).is_ranked
    assert "is_ranked" not in tournament_json.write(sheet_of(open_)).decode()


def test_a_sheet_costs_three_queries(running, django_assert_num_queries):
    fresh = Tournament.objects.select_related("organisation", "rating_list").get(pk=running.pk)
    with django_assert_num_queries(3):
        snapshot.photograph(tournament_standings.sheet_of(fresh))
