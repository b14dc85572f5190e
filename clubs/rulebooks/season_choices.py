"""What a committee chooses when it creates a season: sum or mean of the DS (002 II.B.2, VI.3).

And what a season keeps as it was at its first evening, whatever version has come into force since.
"""

from __future__ import annotations

from dataclasses import replace

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from clubs.journal.changes import Named, fields_of
from clubs.organisations.models import Organisation, Season
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.fields import Setting, settings_of
from clubs.rulebooks.models import RuleBook

PART, FIELD = "pairing", "ds_mode"


def is_asked_of(organisation: Organisation) -> bool:
    """Return whether the organisation's seasons have a DS: it plays by the ladder."""
    return any(known.code == rulebooks.LADDER for known in rulebooks.scopes_of(organisation))


def is_chosen(line: rulebooks.RuleLine) -> bool:
    """Return whether the committee answers this number for each season that it creates."""
    return (line.part, line.name) == (PART, FIELD)


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


def kept_in(season: Season, book: RuleBook | None) -> dict[tuple[str, str], rulebooks.RuleLine]:
    """Return the ladder's settings that this season has otherwise than a version, by part and name.

    Those order the whole season: a change of them waits for the next one, and the committee chose
    `ds_mode` when it created the season.
    """
    first = season.rule_book if season.rule_fixed else book
    versions = (rulebooks.lines(book, rulebooks.LADDER), rulebooks.lines(first, rulebooks.LADDER))
    kept = {}
    for now, line in zip(*versions, strict=True):
        if is_chosen(line) and season.ds_mode:
            line = replace(line, value=season.ds_mode)
        if line.words.per_season and line.value != now.value:
            kept[line.part, line.name] = line
    return kept


def words_of(season: Season) -> str:
    """Return how the DS of a season is counted that has begun: as chosen for it, or by its rules."""
    lines = rulebooks.lines(season.rule_book, rulebooks.LADDER)
    as_ruled = next(str(line.value) for line in lines if is_chosen(line))
    return _ds_mode_words(season.ds_mode or as_ruled)


def _ds_mode_words(code: str) -> str:
    """Return a season's choice as its question words it; an unknown one as it is."""
    labels = dict(ds_mode_setting().choices)
    return gettext(labels[code]) if code in labels else code


JOURNAL_VALUES = {
    "season": {**fields_of(Season), FIELD: Named(_("cumul de la DS"), _ds_mode_words)}
}
