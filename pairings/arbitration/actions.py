"""Requests to the committee, and claiming and recusing a contest."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, reason_of
from clubs.journal import chain as journal
from pairings.arbitration.holders import holder_of
from pairings.arbitration.models import Contest
from pairings.live import stream as live
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.matches.refusals import (
    ResultRefused,
    check_not_own,
    check_not_recused,
    check_scores,
    check_version,
    not_from,
    refusal,
)
from pairings.matches.state import claimed_columns
from pairings.matches.transitions import locked, locked_with_its_tournament
from pairings.rules.match_state import Event, Result


@transaction.atomic
def ask_committee(
    *,
    match: Match,
    by: Actor,
    at: datetime,
    words: str,
    scores: tuple[Any, Any] | None = None,
    version: int | None = None,
) -> Contest:
    """Store a request made after the window; it changes no result by itself.

    A player has one open request on a match.
    """
    match = locked(match)
    check_version(match, version)
    if by.member is None or not match.seats(by.member):
        raise refusal("not_a_player")
    if match.is_open:
        raise not_from(match)
    if not words.strip():
        raise ResultRefused(_("Dites en une phrase ce qui est faux."), code="reason_required")
    if match.contests.requests_of(by.member).exists():
        raise ResultRefused(
            _("Votre première demande attend encore la réponse du comité."), code="already_asked"
        )
    if scores is not None:
        check_scores(match, scores)
    request = Contest.objects.create(
        match=match,
        late=True,
        opened_by=by.member,
        opened_at=at,
        words=words.strip(),
        **claimed_columns(scores),
    )
    journal.note(
        match, "late_request", by=by, at=at, after={"contest": request.pk}, reason=words.strip()
    )
    live.announce(match.organisation, "contest", at=at, match=match.pk, evening=match.evening_id)
    return request


@transaction.atomic
def take(*, contest: Contest, by: Actor, at: datetime) -> Contest:
    """Claim a contest for an arbiter; the other arbiters see who. Refused as `check_not_own` says.

    One whose arbiter left or lost the role is taken over.
    """
    check_not_own(contest.match, by)
    check_not_recused(contest, by)
    # Whoever settles the match holds it when they come to its contest; a program that takes and
    # settles one does both in one transaction.
    locked_with_its_tournament(contest.match)
    contest.refresh_from_db(from_queryset=Contest.objects.select_for_update(no_key=True))
    holder, moved = holder_of(contest), 0
    if holder is None:
        moved = Contest.objects.filter(
            pk=contest.pk, closed_at__isnull=True, taken_by=contest.taken_by_id
        ).update(taken_by=by.user, taken_at=at)
        contest.refresh_from_db()
    if not moved:
        if holder is not None and by.user is not None and holder.user_id == by.user.pk:
            return contest
        raise ResultRefused(_("Un autre arbitre vient de prendre ce litige."), code="stale")
    _note_contest(contest, "contest_taken", by, at)
    return contest


@transaction.atomic
def pass_on(*, contest: Contest, reason: str, by: Actor, at: datetime) -> Contest:
    """Release a contest to the other arbiters with a reason ("Me récuser")."""
    reason = reason_of(reason, ResultRefused)
    user_id = by.user.pk if by.user else None
    row = Contest.objects.select_for_update(no_key=True, of=("self",)).get(pk=contest.pk)
    check_not_recused(row, by)
    # Each recusal is added to the stored ones, and an arbiter releases their own claim only.
    changes: dict[str, object] = {"passed_on": [*row.passed_on, user_id]}
    if row.taken_by_id == user_id:
        changes |= {"taken_by": None, "taken_at": None}
    moved = Contest.objects.filter(pk=row.pk, closed_at__isnull=True).update(**changes)
    if not moved:
        raise refusal("wrong_state", code="stale")
    contest.refresh_from_db()
    _note_contest(contest, "contest_passed_on", by, at, reason)
    return contest


@transaction.atomic
def close_request(*, contest: Contest, answer: str, by: Actor, at: datetime) -> Contest:
    """Answer a late request without changing the result."""
    answer = reason_of(answer, ResultRefused)
    check_not_own(contest.match, by)
    moved = Contest.objects.filter(pk=contest.pk, late=True, closed_at__isnull=True).update(
        closed_at=at, closed_by=by.user, answer=answer
    )
    if not moved:
        raise refusal("wrong_state", code="stale")
    contest.refresh_from_db()
    _note_contest(contest, "late_request_answered", by, at, answer)
    return contest


def settle(
    *,
    match: Match,
    contest: Contest | None,
    result: Result,
    reason: str,
    version: int,
    by: Actor,
    at: datetime,
) -> Match:
    """Decide a contested match; a contest that nobody has in hand becomes this arbiter's."""
    if contest is not None and holder_of(contest) is None:
        take(contest=contest, by=by, at=at)
    return match_actions.decide(
        match=match, result=result, reason=reason, version=version, by=by, at=at
    )


def intervene(
    *,
    match: Match,
    act: str,
    result: Result | None,
    reason: str,
    by: Actor,
    at: datetime,
    version: int | None = None,
) -> Match:
    """Do one of the acts of `JudgeForm` on an open match that nobody contests.

    `result`: what the act gives the match: the scores of the slip, who was absent.
    """
    about: dict[str, Any] = {"match": match, "by": by, "at": at, "version": version}
    if act == Event.CONTEST:
        return match_actions.contest(**about, subject=Contest.Subject.OTHER, words=reason)
    if act == Event.START:
        return match_actions.start(**about)
    if act == Event.CANCEL:
        return match_actions.cancel(**about, reason=reason)
    assert result is not None
    if act == Event.RECORD:
        return match_actions.record(**about, result=result)
    assert result.absent is not None
    return match_actions.mark_absent(
        **about, absent=result.absent, justified=result.justified, reason=reason
    )


def check_read(seen: str, mark: str) -> None:
    """Refuse a decision whose effect, as it is now (`mark`), is not the one that was read."""
    if seen != mark:
        raise ResultRefused(_("Lisez l’effet de cette décision, puis rendez-la."), code="unread")


def _note_contest(contest: Contest, verb: str, by: Actor, at: datetime, reason: str = "") -> None:
    match = contest.match
    journal.note(match, verb, by=by, at=at, after={"contest": contest.pk}, reason=reason)
    live.announce(match.organisation, "contest", at=at, match=match.pk, evening=match.evening_id)
