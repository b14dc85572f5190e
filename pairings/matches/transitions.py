"""Verbs of one match: start, enter a score, confirm, contest, claim, decide, correct, lapse.

Each goes the same way: lock the row, let the clock speak first (`lapse`, whose line is committed
even when the act itself is then refused), ask `match_flow` once, write one guarded update, one
timeline line and one journal line for each accepted act, in one transaction.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from clubs.accounts.actor import ARBITER, COMMITTEE, Actor, Refused
from clubs.approvals import actions as second_member
from clubs.journal import chain as journal
from clubs.members.models import Member
from clubs.rulebooks import actions as rulebook
from pairings.absences import actions as absences
from pairings.arbitration.models import Contest
from pairings.evenings.models import CheckIn, Evening
from pairings.live import stream as live
from pairings.live.models import Operation
from pairings.matches import emails as notices
from pairings.matches import rating as posting
from pairings.matches.models import Decision, Match, MatchLine, Seat, Submission
from pairings.rules.match_lifecycle import Act, Lifecycle, Line, MatchState, Result, Status, Step
from pairings.systems.formule_classique.points import GAME_PROBLEMS, games_won, problem_with
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments.models import Tournament
from ratings.editions import actions as editions
from ratings.ledger import settlement as ledger
from ratings.ledger.correction_policy import PART as CORRECTION
from ratings.ledger.models import Edition, Period

log = logging.getLogger(__name__)

Games = Sequence[Sequence[int]]
CLOSED = frozenset({Status.FINAL, Status.VOID, Status.CANCELLED})
CLOSED_VALUES = frozenset(status.value for status in CLOSED)

SENTENCES: Mapping[str, Any] = {
    "own_submission": gettext_lazy("Vous avez saisi ce résultat : c’est à l’autre de confirmer."),
    "wrong_state": gettext_lazy("Ce match vient de changer d’état. Relisez-le avant d’agir."),
    "window_open": gettext_lazy("Le délai de contestation court encore."),
    "not_submitter": gettext_lazy("Seule la personne qui a saisi le résultat peut le corriger."),
    "reason_required": gettext_lazy("Le motif est obligatoire."),
    "not_allowed": gettext_lazy("Vous n’avez pas le droit de faire cela sur ce match."),
    "not_a_player": gettext_lazy("Vous ne jouez pas ce match."),
    "own_match": gettext_lazy("Vous jouez ce match : un autre arbitre doit s’en charger."),
    "too_early": gettext_lazy("Il est trop tôt pour signaler une absence."),
    "exempt": gettext_lazy("Un exempt n’a pas d’adversaire : on ne peut que l’annuler."),
    "recused": gettext_lazy("Vous avez passé ce litige à un autre arbitre."),
    "bad_result": gettext_lazy("Ce résultat n’est pas complet."),
    "tournament_closed": gettext_lazy("Ce tournoi est terminé : il faut d’abord le rouvrir."),
}


class ResultRefused(Refused):
    """An act on a match that may not happen, in words the reader may see."""


def lifecycle_of(match: Match) -> Lifecycle:
    """The lifecycle settings of the rule version fixed on the match, or of its tournament."""
    if match.round is not None:
        return tournament_rules.lifecycle_of(match.round.tournament)
    rules: Lifecycle = rulebook.rules(match.rule_book, "faizers", "match")
    return rules


def winning_games(match: Match) -> int:
    """How many games must be won: one, or two where the tournament says so (004)."""
    return 1 if match.round is None else tournament_rules.winning_games(match.round.tournament)


def state_of(match: Match) -> MatchState:
    """The stored row as the plain value that the rules take. Instants are epoch seconds."""
    result = None
    if match.kind:
        result = Result(
            kind=match.kind,  # type: ignore[arg-type]
            first_score=match.first_score,
            second_score=match.second_score,
            absent=match.absent or None,  # type: ignore[arg-type]
            justified=match.justified,
            games=games_of(match.games),
        )
    return MatchState(
        first=match.first_id,
        second=match.second_id,
        status=Status(match.status),
        rev=match.rev,
        result=result,
        why=match.why or None,
        submitted_by=match.submitted_by_id,
        confirmed=match.confirmed,
        window_opened_at=match.submitted_at.timestamp() if match.submitted_at else None,
        proposed_at=match.proposed_at.timestamp(),
    )


def allowed(match: Match, *, by: Actor, at: datetime) -> frozenset[str]:
    """The acts that would be accepted now: what a page may offer."""
    who = by.member.pk if by.member else ""
    return lifecycle_of(match).allowed(state_of(match), by=who, role=by.role, at=at.timestamp())


# What players do


def start(*, match: Match, by: Actor, at: datetime) -> Match:
    """The clock of the game starts (optional)."""
    return _perform(match, _act("start", by, at), by, at)


def sit_down(*, match: Match, by: Actor, at: datetime) -> Match:
    """ "Je suis à table": when both have said so, the game starts."""
    assert by.member is not None
    with transaction.atomic():
        row = _locked(match)
        if not row.seats(by.member):
            raise ResultRefused(str(SENTENCES["not_a_player"]), code="not_a_player")
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
    mine: Any,
    theirs: Any,
    at: datetime,
    key: str = "",
    photo: str = "",
) -> Match:
    """Enter the result as its player sees it: own score, then the other's.

    The submitter may enter again until the other answers (the window restarts). The other typing
    the same scores confirms; other scores contest, with both versions kept. `key` makes sending
    twice harmless.
    """
    assert by.member is not None
    first_is_me = match.first_id == by.member.pk
    scores = (mine, theirs) if first_is_me else (theirs, mine)
    return submit(match=match, by=by, scores=scores, at=at, key=key, photo=photo)


def submit(
    *,
    match: Match,
    by: Actor,
    scores: tuple[Any, Any],
    at: datetime,
    key: str = "",
    photo: str = "",
    games: Games = (),
) -> Match:
    """As `enter_score`, the scores in the order of the match.

    Where two games must be won, `games` are their scores and `scores` is not read.
    """
    scores = _complete(match, scores, games)
    body: dict[str, Any] = {"match": match.pk, "scores": list(scores)}
    if games:
        body["games"] = [list(game) for game in games]
    if key and (done := _already_done(by, key, body)):
        return done
    row = Match.objects.get(pk=match.pk)
    mine = by.member is not None and row.submitted_by_id == by.member.pk
    event = "edit" if row.status == Status.SUBMITTED.value and mine else "submit"
    act = _act(event, by, at, first_score=scores[0], second_score=scores[1], games=games_of(games))
    try:
        return _perform(match, act, by, at, photo=photo, key=key, body=body)
    except (ResultRefused, IntegrityError):
        if key and (done := _already_done(by, key, body)):  # its twin was faster
            return done
        raise


def record(
    *,
    match: Match,
    scores: tuple[Any, Any] = (None, None),
    games: Games = (),
    by: Actor,
    at: datetime,
    version: int | None = None,
) -> Match:
    """The desk types the slip that both players signed: final at once.

    Against what a player has already entered on a phone: the same result ends the match, another
    one is contested with both versions kept.
    """
    scores = _complete(match, scores, games)
    act = _act(
        "record", by, at, first_score=scores[0], second_score=scores[1], games=games_of(games)
    )
    return _perform(match, act, by, at, version=version)


def _judged_by_games(match: Match, result: Result) -> Result:
    """A played result with its scores read from its games, where it has games."""
    if result.kind != "played" or winning_games(match) == 1:
        return result
    first, second = _complete(match, (None, None), result.games)
    return replace(result, first_score=first, second_score=second)


def _complete(match: Match, scores: tuple[Any, Any], games: Games) -> tuple[Any, Any]:
    """The two scores of a match: as given, or the games won where they make a finished match."""
    needed = winning_games(match)
    if needed == 1:
        if games:
            raise ResultRefused(str(SENTENCES["bad_result"]), code="bad_result")
        return scores
    problem = problem_with(games, needed)
    if problem is not None:
        raise ResultRefused(_(GAME_PROBLEMS[problem]), code=problem)
    return games_won(games)


def games_of(games: Games) -> tuple[tuple[int, int], ...]:
    """Games as the rules hold them: JSON gives lists."""
    return tuple((own, other) for own, other in games)


def confirm(*, match: Match, by: Actor, at: datetime, version: int | None = None) -> Match:
    """The other player agrees with the exact scores he saw (`version`)."""
    return _perform(match, _act("confirm", by, at), by, at, version=version)


def contest(
    *,
    match: Match,
    by: Actor,
    at: datetime,
    subject: str = Contest.WRONG_SCORE,
    words: str = "",
    scores: tuple[Any, Any] | None = None,
    photo: str = "",
    version: int | None = None,
) -> Match:
    """Within the window: to the arbiter. After it, refused as `window_closed`."""
    reason = words.strip() or str(dict(Contest.SUBJECTS).get(subject, subject))
    details = {
        "subject": subject,
        "words": words.strip(),
        "first_score": scores[0] if scores else None,
        "second_score": scores[1] if scores else None,
        "photo": photo,
    }
    if scores is not None:
        _check_scores(match, scores)
    act = _act("contest", by, at, reason=reason)
    return _perform(match, act, by, at, version=version, contest=details)


@transaction.atomic
def ask_committee(
    *,
    match: Match,
    by: Actor,
    at: datetime,
    words: str,
    scores: tuple[Any, Any] | None = None,
) -> Contest:
    """After the window: a request that changes nothing by itself."""
    match = _locked(match)
    if by.member is None or not match.seats(by.member):
        raise ResultRefused(str(SENTENCES["not_a_player"]), code="not_a_player")
    if match.is_open:
        raise ResultRefused(str(SENTENCES["wrong_state"]), code="wrong_state")
    if not words.strip():
        raise ResultRefused(_("Dites en une phrase ce qui est faux."), code="reason_required")
    if scores is not None:
        _check_scores(match, scores)
    request = Contest.objects.create(
        match=match,
        late=True,
        opened_by=by.member,
        opened_at=at,
        words=words.strip(),
        first_score=scores[0] if scores else None,
        second_score=scores[1] if scores else None,
    )
    journal.record(
        organisation=match.organisation,
        verb="late_request",
        subject=f"match:{match.pk}",
        by=by,
        at=at,
        after={"contest": request.pk},
        reason=words.strip(),
    )
    live.announce(match.organisation, "contest", at=at, match=match.pk, evening=match.evening_id)
    return request


def claim_absence(*, match: Match, by: Actor, at: datetime) -> Match:
    """ "Mon adversaire n’est pas là", after the grace time."""
    return _perform(match, _act("claim_absence", by, at), by, at)


def confirm_absence(*, match: Match, by: Actor, at: datetime) -> Match:
    """The one said to be absent agrees."""
    return _perform(match, _act("confirm", by, at), by, at)


def deny_absence(*, match: Match, by: Actor, at: datetime, words: str = "") -> Match:
    """ "J’étais là": to the arbiter."""
    details = {"subject": Contest.ABSENCE, "words": words.strip()}
    return _perform(match, _act("deny", by, at, reason=words.strip()), by, at, contest=details)


# What arbiters and the committee do


def mark_absent(
    *, match: Match, absent: str, justified: bool, by: Actor, at: datetime, reason: str = ""
) -> Match:
    """Note the absence of "a", "b" or "both"; a double absence voids the match."""
    reason = reason.strip() or _("Absence constatée par l’arbitre.")
    act = _act("mark_absent", by, at, absent=absent, justified=justified, reason=reason)
    return _perform(match, act, by, at)


def decide(
    *,
    match: Match,
    result: Result,
    reason: str,
    by: Actor,
    at: datetime,
    version: int | None = None,
) -> Match:
    """Settle a contested match. Not by somebody who plays it; the reason is shown to both.

    Nor by an arbiter who passed this contest on: he has said that it is not for him.
    """
    contest = match.contests.open().filter(late=False).first()
    if contest is not None:
        _not_recused(contest, by)
    result = _judged_by_games(match, result)
    act = _act("decide", by, at, result=result, reason=reason)
    return _perform(match, act, by, at, version=version)


def correct(
    *,
    match: Match,
    result: Result,
    reason: str,
    by: Actor,
    at: datetime,
    version: int | None = None,
    second: Member | None = None,
) -> Match:
    """Change a result already in force. Every version stays; rankings and cotes are recomputed.

    An exempt has no opponent: it can be taken away, never given a score. `second` agreed to it
    (`clubs.approvals.actions`), where the committee wants two of its members for what is published.
    """
    if match.second_id is None and result.kind != "cancelled":
        raise ResultRefused(str(SENTENCES["exempt"]), code="bad_result")
    result = _judged_by_games(match, result)
    if second is None and wants_two(match, at=at):
        raise ResultRefused(str(second_member.NEEDED), code="second_required")
    act = _act("correct", by, at, result=result, reason=reason)
    if second is None:
        return _perform(match, act, by, at, version=version)
    with transaction.atomic():
        held = _perform(match, act, by, at, version=version)
        subject = f"match:{match.pk}"
        second_member.record(second=second, by=by, at=at, subject=subject, reason=reason)
    return held


def published_with(match: Match) -> list[Edition]:
    """The published rankings that a correction of this match would contradict."""
    keys = [f"tournament:{match.round.tournament_id}"] if match.round is not None else []
    found: list[Edition] = []
    if match.evening is not None and match.evening.state == Evening.CLOSED:
        found += editions.reaching(match.organisation, None, match.evening.held_on)
        keys.append(f"evening:{match.evening.pk}")
    posted = Period.objects.filter(
        rating_list__organisation=match.organisation, key__in=keys, settled_at__isnull=False
    )
    for period in posted.select_related("rating_list").order_by("rating_list_id", "pk"):
        reached = editions.reaching(match.organisation, period.rating_list, period.held_on)
        found += reached.select_related("rating_list")
    return found


def wants_two(match: Match, *, at: datetime) -> bool:
    """Does the committee want a second of its members for this correction?"""
    policy = rulebook.rules_at(match.organisation, "faizers", CORRECTION, at)
    return bool(policy.second_person) and bool(published_with(match))


def cancel(*, match: Match, reason: str, by: Actor, at: datetime) -> Match:
    """Take an open match away (a wrong pairing, a closed room)."""
    return _perform(match, _act("cancel", by, at, reason=reason), by, at)


@transaction.atomic
def take(*, contest: Contest, by: Actor, at: datetime) -> Contest:
    """An arbiter takes a contest; the others see who. Not his own match."""
    if contest.match.seats(by.member):
        raise ResultRefused(str(SENTENCES["own_match"]), code="own_match")
    _not_recused(contest, by)
    moved = Contest.objects.filter(
        pk=contest.pk, closed_at__isnull=True, taken_by__isnull=True
    ).update(taken_by=by.user, taken_at=at)
    contest.refresh_from_db()
    if not moved:
        if contest.taken_by_id == (by.user.pk if by.user else None):
            return contest
        raise ResultRefused(_("Un autre arbitre vient de prendre ce litige."), code="stale")
    _note_contest(contest, "contest_taken", by, at)
    return contest


@transaction.atomic
def pass_on(*, contest: Contest, reason: str, by: Actor, at: datetime) -> Contest:
    """Give a contest back to the others, saying why ("Me récuser")."""
    if not reason.strip():
        raise ResultRefused(str(SENTENCES["reason_required"]), code="reason_required")
    user_id = by.user.pk if by.user else None
    moved = Contest.objects.filter(pk=contest.pk, closed_at__isnull=True).update(
        taken_by=None, taken_at=None, passed_on=[*contest.passed_on, user_id]
    )
    if not moved:
        raise ResultRefused(str(SENTENCES["wrong_state"]), code="stale")
    contest.refresh_from_db()
    _note_contest(contest, "contest_passed_on", by, at, reason.strip())
    return contest


def _not_recused(contest: Contest, by: Actor) -> None:
    if by.user is not None and by.user.pk in contest.passed_on:
        raise ResultRefused(str(SENTENCES["recused"]), code="recused")


@transaction.atomic
def close_request(*, contest: Contest, answer: str, by: Actor, at: datetime) -> Contest:
    """Answer a late request without changing the result."""
    if not answer.strip():
        raise ResultRefused(str(SENTENCES["reason_required"]), code="reason_required")
    if contest.match.seats(by.member):
        raise ResultRefused(str(SENTENCES["own_match"]), code="own_match")
    moved = Contest.objects.filter(pk=contest.pk, late=True, closed_at__isnull=True).update(
        closed_at=at, closed_by=by.user, answer=answer.strip()
    )
    if not moved:
        raise ResultRefused(str(SENTENCES["wrong_state"]), code="stale")
    contest.refresh_from_db()
    _note_contest(contest, "late_request_answered", by, at, answer.strip())
    return contest


# The clock


def lapse_due(*, at: datetime, grace: timedelta = timedelta(0), limit: int = 200) -> int:
    """Write down every window and deadline that has run out. Safe to run twice, late or never.

    `grace`: what ran out less long ago is left alone, as an act that came in time may still be
    waiting its turn. A match that cannot be ended keeps no other from ending.
    """
    ended = 0
    for match in Match.objects.due(at=at - grace).order_by("contest_until", "pk")[:limit]:
        try:
            ended += lapse(match=match, at=at)
        except Exception:
            log.exception("match %s could not be ended", match.pk)
    return ended


def lapse(*, match: Match, at: datetime) -> bool:
    """Let the clock speak on one match; True when something ended."""
    by = Actor.system()
    with transaction.atomic():
        row = _locked(match)
        rules = lifecycle_of(row)
        step = rules.lapse(state_of(row), at.timestamp())
        not_over = row.status in (Status.PROPOSED.value, Status.PLAYING.value)
        if not step.lines and not_over and at > row.deadline_until:
            step = rules.apply(state_of(row), _act("timeout", by, at))
        if not step.lines:
            return False
        _write(row, step, None, by, at)
    return True


# How it is done


def _act(event: str, by: Actor, at: datetime, **details: Any) -> Act:
    who = by.member.pk if by.member else (f"user:{by.user.pk}" if by.user else "system")
    return Act(type=event, by=who, role=by.role, at=at.timestamp(), **details)


def _locked(match: Match) -> Match:
    """The row as it is now, locked, with the rows around it that the caller had already read.

    Raises Match.DoesNotExist when the match is not of the organisation that `match` says.
    """
    rows = Match.objects.select_for_update(of=("self",)).select_related("rule_book")
    row = rows.get(pk=match.pk, organisation=match.organisation_id)
    for name in ("organisation", "evening", "round", "first", "second"):
        known = match._state.fields_cache.get(name)
        if known is not None and known.pk == getattr(row, f"{name}_id"):
            setattr(row, name, known)
    return row


def _perform(
    match: Match,
    act: Act,
    by: Actor,
    at: datetime,
    *,
    version: int | None = None,
    contest: Mapping[str, Any] | None = None,
    photo: str = "",
    key: str = "",
    body: Mapping[str, Any] | None = None,
) -> Match:
    """One act. The refusal is raised after the commit, so that a lapse noticed here is kept."""
    with transaction.atomic():
        row = _locked(match)
        _check_tournament_runs(row)
        step = lifecycle_of(row).apply(state_of(row), act)
        lapsed = bool(step.lines) and step.lines[0].event in ("expire", "timeout")
        stale = version is not None and version != row.version and not lapsed
        code: str | None
        if step.code == "not_allowed":
            code = step.code
        elif stale:
            code = "stale"
        elif step.ok and _plays(row, by) and by.role in (ARBITER, COMMITTEE):
            code = None if lifecycle_of(row).arbiter_may_judge_own_match else "own_match"
        else:
            code = step.code if not step.ok else None
        if code is None:
            if key and by.user is not None:
                Operation.objects.create(
                    key=key, actor=by.user, body_hash=_hash(body), answer={"match": row.pk}, at=at
                )
            _write(row, step, act, by, at, contest=contest, photo=photo)
        elif lapsed and not stale:
            alone = lifecycle_of(row).lapse(state_of(row), at.timestamp())
            _write(row, alone, None, Actor.system(by.origin), at)
    if code is not None:
        row.refresh_from_db()
        raise ResultRefused(_sentence(code, row), code=code)
    return row


def _check_tournament_runs(match: Match) -> None:
    """Read afresh and locked: a tournament that closes has every result of its ranking, or none."""
    if match.round_id is None:
        return
    held = Tournament.objects.select_for_update(of=("self",)).filter(rounds=match.round_id)
    if held.values_list("state", flat=True).get() != Tournament.RUNNING:
        raise ResultRefused(str(SENTENCES["tournament_closed"]), code="tournament_closed")


def _plays(match: Match, by: Actor) -> bool:
    return match.seats(by.member)


def _sentence(code: str, match: Match) -> str:
    if code == "window_closed" and match.contest_until is not None:
        hour = match.contest_until.astimezone(match.organisation.zone)
        return _("Le délai est passé à %(hour)s. Vous pouvez encore signaler une erreur.") % {
            "hour": f"{hour:%H:%M}"
        }
    if code == "stale":
        return _("Ce résultat a changé depuis que vous l’avez lu. Relisez-le avant d’agir.")
    if code == "too_early":
        opens = match.proposed_at + timedelta(seconds=lifecycle_of(match).absence_grace_s)
        hour = opens.astimezone(match.organisation.zone)
        return _("Il est trop tôt : vous pourrez signaler une absence à %(hour)s.") % {
            "hour": f"{hour:%H:%M}"
        }
    if code == "bad_score":
        return _bounds_of_scores(lifecycle_of(match))
    return str(SENTENCES.get(code, SENTENCES["wrong_state"]))


def _bounds_of_scores(rules: Lifecycle) -> str:
    """What a score may be under these rules, for the one whose score is refused."""
    low, high = (str(score).replace("-", "−") for score in (rules.min_score, rules.max_score))
    return _("Un score est un nombre entier, de %(low)s à %(high)s.") % {"low": low, "high": high}


def _write(
    row: Match,
    step: Step,
    act: Act | None,
    by: Actor,
    at: datetime,
    *,
    contest: Mapping[str, Any] | None = None,
    photo: str = "",
) -> None:
    """Store an accepted step: the guarded update and everything that follows from it."""
    before = _summary(row)
    period = _store(row, step, act, by, at, before, contest=contest, photo=photo)
    # What comes last writes journal lines of its own.
    corrected = before["status"] in CLOSED_VALUES
    if row.status in CLOSED_VALUES and row.evening is not None:
        if corrected and row.absent == before["absent"] and row.justified != before["justified"]:
            absences.set_justified(row)
        if corrected or row.absentee_ids():
            absences.apply_policy(row.evening.season, by=by, at=at)
    if period is not None and period.settled_at is not None:
        reason = (act.reason if act else "") or row.why
        ledger.correct(period=period, by=by, at=at, reason=reason)
    decided = act is not None and act.type in notices.DECISIONS
    if row.status in CLOSED_VALUES and (row.absent or decided):
        notices.tell(row, before, act, by)


def _store(
    row: Match,
    step: Step,
    act: Act | None,
    by: Actor,
    at: datetime,
    before: dict[str, Any],
    *,
    contest: Mapping[str, Any] | None,
    photo: str,
) -> Period | None:
    """The match, its lines, what follows at the table and in the books, the journal.

    `before` is what the journal says of the match as it was. Returns the period of the ledger
    that it moved.
    """
    after = step.after
    held = after.result
    opened = after.window_opened_at
    window_opened = datetime.fromtimestamp(opened, tz=UTC) if opened is not None else None
    rules = lifecycle_of(row)
    changes: dict[str, Any] = {
        "status": after.status.value,
        "rev": after.rev,
        "kind": held.kind if held else "",
        "first_score": held.first_score if held else None,
        "second_score": held.second_score if held else None,
        "games": [list(game) for game in held.games] if held else [],
        "absent": (held.absent or "") if held else "",
        "justified": held.justified if held else False,
        "why": after.why or "",
        "submitted_by_id": after.submitted_by,
        "confirmed": after.confirmed,
        "counts": rules.counts(after),
        "version": row.version + len(step.lines),
    }
    if window_opened is not None and row.submitted_at != window_opened:
        changes["submitted_at"] = window_opened
        changes["contest_until"] = window_opened + timedelta(seconds=rules.contest_window_s)
    if after.status is Status.PLAYING and row.started_at is None:
        changes["started_at"] = at
    if after.status in CLOSED and row.ended_at is None:
        changes["ended_at"] = at
    changes = {name: value for name, value in changes.items() if value != getattr(row, name)}
    # A line raises the version by one, so the version before is the number of lines before.
    last_number, old_status = row.version, row.status
    for name, value in changes.items():
        setattr(row, name, value)
    period = None
    if row.status in CLOSED_VALUES:
        period = posting.post(row, at=at, is_first=old_status not in CLOSED_VALUES)
    if not Match.objects.filter(pk=row.pk, version=last_number).update(**changes):
        raise ResultRefused(str(SENTENCES["wrong_state"]), code="stale")
    authors = []
    for offset, line in enumerate(step.lines, start=1):
        author = by if act is not None and line.event == act.type else Actor.system(by.origin)
        if act is not None and line.event not in ("expire", "timeout"):
            author = by
        _add_line(row, line, last_number + offset, act, author, at)
        authors.append((line, author))
    if act is not None and act.type in ("submit", "edit") and by.member is not None:
        Submission.objects.create(
            match=row,
            by=by.member,
            at=at,
            first_score=act.first_score,
            second_score=act.second_score,
            games=[list(game) for game in act.games],
            photo=photo,
        )
    _follow(row, old_status, act, by, at, contest)
    for line, author in authors:
        journal.record(
            organisation=row.organisation,
            verb=f"match_{line.event}",
            subject=f"match:{row.pk}",
            by=author,
            at=at,
            before=before,
            after=_summary(row),
            reason=act.reason if act is not None and author is by else "",
            rule_book=row.rule_book,
        )
    return period


def _add_line(
    row: Match, line: Line, number: int, act: Act | None, author: Actor, at: datetime
) -> None:
    told = act is not None and author.role != "system"
    result = act.result if told and act is not None else None
    scores = result or (act if told else None)
    MatchLine.objects.create(
        match=row,
        number=number,
        at=at,
        event=line.event,
        from_status=str(line.from_status),
        to_status=str(line.to_status),
        by=author.user,
        by_member=author.member,
        role=author.role,
        first_score=scores.first_score if scores else None,
        second_score=scores.second_score if scores else None,
        reason=act.reason if told and act else "",
    )


def _follow(
    row: Match,
    old_status: str,
    act: Act | None,
    by: Actor,
    at: datetime,
    contest: Mapping[str, Any] | None,
) -> None:
    """What a change of status brings with it at the table and on the pages.

    A match that ends for the first time has no earlier decision, absence or rated game to look
    for, and only a contested one has a contest to close: their unique keys would refuse a second.
    """
    first_end = old_status not in CLOSED_VALUES
    if row.status == Status.CONTESTED.value and old_status != row.status:
        _open_contest(row, act, by, at, contest)
    if row.status in CLOSED_VALUES:
        if old_status == Status.CONTESTED.value or not first_end:
            _close_contests(row, by, at, act.reason if act else "")
        _add_decision(row, act, by, at, is_first=first_end)
        if first_end:
            Seat.objects.filter(match=row, live=True).update(live=False)
            _free_players(row, at)
        posting.note_absences(row, at=at, is_first=first_end)
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
    row: Match, act: Act | None, by: Actor, at: datetime, contest: Mapping[str, Any] | None
) -> None:
    details = dict(contest or {})
    if act is None or act.type in ("expire", "timeout"):
        details.setdefault("subject", Contest.SILENCE)
    elif act.type in ("submit", "record"):
        details.setdefault("subject", Contest.TWO_VERSIONS)
        details.setdefault("first_score", act.first_score)
        details.setdefault("second_score", act.second_score)
        details.setdefault("games", [list(game) for game in act.games])
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
        kind=row.kind,
        first_score=row.first_score,
        second_score=row.second_score,
        games=row.games,
        absent=row.absent,
        justified=row.justified,
        basis=row.why or row.status,
        by=by.user,
        by_member=by.member,
        at=at,
        reason=act.reason.strip() if act and act.reason else "",
    )


def _free_players(row: Match, at: datetime) -> None:
    """The players are free again at their evening; one noted absent is taken off the list."""
    if row.evening_id is None:
        return
    gone = set(row.absentee_ids())
    free = {pk for pk in (row.first_id, row.second_id) if pk is not None} - gone
    here = CheckIn.objects.filter(evening_id=row.evening_id, state=CheckIn.PLAYING)
    if gone:
        here.filter(member_id__in=gone).update(state=CheckIn.LEFT)
    here.filter(member_id__in=free).update(state=CheckIn.WAITING, waiting_since=at)


def _note_contest(contest: Contest, verb: str, by: Actor, at: datetime, reason: str = "") -> None:
    match = contest.match
    journal.record(
        organisation=match.organisation,
        verb=verb,
        subject=f"match:{match.pk}",
        by=by,
        at=at,
        after={"contest": contest.pk},
        reason=reason,
    )
    live.announce(match.organisation, "contest", at=at, match=match.pk, evening=match.evening_id)


def _check_scores(match: Match, scores: tuple[Any, Any]) -> None:
    rules = lifecycle_of(match)
    if not all(rules.is_score(value) for value in scores):
        raise ResultRefused(_bounds_of_scores(rules), code="bad_score")


def _already_done(by: Actor, key: str, body: Mapping[str, Any]) -> Match | None:
    done = Operation.objects.filter(actor=by.user, key=key).first()
    if done is None:
        return None
    if done.body_hash != _hash(body):
        raise ResultRefused(
            _("Cet envoi a déjà servi pour un autre résultat. Rechargez la page."),
            code="key_reused",
        )
    return Match.objects.get(pk=done.answer["match"])


def _hash(body: Mapping[str, Any] | None) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True, default=str).encode()).hexdigest()


def _summary(row: Match) -> dict[str, Any]:
    """The result of a match as the journal keeps it."""
    played_by_games = {"games": row.games} if row.games else {}
    return {
        **played_by_games,
        "status": row.status,
        "kind": row.kind,
        "scores": [row.first_score, row.second_score],
        "absent": row.absent,
        "justified": row.justified,
        "why": row.why,
        "rev": row.rev,
    }


def decision_for_bye(match: Match, *, by: Actor, at: datetime) -> None:
    """The result of an exempt, born final."""
    _add_decision(match, None, by, at)


def players_of(match: Match) -> list[Member]:
    """Both members, or one for a bye."""
    return [match.first] if match.second is None else [match.first, match.second]
