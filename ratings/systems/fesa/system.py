"""Elo and grades of FESA shogi (003, RULES I): a table settled for the ledger, with its reasons."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.elo import win_probability
from ratings.systems.fesa.elo import (
    D_PRIME,
    LOST,
    WON,
    FesaElo,
    PlayerResult,
    TablePlayer,
    TableResult,
    one_sided,
)
from ratings.systems.fesa.grades import (
    ESTABLISHED,
    PROVISIONAL,
    UNRATED,
    interpolate,
    rank_of,
    row_of,
)
from ratings.systems.fesa.settings import SEQUENTIAL
from ratings.systems.protocol import (
    NOTHING,
    Change,
    Event,
    EventRefused,
    FactAsked,
    Game,
    PlayerId,
    Reason,
    State,
    frozen,
)
from ratings.systems.rounding import half_up

LONGEST_STREAK = 16
TIMES = ((30, 30), (20, 40))
"""(minutes, seconds of byoyomi) that make a game official: one of the two at least (003)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fesa(FesaElo):
    """The FESA Elo on the ledger's protocol: official tables in, changes with reasons out."""

    code: ClassVar[str] = "fesa"
    label: ClassVar[str] = _("Elo FESA (shogi)")
    document: ClassVar[str] = "003"
    takes: ClassVar[str] = "games"
    reach: ClassVar[str] = "event"
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
        FactAsked(
            "approvals",
            _("Accords de la Nihon Shogi Renmei"),
            "lines",
            _("Une ligne par joueur : joueur ; 5 Dan ou 6 Dan."),
            parts=("approved",),
        ),
    )

    def newcomer(self, facts: Mapping[str, Any] = NOTHING) -> State:
        """Return an empty state, or a yearly table's: rating, games, grade, bonus already used."""
        games = int(facts.get("games", 0))
        if facts.get("grade") and rank_of(str(facts["grade"]), self.grades()) < 0:
            raise EventRefused(_("Ce grade n’existe pas dans la table."))
        extra = _extra(
            grade=facts.get("grade"),
            outcomes=str(facts.get("outcomes", WON + LOST if games else "")),
            bonus_used=int(facts.get("bonus_used", 0)),
        )
        rating = facts.get("rating")
        known = None if rating is None else int(rating)
        status = self.category_after(games, extra["outcomes"]) if known is not None else UNRATED
        return State(known, games, 0, status, frozen(extra))

    def shown(self, state: State) -> int | None:
        """Return the stored Elo, an integer."""
        return None if state.rating is None else half_up(state.rating)

    def status_on(self, state: State, on: date) -> str:
        """Return unrated, provisional or established: it does not depend on the day."""
        return state.status or UNRATED

    def columns(self) -> tuple[Any, ...]:
        """Return the columns: Elo, grade, category, games and the bonus already used."""
        from ratings.systems.columns import TAG, TEXT, ListColumn

        grades = tuple(row[0] for row in reversed(self.grades()))
        return (
            ListColumn("cote", _("Elo"), lead=True),
            ListColumn("grade", _("Grade"), TEXT, choices=grades),
            ListColumn("games", _("Parties")),
            ListColumn("bonus", _("Bonus utilisés")),
            ListColumn("status", _("Statut"), TAG),
        )

    def cells(self, state: State, on: date) -> Mapping[str, Any]:
        return {
            "cote": self.shown(state),
            "grade": self.label_of(state),
            "games": state.games,
            "bonus": int(state.extra.get("bonus_used", 0)),
            "status": self.status_on(state, on),
        }

    def sections(self, on: date) -> tuple[Any, ...]:
        """Return a section for settled and provisional Elos, and one for unrated players (003 §4)."""
        from ratings.systems.columns import ListSection

        return (
            ListSection("rated", _("Classement"), (ESTABLISHED, PROVISIONAL)),
            ListSection("unrated", _("Non classés"), (UNRATED,)),
        )

    def label_of(self, state: State) -> str:
        """Return the grade, which pages and differences show beside the Elo."""
        return str(state.extra.get("grade") or "")

    def settle(self, states: Mapping[PlayerId, State], event: Event) -> list[Change]:
        """Rate one table.

        Raises EventRefused for an unofficial event, a table without a reference rating, a grade
        without its authority, and more than 16 games without a decision made before.
        """
        games = [game for game in event.games if _is_rated(game)]
        if not games:
            return []
        self._check(event, games)
        told = event.facts.get("players", NOTHING)
        befores: dict[PlayerId, State] = {}
        players: dict[PlayerId, TablePlayer] = {}
        for game in games:
            for player in (game.first, game.second):
                if player not in befores:
                    befores[player] = states.get(player) or self.newcomer()
                    players[player] = _table_player(befores[player], _told(told, player))
        results = [(g.first, g.second, g.first_halves) for g in games]
        self._check_anchored(players, results)
        rated = self.rate_table(players, results)
        return [
            self._change(player, befores[player], players[player], rated, event, games)
            for player in players
        ]

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
        own = [(g.key, *g.seen_by(player)[:2]) for g in games if player in (g.first, g.second)]
        faced = [(float(rated.counted[o]), halves) for _key, o, halves in own]
        told = _told(event.facts.get("players", NOTHING), player)
        lines = (
            self._unrated_lines(before, seat, result, own, faced)
            if result.category == UNRATED
            else self._rated_lines(seat, result, own, faced)
        )
        trail = self._trail(before, seat, result, len(own))
        assert result.final is not None
        grade = before.extra.get("grade") or seat.accepted_grade
        approved = [*before.extra.get("approved", ()), *_listed(told.get("approved"))]
        gained = self.promote(
            category=result.after, rating=result.final, grade=grade, trail=trail, approved=approved
        )
        if gained.grade is not None or gained.waiting is not None:
            values = {
                "from": grade,
                "to": gained.grade,
                "route": gained.route,
                "waiting": gained.waiting,
            }
            lines.append(Reason("grade", "003 §11", values=frozen(values)))
        if not rated.found.converged:
            lines.append(
                Reason("unsettled", "003 §9", values=frozen({"passes": rated.found.passes}))
            )
        if player in rated.circular:
            lines.append(Reason("lifted", "003 §7", values=frozen({"n": len(rated.circular)})))
        earlier = [*seat.earlier, *faced] if result.after == UNRATED else []
        accepted = before.extra.get("accepted") or _accepted(told)
        extra = _extra(
            grade=gained.grade or grade,
            outcomes=result.outcomes,
            bonus_used=result.bonus_used,
            trail=trail,
            earlier=[list(pair) for pair in earlier],
            accepted=accepted if result.after == UNRATED else None,
            approved=sorted(set(approved)),
        )
        after = State(result.final, result.games, before.events + 1, result.after, frozen(extra))
        return Change(player, before, after, tuple(lines))

    def _rated_lines(
        self,
        seat: TablePlayer,
        result: PlayerResult,
        own: Sequence[tuple[str, PlayerId, int]],
        faced: Sequence[tuple[float, int]],
    ) -> list[Reason]:
        assert seat.rating is not None and result.final is not None and result.category is not None
        left = self.bonus_most - seat.bonus_used
        found, total = self.player_change(
            seat.rating, faced, bonus_left=left, category=result.category
        )
        lines = []
        tr = seat.rating
        for (key, opponent, halves), (other, _halves), one in zip(own, faced, found, strict=True):
            values = {
                "k": one.k,
                "res": halves / 2,
                "or": other,
                "tr": tr,
                "We": win_probability(tr, other, self.divisor),
                "formula": one.formula,
                "bonus": one.bonus,
            }
            article = "003 §2" if one.formula == D_PRIME else "003 §1"
            lines.append(Reason("game", article, one.change, opponent, key, frozen(values)))
            if self.order == SEQUENTIAL:
                tr += one.change
        left_over = (result.final - seat.rating) - math.fsum(one.change for one in found)
        lines.append(
            Reason("rounding", "003 §1", left_over, values=frozen({"raw": seat.rating + total}))
        )
        return lines

    def _unrated_lines(
        self,
        before: State,
        seat: TablePlayer,
        result: PlayerResult,
        own: Sequence[tuple[str, PlayerId, int]],
        faced: Sequence[tuple[float, int]],
    ) -> list[Reason]:
        lines = []
        if seat.earlier:
            lines.append(Reason("earlier", "003 §7", values=frozen({"games": len(seat.earlier)})))
        if seat.accepted_grade is not None:
            middle = row_of(seat.accepted_grade, self.grades())[2]
            values: dict[str, Any] = {"grade": seat.accepted_grade, "MP": middle}
            lines.append(Reason("virtual", "003 §8", values=frozen(values)))
        for (key, opponent, halves), (other, _halves) in zip(own, faced, strict=True):
            values = {"res": halves / 2, "or": other}
            lines.append(Reason("result", "003 §6", None, opponent, key, frozen(values)))
        scores = [score for _o, score in self.unrated_results(seat, faced)]
        share = "0" if not any(scores) else "100" if all(s == 1 for s in scores) else ""
        assert result.final is not None
        effect = None if before.rating is None else result.final - before.rating
        values = {
            "score": math.fsum(scores),
            "games": len(scores),
            "share": share,
            "Elo": result.final,
        }
        lines.append(Reason("performance", "003 §7", effect, values=frozen(values)))
        return lines

    def _trail(self, before: State, seat: TablePlayer, result: PlayerResult, n: int) -> list[float]:
        """Return ratings after each game that count for #MP and #LB, newest last (003 §12)."""
        kept = list(before.extra.get("trail", ()))
        established = seat.games >= self.established_games and not one_sided(seat.outcomes)
        if not (established or self.trail_before_established) or seat.rating is None:
            return kept
        assert result.final is not None
        return (kept + interpolate(float(seat.rating), float(result.final), n))[-LONGEST_STREAK:]

    def _check(self, event: Event, games: Sequence[Game]) -> None:
        if not is_official(event.facts):
            raise EventRefused(
                _(
                    "Parties non officielles : il faut un arbitre reconnu, et au moins 30 min + 30 s ou 20 min + 40 s."
                )
            )
        counts: dict[PlayerId, int] = {}
        for game in games:
            if game.first == game.second:
                raise EventRefused(_("Un joueur ne peut pas jouer contre lui-même."))
            for player in (game.first, game.second):
                counts[player] = counts.get(player, 0) + 1
        if self.order == SEQUENTIAL or event.facts.get("one_table"):
            return
        if max(counts.values()) > self.split_above:
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
            if seat.rating is not None
            or seat.accepted_grade is not None
            or seat.earlier
            or not any(scored[player])
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


