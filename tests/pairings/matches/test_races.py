"""Races on real connections: exactly one wins, the others get a clear refusal.

The last test is the negative control: the same race without the guard fails, which proves that the
tests above do race.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection, connections, transaction

from clubs.accounts.actor import Actor, Refused
from clubs.journal import chain as journal
from clubs.journal.models import JournalEntry
from pairings.arbitration import actions as arbitration
from pairings.arbitration import undo
from pairings.arbitration.models import Contest
from pairings.evenings import actions as evenings
from pairings.evenings import pairing
from pairings.evenings.admission import presence
from pairings.evenings.models import Evening
from pairings.live.models import LiveEvent
from pairings.matches import actions as match_actions
from pairings.matches.models import Decision, Match, Seat
from pairings.rules.match_state import Result
from ratings.editions import actions as editions
from ratings.ledger.models import Edition, LedgerEntry

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 6


def together(*acts: Callable[[], object]) -> list[str]:
    """Run the actions at once, each on its own connection.

    Return "ok" or the refusal's code for each, in order.
    """
    barrier = threading.Barrier(len(acts))
    answers = [""] * len(acts)

    def run(number: int, act: Callable[[], object]) -> None:
        try:
            connections["default"].ensure_connection()
            barrier.wait(timeout=20)
            act()
            answers[number] = "ok"
        except Refused as refused:
            answers[number] = refused.code
        except BaseException as bug:  # noqa: BLE001 a bug must be seen, whatever it is
            answers[number] = f"{type(bug).__name__}: {bug}"
        finally:
            connections["default"].close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return answers


def after(
    begun: threading.Event, then: Callable[[], object], ended: threading.Event
) -> Callable[[], None]:
    """The second of two acts: it waits for `begun`, and says when it has ended."""

    def follow() -> None:
        begun.wait(timeout=20)
        try:
            then()
        finally:
            ended.set()

    return follow


def while_open(first: Callable[[], object], then: Callable[[], object]) -> list[str]:
    """Run `then` while the transaction of `first` is open: it waits for what `first` holds.

    Return their answers. For a guard that chance alone would seldom meet: one act is much longer.
    """
    begun, ended = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                first()
                begun.set()
                ended.wait(timeout=0.3)
        finally:
            begun.set()

    return together(hold, after(begun, then, ended))


def at_its_first_step(
    long: Callable[[Callable[[int, int], None]], object], then: Callable[[], object]
) -> list[str]:
    """Run `then` in the middle of a long act, which tells its progress. Return their answers."""
    begun, ended = threading.Event(), threading.Event()

    def step(_done: int, _total: int) -> None:
        if not begun.is_set():
            begun.set()
            ended.wait(timeout=0.5)

    return together(lambda: long(step), after(begun, then, ended))


@pytest.fixture
def club(transactional_db):
    from tests.clubhouse import make_club

    return make_club("faizers", size=2 * ROUNDS)


def submitted(club):
    match, (a, b) = club.entered()
    return Match.objects.get(pk=match.pk), a, b


def test_a_whole_room_confirms_at_once_and_the_chain_does_not_fork(club):
    """Each entry is added by the statement that makes the change, or waits for the previous one."""
    rounds = [submitted(club) for _match in range(ROUNDS)]
    first, _head = journal.head_of(club.organisation)
    answers = together(
        *(
            lambda match=match, b=b: match_actions.confirm(match=match, by=b, at=club.at)
            for match, _a, b in rounds
        )
    )
    assert answers == ["ok"] * ROUNDS
    assert list(journal.verify(club.organisation)) == []
    last, _head = journal.head_of(club.organisation)
    assert last == first + ROUNDS


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_confirm_against_contest_leaves_one_result(club, _round):
    match, _a, b = submitted(club)
    answers = together(
        lambda: match_actions.confirm(match=match, by=b, at=club.at),
        lambda: match_actions.contest(match=match, by=b, at=club.at, words="faux"),
    )
    assert set(answers) == {"ok", "wrong_state"}
    match.refresh_from_db()
    assert match.status == ("final" if answers[0] == "ok" else "contested")
    assert Decision.objects.filter(match=match).count() == (answers[0] == "ok")


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_contest_against_expiry_never_ends_a_contested_match(club, _round):
    match, _a, b = submitted(club)
    last = club.at + timedelta(seconds=300)
    answers = together(
        lambda: match_actions.contest(match=match, by=b, at=last, words="faux"),
        lambda: match_actions.lapse(match=match, at=last + timedelta(seconds=1)),
    )
    match.refresh_from_db()
    contested = answers[0] == "ok"
    assert match.status == ("contested" if contested else "final")
    assert Contest.objects.filter(match=match).count() == contested


def test_two_sweeps_end_a_window_once(club):
    match, _a, _b = submitted(club)
    late = club.at + timedelta(seconds=301)
    together(*[lambda: match_actions.lapse_due(at=late)] * 4)
    assert match.lines.filter(event="expire").count() == 1
    assert Decision.objects.filter(match=match).count() == 1


def test_both_sending_at_once_agree_or_contest(club):
    match, (a, b) = club.match()
    answers = together(
        lambda: match_actions.submit(match=match, by=a, scores=(400, 350), at=club.at),
        lambda: match_actions.submit(match=match, by=b, scores=(400, 350), at=club.at),
    )
    match.refresh_from_db()
    assert (answers, match.status) == (["ok", "ok"], "final")
    other, (c, d) = club.match()
    together(
        lambda: match_actions.submit(match=other, by=c, scores=(400, 350), at=club.at),
        lambda: match_actions.submit(match=other, by=d, scores=(350, 400), at=club.at),
    )
    other.refresh_from_db()
    assert other.status == "contested"


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_a_double_tap_writes_one_entry_and_answers_each_the_same(club, _round):
    match, (a, _b) = club.match()
    answers = together(
        *[
            lambda: match_actions.submit(
                match=match, by=a, scores=(400, 350), at=club.at, key="double-tap"
            )
        ]
        * 3
    )
    assert (answers, match.submissions.count()) == (["ok"] * 3, 1)


def test_two_arbiters_deciding_at_once_leave_one_decision(club):
    match, _a, b = submitted(club)
    match_actions.contest(match=match, by=b, at=club.at, words="faux")
    answers = together(*[lambda: club.decide(match, Result("played", 1, 2), "vu")] * 3)
    assert sorted(answers) == ["ok", "wrong_state", "wrong_state"]
    assert Decision.objects.filter(match=match).count() == 1


def test_two_arbiters_who_recuse_themselves_at_once_are_both_recused(club):
    match, _a, b = submitted(club)
    match_actions.contest(match=match, by=b, at=club.at, words="faux")
    by_page = [(by, match.contests.get()) for by in (club.arbiter, club.committee)]
    pass_on = partial(arbitration.pass_on, reason="ami", at=club.at)
    answers = together(*(partial(pass_on, contest=row, by=by) for by, row in by_page))
    assert answers == ["ok", "ok"]
    recused = match.contests.get().passed_on
    assert sorted(recused) == sorted([club.arbiter.user.pk, club.committee.user.pk])


def test_two_pairing_runs_seat_nobody_twice(club):
    together(*[lambda: pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)] * 3)
    live = Seat.objects.filter(live=True)
    assert live.count() == live.values("member").distinct().count() == 2 * ROUNDS + 2


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_whoever_is_suspended_before_a_pairing_run_is_not_in_it(club, _round):
    from clubs.sanctions.models import Sanction

    member = club.members[0]
    sanction = Sanction.objects.create(
        member=member, proposed_at=club.at, trigger_key="x", grounds={}
    )
    answers = together(
        lambda: club.impose(sanction, "x", sessions=1, from_tonight=True),
        lambda: pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at),
    )
    assert answers == ["ok", "ok"]
    seq = dict(
        JournalEntry.objects.filter(verb__in=["paired", "sanction_imposed"]).values_list(
            "verb", "seq"
        )
    )
    is_seated = Seat.objects.filter(member=member, live=True).exists()
    assert is_seated == (seq["paired"] < seq["sanction_imposed"])


def test_two_closings_rate_the_session_once(club):
    match, _a, b = submitted(club)
    match_actions.confirm(match=match, by=b, at=club.at)
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)
    answers = together(
        *[lambda: evenings.close_evening(evening=club.evening, by=club.arbiter, at=club.at)] * 3
    )
    assert answers.count("ok") == 1
    assert LedgerEntry.objects.count() == 2


def published_day(club):
    match, _a, b = submitted(club)
    match_actions.confirm(match=match, by=b, at=club.at)
    club.close()
    return match


def test_two_publishers_make_one_edition_of_a_day(club):
    published_day(club)
    answers = together(*[lambda: club.publish_edition("Titre")] * 3)
    assert sorted(answers) == ["blocked", "blocked", "ok"]
    assert list(Edition.objects.values_list("number", flat=True)) == [1]


def test_two_errata_of_one_edition_make_one(club):
    match = published_day(club)
    edition = club.publish_edition("Titre")
    club.correct(Match.objects.get(pk=match.pk), Result("played", 300, 400), "relu")
    answers = together(
        *[
            lambda: editions.publish_erratum(
                of=edition, title="Titre", note="inversé", by=club.committee, at=club.at
            )
        ]
        * 3
    )
    assert sorted(answers) == ["already_mended", "already_mended", "ok"]
    assert list(Edition.objects.order_by("number").values_list("number", flat=True)) == [1, 2]


def test_the_journal_never_forks_under_many_writers(club):
    from clubs.journal import chain as journal

    def write() -> None:
        for number in range(5):
            journal.record(
                organisation=club.organisation,
                verb="test",
                subject=f"x:{number}",
                by=Actor.system("test"),
                at=club.at,
            )

    answers = together(*[write] * 4)
    assert answers == ["ok"] * 4
    assert list(journal.verify(club.organisation)) == []


def test_two_guests_get_two_numbers(club):
    together(*[lambda: club.join("Même", "Nom")] * 4)
    found = club.organisation.members.filter(first_name="Même")
    assert found.count() == found.values("number").distinct().count() == 4


@pytest.mark.parametrize("again", ["ready", "undone"])
def test_two_who_pair_wait_for_each_other_in_one_order(club, again):
    """The evening, then the journal: the other way round each waits for what the other one holds."""
    evening, at, by = club.evening, club.at, club.arbiter
    pair = partial(pairing.pair_waiting, evening=evening, allow_early_repeat=True, by=by, at=at)
    Evening.objects.filter(pk=evening.pk).update(auto_pair=True)
    for judge in (by, club.committee):  # who plays a match does not cancel it
        presence.go_home(evening=evening, member=judge.member, by=by, at=at)
    resting = club.members[0]
    who = {"evening": evening, "member": resting, "by": club.player(resting)}
    for _round in range(ROUNDS):
        if again == "ready":
            presence.pause(**who, at=at)
            one = partial(presence.ready_again, **who, at=at)
        else:
            match, _players = club.match()  # each time two others: who was noted absent has left
            match_actions.mark_absent(match=match, absent="b", justified=False, by=by, at=at)
            one = partial(undo.undo, match=match, by=by, at=at)
        for answer in together(one, pair):
            assert answer in ("ok", "nobody", "stale", "too_late", "not_waiting"), answer
        for still_open in evening.matches.open():
            match_actions.cancel(match=still_open, reason="fin", by=by, at=at)


def test_two_arbiters_turn_automatic_pairing_on_and_the_tables_are_called_once(club):
    for on in (True, False):
        seen = [Evening.objects.get(pk=club.evening.pk) for _arbiter in range(2)]
        press = partial(evenings.set_auto_pair, on=on, by=club.arbiter, at=club.at)
        acts = [partial(press, evening=row) for row in seen]
        assert together(*acts) == ["ok", "ok"]
        club.evening.refresh_from_db()
        assert club.evening.auto_pair is on
    assert Match.objects.open().count() == ROUNDS + 1  # the arbiter and the committee play too
    turned = JournalEntry.objects.filter(verb="evening_auto_pair").order_by("pk")
    assert [entry.after["on"] for entry in turned] == [True, False]


def test_without_the_guard_the_same_collision_goes_wrong(club):
    """Negative control: read, decide, write without lock or version lets both actions win."""

    def naive(match_id: int, status: str, barrier: threading.Barrier) -> None:
        row = Match.objects.get(pk=match_id)
        if row.status == "submitted":
            barrier.wait(timeout=20)
            Match.objects.filter(pk=match_id).update(status=status, kind="played")
            LiveEvent.objects.create(
                organisation=club.organisation, kind=status, payload={}, at=club.at
            )

    match, _a, _b = submitted(club)
    meet = threading.Barrier(2)
    LiveEvent.objects.all().delete()
    answers = together(
        lambda: naive(match.pk, "contested", meet), lambda: naive(match.pk, "cancelled", meet)
    )
    assert answers == ["ok", "ok"]
    assert LiveEvent.objects.count() == 2
    assert connection.vendor in ("sqlite", "postgresql")
