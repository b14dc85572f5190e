"""The rules of a tournament: its pairing system from the register, with its own numbers."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import fields
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _

from clubs.accounts.actor import Refused
from clubs.rulebooks.fields import Contradiction, settings_of, with_values
from clubs.ui.french import written
from pairings.rules.match_lifecycle import Lifecycle
from pairings.rules.match_state import instant
from pairings.systems import BY_CODE
from pairings.systems.base import NO_ROUNDS, PairingSystem
from pairings.systems.protocol import EntriesRefused, RoundRefused, SettingRefused
from pairings.systems.wins_and_spread.ranking import WinsAndSpread
from pairings.tournaments.models import Round, Tournament

SYSTEMS = BY_CODE

SCHEDULE = "schedule"
"""The setting that gives each range of rounds a system of its own."""
WINS_AND_SPREAD = WinsAndSpread.code
"""The rule that ranks a tournament by wins and spread: its own numbers, or null for the system's
own ranking. A system that is not told has its own default.
"""


MINUTES_OF_A_DAY = 24 * 60
LONGEST_INTERVAL = 31 * MINUTES_OF_A_DAY
"""Minutes from one round to the next, at most."""


class TournamentRefused(Refused):
    """Refusal of an action on a tournament or a round, in words the reader may see."""


class MatchNumbersRefused(TournamentRefused):
    """Numbers of a match's life that cannot go together; `field` is where the sentence is shown."""

    def __init__(self, problem: Contradiction) -> None:
        super().__init__(_(str(problem)), code="rule_value")
        self.field = problem.field


def rules_of(tournament: Tournament) -> PairingSystem:
    """Return the tournament's system, with its own values over the defaults."""
    return _with(
        tournament.system, json.dumps(tournament.rules, sort_keys=True), tournament.round_count
    )


def lifecycle_of(tournament: Tournament) -> Lifecycle:
    """Return the lifecycle of its matches: window, silence, bounds of a score."""
    return _lifecycle(json.dumps(tournament.match_rules, sort_keys=True))


def deadline_of(row: Round, proposed_at: datetime) -> datetime:
    """Return the last instant for a match of that round that nobody has played or reported."""
    begins = max(proposed_at, row.starts_at)
    return instant(lifecycle_of(row.tournament).play_until(begins.timestamp()))


@lru_cache(maxsize=256)
def _with(code: str, values: str, round_count: int | None) -> PairingSystem:
    system = _built(SYSTEMS[code], json.loads(values))
    return system if round_count is None else system.with_rounds(round_count)


def _built(system: type[Any], values: Mapping[str, Any]) -> Any:
    """Return the system with these values, its ranking by wins and spread included."""
    settings = dict(values)
    if settings.get(WINS_AND_SPREAD) is not None:
        settings[WINS_AND_SPREAD] = with_values(WinsAndSpread, settings[WINS_AND_SPREAD])
    return with_values(system, settings)


@lru_cache(maxsize=256)
def _lifecycle(values: str) -> Lifecycle:
    lifecycle: Lifecycle = with_values(Lifecycle, json.loads(values))
    return lifecycle


def checked_rules(code: str, values: Mapping[str, object]) -> dict[str, object]:
    """Return the values that differ from the document, once the system has accepted them all."""
    if code not in SYSTEMS:
        raise TournamentRefused(_("Choisissez un système d’appariement."), code="no_system")
    spread = values.get(WINS_AND_SPREAD)
    if isinstance(spread, Mapping):
        _check_bounds(WinsAndSpread, spread)
    return _differing(SYSTEMS[code], values)


def same_rounds(
    tournament: Tournament, rules: Mapping[str, object], numbers: Collection[int]
) -> bool:
    """Return whether other rules differ in the schedule of other rounds than these only."""
    kept = {name: value for name, value in tournament.rules.items() if name != SCHEDULE}
    if {name: value for name, value in rules.items() if name != SCHEDULE} != kept:
        return False
    before, after = rules_of(tournament), _built(SYSTEMS[tournament.system], rules)
    try:
        return all(before.way_of(number) == after.way_of(number) for number in numbers)
    except RoundRefused:
        return False


