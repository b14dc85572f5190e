"""What a committee chooses when it creates a season: sum or mean of the DS (002 II.B.2, VI.3)."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from clubs.journal.changes import Named, fields_of
from clubs.organisations.models import Season
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.fields import Setting, settings_of

PART, FIELD = "pairing", "ds_mode"


def ds_mode_setting() -> Setting:
    """Return the ladder's setting of 002 VI.3: its words are those of a season's choice too."""
    return settings_of(rulebooks.scope(rulebooks.LADDER).parts[PART])[FIELD]


def ds_mode_field() -> forms.ChoiceField:
    """Return the question of 002 VI.3 with no default: the committee must answer it."""
    words = ds_mode_setting()
    return forms.ChoiceField(
        label=gettext(words.label),
        help_text=gettext(words.effect),
        choices=[(value, gettext(label)) for value, label in words.choices],
        widget=forms.RadioSelect,
        error_messages={
            "required": _("Choisissez la somme ou la moyenne : elle vaudra toute la saison.")
        },
    )


def _ds_mode_words(code: str) -> str:
    """Return a season's choice as its question words it; an unknown one as it is."""
    labels = dict(ds_mode_setting().choices)
    return gettext(labels[code]) if code in labels else code


JOURNAL_VALUES = {
    "season": {**fields_of(Season), FIELD: Named(_("cumul de la DS"), _ds_mode_words)}
}
