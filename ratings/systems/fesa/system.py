"""Elo and grades of FESA shogi (003): a table settled for the ledger, with its reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.fesa.decisions import FesaDecisions
from ratings.systems.fesa.elo import LOST, WON, PlayerResult, TablePlayer, TableResult, one_sided
from ratings.systems.fesa.examples import EXAMPLES
from ratings.systems.fesa.grades import (
    UNRATED,
    Promotion,
    interpolate,
    rank_of,
)
from ratings.systems.fesa.reasons import FesaReasons
from ratings.systems.fesa.settings import SEQUENTIAL
from ratings.systems.fesa.state import (
    accepted_grade_of,
    declared_of,
    extra_of,
    listed,
    table_player,
)
from ratings.systems.protocol import (
    DIVISORS,
    EVENT,
    EVERY_K,
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
    TriedNumber,
    frozen,
)
from ratings.systems.rated_games import proposed_split

LONGEST_STREAK = 16
TIMES = ((30, 30), (20, 40))
"""(minutes, seconds of byoyomi) that make a game official: one of the two at least (003)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fesa(FesaDecisions, FesaReasons):
    """The FESA Elo on the ledger's protocol: official tables in, changes with reasons out."""

    code: ClassVar[str] = "fesa"
    label: ClassVar[str] = _("Elo FESA (shogi)")
    document: ClassVar[str] = "003"
    examples: ClassVar[Examples] = EXAMPLES
    has_scores: ClassVar[bool] = False
    reach: ClassVar[str] = EVENT
    splits_tables: ClassVar[bool] = True
    oddities: ClassVar[Mapping[str, str]] = {
        "unsettled": _("%(name)s : ce tableau ne se stabilise pas, la règle de départage a servi."),
        "lifted": _(
            "%(name)s : nouveau joueur qui a tout gagné, comme un autre du tableau ; "
            "ils se font monter l’un l’autre. Le règlement peut l’exclure."
        ),
    }
    start_columns: ClassVar[tuple[str, ...]] = ("rating", "games", "grade", "bonus_used")
    start_texts: ClassVar[frozenset[str]] = frozenset({"grade"})
    facts: ClassVar[Mapping[str, str]] = {"grade": _("grade"), "bonus_used": _("bonus")}
    tried: ClassVar[tuple[TriedNumber, ...]] = (
        TriedNumber(_("Diviseur de la probabilité"), ("divisor",), DIVISORS),
        TriedNumber(_("K"), tuple(f"k_{band}" for band in range(7)), factors=EVERY_K),
    )
    official_when: ClassVar[str] = _(
        "30 minutes et 30 secondes, ou 20 minutes et 40 secondes, et un arbitre reconnu (FESA)."
    )
    asks: ClassVar[tuple[FactAsked, ...]] = (
        FactAsked("minutes", _("Minutes par joueur"), "number", _("Au moins 20."), True),
        FactAsked("byoyomi", _("Secondes de byoyomi"), "number", _("Au moins 30."), True),
        FactAsked("arbiter", _("Arbitre reconnu par la FESA"), "text", "", True),
        FactAsked(
            "one_table",
            _("Garder un seul tableau au-delà de 16 parties (décidé avant le tournoi)"),
            "yes",
        ),
        FactAsked(
            "accepted",
            _("Nouveaux joueurs gradés"),
            "lines",
            _("Une ligne par joueur : joueur ; grade ; autorité qui l’a reconnu."),
            parts=("accepted_grade", "authority"),
        ),
    )

    def newcomer(self, facts: Mapping[str, Any] = NOTHING) -> State:
        """Return an empty state, or a yearly table's: rating, games, grade, bonus already used."""
        games = int(facts.get("games", 0))
        if facts.get("grade") and rank_of(str(facts["grade"]), self.grades()) < 0:
            raise EventRefused(_("Ce grade n’existe pas dans la table."))
        extra = extra_of(
            grade=facts.get("grade"),
            outcomes=str(facts.get("outcomes", WON + LOST if games else "")),
            bonus_used=int(facts.get("bonus_used", 0)),
        )
        rating = facts.get("rating")
        known = None if rating is None else int(rating)
        status = self.category_after(games, extra["outcomes"]) if known is not None else UNRATED
        return State(known, games, 0, status, frozen(extra))

    def settle(self, states: Mapping[PlayerId, State], event: Event) -> list[Change]:
        """Rate one table.

        Raises EventRefused for an unofficial event, a table without a reference rating, a grade
        without its authority, and more than 16 games without a decision made before.
        """
        games = [game for game in event.games if _is_rated(game)]
        if not games:
            return []
        facts = event.facts.get("players", NOTHING)
        played = Counter(player for game in games for player in (game.first, game.second))
        self._check(event, games, played)
        befores = {player: states.get(player) or self.newcomer() for player in played}
        players = {
            player: self._seat(before, declared_of(facts, player), played[player])
            for player, before in befores.items()
        }
        results = [(g.first, g.second, g.first_halves) for g in games]
        self._check_anchored(players, results)
        rated = self.rate_table(players, results)
        return [
            self._change(player, befores[player], players[player], rated, event, games)
            for player in players
        ]

    def proposed_split(self, games: Sequence[Game]) -> int | None:
        """Return where a table is cut in two when somebody has more than 16 games (003 §12)."""
        rated = [game for game in games if _is_rated(game)]
        return None if self.order == SEQUENTIAL else proposed_split(rated, self.split_above)

    def _seat(self, before: State, declared: Mapping[str, Any], played: int) -> TablePlayer:
        """Return a player as this table rates them: a recognised grade counts for an unrated one."""
        seat = table_player(before, declared, self.grades())
        if self.category_before(seat, played) == UNRATED:
            return seat
        return replace(seat, accepted_grade=None)

    def _change(
        self,
        player: PlayerId,
        before: State,
        seat: TablePlayer,
        rated: TableResult,
        event: Event,
        games: Sequence[Game],
    ) -> Change:
        result = rated.players[player]
        player_games = [
            (g.key, *g.seen_by(player)[:2]) for g in games if player in (g.first, g.second)
        ]
        faced = [(rated.faced[o], halves) for _key, o, halves in player_games]
        facts = declared_of(event.facts.get("players", NOTHING), player)
        lines = (
            self.unrated_lines(before, seat, result, player_games, faced)
            if result.category == UNRATED
            else self.rated_lines(seat, result, player_games, faced)
        )
        trail = self._trail(before, seat, result, len(player_games))
        assert result.final is not None
        grade = before.extra.get("grade") or seat.accepted_grade
        approved = [*before.extra.get("approved", ()), *listed(facts.get("approved"))]
        promote = partial(
            self.promote, category=result.after, rating=result.final, grade=grade, approved=approved
        )
        gained = promote(trail=trail)
        if gained.grade is not None or gained.waiting is not None:
            values = {
                "from": grade,
                "to": gained.grade,
                "route": gained.route,
                "waiting": gained.waiting,
            }
            lines.append(Reason("grade", "003 §11", values=frozen(values)))
        if rated.fixed_point.values:
            lines.append(Reason("decimals", "003 §9"))
        if not rated.fixed_point.converged:
            lines.append(
                Reason("unsettled", "003 §9", values=frozen({"passes": rated.fixed_point.passes}))
            )
        if player in rated.circular:
            lines.append(Reason("lifted", "003 §7", values=frozen({"n": len(rated.circular)})))
        counted = [(float(rated.counted[o]), halves) for _key, o, halves in player_games]
        earlier = [*seat.earlier, *counted] if result.after == UNRATED else []
        accepted = before.extra.get("accepted") or accepted_grade_of(facts, self.grades())
        extra = extra_of(
            grade=gained.grade or grade,
            outcomes=result.outcomes,
            bonus_used=result.bonus_used,
            trail=_kept(trail, promote, gained),
            earlier=[list(pair) for pair in earlier],
            accepted=accepted if result.after == UNRATED else None,
            approved=sorted(set(approved)),
            requested=before.extra.get("requested", ()),
        )
        after = State(result.final, result.games, before.events + 1, result.after, frozen(extra))
        return Change(player, before, after, tuple(lines))

    def _trail(self, before: State, seat: TablePlayer, result: PlayerResult, n: int) -> list[float]:
        """Return ratings after each game that count for #MP and #LB, newest last (003 §12)."""
        kept = list(before.extra.get("trail", ()))
        established = seat.games >= self.established_games and not one_sided(seat.outcomes)
        if not (established or self.trail_before_established) or seat.rating is None:
            return kept
        assert result.final is not None
        return kept + interpolate(float(seat.rating), float(result.final), n)

    def is_official(self, facts: Mapping[str, object]) -> bool:
        """Return whether there is an arbiter and time enough (003, first paragraph)."""
        return is_official(facts)

    def _check(self, event: Event, games: Sequence[Game], played: Mapping[PlayerId, int]) -> None:
        if not is_official(event.facts):
            raise EventRefused(
                _(
                    "Parties non officielles : il faut un arbitre reconnu, et au moins 30 min + "
                    "30 s ou 20 min + 40 s."
                )
            )
        if any(game.first == game.second for game in games):
            raise EventRefused(_("Les deux joueurs sont la même personne."))
        if self.order == SEQUENTIAL or event.facts.get("one_table"):
            return
        if max(played.values()) > self.split_above:
            raise EventRefused(
                _(
                    "Un joueur a plus de 16 parties : décidez avant le tournoi de scinder le tableau ou de le garder entier."
                )
            )

    def _check_anchored(
        self,
        players: Mapping[PlayerId, TablePlayer],
        games: Sequence[tuple[PlayerId, PlayerId, int]],
    ) -> None:
        """Refuse unrated players who met only each other, with nothing that fixes a level."""
        group: dict[PlayerId, PlayerId] = {player: player for player in players}

        def head(player: PlayerId) -> PlayerId:
            while group[player] != player:
                player = group[player]
            return player

        scored: dict[PlayerId, list[int]] = {player: [] for player in players}
        for first, second, halves in games:
            group[head(first)] = head(second)
            scored[first].append(halves)
            scored[second].append(2 - halves)
        anchored = {
            head(player)
            for player, seat in players.items()
            if seat.rating is not None or seat.accepted_grade is not None or not any(scored[player])
        }
        if any(head(player) not in anchored for player in players):
            raise EventRefused(
                _("Des joueurs sans classement n’ont joué qu’entre eux : rien ne fixe leur niveau.")
            )


def is_official(facts: Mapping[str, Any]) -> bool:
    """Return whether an event is official (003, first paragraph).

    It has an arbiter, and 30 min + 30 s or 20 min + 40 s at least.
    """
    if "official" in facts:
        return bool(facts["official"])
    if not facts.get("arbiter"):
        return False
    minutes, byoyomi = int(facts.get("minutes") or 0), int(facts.get("byoyomi") or 0)
    return any(minutes >= least and byoyomi >= seconds for least, seconds in TIMES)


def _is_rated(game: Game) -> bool:
    """Return whether a game is rated: byes, forfeits and handicap games are not (003 §5)."""
    return game.facts.get("played", True) is not False and not game.facts.get("handicap")


def _kept(trail: list[float], promote: Callable[..., Promotion], gained: Promotion) -> list[float]:
    """Return the last ratings; all where these cut the games in a row of a grade that waits."""
    last = trail[-LONGEST_STREAK:]
    return last if promote(trail=last).waiting == gained.waiting else trail
