"""What members and the committee type: shape only. The rules are checked by the verbs."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from django import forms
from django.conf import settings
from django.utils.formats import number_format
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from clubs.accounts.actor import Actor, Refused
from clubs.approvals import actions as second_member
from clubs.members.models import Member, RoleGrant
from clubs.organisations.models import Organisation
from clubs.rulebooks import actions as rulebook
from clubs.rulebooks import season_choices
from clubs.rulebooks.citations import cited
from clubs.rulebooks.fields import Setting

NUMERIC = {"inputmode": "decimal", "autocomplete": "off"}
PLAIN_NUMBER = r"[+-]?[0-9]{1,12}(\.[0-9]{1,9}|/[0-9]{1,9})?"


class MemberForm(forms.Form):
    """A member, by the committee."""

    first_name = forms.CharField(label=_("Prénom"), max_length=60)
    last_name = forms.CharField(label=_("Nom"), max_length=60, required=False)
    email = forms.EmailField(label=_("Adresse e-mail"), required=False)
    number = forms.IntegerField(
        label=_("Numéro de joueur"),
        min_value=1,
        max_value=999999,
        required=False,
        help_text=_("Vide : le premier numéro libre."),
    )
    is_minor = forms.BooleanField(label=_("Mineur"), required=False)


class EditMemberForm(forms.Form):
    """Details the committee may mend."""

    first_name = forms.CharField(label=_("Prénom"), max_length=60)
    last_name = forms.CharField(label=_("Nom"), max_length=60, required=False)
    email = forms.EmailField(label=_("Adresse e-mail"), required=False)
    is_minor = forms.BooleanField(label=_("Mineur"), required=False)


class InviteForm(forms.Form):
    """An invitation by link and QR."""

    member = forms.ModelChoiceField(
        label=_("Pour ce membre"),
        queryset=Member.objects.none(),
        required=False,
        help_text=_("Vide : un nouveau membre."),
    )
    max_uses = forms.IntegerField(
        label=_("Nombre d’utilisations"), min_value=1, max_value=200, initial=1
    )
    days = forms.IntegerField(label=_("Valable"), min_value=1, max_value=60, initial=14)

    def __init__(self, *args: Any, members: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["member"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = members


class MailInvitationForm(forms.Form):
    """Addresses pasted one per line, and the language of the mail they get."""

    addresses = forms.CharField(
        label=_("Adresses e-mail"),
        max_length=20_000,
        help_text=_("Une par ligne."),
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false", "autocomplete": "off"}),
    )
    language = forms.ChoiceField(label=_("Langue du message"), choices=settings.LANGUAGES)
    days = forms.IntegerField(
        label=_("Valable"),
        min_value=1,
        max_value=60,
        initial=14,
        widget=forms.TextInput(attrs=NUMERIC),
    )


class AcceptForm(forms.Form):
    """The invited person: a name, who may see it, a code."""

    first_name = forms.CharField(label=_("Prénom"), max_length=60)
    last_name = forms.CharField(label=_("Nom"), max_length=60, required=False)
    visibility = forms.ChoiceField(
        label=_("Qui voit votre nom ?"), choices=Member.VISIBILITIES, widget=forms.RadioSelect
    )
    is_minor = forms.BooleanField(label=_("Je suis mineur"), required=False)
    pin = forms.CharField(
        label=_("Code à 4 chiffres, pour confirmer sur le téléphone d’un autre"),
        min_length=4,
        max_length=4,
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )


class JoinForm(forms.Form):
    """A newcomer who asks."""

    first_name = forms.CharField(label=_("Prénom"), max_length=60)
    last_name = forms.CharField(label=_("Nom"), max_length=60)
    email = forms.EmailField(label=_("Adresse e-mail"))
    is_minor = forms.BooleanField(label=_("Je suis mineur"), required=False)
    guardian_email = forms.EmailField(label=_("Adresse e-mail d’un parent"), required=False)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("is_minor") and not given.get("guardian_email"):
            self.add_error("guardian_email", _("Donnez l’adresse d’un parent."))
        return given


class SettingsForm(forms.Form):
    """A member's own choices."""

    language = forms.ChoiceField(label=_("Langue"), choices=settings.LANGUAGES)
    visibility = forms.ChoiceField(
        label=_("Qui voit mon nom"), choices=Member.VISIBILITIES, widget=forms.RadioSelect
    )


