"""Transitions of one match: start, enter a score, confirm, contest, claim, decide, correct, expire.

Each locks the row, expires what has run out (`lapse`, committed even when the action is then
refused), calls the rules once, and writes one guarded update, one timeline entry and one journal
entry for each accepted action, in one transaction.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from clubs.accounts.actor import Actor
from clubs.journal import chain as journal
from pairings.arbitration.models import Contest
from pairings.live import stream as live
from pairings.live.models import Operation
from pairings.matches import reasons
from pairings.matches.messages import emails, pushes
from pairings.matches.models import Decision, Match, MatchLine, Seat, Submission
from pairings.matches.refusals import ResultRefused, is_own_match, refusal, sentence_of
from pairings.matches.state import act_of, columns_of, entered_columns, entered_words, state_of
from pairings.rules.match_lifecycle import AcceptedEvent, Step
from pairings.rules.match_state import (
    CLOCK_EVENTS,
    CLOSED,
    JUDGES,
    NOT_STARTED,
    PLAYER,
    SYSTEM,
    Act,
    Event,
    Status,
    instant,
)
from ratings.ledger import settlement
from ratings.ledger.models import Period

log = logging.getLogger(__name__)


def locked(match: Match) -> Match:
    """Return the row as it is now, locked, with the related rows that the caller had already read.

    Raises Match.DoesNotExist when the match does not belong to the organisation of `match`.
    """
    rows = Match.objects.select_for_update(no_key=True, of=("self",)).select_related("rule_book")
    row = rows.get(pk=match.pk, organisation=match.organisation_id)
    for name in ("organisation", "evening", "round", "first", "second"):
        known = getattr(match, name) if getattr(Match, name).is_cached(match) else None
        if known is not None and known.pk == getattr(row, f"{name}_id"):
            setattr(row, name, known)
    return row


def locked_with_its_tournament(match: Match) -> tuple[Match, bool]:
    """Return the row, locked after what it is of, and whether that takes results (decision 0046)."""
    accepts_results = match.competition.accepts_results()
    return locked(match), accepts_results


def perform(
    match: Match,
    act: Act,
    by: Actor,
    at: datetime,
    *,
    version: int | None = None,
    contest: Mapping[str, object] | None = None,
    photo: str = "",
    key: str = "",
    body: Mapping[str, object] | None = None,
) -> Match:
    """Perform one action.

    The refusal is raised after the commit, so that a lapse noticed here is kept.
    """
    with transaction.atomic():
        row, accepts_results = locked_with_its_tournament(match)
        if not accepts_results:
            raise refusal("tournament_closed")
        step = _applied(row, act, at)
        lapsed = bool(step.lines) and step.lines[0].event in CLOCK_EVENTS
        stale = version is not None and version != row.version and not lapsed
        code = _refusal_of(row, step, by, stale=stale)
        if code is None:
            if key and by.user is not None:
                Operation.objects.create(
                    key=key,
                    actor=by.user,
                    body_hash=body_hash(body),
                    answer={"match": row.pk},
                    at=at,
                )
            write_step(row, step, act, by, at, contest=contest, photo=photo)
        elif lapsed:
            write_step(row, expiry(row, at), None, Actor.system(by.origin), at)
    if code is not None:
        log.info("act refused", extra={"match": row.pk, "act": str(act.type), "code": code})
        row.refresh_from_db()
        as_read = version is not None and not lapsed
        raise ResultRefused(sentence_of(code, row, act, is_as_read=as_read), code=code)
    return row


def expiry(match: Match, at: datetime) -> Step:
    """Return what the clock does to a match: its window, or its time to play, has run out.

    Without lines when nothing has.
    """
    rules, state = match.competition.match_rules(), state_of(match)
    if state.status in NOT_STARTED and at > match.deadline_until:
        return rules.apply(state, act_of(Event.TIMEOUT, Actor.system(), at))
    return rules.lapse(state, at.timestamp())


def _applied(row: Match, act: Act, at: datetime) -> Step:
    """Return the step of an act on a match whose time to play may be over.

    The rules expire a window themselves; the time to play ends at the row's own instant. It binds
    players: an arbiter, who may correct what is void, still ends an open match (forced closing).
    """
    rules, state = row.competition.match_rules(), state_of(row)
    over = expiry(row, at) if act.role == PLAYER and state.status in NOT_STARTED else None
    if over is None or not over.lines:
        return rules.apply(state, act)
    step = rules.apply(over.after, act)
    return replace(step, lines=over.lines + step.lines)


def _refusal_of(row: Match, step: Step, by: Actor, *, stale: bool) -> str | None:
    """Return the code of the refusal of an act, or None if it may be stored."""
    if step.code == "not_allowed":
        return step.code
    if stale:
        return "stale"
    if not step.ok:
        return step.code
    if by.role in JUDGES and is_own_match(row, by):
        return "own_match"
    is_back = row.status == Status.CANCELLED and step.after.status != Status.CANCELLED
    return "replaced" if is_back and row.competition.is_replaced() else None


def write_step(
    row: Match,
    step: Step,
    act: Act | None,
    by: Actor,
    at: datetime,
    *,
    contest: Mapping[str, object] | None = None,
    photo: str = "",
) -> None:
    """Store an accepted step: the guarded update and all its consequences."""
    before = _summary(row)
    period = _store(row, step, act, by, at, before, contest=contest, photo=photo)
    # These actions write journal entries of their own, so they come last.
    corrected = before["status"] in CLOSED
    if row.status in CLOSED and (corrected or row.absentee_ids()):
        row.competition.review_absences(before, by=by, at=at)
    if period is not None and period.settled_at is not None:
        reason = reasons.RULED if act and act.reason else row.why
        settlement.correct(period=period, by=by, at=at, reason=reason)
    if row.status in CLOSED and (row.absent or emails.is_decision(before, act)):
        row.competition.notify(before, act, by)
    pushes.tell(row, before, act, by, at)


def _store(
    row: Match,
    step: Step,
    act: Act | None,
    by: Actor,
    at: datetime,
    before: dict[str, object],
    *,
    contest: Mapping[str, object] | None,
    photo: str,
) -> Period | None:
    """Store the match, its timeline, the seats, the ledger and the journal.

    `before` is the journal's description of the match before the change. Return the ledger period
    that it changed.
    """
    changes = _changes(row, step, at)
    # An entry raises the version by one, so the version before is the number of entries before.
    last_number, old_status = row.version, row.status
    for name, value in changes.items():
        setattr(row, name, value)
    period = None
    if row.status in CLOSED:
        period = row.competition.post(at=at, is_first=old_status not in CLOSED)
    if period is not None and period.settled_at is not None:  # it is corrected after the journal
        settlement.lock_early(period.rating_list)
    if not Match.objects.filter(pk=row.pk, version=last_number).update(**changes):
        raise refusal("wrong_state", code="stale")
    authors = []
    for offset, line in enumerate(step.lines, start=1):
        by_clock = act is None or line.event in CLOCK_EVENTS
        author = Actor.system(by.origin) if by_clock else by
        _add_line(row, line, last_number + offset, act, author, at)
        authors.append((line, author))
    entered = act.result if act is not None and act.type in (Event.SUBMIT, Event.EDIT) else None
    if entered is not None and by.member is not None:
        Submission.objects.create(
            match=row,
            by=by.member,
            at=at,
            photo=photo,
            **entered_columns(entered),
        )
    _follow(row, old_status, act, by, at, contest)
    for line, author in authors:
        journal.note(
            row,
            line.event.verb,
            by=author,
            at=at,
            before=before,
            after=_summary(row),
            reason=act.reason if act is not None and author is by else "",
            rule_book=row.rule_book,
        )
    return period


def _changes(row: Match, step: Step, at: datetime) -> dict[str, object]:
    """Return the columns of the match that the step changes."""
    after = step.after
    rules = row.competition.match_rules()
    changes: dict[str, object] = {
        "status": after.status.value,
        "rev": after.rev,
        **columns_of(after.result),
        "why": after.why or "",
        "submitted_by_id": after.submitted_by,
        "confirmed": after.confirmed,
        "counts": rules.counts(after),
        "version": row.version + len(step.lines),
    }
    opened, ends = after.window_opened_at, rules.window_ends(after)
    if opened is None:
        changes |= {"submitted_at": None, "contest_until": None}
    elif ends is not None and row.submitted_at != instant(opened):
        changes["submitted_at"] = instant(opened)
        changes["contest_until"] = instant(ends)
    if after.status is Status.PLAYING and row.started_at is None:
        changes["started_at"] = at
    if after.status in CLOSED and row.ended_at is None:
        changes["ended_at"] = at
    return {name: value for name, value in changes.items() if value != getattr(row, name)}


def _add_line(
    row: Match, line: AcceptedEvent, number: int, act: Act | None, author: Actor, at: datetime
) -> None:
    caused = act if author.role != SYSTEM else None
    scores = caused.result if caused else None
    MatchLine.objects.create(
        match=row,
        number=number,
        at=at,
        event=line.event.value,
        from_status=str(line.from_status),
        to_status=str(line.to_status),
        by=author.user,
        by_member=author.member,
        role=author.role,
        first_score=scores.first_score if scores else None,
        second_score=scores.second_score if scores else None,
        reason=caused.reason if caused else "",
    )


def _follow(
    row: Match,
    old_status: str,
    act: Act | None,
    by: Actor,
    at: datetime,
    contest: Mapping[str, object] | None,
) -> None:
    """Apply the consequences of a change of status to seats, contests and live pages.

    A match that ends for the first time has no earlier decision, absence or rated game to look up,
    and only a contested one has a contest to close: their unique keys would refuse a second.
    """
    first_end = old_status not in CLOSED
    if row.status == Status.CONTESTED.value and old_status != row.status:
        _open_contest(row, act, by, at, contest)
    if row.status in CLOSED:
        if old_status == Status.CONTESTED.value or not first_end:
            _close_contests(row, by, at, act.reason if act else "")
        _add_decision(row, act, by, at, is_first=first_end)
        if first_end:
            Seat.objects.filter(match=row, live=True).update(live=False)
        row.competition.follow_result(at=at, is_first=first_end)
        if not first_end:
            row.competition.send_correction(by=by, at=at)
    live.announce(
        row.organisation,
        "match",
        at=at,
        match=row.pk,
        evening=row.evening_id,
        round=row.round_id,
        status=row.status,
    )


def _open_contest(
    row: Match, act: Act | None, by: Actor, at: datetime, contest: Mapping[str, object] | None
) -> None:
    details = dict(contest or {})
    if act is None or act.type in CLOCK_EVENTS:
        details.setdefault("subject", Contest.Subject.SILENCE)
    elif act.type in (Event.SUBMIT, Event.RECORD):
        details.setdefault("subject", Contest.Subject.TWO_VERSIONS)
        assert act.result is not None
        details = entered_columns(act.result) | details
    Contest.objects.get_or_create(
        match=row,
        closed_at=None,
        late=False,
        defaults={"opened_by": by.member, "opened_at": at, **details},
    )


def _close_contests(row: Match, by: Actor, at: datetime, answer: str) -> None:
    Contest.objects.filter(match=row, closed_at__isnull=True).update(
        closed_at=at, closed_by=by.user, answer=answer
    )


def _add_decision(
    row: Match, act: Act | None, by: Actor, at: datetime, *, is_first: bool = True
) -> None:
    last = None if is_first else Decision.objects.filter(match=row).order_by("-pk").first()
    Decision.objects.create(
        match=row,
        supersedes=last,
        rev=row.rev,
        status=row.status,
        **row.result_columns(),
        basis=row.why or row.status,
        by=by.user,
        by_member=by.member,
        at=at,
        reason=act.reason.strip() if act and act.reason else "",
    )


def body_hash(body: Mapping[str, object] | None) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True, default=str).encode()).hexdigest()


def _summary(row: Match) -> dict[str, object]:
    """Return the result of a match as the journal stores it."""
    return {
        **entered_words(row.result_columns()),
        "status": row.status,
        "kind": row.kind,
        "absent": row.absent,
        "justified": row.justified,
        "why": row.why,
        "rev": row.rev,
    }


def decision_for_bye(match: Match, *, by: Actor, at: datetime) -> None:
    """Store the result of a bye, born final."""
    _add_decision(match, None, by, at)
