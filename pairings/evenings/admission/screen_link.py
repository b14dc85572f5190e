"""The link that shows an evening's code on the club's own screen, without signing in.

The public wall screen never shows the code: it would let anybody check in from home. An arbiter
opens the link on the computer of the room. A new link, or its withdrawal, invalidates the old one
at once, and its code too.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.journal import chain as journal
from clubs.organisations.models import Organisation
from clubs.ui.sent import whole_number
from pairings.evenings import common
from pairings.evenings.models import Evening
from pairings.live import stream as live

KEY_SIGNS = 16


def key_of(evening: Evening) -> str:
    """Return the signed key of the link; each new link has a different one."""
    text = f"{evening.pk}:{evening.screen_version}"
    signed = salted_hmac("pairings.evenings.screen_link", text, algorithm="sha256").hexdigest()
    return f"{evening.pk}-{signed[:KEY_SIGNS]}"


def opens(evening: Evening, key: str) -> bool:
    """Return whether this is the key of the link in force."""
    return evening.screen_open and constant_time_compare(key, key_of(evening))


def evening_of(organisation: Organisation, key: str) -> Evening | None:
    """Return the evening of this key while its link is in force."""
    number = whole_number(key.partition("-")[0], digits=18)
    if number is None:
        return None
    evening = Evening.objects.of(organisation).filter(pk=number).first()
    return evening if evening is not None and opens(evening, key) else None


def _changed() -> common.EveningRefused:
    return common.EveningRefused(
        _("Le lien de l’écran vient de changer. Relisez-le avant d’agir."), code="stale"
    )


def give(*, evening: Evening, by: Actor, at: datetime, version: int | None = None) -> Evening:
    """Create a link, replacing the previous one.

    `version`: the `screen_version` that was read, None where none was. An older page would end the
    link that was just opened in the room.
    """
    _check_read(evening, version)
    renewed = _code_again(evening) if evening.screen_open else {}
    return _write(evening, "evening_screen_given", by, at, screen_open=True, **renewed)


def withdraw(*, evening: Evening, by: Actor, at: datetime, version: int | None = None) -> Evening:
    """Withdraw the link: screens that used it show the public wall at their next refresh."""
    _check_read(evening, version)
    return _write(
        evening, "evening_screen_withdrawn", by, at, screen_open=False, **_code_again(evening)
    )


def _check_read(evening: Evening, version: int | None) -> None:
    if version is not None and version != evening.screen_version:
        raise _changed()


def _code_again(evening: Evening) -> dict[str, object]:
    """Replace the evening's code: people with the old link have read the old one."""
    return {"board_code": common.new_code(4)} if evening.board_code else {}


@transaction.atomic
def _write(evening: Evening, verb: str, by: Actor, at: datetime, **changes: object) -> Evening:
    moved = Evening.objects.filter(
        pk=evening.pk, screen_version=evening.screen_version, screen_open=evening.screen_open
    ).update(screen_version=F("screen_version") + 1, **changes)
    if not moved:
        raise _changed()
    evening.refresh_from_db()
    journal.note(evening, verb, by=by, at=at, after={"version": evening.screen_version})
    live.announce(evening.organisation, "evening", at=at, evening=evening.pk)
    return evening
