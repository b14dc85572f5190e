"""The committee's numbers for ranking, pairing and absences in the ladder (002 II, III, VI)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Self

from clubs.rulebooks.fields import Contradiction, as_typed, setting, settings_of
from clubs.rulebooks.fields import gettext_noop as _
from pairings.rules import scoring, tiebreaks
from ratings.systems.protocol import PlayerId

Number = int | Fraction

STRICT, OPTIMAL = "strict", "optimal"
COMPLETE_ONLY, SUBGROUP, PARTIAL, IGNORE = "strict", "subgroup", "partial", "ignore"
LOWEST, DUMMY_LAST = "lowest", "dummy_last"

PR_SETTINGS = ("pr_win", "pr_draw", "pr_loss", "pr_absent", "pr_forfeit_win", "pr_bye")
EXACT = (*PR_SETTINGS, "bye_ds", "forfeit_ds", "rating_cut_percent")
WEIGHTED = (scoring.PLAYED, scoring.BYE, scoring.FORFEIT)


def exact(value: object) -> Any:
    """Return a committee's number as an int or Fraction ("2.5" and 2.5 are 5/2); None stays None."""
    if value is None or isinstance(value, bool | int | Fraction):
        return value
    return scoring.plain(as_typed(value) if isinstance(value, float) else Fraction(str(value)))


