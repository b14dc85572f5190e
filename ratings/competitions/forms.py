"""Forms of the rating officer: they check shape only; actions and systems check the rest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.persons.actions import people_of
from clubs.persons.matching import clean_licence
from clubs.ui import widgets
from clubs.ui.widgets import DigitsInput, set_choices
from ratings import systems
from ratings.competitions import actions as competitions
from ratings.competitions.files.headings import DAY_FORMATS, GAMES, PLACINGS, STARTS
from ratings.competitions.files.lines import HIGHEST_SCORE, LOWEST_SCORE, by_scores
from ratings.handovers.forms import NO, YES, check_official, fact_field
from ratings.ledger.models import RatingList
from ratings.systems.protocol import FactAsked, Game
from ratings.systems.unplayed import FORFEITS, UNPLAYED_FACTS, facts_of_unplayed

SHEETS = {
    GAMES: _("des parties"),
    PLACINGS: _("une feuille de places"),
    STARTS: _("des cotes de départ"),
}


class DayField(widgets.DayField):
    """A date field that accepts 2026-11-20 and 20/11/2026."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(input_formats=DAY_FORMATS, **kwargs)


class ListForm(forms.Form):
    """Create a list: which system, which kind of game, which players."""

    system = forms.ChoiceField(label=_("Système de cote"))
    kind = forms.ChoiceField(
        label=_("Type de partie"),
        required=False,
        help_text=_("Pour le rating roumain seulement : une liste par type."),
    )
    category = forms.SlugField(
        label=_("Catégorie de joueurs"),
        max_length=20,
        required=False,
        help_text=_(
            "Par exemple seniors, jeunes (tineret), paires (perechi), équipes (echipe). "
            "Vide : toutes les catégories."
        ),
        error_messages={
            "invalid": _("Des lettres sans accent, des chiffres et des traits d’union seulement.")
        },
    )
    name = forms.CharField(label=_("Nom de la liste"), max_length=80)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(known.code, gettext(known.label)) for known in systems.SYSTEMS]
        kinds = [
            (code, gettext(words[0]))
            for known in systems.SYSTEMS
            for code, words in known.kinds.items()
        ]
        set_choices(self, "system", choices)
        set_choices(self, "kind", [("", "–"), *kinds])


