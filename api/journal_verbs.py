"""What the API writes in the journal, in words: one sentence for each action."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

VERBS = {
    "token_created": _("crée une clé pour un programme"),
    "token_revoked": _("retire une clé de programme"),
    "webhook_created": _("prévient un autre programme"),
    "webhook_edited": _("modifie un envoi à un autre programme"),
    "webhook_secret_renewed": _("change le secret d’un envoi à un autre programme"),
    "webhook_removed": _("supprime un envoi à un autre programme"),
    "webhook_replayed": _("renvoie un événement à un autre programme"),
}
