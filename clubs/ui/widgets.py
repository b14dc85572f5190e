"""Inputs and fields of forms that Django does not have, and the look of a column of figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

CHOOSE = _("Choisir")
"""The first line of a choice among people or things, in place of Django's dashes."""
OLDEST, NEWEST = date(1950, 1, 1), date(2100, 12, 31)
"""The days that somebody may mean."""
FIGURE = {"td": {"class": "num"}, "th": {"class": "num"}}
"""Attributes of a column of numbers, in every sorted table."""
OWN_FIRST_NAME = {"autocomplete": "given-name"}
OWN_LAST_NAME = {"autocomplete": "family-name"}
"""Attributes of a field where people type their own name: their browser fills it in (WCAG 1.3.5)."""


def set_choices(form: forms.BaseForm, name: str, choices: Iterable[tuple[object, object]]) -> None:
    """Offer these choices in a field of one form."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices = list(choices)


def set_rows(form: forms.BaseForm, name: str, rows: QuerySet[Any]) -> None:
    """Offer these rows in a field of one form."""
    field = form.fields[name]
    assert isinstance(field, forms.ModelChoiceField)
    field.queryset = rows


class ScoreInput(forms.TextInput):
    """A score typed on a phone in big figures: the typing player's ("mine") or "theirs".

    `static/js/entry.js` reads the side; the keypad's key goes on to the next field or sends.
    """

    def __init__(self, side: str) -> None:
        attrs = {"class": "score-input", "data-score": side, "inputmode": "numeric"}
        attrs |= {"pattern": r"\s*-?[0-9]{1,4}\s*", "maxlength": "5", "autocomplete": "off"}
        super().__init__({**attrs, "enterkeyhint": "next" if side == "mine" else "send"})


class DayInput(forms.DateInput):
    """A day, in the browser's own calendar: it reads ISO dates alone, whatever the language."""

    def __init__(self) -> None:
        super().__init__({"type": "date"}, format="%Y-%m-%d")


class DayField(forms.DateField):
    """A day of a year that a calendar has: one more day, or its hour in another zone, is one too."""

    widget = DayInput

    def validate(self, value: Any) -> None:
        super().validate(value)
        if value is not None and not OLDEST <= value <= NEWEST:
            raise forms.ValidationError(
                _("Donnez une date entre %(first)s et %(last)s."),
                params={"first": OLDEST.year, "last": NEWEST.year},
            )


class StartForm(forms.Form):
    """A form that says when something starts: `starts_at` of its answers is `day` at `hour`.

    In the time zone in force, which is the club's in each of its requests. An hour that the clocks
    skip in spring is refused; of one that comes twice in autumn the first is meant.
    """

    day = DayField(label=_("Date"))
    hour = forms.TimeField(label=_("Heure"), widget=forms.TimeInput(attrs={"type": "time"}))

    def clean(self) -> dict[str, Any]:
        answers = super().clean() or {}
        if "day" in answers and "hour" in answers:
            zone = timezone.get_current_timezone()
            starts_at = datetime.combine(answers["day"], answers["hour"], tzinfo=zone)
            real = starts_at.astimezone(UTC).astimezone(zone)
            if real.time() == answers["hour"]:
                answers["starts_at"] = starts_at
            else:
                sentence = _(
                    "Cette heure n’existe pas : ce jour-là, les horloges avancent. Choisissez par exemple %(hour)s."
                )
                self.add_error("hour", sentence % {"hour": f"{real:%H:%M}"})
        return answers


class DigitsInput(forms.TextInput):
    """A number, with the digits of a phone's keyboard ("decimal": a comma too)."""

    def __init__(self, attrs: Mapping[str, str] | None = None, *, mode: str = "numeric") -> None:
        super().__init__({"inputmode": mode, "autocomplete": "off", **(attrs or {})})


class WholeField(forms.IntegerField):
    """A whole number between two bounds: one sentence names them, whatever is wrong."""

    widget = DigitsInput

    def __init__(self, *, least: int, most: int, **kwargs: Any) -> None:
        words = format_lazy(
            _("Donnez un nombre entier de {least} à {most}."), least=least, most=most
        )
        codes = ("required", "invalid", "min_value", "max_value")
        super().__init__(
            min_value=least, max_value=most, error_messages=dict.fromkeys(codes, words), **kwargs
        )


class PinInput(forms.PasswordInput):
    """The digits of a player's code, hidden while they are typed."""

    def __init__(self) -> None:
        super().__init__({"inputmode": "numeric", "autocomplete": "off"})


class SeveralField(forms.ModelMultipleChoiceField):
    """Some of the rows that are offered. A number that no column holds is no choice either."""

    def clean(self, value: Any) -> Any:
        try:
            return super().clean(value)
        except OverflowError as unknown:  # SQLite
            raise forms.ValidationError(
                self.error_messages["invalid_choice"],
                code="invalid_choice",
                params={"value": max(value, key=len)[:20]},
            ) from unknown


FOUR_DIGITS = _("Le code a quatre chiffres.")


class PinField(forms.CharField):
    """The four digits of a player's code."""

    widget = PinInput
    default_error_messages = {"required": FOUR_DIGITS}
    default_validators = [RegexValidator(r"\A[0-9]{4}\Z", FOUR_DIGITS)]

    def widget_attrs(self, widget: forms.Widget) -> dict[str, object]:
        return {**super().widget_attrs(widget), "maxlength": "4"}
