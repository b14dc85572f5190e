"""Forms with the fields of the site's own, which belong to packages above this one.

tests/clubs/ui/test_styleguide.py compares each with the form that it stands for.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.forms.boundfield import BoundWidget

from clubs.ui.widgets import ScoreInput

SHORT = {"rows": 2}
PHOTO = {"accept": "image/*", "data-photo": True}


class ScoreExample(forms.Form):
    """The fields of pairings' ScoreForm."""

    mine = forms.CharField(label="Votre score", widget=ScoreInput("mine"))
    theirs = forms.CharField(label="Score de l’adversaire", widget=ScoreInput("theirs"))
    key = forms.CharField(required=False, widget=forms.HiddenInput)
    photo = forms.FileField(
        label="Feuille de match", required=False, widget=forms.FileInput(attrs=PHOTO)
    )


class ContestExample(forms.Form):
    """The fields of pairings' DisputeForm."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    subject = forms.ChoiceField(
        label="Qu’est-ce qui ne va pas\u00a0?",
        choices=[
            ("score", "Un score est faux"),
            ("not_over", "Le match n’est pas terminé"),
            ("other", "Autre chose"),
        ],
        widget=forms.RadioSelect,
        initial="score",
    )
    mine = forms.CharField(label="Votre score", required=False, widget=ScoreInput("mine"))
    theirs = forms.CharField(
        label="Score de l’adversaire", required=False, widget=ScoreInput("theirs")
    )
    words = forms.CharField(
        label="En une phrase", required=False, widget=forms.Textarea(attrs=SHORT)
    )
    photo = forms.FileField(
        label="Feuille de match", required=False, widget=forms.FileInput(attrs=PHOTO)
    )


class NameExample(forms.Form):
    """The fields of ratings' NameForm, for one of the names of a file."""

    key = forms.CharField(widget=forms.HiddenInput)
    who = forms.CharField(label="Joueur", required=False, widget=forms.RadioSelect)
    number = forms.CharField(
        label="Un autre joueur : son numéro ou sa licence", required=False, max_length=20
    )

    def __init__(self, row: dict[str, Any], place: int) -> None:
        super().__init__(auto_id=f"{place}_%s", initial={"key": row["key"]})
        self.row, self.place = row, place
        self.fields["number"].widget.attrs["aria-labelledby"] = f"else{place}"
        radios = self.fields["who"].widget
        assert isinstance(radios, forms.RadioSelect)
        names = [candidate["member"]["full_name"] for candidate in row["candidates"]]
        labels = [*names, "Un nouveau joueur", self.fields["number"].label]
        radios.choices = list(enumerate(labels))

    @property
    def candidates(self) -> list[tuple[Any, BoundWidget]]:
        return list(zip(self.row["candidates"], self["who"].subwidgets, strict=False))

    @property
    def new_player(self) -> BoundWidget:
        return self["who"].subwidgets[-2]

    @property
    def somebody_else(self) -> BoundWidget:
        return self["who"].subwidgets[-1]


class PinExample(forms.Form):
    """The fields of pairings' PinForm."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    pin = forms.CharField(label="Code à 4 chiffres")


class DecisionExample(forms.Form):
    """The fields of pairings' DecisionForm, with the choices and names of one match."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    choice = forms.ChoiceField(label="Résultat retenu", widget=forms.RadioSelect)
    first_score = forms.CharField(label="", required=False)
    second_score = forms.CharField(label="", required=False)
    games = forms.CharField(
        label="Manches, dans l’ordre",
        help_text="Par exemple 410-380 350-400 420-300.",
        required=False,
    )
    justified = forms.BooleanField(label="Absence justifiée", required=False)
    reason = forms.CharField(
        label="Motif, montré aux deux joueurs",
        required=False,
        widget=forms.Textarea(attrs={**SHORT, "class": "textarea--short"}),
    )

    def __init__(self, *, first: str, second: str, choices: list[tuple[str, str]], **kwargs: str):
        super().__init__(initial=kwargs)
        self.fields["choice"] = forms.ChoiceField(
            label="Résultat retenu", widget=forms.RadioSelect, choices=choices
        )
        self.fields["first_score"].label = f"Score\u00a0: {first}"
        self.fields["second_score"].label = f"Score\u00a0: {second}"
        self.fields["games"].widget = forms.HiddenInput()
        self.fields["reason"].needed = True  # type: ignore[attr-defined]


class ReasonExample(forms.Form):
    """The field of pairings' ReasonForm."""

    reason = forms.CharField(label="Motif")


class ForcedClosingExample(forms.Form):
    """The fields of pairings' ForcedClosingForm."""

    reason = forms.CharField(label="Motif, montré aux joueurs de ces matchs")
    seen = forms.CharField(widget=forms.HiddenInput)


class PublishExample(forms.Form):
    """The fields of ratings' PublishForm."""

    title = forms.CharField(label="Titre")
    note = forms.CharField(
        label="Note",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Imprimée au-dessus du classement.",
    )
    seen = forms.CharField(widget=forms.HiddenInput)
