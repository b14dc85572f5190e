"""Actions of players and arbiters on one match."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.approvals import actions as approvals
from clubs.members.models import Member
from clubs.rulebooks import actions as rulebooks
from pairings.arbitration.models import Contest
from pairings.live import stream as live
from pairings.live.models import Operation
from pairings.matches import reasons
from pairings.matches.models import Match
from pairings.matches.refusals import (
    ResultRefused,
    check_not_recused,
    check_other_scores,
    check_scores,
    completed,
    refusal,
)
from pairings.matches.state import (
    Games,
    act_of,
    claimed_columns,
    columns_of,
    entered_words,
    games_of,
    result_of,
)
from pairings.matches.transitions import body_hash, expiry, locked, perform, write_step
from pairings.rules.match_state import Absent, Event, Kind, Result, Status
from ratings.editions import actions as editions
from ratings.ledger.models import Edition, Period

log = logging.getLogger(__name__)


def start(*, match: Match, by: Actor, at: datetime, version: int | None = None) -> Match:
    """Start the timer of the game (optional)."""
    return perform(match, act_of(Event.START, by, at), by, at, version=version)


def sit_down(*, match: Match, by: Actor, at: datetime) -> Match:
    """Mark a player as seated ("Je suis à table"); the game starts when both are."""
    assert by.member is not None
    with transaction.atomic():
        row = locked(match)
        if not row.seats(by.member):
            raise refusal("not_a_player")
        if row.status != Status.PROPOSED.value:
            return row
        side = "first_seated_at" if row.first_id == by.member.pk else "second_seated_at"
        if getattr(row, side) is None:
            Match.objects.filter(pk=row.pk, **{f"{side}__isnull": True}).update(**{side: at})
            row.refresh_from_db()
            live.announce(row.organisation, "match", at=at, match=row.pk, evening=row.evening_id)
    if row.first_seated_at and row.second_seated_at:
        return start(match=row, by=by, at=at)
    return row


def enter_score(
    *,
    match: Match,
    by: Actor,
    mine: object,
    theirs: object,
    at: datetime,
    key: str = "",
    photo: str = "",
    version: int | None = None,
) -> Match:
    """Enter the result as its player sees it: own score, then the opponent's.

    The submitter may enter again until the opponent answers (the window restarts). If the opponent
    enters the same scores, this confirms; other scores contest, with both versions kept. `key`
    makes the request idempotent.
    """
    assert by.member is not None
    first_is_me = match.first_id == by.member.pk
    scores = (mine, theirs) if first_is_me else (theirs, mine)
    return submit(match=match, by=by, scores=scores, at=at, key=key, photo=photo, version=version)


def submit(
    *,
    match: Match,
    by: Actor,
    scores: tuple[Any, Any],
    at: datetime,
    key: str = "",
    photo: str = "",
    games: Games = (),
    version: int | None = None,
) -> Match:
    """Enter a result like `enter_score`, with the scores in the order of the match.

    Where two games must be won, `games` are their scores and `scores` is not read. `version`: of
    the match as its player read it. A result that they have sent since is not replaced by another
    one: refused as `already_sent`; sent again without a photo it changes nothing.
    """
    result = completed(match, Result(Kind.PLAYED, *scores, games=games_of(games)))
    body = {"match": match.pk, **entered_words(columns_of(result))}
    if key and (done := _already_done(by, key, body)):
        return done
    row = Match.objects.get(pk=match.pk)
    mine = by.member is not None and row.submitted_by_id == by.member.pk
    edits = row.status == Status.SUBMITTED.value and mine
    if edits and version is not None and version != row.version:
        if result_of(row) != result:
            raise refusal("already_sent")
        if not photo:
            return row
    seen = row.version if edits else None
    act = act_of(Event.EDIT if edits else Event.SUBMIT, by, at, result=result)
    try:
        return perform(match, act, by, at, photo=photo, key=key, body=body, version=seen)
    except (ResultRefused, IntegrityError):
        # A concurrent request with the same key may have been applied first.
        if key and (done := _already_done(by, key, body)):
            return done
        raise


def record(
    *,
    match: Match,
    result: Result,
    by: Actor,
    at: datetime,
    version: int | None = None,
) -> Match:
    """Enter at the desk the slip that both players signed: final at once.

    If a player has already entered the same result on a phone, it ends the match; another result
    contests it, with both versions kept.
    """
    act = act_of(Event.RECORD, by, at, result=completed(match, result))
    return perform(match, act, by, at, version=version)


def confirm(*, match: Match, by: Actor, at: datetime, version: int | None = None) -> Match:
    """Confirm, as the other player, the exact scores they saw (`version`)."""
    return perform(match, act_of(Event.CONFIRM, by, at), by, at, version=version)


def contest(
    *,
    match: Match,
    by: Actor,
    at: datetime,
    subject: str = Contest.Subject.WRONG_SCORE,
    words: str = "",
    scores: tuple[Any, Any] | None = None,
    photo: str = "",
    version: int | None = None,
) -> Match:
    """Contest a result within its window. After it, refused as `window_closed`."""
    details = {
        "subject": subject,
        "words": words.strip(),
        "photo": photo,
        **claimed_columns(scores),
    }
    if scores is not None:
        check_scores(match, scores)
        if subject == Contest.Subject.WRONG_SCORE:
            check_other_scores(match, scores)
    act = act_of(Event.CONTEST, by, at, reason=words.strip())
    return perform(match, act, by, at, version=version, contest=details)


def claim_absence(*, match: Match, by: Actor, at: datetime, version: int | None = None) -> Match:
    """Claim the opponent's absence after the grace time ("Mon adversaire n’est pas là")."""
    return perform(match, act_of(Event.CLAIM_ABSENCE, by, at), by, at, version=version)


