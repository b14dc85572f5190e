"""Words, icons and tones of the states of a match and of a task."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

# status -> (word, icon, tone). Statuses of a match, a final one also by how it ended (`Match.how`),
# then the three steps of a task.
STATUS_TAGS: Mapping[str, tuple[Promise, str, str]] = {
    "proposed": (gettext_lazy("à jouer"), "calendar-clock", ""),
    "playing": (gettext_lazy("en jeu"), "timer", ""),
    "submitted": (gettext_lazy("en attente"), "hourglass", ""),
    "absence_claimed": (gettext_lazy("absence signalée"), "user-x", "warn"),
    "contested": (gettext_lazy("en litige"), "gavel", "bad"),
    "final": (gettext_lazy("définitif"), "lock", "good"),
    "final:confirmed": (gettext_lazy("confirmé"), "check", "good"),
    "final:expired": (gettext_lazy("définitif, sans réponse"), "lock", "good"),
    "final:arbiter": (gettext_lazy("décidé par l’arbitre"), "gavel", "good"),
    "final:corrected": (gettext_lazy("corrigé"), "history", "warn"),
    "final:forfeit": (gettext_lazy("forfait"), "user-x", ""),
    "final:bye": (gettext_lazy("exempt"), "circle-pause", ""),
    "void": (gettext_lazy("annulé"), "circle-slash", ""),
    "cancelled": (gettext_lazy("retiré par l’arbitre"), "circle-slash", ""),
    "todo": (gettext_lazy("À faire"), "circle", ""),
    "started": (gettext_lazy("Commencé"), "circle-dot", "warn"),
    "done": (gettext_lazy("Fait"), "check", "good"),
}

STATE_TAGS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("open", "running", "last_games", "closing"), ("radio", "good")),
    "closed": ("lock", ""),
    "cancelled": ("circle-slash", ""),
}
"""State of an evening or a tournament → icon and tone; before it begins, a calendar."""
