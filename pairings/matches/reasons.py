"""Reasons that the site itself stores with a decision: in French, shown in each reader's language."""

from __future__ import annotations

from clubs.rulebooks.fields import gettext_noop as _

NOTED_ABSENT = _("Absence constatée par l’arbitre.")
UNDONE = _("Action annulée par l’arbitre")
FROM_RESULTS = _("Fichier de résultats")
RESULTS_OF_A_FILE = _("Résultats d’un fichier")
FROM_TOURNAMENT = _("Importé d’un fichier")
BOARD_OF_A_FILE = _("importé d’un fichier")
"""Why a board was made; the others are reasons of acts."""
RECALCULATED = _("Recalcul après une décision du comité.")
RULED = _("Recalcul après une décision de l’arbitre.")
"""Beside the ratings: what the arbiter typed is for the players of that match."""

REASONS = (
    NOTED_ABSENT,
    UNDONE,
    FROM_RESULTS,
    RESULTS_OF_A_FILE,
    FROM_TOURNAMENT,
    RECALCULATED,
    RULED,
)
