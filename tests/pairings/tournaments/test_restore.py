"""Export and import of a whole tournament: the same boards, the same ranking, or nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clubs.accounts.actor import Refused
from clubs.journal.models import JournalEntry
from clubs.members import merging
from clubs.members.models import Member
from pairings.exchange.formats import json as tournament_json
from pairings.exchange.formats import tsh
from pairings.exchange.formats.csv_xlsx_reading import EntryLine
from pairings.exchange.problems import FileRefused
from pairings.exchange.snapshot import SheetPlayer
from pairings.matches.models import Decision, Match
from pairings.rules.match_state import Result
from pairings.tournaments import actions as tournaments
from pairings.tournaments import closing as tournament_closing
from pairings.tournaments import registration
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.files import restore as tournament_restore
from pairings.tournaments.files import snapshot
from pairings.tournaments.files.entries import match_lines
from pairings.tournaments.models import Round, Tournament
from tests.sheets import tournament as any_sheet
from tests.tournament_day import (
    end_round,
    entry_of,
    frozen,
    make_tournament,
    play,
    play_round,
    publish,
)

pytestmark = pytest.mark.django_db


def sheet_of(tournament: Tournament):
    fresh = Tournament.objects.select_related("organisation", "rating_list").get(pk=tournament.pk)
    return snapshot.photograph(tournament_standings.sheet_of(fresh))


def restore(club, sheet):
    return tournament_restore.restore(
        sheet=sheet, organisation=club.organisation, digest="abc", by=club.committee, at=club.at
    )


def told(sheet):
    """Return a sheet without what is specific to one tournament of one site: its name in addresses."""
    return replace(sheet, code="", rating_list="", rated_on=None)


def finished(club):
    tournament = frozen(club, 9)
    play_round(club, tournament, 1)
    club.set_away(entry_of(tournament, club.members[7]), 2)
    second = publish(club, tournament, 2)
    for table, absent in ((2, "b"), (3, "both")):
        club.mark_absent(second.matches.get(table_number=table), absent)
    play(club, second)
    end_round(club, second)
    registration.withdraw(
        entry=entry_of(tournament, club.members[3]),
        number=3,
        by=club.arbiter,
        at=club.at,
    )
    for number in (3, 4, 5):
        play_round(club, tournament, number)
    tournament_closing.close(tournament=tournament, by=club.arbiter, at=club.at)
    return tournament


def test_a_finished_tournament_comes_back_equal_through_its_file(house):
    before = sheet_of(finished(house))
    content = tournament_json.write(before)
    done = restore(house, tournament_json.read(content))
    after = sheet_of(done.tournament)
    assert told(after) == told(before)
    assert done.guests == 0 and done.differences == ()
    assert done.tournament.state == Tournament.State.CLOSED
    assert tournaments.last_ranking(done.tournament) is not None
    lines = JournalEntry.objects.filter(verb="tournament_restored")
    assert lines.count() == 1 and lines.get().after["digest"] == "abc"


def test_a_board_that_is_a_repeat_comes_back_as_one(house):
    before = sheet_of(finished(house))
    first, *others = before.rounds
    boards = [replace(board, is_repeat=not board.is_repeat) for board in first.boards]
    changed = replace(before, rounds=(replace(first, boards=tuple(boards)), *others))
    done = restore(house, tournament_json.read(tournament_json.write(changed)))
    after = sheet_of(done.tournament).rounds[0].boards
    assert [board.is_repeat for board in after] == [board.is_repeat for board in boards]


def test_the_reasons_of_a_file_name_nobody(house, as_user):
    """They are shown to every reader of the new tournament, as no name is without its person's choice."""
    private = house.members[1]
    house.edit(private, {"visibility": "initials"})
    made = frozen(house, 6, system="swiss", round_count=3)
    for number in (1, 2, 3):
        play_round(house, made, number)
    sheet = sheet_of(made)
    reasons = [board.reason for each in sheet.rounds for board in each.boards]
    assert any("nº 2 commence" in reason for reason in reasons)
    assert not any(player.name in "".join(reasons) for player in sheet.players)

    first, *others = sheet.rounds[0].boards
    named = (
        f"moitié haute contre moitié basse ; {private.full_name} commence, pas {private.full_name}2"
    )
    older = replace(sheet.rounds[0], boards=(replace(first, reason=named), *others))
    done = restore(house, replace(sheet, rounds=(older, *sheet.rounds[1:])))
    match = Match.objects.get(round__tournament=done.tournament, round__number=1, table_number=1)
    assert match.pairing_reason["reason"] == (
        f"moitié haute contre moitié basse ; nº 2 commence, pas {private.full_name}2"
    )
    page = as_user().get(f"{done.tournament.get_absolute_url()}ronde/2/").content.decode()
    assert "commence" in page and private.full_name not in page


