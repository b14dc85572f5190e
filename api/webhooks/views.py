"""The committee's pages of webhooks: the addresses, one of them with its log."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from api.webhooks import actions, sending
from api.webhooks.forms import EditWebhookForm, WebhookForm
from api.webhooks.models import DeliveryState, Event, Webhook
from clubs.accounts.actor import refused_as_message, refused_in
from clubs.accounts.permissions import (
    after_closing,
    committee_of,
    committee_required,
    organisation_of,
)
from clubs.accounts.reauthentication import weighty
from clubs.ui.sent import render_form

FIELD_OF = {
    "bad_address": "address",
    "private": "address",
    "taken": "address",
    "no_event": "events",
}
"""Which field a refusal is about; any other is shown above the form."""
A_PAGE = 50
ANSWERS = {
    sending.NO_NAME: gettext_lazy("nom inconnu"),
    sending.PRIVATE: gettext_lazy("adresse d’un réseau local : refusée"),
    sending.NO_CONNECTION: gettext_lazy("pas de connexion"),
    sending.NO_ANSWER: gettext_lazy("pas de réponse"),
    sending.FAILED: gettext_lazy("erreur du site"),
}


@committee_required
@weighty()
@require_http_methods(["GET", "POST"])
def webhook_list(request: HttpRequest) -> HttpResponse:
    """List the addresses that are posted to, and add one: its secret is shown in the answer."""
    organisation = organisation_of(request)
    form = WebhookForm(request.POST or None, organisation=organisation)
    if request.method == "POST" and form.is_valid():
        with refused_in(form, FIELD_OF):
            webhook = actions.create(
                organisation=organisation,
                by=committee_of(request),
                at=timezone.now(),
                **form.cleaned_data,
            )
            return render(request, "api/webhooks/secret.html", {"webhook": webhook})
    given_up = Count("deliveries", filter=Q(deliveries__state=DeliveryState.GIVEN_UP.value))
    waiting = Count("deliveries", filter=Q(deliveries__state=DeliveryState.WAITING.value))
    webhooks = Webhook.objects.filter(organisation=organisation)
    context = {
        "form": form,
        "webhooks": webhooks.annotate(waiting=waiting, given_up=given_up).order_by("pk"),
    }
    return render_form(request, "api/webhooks/list.html", context)


@committee_required
@weighty()
@require_http_methods(["GET", "POST"])
def webhook(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Change one webhook, and read what was sent."""
    hook = _webhook_of(request, webhook_id)
    form = EditWebhookForm(request.POST or None, webhook=hook)
    if request.method == "POST" and form.is_valid():
        with refused_in(form, FIELD_OF):
            actions.edit(
                webhook=hook,
                by=committee_of(request),
                at=timezone.now(),
                **form.cleaned_data,
            )
            messages.success(request, _("L’envoi est enregistré."))
            return redirect("api:webhook", webhook_id)
    sent = hook.deliveries.order_by("-created_at", "-pk")
    page = Paginator(sent, A_PAGE).get_page(request.GET.get("page"))
    lines = [(row, Event(row.event).label, ANSWERS.get(row.answer, row.answer)) for row in page]
    context = {"webhook": hook, "form": form, "page": page, "lines": lines}
    return render_form(request, "api/webhooks/webhook.html", context)


@committee_required
@after_closing
@weighty()
@require_http_methods(["GET", "POST"])
def webhook_act(request: HttpRequest, webhook_id: int, act: str) -> HttpResponse:
    """Ask first, then give a webhook a new secret, shown in the answer, or remove it."""
    webhook, at = _webhook_of(request, webhook_id), timezone.now()
    by = committee_of(request)
    if act not in ("secret", "supprimer"):
        raise Http404
    if request.method != "POST":
        context = {"webhook": webhook, "removes": act == "supprimer"}
        return render(request, "api/webhooks/confirm.html", context)
    with refused_as_message(request):
        if act == "secret":
            renewed = actions.renew_secret(webhook=webhook, by=by, at=at)
            return render(request, "api/webhooks/secret.html", {"webhook": renewed})
        actions.remove(webhook=webhook, by=by, at=at)
        messages.success(request, _("L’envoi est supprimé, avec ce qui en était noté."))
    return redirect("api:webhook_list")


@committee_required
@require_POST
def webhook_replay(request: HttpRequest, webhook_id: int, delivery_id: int) -> HttpResponse:
    """Send one event again."""
    webhook = _webhook_of(request, webhook_id)
    delivery = get_object_or_404(webhook.deliveries, pk=delivery_id)
    with refused_as_message(request):
        actions.replay(delivery=delivery, by=committee_of(request), at=timezone.now())
        messages.success(request, _("Cet événement repart dans un instant."))
    return redirect("api:webhook", webhook_id)


def _webhook_of(request: HttpRequest, webhook_id: int) -> Webhook:
    webhooks = Webhook.objects.select_related("organisation")
    return get_object_or_404(webhooks, pk=webhook_id, organisation=organisation_of(request))
