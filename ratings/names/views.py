"""The page on which an officer tells who the names of a competition's file are, one by one."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import Refused
from clubs.accounts.permissions import committee_of, committee_required
from clubs.members.models import Member
from clubs.persons.actions import people_of
from clubs.persons.matching import NEW, NameKey
from clubs.ui.sent import has_errors, render_form, whole_number
from ratings.competitions import actions as competitions
from ratings.competitions.files.lines import CompetitionLine
from ratings.competitions.models import CompetitionDraft
from ratings.lists.views import list_of_address
from ratings.names import actions as names
from ratings.names import queries
from ratings.names.forms import NameForm, errors_of, posted_forms, shown_forms

PAGE = 25


@committee_required
@require_http_methods(["GET", "POST"])
def draft_names(request: HttpRequest, slug: str, draft_id: int) -> HttpResponse:
    """Ask about each name that nobody has: one of the nearest persons, another, or a new player."""
    stored_draft = get_object_or_404(
        CompetitionDraft.objects.select_related("rating_list__organisation"),
        pk=draft_id,
        rating_list=list_of_address(request, slug),
    )
    if stored_draft.period_id is not None or competitions.is_taken_back(stored_draft):
        return redirect("ratings:draft", slug=slug, draft_id=stored_draft.pk)
    organisation = stored_draft.rating_list.organisation
    refusal, posted, again = "", list[NameForm](), request.POST.get("again")
    if request.method == "POST" and again is None:
        posted = posted_forms(request.POST, most=PAGE, people=people_of(organisation))
    wrong = has_errors(*posted)
    choices = {} if wrong else _choices(posted)
    if again is not None:
        choices = {again: None}
    if request.method == "POST" and not (wrong or choices):
        refusal = _("Choisissez d’abord qui est l’un de ces joueurs.")
    elif choices:
        try:
            names.choose_names(
                draft=stored_draft,
                seen=whole_number(request.POST.get("seen")) or 0,
                choices=choices,
                by=committee_of(request),
                at=timezone.now(),
            )
        except Refused as refused:
            refusal = str(refused)
        else:
            messages.success(request, _("Vos choix sont enregistrés."))
            posted = []
    lines = competitions.preview(stored_draft)
    left = list(undecided(lines, stored_draft).items())
    page = Paginator(left, PAGE).get_page(request.GET.get("page"))
    if request.method == "POST" and not (refusal or wrong) and not page.paginator.count:
        return redirect("ratings:draft", slug=slug, draft_id=stored_draft.pk)
    people = people_of(organisation, stored_draft.choices)
    rows = queries.open_names(organisation, people, dict(page.object_list))
    name_forms = shown_forms(rows, posted, people=people)
    chosen = Member.objects.in_bulk([pk for pk in stored_draft.choices.values() if pk != NEW])
    context = {
        "list": stored_draft.rating_list,
        "draft": stored_draft,
        "page": page,
        "forms": name_forms,
        "error_list": errors_of(name_forms),
        "chosen": [
            (
                key,
                ", ".join(filter(None, NameKey.parse(key))),
                _("nouveau") if pk == NEW else chosen[pk].full_name,
            )
            for key, pk in stored_draft.choices.items()
            if pk == NEW or pk in chosen
        ],
        "refusal": refusal,
    }
    return render_form(request, "ratings/names/draft_names.html", context, refused=refusal or wrong)


def undecided(
    lines: list[CompetitionLine], draft: CompetitionDraft
) -> dict[str, tuple[str, str, int]]:
    """Return {key: (name, licence, line)} of the names still to tell, in the order of the file."""
    open_names: dict[str, tuple[str, str, int]] = {}
    for line in lines:
        for place in (*line.open_places, *line.doubtful):
            key = line.key(place)
            if key not in draft.choices or place in line.doubtful:
                licence = line.licences[place] if line.licences else ""
                open_names.setdefault(key, (line.names[place], licence, line.number))
    return open_names


def _choices(posted: list[NameForm]) -> dict[str, int | None]:
    """Return the persons that were chosen, by key; a name without an answer is left out."""
    answers = [form.cleaned_data for form in posted]
    return {answer["key"]: answer["person"] for answer in answers if answer["person"] is not None}
