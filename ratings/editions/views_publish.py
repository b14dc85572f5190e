"""Publication by the committee: checklist, exact preview, title and note; errata likewise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import Refused
from clubs.accounts.permissions import committee_of, committee_required, organisation_of
from clubs.accounts.reauthentication import weighty
from clubs.ui.sent import render_form, whole_number
from ratings.editions import actions as editions
from ratings.editions import freezing, sources
from ratings.editions.forms import ErratumForm, PublishForm
from ratings.editions.sources import Check, Proposal
from ratings.editions.views import PAGE, address, changes, edition_of, list_of, shown, url
from ratings.ledger.models import Edition

FIELD_OF = {"title_required": "title", "reason_required": "note"}


@committee_required
@weighty(page=True)
@require_http_methods(["GET", "POST"])
def publish(request: HttpRequest, liste: str = "") -> HttpResponse:
    """Show checklist → preview with movements → title and note → [Publier]."""
    organisation = organisation_of(request)
    rating_list = list_of(request, liste)
    number = whole_number(request.GET.get("rectifie"), digits=8)
    mends = None if number is None else edition_of(request, liste, number)
    if mends is not None:
        later = mends.errata.defer("rows", "columns").first()
        if later is not None:
            messages.info(
                request, gettext("Cette publication est déjà rectifiée : voici son rectificatif.")
            )
            return redirect(url("edition", liste, number=later.number))
    proposal = (
        editions.propose_erratum(mends)
        if mends is not None
        else editions.propose(organisation, rating_list, today=timezone.localdate())
    )
    form = _form(request, proposal, mends)
    if request.method == "POST" and form.is_valid():
        answers = dict(form.cleaned_data)
        by, at = committee_of(request), timezone.now()
        try:
            if mends is not None:
                published = editions.publish_erratum(of=mends, by=by, at=at, **answers)
            else:
                published = editions.publish(
                    organisation=organisation, rating_list=rating_list, by=by, at=at, **answers
                )
            messages.success(
                request,
                gettext("Le classement est publié sous le nº %(n)s.") % {"n": published.number},
            )
            return redirect(url("edition", liste, number=published.number))
        except Refused as refused:
            form.add_error(FIELD_OF.get(refused.code), str(refused))
            if refused.code == "stale" and proposal is not None:
                form.data = {**form.data.dict(), "seen": proposal.seen}
    context: dict[str, object] = {
        "list": rating_list,
        "mends": mends,
        "mends_url": url("edition", liste, number=mends.number) if mends else "",
        "proposal": proposal,
        "form": form,
        "tasks": tasks_of(proposal.checks if proposal is not None else ()),
        "list_url": url("edition_list", liste),
    }
    if proposal is not None:
        pages = Paginator(proposal.table.rows, PAGE)
        page = pages.get_page(request.GET.get("page"))
        context |= shown(editions.preview(proposal, list(page.object_list)), liste)
        context |= {"page": page, "players": pages.count}
        if mends is not None:
            context |= changes(freezing.difference(freezing.table_of(mends), proposal.table))
    return render_form(request, "ratings/editions/publish.html", context)


def _form(request: HttpRequest, proposal: Proposal | None, mends: Edition | None) -> Any:
    kind = ErratumForm if mends is not None else PublishForm
    initial = {"title": proposal.title, "seen": proposal.seen} if proposal is not None else {}
    return kind(request.POST if request.method == "POST" else None, initial=initial)


def tasks_of(checks: Iterable[Check]) -> list[dict[str, object]]:
    """Return the checklist as `_checklist.html` prints it: a link where something is to be done."""
    return [
        {
            "label": check.label,
            "hint": check.hint,
            "state": check.state,
            "url": address(check.url_name, **check.url_of)
            if check.url_name and check.state != sources.DONE
            else "",
        }
        for check in checks
    ]
