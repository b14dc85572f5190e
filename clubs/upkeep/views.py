"""What the pages that follow a job share: its state, and its buttons."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job

ACTS = ("annuler", "recommencer", "maintenant")


def progress(
    request: HttpRequest, run: Any, *, is_over: bool, may_act: bool = True
) -> HttpResponse:
    """Return how far a run is, for the page that asks every second; reload that page at its end."""
    context = {"run": run, "may_act": may_act}
    response = render(request, "components/_run_progress.html", context)
    if is_over:
        response["HX-Refresh"] = "true"
    return response


def answer(request: HttpRequest, job: Job | None, task: Any) -> HttpResponse | None:
    """Return the progress that the page asks for, or act on a button of the job; else None."""
    if job is not None and "etat" in request.GET and request.method != "POST":
        return progress(request, job, is_over=not job.is_open or job.is_lost)
    act = request.POST.get("act", "")
    if act not in ACTS:
        return None
    if job is not None and job.is_open:
        at = timezone.now()
        if act == "annuler":
            jobs.cancel(job=job, at=at)
        elif act == "recommencer":
            jobs.ask_again(job=job, task=task, at=at)
        else:
            jobs.take_back(job=job, at=at)
            task(job.pk)
    return redirect(request.path)
