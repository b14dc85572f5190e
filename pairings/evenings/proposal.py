"""A pairing that is proposed, in words: what an arbiter reads before the tables are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from clubs.members.models import Member
from clubs.templatetags.ui import points
from pairings.evenings import pairing
from pairings.evenings.models import Evening
from pairings.ranking import season
from pairings.rules.scoring import Number
from pairings.systems.protocol import (
    BYE_REASONS,
    DIRECT,
    EARLY_REPEAT,
    NEEDS_ARBITER,
    REASONS,
    SKIPPED_BECAUSE,
    TOO_SOON,
    WARNINGS,
    Pair,
    Pairing,
)
from ratings.systems.protocol import PlayerId

People = Mapping[int, Member]


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the rules propose now, and what avoids a repeat where something does.

    `seen`: the mark of the evening, which the call of the tables sends back.
    """

    waiting: list[int]
    people: People
    seen: str
    plan: dict[str, object]
    alternative: dict[str, object] | None
    can_pair: bool


def read(evening: Evening, *, at: datetime) -> Proposal:
    """Return what a run over the waiting players would do now. Writes nothing."""
    waiting = pairing.waiting_ids(evening, at)
    outcome = season.propose(evening, waiting)
    people = people_of(outcome, also=waiting)
    return Proposal(
        waiting=waiting,
        people=people,
        seen=pairing.mark_of(evening, waiting),
        plan=plan_words(outcome, people),
        alternative=plan_words(outcome.alternative, people) if outcome.alternative else None,
        can_pair=evening.state == Evening.State.RUNNING and bool(outcome.pairs or outcome.byes),
    )


@dataclass(frozen=True, slots=True)
class HandCost:
    """The pairing that the rules propose, and the one left to them once two are paired by hand.

    `chosen` is the pairing of these two alone. `gaps`: the sum of the differences of PR between
    opponents, as proposed and with the choice. `seen`: the mark of the evening.
    """

    proposed: Pairing
    chosen: Pairing
    rest: Pairing
    gaps: tuple[Number, Number]
    seen: str

    @property
    def repeats(self) -> tuple[int, int]:
        """Return how many repeats there are, as proposed and with the choice."""
        return self.proposed.repeats, self.is_repeat + self.rest.repeats

    @property
    def is_repeat(self) -> bool:
        """Return whether the two chosen have met: the rules pair them again, or never would."""
        return bool(self.chosen.repeats or self.chosen.unpaired)

    @property
    def is_proposed(self) -> bool:
        """Return whether the rules propose this very pair."""
        both = set(self.chosen.order)
        return any({pair.first, pair.second} == both for pair in self.proposed.pairs)


def hand_cost(*, evening: Evening, first: Member, second: Member, at: datetime) -> HandCost:
    """Return what pairing two waiting players by hand would change. Writes nothing."""
    waiting = pairing.waiting_ids(evening, at)
    pairing.check_both_wait(first, second, waiting)
    both = [first.pk, second.pk]
    proposed = season.propose(evening, waiting)
    chosen = season.propose(evening, both)
    rest = season.propose(evening, [pk for pk in waiting if pk not in both])
    ranked = season.standing(
        evening.season, evening.rule_book, today=evening.held_on, also=waiting
    ).lines
    pr = {line.player: line.values["pr"] or 0 for line in ranked}

    def gap(pairs: Iterable[tuple[PlayerId, PlayerId]]) -> Number:
        return sum(abs(pr[one] - pr[other]) for one, other in pairs)

    others = [(pair.first, pair.second) for pair in rest.pairs]
    gaps = (
        gap((pair.first, pair.second) for pair in proposed.pairs),
        gap([(first.pk, second.pk), *others]),
    )
    return HandCost(proposed, chosen, rest, gaps, pairing.mark_of(evening, waiting))


@dataclass(frozen=True, slots=True)
class HandProposal:
    """What pairing two players by hand changes of the proposal.

    `plan` is what the rules propose, `rest` what is left to them; `words` say what the choice costs.
    """

    cost: HandCost
    people: People
    plan: dict[str, object]
    rest: dict[str, object]
    words: list[str]


def read_by_hand(evening: Evening, *, first: Member, second: Member, at: datetime) -> HandProposal:
    """Return what pairing two players by hand would do now. Writes nothing."""
    cost = hand_cost(evening=evening, first=first, second=second, at=at)
    people = people_of(cost.proposed, cost.rest, also=[first.pk, second.pk])
    return HandProposal(
        cost=cost,
        people=people,
        plan=plan_words(cost.proposed, people),
        rest=plan_words(cost.rest, people),
        words=_cost_words(cost, first.full_name, second.full_name),
    )


def _cost_words(cost: HandCost, one: str, other: str) -> list[str]:
    """Return what two players chosen by hand cost against the proposal, in sentences."""
    words = [_("C’est une table de l’appariement proposé.")] if cost.is_proposed else []
    if cost.is_repeat:
        pairs = cost.chosen.pairs
        why = _(REASONS[pairs[0].reason] if pairs else SKIPPED_BECAUSE[TOO_SOON])
        fields = {"one": one, "other": other, "why": why}
        words.append(_("Revanche : %(one)s – %(other)s (%(why)s).") % fields)
    for text, (before, after) in (
        (_("Revanches : %(before)s avant, %(after)s après."), cost.repeats),
        (_("Écart entre adversaires (%(label)s) : %(before)s avant, %(after)s après."), cost.gaps),
    ):
        if before != after:
            words.append(text % {"label": "PR", "before": points(before), "after": points(after)})
    return words or [_("Rien d’autre ne change : ni le nombre de revanches, ni l’écart de PR.")]


def people_of(*plans: Pairing, also: Iterable[int]) -> People:
    """Return the members that these plans name, by their number in the tables."""
    ids: set[int] = set(also)
    for plan in plans:
        ids |= set(plan.order)
        for pair in plan.pairs:
            ids |= {skipped.opponent for skipped in pair.skipped} | {pair.proposed}
    return Member.objects.in_bulk([pk for pk in ids if pk is not None])


def plan_words(plan: Pairing, people: People) -> dict[str, object]:
    """Return a plan with its reasons and warnings in the reader's language.

    `usual`: the reason of three pairs or more that needs no line of its own under each, or none.
    """
    direct = sum(pair.reason == DIRECT for pair in plan.pairs)
    return {
        "pairs": [_pair_words(pair, people) for pair in plan.pairs],
        "usual": _(REASONS[DIRECT]) if direct >= 3 else None,
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


def _pair_words(pair: Pair, people: People) -> dict[str, object]:
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


def _name(people: People, pid: int) -> str:
    member = people.get(pid)
    return member.full_name if member else "?"
