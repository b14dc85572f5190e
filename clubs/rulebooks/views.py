"""Editing a draft of the rules, and adopting it from a date."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, time, timedelta
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import refused_as_message, refused_in, show_refusal
from clubs.accounts.permissions import committee_of, committee_required, organisation_of
from clubs.accounts.reauthentication import weighty
from clubs.registries import RULE_EXAMPLES
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.citations import cited
from clubs.rulebooks.forms import AdoptForm, RuleForm
from clubs.rulebooks.models import RuleBook
from clubs.rulebooks.wording import changes
from clubs.ui.french import written
from clubs.ui.sent import render_form

KEPT = ("pdi_ignore_groups",)
"""Values without a form field: a save keeps them unchanged."""


PARTS = {
    "cote": gettext_lazy("Cote et catégories (002 IV, VII)"),
    "pairing": gettext_lazy("Points, départage, appariement, absences (002 II, III, VI)"),
    "match": gettext_lazy("Saisie et confirmation (002 V)"),
    rulebooks.CORRECTION: gettext_lazy("Corrections de ce qui est publié"),
}
"""Titles of the parts of the ladder, and of what every book has."""
GROUPS = {
    "Confirmation": gettext_lazy("Confirmation"),
    "Corrections": gettext_lazy("Corrections"),
    "absences": gettext_lazy("Absences"),
    "bonus": gettext_lazy("Bonus"),
    "categories": gettext_lazy("Catégories"),
    "cote": gettext_lazy("Calcul de la cote"),
    "ds": gettext_lazy("Différence de score (DS)"),
    "elo": gettext_lazy("Calcul de l’Elo"),
    "grades": gettext_lazy("Grades"),
    "newcomers": gettext_lazy("Nouveaux joueurs"),
    "pairing": gettext_lazy("Appariement"),
    "pdi": gettext_lazy("Points des duels individuels (PDI)"),
    "points": gettext_lazy("Points"),
    "ranking": gettext_lazy("Historique récent"),
    "series": gettext_lazy("Séries"),
    "start": gettext_lazy("Cotes de départ"),
    "status": gettext_lazy("Statut"),
    "statuses": gettext_lazy("Statuts"),
    "window": gettext_lazy("Parties prises en compte"),
    "windows": gettext_lazy("Parties prises en compte"),
}
"""Titles of the groups of settings in the form."""


def scope_of(request: HttpRequest) -> str:
    """Return the page's rule book: `?livre=`, or the organisation's first. 404 otherwise."""
    asked = request.GET.get("livre")
    if asked is None:
        return rulebooks.scopes_of(organisation_of(request))[0].code
    if asked not in {known.code for known in rulebooks.scopes()}:
        raise Http404
    return asked


def scope_tabs(
    request: HttpRequest, code: str, among: Collection[str] | None = None, page: str = ""
) -> list[dict[str, object]]:
    """Return one tab a rule book of this organisation (`among`: of these); none where one is alone.

    `page`: the address that they lead to, where it is not the page they stand on.
    """
    used_scopes = rulebooks.scopes_of(organisation_of(request))
    tabs = [
        {
            "label": _(known.label),
            "url": f"{page}?livre={known.code}",
            "current": known.code == code,
        }
        for known in used_scopes
        if among is None or known.code in among
    ]
    return tabs if len(tabs) > 1 else []


def _to(name: str, code: str, **kwargs: Any) -> HttpResponse:
    return redirect(f"{reverse(name, kwargs=kwargs or None)}?livre={code}")


@committee_required
@require_http_methods(["GET", "POST"])
def rules_edit(request: HttpRequest) -> HttpResponse:
    """Edit the draft: one field for each number of the systems. Saving changes nothing in force."""
    organisation, at = organisation_of(request), timezone.now()
    code = scope_of(request)
    current = rulebooks.in_force(organisation, code, at)
    draft = RuleBook.objects.of(organisation, code).drafts().first()
    every = rulebooks.lines(draft or current, code)
    lines = [line for line in every if line.name not in KEPT]
    form = RuleForm(request.POST or None, lines=lines, seen=rulebooks.draft_version(draft))
    if request.method == "POST" and "drop" in request.POST and draft is not None:
        seen = request.POST.get("seen", "")
        with refused_as_message(request):
            rulebooks.drop(draft=draft, seen=seen, by=committee_of(request), at=at)
            messages.success(request, _("Le brouillon est abandonné."))
        return _to("clubs:rules_edit", code)
    example_of = RULE_EXAMPLES.get(code)
    example = example_of(draft or current) if example_of and not form.is_bound else None
    if request.method == "POST" and form.is_valid():
        values = form.values()
        for line in every:
            if line.name in KEPT:
                values.setdefault(line.part, {})[line.name] = list(line.value)
        try:
            if example_of is not None:
                typed = RuleBook(scope=code, values=rulebooks.own_values(code, values))
                example = example_of(typed)
            if "preview" not in request.POST:
                rulebooks.save_draft(
                    organisation=organisation,
                    code=code,
                    values=values,
                    seen=form.cleaned_data["seen"],
                    by=committee_of(request),
                    at=at,
                )
                messages.success(
                    request, _("Brouillon enregistré. Rien ne change avant l’adoption.")
                )
                return _to("clubs:rules_adopt", code)
        except rulebooks.RuleRefused as refused:
            if refused.field in form.fields:
                form.add_error(refused.field, refused.beside)
            else:
                show_refusal(form, refused)
    context = {
        "form": form,
        "parts": _parts(form, code),
        "example": example,
        "shows_example": example_of is not None,
        "draft": draft,
        "current": current,
        "code": code,
        "tabs": scope_tabs(request, code),
    }
    return render_form(request, "clubs/rulebooks/rules_edit.html", context)


def _parts(form: RuleForm, code: str) -> list[tuple[str, str, list[object]]]:
    """Return (part, title, groups) of the form; a part of one group has no second title."""
    return [
        (
            part,
            title_of(part, code),
            [
                (f"{part}-{name}".lower(), GROUPS[name] if len(groups) > 1 else "", fields)
                for name, fields in groups.items()
            ],
        )
        for part, groups in form.groups().items()
    ]


@committee_required
@weighty(page=True)
@require_http_methods(["GET", "POST"])
def rules_adopt(request: HttpRequest) -> HttpResponse:
    """Show old → new, then ask for a date, a reason, who voted."""
    organisation, at = organisation_of(request), timezone.now()
    code = scope_of(request)
    draft = RuleBook.objects.of(organisation, code).drafts().first()
    if draft is None:
        return _to("clubs:rules_edit", code)
    current = rulebooks.in_force(organisation, code, at)
    today = at.astimezone(organisation.zone).date()
    form = AdoptForm(request.POST or None, initial={"seen": rulebooks.draft_version(draft)})
    form.fields["day"].initial = today + timedelta(days=1)
    if request.method == "POST" and form.is_valid():
        answers = form.cleaned_data
        # Today is from now on: its first hour is past.
        morning = datetime.combine(answers["day"], time(0), tzinfo=organisation.zone)
        starts = at if answers["day"] == today else morning
        with refused_in(form, {"past_date": "day"}):
            rulebooks.adopt(
                draft=draft,
                effective_from=starts,
                seen=answers["seen"],
                reason=answers["reason"],
                voted_by=answers["voted_by"],
                by=committee_of(request),
                at=at,
            )
            messages.success(
                request,
                (
                    _(
                        "Version %(n)s adoptée, en vigueur à la première soirée qui ouvre à partir du "
                        "%(day)s, sauf à côté d’une autre déjà ouverte."
                    )
                    if rulebooks.scope(code).by_evening
                    else _("Version %(n)s adoptée, en vigueur à partir du %(day)s.")
                )
                % {"n": draft.number, "day": written(answers["day"], "j F Y")},
            )
            return _to("clubs:rules_version", code, number=draft.number)
    context = {
        "form": form,
        "draft": draft,
        "changes": changes(current, draft, code),
        "to_come": [
            (book, changes(draft, book, code))
            for book in RuleBook.objects.of(organisation, code).to_come(at)
        ],
        "code": code,
    }
    return render_form(request, "clubs/rulebooks/rules_adopt.html", context)


def title_of(part: str, code: str) -> str:
    """Return a part's title: the ladder's chapters, or the name of another system."""
    book = rulebooks.scope(code)
    if book.by_evening or part == rulebooks.CORRECTION:
        return cited(str(PARTS[part]))
    return _(book.label)
