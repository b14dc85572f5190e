"""The committee's page on the state of the site, and its club's archive."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from clubs.accounts.permissions import committee_of, committee_required, organisation_of
from clubs.accounts.rate_limits import Limit, limited, take
from clubs.accounts.reauthentication import weighty
from clubs.archive import writing
from clubs.journal import chain as journal
from clubs.journal import checks as journal_checks
from clubs.journal.models import JournalHead
from clubs.notifications import unsent
from clubs.upkeep import sweeps

ARCHIVES = Limit(name="archives", amount=5, span=timedelta(days=1))
TASKS = {
    "due": _("Fin des délais et absences"),
    "runs": _("Calculs des listes"),
    "journal": _("Vérification du journal"),
    "webhooks": _("Messages à d’autres programmes"),
    "daily": _("Ménage de la nuit"),
    sweeps.ANNOUNCEMENTS: _("Annonces des soirées"),
    sweeps.ARCHIVE: _("Archive du site"),
    sweeps.RESTORE: _("Essai de restauration"),
}


@committee_required
@never_cache
@require_GET
def state(request: HttpRequest) -> HttpResponse:
    """Say in words what works by itself: the last run of each task, the journal, the archives."""
    organisation = organisation_of(request)
    seq, head = journal.head_of(organisation)
    tasks = sweeps.states(at=timezone.now(), after=sweeps.ALL_LATE_AFTER)
    context = {
        "tasks": [(TASKS[name], task) for name, task in tasks.items()],
        "trial": tasks[sweeps.RESTORE],
        "unsent": unsent.count(at=timezone.now()),
        "check": journal_checks.last(organisation),
        "seq": seq,
        "head": head[:12],
        "whole_head": f"{seq}:{head}",
        "mailed": JournalHead.objects.filter(
            organisation=organisation, mailed_at__isnull=False
        ).first(),
        "each_day": ARCHIVES.amount,
    }
    return render(request, "clubs/archive/state.html", context)


@committee_required
@never_cache
@weighty()
@limited
@require_POST
def archive(request: HttpRequest) -> HttpResponse:
    """Send the organisation's archive. The journal keeps who took it and when."""
    organisation, at = organisation_of(request), timezone.now()
    take(ARCHIVES, organisation.pk, at=at)
    with transaction.atomic():
        journal.record(
            organisation=organisation,
            verb="archive_taken",
            subject=f"organisation:{organisation.pk}",
            by=committee_of(request),
            at=at,
        )
    with tempfile.TemporaryDirectory(prefix="club-archive-") as folder:
        path = Path(folder) / f"{organisation.slug}-{at:%Y-%m-%d}.zip"
        writing.write(path, at=at, organisation=organisation)
        answer = HttpResponse(path.read_bytes(), content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="{path.name}"'
    return answer
