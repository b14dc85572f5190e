"""Every order in which two phones can act on one match, with every worker dead.

Nobody sweeps: windows end because somebody reads. Whatever the order, the match ends or waits for
an arbiter, one result is in force at most, and what is archived is what happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import pytest
from django.db import transaction

from clubs.accounts.actor import Actor, Refused
from clubs.journal import chain as journal
from clubs.journal.models import JournalEntry
from pairings.arbitration.models import Contest
from pairings.matches import actions as match_actions
from pairings.matches.models import Decision, Match, Seat
from tests.clubhouse import make_club

pytestmark = pytest.mark.django_db
WINDOW_S = 300
LENGTH = 3

Played = tuple[tuple[str, str | None], ...]
Act = Callable[[Match, Actor, datetime, int], object]


def sends(first: int, second: int) -> Act:
    return lambda match, by, at, _seen: match_actions.submit(
        match=match, by=by, scores=(first, second), at=at
    )


def says_yes(match: Match, by: Actor, at: datetime, seen: int) -> object:
    return match_actions.confirm(match=match, by=by, at=at, version=seen)


def says_no(match: Match, by: Actor, at: datetime, seen: int) -> object:
    return match_actions.contest(match=match, by=by, at=at, words="faux", version=seen)


# (whose phone, what, seconds that pass before it)
ACTS: dict[str, tuple[int, Act | None, int]] = {
    "a sends": (0, sends(400, 350), 1),
    "a sends another": (0, sends(401, 350), 1),
    "b sends the same": (1, sends(400, 350), 1),
    "b sends another": (1, sends(350, 400), 1),
    "b says yes": (1, says_yes, 1),
    "a says yes": (0, says_yes, 1),
    "b says no": (1, says_no, 1),
    "b says no at the last second": (1, says_no, WINDOW_S),
    "b says no too late": (1, says_no, WINDOW_S + 1),
    "both sleep": (0, None, WINDOW_S + 1),
}


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def act(match: Match, phones: list[Actor], name: str, at: datetime) -> str | None:
    """One act, by a phone that has read the match as it stands; what it was answered."""
    who, does, _seconds = ACTS[name]
    if does is None:
        return None
    try:
        does(match, phones[who], at, Match.objects.get(pk=match.pk).version)
    except Refused as refused:
        return refused.code
    return "ok"


def ended(match: Match, at: datetime) -> Match:
    """The match as the reader finds it who comes after every window has ended."""
    match_actions.lapse(match=match, at=at + timedelta(seconds=WINDOW_S + 1))
    return Match.objects.get(pk=match.pk)


def every_order(
    match: Match, phones: list[Actor], at: datetime, done: Played = ()
) -> Iterator[tuple[Match, Played]]:
    """Every order of `LENGTH` acts, each beginning played once and taken back after its endings."""
    for name, (_who, _act, seconds) in ACTS.items():
        with undone():
            now = at + timedelta(seconds=seconds)
            answer = act(match, phones, name, now)
            played = (*done, (name, answer))
            if len(played) < LENGTH:
                yield from every_order(match, phones, now, played)
            else:
                yield ended(match, now), played


def check(match: Match, played: Played) -> None:
    said = f"{played}: {match.status} {match.why}"
    lines = list(match.lines.order_by("number"))
    decisions = Decision.objects.filter(match=match)
    events = [line.event for line in lines]
    assert [line.number for line in lines] == list(range(1, len(lines) + 1)), said
    assert match.version == len(lines), said
    written = JournalEntry.objects.filter(
        subject=f"match:{match.pk}", verb__in=[f"match_{event}" for event in events]
    )
    assert written.count() == len(lines), said
    assert match.status in ("proposed", "final", "contested"), f"stuck: {said}"
    assert decisions.count() == (match.status == "final"), said
    open_contests = Contest.objects.filter(match=match, closed_at=None, late=False)
    assert open_contests.count() == (match.status == "contested"), said
    assert Seat.objects.filter(match=match, live=True).exists() == (match.status != "final"), said
    if not any(name.endswith(("sends", "another", "same")) for name, _answer in played):
        assert match.status == "proposed", said
    if match.status == "final":
        assert match.why == ("expired" if "expire" in events else "confirmed"), said
        decision = decisions.get()
        assert (decision.first_score, decision.second_score) == (
            match.first_score,
            match.second_score,
        ), said
    if match.why == "confirmed":
        # Two people, and what the second agreed with is what the first had sent last.
        agreeing, sending = lines[-1], [line for line in lines[:-1] if line.first_score is not None]
        assert agreeing.by_member_id not in (None, sending[-1].by_member_id), said
        assert (sending[-1].first_score, sending[-1].second_score) == (
            match.first_score,
            match.second_score,
        ), said
    if "contest" in events:
        assert match.status == "contested", f"the clock ended a contested match: {said}"


@pytest.mark.only_on("sqlite")  # one phone after the other: the databases do not differ
def test_every_order_of_two_phones_ends_well(db):
    club = make_club("faizers", size=4)
    match, phones = club.match()
    endings = set()
    for left, played in every_order(match, phones, club.at):
        check(left, played)
        endings.add((left.status, left.why))
    assert endings == {
        ("proposed", ""),
        ("final", "confirmed"),
        ("final", "expired"),
        ("contested", ""),
    }
    assert list(journal.verify(club.organisation)) == []


def test_the_check_sees_a_clock_that_ends_a_contested_match(db):
    """Negative control."""
    club = make_club("faizers", size=4)
    match, phones = club.match()
    for number, name in enumerate(("a sends", "b says no"), start=1):
        act(match, phones, name, club.at + timedelta(seconds=number))
    left = ended(match, club.at)
    check(left, (("a sends", "ok"), ("b says no", "ok")))
    Match.objects.filter(pk=match.pk).update(status="final", why="expired")
    left.refresh_from_db()
    with pytest.raises(AssertionError):
        check(left, (("a sends", "ok"), ("b says no", "ok")))
