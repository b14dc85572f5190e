"""The rules of a tournament: its pairing system from the register, with its own numbers."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _

from clubs.accounts.actor import Refused
from clubs.rulebooks.fields import settings_of, with_values
from pairings.rules.match_lifecycle import Lifecycle
from pairings.systems import PAIRING_SYSTEMS
from pairings.systems.formule_classique.fixed_tables import TABLE_PROBLEMS, FixedTable, TableRefused
from pairings.systems.protocol import Entrant, EntriesRefused, RoundRefused
from pairings.systems.round_robin.system import RoundRobin
from pairings.systems.schedule.system import Schedule, ScheduleRefused
from pairings.systems.wins_and_spread.ranking import WinsAndSpread
from pairings.tournaments.models import Tournament

SYSTEMS: Mapping[str, type[Any]] = {system.code: system for system in PAIRING_SYSTEMS}


SCHEDULE = Schedule.code
WINS_AND_SPREAD = WinsAndSpread.code
"""The rule that ranks a tournament by wins and spread: its numbers, or null for the system's own
ranking. A system that is not told has its own default.
"""


class TournamentRefused(Refused):
    """Refusal of an action on a tournament or a round, in words the reader may see."""


def rules_of(tournament: Tournament) -> Any:
    """Return the dataclass of the tournament's system, with its own values over the defaults."""
    return _with(
        tournament.system, json.dumps(tournament.rules, sort_keys=True), tournament.round_count
    )


def lifecycle_of(tournament: Tournament) -> Lifecycle:
    """Return the lifecycle of its matches: window, silence, bounds of a score."""
    return _lifecycle(json.dumps(tournament.match_rules, sort_keys=True))


@lru_cache(maxsize=256)
def _with(code: str, values: str, round_count: int | None) -> Any:
    found = _built(SYSTEMS[code], json.loads(values))
    if round_count is None or not hasattr(found, "rounds") or counts_rounds(found):
        return found
    return replace(found, rounds=round_count)


def _built(system: type[Any], values: Mapping[str, Any]) -> Any:
    """Return the system with these values, its ranking by wins and spread included."""
    given = dict(values)
    if given.get(WINS_AND_SPREAD) is not None:
        given[WINS_AND_SPREAD] = with_values(WinsAndSpread, given[WINS_AND_SPREAD])
    return with_values(system, given)


def counts_rounds(rules: Any) -> bool:
    """Return whether the rules alone give the number of rounds, whatever the organiser wrote."""
    return bool(getattr(rules, "counts_rounds", False))


def spread_rules(tournament: Tournament) -> WinsAndSpread | None:
    """Return the ranking by wins and spread where the tournament has it."""
    found: WinsAndSpread | None = rules_of(tournament).wins_and_spread
    return found


def balances_firsts(tournament: Tournament) -> bool:
    """Return whether who begins is settled pair by pair.

    So it is under wins and spread, except where the system's own table says who begins.
    """
    rules = rules_of(tournament)
    if rules.wins_and_spread is not None:
        return tournament.system != RoundRobin.code
    return bool(getattr(rules, "balances_firsts", False))


def lag_of(tournament: Tournament, number: int) -> int:
    """Return by how many rounds the standings that pair this round are late."""
    find = getattr(rules_of(tournament), "lag_of", None)
    try:
        return int(find(number)) if find is not None else 0
    except RoundRefused:
        return 0


@lru_cache(maxsize=256)
def _lifecycle(values: str) -> Lifecycle:
    found: Lifecycle = with_values(Lifecycle, json.loads(values))
    return found


def checked_rules(code: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that differ from the document, once the system has accepted them all."""
    if code not in SYSTEMS:
        raise TournamentRefused(_("Choisissez un système d’appariement."), code="no_system")
    spread = values.get(WINS_AND_SPREAD)
    if isinstance(spread, Mapping):
        _check_bounds(WinsAndSpread, spread)
    return _differing(SYSTEMS[code], values)


def same_rounds(tournament: Tournament, rules: Mapping[str, Any], numbers: Collection[int]) -> bool:
    """Return whether other rules differ in the schedule of other rounds than these only."""
    kept = {name: value for name, value in tournament.rules.items() if name != SCHEDULE}
    if {name: value for name, value in rules.items() if name != SCHEDULE} != kept:
        return False
    before, after = rules_of(tournament), _built(SYSTEMS[tournament.system], rules)
    try:
        return all(before.range_of(number)[2:] == after.range_of(number)[2:] for number in numbers)
    except RoundRefused:
        return False


def checked_match_rules(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same for the match lifecycle."""
    return _differing(Lifecycle, values)


def _check_bounds(system: type[Any], values: Mapping[str, Any]) -> None:
    words = settings_of(system)
    for name, value in values.items():
        bounds = words.get(name)
        if bounds is None or isinstance(value, bool) or not isinstance(value, int | float):
            if bounds is not None and bounds.minimum is not None and value is not None:
                raise TournamentRefused(
                    _("%(label)s : il faut un nombre.") % {"label": _(bounds.label)},
                    code="rule_value",
                )
            continue
        low, high = bounds.minimum, bounds.maximum
        if (low is not None and value < low) or (high is not None and value > high):
            raise TournamentRefused(
                _("%(label)s : choisissez une valeur entre %(low)s et %(high)s.")
                % {"label": _(bounds.label), "low": low, "high": high},
                code="rule_value",
            )


def _differing(system: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    _check_bounds(system, values)
    try:
        candidate = _built(system, values)
    except ScheduleRefused as wrong:
        raise TournamentRefused(_(str(wrong.args[0])) % wrong.values, code="rule_value") from wrong
    except TableRefused as wrong:
        sentence = _(TABLE_PROBLEMS[wrong.code]) % wrong.values
        raise TournamentRefused(sentence, code="rule_value") from wrong
    except (KeyError, ValueError, TypeError) as refusal:
        raise TournamentRefused(_(str(refusal.args[0])), code="rule_value") from refusal
    default = system()
    return {
        field.name: values[field.name]
        for field in fields(candidate)
        if field.name in values and getattr(candidate, field.name) != getattr(default, field.name)
    }


def winning_games(tournament: Tournament) -> int:
    """Return the games to win a match; one for a system without that setting."""
    return int(getattr(rules_of(tournament), "winning_games", 1))


def rounds_of(tournament: Tournament, entries: int) -> int | None:
    """Return the number of rounds: as the organiser chose, else by the rule.

    None where no rule gives it.
    """
    if tournament.round_count is not None and not counts_rounds(rules_of(tournament)):
        return tournament.round_count
    count = getattr(rules_of(tournament), "rounds_of", None)
    if count is None:
        return None
    try:
        return int(count(entries))
    except EntriesRefused:
        return None


def fixed_table_of(tournament: Tournament, entrants: Sequence[Entrant]) -> FixedTable | None:
    """Return the predetermined rounds of so many players (004 §6.2).

    None for a system that has none.
    """
    find = getattr(rules_of(tournament), "table_of", None)
    found: FixedTable | None = find(entrants) if find is not None and entrants else None
    return found


def why_no_rounds(tournament: Tournament, entries: int) -> str:
    """Return the rule's own message on why it gives no number of rounds for so many entries."""
    count = getattr(rules_of(tournament), "rounds_of", None)
    try:
        if count is not None:
            count(entries)
    except EntriesRefused as refused:
        return _(str(refused))
    return _("Ce système ne fixe pas le nombre de rondes : choisissez-le.")
