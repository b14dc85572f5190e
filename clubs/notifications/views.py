"""Pages of a player's notifications: their choices, and the browsers that receive them."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from clubs.accounts import rate_limits
from clubs.accounts.permissions import access_of, after_closing, player_required, received_at
from clubs.accounts.rate_limits import Limit
from clubs.notifications import push, push_service
from clubs.notifications.forms import ChoicesForm, DeviceForm
from clubs.notifications.models import PushSubscription
from clubs.notifications.push_service import PushRefused
from clubs.ui.sent import render_form

SUBSCRIPTIONS = Limit(name="push", amount=30, span=timedelta(hours=1))


@player_required
@after_closing
@require_http_methods(["GET", "POST"])
def notifications(request: HttpRequest) -> HttpResponse:
    """Choose the kinds and the quiet hours; stop every browser at once."""
    member = access_of(request).player
    assert member is not None
    if request.method == "POST" and "stop" in request.POST:
        push.unsubscribe(member=member)
        messages.success(request, _("Aucun appareil ne vous prévient plus."))
        return redirect("clubs:notifications")
    form = ChoicesForm(request.POST or None, instance=push.choices_of(member))
    if request.method == "POST" and form.is_valid():
        push.choose(member=member, choices=form.cleaned_data)
        messages.success(request, _("Vos choix sont enregistrés."))
        return redirect("clubs:notifications")
    context = {
        "form": form,
        "push_key": push_service.public_key(),
        "devices": PushSubscription.objects.filter(member=member).count(),
    }
    return render_form(request, "clubs/notifications/notifications.html", context)


@player_required
@after_closing
@rate_limits.limited
@require_POST
def push_device(request: HttpRequest) -> HttpResponse:
    """Take or forget the subscription of this browser, or say whether it is still wanted.

    `push.js` reads the answer. Its question comes with the player's pages and is not counted.
    """
    member, at = access_of(request).player, received_at(request)
    assert member is not None
    form = DeviceForm(request.POST)
    answers = form.cleaned_data if form.is_valid() else {}
    if answers.pop("ask", False):
        return JsonResponse({"wanted": push.is_wanted(member=member, endpoint=answers["endpoint"])})
    rate_limits.take(SUBSCRIPTIONS, member.pk, at=at)
    if not answers:
        return JsonResponse(
            {"message": _("Cet abonnement est incomplet : recommencez.")}, status=422
        )
    if answers.pop("forget"):
        push.unsubscribe(member=member, endpoint=answers["endpoint"])
        return JsonResponse({})
    try:
        push.subscribe(member=member, **answers, at=at)
    except PushRefused as refused:
        return JsonResponse({"message": str(refused)}, status=422)
    return JsonResponse({})
