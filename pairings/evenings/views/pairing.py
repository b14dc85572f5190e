"""View of a proposed pairing run, before the tables are called."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import Refused, refused_in
from clubs.accounts.permissions import actor_of, arbiter_required
from clubs.members.models import Member
from clubs.ui.sent import render_form
from pairings.arbitration.forms import PairForm
from pairings.evenings import pairing, proposal
from pairings.evenings.models import Evening
from pairings.evenings.views.public import evening_of
from pairings.matches.forms import EarlyForm, hide_players


@arbiter_required
@require_http_methods(["GET", "POST"])
def pair_preview(request: HttpRequest, day: str) -> HttpResponse:
    """Show what the run would do, with its reasons and the alternative that avoids a repeat.

    `seen` are the players who waited when the page was read: if they have changed, the arbiter gets
    the new proposal and no table is called. With two players chosen by hand, show what they cost.
    """
    evening, at = evening_of(request, day), timezone.now()
    if request.method == "GET" and "first" in request.GET:
        return _by_hand(request, evening, at)
    posted = request.POST if request.method == "POST" else None
    early, early_too = (EarlyForm(posted, auto_id=f"%s{end}") for end in ("", "-2"))
    refused_words = ""
    if early.is_bound and early.is_valid():
        try:
            run = pairing.pair_waiting(
                evening=evening,
                by=actor_of(request),
                at=at,
                strategy="optimal" if "avoid" in request.POST else None,
                allow_early_repeat=early.cleaned_data["early"],
                seen=request.POST.get("seen"),
            )
        except Refused as refused:
            refused_words = str(refused)
        else:
            count = run.matches.filter(second__isnull=False).count()  # a bye has no table
            messages.success(
                request,
                ngettext("%(n)s table appelée.", "%(n)s tables appelées.", count) % {"n": count}
                if count
                else _("L’exemption est notée ; aucune table n’est appelée."),
            )
            return redirect("pairings:control", day=day)
    read = proposal.read(evening, at=at)
    context = {
        "evening": evening,
        "waiting": len(read.waiting),
        "seen": read.seen,
        "plan": read.plan,
        "alternative": read.alternative,
        "early": early,
        "early_too": early_too,
        "error_list": [(refused_words, "plan")] if refused_words else [],
        "can_pair": read.can_pair,
    }
    return render_form(
        request, "pairings/evenings/pair_preview.html", context, refused=refused_words
    )


def _by_hand(request: HttpRequest, evening: Evening, at: datetime) -> HttpResponse:
    """Show what pairing two players by hand changes of the proposal; the reason is left to type."""
    waiting = Member.objects.filter(pk__in=pairing.waiting_ids(evening, at))
    options: dict[str, Any] = {"auto_id": "pair_%s", "waiting": waiting.order_by("sort_name", "pk")}
    asked = PairForm(request.GET, **options)
    context: dict[str, object] = {"evening": evening, "form": asked}
    wrong = {name: asked.errors[name] for name in ("first", "second") if name in asked.errors}
    asked.errors.pop("reason", None)
    if not wrong:
        first, second = asked.cleaned_data["first"], asked.cleaned_data["second"]
        with refused_in(asked):
            read = proposal.read_by_hand(evening, first=first, second=second, at=at)
            typed = {"first": first, "second": second, "reason": request.GET.get("reason", "")}
            form = PairForm(initial=typed, **options)
            hide_players(form)
            context |= {
                "form": form,
                "pair": [first.full_name, second.full_name],
                "plan": read.plan,
                "rest": read.rest,
                "words": read.words,
            }
    return render_form(request, "pairings/evenings/pair_by_hand.html", context)
