"""Undo an arbiter's last action while nothing depends on it (J11).

Nothing is erased: each undo is an action of the match lifecycle with its own journal entry. A pairing made by
hand is cancelled; a cancelled match is paired again; a noted absence is corrected to a cancelled
match, the absent player is put back on the waiting list and the two are paired again. A result in
force is never undone here: that is a correction, which previews its effect.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, Refused
from clubs.journal import chain as journal
from clubs.members.models import Member
from pairings.evenings import pairing
from pairings.evenings.common import locked
from pairings.evenings.competition import RUNS_GAMES
from pairings.evenings.models import CheckIn, Evening
from pairings.matches import actions as match_actions
from pairings.matches.competition import evening_of
from pairings.matches.models import Match, MatchLine
from pairings.matches.reasons import UNDONE
from pairings.matches.refusals import check_version
from pairings.rules.match_state import JUDGES, Event, Kind, Result, Status

PAIRING, CANCEL, ABSENCE = "pairing", "cancel", "absence"
LAST = timedelta(minutes=10)


class UndoRefused(Refused):
    """Refusal: something depends on the action, or it is too old."""


def undoable(match: Match, *, at: datetime) -> str:
    """Return which action on this match can still be undone; empty for none."""
    if not match.competition.can_pair_again() or match.second_id is None:
        return ""
    if match.status == Status.PROPOSED.value:
        fresh = match.pairing_reason.get("reason") == "manual" and at <= match.proposed_at + LAST
        seated = match.first_seated_at or match.second_seated_at
        return PAIRING if fresh and not seated else ""
    if match.status not in (Status.CANCELLED.value, Status.FINAL.value, Status.VOID.value):
        return ""
    last = MatchLine.objects.filter(match=match).order_by("-number").first()
    if last is None or last.role not in JUDGES or at > last.at + LAST:
        return ""
    return {Event.CANCEL.value: CANCEL, Event.MARK_ABSENT.value: ABSENCE}.get(last.event, "")


def words_of(match: Match, act: str) -> str:
    """Return an action in words, for the list of what can be undone."""
    words = {
        PAIRING: _("Apparié à la main : %(a)s – %(b)s"),
        CANCEL: _("Match annulé : %(a)s – %(b)s"),
        ABSENCE: _("Absence constatée : %(a)s – %(b)s"),
    }
    return words[act] % {"a": match.first, "b": match.second}


def recent(evening: Evening, *, at: datetime) -> list[tuple[Match, str]]:
    """Return the actions that can still be undone this evening, newest first."""
    if evening.state not in RUNS_GAMES:
        return []
    actions = []
    matches = evening.matches.filter(second__isnull=False).select_related("first", "second")
    proposed = matches.filter(status=Status.PROPOSED.value, proposed_at__gte=at - LAST)
    ended = matches.filter(ended_at__gte=at - LAST).exclude(kind=Kind.PLAYED)
    for match in [*proposed.order_by("-pk"), *ended.order_by("-ended_at", "-pk")]:
        match.evening = evening
        act = undoable(match, at=at)
        if act:
            actions.append((match, act))
    return actions


@transaction.atomic
def undo(*, match: Match, by: Actor, at: datetime, version: int | None = None) -> Match | None:
    """Undo the last action. Return the new match of the two players, or None after a pairing.

    `version`: of the match as it was read; another one is refused.
    """
    match = Match.objects.select_related("evening", "first", "second").get(pk=match.pk)
    check_version(match, version)
    act = undoable(match, at=at)
    if not act:
        raise UndoRefused(
            _("Trop tard pour annuler cette action : corrigez le résultat."), code="too_late"
        )
    reason = UNDONE
    if act == PAIRING:
        match_actions.cancel(match=match, reason=reason, version=version, by=by, at=at)
        return None
    evening, second = evening_of(match), match.second
    assert second is not None
    locked(evening)
    Member.objects.filter(pk__in=(match.first_id, second.pk)).lock()
    if act == ABSENCE:
        away = match.absentee_ids()
        match_actions.correct(
            match=match,
            result=Result(Kind.CANCELLED),
            reason=reason,
            version=version,
            by=by,
            at=at,
        )
        _back(evening, away, by, at)
    return pairing.pair_by_hand(
        evening=evening, first=match.first, second=second, reason=reason, by=by, at=at
    )


def _back(evening: Evening, away: list[int], by: Actor, at: datetime) -> None:
    """Put the players noted absent back on the waiting list, without an automatic run in between."""
    elsewhere = CheckIn.objects.present().filter(member__in=away).values("member")
    for member in (
        Member.objects.active().filter(pk__in=away).exclude(pk__in=elsewhere).order_by("pk")
    ):
        moved = CheckIn.objects.filter(
            evening=evening, member=member, state=CheckIn.State.LEFT
        ).update(state=CheckIn.State.WAITING, waiting_since=at, paused_until=None)
        if moved:
            journal.note(
                evening, "checked_in", by=by, at=at, after={"member": member.pk, "source": "undo"}
            )
