"""The form of an act about a grade: whose, which, and the reference and date of the document."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from clubs.members.models import Member
from clubs.ui.widgets import set_choices
from ratings.competitions.forms import DayField, person_named
from ratings.ledger.models import RatingList
from ratings.lists import queries as list_queries


class GradeForm(forms.Form):
    """An approval of the Nihon Shogi Renmei, or a promotion request (003 §3 and §11)."""

    act = forms.ChoiceField(label=_("Acte"), widget=forms.RadioSelect)
    member = forms.CharField(
        label=_("Joueur"), max_length=120, help_text=_("Son numéro, sa licence ou son nom.")
    )
    grade = forms.ChoiceField(label=_("Grade"))
    reference = forms.CharField(label=_("Référence du document"), max_length=80)
    dated_on = DayField(label=_("Date du document"))

    def __init__(self, *args: Any, rating_list: RatingList, on: date, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.organisation = rating_list.organisation
        system = list_queries.system_on(rating_list, on)
        set_choices(self, "act", [(code, _(words)) for code, words in system.grade_acts.items()])
        column = next(one for one in system.columns() if one.code == "grade")
        set_choices(self, "grade", [(name, name) for name in column.choices])

    def clean_member(self) -> Member:
        pk = person_named(self.organisation, self.cleaned_data["member"])
        return Member.objects.get(pk=pk)
