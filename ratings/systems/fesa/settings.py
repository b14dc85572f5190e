"""The committee's numbers for the FESA Elo (003), with the document's values.

Two rule profiles: the text of 2000, which is the default, and FESA's practice today (game by
game, bonus for provisional players too, 0 % listed as 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from types import MappingProxyType

from clubs.rulebooks.fields import Contradiction, setting
from clubs.rulebooks.fields import gettext_noop as _

ELO, BONUS, STATUSES, PROMOTIONS = "elo", "bonus", "categories", "grades"
SIMULTANEOUS, SEQUENTIAL = "simultaneous", "sequential"
TOTAL, PER_GAME = "total", "per_game"

PROFILES: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        "seed": MappingProxyType({}),
        "current": MappingProxyType(
            {"order": SEQUENTIAL, "bonus_for_provisional": True, "zero_listed": 1}
        ),
    }
)
"""Values over the defaults: "seed" is the document, "current" what FESA does today."""


_k = partial(setting, article="003 §1", group=ELO, minimum=1, maximum=100)
_k_from = partial(setting, article="003 §1", group=ELO, minimum=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class FesaSettings:
    """Every number of 003 that a committee may set."""

    order: str = setting(
        SIMULTANEOUS,
        _("Parties d’un tableau"),
        article="003 §12",
        group=ELO,
        effect=_(
            "Selon le règlement, toutes les parties comptent comme simultanées ; la "
            "FESA les compte aujourd’hui l’une après l’autre."
        ),
        choices=(
            (SIMULTANEOUS, _("simultanées (règlement)")),
            (SEQUENTIAL, _("l’une après l’autre (FESA actuelle)")),
        ),
    )
    rounding: str = setting(
        TOTAL,
        _("Arrondi"),
        article="003 §1",
        group=ELO,
        choices=((TOTAL, _("une fois, sur le total du tableau")), (PER_GAME, _("à chaque partie"))),
    )
    divisor: float = setting(
        400.0, _("Diviseur de la probabilité"), article="003 §1", group=ELO, minimum=1, maximum=4000
    )
    upset_divisor: float = setting(
        160.0,
        _("Diviseur de la formule d′"),
        article="003 §2",
        group=ELO,
        effect=_("Une victoire vaut au moins k × écart / ce diviseur."),
        minimum=1,
        maximum=4000,
    )
    k_1_from: int = _k_from(720, _("Deuxième palier de k à partir de"))
    k_2_from: int = _k_from(1040, _("Troisième palier de k à partir de"))
    k_3_from: int = _k_from(1280, _("Quatrième palier de k à partir de"))
    k_4_from: int = _k_from(1560, _("Cinquième palier de k à partir de"))
    k_5_from: int = _k_from(1920, _("Sixième palier de k à partir de"))
    k_6_from: int = _k_from(2240, _("Septième palier de k à partir de"))
    k_0: int = _k(40, _("k du premier palier"))
    k_1: int = _k(36, _("k du deuxième palier"))
    k_2: int = _k(32, _("k du troisième palier"))
    k_3: int = _k(28, _("k du quatrième palier"))
    k_4: int = _k(24, _("k du cinquième palier"))
    k_5: int = _k(20, _("k du sixième palier"))
    k_6: int = _k(16, _("k du septième palier"))
    upset_for_provisional: bool = setting(
        True,
        _("Formule d′ aussi pour un classement provisoire"),
        article="003 §2",
        group=ELO,
        effect=_("Le règlement ne l’exclut que pour les joueurs non classés."),
    )
    counted_floor: int = setting(
        400,
        _("Elo minimal compté pour un adversaire"),
        article="003 §7",
        group=ELO,
        effect=_("Un adversaire plus bas, ou à 0 %, compte pour cette valeur."),
        minimum=0,
        maximum=2000,
    )
    zero_listed: int = setting(
        400,
        _("Elo inscrit d’un nouveau joueur à 0 %"),
        article="003 §7",
        group=ELO,
        effect=_("Le règlement dit 400 ; la FESA inscrit 1 aujourd’hui."),
        minimum=0,
        maximum=2000,
    )
    perfect_meets_perfect: bool = setting(
        True,
        _(
            "Le nul virtuel d’un nouveau joueur qui a tout gagné peut être contre un autre comme lui"
        ),
        article="003 §7",
        group=ELO,
        effect=_("À plusieurs dans un tableau, ils se font alors monter l’un l’autre sans limite."),
    )
    bonus_below: int = setting(
        1800, _("Bonus d’activité au-dessous de"), article="003 §10", group=BONUS, minimum=0
    )
    bonus_divisor: float = setting(
        200.0, _("Diviseur du bonus d’activité"), article="003 §10", group=BONUS, minimum=1
    )
    bonus_most: int = setting(
        100,
        _("Nombre maximal de bonus dans une carrière"),
        article="003 §10",
        unit=_("parties"),
        group=BONUS,
        minimum=0,
        maximum=10000,
    )
    bonus_for_provisional: bool = setting(
        False,
        _("Bonus aussi pour un classement provisoire"),
        article="003 §10",
        group=BONUS,
        effect=_("Le règlement le réserve au classement définitif."),
    )
    rated_games: int = setting(
        9,
        _("Parties pour ne plus être non classé"),
        article="003 §4",
        unit=_("parties"),
        group=STATUSES,
        minimum=1,
        maximum=200,
    )
    established_games: int = setting(
        18,
        _("Parties pour un classement définitif"),
        article="003 §4",
        unit=_("parties"),
        group=STATUSES,
        minimum=1,
        maximum=200,
    )
    split_above: int = setting(
        16,
        _("Parties d’un joueur au-delà desquelles le tableau se scinde"),
        article="003 §12",
        unit=_("parties"),
        group=STATUSES,
        minimum=1,
        maximum=200,
    )
    strictly_above: bool = setting(
        False,
        _("« Au-delà » de MP ou LB exclut l’égalité"),
        article="003 §11",
        group=PROMOTIONS,
    )
    trail_before_established: bool = setting(
        False,
        _("Compter pour #MP et #LB les parties jouées avant d’être classé"),
        article="003 §11",
        group=PROMOTIONS,
    )
    below_15_kyu: bool = setting(
        False,
        _("Prolonger la table jusqu’à 20 kyu, par pas de 80"),
        article="003 §3",
        group=PROMOTIONS,
        effect=_("La table du règlement s’arrête à 15 kyu ; des tableaux réels ont 16 et 18 kyu."),
    )

    def __post_init__(self) -> None:
        limits = [limit for limit, _k in self.k_steps()]
        if limits != sorted(set(limits)):
            wrong = next(n for n, (a, b) in enumerate(pairwise(limits), 1) if a >= b)
            raise Contradiction(f"k_{wrong}_from", _("Les paliers de k doivent monter."))
        if self.rated_games > self.established_games:
            raise Contradiction(
                "established_games",
                _("Un classement définitif demande au moins autant de parties qu’un provisoire."),
            )

    def k_steps(self) -> tuple[tuple[int, int], ...]:
        """Return (from this rating on, k), lowest first."""
        return (
            (-(10**9), self.k_0),
            (self.k_1_from, self.k_1),
            (self.k_2_from, self.k_2),
            (self.k_3_from, self.k_3),
            (self.k_4_from, self.k_4),
            (self.k_5_from, self.k_5),
            (self.k_6_from, self.k_6),
        )
