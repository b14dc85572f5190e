"""A pairing that is proposed, in words: what an arbiter reads before the tables are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from clubs.members.models import Member
from pairings.evenings import pairing
from pairings.evenings.models import Evening
from pairings.ranking import season
from pairings.systems.protocol import (
    BYE_REASONS,
    EARLY_REPEAT,
    NEEDS_ARBITER,
    REASONS,
    SKIPPED_BECAUSE,
    WARNINGS,
    Pair,
    Pairing,
)

People = Mapping[int, Member]


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the rules propose now, and what avoids a repeat where something does.

    `seen`: the mark of those who wait, which the call of the tables sends back.
    """

    waiting: list[int]
    people: People
    seen: str
    plan: dict[str, Any]
    alternative: dict[str, Any] | None
    can_pair: bool


def read(evening: Evening, *, at: datetime) -> Proposal:
    """Return what a run over the waiting players would do now. Writes nothing."""
    waiting = pairing.waiting_ids(evening, at)
    outcome = season.propose(evening, waiting, at=at)
    people = people_of(outcome, also=waiting)
    return Proposal(
        waiting=waiting,
        people=people,
        seen=pairing.mark_of(waiting),
        plan=plan_words(outcome, people),
        alternative=plan_words(outcome.alternative, people) if outcome.alternative else None,
        can_pair=evening.state == Evening.State.RUNNING and bool(outcome.pairs or outcome.byes),
    )


def people_of(*plans: Pairing, also: Iterable[int]) -> People:
    """Return the members that these plans name, by their number in the tables."""
    ids: set[Any] = set(also)
    for plan in plans:
        ids |= set(plan.order)
        for pair in plan.pairs:
            ids |= {skipped.opponent for skipped in pair.skipped} | {pair.proposed}
    return Member.objects.in_bulk([pk for pk in ids if pk is not None])


def plan_words(plan: Pairing, people: People) -> dict[str, Any]:
    """Return a plan with its reasons and warnings in the reader's language."""
    return {
        "pairs": [_pair_words(pair, people) for pair in plan.pairs],
        "byes": [
            {
                "player": bye.player,
                "name": _name(people, bye.player),
                "why": _(BYE_REASONS.get(bye.reason, bye.reason)),
            }
            for bye in plan.byes
        ],
        "unpaired": [_name(people, pid) for pid in plan.unpaired],
        "warnings": [
            {
                "words": _(WARNINGS.get(warned.code, warned.code)),
                "names": ", ".join(_name(people, pid) for pid in warned.players),
            }
            for warned in plan.warnings
        ],
        "needs_agreement": any(warned.code == NEEDS_ARBITER for warned in plan.warnings),
    }


def _pair_words(pair: Pair, people: People) -> dict[str, Any]:
    return {
        "players": (pair.first, pair.second),
        "first": _name(people, pair.first),
        "second": _name(people, pair.second),
        "why": _(REASONS.get(pair.reason, pair.reason)),
        "repeat": pair.is_repeat,
        "early": pair.reason == EARLY_REPEAT,
        "skipped": [
            f"{_name(people, step.opponent)} ({_(SKIPPED_BECAUSE.get(step.why, step.why))})"
            for step in pair.skipped[:6]
        ],
    }


def _name(people: People, pid: Any) -> str:
    member = people.get(pid)
    return member.full_name if member else "?"
