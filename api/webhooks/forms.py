"""Forms of the webhooks' pages."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from api.webhooks.models import ADDRESS_LENGTH, Event, Webhook
from clubs.organisations.models import Organisation
from clubs.ui.widgets import set_choices


def _events_of(organisation: Organisation) -> list[tuple[str, str]]:
    """Return the events that this organisation may have; a federation holds no evenings."""
    offered = [event for event in Event if organisation.is_club or event != Event.EVENING]
    return [(event.value, str(event.label)) for event in offered]


class WebhookForm(forms.Form):
    """Where to post which events."""

    address = forms.CharField(
        label=_("Adresse"),
        max_length=ADDRESS_LENGTH,
        widget=forms.URLInput(attrs={"inputmode": "url", "autocomplete": "off"}),
        help_text=_("Celle que l’autre programme vous donne. Elle commence par https://"),
    )
    events = forms.MultipleChoiceField(
        label=_("Prévenir quand"), widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, organisation: Organisation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "events", _events_of(organisation))


class EditWebhookForm(WebhookForm):
    """The same, on or off. `seen` is the version that the page showed."""

    is_on = forms.BooleanField(
        label=_("En service"),
        required=False,
        help_text=_("À l’arrêt, rien n’est envoyé ni gardé pour plus tard."),
    )
    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(self, *args: Any, webhook: Webhook, **kwargs: Any) -> None:
        kwargs["initial"] = {
            "address": webhook.address,
            "events": webhook.events,
            "is_on": webhook.is_on,
            "seen": webhook.version,
        }
        super().__init__(*args, organisation=webhook.organisation, **kwargs)
