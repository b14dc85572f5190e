"""The form of a new key: shape only."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from api.tokens.models import Scope
from clubs.ui.punctuation import labelled
from clubs.ui.widgets import set_choices

DAYS = [(30, _("30 jours")), (90, _("90 jours")), (365, _("un an"))]


class TokenForm(forms.Form):
    """Name, scopes and end of a new key."""

    name = forms.CharField(
        label=_("Nom de la clé"),
        max_length=60,
        help_text=_("Pour la reconnaître : le programme qui s’en sert."),
    )
    scopes = forms.MultipleChoiceField(
        label=_("Ce que la clé permet"), widget=forms.CheckboxSelectMultiple, initial=["read"]
    )
    days = forms.TypedChoiceField(label=_("Valable"), choices=DAYS, coerce=int, initial=90)

    def __init__(self, *args: Any, scopes: list[Scope], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # With its code, as the API and its documents name it.
        named = ((scope.value, labelled(scope.value, scope.label)) for scope in scopes)
        set_choices(self, "scopes", named)
