"""The numbers of the ABSP rating, as 001 recommends it for Libere."""

from __future__ import annotations

from dataclasses import dataclass

from clubs.rulebooks.fields import Contradiction, setting
from clubs.rulebooks.fields import gettext_noop as _

POINTS, WINDOW, NEWCOMERS = "points", "window", "newcomers"
GAME_RULE, MEAN_RULE = "001 1, ABSP ratings_detail", "001 1, ABSP news300111"
TEN_POINT_RULE, NEWCOMER_RULE = "001 1, ABSP JAGrn5", "001 1, tsh"
REFUSE, KEEP = "refuse", "keep"


@dataclass(frozen=True, slots=True, kw_only=True)
class AbspSettings:
    """Points of a game, window and weights, the 10-point rule, newcomers."""

    win: int = setting(
        50,
        _("Points d’une victoire"),
        article=GAME_RULE,
        group=POINTS,
        effect=_("Ajoutés à la cote de l’adversaire, retirés pour une défaite."),
        minimum=1,
        maximum=400,
    )
    cap: int = setting(
        40,
        _("Écart compté au plus"),
        article=GAME_RULE,
        group=POINTS,
        effect=_("La cote de l’adversaire est ramenée à cet écart de la sienne."),
        minimum=0,
        maximum=400,
    )
    window: int = setting(
        150,
        _("Parties comptées"),
        article=MEAN_RULE,
        unit=_("parties"),
        group=WINDOW,
        minimum=1,
        maximum=1000,
    )
    newest_weight: int = setting(
        225,
        _("Poids de la partie la plus récente"),
        article=MEAN_RULE,
        group=WINDOW,
        effect=_("Chaque partie plus ancienne pèse 1 de moins."),
        minimum=1,
        maximum=10000,
    )
    minimum: int = setting(
        50, _("Cote la plus basse"), article=GAME_RULE, group=WINDOW, minimum=0, maximum=1000
    )
    ten_point: bool = setting(
        True,
        _("Règle des 10 points"),
        article=TEN_POINT_RULE,
        group=WINDOW,
        effect=_("Un joueur récent dont la cote change beaucoup repart de sa nouvelle cote."),
    )
    ten_point_games: int = setting(
        30,
        _("Règle des 10 points en dessous de"),
        article=TEN_POINT_RULE,
        unit=_("parties"),
        group=WINDOW,
        minimum=0,
        maximum=1000,
    )
    ten_point_gap: int = setting(
        10,
        _("Règle des 10 points à partir d’un écart de"),
        article=TEN_POINT_RULE,
        unit=_("points de cote"),
        group=WINDOW,
        minimum=1,
        maximum=400,
    )
    newcomer_minimum: int = setting(
        80,
        _("Première cote la plus basse"),
        article=NEWCOMER_RULE,
        group=NEWCOMERS,
        minimum=0,
        maximum=1000,
    )
    without_anchor: str = setting(
        REFUSE,
        _("Joueurs sans cote qui ne rencontrent personne de coté"),
        article=NEWCOMER_RULE,
        group=NEWCOMERS,
        choices=((REFUSE, _("Demander une cote estimée")), (KEEP, _("Les laisser sans cote"))),
    )

    def __post_init__(self) -> None:
        if self.window > self.newest_weight:
            raise Contradiction(
                "newest_weight", _("La partie la plus ancienne doit peser au moins 1.")
            )
