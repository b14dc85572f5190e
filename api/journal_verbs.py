"""What the API writes in the journal, in words: a sentence for each action, a name for its values."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext_lazy as _

from api.webhooks.models import Event
from clubs.journal.changes import Named

VERBS = {
    "token_created": _("crée une clé pour un programme"),
    "token_revoked": _("retire une clé de programme"),
    "webhook_created": _("prévient un autre programme"),
    "webhook_edited": _("modifie un envoi à un autre programme"),
    "webhook_secret_renewed": _("change le secret d’un envoi à un autre programme"),
    "webhook_removed": _("supprime un envoi à un autre programme"),
    "webhook_replayed": _("renvoie un événement à un autre programme"),
}


def _events(codes: Iterable[str]) -> str:
    return ", ".join(str(Event(code).label) for code in codes)


VALUES = {
    "host": Named(_("adresse")),
    "events": Named(_("prévenir quand"), _events),
    "is_on": Named(_("en service")),
}
"""What the journal says of a webhook."""