_pr = partial(setting, unit="PR", group="points", minimum=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaizersSettings:
    """Each number of the ladder's rules that the committee may change, with the document's value."""

    pr_win: Number = _pr(3, _("PR d’une victoire"), article="002 II.A.1")
    pr_draw: Number = _pr(2, _("PR d’un match nul"), article="002 II.A.1")
    pr_loss: Number = _pr(1, _("PR d’une défaite"), article="002 II.A.1")
    pr_absent: Number = _pr(0, _("PR du joueur absent"), article="002 II.A.2")
    pr_forfeit_win: Number = _pr(
        3, _("PR du joueur présent face à un absent"), article="002 II.A.2"
    )
    pr_bye: Number = _pr(3, _("PR d’une exemption"), article="002 II.B.3")
    ds_mode: str = setting(
        scoring.SUM,
        _("Cumul de la DS"),
        article="002 II.B.2, VI.3",
        effect=_(
            "La somme avantage ceux qui jouent beaucoup ; la moyenne l’évite. "
            "Le comité choisit avant la saison."
        ),
        group="ds",
        choices=((scoring.SUM, _("somme")), (scoring.MEAN, _("moyenne pondérée"))),
        per_season=True,
    )
    ds_signed: bool = setting(
        True,
        _("DS négative pour le perdant"),
        article="002 II.B.2, IV.C",
        effect=_("Sinon une défaite compte 0 % quelle que soit sa sévérité."),
        group="ds",
    )
    ds_weights: tuple[tuple[str, Number], ...] = setting(
        ((scoring.PLAYED, 1), (scoring.BYE, 1), (scoring.FORFEIT, 1)),
        _("Poids de chaque sorte de match dans la DS"),
        article="002 II.B.2",
        effect=_("Un poids de 0 retire de la DS les exemptions ou les forfaits."),
        group="ds",
        minimum=0,
    )
    bye_ds: Number | None = setting(
        50,
        _("DS fixe d’une exemption"),
        article="002 II.B.3, III.C.1",
        empty=_("Vide : une exemption n’apporte aucune DS."),
        unit="%",
        group="ds",
        minimum=0,
        maximum=100,
        nullable=True,
    )
    forfeit_ds: Number | None = setting(
        50,
        _("DS d’une victoire par forfait"),
        article="002 II.A.2, II.B.3",
        effect=_("La personne absente n’en a jamais."),
        empty=_("Vide : une victoire par forfait n’apporte aucune DS."),
        unit="%",
        group="ds",
        minimum=0,
        maximum=100,
        nullable=True,
    )
    pdi_policy: str = setting(
        SUBGROUP,
        _("PDI d’un groupe où tous ne se sont pas affrontés"),
        article="002 II.B.1, VI.2",
        group="pdi",
        choices=(
            (COMPLETE_ONLY, _("aucun PDI")),
            (SUBGROUP, _("PDI des voisins au classement qui se sont tous affrontés")),
            (PARTIAL, _("moyenne des matchs qui existent")),
            (IGNORE, _("PDI jamais utilisé")),
        ),
        per_season=True,
    )
    pdi_ignore_groups: tuple[tuple[PlayerId, ...], ...] = setting(
        (),
        _("Groupes pour lesquels le comité ignore le PDI"),
        article="002 II.B.1",
        effect=_("Chaque groupe est la liste exacte des joueurs à égalité."),
        group="pdi",
        per_season=True,
    )
    pdi_multi: str = setting(
        tiebreaks.MEAN,
        _("PDI de deux joueurs qui se sont affrontés plusieurs fois"),
        article="002 II.B.1",
        group="pdi",
        choices=(
            (tiebreaks.MEAN, _("moyenne de leurs matchs")),
            (tiebreaks.SUM, _("somme de leurs matchs")),
            (tiebreaks.LAST, _("leur dernier match")),
        ),
        per_season=True,
    )
    forfeit_counts_as_met_pairing: bool = setting(
        True,
        _("Un forfait compte comme un match pour l’appariement"),
        article="002 II.A.2, III.B.2",
        effect=_("Sinon un joueur peut retrouver le même absent et gagner sans jouer."),
        group="pairing",
    )
    forfeit_counts_as_met_pdi: bool = setting(
        False,
        _("Un forfait compte comme un match pour le PDI"),
        article="002 II.A.2, II.B.1",
        group="pdi",
        per_season=True,
    )
    form_window_days: int = setting(
        183,
        _("Durée de l’historique récent"),
        article="002 II.C.2",
        effect=_("Six tranches égales, la plus récente pèse six fois la plus ancienne."),
        unit=_("jours"),
        group="ranking",
        minimum=6,
        maximum=3660,
        per_season=True,
    )
    strategy: str = setting(
        STRICT,
        _("Stratégie d’appariement"),
        article="002 III.B",
        effect=_(
            "La règle littérale peut répéter, dès la ronde 2, un match qu’on pouvait "
            "éviter. L’anticipation garde le même ordre et répète le moins possible. En "
            "moyenne, tous présents : 2,6 revanches en 5 rondes à 6 joueurs contre 0,5 ; "
            "5,5 en 9 rondes à 10 joueurs contre 0,6."
        ),
        group="pairing",
        choices=((STRICT, _("règle littérale")), (OPTIMAL, _("règle avec anticipation"))),
    )
    repeat_after: int = setting(
        5,
        _("Matchs à jouer avant une revanche"),
        article="002 VI.4",
        effect=_("Compté pour celui des deux qui a le moins joué depuis."),
        unit=_("matchs"),
        group="pairing",
        minimum=0,
    )
    allow_early_repeat: bool = setting(
        True,
        _("Revanche avant ce délai, avec l’accord de l’arbitre"),
        article="002 VI.4",
        effect=_("Sinon ces joueurs restent sans match."),
        group="pairing",
    )
    bye_policy: str = setting(
        LOWEST,
        _("Qui est exempt"),
        article="002 II.B.3, III.C.1",
        effect=_("La lecture littérale donne 3 PR et 50 % au premier du classement."),
        group="pairing",
        choices=(
            (LOWEST, _("le moins d’exemptions, puis le moins bien classé")),
            (DUMMY_LAST, _("le mieux classé : le joueur fictif est dernier")),
        ),
    )
    max_consecutive_byes: int = setting(
        1,
        _("Exemptions consécutives permises"),
        article="002 II.B.3, VI.5",
        effect=_("Compté sur les matchs attribués au joueur, non sur le calendrier."),
        unit=_("exemptions"),
        group="pairing",
        minimum=1,
    )
    absence_limit: int = setting(
        3,
        _("Absences non justifiées avant une proposition de sanction"),
        article="002 II.A.2, VI.1",
        unit=_("absences"),
        group="absences",
        minimum=1,
    )
    absence_window: int = setting(
        10,
        _("Derniers matchs attribués pris en compte"),
        article="002 II.A.2",
        unit=_("matchs"),
        group="absences",
        minimum=1,
    )
    suspension_rounds: int = setting(
        2,
        _("Durée proposée d’une suspension"),
        article="002 II.A.2, VI.1",
        effect=_("Une proposition : le comité décide."),
        unit=_("soirées"),
        group="absences",
        minimum=0,
        maximum=100,
    )
    suspension_counts_tournaments: bool = setting(
        False,
        _("Une journée de tournoi compte comme une soirée de suspension"),
        article="002 II.A.2, VI.1",
        effect=_("Sinon seules les soirées du club sont comptées."),
        group="absences",
    )
    appeal_days: int = setting(
        7,
        _("Délai pour faire appel d’une sanction"),
        article="002 II.A.2, VI.1",
        effect=_("Compté depuis la décision du comité ; une sanction prononcée garde le sien."),
        unit=_("jours"),
        group="absences",
        minimum=1,
        maximum=365,
    )
    rating_cut_percent: Number = setting(
        0,
        _("Réduction proposée de la cote"),
        article="002 II.A.2, VI.1",
        effect=_("Une proposition : le comité décide. Calculée sur la cote du jour."),
        unit="%",
        group="absences",
        minimum=0,
        maximum=99,
    )
    rating_floor: int | None = setting(
        None,
        _("Plancher de la cote après une réduction"),
        article="002 II.A.2, VII",
        empty=_("Vide : le plancher des cotes."),
        group="absences",
        minimum=0,
        nullable=True,
    )

    def ordered_as(self, season: FaizersSettings, *, ds_mode: str) -> Self:
        """Return these numbers, with the season-wide fields as they were at the season's start.

        `ds_mode`: what the committee chose when it created the season (002 VI.3).
        """
        kept = {name: getattr(season, name) for name in PER_SEASON}
        return replace(self, **kept | ({"ds_mode": ds_mode} if ds_mode else {}))

    def __post_init__(self) -> None:
        """Convert JSON values to exact ones: 2.5 or "2.5", and a mapping of weights."""
        for name in EXACT:
            object.__setattr__(self, name, exact(getattr(self, name)))
        weights = self.ds_weights
        pairs = weights.items() if isinstance(weights, Mapping) else weights
        by_kind = {str(kind): exact(weight) for kind, weight in pairs}
        ds_weights = tuple((kind, by_kind.pop(kind, 1)) for kind in WEIGHTED)
        if by_kind:
            raise Contradiction(
                "ds_weights",
                _("Un poids de DS porte sur une sorte de match qui n’existe pas."),
            )
        object.__setattr__(self, "ds_weights", ds_weights)

    def contradiction(self) -> Contradiction | None:
        """Return why the limit of absences of a new version could never be reached."""
        if self.absence_limit > self.absence_window:
            return Contradiction(
                "absence_limit",
                _(
                    "Il ne peut pas y avoir plus d’absences que de matchs pris en compte : "
                    "aucune sanction ne serait jamais proposée."
                ),
            )
        return None


PER_SEASON = tuple(name for name, words in settings_of(FaizersSettings).items() if words.per_season)
"""The fields that order a whole season: a change of them applies from the next one."""
