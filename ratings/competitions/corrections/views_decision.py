"""The page on which every correction of a list is decided: what it changes, a reason, the button."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from clubs.accounts.actor import Refused
from clubs.accounts.permissions import committee_of, organisation_of
from clubs.accounts.reauthentication import weighty
from clubs.members.models import Member
from clubs.ui.sent import has_errors, render_form
from clubs.upkeep.models_jobs import Job
from ratings.competitions import jobs as list_jobs
from ratings.competitions import long_corrections
from ratings.competitions.forms import ReasonForm
from ratings.competitions.views_runs import LINES, approval_form, label_words
from ratings.handovers.corrections import club_reads
from ratings.ledger import corrections, replay, settlement
from ratings.ledger.corrections import Correction
from ratings.ledger.models import RatingList

TEMPLATE = "ratings/competitions/correction.html"
Apply = Callable[[Correction, str, int | None, Member | None], object]


def applies(request: HttpRequest) -> bool:
    """Return whether this form applies what the page showed before."""
    return request.POST.get("act") == "appliquer"


@weighty(when=applies)
def decide(
    request: HttpRequest,
    *,
    rating_list: RatingList,
    form: forms.Form | None,
    correction: Correction | None,
    title: str,
    what: str,
    back: str,
    apply: Apply,
    then: Mapping[str, Any] | None = None,
    button: str = "",
) -> HttpResponse:
    """Show what a correction changes; apply it once a reason is given. `button`: what it says instead.

    The first POST shows the difference; the second, with `act=appliquer`, applies it. Of a long list
    a worker does both: `then` is what its job needs beside the correction (`long_corrections.asked`).
    """
    page = {"list": rating_list, "form": form, "title": title, "what": what, "back": back}
    page["button"] = button or _("Faire la correction")
    if correction is not None and long_corrections.is_long(rating_list):
        given = long_corrections.asked(
            correction, rating_list=rating_list, back=back, **(then or {})
        )
        return _page_of_worker(request, page, rating_list, correction, given)
    posted = request.POST if applies(request) else None
    removed = () if correction is None else correction.removed
    reason, now = ReasonForm(posted, club_reads=club_reads(removed)), timezone.now()
    refusal, difference, approval = "", None, None
    if correction is not None:
        try:
            if settlement.wants_two(rating_list, now):
                difference = effect_of(rating_list, correction, on=timezone.localdate(now))
                approval = approval_form(request, posted) if difference["editions"] else None
            if reason.is_bound and reason.is_valid():
                approver = approval.ask(at=now) if approval is not None else None
                if approval is None or approver is not None:
                    wish = reason.cleaned_data
                    apply(correction, wish["reason"], wish["seen"], approver)
                    messages.success(request, _("La correction est enregistrée."))
                    return redirect(back)
        except Refused as refused:
            refusal = str(refused)
        try:  # also where it was refused: the effect as it is now, above the reason that was typed
            difference = difference or effect_of(
                rating_list, correction, on=timezone.localdate(now)
            )
        except Refused as refused:
            refusal = refusal or str(refused)
    context = {
        **page,
        "reason": reason,
        "approval": approval,
        "refusal": refusal,
        "told": difference,
        "page": page_of_moves(request, difference) if difference else None,
        "posted": _posted(request, form),
    }
    wrong = refusal or has_errors(reason, form, approval)
    return render_form(request, TEMPLATE, context, refused=wrong)


def effect_of(rating_list: RatingList, correction: Correction, *, on: date) -> dict[str, object]:
    """Return what the correction changes, as a page of that day shows it.

    Raises Refused for an impossible one.
    """
    return list_jobs.as_json(replay.preview(rating_list, correction, on=on), None)


def _posted(request: HttpRequest, form: forms.Form | None) -> list[tuple[str, str]]:
    """Return what was sent of the form, for the form that applies it."""
    names = form.fields if form is not None else {}
    return [(name, value) for name in names for value in request.POST.getlist(name)]


def _page_of_worker(
    request: HttpRequest,
    page: Mapping[str, object],
    rating_list: RatingList,
    correction: Correction,
    given: Mapping[str, object],
) -> HttpResponse:
    """Ask a worker what the correction changes; before that, or where it is refused, the page."""
    refusal = ""
    if request.method == "POST":
        try:
            return ask_effect(request, lists=[rating_list], correction=correction, given=given)
        except Refused as refused:
            refusal = str(refused)
    context = {**page, "by_a_worker": True, "refusal": refusal}
    return render_form(request, TEMPLATE, context, refused=refusal)


def ask_effect(
    request: HttpRequest,
    *,
    lists: Iterable[RatingList],
    correction: Correction,
    given: Mapping[str, object],
) -> HttpResponse:
    """Let a worker calculate what a possible correction changes, and redirect to its page."""
    for rating_list in lists:
        corrections.check(rating_list, correction)
    job = long_corrections.ask(
        kind=Job.Kind.EFFECT,
        organisation=organisation_of(request),
        given=given,
        by=committee_of(request),
        at=timezone.now(),
    )
    return redirect("ratings:long_correction", run_id=job.pk)


def page_of_moves(request: HttpRequest, difference: dict[str, object]) -> Page[dict[str, object]]:
    """Return the page asked for of those who move, biggest moves first; thousands may."""
    asked = request.POST.get("page") or request.GET.get("page")
    return Paginator(_difference_rows(difference), LINES).get_page(asked)


def is_changed(moves: Page[Any], difference: dict[str, object]) -> bool:
    """Return whether a number of the list changes, or an edition of it."""
    return bool(moves.paginator.count or difference["editions"])


def _difference_rows(difference: dict[str, Any]) -> list[dict[str, object]]:
    """Return who moves: cote, rank and labels, before → after; biggest moves first."""
    names = Member.objects.in_bulk([move["member"] for move in difference["moves"]])
    rows = [
        {
            "name": names[move["member"]].full_name if move["member"] in names else "?",
            "before": move["before"],
            "after": move["after"],
            "rank": move["rank"],
            "labels": label_words(move["labels"]),
            "delta": abs((move["after"] or 0) - (move["before"] or 0)),
        }
        for move in difference["moves"]
    ]
    return sorted(rows, key=lambda row: (-row["delta"], row["name"]))
