"""Forms about persons of a federation: shape only; the actions check the rest."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from clubs.persons.models import Person


class PersonForm(forms.Form):
    """Licence and details. `seen` is the version that the page showed."""

    licence = forms.CharField(label=_("Numéro de licence"), max_length=20, required=False)
    status = forms.ChoiceField(label=_("Statut"), choices=Person.Status.choices)
    country = forms.CharField(label=_("Pays"), max_length=40, required=False)
    club = forms.CharField(label=_("Club"), max_length=80, required=False)
    birth_year = forms.IntegerField(
        label=_("Année de naissance"),
        min_value=1900,
        max_value=2100,
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
        help_text=_("Pour les listes de jeunes. Elle n’est jamais publiée."),
    )
    seen = forms.IntegerField(widget=forms.HiddenInput)


class LicenceFileForm(forms.Form):
    """A federation's file of licences."""

    file = forms.FileField(label=_("Fichier"))
