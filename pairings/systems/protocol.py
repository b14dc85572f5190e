"""Input and output of every pairing system: plain values, with the reason of each pair.

A pairing is stored with its reasons at the moment it is made (`Pairing.to_json`), so that "why do I
play this opponent?" always has the same answer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from clubs.rulebooks.fields import gettext_noop as _
from pairings.rules.scoring import Meeting
from ratings.systems.protocol import PlayerId

DIRECT, UP, DOWN, KEPT = "direct", "up", "down", "kept"
REPEAT, EARLY_REPEAT, MANUAL = "repeat", "early_repeat", "manual"
TABLE, ROUND1, ORPHAN = "table", "round1", "orphan-"
NEIGHBOURS, BRACKET, THIRD_PLACE = "neighbours", "bracket", "third_place"
HALVES, NEAR_HALVES, FLOATER = "halves", "near_halves", "floater"
QUAD, PRIZE_WON = "quad", "prize_won"

REASONS: Mapping[str, str] = MappingProxyType(
    {
        DIRECT: _("le mieux classé contre le moins bien classé encore libre"),
        UP: _("remontée : le premier adversaire possible au-dessus de celui proposé"),
        DOWN: _("remontée sans solution, puis descente"),
        KEPT: _("tous les joueurs libres ont déjà été rencontrés : match maintenu"),
        REPEAT: _("revanche permise : le délai est passé"),
        EARLY_REPEAT: _("revanche avant le délai : accord de l’arbitre requis"),
        MANUAL: _("appariement choisi par l’arbitre"),
        TABLE: _("tableau prédéterminé"),
        NEIGHBOURS: _("voisins au classement"),
        BRACKET: _("tableau d’élimination directe"),
        THIRD_PLACE: _("match pour la troisième place"),
        HALVES: _("même nombre de points : moitié haute contre moitié basse"),
        NEAR_HALVES: _("même nombre de points : au plus près de moitié contre moitié"),
        FLOATER: _("descend d’un groupe : pas d’adversaire dans le sien"),
        QUAD: _("groupe de quatre : chacun rencontre chacun"),
        PRIZE_WON: _(
            "assuré de sa place primée : rencontre le mieux classé de ceux qui ne peuvent "
            "plus en obtenir"
        ),
        ROUND1: _("ronde 1 : groupes A et B du classement initial"),
        ORPHAN + DIRECT: _(
            "adversaire du tableau absent : premier contre dernier des joueurs seuls"
        ),
        ORPHAN + UP: _("adversaire du tableau absent, déjà rencontré : remontée"),
        ORPHAN + DOWN: _("adversaire du tableau absent, remontée sans solution : descente"),
        ORPHAN + KEPT: _("adversaire du tableau absent, tous déjà rencontrés : match maintenu"),
        ORPHAN + REPEAT: _("adversaire du tableau absent, revanche inévitable"),
        ORPHAN + HALVES: _(
            "sans adversaire dans son groupe : moitié haute contre moitié basse de ces joueurs"
        ),
        ORPHAN + NEAR_HALVES: _(
            "sans adversaire dans son groupe : au plus près de moitié contre moitié de ces joueurs"
        ),
    }
)

ALREADY_MET, TOO_SOON, LOOKAHEAD = "met", "too_soon", "lookahead"

SKIPPED_BECAUSE: Mapping[str, str] = MappingProxyType(
    {
        ALREADY_MET: _("déjà rencontré"),
        TOO_SOON: _("rencontré trop récemment"),
        LOOKAHEAD: _("pour éviter une revanche plus bas"),
    }
)

FEWEST_BYES, LITERAL_BYE, LIMIT_EXCEEDED = "fewest_byes", "dummy_last", "limit_exceeded"
FICTIVE_LAST, SIT_OUT, SPARES_REPEAT = "fictive", "sit_out", "spares_repeat"

BYE_REASONS: Mapping[str, str] = MappingProxyType(
    {
        FEWEST_BYES: _("effectif impair : le moins d’exemptions, puis le moins bien classé"),
        SPARES_REPEAT: _(
            "effectif impair : le moins d’exemptions ; celle d’un moins bien classé obligerait à une "
            "revanche"
        ),
        LITERAL_BYE: _(
            "effectif impair : le joueur fictif est dernier, le mieux classé l’affronte"
        ),
        LIMIT_EXCEEDED: _("effectif impair : tous sont à la limite d’exemptions consécutives"),
    }
)

NEEDS_ARBITER, AVOIDABLE_REPEAT, LEFT_UNPAIRED = "needs_arbiter", "avoidable_repeat", "unpaired"
ORPHANS, SECOND_BYE = "orphans", "second_bye"

WARNINGS: Mapping[str, str] = MappingProxyType(
    {
        NEEDS_ARBITER: _("Une revanche avant le délai demande l’accord de l’arbitre."),
        AVOIDABLE_REPEAT: _("Un autre appariement des mêmes joueurs éviterait cette revanche."),
        LEFT_UNPAIRED: _("Aucun adversaire permis : ces joueurs restent sans match."),
        LIMIT_EXCEEDED: _("La limite d’exemptions consécutives n’a pas pu être respectée."),
        ORPHANS: _("Le tableau ne leur donne pas d’adversaire : l’arbitre confirme ces tables."),
        SECOND_BYE: _("Ce joueur rencontre le joueur fictif pour la deuxième fois."),
    }
)


OFFICIAL, UNOFFICIAL = _("tableau du règlement"), _("tableaux du club (non officiels)")


class SettingRefused(ValueError):
    """Numbers that a system does not take. `sentence` has a place for each of `values`."""

    def __init__(self, sentence: str, values: Mapping[str, object]) -> None:
        super().__init__(sentence % values)
        self.sentence = sentence
        self.values = values


class RoundRefused(ValueError):
    """A round that the rules cannot pair now. The text is a message for the arbiter."""


class EntriesRefused(ValueError):
    """A number of entries for which the rules give no number of rounds, with a sentence."""


@dataclass(frozen=True, slots=True)
class FixedTable:
    """The predetermined rounds for one number of players, the fictive one included.

    A round is pairs of places in the initial ranking, in the order of the tables.
    """

    size: int
    rounds: tuple[tuple[tuple[int, int], ...], ...]
    pools: tuple[tuple[int, ...], ...] = ()
    official: bool = False

    @property
    def label(self) -> str:
        """Return the label for pages: our tables are never presented as the federation's."""
        return OFFICIAL if self.official else UNOFFICIAL


