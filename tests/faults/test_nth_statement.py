"""Every act, with the database failing at its first statement, its second … until it passes.

SQLite's own method: after each failure every table is as it was; once nothing
fails, the act is done. A commit that fails is one more case. Whatever failed leaves nothing held:
the next try on the same connection goes further.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from typing import Any
from unittest import mock

import pytest
from django.db import connection
from django.db.utils import OperationalError

from clubs.exchange import tables
from clubs.journal import chain as journal
from clubs.members import actions as members
from clubs.members import imports
from clubs.members.models import RoleGrant
from clubs.rulebooks.models import RuleBook
from clubs.sanctions import actions as sanctions
from clubs.sanctions.models import Sanction
from pairings.absences import actions as absences
from pairings.absences.models import Absence
from pairings.arbitration import actions as arbitration
from pairings.arbitration import undo
from pairings.arbitration.models import Contest
from pairings.evenings import actions as evenings
from pairings.evenings import pairing
from pairings.evenings.admission import presence
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_state import Result
from tests.clubhouse import Clubhouse, make_club
from tests.member_files import members_draft
from tests.permissions.furnished_club import rows
from tests.refusals import refused

pytestmark = pytest.mark.django_db(transaction=True)
SIZE = 6


class Broken(OperationalError):
    """What the database says when it cannot."""


@contextmanager
def failing_at(number: int):
    """The statement of that number fails, as a disk or a server does."""
    # Django asks SQLite this once and keeps the answer: a statement that fails would be a lasting no.
    assert connection.features.supports_json_field
    asked = 0

    def count(execute: Any, *arguments: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked == number:
            raise Broken(f"statement {number}")
        return execute(*arguments)

    with connection.execute_wrapper(count):
        yield


@contextmanager
def failing_commit():
    """Everything was written, and the commit does not come through."""

    def refuse() -> None:
        raise Broken("commit")

    with mock.patch.object(connection, "commit", refuse):
        yield


def submitted(club: Clubhouse) -> tuple[Match, Any, Any]:
    match, (a, b) = club.match()
    return match_actions.submit(match=match, by=a, scores=(400, 350), at=club.at), a, b


def contested(club: Clubhouse) -> tuple[Match, Contest]:
    match, _a, b = submitted(club)
    match_actions.contest(match=match, by=b, at=club.at, words="faux")
    return Match.objects.get(pk=match.pk), Contest.objects.get(match=match)


def played(club: Clubhouse) -> Match:
    match, _a, b = submitted(club)
    return match_actions.confirm(match=match, by=b, at=club.at)


def closed(club: Clubhouse) -> Match:
    match = played(club)
    club.close()
    return Match.objects.get(pk=match.pk)


def proposed(club: Clubhouse) -> Sanction:
    return sanctions.propose(
        member=club.members[0], trigger_key="x", grounds={}, by=club.committee, at=club.at
    )


def submit(club: Clubhouse) -> Callable[[], object]:
    match, (a, _b) = club.match()
    return lambda: match_actions.submit(match=match, by=a, scores=(400, 350), at=club.at, key="k")


def edit(club: Clubhouse) -> Callable[[], object]:
    match, a, _b = submitted(club)
    return lambda: match_actions.submit(match=match, by=a, scores=(401, 350), at=club.at)


def confirm(club: Clubhouse) -> Callable[[], object]:
    match, _a, b = submitted(club)
    return lambda: match_actions.confirm(match=match, by=b, at=club.at)


def contest(club: Clubhouse) -> Callable[[], object]:
    match, _a, b = submitted(club)
    return lambda: match_actions.contest(match=match, by=b, at=club.at, words="faux")


def two_versions(club: Clubhouse) -> Callable[[], object]:
    match, _a, b = submitted(club)
    return lambda: match_actions.submit(match=match, by=b, scores=(350, 400), at=club.at)


def expire(club: Clubhouse) -> Callable[[], object]:
    match, _a, _b = submitted(club)
    return lambda: match_actions.lapse(match=match, at=club.at + timedelta(seconds=301))


def too_late(club: Clubhouse) -> Callable[[], object]:
    """The window closes inside an act that is then refused: its line must be kept all the same."""
    match, _a, b = submitted(club)

    def act() -> None:
        with refused("window_closed"):
            match_actions.contest(
                match=match, by=b, at=club.at + timedelta(seconds=301), words="faux"
            )

    return act


def only_the_clock_spoke() -> bool:
    """The window was closed and written down, once, and nothing else happened."""
    ended = Match.objects.filter(why="expired", lines__event="expire").count() == 1
    return ended and not Contest.objects.exists()


def claim(club: Clubhouse) -> Callable[[], object]:
    match, (a, _b) = club.match()
    return lambda: match_actions.claim_absence(
        match=match, by=a, at=club.at + timedelta(seconds=901)
    )


def mark_absent(club: Clubhouse) -> Callable[[], object]:
    match, _players = club.match()
    return lambda: club.mark_absent(match, "both")


def decide(club: Clubhouse) -> Callable[[], object]:
    match, _contest = contested(club)
    return lambda: club.decide(match, Result("played", 1, 2), "vu")


def correct(club: Clubhouse) -> Callable[[], object]:
    match = closed(club)
    return lambda: club.correct(match, Result("played", 300, 400), "relu")


def cancel(club: Clubhouse) -> Callable[[], object]:
    match, _players = club.match()
    return lambda: match_actions.cancel(match=match, reason="erreur", by=club.arbiter, at=club.at)


def take_back(club: Clubhouse) -> Callable[[], object]:
    match, _players = club.match()
    return lambda: undo.undo(match=match, by=club.arbiter, at=club.at)


def late_request(club: Clubhouse) -> Callable[[], object]:
    match = played(club)
    by = club.player(match.first)
    return lambda: arbitration.ask_committee(match=match, by=by, at=club.at, words="faux")


def take(club: Clubhouse) -> Callable[[], object]:
    _match, held = contested(club)
    return lambda: arbitration.take(contest=held, by=club.arbiter, at=club.at)


def pair(club: Clubhouse) -> Callable[[], object]:
    return lambda: pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)


def swap(club: Clubhouse) -> Callable[[], object]:
    one, _players = club.match()
    other, _players = club.match()
    return lambda: pairing.swap(
        evening=club.evening, one=one, other=other, reason="amis", by=club.arbiter, at=club.at
    )


def guest(club: Clubhouse) -> Callable[[], object]:
    return lambda: presence.welcome_guest(
        evening=club.evening, first_name="Zoé", last_name="", by=club.arbiter, at=club.at
    )


def close(club: Clubhouse) -> Callable[[], object]:
    played(club)
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)
    return lambda: evenings.close_evening(evening=club.evening, by=club.arbiter, at=club.at)


def excuse(club: Clubhouse) -> Callable[[], object]:
    match, _players = club.match()
    club.mark_absent(match, "a")
    absence = Absence.objects.get()
    read = absence.version
    return lambda: absences.review(
        absence=absence,
        justified=True,
        reason="train",
        seen=read,
        by=club.arbiter,
        at=club.at,
    )


def impose(club: Clubhouse) -> Callable[[], object]:
    sanction = proposed(club)
    return lambda: club.impose(sanction, "x", sessions=1, cut_percent=Decimal(2))


def adopt(club: Clubhouse) -> Callable[[], object]:
    draft = club.draft_rules({"cote": {"k_expert": 12}})
    return lambda: club.adopt(RuleBook.objects.get(pk=draft.pk), club.at + timedelta(days=1))


def grant(club: Clubhouse) -> Callable[[], object]:
    return lambda: members.grant(
        member=club.members[0], role=RoleGrant.ARBITER, by=club.committee, at=club.at
    )


def load(club: Clubhouse) -> Callable[[], object]:
    table = tables.read("m.csv", "Prénom;Nom\nAna;Pop\nIon;Ionescu\n".encode(), imports.COLUMNS)
    draft = members_draft(club, table.rows, encoding=table.encoding)
    return lambda: imports.write(draft=draft, by=club.committee, at=club.at)


def publish(club: Clubhouse) -> Callable[[], object]:
    closed(club)
    return lambda: club.publish_edition("Titre")


ACTS = [
    submit, edit, confirm, contest, two_versions, expire, too_late, claim, mark_absent, decide,
    correct, cancel, take_back, late_request, take, pair, swap, guest, close, excuse, impose,
    adopt, grant, load, publish,
]  # fmt: skip


@pytest.mark.only_on("sqlite")  # the failure is raised above the database: once is enough
@pytest.mark.parametrize("prepare", ACTS, ids=lambda prepare: prepare.__name__)
def test_an_act_is_wholly_done_or_not_at_all(prepare, transactional_db):
    club = make_club("faizers", size=SIZE)
    act = prepare(club)
    before, number = rows(), 0
    while True:
        number += 1
        assert number < 2000, "it never passes"
        try:
            with failing_at(number):
                act()
        except Broken:
            if prepare is too_late and only_the_clock_spoke():
                continue  # what failed came after the commit, in the sentence of the refusal
            assert rows() == before, f"half written when statement {number} failed"
            continue
        break
    assert number > 2, "nothing was ever failed"
    assert rows() != before, "the act did nothing"
    assert list(journal.verify(club.organisation)) == []


@pytest.mark.parametrize("prepare", ACTS, ids=lambda prepare: prepare.__name__)
def test_a_commit_that_fails_leaves_nothing(prepare, transactional_db):
    club = make_club("faizers", size=SIZE)
    act = prepare(club)
    before = rows()
    with failing_commit(), pytest.raises(Broken):
        act()
    assert rows() == before
    act()
    assert rows() != before
    assert list(journal.verify(club.organisation)) == []


def test_without_a_transaction_the_same_failure_is_seen(transactional_db):
    """Negative control: two writes of their own, the second of which fails."""
    club = make_club("faizers", size=SIZE)
    before = rows()
    with failing_at(2), pytest.raises(Broken):
        for member in club.members[:2]:
            type(member).objects.filter(pk=member.pk).update(email="x@example.org")
    assert rows() != before
