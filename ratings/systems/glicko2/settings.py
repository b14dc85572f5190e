"""The numbers of Glicko-2 that a committee may change (Glickman, "Example of the Glicko-2 system")."""

from __future__ import annotations

from dataclasses import dataclass

from clubs.rulebooks.fields import gettext_noop as _
from clubs.rulebooks.fields import setting

COTE = "cote"


@dataclass(frozen=True, slots=True, kw_only=True)
class Glicko2Settings:
    """What a newcomer starts from, and how fast a volatility may change."""

    initial: int = setting(
        1500, _("Cote de départ"), article="Glicko-2 §1", group=COTE, minimum=0, maximum=4000
    )
    initial_rd: float = setting(
        350.0,
        _("RD de départ"),
        article="Glicko-2 §1",
        group=COTE,
        effect=_("Incertitude de la cote d’un nouveau joueur. Elle baisse avec les parties."),
        minimum=1,
        maximum=1000,
    )
    initial_volatility: float = setting(
        0.06,
        _("Volatilité de départ"),
        article="Glicko-2 §1",
        group=COTE,
        effect=_("De combien le niveau d’un joueur varie d’une période à l’autre."),
        minimum=0.001,
        maximum=1,
    )
    tau: float = setting(
        0.5,
        _("Constante τ du système"),
        article="Glicko-2 §1",
        group=COTE,
        effect=_("Plus elle est petite, moins la volatilité change. Valeurs utiles : 0,3 à 1,2."),
        minimum=0.05,
        maximum=5,
    )
    rd_most: float | None = setting(
        None,
        _("Plafond de la RD"),
        article="Glicko-2 §6",
        group=COTE,
        effect=_("Une RD qui deviendrait plus grande y est ramenée."),
        empty=_("Vide : pas de plafond."),
        minimum=1,
        maximum=1000,
        nullable=True,
    )