def test_hours_fee_and_director_come_back_too(house):
    details = {"minutes": 30, "byoyomi": 40, "round_minutes": 90, "split_after": 2}
    tournament = make_tournament(house, 4, fee="5 €", director="Léa", round_count=3, **details)
    before = sheet_of(tournament)
    assert before.split_after == 2 and before.director == "Léa" and before.fee == "5 €"
    after = sheet_of(restore(house, tournament_json.read(tournament_json.write(before))).tournament)
    assert told(after) == told(before)


@pytest.mark.parametrize(
    ("rounds_a_day", "minutes"), [(None, 75), (1, 75), (2, 75), (3, 75), (1, 7 * 24 * 60)]
)
def test_a_file_keeps_how_many_rounds_each_day_has(house, rounds_a_day, minutes):
    """By the starts of its rounds: what is planned again after the import stays in their days."""
    details = {"rounds_a_day": rounds_a_day, "round_minutes": minutes}
    tournament = make_tournament(house, 4, round_count=3, **details)
    tournaments.freeze(tournament=tournament, by=house.committee, at=house.at)
    before = sheet_of(tournament)
    made = restore(house, tournament_json.read(tournament_json.write(before))).tournament
    assert made.rounds_a_day == (rounds_a_day if rounds_a_day in (1, 2) else None)
    tournaments.edit(tournament=made, changes={"round_count": 4}, by=house.committee, at=house.at)
    starts = [each.starts_at for each in sheet_of(made).rounds]
    planned = [tournaments.starts_at(tournament, number) for number in (1, 2, 3, 4)]
    known = 3 if rounds_a_day == 3 else 4  # of three a day a file of one day says nothing
    assert starts[:known] == planned[:known]


@pytest.mark.parametrize(
    "act",
    [
        lambda s: replace(s, players=(replace(s.players[0], initial_rank=10**12), *s.players[1:])),
        lambda s: replace(
            s, players=(replace(s.players[0], name="N" * 61, first_name=""), *s.players[1:])
        ),
    ],
)
def test_a_number_or_a_name_that_no_database_holds_is_refused(house, act):
    with pytest.raises(FileRefused):
        restore(house, act(sheet_of(make_tournament(house, 4))))


def test_every_result_brought_back_has_its_line_and_frees_its_players(house):
    done = restore(house, sheet_of(finished(house)))
    matches = Match.objects.filter(round__tournament=done.tournament)
    assert Decision.objects.filter(match__in=matches).count() == matches.count()
    assert not matches.open().exists()
    assert not house.members[0].seats.filter(live=True).exists()


def test_a_round_half_played_goes_on_where_it_stood(house):
    tournament = frozen(house, 8)
    play_round(house, tournament, 1)
    second = publish(house, tournament, 2)
    first = second.matches.get(table_number=1)
    house.record(first, Result("played", 410, 390))
    sheet = sheet_of(tournament)
    # Its players become free only once the first tournament's round is over.
    with pytest.raises(Refused):
        restore(house, sheet)
    assert Tournament.objects.count() == 1
    play(house, second)
    done = restore(house, sheet)
    again = done.tournament.rounds.get(number=2)
    assert again.state == Round.State.PUBLISHED and again.matches.open().count() == 3
    play(house, again)
    end_round(house, again)
    play_round(house, done.tournament, 3)


def test_a_late_arrival_keeps_their_last_place_in_the_initial_ranking(house):
    tournament = frozen(house, 8)
    play_round(house, tournament, 1)
    house.enter(tournament, house.members[8], cote=2500)
    before = sheet_of(tournament)
    assert [p.rating for p in before.players if p.initial_rank == 9] == [2500]
    assert before.rounds[0].absent == (9,)
    assert told(sheet_of(restore(house, before).tournament)) == told(before)


def test_entries_only_come_back_as_entries(house):
    sheet = sheet_of(make_tournament(house, 6))
    done = restore(house, sheet)
    assert done.tournament.state == Tournament.State.ENTRIES
    assert told(sheet_of(done.tournament)) == told(sheet)


def test_two_winning_games_come_back_game_by_game(house):
    tournament = frozen(house, 2, rules={"winning_games": 2}, round_count=1)
    match = publish(house, tournament, 1).matches.get()
    games = ((412, 388), (300, 350), (401, 400))
    house.record(match, Result("played", games=games))
    end_round(house, tournament.rounds.get())
    before = sheet_of(tournament)
    assert told(sheet_of(restore(house, before).tournament)) == told(before)


def test_people_of_another_club_become_guests(house):
    sheet = any_sheet(9, 3, pending=False)
    sheet = replace(
        sheet,
        settings={},
        rounds=tuple(replace(each, closed=True) for each in sheet.rounds),
        standings=(),
        columns=(),
    )
    done = restore(house, sheet)
    assert done.guests == 9
    assert Member.objects.filter(last_name="Țurcanu", is_guest=True).count() == 1
    found = sheet_of(done.tournament)
    assert [p.name for p in found.players] == [p.name for p in sheet.players]
    assert [len(each.boards) for each in found.rounds] == [len(e.boards) for e in sheet.rounds]


