"""The page where a member makes, sees and revokes their keys."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from api.tokens import actions
from api.tokens.forms import TokenForm
from api.tokens.models import OF_A_ROLE, Token
from clubs.accounts.actor import PLAYER, refused_in
from clubs.accounts.permissions import access_of, after_closing, member_required, received_at
from clubs.accounts.reauthentication import weighty
from clubs.ui.sent import render_form

ENDED_SHOWN = timedelta(days=90)
MOST_ENDED = 20


def _is_of_a_role(request: HttpRequest) -> bool:
    """Return whether this form asks for a key that acts in a role."""
    return bool(OF_A_ROLE & set(request.POST.getlist("scopes")))


@member_required
@after_closing
@weighty(when=_is_of_a_role)
@require_http_methods(["GET", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """Show the member's keys; a new one is shown in full, this once."""
    access, at = access_of(request), received_at(request)
    member, by = access.member, access.actor(PLAYER)
    assert member is not None
    live_tokens = Token.objects.live(at=at).filter(member=member).order_by("-created_at", "-pk")
    if "revoke" in request.GET:  # asked first; the same address, sent, revokes
        pk = request.GET["revoke"]
        token = get_object_or_404(live_tokens, pk=pk if pk.isdecimal() and len(pk) < 18 else 0)
        if request.method == "GET":
            return render(request, "api/tokens/revoke.html", {"token": token})
        actions.revoke(token=token, by=by, at=at)
        messages.success(request, _("La clé est retirée : elle ne fonctionne plus."))
        return redirect("api:tokens")
    form = TokenForm(request.POST or None, scopes=actions.scopes_for(access))
    key = ""
    if form.is_valid():
        with refused_in(form):
            _token, key = actions.create(member=member, **form.cleaned_data, by=by, at=at)
            form = TokenForm(scopes=actions.scopes_for(access))
    ended = Token.objects.ended(since=at - ENDED_SHOWN, at=at).filter(member=member)
    context = {"form": form, "key": key, "tokens": live_tokens}
    context["ended"] = ended.order_by("-expires_at", "-pk")[:MOST_ENDED]
    return render_form(request, "api/tokens/tokens.html", context)
