"""Forms of notifications: what a browser sends, and what a player chooses."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from clubs.notifications.models import ENDPOINT_LENGTH, PushChoices


class DeviceForm(forms.Form):
    """A browser's subscription, as its push service made it."""

    endpoint = forms.CharField(max_length=ENDPOINT_LENGTH)
    p256dh = forms.CharField(max_length=100, required=False)
    auth = forms.CharField(max_length=50, required=False)
    forget = forms.BooleanField(required=False)
    ask = forms.BooleanField(required=False)


class ChoicesForm(forms.ModelForm):  # type: ignore[type-arg]
    """Which notifications a player wants, and when none that can wait."""

    class Meta:
        model = PushChoices
        kinds = ("table", "call", "confirm", "ruling", "evening")
        fields = (*kinds, "by_mail", "quiet_from", "quiet_until")
        widgets = {
            name: forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
            for name in ("quiet_from", "quiet_until")
        }

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        start, end = answers.get("quiet_from"), answers.get("quiet_until")
        if not self.errors and (start is None) != (end is None):
            missing = "quiet_from" if start is None else "quiet_until"
            self.add_error(missing, _("Indiquez les deux heures, ou aucune."))
        elif start is not None and start == end:
            words = _("Deux fois la même heure ne font aucun silence : changez-en une.")
            self.add_error("quiet_until", words)
        return answers
