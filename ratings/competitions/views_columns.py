"""Which column of a competition's file is which, where the head alone does not tell."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import Refused
from clubs.accounts.permissions import committee_required
from clubs.exchange.views import chosen_columns, columns_page
from ratings.competitions import actions as competitions
from ratings.competitions.import_files import HEADS, LABELS
from ratings.competitions.models import CompetitionDraft
from ratings.lists.views import list_of_address


@committee_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def draft_columns(request: HttpRequest, slug: str, draft_id: int) -> HttpResponse:
    """Ask which column is which, guessed from the head, with samples."""
    held = get_object_or_404(
        CompetitionDraft, pk=draft_id, rating_list=list_of_address(request, slug)
    )
    labels = {name: LABELS[name]() for name in HEADS[held.facts["sheet"]]}
    columns, error = competitions.columns_of_draft(held), ""
    if request.method == "POST":
        columns = chosen_columns(request, held.rows[0], labels)
        try:
            competitions.choose_columns(held=held, columns=columns)
            return redirect("ratings:draft", slug=slug, draft_id=held.pk)
        except Refused as refused:
            error = str(refused)
    return columns_page(request, draft=held, labels=labels, columns=columns, error=error)