def deny_absence(
    *, match: Match, by: Actor, at: datetime, words: str = "", version: int | None = None
) -> Match:
    """Deny a claimed absence ("J’étais là"); the arbiter decides."""
    details = {"subject": Contest.Subject.ABSENCE, "words": words.strip()}
    act = act_of(Event.DENY, by, at, reason=words.strip())
    return perform(match, act, by, at, version=version, contest=details)


def withdraw_absence(*, match: Match, by: Actor, at: datetime, version: int | None = None) -> Match:
    """Take back a claimed absence: the opponent has arrived."""
    return perform(match, act_of(Event.WITHDRAW, by, at), by, at, version=version)


def mark_absent(
    *,
    match: Match,
    absent: str,
    justified: bool,
    by: Actor,
    at: datetime,
    reason: str = "",
    version: int | None = None,
) -> Match:
    """Note the absence of "a", "b" or "both"; a double absence voids the match."""
    reason = reason.strip() or reasons.NOTED_ABSENT
    result = Result(Kind.ABSENT, absent=Absent(absent), justified=justified)
    act = act_of(Event.MARK_ABSENT, by, at, result=result, reason=reason)
    return perform(match, act, by, at, version=version)


def decide(
    *,
    match: Match,
    result: Result,
    reason: str,
    by: Actor,
    at: datetime,
    version: int | None = None,
) -> Match:
    """Settle a contested match, with a reason shown to both players.

    Refused to its players, and to an arbiter who recused themselves from this contest.
    """
    contest = match.contests.open().filter(late=False).first()
    if contest is not None:
        check_not_recused(contest, by)
    act = act_of(Event.DECIDE, by, at, result=completed(match, result), reason=reason)
    return perform(match, act, by, at, version=version)


def correct(
    *,
    match: Match,
    result: Result,
    reason: str,
    by: Actor,
    at: datetime,
    version: int | None = None,
    approver: Member | None = None,
) -> Match:
    """Change a result in force. Every version is kept; rankings and cotes are recomputed.

    A bye has no opponent: it can be removed, never given a score. `approver` agreed to it
    (`clubs.approvals.actions`), where the committee requires two people for what is published.
    """
    if match.second_id is None and result.kind != Kind.CANCELLED:
        raise refusal("exempt", code="bad_result")
    result = completed(match, result)
    if approver is None and wants_two(match, at=at):
        raise ResultRefused(str(approvals.NEEDED), code="second_required")
    act = act_of(Event.CORRECT, by, at, result=result, reason=reason)
    if approver is None:
        return perform(match, act, by, at, version=version)
    with transaction.atomic():
        corrected_match = perform(match, act, by, at, version=version)
        subject = f"match:{match.pk}"
        approvals.record(approver=approver, by=by, at=at, subject=subject, reason=reason)
    return corrected_match


def published_with(match: Match) -> list[Edition]:
    """Return the published rankings that a correction of this match would contradict."""
    competition = match.competition
    rankings = competition.club_rankings()
    posted = Period.objects.opened_for(competition.origin).filter(
        rating_list__organisation=match.organisation, settled_at__isnull=False
    )
    for period in posted.select_related("rating_list").order_by("rating_list_id", "pk"):
        reached = editions.reaching(match.organisation, period.rating_list, period.held_on)
        rankings += reached.select_related("rating_list")
    return rankings


def wants_two(match: Match, *, at: datetime) -> bool:
    """Return whether the committee requires a second person's approval for this correction."""
    policy = rulebooks.rules_at(match.organisation, rulebooks.LADDER, rulebooks.CORRECTION, at)
    return bool(policy.second_person) and bool(published_with(match))


def cancel(
    *, match: Match, reason: str, by: Actor, at: datetime, version: int | None = None
) -> Match:
    """Remove an open match (a wrong pairing, a closed room)."""
    return perform(match, act_of(Event.CANCEL, by, at, reason=reason), by, at, version=version)


def lapse_due(*, at: datetime, grace: timedelta = timedelta(0)) -> int:
    """Expire every window and deadline that has run out, 200 at once. Idempotent.

    `grace`: windows that ended more recently are skipped, because an action that arrived in time
    may still be queued. A match that cannot be ended does not block the others.
    """
    ended = 0
    # Read beside, not with them: on most pages nothing is due.
    due = Match.objects.due(at=at - grace).prefetch_related("evening", "round__tournament")
    for match in due.order_by("contest_until", "pk")[:200]:
        try:
            ended += lapse(match=match, at=at)
        except Exception:
            log.exception("match %s could not be ended", match.pk)
    return ended


def lapse(*, match: Match, at: datetime) -> bool:
    """Expire the window or deadline of one match; return whether something ended."""
    by = Actor.system()
    with transaction.atomic():
        row = locked(match)
        step = expiry(row, at)
        if not step.lines:
            return False
        write_step(row, step, None, by, at)
    return True


def lapse_read(match: Match, *, at: datetime) -> bool:
    """Do the same for a match that was read just now: locked and read again only if it has run out."""
    if not expiry(match, at).lines:
        return False
    ended = lapse(match=match, at=at)
    match.refresh_from_db()
    return ended


def _already_done(by: Actor, key: str, body: Mapping[str, object]) -> Match | None:
    done = Operation.objects.filter(actor=by.user, key=key).first()
    if done is None:
        return None
    if done.body_hash != body_hash(body):
        raise ResultRefused(
            _("Ce résultat n’a pas été enregistré : rechargez la page et saisissez-le de nouveau."),
            code="key_reused",
        )
    return Match.objects.get(pk=done.answer["match"])
