"""The officer's page of grades: who waits for an approval, the acts noted, a form for the next."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import refused_in
from clubs.accounts.permissions import committee_of, committee_required
from clubs.members.models import Member
from clubs.ui.sent import render_form
from ratings import systems
from ratings.grades import actions as grades
from ratings.grades.forms import GradeForm
from ratings.ledger.corrections import aliases_of
from ratings.ledger.models import RatingList
from ratings.ledger.settlement import ADJUSTMENT
from ratings.lists import queries as list_queries
from ratings.lists.views import list_of_address
from ratings.systems.storage import state_from_json


@committee_required
@require_http_methods(["GET", "POST"])
def grade_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the grades that wait, and note an approval or a promotion request."""
    rating_list = list_of_address(request, slug)
    if not systems.system(rating_list.system).grade_acts:
        raise Http404
    form = GradeForm(request.POST or None, rating_list=rating_list, on=timezone.localdate())
    if request.method == "POST" and form.is_valid() and _note(request, rating_list, form):
        return redirect("ratings:grade_list", slug=slug)
    context = {
        "list": rating_list,
        "form": form,
        "waiting": _waiting(rating_list),
        "acts": _acts(rating_list),
    }
    return render_form(request, "ratings/grades/grade_list.html", context)


def _note(request: HttpRequest, rating_list: RatingList, form: forms.Form) -> bool:
    fields = {"reference_required": "reference", "future": "dated_on"}
    with refused_in(form, fields, field="grade"):
        grades.note_act(
            rating_list=rating_list,
            by=committee_of(request),
            at=timezone.now(),
            **form.cleaned_data,
        )
        messages.success(request, _("C’est noté, et la liste le dit."))
    return not form.errors


def _waiting(rating_list: RatingList) -> list[dict[str, Any]]:
    """Return who has reached a grade that waits for an approval, best first."""
    system = list_queries.system_on(rating_list, timezone.localdate())
    waiting = []
    for cote in list_queries.latest(rating_list, viewer_is_member=True).filter(
        member__merged_into=None
    ):
        state = state_from_json(cote.state)
        if grade := system.waiting_grade(state):
            asked = grade in state.extra.get("requested", ())
            waiting.append(
                {"member": cote.member, "shown": cote.shown, "grade": grade, "asked": asked}
            )
    return waiting


def _acts(rating_list: RatingList) -> list[dict[str, object]]:
    """Return the acts noted in this list, newest first, under the names of now."""
    periods = rating_list.periods.filter(kind=ADJUSTMENT, facts__act__isnull=False)
    rows = list(periods.in_order().reverse()[:100])
    aliases = aliases_of(rating_list)
    now = {pk: aliases.get(pk, pk) for pk in (period.facts["member"] for period in rows)}
    people = Member.objects.in_bulk(now.values())
    return [
        {
            **period.facts,
            "name": people[now[period.facts["member"]]].full_name,
            "dated_on": date.fromisoformat(period.facts["dated_on"]),
            "taken_out": period.removed_at is not None,
        }
        for period in rows
    ]
