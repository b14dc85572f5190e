"""The page of a long correction: how far it is, what it changes, and the decision."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import Refused
from clubs.accounts.permissions import committee_of, committee_required, organisation_of
from clubs.accounts.reauthentication import weighty
from clubs.approvals.forms import ApprovalForm
from clubs.ui.sent import has_errors, render_form
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from clubs.upkeep.views import answer as job_answer
from ratings.competitions import long_corrections
from ratings.competitions.corrections.views_decision import applies, is_changed, page_of_moves
from ratings.competitions.corrections.words import heading_of, title_of
from ratings.competitions.forms import ReasonForm
from ratings.competitions.long_corrections import correction_of
from ratings.competitions.views_runs import approval_form
from ratings.handovers.corrections import club_reads
from ratings.ledger import settlement
from ratings.ledger.models import RatingList


@committee_required
@weighty(when=applies)
@require_http_methods(["GET", "POST"])
def long_correction(request: HttpRequest, run_id: int) -> HttpResponse:
    """Follow a job; once it has calculated what the correction changes, let it be applied."""
    now = timezone.now()
    row = get_object_or_404(long_corrections.of_club(organisation_of(request)), pk=run_id)
    job = jobs.follow(row, at=now)
    followed = job_answer(request, job)
    if followed is not None:
        return followed
    posted = request.POST if applies(request) else None
    reason = ReasonForm(posted, club_reads=club_reads(correction_of(job).removed))
    parts, approval, refusal = [], None, ""
    if job.kind == Job.Kind.EFFECT and job.state == Job.State.DONE:
        parts = _parts(request, job)
        if any(part["told"]["editions"] and _wants_two(job, part["list"]) for part in parts):
            approval = approval_form(request, posted)
        try:
            applying = _ask_to_apply(request, job, parts, reason, approval)
        except Refused as refused:
            applying, refusal = None, str(refused)
        if applying is not None:
            return redirect("ratings:long_correction", run_id=applying.pk)
    context = {
        "run": job,
        "heading": heading_of(job),
        "title": title_of(job),
        "back": job.given["back"],
        "is_merge": bool(correction_of(job).merged),
        **_changed(parts),
        "reason": reason,
        "approval": approval,
        "refusal": refusal,
        "is_applied": job.kind != Job.Kind.EFFECT and job.state == Job.State.DONE,
    }
    wrong = refusal or has_errors(reason, approval)
    template = "ratings/competitions/long_correction.html"
    return render_form(request, template, context, refused=wrong)


def _parts(request: HttpRequest, job: Job) -> list[dict[str, Any]]:
    lists = RatingList.objects.in_bulk([part["list"] for part in job.result["parts"]])
    return [
        {"list": lists[part["list"]], "page": page_of_moves(request, part), "told": part}
        for part in job.result["parts"]
    ]


def _changed(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Tell the lists that change from those where no number does; the only one asked for is shown."""
    changed = [part for part in parts if is_changed(part["page"], part["told"])]
    shown = parts if len(parts) == 1 else changed
    return {"parts": shown, "unchanged": [part["list"] for part in parts if part not in shown]}


def _wants_two(job: Job, rating_list: RatingList) -> bool:
    """Return whether two people decide: merging two rows of one person corrects no result."""
    return job.given["list"] is not None and settlement.wants_two(rating_list, timezone.now())


def _ask_to_apply(
    request: HttpRequest,
    job: Job,
    parts: list[dict[str, Any]],
    reason: ReasonForm,
    approval: ApprovalForm | None,
) -> Job | None:
    """Give a worker the correction that was read, once the forms are complete."""
    if not reason.is_bound or not reason.is_valid():
        return None
    now = timezone.now()
    approver = approval.ask(at=now) if approval is not None else None
    if approval is not None and approver is None:
        return None
    return long_corrections.ask_to_apply(
        organisation=job.organisation,
        given=job.given,
        reason=reason.cleaned_data["reason"],
        seen={str(part["list"].pk): part["told"]["version"] for part in parts},
        approver=approver,
        by=committee_of(request),
        at=now,
    )
