"""Forms for arbiters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from clubs.members.models import Member
from clubs.ui.widgets import CHOOSE, DigitsInput, set_choices, set_rows
from pairings.arbitration.models import Contest
from pairings.matches.forms import ScoreField, read_games
from pairings.matches.models import Match
from pairings.matches.state import result_of
from pairings.rules.match_state import Absent, Event, Kind, Result
from pairings.systems.points.match_points import GAME_PROBLEMS, games_won, problem_with
from ratings.ledger.replay import Difference

KEEP, TAKE, OTHER = "keep", "take", "other"
ABSENT = {f"absent_{side.value}": side for side in Absent}
CANCEL = "cancel"


def _need_reason(form: forms.Form) -> None:
    """Ask for the reason that the act needs; "Voir l’effet" alone passes without one."""
    reason = form.fields["reason"]
    reason.required = "preview" not in form.data
    reason.needed = True  # type: ignore[attr-defined]


def _ask_scores(form: forms.Form, match: Match) -> None:
    """Name the players beside the two scores, within the bounds of the match's rules."""
    rules = match.competition.match_rules()
    players = {"first_score": match.first, "second_score": match.second}
    for name, player in players.items():
        score = form.fields[name]
        assert isinstance(score, ScoreField)
        score.low, score.high = rules.min_score, rules.max_score
        score.needed = True  # type: ignore[attr-defined]
        score.label = _("Score : %(name)s") % {"name": player or ""}


def _need_scores(form: forms.Form) -> None:
    for name in ("first_score", "second_score"):
        if form.cleaned_data.get(name) is None and name not in form.errors:
            form.add_error(name, _("Saisissez le score."))


