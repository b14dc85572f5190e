"""Forms of a publication and of an erratum."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class PublishForm(forms.Form):
    """`seen` is the mark of the preview: what was read is what is published."""

    title = forms.CharField(label=_("Titre"), max_length=160)
    note = forms.CharField(
        label=_("Note"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Imprimée au-dessus du classement."),
    )
    seen = forms.CharField(widget=forms.HiddenInput, max_length=64)


class ErratumForm(PublishForm):
    """An erratum names what it corrects."""

    note = forms.CharField(
        label=_("Ce qui est corrigé, et pourquoi"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Imprimé au-dessus du rectificatif."),
    )
