"""ABSP rating, which 001 recommends for Libere: a weighted mean of the last 150 games.

A game is worth the opponent's starting rating, capped near the player's own, plus or minus 50;
every game of an event counts as the event's average. Articles "ABSP" name the association's pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.absp.columns import RATED, UNRATED, AbspColumns
from ratings.systems.absp.examples import EXAMPLES
from ratings.systems.absp.settings import (
    GAME_RULE,
    MEAN_RULE,
    NEWCOMER_RULE,
    REFUSE,
    TEN_POINT_RULE,
)
from ratings.systems.absp.window import Kept, stored, window_of
from ratings.systems.protocol import (
    EVENT,
    NOTHING,
    Change,
    Event,
    EventRefused,
    Examples,
    FactAsked,
    Game,
    PlayerId,
    Reason,
    State,
    frozen,
)
from ratings.systems.rated_games import declared, games_of_each, rated_games, whole_number
from ratings.systems.rounding import half_up

# Upper limits of a typed rating or number of games.
HIGHEST, MOST = 1000, 1_000_000


@dataclass(frozen=True, slots=True)
class Scored:
    """One game as it counts: the opponent's value, that value after the cap, the points."""

    key: str
    opponent: PlayerId
    value: int
    brought: int
    halves: int
    points: int


@dataclass(frozen=True, slots=True)
class Division:
    """One player's division. `start` is the rating used (None: newcomer), `new` the rating after.

    `exact` is the mean before minimum and rounding; without a game that counts nothing moves.
    """

    start: int | None
    games: tuple[Scored, ...]
    window: tuple[Kept, ...]
    exact: Fraction | None
    new: int | None

    @property
    def points(self) -> int:
        return sum(game.points for game in self.games)

    @property
    def tournament(self) -> int | None:
        """Return the event's own rating, as it is shown."""
        return half_up(Fraction(self.points, len(self.games))) if self.games else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Absp(AbspColumns):
    """Points of a game, mean of the window, 10-point rule, newcomers in two phases."""

    code: ClassVar[str] = "absp"
    label: ClassVar[str] = _("Classement ABSP des Libere")
    document: ClassVar[str] = "001"
    examples: ClassVar[Examples] = EXAMPLES
    reach: ClassVar[str] = EVENT
    official_when: ClassVar[str] = _(
        "Un tournoi déclaré coté avant de commencer. Les parties libres des championnats par "
        "paires et par clubs ne sont pas cotées (Roumanie §1)."
    )
    asks: ClassVar[tuple[FactAsked, ...]] = (
        FactAsked(
            "guesses",
            _("Cotes estimées, si des joueurs sans cote ne rencontrent personne de coté"),
            "lines",
            _("Une ligne par joueur : joueur ; cote."),
            parts=("guess",),
        ),
    )

    def newcomer(self, facts: Mapping[str, object] = NOTHING) -> State:
        """Return no rating before the first event, unless one is imported with its number of games."""
        if facts.get("rating") is None:
            return State(rating=None, status=UNRATED, extra=frozen({"window": []}))
        rating = whole_number(facts["rating"], 0, HIGHEST)
        games = whole_number(facts.get("games", 0), 0, MOST)
        window = self.pushed((), Kept("start", rating * games, games, games)) if games else ()
        return State(rating, games, 0, RATED, frozen({"window": stored(window)}))

    def game_points(self, mine: int | None, value: int, halves: int) -> int:
        """Return the points of one game: the opponent's rating, capped, ± 50 (ratings_detail).

        `mine` None is a newcomer, for whom there is no cap.
        """
        return self.brought(mine, value) + self.win * (halves - 1)

    def brought(self, mine: int | None, value: int) -> int:
        """Return the opponent's rating, capped to a distance from the player's own (JAGrn1)."""
        return value if mine is None else max(mine - self.cap, min(mine + self.cap, value))

    def mean(self, window: Sequence[Kept]) -> Fraction | None:
        """Return the weighted mean of a window, oldest event first; None when it is empty."""
        weights = self.weights(window)
        if not weights:
            return None
        total = sum((w * one.average for w, one in zip(weights, window, strict=True)), Fraction(0))
        return total / sum(weights)

    def weights(self, window: Sequence[Kept]) -> list[int]:
        """Return what each event's games weigh together: 225 for the newest game, 1 less for each."""
        newest, event_weights = self.newest_weight, []
        for one in reversed(window):
            event_weights.append(one.kept * newest - one.kept * (one.kept - 1) // 2)
            newest -= one.kept
        return event_weights[::-1]

    def pushed(self, window: Sequence[Kept], event: Kept) -> tuple[Kept, ...]:
        """Return the window with one more event: exactly the last 150 games, the oldest event cut."""
        room, kept_events = self.window, []
        for one in (event, *reversed(window)):
            kept = min(one.kept, room)
            if kept:
                kept_events.append(Kept(one.key, one.points, one.played, kept))
            room -= kept
        return tuple(reversed(kept_events))

    def rated(self, mean: Fraction, lowest: int) -> int:
        """Return a mean as shown and used as a start: not below the minimum, half-up."""
        return half_up(max(Fraction(lowest), mean))

    def rate_division(
        self,
        states: Mapping[PlayerId, State],
        games: Sequence[Game],
        *,
        key: str = "",
        guesses: Mapping[PlayerId, int] = NOTHING,
    ) -> dict[PlayerId, Division]:
        """Return everybody's division, from the ratings at its start.

        Computed once more if the 10-point rule replaces the start of somebody (JAGrn5), and no
        further.
        """
        starts = {player: _rating(state) for player, state in states.items()}
        lines = self._pass(starts, states, games, key, guesses)
        if not self.ten_point:
            return lines
        replaced = {
            player: line.new
            for player, line in lines.items()
            if line.start is not None
            and line.new is not None
            and states[player].games < self.ten_point_games
            and abs(line.new - line.start) >= self.ten_point_gap
        }
        return self._pass(starts | replaced, states, games, key, guesses) if replaced else lines

    def _pass(
        self,
        starts: Mapping[PlayerId, int | None],
        states: Mapping[PlayerId, State],
        games: Sequence[Game],
        key: str,
        guesses: Mapping[PlayerId, int],
    ) -> dict[PlayerId, Division]:
        met = games_of_each(tuple(games))
        values = self._values(starts, met, guesses)
        lines = {}
        for player, start in starts.items():
            scored = tuple(self._scored(player, starts, values, met.get(player, ())))
            window = window_of(states[player])
            if not scored:
                lines[player] = Division(start, (), window, None, start)
                continue
            event = Kept(key, sum(game.points for game in scored), len(scored), len(scored))
            window = self.pushed(window, event)
            exact = self.mean(window)
            assert exact is not None
            lowest = self.minimum if start is not None else self.newcomer_minimum
            lines[player] = Division(start, scored, window, exact, self.rated(exact, lowest))
        return lines

    def _values(
        self,
        starts: Mapping[PlayerId, int | None],
        met: Mapping[PlayerId, Sequence[Game]],
        guesses: Mapping[PlayerId, int],
    ) -> dict[PlayerId, int]:
        """Return what each player is worth as an opponent: start, guess, or a newcomer's estimate.

        Phase 1 takes opponents who have a rating, phase 2 also the estimates of phase 1 (tsh).
        """
        known = {player: start for player, start in starts.items() if start is not None}
        known |= {player: guess for player, guess in guesses.items() if player not in known}
        values = dict(known)
        for _phase in (1, 2):
            estimates = {}
            for player in starts:
                scored = list(self._scored(player, starts, values, met.get(player, ())))
                if player not in known and scored:
                    mean = Fraction(sum(game.points for game in scored), len(scored))
                    estimates[player] = self.rated(mean, self.newcomer_minimum)
            values = known | estimates
        return values

    def _scored(
        self,
        player: PlayerId,
        starts: Mapping[PlayerId, int | None],
        values: Mapping[PlayerId, int],
        games: Sequence[Game],
    ) -> list[Scored]:
        """Return the player's games against opponents who have a value."""
        scored_games = []
        for game in games:
            opponent, halves, _mine, _theirs = game.seen_by(player)
            value = values.get(opponent)
            if value is None:
                continue
            # A newcomer's value is an estimate: rated players take it without the cap.
            mine = starts[player] if starts[opponent] is not None else None
            points = self.game_points(mine, value, halves)
            brought = self.brought(mine, value)
            scored_games.append(Scored(game.key, opponent, value, brought, halves, points))
        return scored_games

    def settle(self, states: Mapping[PlayerId, State], event: Event) -> list[Change]:
        """Move everybody once, from the ratings at the start: one event is one division.

        Raises EventRefused when players without a rating met only such players, unless the
        committee chose to leave them unrated or the organiser gave a guess.
        """
        games = rated_games(event)
        before = {player: states.get(player) or self.newcomer() for player in games_of_each(games)}
        guesses = {
            player: whole_number(declared(event, player)["guess"], 0, HIGHEST)
            for player in before
            if declared(event, player).get("guess") is not None
        }
        lines = self.rate_division(before, games, key=event.key, guesses=guesses)
        lost = sum(line.new is None for line in lines.values())
        if lost and self.without_anchor == REFUSE:
            raise EventRefused(
                _(
                    "Joueurs sans cote qui n’ont rencontré personne de coté : %(count)s. "
                    "Donnez une cote estimée à l’un d’eux."
                ),
                count=lost,
            )
        return [
            self._change(player, before[player], line)
            for player, line in lines.items()
            if line.games
        ]

    def _change(self, player: PlayerId, before: State, line: Division) -> Change:
        assert line.exact is not None and line.new is not None
        after = State(
            rating=line.new,
            games=before.games + len(line.games),
            events=before.events + 1,
            status=RATED,
            extra=frozen({"window": stored(line.window)}),
        )
        return Change(player, before, after, tuple(self._reasons(before, line)))

    def _reasons(self, before: State, line: Division) -> list[Reason]:
        """Return each game's share of the move, older games' weights, minimum and rounding."""
        assert line.exact is not None and line.new is not None
        old_rating = _rating(before)
        weights = self.weights(line.window)
        total = sum(weights)
        share = Fraction(weights[-1], total * len(line.games))
        reasons: list[Reason] = []
        if old_rating != line.start:
            used = frozen({"E0": old_rating, "start": line.start, "games": before.games})
            reasons.append(Reason("ten_point", TEN_POINT_RULE, values=used))
        for game in line.games:
            values = {
                "E0": line.start,
                "E_opponent": game.value,
                "counted": game.brought,
                "W": Fraction(game.halves, 2),
                "points": game.points,
                "share": share,
            }
            effect = None if old_rating is None else (game.points - old_rating) * share
            rule = GAME_RULE if old_rating is not None else NEWCOMER_RULE
            reasons.append(Reason("game", rule, effect, game.opponent, game.key, frozen(values)))
        older = line.window[:-1]
        if older and old_rating is not None:
            moved = sum(
                (
                    w * (one.average - old_rating)
                    for w, one in zip(weights[:-1], older, strict=True)
                ),
                Fraction(0),
            )
            details = {
                "games": sum(one.kept for one in older),
                "left": sum(one.kept for one in window_of(before)) - sum(one.kept for one in older),
                "share": Fraction(total - weights[-1], total),
            }
            reasons.append(Reason("window", MEAN_RULE, moved / total, values=frozen(details)))
        lowest = self.minimum if line.start is not None else self.newcomer_minimum
        bounded = max(Fraction(lowest), line.exact)
        known = old_rating is not None
        if bounded != line.exact:
            raised = frozen({"floor": lowest, "raw": line.exact})
            effect = bounded - line.exact if known else None
            reasons.append(Reason("floor", GAME_RULE, effect, values=raised))
        rounded = frozen({"raw": line.exact, "points": line.points, "games": len(line.games)})
        effect = line.new - bounded if known else None
        reasons.append(Reason("rounding", GAME_RULE, effect, values=rounded))
        return reasons

    def status_on(self, state: State, on: date) -> str:
        """Return whether the player is rated."""
        return UNRATED if state.rating is None else RATED


def _rating(state: State) -> int | None:
    assert state.rating is None or isinstance(state.rating, int)
    return state.rating
