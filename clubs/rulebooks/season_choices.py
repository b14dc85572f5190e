"""What a committee chooses when it creates a season: sum or mean of the DS (002 II.B.2, VI.3)."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.fields import settings_of

PART, FIELD = "pairing", "ds_mode"


def ds_mode_field() -> forms.ChoiceField:
    """Return the question of 002 VI.3 with no default: the committee must answer it."""
    words = settings_of(rulebooks.scope(rulebooks.LADDER).parts[PART])[FIELD]
    return forms.ChoiceField(
        label=gettext(words.label),
        help_text=gettext(words.effect),
        choices=[(value, gettext(label)) for value, label in words.choices],
        widget=forms.RadioSelect,
        error_messages={
            "required": _("Choisissez la somme ou la moyenne : elle vaudra toute la saison.")
        },
    )
