"""What the tables of the API hold about people, for the register of personal data."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from clubs.personal_data.register import Fate, PersonalTable, Purpose

TABLES = {
    "api.Token": PersonalTable(
        title=_("Clés pour des programmes"),
        purpose=Purpose.SAFETY,
        fate=Fate.ERASED,
        of=("member",),
        shown=("name", "created_at", "expires_at", "last_used_at", "revoked_at"),
        hidden=("user", "scopes", "key_hash"),
    ),
    "api.Webhook": PersonalTable(
        title=_("Adresses des programmes prévenus"),
        purpose=Purpose.SAFETY,
        fate=Fate.RECORD,
        hidden=("address", "events", "secret"),
    ),
}
