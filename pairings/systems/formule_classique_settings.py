"""The organiser's numbers for a tournament by the Formule Classique (004), with its defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clubs.rule_fields import gettext_noop as _
from clubs.rule_fields import setting
from pairings import standings
from pairings.systems.formule_classique_tables import FixedTable, fixed_table

STRICT, OPTIMAL = "strict", "optimal"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormuleClassiqueSettings:
    """Each number of a tournament that its organiser may change, with the document's value."""

    winning_games: int = setting(
        1,
        _("Manches gagnantes par match"),
        article="004",
        effect=_("Une manche sur une journée ; deux pour au moins une partie d’un tournoi long."),
        unit=_("manches"),
        group="match",
        choices=((1, _("une manche")), (2, _("deux manches gagnantes"))),
    )
    rounds: int | None = setting(
        None,
        _("Nombre de matchs imposé"),
        article="004 §1",
        effect=_("Vide : 5, 6 ou 7 selon le nombre d’inscrits. Obligatoire hors de 8 à 128."),
        unit=_("matchs"),
        group="match",
        minimum=1,
        maximum=40,
    )
    pdep_cap: int = setting(
        100,
        _("Limite du Pdep par partie"),
        article="004 §4.2",
        effect=_("La différence de score d’une partie ne compte pas au-delà."),
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
        effect=_("−10 : le Pdep reste symétrique. 0 : le texte ne nomme que le vainqueur."),
        unit="Pdep",
        group="match",
        minimum=-100,
        maximum=0,
    )
    forfeit_counts_as_met_pairing: bool = setting(
        False,
        _("Un forfait compte comme une rencontre pour l’appariement"),
        article="004 §7, §8",
        effect=_("Sinon les deux joueurs peuvent encore être appariés."),
        group="pairing",
    )
    forfeit_counts_as_met_ppm: bool = setting(
        False,
        _("Un forfait compte comme une rencontre pour le PPM"),
        article="004 §4.1",
        effect=_("Sinon le groupe de ces joueurs n’a pas de PPM : ils ne se sont pas rencontrés."),
        group="ppm",
    )
    ppm_multi: str = setting(
        standings.MEAN,
        _("PPM de deux joueurs qui se sont rencontrés plusieurs fois"),
        article="004 §4.1",
        group="ppm",
        choices=(
            (standings.MEAN, _("moyenne de leurs matchs")),
            (standings.SUM, _("somme de leurs matchs")),
            (standings.LAST, _("leur dernier match")),
        ),
    )
    fixed_phase_uses_ppm: bool = setting(
        False,
        _("PPM dans le classement qui suit le tableau prédéterminé"),
        article="004 §6.2",
        effect=_("Le texte dit « (PM, Pdep) » : sans PPM pour ce seul classement."),
        group="ppm",
    )
    strategy: str = setting(
        STRICT,
        _("Stratégie d’appariement"),
        article="004 §7",
        effect=_(
            "La règle littérale peut répéter un match évitable en fin de classement ; "
            "l’anticipation garde le même ordre de préférence et répète le moins possible."
        ),
        group="pairing",
        choices=((STRICT, _("règle littérale")), (OPTIMAL, _("règle avec anticipation"))),
    )
    small_tables: tuple[tuple[int, Any], ...] = setting(
        (),
        _("Tableaux prédéterminés de l’organisateur"),
        article="004 §6.2",
        effect=_("Remplacent les tableaux du club, qui ne sont pas ceux de la fédération."),
        group="pairing",
    )

    def __post_init__(self) -> None:
        """JSON gives a mapping or lists for the tables: check and hold them as pairs."""
        given = self.small_tables
        pairs = given.items() if isinstance(given, Mapping) else given
        checked = (fixed_table(int(size), rounds) for size, rounds in pairs)
        held = tuple((table.size, table.rounds) for table in checked)
        object.__setattr__(self, "small_tables", held)
        if self.rounds is not None and self.rounds < 1:
            raise ValueError(_("Un tournoi a au moins un match."))

    def replaced_tables(self) -> dict[int, FixedTable]:
        """The organiser's own tables, by number of players."""
        return {size: fixed_table(size, rounds) for size, rounds in self.small_tables}
