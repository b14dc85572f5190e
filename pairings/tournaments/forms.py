"""Forms for a director: shape only. The actions check the rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from clubs.members.forms import OfMembersForm
from clubs.members.models import Member
from clubs.rulebooks.citations import cited
from clubs.rulebooks.fields import Setting, settings_of
from clubs.rulebooks.forms import RuleField
from clubs.rulebooks.units import SECONDS, scale_of, scaled, unit_of
from clubs.rulebooks.wording import shown
from clubs.ui.french import written
from clubs.ui.widgets import DayField, DigitsInput, SeveralField, StartForm, set_choices, set_rows
from pairings.matches.forms import read_places
from pairings.rules.match_lifecycle import Lifecycle
from pairings.systems import DEFAULT
from pairings.systems.wins_and_spread.ranking import WinsAndSpread
from pairings.tournaments.models import Tournament
from pairings.tournaments.rules import (
    LONGEST_INTERVAL,
    SYSTEMS,
    WINS_AND_SPREAD,
    days_of_rounds,
    overlap,
    rules_of,
)
from ratings.ledger.models import RatingList

MATCH_SETTINGS = (
    "contest_window_s",
    "tacit_acceptance",
    "final_on_confirm",
    "absence_grace_s",
    "deadline_s",
    "min_score",
    "max_score",
    "usual_low",
    "usual_high",
)
"""What an organiser sets of a match's life: all of the club's numbers but one.

`arbiter_may_judge_own_match` is not offered: arbiters change these settings, and one who plays would
give themselves the right that 002 V.B.2 leaves to the committee. A tournament has what the club's
rules said when it was announced.
"""
BY_SPREAD = (WINS_AND_SPREAD, _("par victoires, puis écart"))


class TournamentForm(StartForm):
    """A tournament: name, dates, place, number of rounds, cote list."""

    field_order = ("name",)

    name = forms.CharField(label=_("Nom du tournoi"), max_length=120)
    hour = forms.TimeField(
        label=_("Heure de la première ronde"), widget=forms.TimeInput(attrs={"type": "time"})
    )
    ends_on = DayField(
        label=_("Dernier jour"),
        required=False,
        help_text=_("Vide : le même jour."),
    )
    place = forms.CharField(label=_("Lieu"), max_length=120, required=False)
    system = forms.ChoiceField(label=_("Système d’appariement"), choices=[])
    winning_games = forms.ChoiceField(
        label=_("Manches gagnantes par match"),
        choices=[("1", _("une manche")), ("2", _("deux manches gagnantes"))],
    )
    round_count = forms.IntegerField(
        label=_("Nombre de rondes"),
        min_value=1,
        max_value=40,
        required=False,
        widget=DigitsInput(),
        help_text=_(
            "Vide : selon les inscrits. Formule Classique : 5 de 8 à 32 inscrits, "
            "6 jusqu’à 64, 7 jusqu’à 128."
        ),
    )
    minutes = forms.IntegerField(
        label=_("Minutes par joueur"),
        min_value=1,
        max_value=600,
        initial=25,
        widget=DigitsInput(),
    )
    round_minutes = forms.IntegerField(
        label=_("Minutes d’une ronde à la suivante"),
        min_value=1,
        max_value=LONGEST_INTERVAL,
        initial=75,
        widget=DigitsInput(),
        help_text=_("1440 : une ronde par jour ; 10080 : une ronde par semaine."),
    )
    rounds_a_day = forms.IntegerField(
        label=_("Rondes par jour"),
        min_value=1,
        max_value=40,
        required=False,
        widget=DigitsInput(),
        help_text=_(
            "Pour un tournoi de plusieurs jours, dont chacun commence à l’heure du premier. "
            "Vide : les rondes se suivent."
        ),
    )
    rating_list = forms.ModelChoiceField(
        label=_("Liste des cotes initiales"),
        queryset=RatingList.objects.none(),
        required=False,
        empty_label=_("aucune : cotes saisies à la main"),
    )
    rated_on = DayField(
        label=_("Cotes à la date du"),
        required=False,
        help_text=_("Vide : le jour du tournoi."),
    )
    self_entry = forms.BooleanField(
        label=_("Les membres peuvent s’inscrire eux-mêmes"), required=False, initial=True
    )
    fee = forms.CharField(label=_("Droit d’inscription"), max_length=40, required=False)
    byoyomi = forms.IntegerField(
        label=_("Secondes de supplément par coup"),
        min_value=0,
        max_value=600,
        required=False,
        widget=DigitsInput(),
        help_text=_("Pour une liste qui les demande (shogi) ; vide : aucune."),
    )
    director = forms.CharField(label=_("Arbitre principal"), max_length=80, required=False)
    split_after = forms.IntegerField(
        label=_("Couper le tableau de cotes après la ronde"),
        min_value=1,
        max_value=39,
        required=False,
        widget=DigitsInput(),
        help_text=_(
            "Pour une liste qui calcule un tableau entier, au-delà de 16 parties par "
            "joueur ; à décider avant la première ronde. Vide : un seul tableau."
        ),
    )

    def __init__(self, *args: Any, lists: QuerySet[RatingList], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "system", [(code, _(one.label)) for code, one in SYSTEMS.items()])
        set_rows(self, "rating_list", lists)
        if not self.is_bound:
            self.fields["system"].initial = self.initial.get("system", DEFAULT.code)

    def clean(self) -> dict[str, Any]:
        answers = super().clean() or {}
        times = ("day", "ends_on", "round_count", "round_minutes", "rounds_a_day")
        if not set(times) & set(self.changed_data):
            return answers  # as they are stored: they were accepted when less was asked
        day, last, rounds, minutes, a_day = map(answers.get, times)
        if day and last and last < day:
            self.add_error("ends_on", _("Le dernier jour vient avant le premier."))
        elif a_day and minutes and overlap(rounds, minutes=minutes, a_day=a_day):
            self.add_error("rounds_a_day", _("À cet intervalle, elles ne tiennent pas en un jour."))
        elif day and rounds and minutes:
            until = day + timedelta(days=days_of_rounds(rounds, minutes=minutes, a_day=a_day))
            if (last or day) < until:
                words = _("Avec ces rondes, le dernier jour est au plus tôt le %(day)s.")
                self.add_error("ends_on", words % {"day": written(until, "j F Y")})
        return answers

    def details(self) -> dict[str, Any]:
        """Return everything for the actions but the system and its rules."""
        answers = self.cleaned_data
        apart = ("day", "hour", "system", "winning_games")
        kept = {name: answer for name, answer in answers.items() if name not in apart}
        return {**kept, "byoyomi": answers["byoyomi"] or 0, "held_on": answers["day"]}

    def rules(self, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the rules of the system after this form.

        Only the number of winning games is a field here.
        """
        system = SYSTEMS[self.cleaned_data["system"]]
        known = {field.name for field in dataclasses.fields(system)}
        kept = {name: value for name, value in (before or {}).items() if name in known}
        if "winning_games" in known:
            kept["winning_games"] = int(self.cleaned_data["winning_games"])
        return kept


