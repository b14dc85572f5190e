"""Forms for rounds, for a director or a player: boards, scores, the systems that pair them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.forms import BoundField
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from clubs.accounts.older_pages import SeenField, row_version
from clubs.ui.widgets import DigitsInput, ScoreInput, StartForm, set_choices
from pairings.matches.forms import EntryForm, ScoreField
from pairings.matches.models import Match
from pairings.rules.match_state import Absent, Kind, Result
from pairings.systems.schedule.system import METHODS
from pairings.tournaments.models import Round, Tournament
from pairings.tournaments.rounds.publishing import NO_CLOCK
from pairings.tournaments.rules import rules_of

ABSENCES = [("", "–"), ("a", "1"), ("b", "2"), ("both", "1 + 2")]
MORE_RANGES, MOST_RANGES = 3, 12
"""Empty rows of the table of systems, and its longest length."""


class TwoPlayersForm(forms.Form):
    """Two players of a round; the second may be the fictive player."""

    first = forms.TypedChoiceField(label=_("Premier joueur"), coerce=int)
    second = forms.TypedChoiceField(label=_("Second joueur"), coerce=int)

    def __init__(
        self, *args: Any, players: list[tuple[int, str]], fictive: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        also = [(0, _("X (joueur fictif)"))] if fictive else []
        set_choices(self, "first", [("", "–"), *players])
        set_choices(self, "second", [("", "–"), *players, *also])


class PlayersForm(TwoPlayersForm):
    """The same with the reason."""

    reason = forms.CharField(label=_("Motif"), max_length=300)
    version = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def second_or_fictive(self) -> int | None:
        """Return the second player's member id; None for the fictive player."""
        return self.cleaned_data["second"] or None


class PublishForm(forms.Form):
    """A round to publish, also where players have no table or the rule would now pair otherwise."""

    unpaired = forms.BooleanField(
        label=_("Publier quand même : ces joueurs restent sans match"), required=False
    )
    outdated = forms.BooleanField(
        label=_("Publier cet appariement, bien qu’un résultat ait changé depuis"), required=False
    )


class MoveForm(StartForm):
    """Another day or hour for a round."""

    version = forms.IntegerField(widget=forms.HiddenInput, required=False)

    @classmethod
    def of(cls, row: Round) -> MoveForm:
        """Return the form with when the round begins now."""
        starts = timezone.localtime(row.starts_at)
        hour = f"{starts:%H:%M}"
        return cls(initial={"day": starts.date(), "hour": hour, "version": row.version})