def test_a_tsh_division_becomes_a_tournament_with_its_ranking_computed_here(house):
    division = tsh.write(sheet_of(finished(house)))
    sheet = tsh.read(division, name="Division A", held_on=any_sheet().held_on)
    done = restore(house, sheet)
    assert done.guests == 0 and done.tournament.name == "Division A"
    found = sheet_of(done.tournament)
    assert len(found.rounds) == 5 and all(each.closed for each in found.rounds)
    assert found.standings and found.columns[0].code == "pm"


def test_a_place_that_differs_from_the_file_is_named(house):
    sheet = sheet_of(finished(house))
    first, second, *rest = sheet.standings
    turned = (replace(first, player=second.player), replace(second, player=first.player), *rest)
    done = restore(house, replace(sheet, standings=turned))
    names = {sheet.by_number[first.player].name, sheet.by_number[second.player].name}
    assert set(done.differences) == names


def test_two_of_a_name_are_compared_with_the_file_each_at_their_own_place(house):
    one, other = house.members[:2]
    Member.objects.filter(pk=other.pk).update(
        first_name=one.first_name, last_name=one.last_name, search_name=one.search_name
    )
    sheet = sheet_of(finished(house))
    assert restore(house, sheet).differences == ()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "T" * 121}, "120 caractères"),
        ({"settings": {"luck": 7}}, "luck"),
        ({"system": "roulette"}, "système"),
        ({"players": ()}, "deux inscrits"),
        ({"rounds_planned": 99}, "rondes"),
        ({"minutes": -1}, "minutes"),
        ({"split_after": 0}, "split_after"),
        ({"director": "D" * 81}, "80 caractères"),
    ],
)
def test_what_this_site_cannot_hold_is_refused_and_nothing_is_left(house, changes, words):
    sheet = sheet_of(make_tournament(house, 6))
    before = Tournament.objects.count(), Member.objects.count()
    with pytest.raises((FileRefused, Refused)) as refused:
        restore(house, replace(sheet, **changes))
    assert words in str(refused.value)
    assert (Tournament.objects.count(), Member.objects.count()) == before


def test_two_of_a_name_are_told_apart_by_their_number_or_refused(house):
    one, other = house.members[:2]
    Member.objects.filter(pk=other.pk).update(
        first_name=one.first_name, last_name=one.last_name, search_name=one.search_name
    )
    sheet = sheet_of(make_tournament(house, 4))
    assert restore(house, sheet).guests == 0
    nameless = tuple(replace(p, member_number=None) for p in sheet.players)
    with pytest.raises(FileRefused, match="plusieurs membres"):
        restore(house, replace(sheet, players=nameless))


def test_a_round_after_one_that_is_not_over_is_refused(house):
    sheet = any_sheet(6, 3)
    opened = replace(sheet.rounds[0], closed=False)
    with pytest.raises(FileRefused, match="n’est pas terminée"):
        restore(house, replace(sheet, rounds=(opened, *sheet.rounds[1:])))


def merged_guest(house):
    guest, member = house.join("Gaspard", "Ferré", is_guest=True), house.members[8]
    by, at = house.committee, house.at
    merging.merge_guest(guest=guest, into=member, by=by, at=at, reason="le même")
    return guest, member


def test_a_file_that_names_a_merged_guest_means_the_member(house):
    _guest, member = merged_guest(house)
    sheet = replace(any_sheet(), players=())
    player = SheetPlayer(number=1, name="Gaspard Ferré")
    found, unknown, problems = tournament_restore.people_of(
        replace(sheet, players=(player,)), house.organisation
    )
    assert (found, unknown, problems) == ({1: member}, [], [])


def test_a_file_that_names_a_merged_guest_and_the_member_means_two_people(house):
    """Of somebody else who has the guest's name, that person is meant."""
    _guest, member = merged_guest(house)
    players = (
        SheetPlayer(number=1, name="Gaspard Ferré"),
        SheetPlayer(number=2, name=member.full_name),
    )
    sheet = replace(any_sheet(), players=players)
    found, unknown, problems = tournament_restore.people_of(sheet, house.organisation)
    assert (found, unknown, problems) == ({2: member}, [players[0]], [])
    namesake = house.join("Gaspard", "Ferré")
    found, unknown, _problems = tournament_restore.people_of(sheet, house.organisation)
    assert (found, unknown) == ({1: namesake, 2: member}, [])


def test_a_file_of_entries_that_names_a_merged_guest_enters_the_member(house):
    _guest, member = merged_guest(house)
    tournament = make_tournament(house, 4)
    line = EntryLine(line=2, first_name="Gaspard", last_name="Ferré")
    (matched,) = match_lines(tournament, [line])
    assert (matched.member, matched.problem) == (member, "")


def test_a_letter_that_nobody_sees_makes_no_guest_beside_the_member(house):
    member = house.members[0]
    name = f"{member.first_name}\u200b {member.last_name}\u3164"
    sheet = replace(any_sheet(), players=(SheetPlayer(number=1, name=name),))
    found, unknown, problems = tournament_restore.people_of(sheet, house.organisation)
    assert (found, unknown, problems) == ({1: member}, [], [])