class RulesForm(forms.Form):
    """The tournament's own numbers: ranking, tie-breaks and forfeits, match lifecycle."""

    ranking = forms.ChoiceField(
        label=_("Classement"),
        choices=[BY_SPREAD],
        required=False,
        help_text=_("Victoire 1, match nul ½ ; l’écart additionne les différences de score."),
    )

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tournament = tournament
        rules = rules_of(tournament)
        spread = rules.wins_and_spread
        ranking = self.fields["ranking"]
        set_choices(self, "ranking", [("", _(rules.ranks_by)), BY_SPREAD])
        ranking.initial = "" if spread is None else WINS_AND_SPREAD
        asked = self.data.get("ranking") if self.is_bound else ranking.initial
        if not asked:
            ranking.help_text += " " + _(
                "Ses réglages apparaissent ici une fois le classement choisi et enregistré."
            )
        else:
            self._add("s_", settings_of(WinsAndSpread), spread or WinsAndSpread())
            for name in settings_of(WinsAndSpread):
                self.fields[f"s_{name}"].required = False
        hidden = (*rules.edited_apart, *(rules.own_ranking_fields if spread is not None else ()))
        settings = {name: words for name, words in settings_of(rules).items() if name not in hidden}
        self._add("r_", settings, rules)
        life = settings_of(Lifecycle)
        chosen = {name: life[name] for name in MATCH_SETTINGS}
        self._add("m_", chosen, Lifecycle(**tournament.match_rules))

    def _add(self, prefix: str, settings: Mapping[str, Setting], stored: object) -> None:
        document = type(stored)()
        for name, words in settings.items():
            field = field_for(words, getattr(stored, name), getattr(document, name))
            if field is not None:
                self.fields[f"{prefix}{name}"] = field

    def values(self, prefix: str) -> dict[str, Any]:
        """Return what was typed for the system ("r_"), its spread ("s_") or a match's life ("m_")."""
        return {
            name.removeprefix(prefix): value
            for name, value in self.cleaned_data.items()
            if name.startswith(prefix)
        }

    def match_rules(self) -> dict[str, Any]:
        """Return the numbers of the match lifecycle, with those that this form does not show."""
        return {**self.tournament.match_rules, **self.values("m_")}

    def rules(self) -> dict[str, Any]:
        """Return the system's values, with those that this form does not show."""
        unseen = {n: v for n, v in self.tournament.rules.items() if f"r_{n}" not in self.fields}
        values = {name: value for name, value in self.values("s_").items() if value is not None}
        spread = values if self.cleaned_data["ranking"] else None
        return {**unseen, **self.values("r_"), WINS_AND_SPREAD: spread}


