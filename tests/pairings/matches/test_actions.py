"""Actions on one match, with real rows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from clubs.accounts.actor import COMMITTEE, PLAYER, Actor
from pairings.absences.models import Absence
from pairings.arbitration import actions as arbitration
from pairings.arbitration.models import Contest
from pairings.evenings import actions as evenings
from pairings.evenings.models import CheckIn
from pairings.matches import actions as match_actions
from pairings.matches.models import Decision, Match, MatchLine, Seat
from pairings.matches.refusals import ResultRefused
from pairings.rules.match_state import Kind, Result
from ratings.ledger.models import LedgerEntry, RatedGame
from tests.refusals import refused

pytestmark = pytest.mark.django_db


def submit(match: Match, by: Actor, first: int, second: int, at):
    return match_actions.submit(match=match, by=by, scores=(first, second), at=at)


def test_a_result_confirmed_by_the_other_is_final_at_once_and_posted(club):
    match, (_a, b) = club.entered()
    done = match_actions.confirm(match=match, by=b, at=club.at + timedelta(seconds=60))
    assert (done.status, done.why, done.counts) == ("final", "confirmed", True)
    assert RatedGame.objects.filter(source=f"match:{match.pk}").count() == 1
    assert Decision.objects.filter(match=match).count() == 1
    assert not Seat.objects.filter(match=match, live=True).exists()


def test_both_players_wait_again_once_their_match_is_final(club):
    _match, (a, b) = club.played()
    states = CheckIn.objects.filter(member__in=[a.member, b.member]).values_list("state", flat=True)
    assert list(states) == ["waiting", "waiting"]


def test_nobody_confirms_their_own_submission(club, caplog):
    match, (a, _b) = club.entered()
    with caplog.at_level("INFO"), pytest.raises(ResultRefused) as refusal:
        match_actions.confirm(match=match, by=a, at=club.at)
    assert refusal.value.code == "own_submission"
    (line,) = [record for record in caplog.records if record.getMessage() == "act refused"]
    assert (line.match, line.act, line.code) == (match.pk, "confirm", "own_submission")


def test_same_scores_typed_by_the_other_confirm(club):
    match, (_a, b) = club.entered()
    assert submit(match, b, 400, 350, club.at).status == "final"


def test_other_scores_typed_by_the_other_contest_with_both_versions(club):
    match, (_a, b) = club.entered()
    done = submit(match, b, 350, 400, club.at)
    contest = Contest.objects.get(match=match)
    assert done.status == "contested"
    assert (contest.first_score, contest.second_score) == (350, 400)
    assert (done.first_score, done.second_score) == (400, 350)


@pytest.mark.parametrize(("seconds", "accepted"), [(299, True), (300, True), (301, False)])
def test_the_contest_window_is_open_up_to_its_last_second(club, seconds, accepted):
    match, (_a, b) = club.entered()
    at = club.at + timedelta(seconds=seconds)
    if accepted:
        assert match_actions.contest(match=match, by=b, at=at, words="faux").status == "contested"
    else:
        with refused("window_closed"):
            match_actions.contest(match=match, by=b, at=at, words="faux")


def test_a_contest_of_a_confirmed_result_reads_since_when_it_is_final_and_what_is_open(club):
    match, (_a, b) = club.entered()
    match_actions.confirm(match=match, by=b, at=club.at + timedelta(minutes=1))
    with pytest.raises(ResultRefused) as refusal:
        match_actions.contest(match=match, by=b, at=club.at + timedelta(minutes=2), words="faux")
    assert refusal.value.code == "wrong_state"
    assert str(refusal.value) == (
        "Ce résultat est définitif depuis 20:01. Vous pouvez demander une correction au comité."
    )


def test_a_contest_of_a_ruling_reads_the_hour_of_the_ruling(club):
    match, (_a, b) = club.entered()
    match_actions.contest(match=match, by=b, at=club.at + timedelta(minutes=1), words="faux")
    ruled_at = club.at + timedelta(minutes=20)  # the window ended after five minutes
    result = Result(Kind.PLAYED, 400, 350)
    club.decide(match, result, "vu", at=ruled_at)
    with pytest.raises(ResultRefused) as refusal:
        match_actions.contest(match=match, by=b, at=ruled_at + timedelta(minutes=1), words="faux")
    assert str(refusal.value) == (
        "Ce résultat est définitif depuis 20:20. Vous pouvez demander une correction au comité."
    )


def test_an_arbiter_who_contests_a_final_result_reads_that_they_may_correct_it(club):
    match, (_a, b) = club.entered()
    match_actions.confirm(match=match, by=b, at=club.at + timedelta(minutes=1))
    with pytest.raises(ResultRefused) as refusal:
        match_actions.contest(match=match, by=club.arbiter, at=club.at + timedelta(minutes=2))
    assert refusal.value.code == "wrong_state"
    assert str(refusal.value) == (
        "Ce résultat est définitif depuis 20:01. Vous pouvez corriger le résultat."
    )


def test_an_arbiter_who_contests_after_the_window_reads_that_they_may_correct_it(club):
    match, _players = club.entered()
    with pytest.raises(ResultRefused) as refusal:
        match_actions.contest(match=match, by=club.arbiter, at=club.at + timedelta(seconds=301))
    assert refusal.value.code == "window_closed"
    assert str(refusal.value) == (
        "Le délai s’est terminé à 20:05. Vous pouvez corriger le résultat."
    )


def test_a_late_contest_is_refused_but_the_expiry_it_noticed_is_kept(club):
    match, (_a, b) = club.entered()
    with pytest.raises(ResultRefused):
        match_actions.contest(match=match, by=b, at=club.at + timedelta(seconds=301), words="faux")
    match.refresh_from_db()
    assert (match.status, match.why) == ("final", "expired")
    lines = MatchLine.objects.filter(match=match).order_by("number")
    assert list(lines.values_list("event", "role")) == [
        ("submit", "player"),
        ("expire", "system"),
    ]


def test_a_late_answer_from_an_older_page_is_too_late_and_its_expiry_is_kept(club):
    match, (a, b) = club.match()
    read = submit(match, a, 400, 350, club.at).version
    submit(match, a, 410, 350, club.at)
    late = club.at + timedelta(seconds=301)
    with refused("window_closed"):
        match_actions.contest(match=match, by=b, at=late, words="faux", version=read)
    match.refresh_from_db()
    assert (match.status, match.why) == ("final", "expired")


@pytest.mark.parametrize(
    ("late", "status", "why"),
    [(-1, "submitted", ""), (0, "submitted", ""), (1, "void", "timeout")],
)
def test_a_match_that_nobody_played_in_time_takes_no_result_before_the_sweep(
    club, late, status, why
):
    """002 II.A.2: "Si aucun ne se manifeste dans le délai imparti, le match est annulé"."""
    match, (a, _b) = club.match()
    at = match.deadline_until + timedelta(seconds=late)
    if status == "submitted":
        submit(match, a, 400, 350, at)
    else:
        with refused("wrong_state"):
            submit(match, a, 400, 350, at)
        assert match_actions.lapse_due(at=at) == 0
    match.refresh_from_db()
    assert (match.status, match.why) == (status, why)
    assert match.lines.filter(event="timeout", role="system").count() == (late > 0)
    assert Absence.objects.filter(match=match).count() == (2 if late > 0 else 0)


def test_an_arbiter_still_ends_a_match_whose_time_to_play_ran_out_unnoticed(club):
    """A forced closing cancels every open match, also with every worker dead."""
    slip, _players = club.match()
    wrong, _others = club.match()
    at = slip.deadline_until + timedelta(seconds=1)
    result = Result("played", 400, 350)
    assert club.record(slip, result, at=at).why == "desk"
    done = match_actions.cancel(match=wrong, reason="fermeture", by=club.arbiter, at=at)
    assert done.status == "cancelled"


def test_the_sweep_ends_due_windows_once(club):
    match, _players = club.entered()
    late = club.at + timedelta(seconds=301)
    assert match_actions.lapse_due(at=club.at + timedelta(seconds=300)) == 0
    assert match_actions.lapse_due(at=late) == 1
    assert match_actions.lapse_due(at=late) == 0
    match.refresh_from_db()
    assert match.why == "expired"


def test_the_sweep_never_ends_a_contested_match(club):
    club.contested()
    assert match_actions.lapse_due(at=club.at + timedelta(days=30)) == 0


def test_editing_before_the_answer_restarts_the_window(club):
    match, (a, b) = club.entered()
    submit(match, a, 410, 350, club.at + timedelta(seconds=200))
    done = match_actions.contest(match=match, by=b, at=club.at + timedelta(seconds=499), words="x")
    assert done.status == "contested"
    assert done.submissions.count() == 2


def test_nobody_else_sits_down_at_a_table_or_asks_about_its_result(club):
    match, (a, b) = club.match()
    other = club.player(club.members[-1])
    assert not match.seats(other.member)
    with refused("not_a_player"):
        match_actions.sit_down(match=match, by=other, at=club.at)
    read = submit(match, a, 400, 350, club.at)
    match_actions.confirm(match=match, by=b, at=club.at, version=read.version)
    with refused("not_a_player"):
        arbitration.ask_committee(match=match, by=other, at=club.at, words="faux")


def test_a_confirmation_refers_to_the_scores_that_were_read(club):
    match, (a, b) = club.match()
    read = submit(match, a, 400, 350, club.at).version
    submit(match, a, 410, 350, club.at)
    with refused("stale"):
        match_actions.confirm(match=match, by=b, at=club.at, version=read)


def test_the_same_key_sends_once_and_answers_the_same(club):
    match, (a, _b) = club.match()
    for _time in range(2):
        done = match_actions.submit(match=match, by=a, scores=(400, 350), at=club.at, key="k1")
    assert done.submissions.count() == 1
    with refused("key_reused"):
        match_actions.submit(match=match, by=a, scores=(401, 350), at=club.at, key="k1")


@pytest.mark.parametrize("scores", [(-900, 3), ("4", 3), (True, 3), (2001, 3), (None, 3)])
def test_bad_scores_write_nothing(club, scores):
    match, (a, _b) = club.match()
    with pytest.raises(ResultRefused) as refusal:
        match_actions.submit(match=match, by=a, scores=scores, at=club.at)
    match.refresh_from_db()
    assert refusal.value.code == "bad_score"
    assert match.status == "proposed"
    assert not match.lines.exists()


@pytest.mark.parametrize(
    ("low", "high", "score", "words"),
    [
        (-200, 2000, 2001, "de −200 à 2000"),
        (0, 900, 901, "de 0 à 900"),
        (-50, 900, -51, "de −50 à 900"),
    ],
)
def test_the_refusal_of_a_score_names_the_bounds_in_force(club, low, high, score, words):
    match, (a, _b) = club.match()
    match.rule_book = club.rule_book({"match": {"min_score": low, "max_score": high}})
    match.save()
    for act in (match_actions.submit, match_actions.contest):
        with pytest.raises(ResultRefused, match=words):
            act(match=match, by=a, scores=(score, 300), at=club.at)


def test_an_arbiter_decides_with_a_reason(club):
    match, _players = club.contested()
    result = Result("played", 399, 350)
    with refused("reason_required"):
        club.decide(match, result, " ")
    done = club.decide(match, result, "vu")
    assert (done.status, done.first_score) == ("final", 399)
    assert Contest.objects.get(match=match).answer == "vu"


def test_nobody_judges_a_match_they_play(club):
    match, (a, b) = club.match(second=club.arbiter.member)
    submit(match, a, 400, 350, club.at)
    match_actions.contest(match=match, by=b, at=club.at, words="faux")
    with refused("own_match"):
        club.decide(match, Result("played", 1, 2), "moi")


def test_a_correction_after_closing_replays_the_cotes_and_keeps_every_version(club):
    match, (a, _b) = club.played()
    club.close()
    before = LedgerEntry.objects.in_force().get(member=a.member)
    match_actions.correct(
        match=match,
        result=Result("played", 350, 400),
        reason="scores inversés",
        by=club.committee,
        at=club.at + timedelta(days=1),
    )
    after = LedgerEntry.objects.in_force().get(member=a.member)
    assert before.shown_after > after.shown_after
    assert after.supersedes_id == before.pk
    assert Decision.objects.filter(match=match).count() == 2
    match.refresh_from_db()
    assert match.rev == 1


def test_one_absent_gives_a_forfeit_that_is_not_rated(club):
    match, (_a, b) = club.match()
    done = club.mark_absent(match, "b")
    assert (done.status, done.counts) == ("final", True)
    assert Absence.objects.get(match=match).member == b.member
    assert not RatedGame.objects.exists()


def test_both_absent_void_the_match(club):
    match, _players = club.match()
    done = club.mark_absent(match, "both")
    assert (done.status, done.counts) == ("void", False)
    assert Absence.objects.filter(match=match).count() == 2


@pytest.mark.parametrize(("seconds", "accepted"), [(899, False), (900, True), (901, True)])
def test_an_absence_is_claimed_after_the_grace_time(club, seconds, accepted):
    match, (a, _b) = club.match()
    at = match.proposed_at + timedelta(seconds=seconds)
    if accepted:
        assert match_actions.claim_absence(match=match, by=a, at=at).status == "absence_claimed"
    else:
        with refused("too_early"):
            match_actions.claim_absence(match=match, by=a, at=at)


def test_an_unanswered_claim_is_a_forfeit_and_a_denied_one_goes_to_the_arbiter(club):
    match, (a, b) = club.match()
    at = match.proposed_at + timedelta(seconds=900)
    match_actions.claim_absence(match=match, by=a, at=at)
    match_actions.lapse(match=match, at=at + timedelta(seconds=301))
    match.refresh_from_db()
    assert (match.status, match.absent) == ("final", "b")
    other, (c, d) = club.match()
    match_actions.claim_absence(match=other, by=c, at=other.proposed_at + timedelta(seconds=900))
    at = other.proposed_at + timedelta(seconds=950)
    assert match_actions.deny_absence(match=other, by=d, at=at).status == "contested"
    assert b.member.pk not in (c.member.pk, d.member.pk)


def test_after_the_window_a_request_to_the_committee_changes_nothing(club):
    match, (_a, b) = club.played()
    version = Match.objects.get(pk=match.pk).version
    arbitration.ask_committee(match=match, by=b, at=club.at, words="erreur", scores=(400, 351))
    match.refresh_from_db()
    assert (match.version, match.second_score) == (version, 350)
    assert Contest.objects.get(match=match).late


def test_two_arbiters_cannot_take_the_same_contest(club):
    match, _players = club.contested()
    contest = Contest.objects.get(match=match)
    arbitration.take(contest=contest, by=club.arbiter, at=club.at)
    with pytest.raises(ResultRefused):
        arbitration.take(contest=contest, by=club.committee, at=club.at)


def test_a_player_of_another_club_is_refused(club, other_club):
    match, _players = club.match()
    stranger = Actor(None, other_club.members[0], PLAYER)
    with refused("not_allowed"):
        match_actions.submit(match=match, by=stranger, scores=(1, 2), at=club.at)


def test_every_change_raises_the_version_by_its_lines_and_writes_as_many_journal_lines(club):
    match, _players = club.contested()
    club.decide(match, Result("played", 1, 2), "vu")
    match.refresh_from_db()
    lines = match.lines.count()
    journal = club.organisation.journal_entries.filter(
        subject=f"match:{match.pk}", verb__startswith="match_"
    ).count()
    assert match.version == lines == journal == 3


def test_closing_waits_for_open_matches(club):
    club.match()
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)
    with refused("open_matches"):
        evenings.close_evening(evening=club.evening, by=club.arbiter, at=club.at)


def test_committee_role_is_written_in_the_journal(club):
    match, _players = club.match()
    match_actions.cancel(match=match, reason="salle fermée", by=club.committee, at=club.at)
    entry = club.organisation.journal_entries.get(verb="match_cancel")
    assert (entry.role, entry.reason) == (COMMITTEE, "salle fermée")


def test_one_match_that_cannot_be_ended_keeps_no_other_open(club, monkeypatch):
    late = club.at + timedelta(seconds=301)
    matches = []
    for _number in range(3):
        match, (a, _b) = club.match()
        matches.append(match_actions.submit(match=match, by=a, scores=(400, 350), at=club.at))
    whole = match_actions.lapse

    def fails(*, match, at):
        if match.pk == matches[0].pk:
            raise RuntimeError("this one")
        return whole(match=match, at=at)

    monkeypatch.setattr(match_actions, "lapse", fails)
    assert match_actions.lapse_due(at=late) == 2
    assert [Match.objects.get(pk=m.pk).status for m in matches] == ["submitted", "final", "final"]


def test_the_sweep_leaves_time_to_what_came_in_time(club):
    match, (a, b) = club.match()
    done = match_actions.submit(match=match, by=a, scores=(400, 350), at=club.at)
    end = done.contest_until
    grace = timedelta(seconds=10)
    assert match_actions.lapse_due(at=end + timedelta(seconds=10), grace=grace) == 0
    told = match_actions.contest(match=match, by=b, at=end, words="faux")
    assert told.status == "contested"
    club.entered()
    assert match_actions.lapse_due(at=end + timedelta(seconds=10, microseconds=1), grace=grace) == 1


def test_a_request_counts_from_its_arrival_however_long_it_then_waits(club, client, monkeypatch):
    """A contest queued behind another writer is still within the window."""
    match, (a, b) = club.match()
    now = timezone.now()
    match_actions.submit(match=match, by=a, scores=(400, 350), at=now - timedelta(seconds=299))
    client.force_login(b.user)

    def slow(*arguments, **named):
        moment.shift(timedelta(seconds=10))
        return contest(*arguments, **named)

    contest = match_actions.contest
    monkeypatch.setattr(match_actions, "contest", slow)
    with time_machine.travel(now, tick=False) as moment:
        client.post(
            f"/c/{club.organisation.slug}/matchs/{match.pk}/contester/",
            {"subject": Contest.Subject.WRONG_SCORE, "mine": "1", "theirs": "2", "version": 1},
        )
    assert Match.objects.get(pk=match.pk).status == "contested"


@pytest.mark.parametrize(
    "opened", [datetime(2027, 3, 28, 0, 58, tzinfo=UTC), datetime(2027, 10, 31, 0, 58, tzinfo=UTC)]
)
def test_a_window_over_a_change_of_the_hour_has_its_five_minutes(club, opened):
    """Paris goes from 2:00 to 3:00 in March and from 3:00 to 2:00 in October, at 1:00 UTC."""
    club.at = opened
    match, (a, b) = club.match()
    other, (c, d) = club.match()
    for each, by in ((match, a), (other, c)):
        done = match_actions.submit(match=each, by=by, scores=(400, 350), at=opened)
        assert done.contest_until - opened == timedelta(minutes=5)
    end = opened + timedelta(minutes=5)
    assert match_actions.lapse_due(at=end) == 0
    told = match_actions.contest(match=match, by=b, at=end, words="faux")
    assert told.status == "contested"
    with pytest.raises(ResultRefused):
        match_actions.contest(
            match=other, by=d, at=end + timedelta(microseconds=1), words="trop tard"
        )
    assert Match.objects.get(pk=other.pk).status == "final"
