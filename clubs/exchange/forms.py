"""The form that asks which column of an imported table is which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django import forms
from django.http import QueryDict
from django.utils.text import capfirst
from django.utils.translation import gettext as _


class ColumnsForm(forms.Form):
    """A choice among the columns of `head` for each name of `labels`."""

    def __init__(
        self,
        posted: QueryDict | None,
        *,
        head: Sequence[str],
        labels: Mapping[str, str],
        columns: Mapping[str, int],
    ) -> None:
        super().__init__(posted, initial=dict(columns), auto_id="%s")
        choices = [("", _("(aucune)")), *((str(n), title) for n, title in enumerate(head))]
        for name, label in labels.items():
            field = forms.TypedChoiceField(
                label=capfirst(label), choices=choices, coerce=int, empty_value=None, required=False
            )
            field.needed = True  # type: ignore[attr-defined]
            self.fields[name] = field

    def columns(self) -> dict[str, int]:
        """Return the column of each field that has one."""
        return {name: n for name, n in self.cleaned_data.items() if n is not None}