def checked_match_rules(values: Mapping[str, object]) -> dict[str, object]:
    """Return the same for the match lifecycle."""
    return _differing(Lifecycle, values)


def edited_match_rules(values: Mapping[str, object]) -> dict[str, object]:
    """Return the same for numbers that an organiser changes, which must go together.

    A tournament begins with the club's numbers as they are, also those of a version adopted before
    something of them was refused.
    """
    kept = checked_match_rules(values)
    problem = _lifecycle(json.dumps(kept, sort_keys=True)).contradiction()
    if problem is not None:
        raise MatchNumbersRefused(problem)
    return kept


def _check_bounds(system: type[object], values: Mapping[str, object]) -> None:
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


def _differing(system: type[Any], values: Mapping[str, object]) -> dict[str, object]:
    _check_bounds(system, values)
    try:
        candidate = _built(system, values)
    except SettingRefused as wrong:
        sentence = _(wrong.sentence) % wrong.values
        raise TournamentRefused(sentence, code="rule_value") from wrong
    except (KeyError, ValueError, TypeError) as refusal:
        unknown = sorted(set(values) - {field.name for field in fields(system)})
        sentence = _("Un réglage est inconnu ici, ou sa valeur ne convient pas : %(names)s.")
        names = ", ".join(unknown or values)
        raise TournamentRefused(sentence % {"names": names}, code="rule_value") from refusal
    default = system()
    return {
        field.name: values[field.name]
        for field in fields(candidate)
        if field.name in values and getattr(candidate, field.name) != getattr(default, field.name)
    }


def rounds_of(tournament: Tournament, entries: int) -> int | None:
    """Return the number of rounds: as the organiser chose, else by the rule.

    None where no rule gives it.
    """
    rules = rules_of(tournament)
    if tournament.round_count is not None and not rules.counts_rounds:
        return tournament.round_count
    try:
        return rules.rounds_of(entries)
    except EntriesRefused:
        return None


def place_of_round(number: int, *, minutes: int, a_day: int | None) -> tuple[int, int]:
    """Return the day of a round, from 0, and its place in that day.

    Rounds are so many minutes apart, `a_day` of them each day; whole days apart, one a day.
    """
    if a_day in (None, 1) and minutes % MINUTES_OF_A_DAY == 0:
        return (number - 1) * (minutes // MINUTES_OF_A_DAY), 0
    return divmod(number - 1, a_day or number)


def days_of_rounds(rounds: int, *, minutes: int, a_day: int | None) -> int:
    """Return how many days after the first round the last one begins, at the earliest."""
    places = [place_of_round(n, minutes=minutes, a_day=a_day) for n in range(1, rounds + 1)]
    return max(day + place * minutes // MINUTES_OF_A_DAY for day, place in places)


def overlap(rounds: int | None, *, minutes: int, a_day: int) -> bool:
    """Return whether the last round of a day would begin when, or after, the next day's first does."""
    return (rounds is None or rounds > a_day) and (a_day - 1) * minutes >= MINUTES_OF_A_DAY


def check_rounds_stay(tournament: Tournament, *, last_before: date) -> None:
    """Refuse an earlier last day while a round that is not closed yet is planned after it."""
    last = tournament.last_day
    for each in tournament.rounds.exclude(state=Round.State.CLOSED).order_by("number"):
        day = each.starts_at.astimezone(tournament.organisation.zone).date()
        if last < day <= last_before:
            words = _(
                "La ronde %(number)s est prévue le %(day)s : déplacez-la d’abord, sur sa page."
            )
            if each.is_public:
                words = _("La ronde %(number)s, publiée, se joue le %(day)s.")
            values = {"number": each.number, "day": written(day, "j F Y")}
            raise TournamentRefused(words % values, code="outside")


def why_no_rounds(tournament: Tournament, entries: int) -> str:
    """Return the rule's own message on why it gives no number of rounds for so many entries."""
    try:
        rules_of(tournament).rounds_of(entries)
    except EntriesRefused as refused:
        return _(str(refused))
    return _(NO_ROUNDS)
