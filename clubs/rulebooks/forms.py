"""The forms that edit a rule book and adopt it."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from clubs.accounts.older_pages import SeenField
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.citations import cited
from clubs.rulebooks.fields import Setting
from clubs.rulebooks.units import scaled, unit_of
from clubs.rulebooks.wording import KINDS_OF_MATCH, printed, shown
from clubs.ui.widgets import DayField, DigitsInput

PLAIN_NUMBER = r"[+-]?[0-9]{1,12}(\.[0-9]{1,20}|/[0-9]{1,9})?"


class AdoptForm(forms.Form):
    """From when, why, and who voted, of the values that the page showed."""

    seen = SeenField()
    day = DayField(label=_("En vigueur à partir du"))
    reason = forms.CharField(
        label=_("Motif"), max_length=500, widget=forms.Textarea(attrs={"rows": 2})
    )
    voted_by = forms.CharField(label=_("Adopté par"), max_length=200, required=False)


class RuleField(forms.Field):
    """One number of the book, typed as text, converted to the type of its default.

    Whole numbers and decimals take a comma or a point; an empty answer is None where the setting is
    nullable; lists are written with semicolons. Durations are typed in the unit that is printed beside
    them and become whole seconds (`scale`).
    """

    widget = DigitsInput(mode="decimal")

    def __init__(self, *, words: Setting, default: object, scale: int = 1, **kwargs: Any) -> None:
        optional = words.nullable or isinstance(default, tuple)
        if isinstance(default, tuple):
            kwargs["widget"] = forms.TextInput(attrs={"autocomplete": "off"})
        super().__init__(required=not optional, **kwargs)
        self.words, self.default, self.scale = words, default, scale

    def clean(self, value: object) -> object:
        text = str(value if value is not None else "").strip().replace("\u2212", "-")
        if not text:
            if not self.required:
                return None
            raise forms.ValidationError(
                gettext("Donnez une valeur : le règlement dit %s.")
                % shown(scaled(self.default, self.scale))
            )
        try:
            parsed = self._typed(text)
        except (ValueError, InvalidOperation, ZeroDivisionError) as bad:
            raise forms.ValidationError(
                gettext("« %(typed)s » n’est pas un nombre.") % {"typed": text[:20]}
            ) from bad
        if self.scale != 1:
            seconds = Decimal(str(parsed)) * self.scale
            parsed = int(seconds.to_integral_value(ROUND_HALF_UP))
        low, high = self.words.minimum, self.words.maximum
        if isinstance(parsed, int | float) and (
            (low is not None and parsed < low) or (high is not None and parsed > high)
        ):
            raise forms.ValidationError(self._bounds())
        return parsed

    def _bounds(self) -> str:
        low = shown(scaled(self.words.minimum, self.scale))
        if self.words.maximum is None:
            return gettext("La valeur doit être %(low)s ou plus.") % {"low": low}
        high = shown(scaled(self.words.maximum, self.scale))
        return gettext("La valeur doit être entre %(low)s et %(high)s.") % {
            "low": low,
            "high": high,
        }

    def _typed(self, text: str) -> object:
        if isinstance(self.default, tuple):
            return [self._item(part) for part in text.split(";") if part.strip()]
        if isinstance(self.default, str):
            return text
        return self._number(text)

    def _item(self, text: str) -> object:
        name, equals, number = text.partition("=")
        if not equals:
            return self._number(text)
        name = name.strip()
        code = next((code for code, word in KINDS_OF_MATCH.items() if str(word) == name), name)
        return [code, self._number(number)]

    def _number(self, text: str) -> Any:
        plain = text.strip().replace("\u00a0", "").replace(" ", "").replace(",", ".")
        if not re.fullmatch(PLAIN_NUMBER, plain):  # no 1e9, no digits of another script
            raise ValueError(text)
        if "/" in plain:
            exact = Fraction(plain)
            return int(exact) if exact.denominator == 1 else float(exact)
        number = Decimal(plain)
        if number == number.to_integral_value() and not isinstance(self.default, float):
            return int(number)
        return float(number)


class RuleForm(forms.Form):
    """The committee's form, generated from the fields of the systems.

    `seen`: the version of the draft that the page shows; empty where there is none.
    """

    seen = SeenField(required=False)

    def __init__(
        self, *args: Any, lines: list[rulebooks.RuleLine], seen: str = "", **kwargs: Any
    ) -> None:
        self.lines = lines
        fields = {f"{line.part}-{line.name}": self._field(line) for line in lines}
        kwargs["initial"] = {name: field.initial for name, field in fields.items()} | {"seen": seen}
        super().__init__(*args, **kwargs)
        self.fields.update(fields)

    def _field(self, line: rulebooks.RuleLine) -> forms.Field:
        words = line.words
        label, hints = gettext(words.label), map(gettext, words.sentences(empty=True))
        document = gettext("vide") if line.default is None else printed(line, line.default)
        hint = " ".join((*hints, gettext("Règlement : %s.") % document))
        if isinstance(line.default, bool):
            return forms.BooleanField(
                label=label, help_text=hint, required=False, initial=line.value
            )
        if words.choices:
            return forms.ChoiceField(
                label=label,
                help_text=hint,
                initial=line.value,
                choices=[(value, gettext(text)) for value, text in words.choices],
            )
        return RuleField(
            words=words,
            default=line.default,
            scale=line.scale,
            label=label,
            help_text=hint,
            initial=shown(scaled(line.value, line.scale), empty=""),
        )

    def groups(self) -> dict[str, dict[str, list[tuple[Any, str, str]]]]:
        """Return part → group → [(bound field, unit, article)], each in the order of the file."""
        groups_by_part: dict[str, dict[str, list[tuple[object, str, str]]]] = {}
        for line in self.lines:
            group = groups_by_part.setdefault(line.part, {}).setdefault(line.words.group, [])
            unit = unit_of(None, line.unit)
            group.append((self[f"{line.part}-{line.name}"], unit, cited(line.words.article)))
        return groups_by_part

    def values(self) -> dict[str, dict[str, object]]:
        """Return {part: {field: value}} of a valid form."""
        values_by_part: dict[str, dict[str, object]] = {}
        for line in self.lines:
            value = self.cleaned_data[f"{line.part}-{line.name}"]
            if isinstance(line.default, tuple) and value is None:
                value = []
            if line.words.choices and not isinstance(line.default, str):
                value = next(
                    (known for known, _text in line.words.choices if str(known) == value), value
                )
            values_by_part.setdefault(line.part, {})[line.name] = value
        return values_by_part
