"""Close a club or a federation: its pages are still read, nothing is written there any more."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, reason_of
from clubs.accounts.older_pages import STALE
from clubs.journal import chain as journal
from clubs.organisations.models import Organisation
from clubs.registries import GOING_ON
from clubs.setup.club_settings import SettingsRefused


def going_on(organisation: Organisation) -> list[tuple[str, str]]:
    """Return what has to end before it can be closed, each as words with their page."""
    return [line for held in GOING_ON for line in held(organisation)]


@transaction.atomic
def close(
    *, organisation: Organisation, reason: str, by: Actor, at: datetime, moved_to: str = ""
) -> None:
    """Close the organisation. `moved_to`: the address where it goes on, shown on its pages.

    Raises SettingsRefused without a reason, while something goes on, or where it is closed.
    """
    why = reason_of(reason, SettingsRefused)
    # An evening that is announced meanwhile holds this row, or waits for it.
    Organisation.objects.select_for_update(no_key=True).get(pk=organisation.pk)
    lines = going_on(organisation)
    if lines:
        raise SettingsRefused(
            _("Terminez ou annulez d’abord : %(what)s.")
            % {"what": ", ".join(words for words, _page in lines)},
            code="going_on",
        )
    moved = Organisation.objects.filter(pk=organisation.pk, closed_at=None).update(
        closed_at=at, moved_to=moved_to
    )
    if not moved:
        raise SettingsRefused(_("C’est déjà fermé."), code=STALE)
    _note(organisation, "club_closed", by, at, why, {"moved_to": moved_to} if moved_to else {})


@transaction.atomic
def reopen(*, organisation: Organisation, reason: str, by: Actor, at: datetime) -> None:
    """Open it again. Raises SettingsRefused without a reason, or where it is open."""
    why = reason_of(reason, SettingsRefused)
    moved = Organisation.objects.filter(pk=organisation.pk, closed_at__isnull=False).update(
        closed_at=None, moved_to=""
    )
    if not moved:
        raise SettingsRefused(_("C’est déjà ouvert."), code=STALE)
    _note(organisation, "club_reopened", by, at, why, {})


def _note(
    organisation: Organisation,
    verb: str,
    by: Actor,
    at: datetime,
    reason: str,
    after: dict[str, object],
) -> None:
    journal.record(
        organisation=organisation,
        verb=verb,
        subject=f"organisation:{organisation.pk}",
        by=by,
        at=at,
        reason=reason,
        after=after,
    )
    organisation.refresh_from_db()
