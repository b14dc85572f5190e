"""Forms of stored values: a page carries the version that it showed, and saves over no newer one."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from hashlib import sha256
from typing import Any

from django import forms
from django.db.models import Model
from django.http import QueryDict
from django.utils.translation import gettext as _

from clubs.ui.french import written

STALE = "stale"


class SeenField(forms.CharField):
    """The version of the values that the page showed (`version_of`)."""

    def __init__(self, *, required: bool = True) -> None:
        super().__init__(widget=forms.HiddenInput, max_length=16, required=required)


def version_of(values: Iterable[object]) -> str:
    """Return a short digest of stored values: another one stands for other values."""
    return sha256(repr([str(value) for value in values]).encode()).hexdigest()[:16]


def row_version(row: Model, fields: Iterable[str]) -> str:
    """Return the version of some columns of a row, in whatever order they are named."""
    return version_of(getattr(row, name) for name in sorted(fields))


def changed_meanwhile() -> str:
    """Return what an action says that refuses a page older than the stored values."""
    return _(
        "Ces valeurs ont changé depuis que cette page est ouverte. Relisez-les avant de "
        "recommencer."
    )


def show_stored(form: forms.BaseForm) -> None:
    """After a refusal of an older page: say what is stored beside each field that differs.

    What was typed stays. The form's initial values are those stored now, and so is its `seen`: who
    sends it once more has read them.
    """
    for bound in [form[name] for name in form.initial if name in form.fields and name != "seen"]:
        if _plain(bound.data) != _plain(bound.field.prepare_value(bound.initial)):
            stored = _("Enregistré à présent : %(value)s") % {"value": _stored(bound)}
            form.add_error(bound.name, stored)
    assert isinstance(form.data, QueryDict)
    sent = form.data.copy()
    sent["seen"] = form.initial["seen"]
    form.data = sent


def _plain(value: object) -> list[str]:
    """Return a value of a widget, or of a row, as what a page would send."""
    values = value if isinstance(value, list) else [value]
    return sorted(str(one) for one in values if one not in (None, False, ""))


def _stored(bound: forms.BoundField) -> str:
    """Return the stored value as people read it."""
    field, value = bound.field, bound.initial
    if isinstance(field, forms.BooleanField):
        return _("oui") if value else _("non")
    if isinstance(field, forms.ModelMultipleChoiceField):
        value = ", ".join(str(one) for one in value)
    elif isinstance(field, forms.ChoiceField):
        choices: Any = field.choices
        value = dict(choices).get(value, value)
    elif isinstance(value, date):
        value = written(value, "j F Y")
    return str(value or "") or _("rien")
