"""Forms about persons of a federation: shape only; the actions check the rest."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from clubs.persons.models import MemberLink, Person
from clubs.ui.widgets import DigitsInput

OFFERED = 200


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
        widget=DigitsInput(),
        help_text=_("Pour les listes de jeunes. Elle n’est jamais publiée."),
    )
    seen = forms.IntegerField(widget=forms.HiddenInput)


class WaitingField(forms.ModelChoiceField):
    """Members of clubs, each with the club and the licence that was said."""

    def label_from_instance(self, obj: MemberLink) -> str:
        return f"{obj.member.full_name} · {obj.member.organisation.name} · {obj.licence}"


class LinkForm(forms.Form):
    """A club's member who is this person. The last ones who wait are offered."""

    link = WaitingField(
        label=_("Membre"),
        queryset=MemberLink.objects.none(),
        help_text=_(
            "Ces membres ont indiqué une licence que le registre ne reconnaît pas à leur nom."
        ),
    )

    def __init__(self, *args: Any, waiting: QuerySet[MemberLink], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["link"]
        assert isinstance(field, WaitingField)
        field.queryset = waiting
        self.offered = [(one.pk, field.label_from_instance(one)) for one in waiting[:OFFERED]]
        field.choices = self.offered


class LicenceFileForm(forms.Form):
    """A federation's file of licences."""

    file = forms.FileField(label=_("Fichier"))


class LapseForm(forms.Form):
    """What a list of licences says of those that it does not name."""

    lapse = forms.BooleanField(
        label=_("C’est la liste complète : les licences qui n’y sont pas sont échues"),
        required=False,
    )