class ClockForm(forms.Form):
    """How long the clock of the room runs."""

    minutes = forms.IntegerField(
        label=_("Minutes de jeu"),
        min_value=1,
        max_value=600,
        widget=DigitsInput({"size": "3"}),
    )
    seen = SeenField(required=False)

    def __init__(self, *args: Any, row: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["seen"] = row_version(row, NO_CLOCK)


class GridRowForm(forms.Form):
    """One board of the grid: scores only. Blank means not yet played."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    absent = forms.ChoiceField(label=_("Forfait"), choices=ABSENCES, required=False)

    def __init__(
        self, data: QueryDict | None, *, match: Match, games: int, low: int, high: int
    ) -> None:
        initial: dict[str, Any] = {"version": match.version, "absent": match.absent}
        if match.counts and match.kind == Kind.PLAYED:
            played = match.games or [[match.first_score, match.second_score]]
            for number, (score, other) in enumerate(played, start=1):
                initial |= {f"a{number}": score, f"b{number}": other}
        super().__init__(data, prefix=f"m{match.pk}", initial=initial)
        self.match, self.games = match, games
        for number in range(1, games + 1):
            for side, name in (("a", match.first), ("b", match.second)):
                self.fields[f"{side}{number}"] = ScoreField(
                    label=_("Score : %(name)s") % {"name": name},
                    required=False,
                    low=low,
                    high=high,
                    widget=DigitsInput({"maxlength": "5", "size": "5"}),
                )

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        typed = self.typed(answers)
        if answers.get("absent") and typed and not self.errors:
            self.add_error("absent", _("Un score ou un forfait, pas les deux."))
        for number in range(1, self.games + 1):
            one, other = answers.get(f"a{number}"), answers.get(f"b{number}")
            if (one is None) != (other is None) and not self.errors:
                missing = f"a{number}" if one is None else f"b{number}"
                self.add_error(missing, _("Saisissez les deux scores."))
        if not (typed or answers.get("absent") or self.errors) and self._was_filled(answers):
            self.add_error("a1", _("Un résultat saisi ne s’efface pas : saisissez le bon."))
        return answers

    def _was_filled(self, answers: Mapping[str, object]) -> bool:
        """Return whether the page showed a result; one of before it, of another version, did not."""
        shown = self.initial.get("a1") is not None or self.initial["absent"]
        return bool(shown) and answers.get("version") == self.match.version

    def typed(self, values: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
        """Return the completely typed games, in order."""
        pairs = ((values.get(f"a{n}"), values.get(f"b{n}")) for n in range(1, self.games + 1))
        return tuple((a, b) for a, b in pairs if a is not None and b is not None)

    def result(self) -> Result | None:
        """Return what was typed as a result; None for a blank row."""
        typed, absent = self.typed(self.cleaned_data), self.cleaned_data["absent"]
        if absent:
            return Result(Kind.ABSENT, absent=Absent(absent))
        if not typed:
            return None
        one = self.games == 1
        return Result(Kind.PLAYED, *typed[0]) if one else Result(Kind.PLAYED, games=typed)

    def pairs(self) -> list[tuple[BoundField, BoundField]]:
        """Return the fields of each game, for the template."""
        return [(self[f"a{n}"], self[f"b{n}"]) for n in range(1, self.games + 1)]


class CorrectionReasonForm(forms.Form):
    """The reason of a grid's corrections. A grid without any needs none."""

    reason = forms.CharField(
        label=_("Motif des corrections"),
        help_text=_("Demandé pour changer un résultat déjà enregistré."),
        max_length=500,
        required=False,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].needed = True  # type: ignore[attr-defined]


class GamesForm(EntryForm):
    """A two-win match on a phone: the player's score and the opponent's, game by game."""

    def __init__(self, *args: Any, games: int, low: int, high: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.games = games
        for number in range(1, games + 1):
            for side, words in (("mine", _("Votre score")), ("theirs", _("Score de l’adversaire"))):
                self.fields[f"{side}{number}"] = ScoreField(
                    label=words,
                    required=number < games,
                    low=low,
                    high=high,
                    widget=ScoreInput(side),
                )

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        last = self.games
        if (answers.get(f"mine{last}") is None) != (answers.get(f"theirs{last}") is None):
            missing = "mine" if answers.get(f"mine{last}") is None else "theirs"
            if f"{missing}{last}" not in self.errors:
                self.add_error(f"{missing}{last}", _("Saisissez les deux scores, ou aucun."))
        return answers

    def scores(self) -> list[tuple[int, int]]:
        """Return the games typed, the player's score first."""
        answers = self.cleaned_data
        pairs = (
            (answers.get(f"mine{n}"), answers.get(f"theirs{n}")) for n in range(1, self.games + 1)
        )
        return [(a, b) for a, b in pairs if a is not None and b is not None]

    def pairs(self) -> list[tuple[int, BoundField, BoundField]]:
        """Return the fields of each game, for the template."""
        return [(n, self[f"mine{n}"], self[f"theirs{n}"]) for n in range(1, self.games + 1)]


class ScheduleForm(forms.Form):
    """The system of each range of rounds: a table of a few rows, empty ones left out."""

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tournament = tournament
        ranges = list(rules_of(tournament).schedule)
        for row in range(min(len(ranges) + MORE_RANGES, MOST_RANGES)):
            first, last, system, lag = ranges[row] if row < len(ranges) else (None, None, "", 0)
            for name, value in (("first", first), ("last", last)):
                self.fields[f"{name}_{row}"] = forms.IntegerField(
                    label=_("De la ronde") if name == "first" else _("À la ronde"),
                    min_value=1,
                    max_value=40,
                    required=False,
                    initial=value,
                    widget=DigitsInput({"size": "3"}),
                )
            self.fields[f"system_{row}"] = forms.ChoiceField(
                label=_("Système"),
                choices=[("", "–"), *((code, _(label)) for code, label in METHODS.items())],
                required=False,
                initial=system,
            )
            self.fields[f"lag_{row}"] = forms.TypedChoiceField(
                label=_("Classement"),
                choices=[(0, _("après la ronde précédente")), (1, _("une ronde plus tôt"))],
                coerce=int,
                required=False,
                initial=lag,
            )
        self.size = min(len(ranges) + MORE_RANGES, MOST_RANGES)

    def rows(self) -> list[list[forms.BoundField]]:
        """Return the fields of the table, row by row."""
        names = ("first", "last", "system", "lag")
        return [[self[f"{name}_{row}"] for name in names] for row in range(self.size)]

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        for row in range(self.size):
            first, last, system = (
                answers.get(f"{name}_{row}") for name in ("first", "last", "system")
            )
            if not (first or last or system):
                continue
            for name, value in (("first", first), ("system", system)):
                if not value and f"{name}_{row}" not in self.errors:
                    self.add_error(f"{name}_{row}", _("Complétez cette ligne, ou videz-la."))
        return answers

    def rules(self) -> dict[str, Any]:
        """Return the tournament's rules with this schedule; a row of one round needs no last one."""
        answers = self.cleaned_data
        rows = [
            [
                answers[f"first_{row}"],
                answers[f"last_{row}"] or answers[f"first_{row}"],
                answers[f"system_{row}"],
                answers[f"lag_{row}"] or 0,
            ]
            for row in range(self.size)
            if answers[f"first_{row}"]
        ]
        return {**self.tournament.rules, "schedule": rows}