class CompetitionForm(forms.Form):
    """A competition's file, and the facts that the system needs about the event."""

    file = forms.FileField(
        label=_("Fichier CSV, XLSX ou JSON"),
        help_text=_("2 Mo et 5 000 lignes au plus. Les joueurs par numéro ou par nom."),
    )
    sheet = forms.ChoiceField(label=_("Ce fichier contient"), widget=forms.RadioSelect)
    label = forms.CharField(label=_("Nom de la compétition"), max_length=120)
    held_on = DayField(label=_("Date"))
    official = forms.ChoiceField(
        label=_("Compétition officielle"),
        choices=[(YES, _("oui, à coter")), (NO, _("non : gardée, montrée, pas cotée"))],
        widget=forms.RadioSelect,
        initial=YES,
        required=False,
    )
    why_not = forms.CharField(label=_("Si non, pourquoi"), max_length=200, required=False)

    def __init__(self, *args: Any, rating_list: RatingList, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rating_list = rating_list
        system = systems.system(rating_list.system)
        self.asked = system.asks
        self.fields["official"].needed = True  # type: ignore[attr-defined]  # answered already
        if system.official_when:
            self.fields["official"].help_text = gettext(system.official_when)
        kinds = competitions.kinds_of(rating_list)
        set_choices(self, "sheet", [(kind, SHEETS[kind]) for kind in kinds])
        self.fields["sheet"].initial = kinds[0]
        for asked in self.asked:
            field = fact_field(asked)
            # Needed to rate games, not for starting cotes: `clean` checks it, so the label does not
            # mark it as optional.
            field.needed = asked.required  # type: ignore[attr-defined]
            self.fields[f"fact_{asked.name}"] = field

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        if answers.get("sheet") == STARTS:
            return answers
        if answers.get("official") == NO:
            if not answers.get("why_not"):
                self.add_error("why_not", _("Dites pourquoi elle n’est pas officielle."))
            return answers
        for asked in self.asked:
            name = f"fact_{asked.name}"
            if asked.required and name not in self.errors and answers.get(name) in (None, ""):
                self.add_error(name, _("Ce champ est obligatoire pour coter la compétition."))
            if asked.kind == "lines":
                _rows, problem = lines_of_players(answers.get(name) or "", asked)
                if problem:
                    self.add_error(name, problem)
        declared = {asked.name: answers.get(f"fact_{asked.name}") for asked in self.asked}
        check_official(self, self.rating_list, declared)
        return answers

    def facts(self) -> dict[str, Any]:
        """Return the declared facts as the draft stores them; lines about players under "named"."""
        declared_facts: dict[str, object] = {}
        named: dict[str, Any] = {}
        if self.cleaned_data.get("official") == NO and self.cleaned_data["sheet"] != STARTS:
            declared_facts = {"official": False, "why_not": self.cleaned_data["why_not"]}
        for asked in self.asked:
            value = self.cleaned_data.get(f"fact_{asked.name}")
            if value in (None, "", False):
                continue
            if asked.kind == "lines":
                named[asked.name] = split_lines(value)
            else:
                declared_facts[asked.name] = value
        return {**declared_facts, "named": named} if named else declared_facts


def split_lines(text: str) -> list[list[str]]:
    """Return one row a line, its parts split at semicolons."""
    return [
        [part.strip() for part in line.split(";")] for line in text.splitlines() if line.strip()
    ]


def lines_of_players(text: str, asked: FactAsked) -> tuple[list[list[str]], str]:
    """Return the typed lines about players, and what is wrong with the first bad one."""
    rows, parts = split_lines(text), len(asked.parts) + 1
    for number, row in enumerate(rows, start=1):
        if len(row) != parts or not all(row):
            details = {"n": number, "parts": parts}
            return [], str(_("Ligne %(n)s : il faut %(parts)s champs séparés par « ; ».") % details)
    return rows, ""


class ReasonForm(forms.Form):
    """The reason of a correction. `seen` is the version of the list that the page showed."""

    reason = forms.CharField(
        label=_("Motif"), max_length=500, widget=forms.Textarea(attrs={"rows": 3})
    )
    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, club_reads: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if club_reads:
            self.fields["reason"].help_text = _("Le club qui l’a transmise lira votre motif.")


class MergeReasonForm(ReasonForm):
    """The reason of a merge. `seen`: the versions of the lists that the page showed, by their ids."""

    seen = forms.CharField(required=False, widget=forms.HiddenInput)  # type: ignore[assignment]

    def clean_seen(self) -> object:
        """Return the versions; none for a text that no page sends, as of an older page."""
        try:
            return json.loads(self.cleaned_data["seen"] or "{}")
        except (ValueError, RecursionError):
            return {}


class TablesForm(forms.Form):
    """One table, or two cut after a round (003 §12)."""

    after = forms.TypedChoiceField(
        label=_("Tableaux"), required=False, coerce=int, empty_value=None
    )

    def __init__(self, *args: Any, rounds: Sequence[int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        two = gettext("deux, coupés après la ronde %(last)s")
        cuts = ((last, two % {"last": last}) for last in rounds)
        set_choices(self, "after", [*cuts, ("", _("un seul"))])


class BringForm(forms.Form):
    """What is said of a file before it is brought in; `doubts`: some starts can hardly be right."""

    newcomers = forms.BooleanField(
        label=_("Ce sont de nouveaux joueurs : les inscrire"), required=False
    )
    sure = forms.BooleanField(
        label=_("Ces départs sont justes"),
        error_messages={
            "required": _("Regardez les départs douteux, puis dites qu’ils sont justes.")
        },
    )

    def __init__(self, *args: Any, doubts: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not doubts:
            del self.fields["sure"]


class UnofficialForm(forms.Form):
    """Why a competition that waits is kept without being rated."""

    reason = forms.CharField(label=_("Si non, pourquoi"), max_length=200)


class DropForm(forms.Form):
    """Why a competition that was never rated is given up."""

    reason = forms.CharField(label=_("Motif"), max_length=500)


WITHDRAWN = "out"
GAME_RESULTS = [
    ("2", _("victoire")),
    ("1", _("nul")),
    ("0", _("défaite")),
    ("+", _("victoire par forfait, pas jouée")),
    ("-", _("défaite par forfait, pas jouée")),
    (WITHDRAWN, _("retirer cette partie")),
]


class GameForm(forms.Form):
    """One corrected game: result, scores, not played, or withdrawn."""

    result = forms.ChoiceField(
        label=_("Résultat du premier joueur"),
        choices=GAME_RESULTS,
        widget=forms.RadioSelect,
    )
    first_score = forms.IntegerField(
        label=_("Score du premier"),
        required=False,
        min_value=LOWEST_SCORE,
        max_value=HIGHEST_SCORE,
        widget=DigitsInput(),
    )
    second_score = forms.IntegerField(
        label=_("Score du second"),
        required=False,
        min_value=LOWEST_SCORE,
        max_value=HIGHEST_SCORE,
        widget=DigitsInput(),
    )

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        score, other = answers.get("first_score"), answers.get("second_score")
        if (score is None) != (other is None):
            self.add_error("second_score", _("Saisissez les deux scores, ou aucun."))
        elif (
            score is not None
            and other is not None
            and answers.get("result") in ("0", "1", "2")
            and int(answers["result"]) != by_scores((score, other))
        ):
            self.add_error("result", _("Le résultat ne correspond pas aux scores."))
        elif score is not None and answers.get("result") in FORFEITS:
            self.add_error("first_score", _("Une partie qui n’est pas jouée n’a pas de score."))
        return answers

    def game(self, stored: Game) -> Game:
        """Return that game as it is corrected; one that was not played is not rated."""
        answers = self.cleaned_data
        unplayed = FORFEITS.get(answers["result"])
        facts = {name: stored.facts[name] for name in stored.facts if name not in UNPLAYED_FACTS}
        return replace(
            stored,
            first_halves=int(answers["result"]) if unplayed is None else unplayed.halves,
            first_score=answers["first_score"],
            second_score=answers["second_score"],
            facts=facts if unplayed is None else facts | facts_of_unplayed(unplayed),
        )


class AddedGameForm(GameForm):
    """A game that was forgotten, or a play-off of the same table: who, and its result."""

    first = forms.CharField(
        label=_("Premier joueur"), max_length=120, help_text=_("Son numéro, sa licence ou son nom.")
    )
    second = forms.CharField(label=_("Second joueur"), max_length=120)
    round = forms.CharField(label=_("Ronde"), max_length=20, required=False)
    field_order = ("first", "second", "round")

    def __init__(self, *args: Any, organisation: Organisation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.organisation = organisation
        set_choices(self, "result", [one for one in GAME_RESULTS if one[0] != WITHDRAWN])

    def clean_first(self) -> int:
        return person_named(self.organisation, self.cleaned_data["first"])

    def clean_second(self) -> int:
        return person_named(self.organisation, self.cleaned_data["second"])

    def added_at(self, position: int) -> Game:
        """Return the game at its place after those that are there; it has no name yet."""
        answers = self.cleaned_data
        facts = {"round": answers["round"]} if answers["round"] else {}
        return self.game(
            Game("", answers["first"], answers["second"], 0, None, None, facts, position)
        )


def person_named(organisation: Organisation, typed: str) -> int:
    """Return who has this number, licence or name."""
    people = people_of(organisation)
    person_id, problem = people.find(typed.strip())
    person_id = person_id or people.by_licence.get(clean_licence(typed))
    if person_id is None:
        raise forms.ValidationError(problem or gettext("Ce joueur est inconnu."))
    return person_id


class SheetForm(forms.Form):
    """A corrected placing sheet: one line a player, place then number or name."""

    sheet = forms.CharField(
        label=_("Feuille de places"),
        max_length=40_000,
        widget=forms.Textarea(attrs={"rows": 12}),
        help_text=_("Une ligne par joueur : place ; numéro ou nom."),
    )


class EventForm(forms.Form):
    """Corrected name and date of an event."""

    label = forms.CharField(label=_("Nom de la compétition"), max_length=120)
    held_on = DayField(label=_("Date"))


class MergeForm(forms.Form):
    """Two rows that are one person, each by its number, its licence or the whole name."""

    merged = forms.CharField(
        label=_("Ce joueur"), max_length=120, help_text=_("Son numéro, sa licence ou son nom.")
    )
    kept = forms.CharField(label=_("est le même que"), max_length=120)

    def __init__(self, *args: Any, organisation: Organisation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.organisation = organisation

    def _person(self, name: str) -> Member | None:
        member_id = person_named(self.organisation, self.cleaned_data[name])
        return Member.objects.of(self.organisation).active().filter(pk=member_id).first()

    def clean_merged(self) -> Member | None:
        return self._person("merged")

    def clean_kept(self) -> Member | None:
        return self._person("kept")

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        if answers.get("merged") and answers.get("merged") == answers.get("kept"):
            self.add_error("kept", _("Choisissez un autre joueur."))
        return answers
