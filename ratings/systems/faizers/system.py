"""Cote of the FAIZERS continuous ladder (002 section IV and VII)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from clubs.rulebooks.fields import Contradiction, setting
from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.categories import CLUB_BANDS, Band
from ratings.systems.elo import win_probability
from ratings.systems.faizers.columns import FaizersColumns
from ratings.systems.protocol import (
    DIVISORS,
    EVERY_K,
    NOTHING,
    OPPONENTS,
    Change,
    Event,
    Game,
    PlayerId,
    Reason,
    State,
    TriedNumber,
    frozen,
)
from ratings.systems.rounding import half_up
from ratings.systems.score_difference import ds_of_match

COTE = "cote"
CATEGORIES = "categories"
ABSENCES = "absences"
NO_DS = Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Faizers(FaizersColumns):
    """E1 = E0 + K·[(W − We) + α·DS/100], once a session, rounded half-up, then the floor."""

    code: ClassVar[str] = "faizers"
    label: ClassVar[str] = _("Échelle FAIZERS")
    document: ClassVar[str] = "002"
    reach: ClassVar[str] = OPPONENTS
    settles_tournaments: ClassVar[bool] = True
    tried: ClassVar[tuple[TriedNumber, ...]] = (
        TriedNumber(_("Diviseur de la probabilité"), ("divisor",), DIVISORS),
        TriedNumber(_("K"), ("k_beginner", "k_intermediate", "k_expert"), factors=EVERY_K),
        TriedNumber(
            _("Part α de la différence de score"),
            ("alpha",),
            (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0),
        ),
    )

    initial: int = setting(
        1000,
        _("Cote de départ"),
        article="002 III.C.2",
        group=COTE,
        effect=_("Cote d’un nouveau joueur et d’un invité."),
        minimum=0,
        maximum=3000,
    )
    k_beginner: int = setting(
        30,
        _("K des débutants"),
        article="002 IV.A",
        group=COTE,
        effect=_("Variation maximale de la cote par match, avant le premier palier."),
        minimum=1,
        maximum=100,
    )
    k_intermediate: int = setting(
        20, _("K intermédiaire"), article="002 IV.A", group=COTE, minimum=1, maximum=100
    )
    k_expert: int = setting(
        10, _("K des expérimentés"), article="002 IV.A", group=COTE, minimum=1, maximum=100
    )
    k_intermediate_from: int = setting(
        1400,
        _("K intermédiaire à partir de"),
        article="002 VI.7",
        unit=_("points de cote"),
        group=COTE,
        minimum=0,
        maximum=4000,
    )
    k_expert_from: int = setting(
        1900,
        _("K des expérimentés à partir de"),
        article="002 VI.7",
        unit=_("points de cote"),
        group=COTE,
        minimum=0,
        maximum=4000,
    )
    k_beginner_games: int = setting(
        0,
        _("Parties avant de quitter le K des débutants"),
        article="002 VI.7",
        unit=_("parties"),
        group=COTE,
        effect=_("0 : le palier ne dépend que de la cote."),
        minimum=0,
        maximum=500,
    )
    divisor: float = setting(
        400.0,
        _("Diviseur de la probabilité"),
        article="002 IV.B",
        group=COTE,
        effect=_("Plus il est grand, moins l’écart de cote compte."),
        minimum=1,
        maximum=4000,
    )
    alpha: float = setting(
        0.0,
        _("Part α de la différence de score"),
        article="002 IV.C",
        group=COTE,
        effect=_("0 : seule l’issue compte. Un match peut ajouter au plus α × K."),
        minimum=0,
        maximum=1,
    )
    ds_in_rating: str = setting(
        "sum",
        _("DS dans la cote"),
        article="002 IV.C",
        group=COTE,
        choices=(("sum", _("Somme")), ("mean", _("Moyenne"))),
    )
    floor: int | None = setting(
        1000,
        _("Plancher de la cote"),
        article="002 VII",
        unit=_("points de cote"),
        group=COTE,
        effect=_("Une cote qui deviendrait inférieure est relevée."),
        empty=_("Vide : pas de plancher."),
        minimum=0,
        maximum=3000,
        nullable=True,
    )
    decimals: int = setting(
        0,
        _("Décimales de la cote"),
        article="002 IV.A",
        group=COTE,
        effect=_("0 : la cote est un entier après chaque soirée."),
        minimum=0,
        maximum=4,
    )
    rate_forfeits: bool = setting(
        False, _("Coter les victoires par forfait"), article="002 II.A.2", group=COTE
    )
    amethyste_from: int = setting(
        1400, _("Améthyste à partir de"), article="002 VII", group=CATEGORIES, minimum=0
    )
    topaze_from: int = setting(
        1700, _("Topaze à partir de"), article="002 VII", group=CATEGORIES, minimum=0
    )
    diamant_from: int = setting(
        1900, _("Diamant à partir de"), article="002 VII", group=CATEGORIES, minimum=0
    )

    def __post_init__(self) -> None:
        if self.divisor <= 0:
            raise Contradiction("divisor", _("Le diviseur doit être positif."))
        if self.k_intermediate_from > self.k_expert_from:
            raise Contradiction(
                "k_expert_from",
                _("Le palier des expérimentés doit être plus haut que le palier intermédiaire."),
            )
        if not self.amethyste_from < self.topaze_from < self.diamant_from:
            raise Contradiction(
                "topaze_from" if self.amethyste_from >= self.topaze_from else "diamant_from",
                _("Les seuils doivent monter : Améthyste, puis Topaze, puis Diamant."),
            )

    def bands(self) -> tuple[Band, ...]:
        """Return the four categories with this version's thresholds (002 VII)."""
        minimums = (self.initial, self.amethyste_from, self.topaze_from, self.diamant_from)
        return tuple(
            Band(band.code, band.label, minimum)
            for band, minimum in zip(CLUB_BANDS, minimums, strict=True)
        )

    def newcomer(self, facts: Mapping[str, Any] = NOTHING) -> State:
        """Return a new player's state: the starting cote at once (002 III.C.2)."""
        return State(rating=int(facts.get("rating", self.initial)))

    def k_of(self, e0: float, games: int | None = None) -> int:
        """Return K by the player's cote when the session starts (002 IV.A)."""
        if games is not None and games < self.k_beginner_games:
            return self.k_beginner
        if e0 >= self.k_expert_from:
            return self.k_expert
        if e0 >= self.k_intermediate_from:
            return self.k_intermediate
        return self.k_beginner

    def win_probability(self, own: float, other: float) -> float:
        """Return P(victoire) of 002 IV.B, with the committee's divisor."""
        return win_probability(own, other, self.divisor)

    def ds_of(self, own_score: int | None, other_score: int | None) -> Fraction:
        """Return the match's DS in percent, + for the winner, − for the loser."""
        if own_score is None or other_score is None:
            return NO_DS
        if own_score >= other_score:
            return ds_of_match(own_score, other_score)
        return -ds_of_match(other_score, own_score)

    def settle(self, states: Mapping[PlayerId, State], event: Event) -> list[Change]:
        """Move every player once, from the cotes that both held when the session began."""
        return [self._move(player, states, games) for player, games in event.by_player().items()]

    def adjust_percent(
        self,
        player: PlayerId,
        state: State,
        percent: str,
        *,
        cut_floor: int | None = None,
    ) -> Change:
        """Apply a cut decided by the committee (002 II.A.2): own signed event, half-up, floor."""
        e0 = _number(state)
        cut = -Fraction(e0) * Fraction(percent) / 100
        e1 = self.after_cut(e0, percent, cut_floor=cut_floor)
        because = [
            Reason("cut", "002 II.A.2", cut, values=frozen({"percent": str(percent), "E0": e0})),
        ]
        left = Fraction(e1 - e0) - cut
        if left:
            rounded = half_up(Fraction(e0) + cut)
            if rounded - e0 - cut:
                because.append(Reason("rounding", "002 II.A.2", rounded - e0 - cut))
            if e1 != rounded:
                because.append(Reason("floor", "002 VII", e1 - rounded))
        after = State(e1, state.games, state.events, state.status, state.extra)
        return Change(player, state, after, tuple(because))

    def after_cut(
        self, rating: int, percent: str | int | float, *, cut_floor: int | None = None
    ) -> int:
        """Return the cote less `percent` %, rounded half-up.

        `cut_floor` is the committee's floor of cuts; without one the floor of cotes holds.
        """
        floor = floor_of_cut(cut_floor, self.floor)
        exact = rating_after_cut(rating, Fraction(str(percent)), floor)
        return min(half_up(exact), rating)

    def rounded(self, raw: float) -> int | Fraction:
        """Round half-up to the committee's number of decimals: an int, or an exact Fraction."""
        if not self.decimals:
            return half_up(raw)
        scale: int = 10**self.decimals
        return Fraction(half_up(raw * scale), scale)

    def session(
        self, e0: Any, games: int, seen: Sequence[tuple[float, float, Fraction]]
    ) -> tuple[int, float, float, float, float]:
        """Return (K, W, We, ΣDS, raw cote) of a session.

        `seen` holds (opponent's E0, W, DS) a match.
        """
        k = self.k_of(e0, games)
        w = math.fsum(result for _e, result, _ds in seen)
        we = math.fsum(self.win_probability(e0, other) for other, _w, _ds in seen)
        known = [ds for _e, _w, ds in seen if ds is not NO_DS]
        total = sum(known, NO_DS)
        if self.ds_in_rating == "mean" and seen:
            total /= len(seen)
        ds = float(total) if known else 0.0
        return k, w, we, ds, e0 + k * ((w - we) + self.alpha * ds / 100)

    def _move(
        self, player: PlayerId, states: Mapping[PlayerId, State], games: Sequence[Game]
    ) -> Change:
        before = states.get(player) or self.newcomer()
        e0 = _number(before)
        lines: list[Reason] = []
        seen: list[tuple[float, float, Fraction]] = []
        k = self.k_of(e0, before.games)
        for game in games:
            opponent, halves, own_score, other_score = game.seen_by(player)
            opponent_state = states.get(opponent) or self.newcomer()
            other = _number(opponent_state)
            w, we = halves / 2, self.win_probability(e0, other)
            ds = self.ds_of(own_score, other_score)
            seen.append((other, w, ds))
            values = {
                "K": k,
                "W": w,
                "We": we,
                "E0": e0,
                "E_opponent": other,
                "own_score": own_score,
                "other_score": other_score,
                "DS": float(ds) if ds is not NO_DS else 0.0,
            }
            lines.append(
                Reason("game", "002 IV.A", k * (w - we), opponent, game.key, frozen(values))
            )
        _k, _w, _we, ds_total, raw = self.session(e0, before.games, seen)
        if self.alpha:
            effect = k * self.alpha * ds_total / 100
            values = {"alpha": self.alpha, "DS": ds_total, "K": k, "how": self.ds_in_rating}
            lines.append(Reason("ds", "002 IV.C", effect, values=frozen(values)))
        rounded = self.rounded(raw)
        so_far = math.fsum(float(line.effect or 0) for line in lines)
        told = {"raw": raw} | ({"decimals": self.decimals} if self.decimals else {})
        effect = float(rounded - e0) - so_far
        lines.append(Reason("rounding", "002 IV.A", effect, values=frozen(told)))
        e1: int | Fraction = rounded
        if self.floor is not None and rounded < self.floor:
            e1 = self.floor
            lines.append(
                Reason("floor", "002 VII", e1 - rounded, values=frozen({"floor": self.floor}))
            )
        after = State(e1, before.games + len(games), before.events + 1, before.status, before.extra)
        return Change(player, before, after, tuple(lines))


def floor_of_cut(cut_floor: object, floor: object) -> Any:
    """Return the committee's floor of cuts where it has a value, otherwise the floor of cotes."""
    return floor if cut_floor is None else cut_floor


def rating_after_cut(
    rating: int | Fraction, percent: int | Fraction, floor: int | Fraction | None
) -> int | Fraction:
    """Return the cote less a percentage the committee fixed, exact, not below the floor.

    A rating already below the floor is unchanged: a cut never raises.
    """
    cut = Fraction(rating) * (100 - Fraction(percent)) / 100
    if floor is not None:
        cut = max(cut, min(Fraction(floor), Fraction(rating)))
    return cut.numerator if cut.denominator == 1 else cut


def _number(state: State) -> Any:
    assert type(state.rating) is int or isinstance(state.rating, Fraction)
    return state.rating