def field_for(words: Setting, value: object, document: object) -> forms.Field | None:
    """Return the field of one number; a duration is typed in minutes or days, as in the rule book."""
    hint = " ".join(str(_(text)) for text in words.sentences(empty=True))
    article = cited(words.article)
    shared: dict[str, Any] = {
        "label": _(words.label),
        "initial": "" if value is None else value,
        "help_text": f"{hint} ({article})" if hint else article,
    }
    if words.choices:
        return forms.TypedChoiceField(
            choices=[(code, _(label)) for code, label in words.choices],
            coerce=int if isinstance(value, int) else str,
            **shared,
        )
    if isinstance(value, bool):
        return forms.BooleanField(required=False, **shared)
    if words.unit == SECONDS:
        scale, unit = scale_of(document, words.unit)
        shared["label"] = f"{shared['label']} ({unit_of(None, unit)})"
        shared["initial"] = shown(scaled(value, scale))
        return RuleField(words=words, default=document, scale=scale, **shared)
    if isinstance(value, int) or (value is None and words.nullable):
        return forms.IntegerField(
            required=not words.nullable,
            min_value=int(words.minimum) if words.minimum is not None else None,
            max_value=int(words.maximum) if words.maximum is not None else None,
            widget=DigitsInput(),
            **shared,
        )
    return None


class TablesForm(forms.Form):
    """The organiser's own predetermined rounds for one number of players (004 §6.2)."""

    size = forms.TypedChoiceField(
        label=_("Nombre de joueurs, X compris"),
        coerce=int,
        choices=[(size, str(size)) for size in range(8, 17, 2)],
    )
    rounds = forms.CharField(
        label=_("Rondes"),
        help_text=_("Une ronde par ligne, des places du classement initial : 1-8 2-7 3-6 4-5."),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    file = forms.FileField(label=_("Ou un fichier texte de la même forme"), required=False)

    def clean(self) -> dict[str, Any]:
        answers = super().clean() or {}
        text, sent = answers.get("rounds", ""), answers.get("file")
        if sent is not None:
            if sent.size > 20_000:
                self.add_error("file", _("Ce fichier dépasse la taille permise (20 ko)."))
                return answers
            text = sent.read().decode("utf-8-sig", errors="replace")
        try:
            answers["table"] = [read_places(line) for line in text.splitlines() if line.strip()]
        except forms.ValidationError as refused:
            self.add_error("rounds" if sent is None else "file", refused)
            return answers
        if not answers["table"]:
            self.add_error("rounds", _("Donnez au moins une ronde."))
        return answers

    def tables(self, stored: Any) -> list[list[Any]]:
        """Return all the organiser's tables as JSON, with this one in its place."""
        size = self.cleaned_data["size"]
        others = [[n, rounds] for n, rounds in stored if n != size]
        table = [[list(pair) for pair in pairs] for pairs in self.cleaned_data["table"]]
        return sorted([*others, [size, table]], key=lambda item: item[0])


class EntryForm(OfMembersForm):
    """A member, or a newcomer by name, entered at the desk."""

    member = forms.ModelChoiceField(
        label=_("Membre du club"),
        queryset=Member.objects.none(),
        required=False,
        empty_label=_("un joueur extérieur, nommé ci-dessous"),
    )
    first_name = forms.CharField(label=_("Prénom"), max_length=60, required=False)
    last_name = forms.CharField(label=_("Nom"), max_length=60, required=False)
    home_club = forms.CharField(label=_("Club"), max_length=60, required=False)
    cote = forms.IntegerField(
        label=_("Cote"),
        min_value=0,
        max_value=4000,
        required=False,
        widget=DigitsInput({"maxlength": "5"}),
        help_text=_("Vide : celle de la liste choisie."),
    )
    cote_origin = forms.ChoiceField(
        label=_("Origine de la cote"),
        choices=[("", "–"), ("PL", "PL"), ("PL*", "PL*")],
        required=False,
    )
    paid = forms.BooleanField(label=_("Droit payé"), required=False)

    def __init__(self, *args: Any, has_fee: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not has_fee:
            del self.fields["paid"]

    def clean(self) -> dict[str, Any]:
        answers = super().clean() or {}
        if answers.get("member") is None and not answers.get("first_name", "").strip():
            self.add_error("member", _("Choisissez un membre, ou donnez au moins un prénom."))
        return answers


class ManyForm(forms.Form):
    """Several members at once, with the cotes of the tournament's list."""

    members = SeveralField(
        label=_("Membres du club"),
        queryset=Member.objects.none(),
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, members: QuerySet[Member], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_rows(self, "members", members)


class FileForm(forms.Form):
    """A CSV or XLSX file of entries."""

    file = forms.FileField(label=_("Fichier CSV ou XLSX"))


class CoteForm(forms.Form):
    """One cote, changed before the ranking is frozen; empty for a player without one."""

    cote = forms.IntegerField(
        label=_("Cote"),
        min_value=0,
        max_value=4000,
        required=False,
        widget=DigitsInput({"class": "short", "size": "5", "maxlength": "4"}),
    )
