"""Rating of the Romanian federation for collective games (001): value, points, window.

Everything is exact within a game. What is stored from one game to the next is rounded to a grid of
10⁻⁴⁰: an exact fraction would grow by some ninety binary digits a game without end. No printed
number is affected (docs/decisions/0021).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, ClassVar

from clubs.rulebooks.fields import Contradiction, setting
from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.protocol import (
    EVERYBODY,
    NOTHING,
    PLACINGS,
    Change,
    Event,
    EventRefused,
    Examples,
    Number,
    Placing,
    PlayerId,
    Reason,
    State,
    frozen,
)
from ratings.systems.romania.columns import RomaniaColumns
from ratings.systems.romania.examples import EXAMPLES
from ratings.systems.romania.kinds import ACTIVE, COLLECTIVE, NONE, PROVISIONAL, TYPES
from ratings.systems.rounding import half_up

WINDOWS, POINTS, STATUSES = "windows", "points", "statuses"
AVERAGE, BEST = "average", "best"
LARGEST_WINDOW = 30
KEPT_PLACES = 40
TRUSTED_PLACES = 20


def _window(default: int, label: str) -> Any:
    return setting(
        default,
        label,
        article="001 §2",
        unit=_("parties du calendrier"),
        group=WINDOWS,
        effect=_("Seules les N dernières parties officielles de ce type comptent."),
        minimum=1,
        maximum=LARGEST_WINDOW,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Romania(RomaniaColumns):
    """P = V + 50·(J − 2L + 1)/(J − 1); R = Σ P·w / Σ w over the window of N official games."""

    code: ClassVar[str] = "romania"
    label: ClassVar[str] = _("Rating roumain")
    document: ClassVar[str] = "001"
    takes: ClassVar[str] = PLACINGS
    official_when: ClassVar[str] = _(
        "Les parties libres des championnats par paires et par clubs ne sont pas cotées (Roumanie §1–2)."
    )
    oddities: ClassVar[Mapping[str, str]] = {
        "alone": _(
            "%(name)s : personne d’autre sur la feuille, ses points sont la valeur de la partie."
        ),
    }
    examples: ClassVar[Examples] = EXAMPLES
    reach: ClassVar[str] = EVERYBODY
    kinds: ClassVar[Mapping[str, tuple[str, str]]] = TYPES
    combined_kinds: ClassVar[tuple[str, ...]] = COLLECTIVE

    window_clasic: int = _window(20, _("N du duplicat clasic"))
    window_completiv: int = _window(18, _("N du duplicat completiv"))
    window_eliptic: int = _window(14, _("N du duplicat eliptic"))
    window_compunere: int = _window(18, _("N de la compunere"))
    window_anticipatie: int = _window(14, _("N de l’anticipație"))
    window_libere: int = _window(8, _("N des libere"))
    spread: int = setting(
        50,
        _("Points entre la moyenne et la première place"),
        article="001 §6",
        group=POINTS,
        minimum=1,
        maximum=500,
    )
    unrated_value: int = setting(
        150,
        _("Valeur d’un joueur sans rating"),
        article="001 §5",
        group=POINTS,
        minimum=0,
        maximum=1000,
    )
    weight_base: int = setting(
        155, _("Base des pondérations"), article="001 §7", group=POINTS, minimum=1, maximum=1000
    )
    weight_step: int = setting(
        10,
        _("Ce qu’une partie perd de poids à chaque partie officielle"),
        article="001 §7",
        group=POINTS,
        minimum=0,
        maximum=100,
    )
    ties: str = setting(
        AVERAGE,
        _("Place des ex æquo"),
        article="001 §6",
        group=POINTS,
        choices=((AVERAGE, _("moyenne des places occupées")), (BEST, _("place publiée"))),
    )
    active_percent: int = setting(
        15,
        _("Part des N parties pour un rating actif"),
        article="001 §3",
        unit="%",
        group=STATUSES,
        minimum=0,
        maximum=100,
    )

    def __post_init__(self) -> None:
        for kind in TYPES:
            window = self.window_of(kind)
            if not 1 <= window <= LARGEST_WINDOW:
                raise Contradiction(
                    TYPES[kind][1],
                    _("N doit être compris entre 1 et 30 : au-delà, un poids serait nul."),
                )
            if self.weight(window, window - 1) <= 0:
                raise Contradiction(
                    "weight_step",
                    _("Avec ces pondérations, la partie la plus ancienne ne pèserait rien."),
                )

    def window_of(self, kind: str) -> int:
        """Return N of a kind of game. Raises EventRefused for a kind the document does not know."""
        if kind not in TYPES:
            raise EventRefused(_("Ce type de partie n’a pas de rating roumain."))
        return int(getattr(self, TYPES[kind][1]))

    def weight(self, n: int, age: int) -> int:
        """Return 155 + 5·N − 10·(age + 1): the newest game has age 0 (001 §7)."""
        return self.weight_base + 5 * n - self.weight_step * (age + 1)

    def weights(self, n: int) -> list[int]:
        """Return all N weights, newest first. Raises ValueError above N = 30."""
        if not 1 <= n <= LARGEST_WINDOW:
            raise ValueError(_("N doit être compris entre 1 et 30 : au-delà, un poids serait nul."))
        return [self.weight(n, age) for age in range(n)]

    def active_least(self, n: int) -> int:
        """Return how many games in the window make a rating active: 15 % of N, rounded up (001 §3)."""
        return -(-self.active_percent * n // 100)

    def value(self, ratings: Sequence[Fraction | None]) -> Fraction:
        """Return V: the mean rating before the game, 150 for a player without one (001 §5)."""
        known = [Fraction(self.unrated_value) if r is None else r for r in ratings]
        return sum(known, Fraction(0)) / len(known)

    def points(self, v: Fraction, players: int, place: Fraction) -> Fraction:
        """Return P for a place among J players; one player alone gets the value itself (001 §6)."""
        if players == 1:
            return Fraction(v)
        return v + self.spread * (players - 2 * place + 1) / Fraction(players - 1)

    def places(self, published: Mapping[PlayerId, int]) -> dict[PlayerId, Fraction]:
        """Return L of each player: ties share the mean of the places they occupy, or keep the best."""
        count: dict[int, int] = {}
        for place in published.values():
            count[place] = count.get(place, 0) + 1
        shared = 1 if self.ties == AVERAGE else 0
        return {
            player: Fraction(place) + shared * Fraction(count[place] - 1, 2)
            for player, place in published.items()
        }

    def mean_of(self, window: Sequence[tuple[int, Fraction]], now: int, n: int) -> Fraction | None:
        """Return R = Σ P·w / Σ w over the (number, P) of a window, at the calendar's game `now`."""
        if not window:
            return None
        weights = [self.weight(n, now - number) for number, _points in window]
        total = sum((p * w for (_number, p), w in zip(window, weights, strict=True)), Fraction(0))
        return total / sum(weights)

    def status_of(self, count: int, n: int) -> str:
        """Return active, provisional or none, from the games played in the window (001 §3)."""
        if count == 0:
            return NONE
        return ACTIVE if count >= self.active_least(n) else PROVISIONAL

    def newcomer(self, facts: Mapping[str, object] = NOTHING) -> State:
        """Return a state without rating, as everybody had on 01/01/2009 (001 §2)."""
        return State(rating=None, status=NONE)

    def combined(
        self, ratings: Mapping[str, Fraction | None], statuses: Mapping[str, str]
    ) -> Fraction | None:
        """Return the general rating (001 §8)."""
        return general(ratings, statuses, self.unrated_value)

    def sample(self, rating: int, games: int, now: int = 1001) -> State:
        """Return a calculator's player: that rating from the last `games` official games."""
        game_count = max(1, min(games, LARGEST_WINDOW))
        window = [[now - age, Fraction(rating)] for age in range(game_count, 0, -1)]
        return State(Fraction(rating), game_count, game_count, ACTIVE, frozen({"window": window}))

    def seating(self, people: Sequence[tuple[Fraction | None, str, object]]) -> list[Any]:
        """Return who sits first: by general rating (001 §1), those without one after, by name.

        `people`: (general rating, name to sort by, the person).
        """
        first = sorted(people, key=lambda one: (one[0] is None, -(one[0] or 0), one[1]))
        return [person for _rating, _name, person in first]

    def shown(self, state: State) -> int | None:
        """Return the rating rounded half-up; the grid's last digits cannot change a printed half."""
        return None if state.rating is None else self.shown_value(Fraction(state.rating))

    def shown_value(self, value: Number) -> int:
        """Return any value as it is printed (001 §5 to §8)."""
        return half_up(on_grid(Fraction(value), TRUSTED_PLACES))

    def status_on(self, state: State, on: date) -> str:
        """Return the status at the list's last official game: it changes with the calendar only."""
        return state.status or NONE

    def settle(self, states: Mapping[PlayerId, State], event: Event) -> list[Change]:
        """Rate the official game of number `event.sequence`: everybody whose window moves.

        Absent players move too: weights shift, an old game leaves (001 §7). The kind of game is
        `event.facts["list_kind"]`.
        """
        n = self.window_of(str(event.facts.get("list_kind", "")))
        if not event.placings:
            raise EventRefused(_("Une feuille de places ne peut pas être vide."))
        check_places(event.placings)
        order = list(dict.fromkeys([*states, *(line.player for line in event.placings)]))
        published = {line.player: line.place for line in event.placings}
        before = {player: states.get(player) or self.newcomer() for player in order}
        v = self.value([_rating(before[player]) for player in published])
        places = self.places(published)
        gained = {player: self.points(v, len(published), places[player]) for player in published}
        changes = []
        for player in order:
            facts = {"V": v, "J": len(published), "L": places.get(player), "N": n}
            after, lines = self._moved(before[player], gained.get(player), event.sequence, n, facts)
            if after != before[player]:
                changes.append(Change(player, before[player], after, tuple(lines)))
        return changes

    def by_place(
        self, player: PlayerId, state: State, others: Number, players: int, event: Event
    ) -> list[tuple[Number, Change]]:
        """Return what each place among so many players would give and change (001 §5 to §7)."""
        n = self.window_of(str(event.facts.get("list_kind", "")))
        v = self.value([_rating(state), *[Fraction(others)] * (players - 1)])
        changes: list[tuple[Number, Change]] = []
        for place in range(1, players + 1):
            points = self.points(v, players, Fraction(place))
            facts = {"V": v, "J": players, "L": Fraction(place), "N": n}
            after, lines = self._moved(state, points, event.sequence, n, facts)
            changes.append((points, Change(player, state, after, tuple(lines))))
        return changes

    def _moved(
        self, before: State, points: Fraction | None, now: int, n: int, facts: Mapping[str, object]
    ) -> tuple[State, list[Reason]]:
        old_window = [(int(number), Fraction(p)) for number, p in before.extra.get("window", ())]
        kept = [(number, p) for number, p in old_window if now - number < n]
        window = kept if points is None else [*kept, (now, on_grid(points, KEPT_PLACES))]
        rating = _kept(self.mean_of(window, now, n))
        status = self.status_of(len(window), n)
        played = points is not None
        extra = {"window": [[number, p] for number, p in window]} if window else {}
        after = State(rating, before.games + played, before.events + played, status, frozen(extra))
        return after, self._lines(before, after, old_window, kept, points, now, n, facts)

    def _lines(
        self,
        before: State,
        after: State,
        games: Sequence[tuple[int, Fraction]],
        kept: Sequence[tuple[int, Fraction]],
        points: Fraction | None,
        now: int,
        n: int,
        facts: Mapping[str, object],
    ) -> list[Reason]:
        """Return what left the window, what aged, what came in: three effects that add up."""
        lines: list[Reason] = []
        start, end = _rating(before), _rating(after)
        step = start
        if len(kept) < len(games):
            gone = [[number, p] for number, p in games if now - number >= n]
            left = _kept(self.mean_of(kept, now - 1, n))
            effect = None if left is None or step is None else left - step
            lines.append(Reason("left", "001 §2", effect, values=frozen({"games": gone, "N": n})))
            step = left
        if kept and step is not None:
            aged = _kept(self.mean_of(kept, now, n))
            assert aged is not None
            shift: dict[str, object] = {"games": len(kept), "step": self.weight_step}
            lines.append(Reason("ageing", "001 §7", aged - step, values=frozen(shift)))
            step = aged
        if points is not None:
            effect = (
                None if start is None or end is None else end - (start if step is None else step)
            )
            details: dict[str, object] = {
                **facts,
                "P": points,
                "weight": self.weight(n, 0),
                "sum_of_weights": sum(self.weight(n, now - number) for number, _p in kept)
                + self.weight(n, 0),
            }
            lines.append(Reason("points", "001 §6", effect, values=frozen(details)))
            if facts["J"] == 1:
                lines.append(Reason("alone", "001 §6"))
        if before.status != after.status:
            values = {"from": before.status, "to": after.status, "least": self.active_least(n)}
            lines.append(Reason("status", "001 §3", values=frozen(values)))
        return lines


