"""The committee's page on the state of the site, and its club's archive."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from django.db import transaction
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_http_methods

from clubs.accounts.permissions import (
    after_closing,
    committee_of,
    committee_required,
    organisation_of,
)
from clubs.accounts.rate_limits import Limit, limited, take
from clubs.accounts.reauthentication import weighty
from clubs.archive import downloads
from clubs.journal import chain as journal
from clubs.journal import checks as journal_checks
from clubs.journal.models import JournalHead
from clubs.notifications import unsent
from clubs.organisations.models import Organisation
from clubs.personal_data.models import settings_of
from clubs.upkeep import jobs, sweeps
from clubs.upkeep.models_jobs import Job
from clubs.upkeep.views import answer as job_answer

ARCHIVES = Limit(name="archives", amount=5, span=timedelta(days=1))
TASKS = {
    "due": _("Fin des délais et absences"),
    "runs": _("Travaux longs"),
    "journal": _("Vérification du journal"),
    "webhooks": _("Messages à d’autres programmes"),
    "daily": _("Ménage de chaque jour"),
    sweeps.ANNOUNCEMENTS: _("Annonces des soirées"),
    sweeps.ARCHIVE: _("Archive du site"),
    sweeps.RESTORE: _("Essai de restauration"),
    sweeps.NUMBERS: _("Vérification des cotes et des publications"),
    sweeps.DELIVERIES: _("Retrait des anciens messages à d’autres programmes"),
    sweeps.DOWNLOADS: _("Retrait des archives proposées pour un jour"),
}


@committee_required
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
        "by_mail": settings_of(organisation).heads_by_mail,
        "each_day": ARCHIVES.amount,
        "job": jobs.latest(Job.Kind.ARCHIVE, organisation.pk, at=timezone.now()),
    }
    return render(request, "clubs/archive/state.html", context)


@committee_required
@after_closing
@weighty()
@limited
@require_http_methods(["GET", "POST"])
def archive(request: HttpRequest) -> HttpResponseBase:
    """Send the organisation's archive. A worker writes that of a large club; this page follows it.

    The journal keeps who asked for it, and who took it.
    """
    organisation, at = organisation_of(request), timezone.now()
    job = jobs.latest(Job.Kind.ARCHIVE, organisation.pk, at=at)
    followed = job_answer(request, job)
    if followed is not None:
        return followed
    path = downloads.ready(job, at=at)
    if request.method == "POST" and "file" in request.POST:
        return _file(request, path, at) if path else redirect(request.path)
    if request.method == "POST":
        if job is not None and job.is_open:
            return redirect(request.path)
        take(ARCHIVES, organisation.pk, at=at)
        return _ask(request, at) if downloads.is_long(organisation) else _at_once(request, at)
    context: dict[str, object] = {"job": job, "each_day": ARCHIVES.amount}
    if path and job and job.ended_at:
        size = path.stat().st_size
        context |= {"size": size, "made_at": job.ended_at, "until": job.ended_at + downloads.KEPT}
    return render(request, "clubs/archive/archive.html", context)


def _record(request: HttpRequest, verb: str, at: datetime) -> None:
    organisation = organisation_of(request)
    journal.record(
        organisation=organisation,
        verb=verb,
        subject=f"organisation:{organisation.pk}",
        by=committee_of(request),
        at=at,
    )


@transaction.atomic
def _ask(request: HttpRequest, at: datetime) -> HttpResponse:
    organisation = organisation_of(request)
    _record(request, "archive_asked", at)
    jobs.ask(
        organisation=organisation,
        kind=Job.Kind.ARCHIVE,
        target_id=organisation.pk,
        by=committee_of(request),
        at=at,
    )
    return redirect(request.path)


def _at_once(request: HttpRequest, at: datetime) -> HttpResponse:
    organisation = organisation_of(request)
    with transaction.atomic():
        _record(request, "archive_taken", at)
    answer = HttpResponse(downloads.at_once(organisation, at=at), content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="{_name(organisation, at)}"'
    return answer


def _file(request: HttpRequest, path: Path, at: datetime) -> FileResponse:
    """Return the file that a worker wrote."""
    file = path.open("rb")
    with transaction.atomic():
        _record(request, "archive_taken", at)
    name = _name(organisation_of(request), at)
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")


def _name(organisation: Organisation, at: datetime) -> str:
    return f"{organisation.slug}-{at:%Y-%m-%d}.zip"