class PinForm(forms.Form):
    """Four digits, typed twice."""

    pin = forms.CharField(
        label=_("Nouveau code à 4 chiffres"),
        min_length=4,
        max_length=4,
        widget=forms.PasswordInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )
    again = forms.CharField(
        label=_("Encore une fois"),
        min_length=4,
        max_length=4,
        widget=forms.PasswordInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        pin = given.get("pin")
        if pin and not (pin.isascii() and pin.isdigit()):
            self.add_error("pin", _("Le code a quatre chiffres."))
        if pin and given.get("again") and pin != given["again"]:
            self.add_error("again", _("Les deux codes diffèrent."))
        return given


class SeasonForm(forms.Form):
    """A season's name and days."""

    name = forms.CharField(label=_("Nom"), max_length=60)
    starts_on = forms.DateField(
        label=_("Premier jour"), widget=forms.DateInput(attrs={"type": "date"})
    )
    ends_on = forms.DateField(
        label=_("Dernier jour"), widget=forms.DateInput(attrs={"type": "date"})
    )

    def __init__(self, *args: Any, asks_ds_mode: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if asks_ds_mode:
            self.fields["ds_mode"] = season_choices.ds_mode_field()

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if (
            given.get("starts_on")
            and given.get("ends_on")
            and given["ends_on"] < given["starts_on"]
        ):
            self.add_error("ends_on", _("La saison finit avant de commencer."))
        return given


class RoleForm(forms.Form):
    """Give a role."""

    member = forms.ModelChoiceField(label=_("Membre"), queryset=Member.objects.none())
    role = forms.ChoiceField(label=_("Rôle"), choices=RoleGrant.ROLES)

    def __init__(self, *args: Any, members: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["member"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = members


class ImportForm(forms.Form):
    """A file of members."""

    file = forms.FileField(label=_("Fichier CSV ou XLSX"))


class AdoptForm(forms.Form):
    """From when, why, and who voted."""

    day = forms.DateField(
        label=_("En vigueur à partir du"), widget=forms.DateInput(attrs={"type": "date"})
    )
    reason = forms.CharField(
        label=_("Motif"), max_length=500, widget=forms.Textarea(attrs={"rows": 2})
    )
    voted_by = forms.CharField(label=_("Adopté par"), max_length=200, required=False)


# The rule book: one field of the form for each field of the systems


class RuleField(forms.Field):
    """One number of the book, typed as text, kept as the type of its default.

    Whole numbers and decimals take a comma or a point; an empty answer is None where the default
    may be None; lists are written with semicolons.
    """

    widget = forms.TextInput(attrs=NUMERIC)

    def __init__(self, *, words: Setting, default: Any, kind: str, **kwargs: Any) -> None:
        optional = "None" in kind or default is None or isinstance(default, tuple)
        if isinstance(default, tuple):
            kwargs["widget"] = forms.TextInput(attrs={"autocomplete": "off"})
        super().__init__(required=not optional, **kwargs)
        self.words, self.default = words, default

    def clean(self, value: Any) -> Any:
        text = str(value if value is not None else "").strip().replace("\u2212", "-")
        if not text:
            if not self.required:
                return None
            raise forms.ValidationError(
                _now("Donnez une valeur : le document dit %s.") % self.default
            )
        try:
            found = self._typed(text)
        except (ValueError, InvalidOperation, ZeroDivisionError) as bad:
            raise forms.ValidationError(
                _now("« %(typed)s » n’est pas un nombre.") % {"typed": text[:20]}
            ) from bad
        low, high = self.words.minimum, self.words.maximum
        if isinstance(found, int | float) and (
            (low is not None and found < low) or (high is not None and found > high)
        ):
            bounds = {"low": "−∞" if low is None else low, "high": "∞" if high is None else high}
            raise forms.ValidationError(
                _now("La valeur doit être entre %(low)s et %(high)s.") % bounds
            )
        return found

    def _typed(self, text: str) -> Any:
        if isinstance(self.default, tuple):
            return [self._item(part) for part in text.split(";") if part.strip()]
        if isinstance(self.default, str):
            return text
        return self._number(text)

    def _item(self, text: str) -> Any:
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
    """The committee's form, generated from the fields of the systems."""

    def __init__(self, *args: Any, lines: list[rulebook.Line], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lines = lines
        for line in lines:
            self.fields[f"{line.part}-{line.name}"] = self._field(line)

    def _field(self, line: rulebook.Line) -> forms.Field:
        words = line.words
        label, hint = _now(words.label), _now(words.effect) if words.effect else ""
        named = {value: _now(text) for value, text in words.choices}
        document = named.get(line.default, "") if named else shown(line.default)
        hint = " ".join(part for part in (hint, _now("Document : %s.") % document) if part)
        if isinstance(line.default, bool):
            return forms.BooleanField(
                label=label, help_text=hint, required=False, initial=line.value
            )
        if words.choices:
            return forms.ChoiceField(
                label=label,
                help_text=hint,
                initial=line.value,
                choices=[(value, _now(text)) for value, text in words.choices],
            )
        kind = "None" if line.default is None else type(line.default).__name__
        if line.name in ("floor", "rating_floor", "bye_ds", "forfeit_ds"):
            kind += "None"
        return RuleField(
            words=words,
            default=line.default,
            kind=kind,
            label=label,
            help_text=hint,
            initial=shown(line.value, empty=""),
        )

    def groups(self) -> list[tuple[str, list[tuple[Any, str, str]]]]:
        """Chapters, each with (bound field, unit, article)."""
        found: dict[str, list[tuple[Any, str, str]]] = {}
        for line in self.lines:
            unit = _now(line.words.unit) if line.words.unit else ""
            found.setdefault(line.part, []).append(
                (self[f"{line.part}-{line.name}"], unit, cited(line.words.article))
            )
        return list(found.items())

    def values(self) -> dict[str, dict[str, Any]]:
        """{part: {field: value}} of a valid form."""
        found: dict[str, dict[str, Any]] = {}
        for line in self.lines:
            value = self.cleaned_data[f"{line.part}-{line.name}"]
            if isinstance(line.default, tuple) and value is None:
                value = []
            if line.words.choices and not isinstance(line.default, str):
                value = next(
                    (known for known, _text in line.words.choices if str(known) == value), value
                )
            found.setdefault(line.part, {})[line.name] = value
        return found


KINDS_OF_MATCH = {
    "played": _("match joué"),
    "bye": _("exempt"),
    "forfeit": _("forfait"),
}
"""How a value that weighs each kind of match names them."""


def shown(value: Any, *, empty: str = "–") -> str:
    """A value as people write it."""
    if value is None:
        return empty
    if isinstance(value, bool):
        return _now("oui") if value else _now("non")
    if isinstance(value, tuple | list):
        return "\N{NO-BREAK SPACE}; ".join(
            f"{KINDS_OF_MATCH.get(item[0], item[0])} = {shown(item[1])}"
            if isinstance(item, tuple | list) and len(item) == 2 and isinstance(item[0], str)
            else shown(item)
            for item in value
        )
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, float):
        return number_format(value) if abs(value) < 1000 else str(value)
    return str(value)


class SecondForm(forms.Form):
    """Who agrees, and his code."""

    second = forms.ChoiceField(label=_("Second membre du comité"))
    second_pin = forms.CharField(
        label=_("Son code à quatre chiffres"),
        max_length=4,
        widget=forms.PasswordInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )

    def __init__(self, *args: Any, organisation: Organisation, by: Actor, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.by = by
        self.people = {str(member.pk): member for member in second_member.others(organisation, by)}
        field = self.fields["second"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", "–"), *((pk, str(who)) for pk, who in self.people.items())]

    def ask(self, *, at: datetime) -> Member | None:
        """Whoever agreed; None, with the reason beside its field, when nobody did."""
        if not self.is_valid():
            return None
        given = self.cleaned_data
        try:
            return second_member.agreed(
                second=self.people[given["second"]], pin=given["second_pin"], by=self.by, at=at
            )
        except Refused as refused:
            self.add_error("second_pin", str(refused))
            return None