def on_grid(value: Fraction, places: int) -> Fraction:
    """Return the nearest multiple of 10^−places, a half going up."""
    scale: int = 10**places
    return Fraction(half_up(value * scale), scale)


def check_places(placings: Sequence[Placing]) -> None:
    """Refuse places that are not 1, 2, 2, 4 …: raises EventRefused naming the first wrong one."""
    seen: set[PlayerId] = set()
    for line in placings:
        if line.player in seen:
            raise EventRefused(_("Un joueur est deux fois dans la feuille de places."))
        seen.add(line.player)
    places = sorted(line.place for line in placings)
    for above, place in enumerate(places):
        if place != above + 1 and (above == 0 or place != places[above - 1]):
            raise EventRefused(
                _("Il manque une place, ou une place est en double, dans la feuille.")
            )


def general(
    ratings: Mapping[str, Fraction | None],
    statuses: Mapping[str, str],
    unrated_value: int = 150,
) -> Fraction | None:
    """Return the general rating: mean of the five collective types, 150 where none (001 §8).

    Only for a player active in one of the five at least; unrounded values. Libere has no part.
    """
    if not any(statuses.get(kind) == ACTIVE for kind in COLLECTIVE):
        return None
    kind_ratings = [ratings.get(kind) for kind in COLLECTIVE]
    known = [Fraction(unrated_value) if r is None else Fraction(r) for r in kind_ratings]
    return sum(known, Fraction(0)) / len(known)


def _kept(value: Fraction | None) -> Fraction | None:
    return None if value is None else on_grid(value, KEPT_PLACES)


def _rating(state: State) -> Fraction | None:
    return None if state.rating is None else Fraction(state.rating)
