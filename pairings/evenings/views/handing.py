"""Pages that hand a closed evening on: to another list of the club, to a federation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import refused_in
from clubs.accounts.permissions import committee_of, committee_required
from clubs.rulebooks import actions as rulebooks
from clubs.ui.sent import render_form
from clubs.ui.widgets import set_choices
from pairings.evenings import rating as evening_rating
from pairings.evenings.views.public import evening_of
from ratings import systems
from ratings.handovers.views import club_page
from ratings.ledger.models import RatingList

CHOOSE = gettext_lazy("Choisissez une liste.")


class ToListForm(forms.Form):
    """The list that the matches go to."""

    list = forms.ChoiceField(
        label=gettext_lazy("Liste"),
        widget=forms.RadioSelect,
        error_messages={"required": CHOOSE, "invalid_choice": CHOOSE},
    )

    def __init__(self, *args: Any, lists: Mapping[str, RatingList], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "list", [(pk, one.title) for pk, one in lists.items()])


@committee_required
@require_http_methods(["GET", "POST"])
def evening_lists(request: HttpRequest, day: str) -> HttpResponse:
    """Post a closed evening's matches to a rating list of the federation's kind."""
    evening = evening_of(request, day)
    lists = {
        str(one.pk): one
        for one in RatingList.objects.filter(organisation=evening.organisation_id)
        if one.slug != rulebooks.LADDER and systems.system(one.system).takes == "games"
    }
    form = ToListForm(request.POST if request.method == "POST" else None, lists=lists)
    if form.is_bound and form.is_valid():
        chosen = lists[form.cleaned_data["list"]]
        with refused_in(form):
            period = evening_rating.hand_over(
                evening=evening,
                rating_list=chosen,
                by=committee_of(request),
                at=timezone.now(),
            )
            if period.games.in_force().exists():
                done = _("Les matchs sont transmis ; il reste à les calculer.")
            else:
                done = _("Les matchs transmis avant sont retirés de cette liste.")
            messages.success(request, done)
            return redirect("ratings:run", slug=chosen.slug, period_id=period.pk)
    context = {"evening": evening, "lists": lists, "form": form}
    return render_form(request, "pairings/evenings/evening_lists.html", context)


@committee_required
@require_http_methods(["GET", "POST"])
def evening_federation(request: HttpRequest, day: str) -> HttpResponse:
    """Hand a closed evening to a list of a federation, and read its answer."""
    evening = evening_of(request, day)
    return club_page(
        request,
        lambda: evening_rating.document_of(evening),
        back=evening.get_absolute_url(),
    )