class Tie(NamedTuple):
    """Players level on PM: whether 004 §4.1 gave them PPM, or two of them who have not met."""

    players: tuple[PlayerId, ...]
    pm: int
    has_ppm: bool
    not_met: tuple[PlayerId, PlayerId] | None
    ex_aequo: tuple[tuple[PlayerId, ...], ...]


class Entrant(NamedTuple):
    """A player of the season, with `date.toordinal()` of registration and initial rank."""

    player: PlayerId
    joined: int = 0
    initial: int = 0


Entrants = Sequence[Entrant]
Available = Collection[PlayerId] | None
"""Who may be paired; None: everybody."""


class Skipped(NamedTuple):
    """An opponent tried before the one chosen, with the reason; `meeting` when they have met."""

    opponent: PlayerId
    why: str
    meeting: Meeting | None = None


class Warned(NamedTuple):
    """A warning for the arbiter: a code of `WARNINGS` and the players concerned."""

    code: str
    players: tuple[PlayerId, ...] = ()


class GroupPlaces(NamedTuple):
    """Where two players stood when they were paired.

    `places` count from 1 in their groups of `sizes` players with `points`; in the ranking where no
    group decided (no sizes). `number`: of a group of the initial ranking, `places` are then of it.
    """

    places: tuple[int, int]
    sizes: tuple[int, int] | None = None
    points: tuple[int | Fraction, int | Fraction] | None = None
    number: int = 0


class Pair(NamedTuple):
    """Two players and why they meet.

    `proposed` is the opponent that the rules proposed first; `skipped` those tried and refused, in
    order; `meeting` the last one, when this pair repeats it; `group` where they stood.
    """

    first: PlayerId
    second: PlayerId
    reason: str
    proposed: PlayerId
    skipped: tuple[Skipped, ...] = ()
    meeting: Meeting | None = None
    group: GroupPlaces | None = None

    @property
    def is_repeat(self) -> bool:
        """Return whether these two have already met."""
        return self.meeting is not None


class Bye(NamedTuple):
    """The player who meets the fictive player.

    `run` and `byes`: byes in a row and in the season before. Where the fictive player is paired
    like another (004 §2): `how` is the reason of that pair, `place` the number of pairs above it,
    `skipped` the opponents tried before.
    """

    player: PlayerId
    reason: str
    run: int = 0
    byes: int = 0
    how: str = ""
    place: int = 0
    skipped: tuple[Skipped, ...] = ()

    @property
    def within_limit(self) -> bool:
        """Return whether somebody was below the limit of consecutive byes (002 VI.5)."""
        return self.reason != LIMIT_EXCEEDED


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """One pairing run. `order` is everybody paired, byes included, best first.

    `alternative`: the pairing of the same players with fewer repeats, when there is one.
    """

    order: tuple[PlayerId, ...]
    pairs: tuple[Pair, ...]
    byes: tuple[Bye, ...] = ()
    unpaired: tuple[PlayerId, ...] = ()
    warnings: tuple[Warned, ...] = ()
    strategy: str = ""
    alternative: Pairing | None = None

    @property
    def repeats(self) -> int:
        """Return how many pairs have met before."""
        return sum(pair.is_repeat for pair in self.pairs)

    def to_json(self) -> dict[str, object]:
        """Return JSON values, to be stored with the run."""
        return {
            "strategy": self.strategy,
            "order": list(self.order),
            "pairs": [pair_to_json(pair) for pair in self.pairs],
            "byes": [bye_to_json(bye) for bye in self.byes],
            "unpaired": list(self.unpaired),
            "warnings": [
                {"code": warned.code, "players": list(warned.players)} for warned in self.warnings
            ],
            "alternative": None if self.alternative is None else self.alternative.to_json(),
        }


def pair_to_json(pair: Pair) -> dict[str, object]:
    """Return one pair with its reasons as JSON values, to be stored with its match."""
    fields = {
        "first": pair.first,
        "second": pair.second,
        "reason": pair.reason,
        "proposed": pair.proposed,
        "skipped": _skipped_to_json(pair.skipped),
        "meeting": _meeting_to_json(pair.meeting),
    }
    if pair.group is None:
        return fields
    points = [float(each) for each in pair.group.points or ()]
    return {**fields, "group": {**pair.group._asdict(), "points": points}}


def bye_to_json(bye: Bye) -> dict[str, object]:
    """Return one bye with its reasons as JSON values, to be stored with its match."""
    return {**bye._asdict(), "skipped": _skipped_to_json(bye.skipped)}


def _skipped_to_json(skipped: Sequence[Skipped]) -> list[dict[str, object]]:
    return [
        {"opponent": opponent, "why": why, "meeting": _meeting_to_json(meeting)}
        for opponent, why, meeting in skipped
    ]


def _meeting_to_json(meeting: Meeting | None) -> dict[str, object] | None:
    return None if meeting is None else meeting._asdict()
