"""Force the closing of an evening: end every open match, then close, in one confirmed act.

Nothing is invented about a match that has no agreed result. A result that one player entered counts
where the club takes silence as agreement (002 V.B.1), a reported absence becomes final as it does by
silence, and everything else is cancelled. Each can be corrected afterwards, with its effect shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, reason_of
from pairings.arbitration.effects import digest_of, ended_as
from pairings.arbitration.models import Contest
from pairings.evenings import actions as evenings
from pairings.evenings.common import EveningRefused, locked
from pairings.evenings.models import Evening
from pairings.matches import actions as match_actions
from pairings.matches.competition import EffectTable
from pairings.matches.models import Match
from pairings.matches.rating import list_of
from pairings.matches.refusals import check_not_recused
from pairings.matches.state import state_of
from pairings.ranking import projection
from pairings.rules.match_state import Absent, Kind, Result, Status
from ratings.ledger import settlement

KEEP, ABSENT, CANCEL = "keep", "absent", "cancel"


@dataclass(frozen=True, slots=True)
class Ending:
    """An open match and what becomes of it."""

    match: Match
    becomes: str
    result: Result
    contest: Contest | None


@dataclass(frozen=True, slots=True)
class Consequences:
    """What a forced closing does: each open match, the ranking, and a mark of what was read."""

    endings: list[Ending]
    effect: EffectTable | None
    mark: str


def consequences(evening: Evening) -> Consequences:
    """Return what closing this evening now would do to its open matches and to the ranking."""
    endings = _endings(evening)
    trials = [ended_as(ending.match, ending.result) for ending in endings]
    effect = projection.effect_of_all(evening, trials) if trials else None
    return Consequences(endings, effect, _mark(endings))


def _endings(evening: Evening) -> list[Ending]:
    contests = {
        contest.match_id: contest
        for contest in Contest.objects.open().filter(match__evening=evening, late=False)
    }
    matches = evening.matches.open().select_related(
        *("organisation", "evening__season", "evening__rule_book", "rule_book"),
        *("first", "second"),
    )
    return [
        Ending(match, *_ending_of(match), contests.get(match.pk))
        for match in matches.order_by("table_number", "pk")
    ]


def _ending_of(match: Match) -> tuple[str, Result]:
    claimed = state_of(match).result
    if match.status == Status.ABSENCE_CLAIMED and claimed is not None:
        return ABSENT, claimed
    silence_agrees = match.confirmed or match.competition.match_rules().tacit_acceptance
    if match.status == Status.SUBMITTED and claimed is not None and silence_agrees:
        return KEEP, claimed
    return CANCEL, Result(Kind.CANCELLED)


def words_of(ending: Ending) -> str:
    """Return what becomes of an open match, as a sentence."""
    match = ending.match
    if ending.becomes == KEEP:
        words = _("Le résultat confirmé par les deux, %(first)s – %(second)s, devient définitif.")
        if not match.confirmed:
            words = _(
                "Le résultat saisi, %(first)s – %(second)s, compte sans la réponse de l’adversaire."
            )
        return words % {"first": match.first_score, "second": match.second_score}
    if ending.becomes == ABSENT:
        absent = match.second if match.absent == Absent.SECOND else match.first
        return _("L’absence signalée est notée : %(name)s.") % {"name": absent}
    return _("Annulé : aucun point. Les deux joueurs pourront se rencontrer un autre soir.")


def _mark(endings: list[Ending]) -> str:
    return digest_of([(e.match.pk, e.match.version, e.becomes) for e in endings])


@transaction.atomic
def close(*, evening: Evening, seen: str, by: Actor, at: datetime) -> Evening:
    """Close an evening in its last games or closing, as read; refused while a match is open.

    `seen`: as for `force_close`.
    """
    _lock(evening)
    _check_read(_endings(evening), seen)
    return evenings.close_evening(evening=evening, by=by, at=at)


@transaction.atomic
def force_close(*, evening: Evening, reason: str, seen: str, by: Actor, at: datetime) -> Evening:
    """End the open matches as `consequences` said, and close the evening; all or nothing.

    `seen`: the mark of what the arbiter has read. Refused when a match has changed since, and when
    one of them is the arbiter's own.
    """
    reason = reason_of(reason, EveningRefused)
    _lock(evening)
    if evening.state != Evening.State.CLOSING:
        evenings.begin_closing(evening=evening, by=by, at=at)  # first, so that no match is added
    endings = _endings(evening)
    _check_read(endings, seen)
    for ending in endings:
        _end(ending, reason, by, at)
    return evenings.close_evening(evening=evening, by=by, at=at)


def _lock(evening: Evening) -> None:
    """Lock what a closing changes before its many journal entries.

    The evening, its open matches, their contests, its list and who is here.
    """
    locked(evening)
    open_matches = evening.matches.open().order_by("pk").select_for_update(no_key=True)
    ids = list(open_matches.values_list("pk", flat=True))
    contests = Contest.objects.filter(match__in=ids, closed_at=None).order_by("pk")
    list(contests.select_for_update(no_key=True).values_list("pk"))
    settlement.lock_early(list_of(evening))
    here = evening.check_ins.present().order_by("pk").select_for_update(no_key=True)
    list(here.values_list("pk"))


def _check_read(endings: list[Ending], seen: str) -> None:
    if _mark(endings) != seen:
        raise EveningRefused(
            _("Un match a changé depuis votre lecture. Relisez les conséquences."),
            code="stale",
        )


def _end(ending: Ending, reason: str, by: Actor, at: datetime) -> None:
    match = ending.match
    if ending.contest is not None:
        check_not_recused(ending.contest, by)
    if ending.becomes == KEEP:
        match = match_actions.contest(
            match=match, by=by, at=at, subject=Contest.Subject.SILENCE, words=reason
        )
        match_actions.decide(match=match, result=ending.result, reason=reason, by=by, at=at)
    elif ending.becomes == ABSENT:
        assert ending.result.absent is not None
        match_actions.mark_absent(
            match=match, absent=ending.result.absent, justified=False, reason=reason, by=by, at=at
        )
    else:
        match_actions.cancel(match=match, reason=reason, by=by, at=at)
