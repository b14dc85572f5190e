"""The numbers of the FISF rating that its commission may change (000)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from clubs.rulebooks.fields import Contradiction, setting
from clubs.rulebooks.fields import gettext_noop as _

COTE = "cote"
STATUS = "status"
SERIES = "series"
START = "start"

# Annexe 2: the least |difference| that gives the higher player 0.51, 0.52 … 0.92.
THRESHOLDS = (
    *(4, 11, 18, 26, 33, 40, 47, 54, 62, 69, 77, 84, 92, 99, 107, 114, 122, 130, 138, 146, 154),
    *(163, 171, 180, 189, 198, 207, 216, 226, 236, 246, 257, 268, 279, 291, 303, 316, 329, 345),
    *(358, 375, 392),
)


def ranks_of(name: str) -> tuple[int, ...] | None:
    """Return (best, last) of ranks written as "1-50" or "7"; None for a series, () for a bad one."""
    if not re.fullmatch(r"\d+(\s*-\s*\d+)?", name.strip()):
        return None
    best, _dash, last = name.partition("-")
    first, end = int(best), int(last or best)
    return (first, end) if 1 <= first <= end else ()


_k = partial(setting, article="000 annexe 2", group=COTE, minimum=1, maximum=200)
_k_from = partial(
    setting, article="000 annexe 2", unit=_("points de cote"), group=COTE, minimum=0, maximum=4000
)
_bar = partial(setting, article="000 2", group=SERIES, minimum=0, maximum=4000)
_percent = partial(setting, article="000 2", group=SERIES, minimum=0, maximum=100)
_start = partial(setting, article="000 annexe 1", group=START, minimum=0, maximum=4000)


@dataclass(frozen=True, slots=True, kw_only=True)
class FisfSettings:
    """Table, K, floor, who is listed, bars of the series, starting cotes."""

    thresholds: tuple[int, ...] = setting(
        THRESHOLDS,
        _("Table de We : écarts à partir desquels la probabilité gagne 0,01"),
        article="000 annexe 2",
        group=COTE,
        effect=_("Le premier écart donne 0,51 au mieux coté, le suivant 0,52, et ainsi de suite."),
        minimum=1,
        maximum=4000,
    )
    k_newest: int = _k(50, _("K d’un nouveau peu coté"))
    k_new: int = _k(40, _("K d’un nouveau"))
    k_common: int = _k(20, _("K après les premières parties"))
    k_strong: int = _k(16, _("K des joueurs forts"))
    k_top: int = _k(10, _("K des meilleurs"))
    k_new_games: int = setting(
        15,
        _("Parties avant le K ordinaire"),
        article="000 annexe 2",
        unit=_("parties"),
        group=COTE,
        effect=_(
            "Comptées avant la compétition ; les parties de la compétition ne s’y ajoutent "
            "qu’ensuite."
        ),
        minimum=0,
        maximum=500,
    )
    k_new_from: int = _k_from(1401, _("K d’un nouveau à partir de"))
    k_strong_from: int = _k_from(1750, _("K des joueurs forts à partir de"))
    k_top_from: int = _k_from(1900, _("K des meilleurs à partir de"))
    floor: int | None = setting(
        1000,
        _("Plancher de la cote"),
        article="000 4",
        unit=_("points de cote"),
        group=COTE,
        effect=_("Une cote qui deviendrait inférieure est relevée."),
        empty=_("Vide : pas de plancher."),
        minimum=0,
        maximum=3000,
        nullable=True,
    )
    rounding: str = setting(
        "half_up",
        _("Arrondi d’un demi-point"),
        article="000 7",
        group=COTE,
        choices=(("half_up", _("Vers le haut")), ("half_even", _("Vers le nombre pair"))),
    )
    listed_tournaments: int = setting(
        2,
        _("Tournois pour être classé"),
        article="000 6",
        unit=_("tournois"),
        group=STATUS,
        minimum=0,
        maximum=50,
    )
    listed_games: int = setting(
        15,
        _("Parties pour être classé"),
        article="000 6",
        unit=_("parties"),
        group=STATUS,
        minimum=0,
        maximum=500,
    )
    listed_years: int = setting(
        1,
        _("Années sans compétition avant d’être inactif"),
        article="000 6",
        unit=_("ans"),
        group=STATUS,
        minimum=1,
        maximum=20,
    )
    bar_joker: int = _bar(1917, _("Barre de la série Joker"))
    bar_a: int = _bar(1810, _("Barre de la série A"))
    bar_b: int = _bar(1544, _("Barre de la série B"))
    entry_series: bool = setting(
        False,
        _("Donner une série aux joueurs sans cote au 31/08"),
        article="000 2",
        group=SERIES,
        effect=_("Non : le joueur reste sans série jusqu’à la saison suivante."),
    )
    percent_joker: int = _percent(5, _("Part de la série Joker (%)"))
    percent_a: int = _percent(10, _("Part de la série A (%)"))
    percent_b: int = _percent(30, _("Part de la série B (%)"))
    bar_step: int = setting(
        1,
        _("Barres arrondies à"),
        article="000 2",
        unit=_("points de cote"),
        group=SERIES,
        effect=_("1 : la cote du dernier joueur de la série."),
        minimum=1,
        maximum=100,
    )
    counted_years: int = setting(
        2,
        _("Années d’activité comptées pour les barres"),
        article="000 2",
        unit=_("ans"),
        group=SERIES,
        minimum=1,
        maximum=20,
    )
    counted_unlisted: bool = setting(
        False,
        _("Compter aussi les cotes provisoires pour les barres"),
        article="000 2",
        group=SERIES,
    )
    start_first: int = _start(2000, _("Cote de départ calculée du premier"))
    start_last: int = _start(300, _("Cote de départ calculée du dernier"))
    start_highest: int = _start(
        1950,
        _("Cote de départ la plus haute"),
        effect=_("Une cote calculée plus haute est ramenée à ce nombre."),
    )
    start_lowest: int = _start(
        1400,
        _("Cote de départ la plus basse"),
        effect=_(
            "Une cote calculée plus basse est portée à ce nombre ; un joueur sans "
            "classement part de ce nombre."
        ),
    )
    start_table: tuple[tuple[str, int], ...] = setting(
        (),
        _("Table annuelle des cotes de départ"),
        article="000 5",
        group=START,
        effect=_(
            "Rangs ou série du classement Duplicate, puis la cote, par exemple 1-50 = 1950 ; "
            "4A = 1480. Ce qui n’y est pas est calculé."
        ),
        minimum=0,
        maximum=4000,
    )
    start_joker: int = _start(1679, _("Départ d’un Joker sans Duplicate"))
    start_a: int = _start(1430, _("Départ d’une série A sans Duplicate"))
    start_b: int = _start(1400, _("Départ d’une série B sans Duplicate"))
    start_c: int = _start(1400, _("Départ d’une série C sans Duplicate"))

    def __post_init__(self) -> None:
        table = self.thresholds
        if not table or len(table) > 49 or any(a >= b for a, b in pairwise(table)):
            raise Contradiction(
                "thresholds",
                _("Les écarts de la table doivent monter, et leur nombre ne pas dépasser 49."),
            )
        if not self.k_new_from <= self.k_strong_from <= self.k_top_from:
            wrong = "k_strong_from" if self.k_new_from > self.k_strong_from else "k_top_from"
            raise Contradiction(wrong, _("Les paliers de K doivent monter."))
        if not self.bar_joker > self.bar_a > self.bar_b:
            wrong = "bar_a" if self.bar_joker <= self.bar_a else "bar_b"
            raise Contradiction(wrong, _("Les barres doivent descendre : Joker, puis A, puis B."))
        if self.percent_joker + self.percent_a + self.percent_b > 100:
            raise Contradiction("percent_b", _("Les parts des séries dépassent 100 % ensemble."))
        if any(ranks_of(name) == () for name, _cote in self.start_table):
            raise Contradiction(
                "start_table",
                _("Dans la table des départs, une plage de rangs va du meilleur au moins bon."),
            )
        if not self.start_last < self.start_first or not self.start_lowest <= self.start_highest:
            raise Contradiction(
                "start_highest" if self.start_last < self.start_first else "start_first",
                _("Les cotes de départ doivent aller de la plus basse à la plus haute."),
            )
