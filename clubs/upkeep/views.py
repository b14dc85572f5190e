"""What the pages that follow a job share: its state, and its buttons."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job

ACTS = ("annuler", "recommencer", "maintenant")


def progress(request: HttpRequest, job: Job | None, *, may_act: bool = True) -> HttpResponse:
    """Return how far a job is, for the page that asks every second; reload that page at its end."""
    context = {"run": job, "may_act": may_act}
    response = render(request, "components/_run_progress.html", context)
    if job is None or not job.is_open or (job.is_lost and may_act):
        response["HX-Refresh"] = "true"
    return response


def answer(request: HttpRequest, job: Job | None, *, may_act: bool = True) -> HttpResponse | None:
    """Return the progress that the page asks for, or act on a button of the job; else None."""
    if job is not None and "etat" in request.GET and request.method != "POST":
        return progress(request, job, may_act=may_act)
    act = request.POST.get("act", "")
    if act not in ACTS:
        return None
    if job is not None and job.is_open:
        at = timezone.now()
        if act == "annuler":
            jobs.cancel(job=job, at=at)
        elif act == "recommencer":
            jobs.ask_again(job=job, at=at)
        else:
            jobs.take_back(job=job, at=at)
            jobs.doer_of(job.kind).task(job.pk)
    return redirect(request.path)
