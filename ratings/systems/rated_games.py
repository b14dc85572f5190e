"""Which games of an event are rated: shared by systems that take games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.protocol import NOTHING, Event, EventRefused, Game, PlayerId
from ratings.systems.rounding import half_up


def rated_games(event: Event) -> tuple[Game, ...]:
    """Return the games that were played at the table, in order.

    Forfeits and byes are not rated: an organiser says `"played": False` in the game's facts. Raises
    EventRefused for a game against oneself, an invalid result, or a key twice.
    """
    known: set[str] = set()
    played_games = []
    for number, game in enumerate(event.games, start=1):
        if game.first == game.second:
            raise EventRefused(
                _("Partie %(name)s : les deux joueurs sont la même personne."),
                name=_name(number, game),
            )
        if type(game.first_halves) is not int or game.first_halves not in (0, 1, 2):
            raise EventRefused(
                _("Partie %(name)s : le résultat n’est ni une victoire, ni un nul."),
                name=_name(number, game),
            )
        if game.key:
            if game.key in known:
                raise EventRefused(
                    _("Partie %(name)s : elle a déjà un résultat."), name=_name(number, game)
                )
            known.add(game.key)
        if game.facts.get("played", True):
            played_games.append(game)
    return tuple(played_games)


def games_of_each(games: tuple[Game, ...]) -> dict[PlayerId, list[Game]]:
    """Return each player's games, in the order played; players in order of first appearance."""
    games_by_player: dict[PlayerId, list[Game]] = {}
    for game in games:
        games_by_player.setdefault(game.first, []).append(game)
        games_by_player.setdefault(game.second, []).append(game)
    return games_by_player


def part_of(played_in: object, last: int | None) -> int:
    """Return in which table of a split one a round is: 1 up to the round `last`, then 2 (003 §12)."""
    text = str(played_in).strip()
    return 2 if last is not None and text.isdecimal() and int(text) > last else 1


def proposed_split(games: Iterable[Game], most: int) -> int | None:
    """Return the last round of the first of two tables, as equal as rounds allow (003 §12).

    None where nobody has more than `most` games, or where the games do not say their rounds.
    """
    played: dict[PlayerId, int] = {}
    rounds: dict[int, int] = {}
    for game in games:
        for player in (game.first, game.second):
            played[player] = played.get(player, 0) + 1
        text = str(game.facts.get("round", "")).strip()
        number = int(text) if text.isdecimal() else 0
        rounds[number] = rounds.get(number, 0) + 1
    if max(played.values(), default=0) <= most or 0 in rounds or len(rounds) < 2:
        return None
    total, early, best = sum(rounds.values()), 0, (0, 0)
    for place, number in enumerate(sorted(rounds)[:-1]):
        early += rounds[number]
        unequal = abs(total - 2 * early)
        if place == 0 or unequal <= best[0]:
            best = (unequal, number)
    return best[1]


def declared(event: Event, player: PlayerId) -> Mapping[str, Any]:
    """Return what the organiser declared of that player for this event."""
    players = event.facts.get("players", NOTHING)
    details: Mapping[str, Any] = players.get(player) or players.get(str(player)) or NOTHING
    return details


def whole_number(typed: object, low: int, high: int) -> int:
    """Return a declared number, half-up. Raises EventRefused for an invalid one."""
    try:
        number = half_up(Fraction(str(typed).strip().replace(",", ".")))
    except (ValueError, ZeroDivisionError):
        number = low - 1
    if not low <= number <= high:
        raise EventRefused(
            _("« %(typed)s » n’est pas un nombre entre %(low)s et %(high)s."),
            typed=str(typed)[:20],
            low=low,
            high=high,
        )
    return number


def _name(number: int, game: Game) -> str:
    return f"{number} ({game.key})" if game.key else str(number)
