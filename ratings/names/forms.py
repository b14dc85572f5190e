"""The form that says who a name is, and the forms of a page of names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

from django import forms
from django.forms.boundfield import BoundWidget
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from clubs.persons.matching import NEW, People
from clubs.ui.punctuation import labelled
from clubs.ui.sent import whole_number
from ratings.names.queries import Candidate, OpenName

ELSE = "number"
"""The choice of a person who is not proposed: by number or licence."""


class NameForm(forms.Form):
    """Who one name is: a candidate, a new player, somebody else; or nothing said yet.

    `person` in the cleaned data: a member's id, NEW, or None where nothing was said.
    """

    key = forms.CharField(widget=forms.HiddenInput, strip=False)
    who = forms.CharField(label=_("Joueur"), required=False, widget=forms.RadioSelect)
    number = forms.CharField(
        label=_("Un autre joueur : son numéro ou sa licence"),
        required=False,
        max_length=20,
        widget=forms.TextInput(attrs={"size": 8, "autocomplete": "off"}),
    )

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        place: int,
        people: People,
        needed: bool = False,
    ) -> None:
        super().__init__(data)
        self.place, self.people, self.needed = place, people, needed
        self.row: OpenName | None = None
        self.fields["number"].widget.attrs["aria-labelledby"] = f"else{place}"

    def add_prefix(self, field_name: str) -> str:
        """Return the name that is posted: the field's, then the place of the form on the page."""
        return f"{field_name}{self.place}"

    def show(self, row: OpenName) -> None:
        """Propose the candidates of a name."""
        self.row = row
        self.initial["key"] = row.key
        radios = self.fields["who"].widget
        assert isinstance(radios, forms.RadioSelect)
        radios.choices = [
            *((str(one.member.pk), one.member.full_name) for one in row.candidates),
            (str(NEW), _("Un nouveau joueur")),
            (ELSE, self.fields["number"].label),
        ]

    @property
    def candidates(self) -> list[tuple[Candidate, BoundWidget]]:
        """Return each candidate with its radio button."""
        radios = self["who"].subwidgets
        return list(zip(self.row.candidates if self.row else (), radios, strict=False))

    @property
    def new_player(self) -> BoundWidget:
        """Return the radio button of a new player."""
        return self["who"].subwidgets[-2]

    @property
    def somebody_else(self) -> BoundWidget:
        """Return the radio button of a person by number or licence."""
        return self["who"].subwidgets[-1]

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        who, number = answers.get("who", ""), answers.get("number", "")
        answers["person"] = None
        if who == ELSE or (number and not who):
            answers["person"] = self._somebody_else(number)
        elif who:
            answers["person"] = person = whole_number(who)
            if person is None or (person != NEW and person not in self.people.names):
                self.add_error("who", _("Ce joueur est inconnu."))
        elif self.needed:
            self.add_error("who", _("Dites qui est ce joueur."))
        return answers

    def _somebody_else(self, number: str) -> int | None:
        if "number" in self.errors:
            return None
        if not number:
            self.add_error("number", _("Donnez son numéro ou sa licence."))
            return None
        person, problem = self.people.find(number)
        if person is None or person not in self.people.names:
            self.add_error("number", capfirst(problem) or _("Ce joueur est inconnu."))
        return person


def posted_forms(
    data: Mapping[str, object], *, most: int, people: People, needed: bool = False
) -> list[NameForm]:
    """Return the forms of a page of at most so many names, with what was typed."""
    return [
        NameForm(data, place=place, people=people, needed=needed)
        for place in range(most)
        if f"key{place}" in data
    ]


def shown_forms(
    rows: Sequence[OpenName], posted: Sequence[NameForm], *, people: People
) -> list[NameForm]:
    """Return the form of each name: the posted one of its key, else a blank one in a free place."""
    typed = {form["key"].value(): form for form in posted}
    used = {typed[row.key].place for row in rows if row.key in typed}
    free = (place for place in count() if place not in used)
    forms_of_rows = []
    for row in rows:
        form = typed.get(row.key)
        if form is None:
            form = NameForm(place=next(free), people=people)
        form.show(row)
        forms_of_rows.append(form)
    return forms_of_rows


def errors_of(name_forms: Sequence[NameForm]) -> list[tuple[str, str]]:
    """Return what the summary says: (name and error, id of the field)."""
    return [
        (labelled(form.row.name, error), form[field].auto_id)
        for form in name_forms
        if form.is_bound and form.row is not None
        for field, errors in form.errors.items()
        for error in errors
    ]
