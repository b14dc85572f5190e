"""Inputs and fields of forms that Django does not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms


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


class DigitsInput(forms.TextInput):
    """A number, with the digits of a phone's keyboard ("decimal": a comma too)."""

    def __init__(self, attrs: Mapping[str, str] | None = None, *, mode: str = "numeric") -> None:
        super().__init__({"inputmode": mode, "autocomplete": "off", **(attrs or {})})


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


class PinField(forms.CharField):
    """The four digits of a player's code."""

    widget = PinInput

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_length=4, max_length=4, **kwargs)
