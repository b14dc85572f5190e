"""Trying a draft of the rules on the club's own past, before it is adopted (J12)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import COMMITTEE
from clubs.accounts.permissions import (
    Access,
    access_of,
    committee_of,
    committee_required,
    member_required,
    organisation_of,
)
from clubs.members.models import Member
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from clubs.rulebooks.views import scope_tabs
from clubs.rulebooks.wording import changes
from clubs.ui import badges, charts
from clubs.ui.sent import render_form
from clubs.ui.widgets import CHOOSE, set_rows
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from clubs.upkeep.views import answer as job_answer
from ratings.competitions.forms import DayField
from ratings.ledger.models import RatingList
from ratings.lists.formatting import label_word
from ratings.trials import paper, quality

YEAR = timedelta(days=365)
LINES = 100
"""Players on one page of a report."""


class TrialForm(forms.Form):
    """Which list, and from which day its past is rated again."""

    rating_list = forms.ModelChoiceField(
        label=gettext_lazy("Liste"), queryset=RatingList.objects.none(), empty_label=CHOOSE
    )
    since = DayField(label=gettext_lazy("À partir du"))


@committee_required
@require_http_methods(["GET", "POST"])
def trial_new(request: HttpRequest) -> HttpResponse:
    """Choose what to try the draft on; a worker does the rest."""
    organisation, now = organisation_of(request), timezone.now()
    books = RuleBook.objects.filter(organisation=organisation).drafts().order_by("-number", "-pk")
    drafts = {book.scope: book for book in books}
    scopes = [known.code for known in rulebooks.scopes_of(organisation)]
    first = next((scope for scope in scopes if scope in drafts), scopes[0])
    code = request.GET.get("livre", first)
    draft = drafts.get(code)
    if draft is None:
        messages.info(request, _("Rien à simuler : enregistrez d’abord un brouillon."))
        return redirect(f"{reverse('clubs:rules_edit')}?livre={code}")
    lists = RatingList.objects.filter(organisation=organisation, system=code).order_by("slug")
    initial = {"rating_list": lists.first(), "since": timezone.localdate() - YEAR}
    form = TrialForm(request.POST or None, initial=initial)
    set_rows(form, "rating_list", lists)
    if request.method == "POST" and form.is_valid():
        run = jobs.ask(
            organisation=organisation,
            kind=Job.Kind.TRIAL,
            target_id=form.cleaned_data["rating_list"].pk,
            given={"draft": draft.pk, "since": form.cleaned_data["since"].isoformat()},
            by=committee_of(request),
            at=now,
        )
        return redirect("ratings:trial", run_id=run.pk)
    titles = {one.pk: one.title for one in lists}
    trials = Job.objects.filter(kind=Job.Kind.TRIAL, target_id__in=titles).order_by("-pk")
    context = {
        "form": form,
        "draft": draft,
        "code": code,
        "tabs": scope_tabs(request, code, among=drafts),
        "changes": changes(rulebooks.in_force(organisation, code, now), draft, code),
        "earlier": [(run, titles[run.target_id]) for run in trials[:5]],
    }
    return render_form(request, "ratings/trials/trial_new.html", context)


@member_required
@require_http_methods(["GET", "POST"])
def trial(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show the report: who would move, how many in each category, how well the rules predict.

    Members may read it and comment; the committee starts, cancels, and goes on to adopt.
    """
    organisation, access = organisation_of(request), access_of(request)
    trials = Job.objects.filter(organisation=organisation, kind=Job.Kind.TRIAL)
    run = jobs.follow(get_object_or_404(trials, pk=run_id), at=timezone.now())
    if request.method == "POST":
        access.actor(COMMITTEE)
    followed = job_answer(request, run, may_act=access.is_committee)
    if followed is not None or request.method == "POST":
        return followed or redirect(request.path)
    report = report_of(run, access) if run.state == Job.State.DONE else None
    rating_list = RatingList.objects.select_related("organisation").get(pk=run.target_id)
    if report and request.GET.get("format") == "pdf":
        content = paper.pdf(report, rating_list, run.asked_at, tried_of(run, rating_list))
        name = f'attachment; filename="simulation-{run.pk}.pdf"'
        return HttpResponse(
            content, content_type="application/pdf", headers={"Content-Disposition": name}
        )
    moved = Paginator(report["rows"] if report else (), LINES)
    context = {
        "run": run,
        "list": rating_list,
        "report": report,
        "tried": tried_of(run, rating_list) if report else None,
        "page": moved.get_page(request.GET.get("page")),
        "is_committee": access.is_committee,
    }
    return render(request, "ratings/trials/trial.html", context)


def tried_of(run: Job, rating_list: RatingList) -> dict[str, Any] | None:
    """Return what was tried from which day, and what has become of the draft since.

    None for a trial that did not store it.
    """
    stored = run.result.get("draft")
    if stored is None:
        return None
    code, organisation = rating_list.system, rating_list.organisation
    draft = RuleBook.objects.get(pk=run.given["draft"])
    values = RuleBook(scope=code, values=stored["values"])
    return {
        "since": date.fromisoformat(run.result["since"]),
        "changes": changes(rulebooks.in_force(organisation, code, run.asked_at), values, code),
        "draft": draft,
        "is_current": draft.values == values.values,
    }


def report_of(run: Job, access: Access) -> dict[str, Any]:
    """Return the stored report with today's names."""
    report = run.result
    standings = report.get("standings")
    ids = [row["member"] for row in report["rows"]]
    ids += [line[0] for line in standings["moved"]] if standings else []
    names = {
        pk: member.name_for(viewer_is_member=access.is_member)
        for pk, member in Member.objects.in_bulk(ids).items()
    }
    rows = [
        {
            "name": names.get(row["member"], "?"),
            "before": row["cote"][0],
            "after": row["cote"][1],
            "rank": row["rank"],
            "labels": [
                (label_word(old), label_word(new))
                for old, new in row.get("labels", [row["label"]])
                if old != new
            ],
            "delta": (row["cote"][1] or 0) - (row["cote"][0] or 0),
        }
        for row in report["rows"]
    ]
    moved = [row for row in rows if row["delta"] or row["labels"]]
    moved.sort(key=lambda row: (-abs(row["delta"]), row["name"]))
    return {
        "told": report,
        "quality": quality.printed(report.get("prediction", {})),
        "rows": moved,
        "labels": [
            charts.Bar(
                label=label_word(label),
                value=after,
                text=str(after),
                before=before,
                before_text=str(before),
                tone=label if label in ("onyx", "amethyste", "topaze", "diamant") else "plain",
            )
            for label, before, after in sorted(report["labels"], key=category_order)
        ],
        "standings": {
            **standings,
            "moved": [(names.get(pk, "?"), old, new) for pk, old, new in standings["moved"]],
        }
        if standings
        else None,
        "still": len(rows) - len(moved),
    }


def category_order(counted: Sequence[object]) -> int:
    """Order the club's categories from the highest; keep the order of other systems' labels."""
    highest_first = list(badges.GEMS)[::-1]
    return highest_first.index(counted[0]) if counted[0] in highest_first else len(highest_first)
