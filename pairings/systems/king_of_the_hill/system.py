"""King of the hill: first against second, third against fourth, repeats allowed.

Usual for the last round of a tournament; ranked by PM, PPM, Pdep (004 §3 to §5, §9).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from clubs.rulebooks.fields import setting
from pairings.rules.scoring import MatchRecord, Met
from pairings.systems.formule_classique.ranking import PointRanking
from pairings.systems.formule_classique.seeding import FICTIVE
from pairings.systems.protocol import (
    FEWEST_BYES,
    FICTIVE_LAST,
    NEIGHBOURS,
    REASONS,
    Bye,
    Entrant,
    Pair,
    Pairing,
)
from ratings.systems.protocol import PlayerId

FEWEST, LAST = "fewest", "last"


@dataclass(frozen=True, slots=True, kw_only=True)
class KingOfTheHill(PointRanking):
    """Neighbours in the ranking meet, repeats or not."""

    code: ClassVar[str] = "king_of_the_hill"
    label: ClassVar[str] = _(
        "King of the Hill (premier contre deuxième, troisième contre quatrième…)"
    )
    document: ClassVar[str] = "usage"
    reasons: ClassVar[Mapping[str, str]] = REASONS

    rounds: int = setting(
        1,
        _("Nombre de rondes"),
        article=_("usage"),
        unit=_("rondes"),
        group="match",
        minimum=1,
        maximum=40,
    )
    bye_goes_to: str = setting(
        FEWEST,
        _("Qui rencontre le joueur fictif quand l’effectif est impair"),
        article=_("usage"),
        group="pairing",
        choices=(
            (FEWEST, _("le moins d’exemptions, puis le moins bien classé")),
            (LAST, _("toujours le dernier du classement")),
        ),
    )

    def rounds_of(self, entries: int) -> int:
        """Return the number that the organiser chose."""
        return self.rounds

    def pair_round(
        self,
        entrants: Sequence[Entrant],
        records: Sequence[MatchRecord],
        *,
        available: Collection[PlayerId] | None = None,
        suspended: Collection[PlayerId] = (),
        today: int = 0,
    ) -> Pairing:
        """Pair first against second, third against fourth, over the players present."""
        here = {entrant.player for entrant in entrants} if available is None else set(available)
        present = [e for e in entrants if e.player in here and e.player not in suspended]
        order = [line.player for line in self.standing(present, records)]
        met = self.met(records)
        byes = []
        seated = list(order)
        if len(order) % 2:
            chosen = self._against_fictive(order, met)
            seated.remove(chosen)
            reason = FICTIVE_LAST if self.bye_goes_to == LAST else FEWEST_BYES
            byes = [Bye(chosen, reason, 0, _byes(met, chosen), NEIGHBOURS, len(seated) // 2)]
        pairs = [
            Pair(first, second, NEIGHBOURS, second, (), met.get(first, {}).get(second))
            for first, second in zip(seated[::2], seated[1::2], strict=True)
        ]
        return Pairing(
            order=tuple(order), pairs=tuple(pairs), byes=tuple(byes), strategy=NEIGHBOURS
        )

    def _against_fictive(self, order: Sequence[PlayerId], met: Met) -> PlayerId:
        if self.bye_goes_to == LAST:
            return order[-1]
        fewest = min(_byes(met, player) for player in order)
        return next(player for player in reversed(order) if _byes(met, player) == fewest)


def _byes(met: Met, player: PlayerId) -> int:
    meeting = met.get(player, {}).get(FICTIVE)
    return 0 if meeting is None else meeting.times
