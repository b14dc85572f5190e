"""Forms for the boards of a round, for a director or a player: shape only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pairings.matches.forms import ScoreField
from pairings.matches.models import Match

ABSENCES = [("", "–"), ("a", "1"), ("b", "2"), ("both", "1 + 2")]


class PlayersForm(forms.Form):
    """Two players of a round and the reason; the second may be the fictive player."""

    first = forms.TypedChoiceField(label=_("Premier joueur"), coerce=int)
    second = forms.TypedChoiceField(label=_("Second joueur"), coerce=int)
    reason = forms.CharField(label=_("Motif"), max_length=300)
    version = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(
        self, *args: Any, players: list[tuple[int, str]], fictive: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        for name in ("first", "second"):
            field = self.fields[name]
            assert isinstance(field, forms.TypedChoiceField)
            also = [(0, _("X (joueur fictif)"))] if fictive and name == "second" else []
            field.choices = [("", "–"), *players, *also]

    def second_or_fictive(self) -> int | None:
        """Return the second player's member id; None for the fictive player."""
        return self.cleaned_data["second"] or None


class GridRowForm(forms.Form):
    """One board of the grid: scores only. Blank means not yet played."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    absent = forms.ChoiceField(label=_("Forfait"), choices=ABSENCES, required=False)

    def __init__(
        self, data: Any, *, match: Match, games: int, low: int, high: int, initial: dict[str, Any]
    ) -> None:
        super().__init__(data, prefix=f"m{match.pk}", initial=initial)
        self.match, self.games = match, games
        for number in range(1, games + 1):
            for side, name in (("a", match.first), ("b", match.second)):
                self.fields[f"{side}{number}"] = ScoreField(
                    label=_("Score : %(name)s") % {"name": name},
                    required=False,
                    low=low,
                    high=high,
                )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        typed = self.typed(given)
        if given.get("absent") and typed and not self.errors:
            self.add_error("absent", _("Un score ou un forfait, pas les deux."))
        for number in range(1, self.games + 1):
            one, other = given.get(f"a{number}"), given.get(f"b{number}")
            if (one is None) != (other is None) and not self.errors:
                missing = f"a{number}" if one is None else f"b{number}"
                self.add_error(missing, _("Saisissez les deux scores."))
        return given

    def typed(self, given: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
        """Return the completely typed games, in order."""
        pairs = ((given.get(f"a{n}"), given.get(f"b{n}")) for n in range(1, self.games + 1))
        return tuple((a, b) for a, b in pairs if a is not None and b is not None)

    def pairs(self) -> list[tuple[Any, Any]]:
        """Return the fields of each game, for the template."""
        return [(self[f"a{n}"], self[f"b{n}"]) for n in range(1, self.games + 1)]


class GamesForm(forms.Form):
    """A two-win match on a phone: the player's score and the opponent's, game by game."""

    key = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, games: int, low: int, high: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.games = games
        for number in range(1, games + 1):
            for side, words in (("mine", _("Votre score")), ("theirs", _("Score de l’adversaire"))):
                self.fields[f"{side}{number}"] = ScoreField(
                    label=words, required=number < games, low=low, high=high
                )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        last = self.games
        if (given.get(f"mine{last}") is None) != (given.get(f"theirs{last}") is None):
            missing = "mine" if given.get(f"mine{last}") is None else "theirs"
            if f"{missing}{last}" not in self.errors:
                self.add_error(f"{missing}{last}", _("Saisissez les deux scores, ou aucun."))
        return given

    def scores(self) -> list[tuple[int, int]]:
        """Return the games typed, the player's score first."""
        given = self.cleaned_data
        pairs = ((given.get(f"mine{n}"), given.get(f"theirs{n}")) for n in range(1, self.games + 1))
        return [(a, b) for a, b in pairs if a is not None and b is not None]

    def pairs(self) -> list[tuple[int, Any, Any]]:
        """Return the fields of each game, for the template."""
        return [(n, self[f"mine{n}"], self[f"theirs{n}"]) for n in range(1, self.games + 1)]
