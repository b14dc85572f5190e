"""What is asked of a competition that is handed to a list: official or not, arbiter, rhythm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from clubs.accounts.older_pages import SeenField
from clubs.organisations.models import Organisation
from clubs.ui.widgets import CHOOSE, DigitsInput, SeveralField, set_rows
from ratings import systems
from ratings.handovers.actions import feed_version
from ratings.ledger.models import RatingList
from ratings.systems.protocol import FactAsked

YES, NO = "yes", "no"


def fact_field(asked: FactAsked) -> forms.Field:
    """Return the field for one fact that a system asks of an event."""
    label, hint = gettext(asked.label), gettext(asked.hint) if asked.hint else ""
    if asked.kind == "yes":
        return forms.BooleanField(label=label, required=False, help_text=hint)
    if asked.kind == "number":
        return forms.IntegerField(
            label=label,
            required=False,
            min_value=0,
            max_value=10_000,
            help_text=hint,
            widget=DigitsInput(),
        )
    if asked.kind == "lines":
        return forms.CharField(
            label=label,
            required=False,
            max_length=4000,
            help_text=hint,
            widget=forms.Textarea(attrs={"rows": 3}),
        )
    return forms.CharField(label=label, required=False, max_length=120, help_text=hint)


def check_official(form: forms.Form, rating_list: RatingList, facts: Mapping[str, object]) -> None:
    """Refuse as official what the list's document would not rate, before it is computed."""
    system = systems.system(rating_list.system)()
    if not form.errors and not system.is_official(facts):
        when = gettext(system.official_when)
        words = gettext("Ce qui est déclaré ne suffit pas pour la coter : %(when)s")
        form.add_error("official", words % {"when": when})


class HandOverForm(forms.Form):
    """Official or not and why, the arbiter, and what the list's document asks of an event."""

    official = forms.ChoiceField(
        label=_("Compétition officielle"),
        choices=[(YES, _("oui, à coter")), (NO, _("non : gardée, montrée, pas cotée"))],
        widget=forms.RadioSelect,
    )
    why_not = forms.CharField(label=_("Si non, pourquoi"), max_length=200, required=False)
    arbiter = forms.CharField(label=_("Arbitre"), max_length=120, required=False)
    rhythm = forms.CharField(
        label=_("Rythme de jeu"),
        max_length=80,
        required=False,
        help_text=_("Minutes par joueur, et secondes de plus s’il y en a."),
    )
    tell = forms.BooleanField(label=_("M’écrire quand la fédération répond"), required=False)

    def __init__(self, *args: Any, rating_list: RatingList, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rating_list = rating_list
        system = systems.system(rating_list.system)
        if system.official_when:
            self.fields["official"].help_text = gettext(system.official_when)
        self.asked = [
            asked
            for asked in system.asks
            if asked.kind != "lines" and asked.name not in self.fields
        ]
        for asked in self.asked:
            self.fields[asked.name] = fact_field(asked)
        self.needed = [asked.name for asked in system.asks if asked.required]

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        if answers.get("official") == NO and not answers.get("why_not"):
            self.add_error("why_not", _("Dites pourquoi elle n’est pas officielle."))
        for name in self.needed if answers.get("official") == YES else ():
            if name not in self.errors and answers.get(name) in (None, ""):
                self.add_error(name, _("Ce champ est obligatoire pour coter la compétition."))
        if answers.get("official") == YES:
            declared = {name: value for name, value in answers.items() if name != "official"}
            check_official(self, self.rating_list, declared)
        return answers

    def fix(self) -> None:
        """Show what was said without asking again: the list has it, and is changed by its officer."""
        for name, field in self.fields.items():
            field.disabled = name != "tell"

    def facts(self) -> dict[str, Any]:
        """Return what was said, without what was left empty."""
        details = {
            name: value
            for name, value in self.cleaned_data.items()
            if name not in ("official", "tell") and value not in (None, "", False)
        }
        return {**details, "official": self.cleaned_data["official"] == YES}


class InviteForm(forms.Form):
    """A club of the federation's game, and the lists that it may feed.

    `invited`: clubs with the lists that they feed, which one of them, `chosen`, is asked to change;
    else another club is chosen, so that nobody replaces lists that they have not read.
    """

    seen = SeenField()
    club = forms.ModelChoiceField(
        label=_("Club"), queryset=Organisation.objects.none(), empty_label=CHOOSE
    )
    lists = SeveralField(
        label=_("Listes qu’il peut alimenter"),
        queryset=RatingList.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(
        self,
        *args: Any,
        federation: Organisation,
        invited: Mapping[Organisation, Sequence[RatingList]],
        chosen: Organisation | None,
        **kwargs: Any,
    ) -> None:
        lists_now = list(invited[chosen]) if chosen else []
        kwargs["initial"] = {
            "club": chosen,
            "lists": lists_now,
            "seen": feed_version(one.pk for one in lists_now),
        }
        super().__init__(*args, **kwargs)
        club, lists = self.fields["club"], self.fields["lists"]
        clubs = Organisation.objects.filter(kind=Organisation.CLUB).exclude(pk=federation.pk)
        asked = clubs.filter(game=federation.game, closed_at=None)
        others = asked.exclude(pk__in=[one.pk for one in invited])
        self.clubs = clubs.filter(pk=chosen.pk) if chosen else others
        if not chosen:
            sentence = _("Les clubs dont le jeu est %(game)s, comme celui de la fédération.")
            club.help_text = sentence % {"game": federation.game}
        set_rows(self, "club", self.clubs.order_by("name", "pk"))
        lists.required = chosen is None
        lists.help_text = _("Aucune : le club n’est plus invité.") if chosen else ""
        self.own_lists = RatingList.objects.filter(organisation=federation)
        set_rows(self, "lists", self.own_lists.order_by("name", "pk"))


class AnswerForm(forms.Form):
    """The reason of a return or of a withdrawal, and the version that was read."""

    reason = forms.CharField(
        label=_("Motif"),
        max_length=500,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Obligatoire pour la retourner au club, qui lira ce motif."),
    )
    seen = forms.IntegerField(widget=forms.HiddenInput)
