"""A tournament from entries to the final ranking, through the actions (004)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clubs.accounts.actor import Refused
from clubs.journal.models import JournalEntry
from clubs.members.models import Member
from pairings.arbitration.models import Contest
from pairings.evenings import pairing
from pairings.matches import actions as match_actions
from pairings.matches.models import Match, Seat
from pairings.rules.match_state import Result
from pairings.tournaments import actions as tournaments
from pairings.tournaments import closing as tournament_closing
from pairings.tournaments import rating as tournament_rating
from pairings.tournaments import registration
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.models import FinalRanking, Round, RoundDraw, Tournament
from pairings.tournaments.rounds import actions as rounds
from pairings.tournaments.rounds import publishing as round_publishing
from pairings.tournaments.rounds import score_entry
from pairings.tournaments.rounds.score_entry import GridLine
from ratings.ledger import settlement
from ratings.ledger.models import LedgerEntry, RatedGame, RatingList
from tests.clubhouse import make_club
from tests.tournament_day import (
    end_round,
    entry_of,
    frozen,
    make_tournament,
    play,
    play_round,
    publish,
    round_of,
    score_of,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def house(db):
    """Return a club of twenty-three players, an arbiter and a committee."""
    return make_club("tournoi", size=23)


@pytest.fixture
def small(db):
    return make_club("petit", size=9)


def refused(call, **arguments) -> str:
    with pytest.raises(Refused) as caught:
        call(**arguments)
    return caught.value.code


def test_a_director_runs_23_players_from_entries_to_the_final_ranking(house):
    club, people = house, house.members
    open_ = make_tournament(club)
    assert tournaments.tournament_rules.rounds_of(open_, 23) == 5
    open_ = tournaments.freeze(tournament=open_, by=club.committee, at=club.at)
    assert [r.number for r in open_.rounds.order_by("number")] == [1, 2, 3, 4, 5]

    # Round 1: two announced absences make 21 players, so one of them meets X.
    for member in people[4:6]:
        club.set_away(entry_of(open_, member), 1)
    drawn = rounds.draw(round=round_of(open_, 1), by=club.arbiter, at=club.at)
    assert len(drawn.draft) == 11
    assert [b["second"] for b in drawn.draft].count(None) == 1
    one, other = drawn.draft[0]["first"], drawn.draft[1]["first"]
    swapped = rounds.swap(
        round=drawn, one=one, other=other, reason="même famille", by=club.arbiter, at=club.at
    )
    assert swapped.draft[0]["first"] == other
    assert swapped.draft[0]["why"] == {"reason": "swap", "words": "même famille"}
    assert not Match.objects.filter(round__tournament=open_).exists()
    published = round_publishing.publish(round=swapped, by=club.arbiter, at=club.at)

    # A forfeit at table 3; a contest at table 1, from two phones; the rest at the desk.
    third = published.matches.get(table_number=3)
    club.mark_absent(third, "b")
    first = published.matches.get(table_number=1)
    a, b = club.player(first.first), club.player(first.second)
    match_actions.enter_score(match=first, by=a, mine=420, theirs=380, at=club.at)
    match_actions.contest(match=first, by=b, words="380 à 420", at=club.at)
    assert (
        refused(round_publishing.close, round=published, by=club.arbiter, at=club.at)
        == "open_matches"
    )
    club.decide(first, Result("played", 380, 420), "feuille relue")
    play(club, published)
    end_round(club, published)
    found = tournament_standings.standing(tournament_standings.sheet_of(open_))
    values = {row.entry.member_id: row.values for row in found.rows}
    assert (values[third.first_id]["pm"], values[third.first_id]["pdep"]) == (3, 10)
    assert (values[third.second_id]["pm"], values[third.second_id]["pdep"]) == (0, -10)
    assert (values[first.second_id]["pm"], values[first.second_id]["pdep"]) == (3, 40)
    assert values[people[4].pk]["pm"] == 0
    bye = published.matches.get(second__isnull=True)
    assert (values[bye.first_id]["pm"], values[bye.first_id]["pdep"]) == (3, 10)

    # Both come back for round 2; one of them gives up after it and returns for round 4.
    played = play_round(club, open_, 2)
    assert (
        played.matches.filter(first__in=people[4:6]).exists()
        or played.matches.filter(second__in=people[4:6]).exists()
    )
    leaver = entry_of(open_, people[4])
    registration.withdraw(entry=leaver, number=3, by=club.arbiter, at=club.at)
    play_round(club, open_, 3)
    registration.come_back(entry=leaver, number=4, by=club.arbiter, at=club.at)
    leaver.refresh_from_db()
    assert (leaver.withdrawn_from, leaver.away) == (None, [1, 3])
    play_round(club, open_, 4)
    play_round(club, open_, 5)
    final = tournament_closing.close(tournament=open_, by=club.arbiter, at=club.at)
    assert final.number == 1
    assert len(final.lines) == 23
    assert final.lines[0]["place"] == 1
    entry = JournalEntry.objects.get(verb="tournament_closed")
    kept = f"{final.lines} {entry.before} {entry.after}"  # neither row can be changed later
    assert not [person for person in people if person.last_name in kept]
    pm = [int(line["values"]["pm"]) for line in final.lines]
    assert pm == sorted(pm, reverse=True)
    counted = Match.objects.filter(round__tournament=open_, counts=True)
    assert {m.round.number for m in counted.select_related("round")} == {1, 2, 3, 4, 5}


def test_everybody_present_has_one_match_a_round(house):
    open_ = frozen(house)
    for number in range(1, 6):
        published = play_round(house, open_, number)
        seated = [
            pk
            for match in published.matches.all()
            for pk in (match.first_id, match.second_id)
            if pk is not None
        ]
        assert sorted(seated) == sorted(m.pk for m in house.members)


@pytest.mark.parametrize(
    ("size", "rounds_wanted", "accepted"), [(7, None, False), (8, None, True), (7, 3, True)]
)
def test_outside_8_to_128_the_organiser_sets_the_rounds(small, size, rounds_wanted, accepted):
    open_ = make_tournament(small, size, round_count=rounds_wanted)
    if accepted:
        assert tournaments.freeze(tournament=open_, by=small.committee, at=small.at).rounds.exists()
    else:
        code = refused(tournaments.freeze, tournament=open_, by=small.committee, at=small.at)
        assert code == "rounds_needed"


def test_a_member_enters_once_and_only_themselves(small):
    open_ = make_tournament(small, 3)
    newcomer = small.members[5]
    enter = {"tournament": open_, "at": small.at}
    assert refused(registration.enter, member=newcomer, by=small.player(small.members[6]), **enter)
    entry = registration.enter(member=newcomer, by=small.player(newcomer), source="self", **enter)
    assert entry.initial is None
    assert (
        refused(registration.enter, member=newcomer, by=small.committee, **enter)
        == "already_entered"
    )


@pytest.mark.parametrize(
    ("system", "start"), [("faizers", 1000), ("glicko2", 1500), ("fisf", 1400), ("absp", 0)]
)
def test_somebody_never_rated_enters_with_the_number_their_list_starts_from(small, system, start):
    """002 III.C.2: as the club shows it, so that they are not placed below all who lost."""
    listed, _made = RatingList.objects.get_or_create(
        organisation=small.organisation,
        slug=system,
        defaults={"name": system, "system": system},
    )
    open_ = make_tournament(small, 0, rating_list=listed)
    entry = small.enter(open_, small.members[0])
    assert (entry.cote, entry.cote_origin) == (start, "")


def test_the_initial_ranking_is_by_cote_then_alphabetical_and_then_frozen(small):
    open_ = make_tournament(small, 0, round_count=3)
    for member in (small.members[2], small.members[0], small.members[1]):
        small.enter(open_, member, cote=1500)
    small.enter(open_, small.members[3], cote=1501)
    open_ = tournaments.freeze(tournament=open_, by=small.committee, at=small.at)
    order = [entry.member for entry in open_.entries.order_by("initial")]
    assert order == [small.members[3], *small.members[:3]]
    entry = entry_of(open_, small.members[0])
    assert (
        refused(
            registration.edit_entry,
            entry=entry,
            changes={"cote": 1900},
            by=small.committee,
            at=small.at,
        )
        == "frozen"
    )


def test_004_2_two_of_one_name_are_placed_in_the_order_of_their_entries(small):
    """Whatever order the database reads them in: a row that was changed may come last."""
    names = {"first_name": "Marie", "last_name": "Martin", "sort_name": "martin marie"}
    Member.objects.filter(pk__in=[member.pk for member in small.members[:2]]).update(**names)
    open_ = make_tournament(small, 0)
    for member in (small.members[1], small.members[0], *small.members[2:8]):
        member.refresh_from_db()
        small.enter(open_, member, cote=1500)
    first, second = open_.entries.order_by("pk")[:2]
    registration.edit_entry(entry=first, changes={"paid": True}, by=small.committee, at=small.at)
    read = list(open_.entries.select_related("member").order_by("-pk"))
    order = [entry.pk for entry in tournaments.initial_order(read)]
    assert order.index(first.pk) + 1 == order.index(second.pk)
    tournaments.freeze(tournament=open_, by=small.committee, at=small.at)
    for entry in (first, second):
        entry.refresh_from_db()
    assert first.initial + 1 == second.initial


def test_a_latecomer_is_placed_last_and_joins_the_next_round(small):
    open_ = frozen(small, 8)
    publish(small, open_, 1)
    late = small.enter(open_, small.members[8], cote=1999, by=small.arbiter)
    assert (late.initial, late.first_round) == (9, 2)


def test_a_latecomer_takes_the_place_of_the_fictive_player(small):
    open_ = frozen(small, 9)
    gone = small.members[8]
    published = publish(small, open_, 1)
    bye = published.matches.get(second__isnull=True)
    newcomer = small.enter(open_, small.arbiter.member, cote=1000)
    match = round_publishing.pair_late(
        round=published,
        first=bye.first_id,
        second=newcomer.member_id,
        reason="arrivé à 9 h 05",
        by=small.committee,
        at=small.at,
    )
    bye.refresh_from_db()
    assert bye.status == "cancelled"
    assert (match.first_id, match.second_id) == (bye.first_id, newcomer.member_id)
    newcomer.refresh_from_db()
    assert newcomer.first_round == 1
    assert gone.pk in {e.member_id for e in open_.entries.all()}


def test_the_next_round_waits_for_every_result(small):
    open_ = frozen(small, 8)
    publish(small, open_, 1)
    code = refused(rounds.draw, round=round_of(open_, 2), by=small.arbiter, at=small.at)
    assert code == "open_matches"


def test_every_draw_is_archived_with_what_went_in(small):
    open_ = frozen(small, 8)
    for _again in range(2):
        rounds.draw(round=round_of(open_, 1), by=small.arbiter, at=small.at)
    draws = RoundDraw.objects.filter(round__tournament=open_).order_by("pk")
    assert len(draws) == 2
    assert draws[0].given["present"] == sorted(m.pk for m in small.members[:8])
    assert draws[0].outcome["pairs"][0]["reason"] == "table"


def test_a_locked_board_survives_another_draw(house):
    open_ = frozen(house)
    drawn = rounds.draw(round=round_of(open_, 1), by=house.arbiter, at=house.at)
    one, two = house.members[0], house.members[1]
    rounds.pair_by_hand(
        round=drawn,
        first=one.pk,
        second=two.pk,
        reason="covoiturage",
        by=house.arbiter,
        at=house.at,
    )
    again = rounds.draw(round=round_of(open_, 1), by=house.arbiter, at=house.at)
    assert [(b["first"], b["second"]) for b in again.draft if b["locked"]] == [(one.pk, two.pk)]
    seated = rounds.round_drafts.players_of(again.draft)
    assert sorted(seated) == sorted(m.pk for m in house.members)


def test_pairing_by_hand_puts_those_left_alone_together(small):
    open_ = frozen(small, 8)
    drawn = rounds.draw(round=round_of(open_, 1), by=small.arbiter, at=small.at)
    (a, b), (c, d) = [(x["first"], x["second"]) for x in drawn.draft[:2]]
    drawn = rounds.pair_by_hand(
        round=drawn, first=a, second=c, reason="demande", by=small.arbiter, at=small.at
    )
    pairs = {frozenset((x["first"], x["second"])) for x in drawn.draft}
    assert frozenset((a, c)) in pairs
    assert frozenset((b, d)) in pairs


@pytest.mark.parametrize("verb", ["swap", "pair_by_hand"])
def test_a_draft_is_not_changed_without_a_reason(small, verb):
    open_ = frozen(small, 8)
    drawn = rounds.draw(round=round_of(open_, 1), by=small.arbiter, at=small.at)
    ids = [small.members[0].pk, small.members[1].pk]
    names = ("one", "other") if verb == "swap" else ("first", "second")
    arguments = dict(zip(names, ids, strict=True))
    code = refused(
        getattr(rounds, verb),
        round=drawn,
        reason="  ",
        by=small.arbiter,
        at=small.at,
        **arguments,
    )
    assert code == "reason_required"


def test_a_page_read_before_another_director_acted_is_refused(small):
    open_ = frozen(small, 8)
    drawn = rounds.draw(round=round_of(open_, 1), by=small.arbiter, at=small.at)
    read = drawn.version
    rounds.set_lock(round=drawn, player=small.members[0].pk, on=True, by=small.arbiter, at=small.at)
    for verb in (rounds.draw, round_publishing.publish):
        assert refused(verb, round=drawn, by=small.committee, at=small.at, version=read) == "stale"


def test_who_is_announced_absent_after_the_draw_is_not_published(small):
    open_ = frozen(small, 8)
    drawn = rounds.draw(round=round_of(open_, 1), by=small.arbiter, at=small.at)
    small.set_away(entry_of(open_, small.members[3]), 1)
    assert refused(round_publishing.publish, round=drawn, by=small.arbiter, at=small.at) == "absent"


def test_a_round_is_unpublished_while_it_has_no_result(small):
    open_ = frozen(small, 9)
    published = publish(small, open_, 1)
    back = round_publishing.unpublish(
        round=published, reason="salle changée", by=small.arbiter, at=small.at
    )
    assert back.state == Round.State.DRAFT
    assert not Seat.objects.filter(match__round=back, live=True).exists()
    again = round_publishing.publish(round=back, by=small.arbiter, at=small.at)
    match = again.matches.exclude(status="cancelled").filter(second__isnull=False).first()
    small.record(match, Result("played", 400, 300))
    assert (
        refused(
            round_publishing.unpublish, round=again, reason="non", by=small.arbiter, at=small.at
        )
        == "has_results"
    )
    line = JournalEntry.objects.filter(verb="round_unpublished").get()
    assert line.reason == "salle changée"


def test_phones_confirm_a_tournament_match_as_in_an_evening(small):
    open_ = frozen(small, 8, match_rules={"contest_window_s": 120})
    match = publish(small, open_, 1).matches.get(table_number=1)
    a, b = small.player(match.first), small.player(match.second)
    match_actions.enter_score(match=match, by=a, mine=401, theirs=399, at=small.at)
    match.refresh_from_db()
    assert match.contest_until == small.at + timedelta(seconds=120)
    match_actions.confirm(match=match, by=b, at=small.at)
    match.refresh_from_db()
    assert (match.status, match.why, match.counts) == ("final", "confirmed", True)


def test_a_forfeit_in_a_tournament_is_no_absence_of_the_ladder(small):
    open_ = frozen(small, 8)
    match = publish(small, open_, 1).matches.get(table_number=1)
    small.mark_absent(match, "a")
    assert match.absences.count() == 0


def test_the_desk_against_another_entry_of_a_phone_goes_to_the_arbiter(small):
    open_ = frozen(small, 8)
    match = publish(small, open_, 1).matches.get(table_number=1)
    match_actions.enter_score(
        match=match, by=small.player(match.first), mine=400, theirs=300, at=small.at
    )
    small.record(match, Result("played", 300, 400))
    contest = Contest.objects.get(match=match)
    assert (contest.subject, contest.first_score, contest.second_score) == ("versions", 300, 400)


def grid(match, *scores) -> GridLine:
    result = Result("played", *scores)
    return GridLine(match_id=match.pk, version=match.version, result=result)


def test_the_grid_saves_what_is_new_and_refuses_what_somebody_changed(small):
    open_ = frozen(small, 8)
    published = publish(small, open_, 1)
    matches = list(published.matches.order_by("table_number"))
    read = [grid(m, 410 + n, 390) for n, m in enumerate(matches[:3])]
    match_actions.record(
        match=matches[1], result=Result("played", 500, 200), by=small.committee, at=small.at
    )
    answers = score_entry.enter(round=published, lines=read, by=small.arbiter, at=small.at)
    assert [(a.saved, a.code) for a in answers] == [(True, ""), (False, "stale"), (True, "")]
    assert "500" in answers[1].refused
    matches[1].refresh_from_db()
    assert (matches[1].first_score, matches[1].second_score) == (500, 200)


def test_the_grid_notes_no_absence_of_players_who_were_started_meanwhile(small, monkeypatch):
    published = publish(small, frozen(small, 8), 1)
    match = published.matches.get(table_number=1)
    line = GridLine(match.pk, match.version, Result("absent", absent="a"))
    mark_absent = match_actions.mark_absent

    def after_somebody_started_it(**given):
        match_actions.start(match=match, by=small.committee, at=small.at)
        return mark_absent(**given)

    monkeypatch.setattr(match_actions, "mark_absent", after_somebody_started_it)
    (answer,) = score_entry.enter(round=published, lines=[line], by=small.arbiter, at=small.at)
    assert (answer.saved, answer.code, answer.match.status) == (False, "stale", "playing")


def test_the_same_grid_twice_changes_nothing(small):
    open_ = frozen(small, 8)
    published = publish(small, open_, 1)
    match = published.matches.get(table_number=1)
    line = grid(match, 410, 390)
    score_entry.enter(round=published, lines=[line], by=small.arbiter, at=small.at)
    answer = score_entry.enter(round=published, lines=[line], by=small.arbiter, at=small.at)[0]
    assert (answer.saved, answer.refused) == (False, "")
    assert match.decisions.count() == 1


def test_a_typing_slip_is_mended_in_the_grid_until_a_second_person_has_read_it(small):
    open_ = frozen(small, 8)
    published = publish(small, open_, 1)
    match = published.matches.get(table_number=1)

    def save(first, second, reason="Lu 140"):
        match.refresh_from_db()
        by, line = small.arbiter, grid(match, first, second)
        return score_entry.enter(round=published, lines=[line], by=by, at=small.at, reason=reason)[
            0
        ]

    save(140, 390, reason="")
    assert save(410, 390, reason="").code == "reason_required"
    assert save(410, 390).saved
    assert match.decisions.last().reason == "Lu 140"
    match.refresh_from_db()
    assert match.decisions.count() == 2
    check = {"match": match, "version": match.version, "at": small.at}
    assert refused(score_entry.check, by=small.arbiter, **check) == "same_person"
    assert score_entry.check(by=small.committee, **check).is_checked
    entry = JournalEntry.objects.get(verb="match_checked")
    assert (entry.actor, entry.subject) == (small.committee.user, f"match:{match.pk}")
    assert save(411, 390).code == "final"


TWO = {"winning_games": 2}


@pytest.mark.parametrize(
    ("games", "code"),
    [
        ((), "no_game"),
        (((400, 300),), "unfinished"),
        (((400, 300), (300, 400)), "unfinished"),
        (((400, 300), (400, 300), (1, 2)), "already_won"),
        (((400, 300), (400, 300), (400, 300)), "already_won"),
        (((400, 300), (300, 400), (350, 350), (5, 6)), "too_many"),
    ],
)
def test_a_two_win_match_has_two_wins_and_no_more(small, games, code):
    open_ = frozen(small, 8, rules=TWO)
    match = publish(small, open_, 1).matches.get(table_number=1)
    result = Result("played", games=games)
    code_given = refused(
        match_actions.record, match=match, result=result, by=small.arbiter, at=small.at
    )
    assert code_given == code


def test_a_two_win_match_counts_the_pdep_of_each_game(small):
    open_ = frozen(small, 8, rules=TWO)
    published = publish(small, open_, 1)
    match = published.matches.get(table_number=1)
    match_actions.submit(
        match=match,
        scores=(None, None),
        games=((500, 300), (390, 400), (401, 400)),
        by=small.player(match.first),
        at=small.at,
    )
    match_actions.confirm(match=match, by=small.player(match.second), at=small.at)
    match.refresh_from_db()
    assert (match.first_score, match.second_score) == (2, 1)
    found = tournament_standings.standing(tournament_standings.sheet_of(open_))
    values = {row.entry.member_id: row.values for row in found.rows}
    assert values[match.first_id]["pdep"] == 100 - 10 + 1
    assert values[match.second_id]["pdep"] == -91


def test_standings_are_live_and_say_who_is_still_playing(small):
    open_ = frozen(small, 8)
    published = publish(small, open_, 1)
    match = published.matches.get(table_number=2)
    small.record(match, Result("played", 430, 300))
    found = tournament_standings.standing(tournament_standings.sheet_of(open_))
    assert (found.live, found.final, found.missing) == (True, False, 3)
    assert found.rows[0].entry.member_id == match.first_id
    assert not found.rows[0].awaits
    assert sum(row.awaits for row in found.rows) == 6


def test_possible_places_narrow_to_one_at_the_end(small):
    open_ = frozen(small, 8)
    for number in range(1, 4):
        play_round(small, open_, number)
    sheet = tournament_standings.sheet_of(open_)
    places = [row.places for row in tournament_standings.standing(sheet).rows]
    assert all(p is not None and p.best <= p.worst for p in places)
    play_round(small, open_, 4)
    published = publish(small, open_, 5)
    before = tournament_standings.standing(tournament_standings.sheet_of(open_))
    bounds = {row.entry.member_id: row.places for row in before.rows}
    play(small, published)
    end_round(small, published)
    final = tournament_standings.standing(tournament_standings.sheet_of(open_))
    assert final.final
    for row in final.rows:
        held = bounds[row.entry.member_id]
        assert held.best <= row.rank <= held.worst


def play_all(club, tournament, count=5):
    for number in range(1, count + 1):
        play_round(club, tournament, number)


def test_games_are_posted_to_each_list_once(small):
    open_ = frozen(small, 8)
    play_all(small, open_)
    tournament_closing.close(tournament=open_, by=small.committee, at=small.at)
    rating_list = settlement.list_of(small.organisation, "faizers")
    for _again in range(2):
        period = tournament_rating.hand_over(
            tournament=open_, rating_list=rating_list, by=small.committee, at=small.at
        )
    assert RatedGame.objects.filter(period=period).count() == 20
    assert LedgerEntry.objects.filter(period=period).in_force().count() == 8
    match = Match.objects.filter(round__tournament=open_, kind="played").earliest("pk")
    for points, halves in (((400, 300), 2), ((300, 400), 0), ((350, 350), 1)):
        match.first_score, match.second_score = points
        (game,) = tournament_rating.postings_of(match)
        assert (game.first_halves, game.first_score, game.second_score) == (halves, *points)


def test_a_tournament_handed_over_after_a_later_one_is_rated_in_its_place(small):
    rating_list = settlement.list_of(small.organisation, "faizers")
    given = {"by": small.committee, "at": small.at}
    for name, days in (("Second", 0), ("Premier", 7)):
        open_ = frozen(small, 4, round_count=1, name=name)
        play_round(small, open_, 1)
        tournament_closing.close(tournament=open_, **given)
        day = small.at.date() - timedelta(days=days)
        Tournament.objects.filter(pk=open_.pk).update(held_on=day)
        tournament_rating.hand_over(tournament=open_, rating_list=rating_list, **given)
    periods = rating_list.periods.filter(settled_at__isnull=False).in_order()
    assert [period.label for period in periods] == ["Premier", "Second"]
    replayed = LedgerEntry.objects.filter(supersedes__isnull=False)
    assert {entry.period.label for entry in replayed} == {"Second"}
    assert JournalEntry.objects.filter(verb="tournament_posted").count() == 2


@pytest.mark.parametrize("unpublished", [False, True])
def test_a_tournament_ends_early_although_its_next_round_is_drawn(small, client, unpublished):
    running = frozen(small, 8, system="swiss", round_count=4)
    play_round(small, running, 1)
    places = [
        row.entry.pk
        for row in tournament_standings.standing(tournament_standings.sheet_of(running)).rows
    ]
    if unpublished:
        published = publish(small, running, 2)
        round_publishing.unpublish(round=published, reason="Panne", by=small.arbiter, at=small.at)
    else:
        rounds.draw(round=round_of(running, 2), by=small.arbiter, at=small.at)
    details = {"tournament": running, "by": small.committee, "at": small.at}
    assert refused(tournament_closing.close, **details) == "reason_required"
    ranking = tournament_closing.close(reason="La salle ferme.", **details)
    running.refresh_from_db()
    shown = tournament_standings.sheet_of(running)
    assert ranking.lines == tournament_closing.lines_of(tournament_standings.standing(shown))
    assert [each.number for each in shown.rounds] == [1] and shown.is_over
    assert [row.entry.pk for row in tournament_standings.standing(shown).rows] == places
    for page in ("", "classement/", "grille/"):
        assert client.get(f"{running.get_absolute_url()}{page}").status_code == 200
    tournament_closing.reopen(reason="On rejoue", **details)
    running.refresh_from_db()
    assert [each.number for each in running.rounds.order_by("number")] == [1, 2]
    with pytest.raises(Refused) as too_few:
        tournaments.edit(changes={"round_count": 1}, **details)
    assert too_few.value.code == "drawn"
    assert "terminez-le avant la dernière ronde" in str(too_few.value)  # the way that is left
    play_round(small, running, 2)
    assert tournament_standings.sheet_of(running).closed == 2


def test_a_tournament_does_not_end_while_a_round_is_played(small):
    running = frozen(small, 8, system="swiss", round_count=4)
    play_round(small, running, 1)
    publish(small, running, 2)
    details = {"tournament": running, "by": small.committee, "at": small.at, "reason": "x"}
    assert refused(tournament_closing.close, **details) == "open_round"
    other = make_tournament(small, 0, name="Coupe")  # in which nothing is played
    assert tournament_closing.cancel(**details | {"tournament": other}).state == "cancelled"


def test_a_closed_tournament_is_reopened_with_a_reason_and_says_what_changes(small):
    open_ = frozen(small, 8)
    play_all(small, open_)
    first = tournament_closing.close(tournament=open_, by=small.committee, at=small.at)
    rating_list = settlement.list_of(small.organisation, "faizers")
    period = tournament_rating.hand_over(
        tournament=open_, rating_list=rating_list, by=small.committee, at=small.at
    )
    match = Match.objects.filter(round__tournament=open_, kind="played").order_by("pk").first()
    change = {
        "match": match,
        "result": Result("played", *score_of(match)[::-1]),
        "reason": "feuilles inversées",
        "by": small.arbiter,
        "at": small.at,
    }
    assert refused(match_actions.correct, **change) == "tournament_closed"
    assert refused(
        tournament_closing.reopen, tournament=open_, reason="", by=small.committee, at=small.at
    )
    tournament_closing.reopen(
        tournament=open_, reason="feuilles inversées", by=small.committee, at=small.at
    )
    match_actions.correct(**change)
    open_.refresh_from_db()
    changed = tournament_closing.changes_since(first, tournament_standings.sheet_of(open_))
    assert {line["name"] for line in changed} >= {match.first.full_name, match.second.full_name}
    again = {"tournament": open_, "by": small.committee, "at": small.at}
    assert refused(tournament_closing.close, **again) == "reason_required"
    second = tournament_closing.close(reason="feuilles inversées", **again)
    assert (second.number, FinalRanking.objects.filter(tournament=open_).count()) == (2, 2)
    tournament_rating.hand_over(rating_list=rating_list, **again)
    assert RatedGame.objects.filter(period=period).count() == 21
    assert LedgerEntry.objects.filter(period=period, supersedes__isnull=False).exists()


@pytest.mark.parametrize(
    ("system", "rules", "count"),
    [
        ("round_robin", {}, 7),
        ("king_of_the_hill", {"rounds": 3}, 3),
        ("knockout", {}, 3),
        ("faizers", {}, 3),
    ],
)
def test_the_other_systems_run_through_the_same_verbs(small, system, rules, count):
    rounds_asked = 3 if system == "faizers" else None
    open_ = frozen(small, 8, system=system, rules=rules, round_count=rounds_asked)
    assert open_.rounds.count() == count
    for number in range(1, count + 1):
        drawn = rounds.draw(round=round_of(open_, number), by=small.arbiter, at=small.at)
        published = round_publishing.publish(
            round=drawn, by=small.arbiter, at=small.at, allow_unpaired=True
        )
        play(small, published)
        end_round(small, published)
    final = tournament_closing.close(tournament=open_, by=small.committee, at=small.at)
    assert final.lines[0]["place"] == 1


def test_a_list_that_rates_tables_takes_the_two_decided_before_round_1(small):
    open_ = frozen(small, 8, split_after=2, director="Odile", minutes=30, byoyomi=30)
    play_all(small, open_)
    tournament_closing.close(tournament=open_, by=small.committee, at=small.at)
    given = {"tournament": open_, "by": small.committee, "at": small.at}
    tables = settlement.list_of(small.organisation, "fesa")
    tournament_rating.hand_over(rating_list=tables, **given)
    tournament_rating.hand_over(
        rating_list=settlement.list_of(small.organisation, "faizers"), **given
    )
    found = tournament_rating.periods_of(open_)
    games = {(p.rating_list.system, p.key.count(":")): p.games.count() for p in found}
    assert games == {("fesa", 1): 8, ("fesa", 2): 12, ("faizers", 1): 20}
    labels = [period.label.removeprefix(open_.name) for period in found]
    assert sorted(labels) == ["", " (1/2)", " (2/2)"]
    facts = next(p.facts for p in found if p.rating_list.system == "fesa")
    of_event = {"minutes": 30, "byoyomi": 30, "arbiter": "Odile", "one_table": False}
    assert facts == {**of_event, "announced": of_event}


def test_the_split_of_a_table_is_decided_before_the_first_draw(small):
    open_ = frozen(small, 8)
    rounds.draw(round=round_of(open_, 1), by=small.arbiter, at=small.at)
    change = {"changes": {"split_after": 2}, "by": small.committee, "at": small.at}
    assert refused(tournaments.edit, tournament=open_, **change) == "drawn"


def test_nobody_is_paired_at_an_evening_while_a_tournament_table_waits(small):
    here = pairing.waiting_ids(small.evening, small.at)
    open_ = frozen(small, 8)
    publish(small, open_, 1)
    seated = {member.pk for member in small.members[:8]}
    assert seated < set(here)
    assert set(pairing.waiting_ids(small.evening, small.at)) == set(here) - seated


def test_an_absent_finalist_loses_by_forfeit_instead_of_stopping_the_cup(small, as_user):
    cup = frozen(small, 4, system="knockout")
    play_round(small, cup, 1)
    drawn = rounds.draw(round=round_of(cup, 2), by=small.arbiter, at=small.at)
    finalist, other = drawn.draft[0]["first"], drawn.draft[0]["second"]
    entry = cup.entries.get(member=finalist)
    registration.withdraw(entry=entry, number=2, by=small.arbiter, at=small.at)
    page = f"/gestion/tournois/{cup.slug}/ronde/2/conduite/"
    words = as_user(small.arbiter.user).get(page).content.decode()
    assert f"Absents, mais au tableau\N{NO-BREAK SPACE}: {entry.member.full_name}." in words
    published = round_publishing.publish(round=drawn, by=small.arbiter, at=small.at)
    final, third = published.matches.order_by("table_number")
    small.mark_absent(final, "a", justified=True)
    small.record(third, Result("played", 400, 350))
    end_round(small, published)
    ranking = tournament_closing.close(tournament=cup, by=small.committee, at=small.at)
    assert [line["member"] for line in ranking.lines[:2]] == [other, finalist]


def test_a_cup_goes_on_after_two_players_were_exchanged_in_its_first_round(small):
    cup = frozen(small, 8, system="knockout")
    drawn = rounds.draw(round=round_of(cup, 1), by=small.arbiter, at=small.at)
    one, other = drawn.draft[0]["second"], drawn.draft[1]["second"]
    drawn = rounds.swap(
        round=drawn, one=one, other=other, reason="même club", by=small.arbiter, at=small.at
    )
    published = round_publishing.publish(round=drawn, by=small.arbiter, at=small.at)
    play(small, published)
    end_round(small, published)
    for number in (2, 3):
        play_round(small, cup, number)
    ranking = tournament_closing.close(tournament=cup, by=small.committee, at=small.at)
    final = round_of(cup, 3).matches.get(table_number=1)
    won = final.first_id if final.first_score > final.second_score else final.second_id
    assert (ranking.lines[0]["member"], ranking.lines[0]["place"]) == (won, 1)


def test_a_cancelled_match_that_was_replaced_in_its_round_gets_no_result(small):
    running, by_arbiter = frozen(small, 8), {"by": small.arbiter, "at": small.at}
    published = publish(small, running, 1)
    first, second = published.matches.order_by("table_number")[:2]
    for match in (first, second):
        match_actions.cancel(match=match, reason="panne", **by_arbiter)
    alone = {"round": published, "second": None, "reason": "seule personne là"}
    round_publishing.pair_late(first=first.first_id, **alone, **by_arbiter)
    again = {"result": Result("played", 400, 350), "reason": "retrouvé", **by_arbiter}
    assert refused(match_actions.correct, match=first, **again) == "replaced"
    assert match_actions.correct(match=second, **again).counts  # nobody has its place


def test_a_match_of_a_publication_taken_back_gets_no_result(small):
    running, by_arbiter = frozen(small, 8), {"by": small.arbiter, "at": small.at}
    published = publish(small, running, 1)
    old = published.matches.get(table_number=1)
    drafted = round_publishing.unpublish(round=published, reason="erreur", **by_arbiter)
    again = {"match": old, "result": Result("played", 400, 350), "reason": "x", **by_arbiter}
    assert refused(match_actions.correct, **again) == "replaced"
    round_publishing.publish(round=drafted, **by_arbiter)
    assert refused(match_actions.correct, **again) == "replaced"
    assert published.matches.open().count() == 4


def test_who_has_lost_a_knockout_match_is_not_waited_for_but_a_newcomer_is(small):
    open_ = frozen(small, 8, system="knockout")
    play_round(small, open_, 1)
    drawn = rounds.draw(round=round_of(open_, 2), by=small.arbiter, at=small.at)
    everybody = {member.pk for member in small.members[:8]}
    assert rounds.without_table(drawn, everybody) == set()
    assert rounds.without_table(drawn, everybody | {small.members[8].pk}) == {small.members[8].pk}
    assert round_publishing.publish(round=drawn, by=small.arbiter, at=small.at).matches.count() == 2


@pytest.mark.parametrize(
    ("system", "planned", "after"), [("knockout", 3, 4), ("round_robin", 7, 9)]
)
def test_an_arrival_before_the_first_round_adds_the_rounds_that_it_asks_for(
    small, system, planned, after
):
    open_ = frozen(small, 8, system=system)
    assert open_.rounds.count() == planned
    small.enter(open_, small.members[8], cote=1000, by=small.arbiter)
    assert open_.rounds.count() == after
    publish(small, open_, 1)
    assert open_.rounds.count() == after


def test_nobody_enters_a_knockout_once_its_first_round_is_published(small):
    cup = frozen(small, 7, system="knockout")
    drawn = rounds.draw(round=round_of(cup, 1), by=small.arbiter, at=small.at)
    enter = {"tournament": cup, "by": small.arbiter, "at": small.at, "cote": 1000}
    registration.enter(member=small.members[7], **enter)
    publish_it = {"by": small.arbiter, "at": small.at, "allow_unpaired": True}
    with pytest.raises(Refused, match="Appariez de nouveau"):
        round_publishing.publish(round=drawn, **publish_it)
    drawn = rounds.draw(round=round_of(cup, 1), by=small.arbiter, at=small.at)
    assert round_publishing.publish(round=drawn, **publish_it).matches.count() == 4
    with pytest.raises(Refused) as refused:
        registration.enter(member=small.members[8], **enter)
    assert refused.value.code == "table_full"
    swiss = frozen(small, 7, system="swiss", round_count=3, name="Suisse")
    for seat in drawn.matches.all():
        match_actions.cancel(match=seat, reason="x", by=small.arbiter, at=small.at)
    publish(small, swiss, 1)
    entry = registration.enter(member=small.members[8], **{**enter, "tournament": swiss})
    assert entry.first_round == 2


@pytest.mark.parametrize(("size", "admitted"), [(5, True), (6, False)])
def test_one_latecomer_enters_a_round_robin_where_its_table_has_a_free_place(small, size, admitted):
    every = frozen(small, size, system="round_robin")
    publish(small, every, 1)
    enter = {"tournament": every, "by": small.arbiter, "at": small.at, "cote": 1000}
    for member in small.members[size : size + 1 + admitted]:
        last = member == small.members[size + admitted]
        if last:
            assert refused(registration.enter, member=member, **enter) == "table_full"
        else:
            assert registration.enter(member=member, **enter).first_round == 2


@pytest.mark.parametrize(("size", "gone"), [(5, 2), (6, 2), (7, 3)])
def test_a_table_whose_players_left_before_the_first_round_is_published(small, size, gone):
    """Who is left without an opponent was there at the draw: the arbiter agrees, and it begins."""
    by = {"by": small.arbiter, "at": small.at}
    table = frozen(small, size, system="round_robin")
    for member in small.members[:gone]:
        registration.withdraw(entry=entry_of(table, member), number=1, **by)
    drawn = rounds.draw(round=round_of(table, 1), **by)
    assert drawn.warnings[0]["code"] == "unpaired"
    with pytest.raises(Refused, match="Présents mais sans table"):
        round_publishing.publish(round=drawn, **by)
    published = round_publishing.publish(round=drawn, allow_unpaired=True, **by)
    assert published.matches.count() == len(drawn.draft)


def test_entries_that_are_not_frozen_are_in_no_order_of_names(small):
    """The alphabetical order of 004 §2 is `initial_order`; the rows keep that of the entries."""
    tournament = make_tournament(small, 3)
    tournament.entries.update(cote=1500)
    Member.objects.filter(pk=small.members[0].pk).update(sort_name="zz", last_name="Zz")
    entered = [member.pk for member in small.members[:3]]
    assert [entry.member_id for entry in tournament.entries.in_order()] == entered
    shown = tournaments.initial_order(list(tournament.entries.select_related("member")))
    assert [entry.member_id for entry in shown] == [*entered[1:], entered[0]]
