"""The order at the tables of a collective game, by general rating (001 §1)."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from clubs.accounts.permissions import committee_required, organisation_of
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.persons.actions import people_of
from clubs.ui.sent import render_form
from ratings.lists import queries as list_queries
from ratings.lists import views_calculators as calculators


class SeatingForm(forms.Form):
    """Who is there: one a line, by number, licence or name."""

    players = forms.CharField(
        label=gettext_lazy("Joueurs présents"),
        max_length=40_000,
        widget=forms.Textarea(attrs={"rows": 12}),
        help_text=gettext_lazy("Un par ligne : son numéro, sa licence ou son nom."),
    )

    def __init__(self, *args: Any, organisation: Organisation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.organisation = organisation

    def clean_players(self) -> list[Member]:
        people, member_ids = people_of(self.organisation), []
        for number, line in enumerate(self.cleaned_data["players"].splitlines(), start=1):
            if not line.strip():
                continue
            pk, problem = people.find(line.strip())
            if pk is None:
                problem = problem or _("ce joueur est inconnu")
                details = {"n": number, "why": problem}
                self.add_error("players", _("Ligne %(n)s : %(why)s") % details)
            else:
                member_ids.append(pk)
        members = Member.objects.in_bulk(member_ids)
        return [members[pk] for pk in dict.fromkeys(member_ids)]


@committee_required
@require_http_methods(["GET", "POST"])
def seating(request: HttpRequest) -> HttpResponse:
    """Show who sits where in a collective game: those named, by general rating (001 §1)."""
    organisation = organisation_of(request)
    lists = calculators.combined_lists(organisation)
    if not lists:
        raise Http404
    form = SeatingForm(request.POST or None, organisation=organisation)
    rows: list[dict[str, object]] = []
    if request.method == "POST" and form.is_valid():
        rules = list_queries.system_on(lists[0], timezone.localdate())
        known = calculators.kinds_of_each(
            lists, request.GET.get("categorie", ""), rules.combined_kinds
        )
        general = calculators.general_of(rules, *known)
        people = form.cleaned_data["players"]
        order = rules.seating([(general.get(one.pk), one.sort_name, one) for one in people])
        rows = [
            {
                "seat": seat,
                "name": one.full_name,
                "value": None if one.pk not in general else rules.shown_value(general[one.pk]),
            }
            for seat, one in enumerate(order, start=1)
        ]
    context = {"form": form, "rows": rows}
    return render_form(request, "ratings/lists/seating.html", context)
