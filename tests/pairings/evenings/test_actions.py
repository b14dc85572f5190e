"""Actions on an evening: check-in, waiting list, pairing, closing."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.sanctions.models import Sanction
from pairings.absences.models import Absence
from pairings.evenings import actions as evenings
from pairings.evenings import common, pairing
from pairings.evenings.admission import presence
from pairings.evenings.models import CheckIn, Evening
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.ranking import live as live_ranking
from pairings.ranking import projection, season
from ratings.ledger import replay
from ratings.ledger.models import LedgerEntry, RatingList, StandingCote
from tests.clubhouse import running_evening
from tests.refusals import refused

pytestmark = pytest.mark.django_db


def test_checking_in_twice_changes_nothing(club):
    member, later = club.members[0], club.at + timedelta(minutes=5)
    rows, entries = CheckIn.objects.order_by("pk").values(), JournalEntry.objects.count()
    before = list(rows)
    for _time in range(2):
        presence.check_in(
            evening=club.evening, member=member, source="qr", by=club.player(member), at=later
        )
    assert list(rows.all()) == before and JournalEntry.objects.count() == entries


def test_who_plays_neither_rests_nor_goes_home(club):
    _match, (one, _other) = club.match()
    row = CheckIn.objects.filter(member=one.member)
    before = row.values().get()
    for act in (presence.pause, presence.go_home):
        with refused("stale"):
            act(evening=club.evening, member=one.member, by=one, at=club.at)
    assert row.values().get() == before


def test_a_member_of_another_club_cannot_arrive_here(club, other_club):
    stranger = other_club.members[0]
    with refused("other_club"):
        presence.check_in(
            evening=club.evening,
            member=stranger,
            source="qr",
            by=other_club.player(stranger),
            at=club.at,
        )


def test_who_has_left_the_club_cannot_arrive(club):
    gone = club.join("Ada")
    members.leave(member=gone, by=club.committee, at=club.at, forget=False)
    with refused("stale"):
        presence.check_in(
            evening=club.evening, member=gone, source="desk", by=club.arbiter, at=club.at
        )


def test_one_run_pairs_everybody_who_waits_and_keeps_its_reasons(club):
    run = pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)
    matches = Match.objects.filter(pairing_run=run)
    assert matches.count() == 5
    assert all(match.pairing_reason["reason"] for match in matches)
    assert sorted(match.table_number for match in matches) == [1, 2, 3, 4, 5]
    assert CheckIn.objects.filter(state="waiting").count() == 0


def test_the_first_by_seniority_meets_the_last_on_an_empty_ranking(club):
    run = pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)
    first = Match.objects.filter(pairing_run=run).order_by("pk").first()
    assert (first.first, first.second) == (club.members[0], club.committee.member)


def test_an_odd_number_gives_the_lowest_a_bye_worth_three_points(club):
    leaver = club.members[3]
    presence.go_home(evening=club.evening, member=leaver, by=club.player(leaver), at=club.at)
    pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)
    bye = Match.objects.get(kind="bye")
    assert bye.first == club.committee.member
    assert (bye.status, bye.counts) == ("final", True)
    row = live_ranking.ranking(club.organisation, at=club.at, live=True).rows[0]
    assert (row.member, row.values["pr"]) == (bye.first, 3)


def test_automatic_pairing_waits_for_a_pair_that_never_met(club):
    first, second, third = club.members[:3]
    evening = only(club, first, second)
    match = Match.objects.get(evening=evening)
    assert {match.first, match.second} == {first, second}
    finish(club, match)
    pairing.auto_pair(evening=evening, at=club.at)
    assert Match.objects.filter(evening=evening).count() == 1
    presence.check_in(evening=evening, member=third, source="qr", by=club.player(third), at=club.at)
    assert Match.objects.filter(evening=evening).count() == 2


@pytest.mark.parametrize("scores", [(400, 350), (350, 400)])
def test_automatic_pairing_leaves_waiting_whom_the_rules_would_exempt_next(club, scores):
    """002 II.B.3: the two who met cannot play again; the lower of them waits, not the first come."""
    first, second, third = club.members[:3]
    evening = only(club, first, second)
    finish(club, Match.objects.get(evening=evening), *scores)
    presence.check_in(evening=evening, member=third, source="qr", by=club.player(third), at=club.at)
    waiting = CheckIn.objects.get(evening=evening, state="waiting")
    assert waiting.member == (second if scores[0] > scores[1] else first)


def only(club, *people):
    """Create a running evening with automatic pairing where only these people are present."""
    club.close()
    club.at += timedelta(days=7)
    evening = running_evening(club.organisation, list(people), club.committee, club.at, auto=True)
    club.evening = evening
    return evening


def finish(club, match, first=400, second=350):
    a, b = club.player(match.first), club.player(match.second)
    match_actions.submit(match=match, by=a, scores=(first, second), at=club.at)
    match_actions.confirm(match=match, by=b, at=club.at)


def test_nobody_is_in_two_open_matches(club):
    match, (a, _b) = club.match()
    with refused("not_waiting"):
        pairing.pair_by_hand(
            evening=club.evening,
            first=a.member,
            second=club.members[5],
            reason="x",
            by=club.arbiter,
            at=club.at,
        )
    assert match.is_open


def test_a_suspended_member_may_not_arrive_and_reads_why(club):
    member = club.members[0]
    sanction = Sanction.objects.create(
        member=member, proposed_at=club.at, trigger_key="x", grounds={}
    )
    club.impose(sanction, "Trois absences.", sessions=2)
    club.close()
    club.at += timedelta(days=7)
    everybody = [one for one in club.everybody() if one.pk != member.pk]
    club.evening = running_evening(club.organisation, everybody, club.committee, club.at)
    with pytest.raises(common.EveningRefused) as refusal:
        presence.check_in(
            evening=club.evening, member=member, source="qr", by=club.player(member), at=club.at
        )
    assert refusal.value.code == "suspended"
    assert "Trois absences." in str(refusal.value)


def test_a_suspended_member_who_waits_is_left_out_of_the_run(club):
    member = club.members[0]
    sanction = Sanction.objects.create(
        member=member, proposed_at=club.at, trigger_key="x", grounds={}
    )
    club.impose(sanction, "x", sessions=1, from_tonight=True)
    pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)
    assert not Match.objects.involving(member).exists()


def test_a_swap_exchanges_the_second_players_and_keeps_the_old_matches_as_cancelled(club):
    one, (a, b) = club.match()
    other, (c, d) = club.match()
    x, y = pairing.swap(
        evening=club.evening, one=one, other=other, reason="frères", by=club.arbiter, at=club.at
    )
    assert (x.first, x.second) == (a.member, d.member)
    assert (y.first, y.second) == (c.member, b.member)
    assert set(Match.objects.filter(status="cancelled")) == {one, other}


def test_last_games_refuse_a_new_pairing_run(club):
    evenings.last_games(evening=club.evening, by=club.arbiter, at=club.at)
    with pytest.raises(common.EveningRefused):
        pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)


def test_evenings_of_different_days_are_never_live_at_once(club):
    later = club.at + timedelta(days=7)
    evening = club.announce(later)
    with pytest.raises(common.EveningRefused) as refusal:
        evenings.open_doors(evening=evening, by=club.arbiter, at=club.at)
    assert refusal.value.code == "other_live"
    assert "20 novembre" in str(refusal.value)  # the one to close first


def test_closing_rates_each_player_once_from_the_cotes_of_the_start_and_sends_all_home(club):
    match, (a, b) = club.match()
    finish(club, match)
    live = projection.project(club.evening)[a.member.pk].after.rating
    club.close()
    entry = LedgerEntry.objects.get(member=a.member)
    assert entry.shown_after == live
    assert (entry.shown_before, entry.shown_after) == (1000, 1015)
    assert StandingCote.objects.get(member=b.member).shown == 1000
    assert Evening.objects.get(pk=club.evening.pk).state == "closed"
    assert not club.evening.check_ins.present().exists()


def test_the_lines_of_an_explanation_add_up_to_the_change(club):
    match, (a, b) = club.match()
    finish(club, match)
    club.close()
    for entry in LedgerEntry.objects.filter(member__in=[a.member, b.member]):
        total = sum(line["effect"] for line in entry.because if line["effect"] is not None)
        assert abs(total - (entry.shown_after - entry.shown_before)) < 1e-9


def test_closing_twice_rates_once(club):
    match, _players = club.match()
    finish(club, match)
    club.close()
    with pytest.raises(common.EveningRefused):
        evenings.close_evening(evening=club.evening, by=club.arbiter, at=club.at)
    assert LedgerEntry.objects.count() == 2


def test_replay_gives_every_stored_number_back_over_several_evenings(club):
    for _evening in range(3):
        pairing.pair_waiting(
            evening=club.evening, by=club.arbiter, at=club.at, allow_early_repeat=True
        )
        for number, match in enumerate(club.evening.matches.open()):
            finish(club, match, 300 + 17 * number, 350)
        club.close()
        club.next_evening()
    assert list(replay.check(RatingList.objects.get())) == []


def test_three_unexcused_absences_of_ten_propose_a_sanction_and_decide_nothing(club):
    away = club.members[0]
    for _time in range(3):
        other = next(
            row.member
            for row in club.evening.check_ins.filter(state="waiting").order_by("pk")
            if row.member_id != away.pk
        )
        club.used = set()
        match, _players = club.match(away, other)
        club.mark_absent(match, "a")
        club.check_in(away)
    sanction = Sanction.objects.get(member=away)
    assert sanction.status == "proposed"
    assert len(sanction.grounds["absences"]) == 3
    assert Absence.objects.filter(member=away).count() == 3


def test_a_cut_is_a_ledger_event_that_replay_gives_back(club):
    member = club.members[0]
    match, _players = club.match(member, club.members[1])
    finish(club, match)
    club.close()
    sanction = Sanction.objects.create(
        member=member, proposed_at=club.at, trigger_key="x", grounds={}
    )
    club.impose(sanction, "abus", cut_percent=Decimal("1"))
    entry = LedgerEntry.objects.get(member=member, kind="adjusted")
    assert (entry.shown_before, entry.shown_after) == (1015, 1005)
    assert list(replay.check(RatingList.objects.get())) == []


def test_the_standing_is_the_same_whatever_the_order_rows_come_in(club):
    pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)
    for match in club.evening.matches.open():
        finish(club, match)
    found = season.standing(club.evening.season, None, today=club.evening.held_on)
    again = season.standing(club.evening.season, None, today=club.evening.held_on)
    assert [line.player for line in found.lines] == [line.player for line in again.lines]
    assert [line.values["pr"] for line in found.lines] == [3] * 5 + [1] * 5