def _told(told: Mapping[str, Any], player: PlayerId) -> Mapping[str, Any]:
    found: Mapping[str, Any] = told.get(str(player)) or told.get(player) or NOTHING
    return found


def _listed(value: Any) -> list[str]:
    """Return one name or several as a list: an officer types one, a file may hold a list."""
    if not value:
        return []
    return [value] if isinstance(value, str) else list(value)


def _accepted(told: Mapping[str, Any]) -> dict[str, str] | None:
    """Return a newcomer's grade with the authority that recognised it (003 §8)."""
    grade = told.get("accepted_grade")
    if not grade:
        return None
    if rank_of(grade) < 0:
        raise EventRefused(_("Ce grade n’existe pas dans la table."))
    if not str(told.get("authority", "")).strip():
        raise EventRefused(_("Un grade reconnu demande le nom de l’autorité qui l’a reconnu."))
    return {"grade": str(grade), "authority": str(told["authority"]).strip()}


def _table_player(state: State, told: Mapping[str, Any]) -> TablePlayer:
    extra = state.extra
    accepted = extra.get("accepted") or (_accepted(told) if state.games == 0 else None)
    return TablePlayer(
        rating=None if state.rating is None else float(state.rating),
        games=state.games,
        outcomes=str(extra.get("outcomes", "")),
        bonus_used=int(extra.get("bonus_used", 0)),
        accepted_grade=accepted["grade"] if accepted else None,
        earlier=tuple((float(o), int(h)) for o, h in extra.get("earlier", ())),
    )


def _extra(
    *,
    grade: str | None,
    outcomes: str,
    bonus_used: int,
    trail: Sequence[float] = (),
    earlier: Sequence[Any] = (),
    accepted: Mapping[str, str] | None = None,
    approved: Sequence[str] = (),
) -> dict[str, Any]:
    """Return what is stored between tables; empty parts are left out to keep rows small."""
    found: dict[str, Any] = {"grade": grade, "outcomes": outcomes, "bonus_used": bonus_used}
    if trail:
        found["trail"] = list(trail)
    if earlier:
        found["earlier"] = list(earlier)
    if accepted:
        found["accepted"] = dict(accepted)
    if approved:
        found["approved"] = list(approved)
    return found
