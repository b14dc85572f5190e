"""The organiser's numbers for a tournament by the Formule Classique (004), with its defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clubs.rulebooks.fields import gettext_noop as _
from clubs.rulebooks.fields import setting
from pairings.systems.formule_classique.fixed_tables import fixed_table
from pairings.systems.points.ranking import PointRanking
from pairings.systems.protocol import FixedTable, SettingRefused

STRICT, OPTIMAL = "strict", "optimal"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormuleClassiqueSettings(PointRanking):
    """The pairing settings that an organiser may change, added to those of match and ranking."""

    rounds: int | None = setting(
        None,
        _("Nombre de matchs imposé"),
        article="004 §1",
        effect=_("Vide : 5, 6 ou 7 selon le nombre d’inscrits. Obligatoire hors de 8 à 128."),
        unit=_("matchs"),
        group="match",
        minimum=1,
        maximum=40,
    )
    fixed_phase_uses_ppm: bool = setting(
        False,
        _("PPM dans le classement qui suit le tableau prédéterminé"),
        article="004 §6.2",
        effect=_("Le règlement dit « (PM, Pdep) » : sans PPM pour ce seul classement."),
        group="ppm",
    )
    strategy: str = setting(
        STRICT,
        _("Stratégie d’appariement"),
        article="004 §7",
        effect=_(
            "La règle littérale peut répéter, en fin de classement, un match qu’on "
            "pouvait éviter. L’anticipation garde le même ordre et répète le moins "
            "possible."
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
        """Convert the tables from JSON (a mapping or lists) to pairs, and check them."""
        small_tables = self.small_tables
        pairs = small_tables.items() if isinstance(small_tables, Mapping) else small_tables
        checked = (fixed_table(int(size), rounds) for size, rounds in pairs)
        rounds_by_size = tuple((table.size, table.rounds) for table in checked)
        object.__setattr__(self, "small_tables", rounds_by_size)
        if self.rounds is not None and self.rounds < 1:
            raise SettingRefused(_("Un tournoi a au moins un match."), {})

    def replaced_tables(self) -> dict[int, FixedTable]:
        """Return the organiser's own tables, by number of players."""
        return {size: fixed_table(size, rounds) for size, rounds in self.small_tables}