class DecisionForm(forms.Form):
    """Keep the result, take the other version, another score, an absence, or cancel; always with a
    reason.
    """

    version = forms.IntegerField(widget=forms.HiddenInput)
    choice = forms.ChoiceField(label=_("Résultat retenu"), widget=forms.RadioSelect)
    first_score = ScoreField(label="", required=False)
    second_score = ScoreField(label="", required=False)
    games = forms.CharField(
        label=_("Manches, dans l’ordre"),
        help_text=_("Par exemple 410-380 350-400 420-300."),
        max_length=80,
        required=False,
    )
    justified = forms.BooleanField(label=_("Absence justifiée"), required=False)
    reason = forms.CharField(
        label=_("Motif, montré aux deux joueurs"),
        max_length=500,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "class": "textarea--short"}),
    )

    def __init__(self, *args: Any, match: Match, contest: Contest | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.match, self.contest = match, contest
        self.needed = match.competition.winning_games()
        for name in ("first_score", "second_score") if self.needed > 1 else ("games",):
            self.fields[name].widget = forms.HiddenInput()
        _need_reason(self)
        set_choices(self, "choice", self._choices())
        self.fields["choice"].required = not self._only_answers
        _ask_scores(self, match)

    def _choices(self) -> Iterator[tuple[str, object]]:
        match, contest = self.match, self.contest
        if match.second is None:
            yield CANCEL, _("Annuler l’exemption")
            return
        if match.kind == Kind.PLAYED:
            kept = _("Garder le résultat saisi :")
            if match.is_ruled:
                kept = _("Garder le résultat décidé :")
            yield KEEP, self._words(kept, match.first_score, match.second_score)
        claimed = contest is not None and contest.first_score is not None
        if contest is not None and claimed and (self.needed == 1 or contest.games):
            yield (
                TAKE,
                self._words(
                    _("Retenir le résultat contesté :"), contest.first_score, contest.second_score
                ),
            )
        yield OTHER, _("Autre score")
        yield "absent_a", _("Absence : %(name)s") % {"name": match.first}
        yield "absent_b", _("Absence : %(name)s") % {"name": match.second}
        yield "absent_both", _("Absence des deux : match annulé")
        yield CANCEL, _("Annuler le match : les joueurs pourront rejouer")

    def _words(self, verb: object, first: int | None, second: int | None) -> str:
        a, b = first or 0, second or 0
        winner = self.match.first if a > b else self.match.second if b > a else None
        name = winner and winner.first_name_for(viewer_is_member=True)
        outcome = _("%(name)s gagne") % {"name": name} if name else _("match nul")
        # A browser may break a line after a dash, also before a no-break space, but not at a joiner.
        return f"{verb} {a}\u00a0–\u2060\u00a0{b}, {outcome}"

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        if answers.get("choice") == OTHER and self.needed > 1 and not self._only_answers:
            self._check_games(answers)
        elif answers.get("choice") == OTHER and not self._only_answers:
            _need_scores(self)
        return answers

    def _check_games(self, values: dict[str, Any]) -> None:
        try:
            values["read_games"] = read_games(values.get("games", ""))
        except forms.ValidationError as refused:
            self.add_error("games", refused)
            return
        problem = problem_with(values["read_games"], self.needed)
        if problem is not None:
            self.add_error("games", gettext(GAME_PROBLEMS[problem]))

    @property
    def _only_answers(self) -> bool:
        """Return whether the button was "Répondre sans rien changer", which needs only a reason."""
        return "refuse" in self.data

    def result(self) -> Result | None:
        """Return the chosen result, for the actions and the preview; None while it is incomplete."""
        answers, match = getattr(self, "cleaned_data", {}), self.match
        choice = answers.get("choice")
        if choice == OTHER and self.needed > 1:
            games = answers.get("read_games", ())
            if problem_with(games, self.needed) is not None:
                return None
            return Result(Kind.PLAYED, *games_won(games), games=games)
        if not choice or (
            choice == OTHER and None in (answers.get("first_score"), answers.get("second_score"))
        ):
            return None
        if choice == KEEP:
            return result_of(match)
        if choice == TAKE:
            assert self.contest is not None
            return result_of(self.contest)
        if choice == OTHER:
            return Result(Kind.PLAYED, answers["first_score"], answers["second_score"])
        if choice in ABSENT:
            return Result(
                Kind.ABSENT, absent=ABSENT[choice], justified=answers.get("justified", False)
            )
        return Result(Kind.CANCELLED)


class ReasonForm(forms.Form):
    """One mandatory reason."""

    reason = forms.CharField(label=_("Motif"), max_length=500)


class ForcedClosingForm(forms.Form):
    """The reason to close an evening with open matches, and the consequences that were read."""

    reason = forms.CharField(label=_("Motif, montré aux joueurs de ces matchs"), max_length=500)
    seen = forms.CharField(widget=forms.HiddenInput)


class OpinionForm(forms.Form):
    """A question to the other arbiters, or the answer to one."""

    words = forms.CharField(max_length=500, widget=forms.Textarea(attrs={"rows": 3}))

    def __init__(self, *args: Any, asks: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        label = _("Votre question, en une phrase") if asks else _("Votre avis, en une phrase")
        self.fields["words"].label = label


class JudgeForm(ReasonForm):
    """An arbiter's decision on an open match."""

    act = forms.ChoiceField(label=_("Que faire ?"), widget=forms.RadioSelect)
    first_score = ScoreField(label="", required=False)
    second_score = ScoreField(label="", required=False)
    justified = forms.BooleanField(label=_("Absence justifiée"), required=False)
    field_order = ["act", "first_score", "second_score", "justified", "reason"]
    NEEDS_REASON = frozenset({Event.CONTEST.value, Event.CANCEL.value})

    def __init__(self, *args: Any, allowed: frozenset[Event], match: Match, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = False
        self.fields["reason"].needed = True  # type: ignore[attr-defined]
        _ask_scores(self, match)
        if match.kind or match.competition.winning_games() > 1:
            # A result that a player entered is contested; games are typed in the grid of the round.
            allowed -= {Event.RECORD}
        acts = [
            (Event.CONTEST.value, _("Contester ce résultat")),
            (Event.RECORD.value, _("Saisir les scores de la feuille de match")),
            ("absent_a", _("Absence : %(name)s") % {"name": match.first}),
            ("absent_b", _("Absence : %(name)s") % {"name": match.second}),
            ("absent_both", _("Absence des deux")),
            (Event.START.value, _("Lancer le match")),
            (Event.CANCEL.value, _("Annuler le match")),
        ]
        offered = [
            (code, words)
            for code, words in acts
            if (Event.MARK_ABSENT if code in ABSENT else code) in allowed
        ]
        set_choices(self, "act", offered)

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        if answers.get("act") == Event.RECORD:
            _need_scores(self)
        missing = answers.get("act") in self.NEEDS_REASON and not answers.get("reason")
        if missing and "preview" not in self.data:
            self.add_error("reason", _("Le motif est obligatoire."))
        return answers

    def result(self) -> Result | None:
        """Return the result that the chosen act gives the match; None for one that gives none."""
        answers = getattr(self, "cleaned_data", {})
        act = answers.get("act", "")
        if act in ABSENT:
            return Result(Kind.ABSENT, absent=ABSENT[act], justified=answers["justified"])
        if act == Event.RECORD and not self.errors:
            return Result(Kind.PLAYED, answers["first_score"], answers["second_score"])
        return Result(Kind.CANCELLED) if act == Event.CANCEL else None


class PairForm(ReasonForm):
    """Two waiting players to pair by hand."""

    first = forms.ModelChoiceField(
        label=_("Premier joueur"), queryset=Member.objects.none(), empty_label=CHOOSE
    )
    second = forms.ModelChoiceField(
        label=_("Second joueur"), queryset=Member.objects.none(), empty_label=CHOOSE
    )
    field_order = ["first", "second", "reason"]

    def __init__(self, *args: Any, waiting: QuerySet[Member], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_rows(self, "first", waiting)
        set_rows(self, "second", waiting)


class SwapForm(ReasonForm):
    """Two tables to swap where neither match has started."""

    one = forms.ModelChoiceField(
        label=_("Première table"), queryset=Match.objects.none(), empty_label=CHOOSE
    )
    other = forms.ModelChoiceField(
        label=_("Seconde table"), queryset=Match.objects.none(), empty_label=CHOOSE
    )
    field_order = ["one", "other", "reason"]

    def __init__(self, *args: Any, tables: QuerySet[Match], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("one", "other"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = tables
            field.label_from_instance = table_words  # type: ignore[method-assign, assignment]


def table_words(match: Match) -> str:
    """Return the label of a table in a select."""
    return _("Table %(n)s : %(first)s – %(second)s") % {
        "n": match.table_number,
        "first": match.first,
        "second": match.second,
    }


class ReviewForm(ReasonForm):
    """Whether an excuse is accepted. `seen`: the version of the absence that was read."""

    justified = forms.ChoiceField(
        label=_("Absence justifiée ?"),
        choices=[("yes", _("Oui, justifiée")), ("no", _("Non"))],
        widget=forms.RadioSelect,
    )
    seen = forms.CharField(required=False, widget=forms.HiddenInput)
    field_order = ["justified", "reason"]


class SanctionForm(forms.Form):
    """The committee's decision on a proposal. "Voir l’effet" needs no reason."""

    sessions = forms.IntegerField(
        label=_("Suspension"),
        min_value=0,
        max_value=100,  # as `suspension_rounds`, which proposes it
        initial=0,
        required=False,
        widget=DigitsInput(),
    )
    from_tonight = forms.BooleanField(
        label=_("Dès maintenant"),
        help_text=_("La personne quitte la liste de ce soir ; ce soir n’est pas compté."),
        required=False,
    )
    cut_percent = forms.DecimalField(
        label=_("Réduction de la cote"),
        min_value=0,
        max_value=99,
        decimal_places=2,
        initial=0,
        required=False,
        localize=True,
        widget=DigitsInput(mode="decimal"),
    )
    reason = forms.CharField(
        label=_("Motif"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2, "class": "textarea--short"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _need_reason(self)


class LiftForm(ReasonForm):
    """End a sanction, and undo its cut if the box is ticked.

    `seen`: version of the preview that was read.
    """

    give_back = forms.BooleanField(label=_("Annuler aussi la réduction de la cote"), required=False)
    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, preview: Difference | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if preview is None:
            del self.fields["give_back"], self.fields["seen"]

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        if answers.get("give_back") and answers.get("seen") is None:
            self.add_error("give_back", _("Relisez d’abord l’effet sur les cotes."))
        return answers


class TextForm(forms.Form):
    """One text: an excuse, an appeal or an answer."""

    text = forms.CharField(
        label=_("En une ou deux phrases"), max_length=800, widget=forms.Textarea(attrs={"rows": 3})
    )
