"""Points and ranking of a tournament: PM, PPM, Pdep (004 §3 to §5, §9).

The Formule Classique and the other tournament systems rank by them; they differ in who meets whom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from clubs.rulebooks.fields import setting
from pairings.rules import scoring, tiebreaks
from pairings.rules.scoring import MatchRecord, Meeting, Met, Records
from pairings.rules.tiebreaks import Criterion, RankedPlayer
from pairings.systems.base import Left, PairingSystem
from pairings.systems.points.match_points import MatchPoints, PointScale, points_of
from pairings.systems.points.possible_places import Board, Contender, Places, possible_places
from pairings.systems.points.seeding import FICTIVE
from pairings.systems.protocol import Entrants, Tie
from pairings.systems.wins_and_spread.ranking import WinsAndSpread
from ratings.systems.protocol import PlayerId

CRITERIA: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "pm": (_("PM"), "004 §3"),
        "ppm": (_("PPM"), "004 §4.1"),
        "pdep": (_("Pdep"), "004 §4.2"),
        "initial": (_("classement initial"), "004 §5"),
    }
)
"""The ranking's criteria in order, with their page labels and articles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PointRanking(PairingSystem):
    """The ranking, with the settings of match and ranking that an organiser may change.

    With `wins_and_spread` everybody is ranked, and grouped for pairing, by wins and spread instead.
    """

    ranks_by: ClassVar[str] = _("par PM, PPM et Pdep")
    unit: ClassVar[str] = "PM"
    edited_apart: ClassVar[tuple[str, ...]] = (*PairingSystem.edited_apart, "winning_games")
    own_ranking_fields: ClassVar[tuple[str, ...]] = (
        "pdep_cap",
        "forfeit_win_pdep",
        "forfeit_loss_pdep",
        "forfeit_counts_as_met_ppm",
        "ppm_multi",
    )

    winning_games: int = setting(
        1,
        _("Manches gagnantes par match"),
        article="004",
        effect=_(
            "Une manche dans un tournoi d’une journée ; deux dans au moins une phase d’un tournoi long."
        ),
        unit=_("manches"),
        group="match",
        choices=((1, _("une manche")), (2, _("deux manches gagnantes"))),
    )
    pdep_cap: int = setting(
        100,
        _("Limite du Pdep par manche"),
        article="004 §4.2",
        effect=_("La différence de score d’une manche ne compte pas au-delà."),
        unit="Pdep",
        group="match",
        minimum=0,
        maximum=1000,
    )
    forfeit_win_pdep: int = setting(
        10,
        _("Pdep d’une victoire par forfait"),
        article="004 §4.2",
        effect=_("Aussi pour un match contre le joueur fictif X."),
        unit="Pdep",
        group="match",
        minimum=0,
        maximum=100,
    )
    forfeit_loss_pdep: int = setting(
        -10,
        _("Pdep du joueur forfait"),
        article="004 §4.2",
        effect=_("−10 : le Pdep reste symétrique. 0 : le règlement ne nomme que le vainqueur."),
        unit="Pdep",
        group="match",
        minimum=-100,
        maximum=0,
    )
    forfeit_counts_as_met_pairing: bool = setting(
        False,
        _("Un forfait compte comme un match pour l’appariement"),
        article="004 §7, §8",
        effect=_("Sinon les deux joueurs peuvent encore être appariés."),
        group="pairing",
    )
    forfeit_counts_as_met_ppm: bool = setting(
        False,
        _("Un forfait compte comme un match pour le PPM"),
        article="004 §4.1",
        effect=_("Sinon le groupe de ces joueurs n’a pas de PPM : ils ne se sont pas rencontrés."),
        group="ppm",
    )
    ppm_multi: str = setting(
        tiebreaks.MEAN,
        _("PPM de deux joueurs qui se sont rencontrés plusieurs fois"),
        article="004 §4.1",
        group="ppm",
        choices=(
            (tiebreaks.MEAN, _("moyenne de leurs matchs")),
            (tiebreaks.SUM, _("somme de leurs matchs")),
            (tiebreaks.LAST, _("leur dernier match")),
        ),
    )

    wins_and_spread: WinsAndSpread | None = None

    def points_of(self, record: MatchRecord) -> tuple[MatchPoints, MatchPoints | None]:
        """Return PM and Pdep of one match (§3, §4.2)."""
        return points_of(record, self.scale())

    def own_points(self, record: MatchRecord) -> Sequence[Mapping[str, object] | None]:
        """Return PM and Pdep of one match, by column."""
        both = self.points_of(record)
        return [None if points is None else points._asdict() for points in both]

    def scale(self) -> PointScale:
        """Return the numbers of 004 §4.2."""
        return PointScale(self.pdep_cap, self.forfeit_win_pdep, self.forfeit_loss_pdep)

    def standing(
        self,
        entrants: Entrants,
        records: Records,
        *,
        with_ppm: bool = True,
        with_initial: bool = True,
    ) -> list[RankedPlayer]:
        """Return everybody in order; without the initial place, equal players are ex aequo (§9)."""
        if self.wins_and_spread is not None:
            return self.wins_and_spread.standing(entrants, records)
        ordered = sorted(entrants, key=lambda entrant: entrant.initial)
        criteria = self.criteria(ordered, records, with_ppm=with_ppm, with_initial=with_initial)
        return tiebreaks.rank([entrant.player for entrant in ordered], criteria)

    @staticmethod
    def points_in_groups(line: RankedPlayer) -> int | Fraction:
        """Return what a player's group is made of: wins where they rank, else PM."""
        points: int | Fraction = line.values["wins" if "wins" in line.values else "pm"]
        return points

    def rank(
        self, entrants: Entrants, records: Records, *, today: int = 0, for_pairing: bool = False
    ) -> list[RankedPlayer]:
        """Return the final ranking with its ex aequo (§9), or the one for pairing, without (§5)."""
        return self.standing(entrants, records, with_initial=for_pairing)

    def criteria(
        self,
        entrants: Entrants,
        records: Records,
        *,
        with_ppm: bool = True,
        with_initial: bool = True,
    ) -> list[Criterion]:
        """Return PM, PPM, Pdep and the initial place, which the final ranking only shows (§5, §9)."""
        pm, pdep = self.totals(entrants, records)
        initial = {entrant.player: entrant.initial for entrant in entrants}
        each = tiebreaks.of_each
        return [
            each("pm", *CRITERIA["pm"], pm),
            *([self._ppm(records)] if with_ppm else []),
            each("pdep", *CRITERIA["pdep"], pdep),
            each("initial", *CRITERIA["initial"], initial, descending=False, orders=with_initial),
        ]

    def totals(
        self, entrants: Entrants, records: Records
    ) -> tuple[dict[PlayerId, int], dict[PlayerId, int]]:
        """Return everybody's PM and Pdep so far.

        A round without a match adds nothing.
        """
        pm = {entrant.player: 0 for entrant in entrants}
        pdep = dict.fromkeys(pm, 0)
        scale = self.scale()
        for record in records:
            sides = (record.first, record.second)
            for player, points in zip(sides, points_of(record, scale), strict=True):
                if points is not None and player in pm:
                    pm[player] += points.pm
                    pdep[player] += points.pdep
        return pm, pdep

    def duels(self, records: Records) -> tiebreaks.Duels:
        """Return each player's PM in their meetings with each opponent, X excluded (§4.1)."""
        duels: dict[PlayerId, dict[PlayerId, list[int | Fraction]]] = {}
        scale = self.scale()
        for record in records:
            if record.second is None or not scoring.is_meeting(
                record, self.forfeit_counts_as_met_ppm
            ):
                continue
            first, second = points_of(record, scale)
            duels.setdefault(record.first, {}).setdefault(record.second, []).append(first.pm)
            if second is not None:
                duels.setdefault(record.second, {}).setdefault(record.first, []).append(second.pm)
        return duels

    def ppm_of(self, group: Sequence[PlayerId], records: Records) -> tiebreaks.Values | None:
        """Return PPM of players level on PM if all of them have met, else None for all (§4.1)."""
        return dict(self._ppm(records).values(group)) or None

    def _ppm(self, records: Records) -> Criterion:
        """Return the criterion PPM.

        Players it leaves tied are ordered by Pdep; PPM is not computed again.
        """
        duels = self.duels(records)
        return tiebreaks.of_meetings("ppm", *CRITERIA["ppm"], duels, several=self.ppm_multi)

    def ties(self, lines: Sequence[RankedPlayer], records: Records) -> list[Tie]:
        """Return what decided, or could not, among players level on PM, for the page of a ranking."""
        if self.wins_and_spread is not None:
            return []
        duels = self.duels(records)
        groups: dict[int, list[RankedPlayer]] = {}
        for line in lines:
            groups.setdefault(line.values["pm"], []).append(line)
        result = []
        for pm, tied in groups.items():
            if len(tied) > 1:
                players = tuple(line.player for line in tied)
                shared: dict[int, list[PlayerId]] = {}
                for line in tied:
                    shared.setdefault(line.rank, []).append(line.player)
                result.append(
                    Tie(
                        players,
                        pm,
                        any(line.values.get("ppm") is not None for line in tied),
                        tiebreaks.first_not_met(players, duels),
                        tuple(tuple(same) for same in shared.values() if len(same) > 1),
                    )
                )
        return result

    def own_places(
        self, entrants: Entrants, records: Records, left: Left, boards: Sequence[Board] | None
    ) -> Mapping[PlayerId, Places]:
        """Return the final places that each player can still reach (§9)."""
        pm, pdep = self.totals(entrants, records)
        return possible_places(
            [Contender(player, pm[player], pdep[player], left[player]) for player in left],
            {player: set(others) for player, others in self.duels(records).items()},
            boards=boards,
            scale=self.scale(),
            winning_games=self.winning_games,
        )

    def met(self, records: Records) -> Met:
        """Return who met whom, for pairing.

        X counts as an opponent: a second time is a repeat.
        """
        known = scoring.meetings(records, forfeits_count=self.forfeit_counts_as_met_pairing)
        met = {player: dict(others) for player, others in known.items()}
        for record in records:
            if record.kind == scoring.BYE:
                opponents = met.setdefault(record.first, {})
                times = opponents[FICTIVE].times + 1 if FICTIVE in opponents else 1
                met.setdefault(FICTIVE, {})[record.first] = opponents[FICTIVE] = Meeting(
                    0, times, record.day, record.key
                )
        return met
