"""Games that were not played, as files say them: FIDE's signs, a column "joué" or "forfait".

No system rates them (000 §4 "parties disputées", 003 §5); they stay in the standings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clubs.rulebooks.fields import gettext_noop as _

WON, DRAWN, LOST = 2, 1, 0


@dataclass(frozen=True, slots=True)
class Unplayed:
    """`halves`: half points of the first player, the only one of a bye; the other has the rest.

    `both`: nobody came, so neither has a point.
    """

    halves: int
    both: bool = False


FORFEITS: Mapping[str, Unplayed] = {
    "+": Unplayed(WON),
    "+-": Unplayed(WON),
    "-": Unplayed(LOST),
    "-+": Unplayed(LOST),
    "--": Unplayed(LOST, both=True),
    "+--": Unplayed(WON),
    "--+": Unplayed(LOST),
    "---": Unplayed(LOST, both=True),
}
"""FIDE's signs, each alone, in pairs ("+/-"), and with a dash between the two ("+ - -")."""
BYES: Mapping[str, Unplayed] = {
    "f": Unplayed(WON),
    "u": Unplayed(WON),
    "h": Unplayed(DRAWN),
    "z": Unplayed(LOST),
}
"""FIDE's letters: full-point bye, bye given by the pairing, half-point bye, no point."""
ABSENT: Mapping[str, Unplayed] = {
    "1": Unplayed(LOST),
    "2": Unplayed(WON),
    "1+2": Unplayed(LOST, both=True),
}
BYE_WORDS = frozenset({"exempt", "exempte", "bye", "(x)"})
"""The text in place of an opponent, in the languages of the export."""
BYE_OR_NAME = "liber"
"""The same in Romanian, where it may be somebody's name too: who has scores has played."""
NO = frozenset({"non", "no", "nu", "n", "0"})
YES = frozenset({"", "oui", "yes", "da", "o", "y", "1", "x"})


def halves_by_scores(first: int | None, second: int | None) -> int | None:
    """Return the half points of the first player by the better score; None where none is better."""
    if first is None or second is None or first == second:
        return None
    return WON if first > second else LOST


def unplayed(
    *, result: str, halves: int | None, played: str, absent: str, names: Sequence[str]
) -> Unplayed | None:
    """Return what a line says of a game that was not played; None for a game.

    Texts are without accents and in small letters. `halves`: the result where it is written as that
    of a game, by a sign or by the scores. Raises ValueError with a sentence where a forfeit does not say whose it is.
    """
    sign = re.sub(r"[\s:/]", "", result)
    if sign in FORFEITS:
        return FORFEITS[sign]
    if sign in BYES:
        return BYES[sign]
    if absent not in NO | {""}:
        return _absent(absent, halves, names)
    if played in NO:
        return Unplayed(LOST, both=True) if halves is None else Unplayed(halves)
    if played not in YES:
        raise ValueError(_("écrivez oui ou non dans la colonne « joué »"))
    return None


def _absent(absent: str, halves: int | None, names: Sequence[str]) -> Unplayed:
    side = "+".join(sorted(set(re.split(r"[\s,;/&+]+", absent.strip()))))
    if side in ABSENT:
        return ABSENT[side]
    if absent in names:
        return ABSENT[str(1 + list(names).index(absent))]
    if halves is None:
        raise ValueError(_("dites qui était absent : 1, 2 ou 1+2"))
    return Unplayed(halves)


UNPLAYED_FACTS = ("played", "both")


def facts_of_unplayed(unplayed: Unplayed) -> dict[str, bool]:
    """Return the facts of a game that was not played, which no system rates."""
    return {"played": False, "both": True} if unplayed.both else {"played": False}
