"""Forms for players and arbiters: shape only. The actions check the rules."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any, ClassVar

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from clubs.accounts.older_pages import SeenField, row_version
from clubs.ui.widgets import (
    OWN_FIRST_NAME,
    OWN_LAST_NAME,
    DayField,
    DigitsInput,
    PinField,
    ScoreInput,
    StartForm,
)
from pairings.arbitration.models import Contest
from pairings.evenings.models import Evening
from pairings.rules.match_settings import LifecycleSettings

PHOTO_LIMIT = 8 * 1024 * 1024


class ScoreField(forms.Field):
    """A whole number typed on a phone: ignores spaces, accepts any minus sign, one error message."""

    widget = DigitsInput({"maxlength": "5"})
    default_error_messages = {
        "required": _("Saisissez le score."),
        "shape": _("« %(typed)s » n’est pas un score : saisissez un nombre entier."),
        "bounds": _("Saisissez un score entre %(low)s et %(high)s."),
    }

    def __init__(self, *, low: int = -200, high: int = 2000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.low, self.high = low, high

    def clean(self, value: object) -> int | None:
        typed = str(value or "")
        text = re.sub(r"\s", "", typed).replace("\u2212", "-")
        if not text:
            if self.required:
                raise forms.ValidationError(self.error_messages["required"], code="required")
            return None
        if not re.fullmatch(r"-?[0-9]{1,7}", text):
            raise forms.ValidationError(
                self.error_messages["shape"], code="shape", params={"typed": typed[:20]}
            )
        number = int(text)
        if not self.low <= number <= self.high:
            raise forms.ValidationError(
                self.error_messages["bounds"],
                code="bounds",
                params={
                    "low": f"\u2212{-self.low}" if self.low < 0 else self.low,
                    "high": self.high,
                },
            )
        return number


class PhotoField(forms.FileField):
    """A photo of the score sheet, of 8 MB at most; None where none is sent."""

    widget = forms.FileInput(attrs={"accept": "image/*", "data-photo": True})

    def __init__(self) -> None:
        super().__init__(label=_("Feuille de match"), required=False)

    def clean(self, data: object, initial: object = None) -> UploadedFile | None:
        photo: UploadedFile | None = super().clean(data, initial)
        if photo is not None and (photo.size or 0) > PHOTO_LIMIT:
            raise forms.ValidationError(_("Cette photo dépasse 8 Mo : reprenez-la plus petite."))
        return photo


def _bound_scores(form: forms.Form, rules: LifecycleSettings) -> None:
    """Set the bounds in force on both score fields."""
    for name in ("mine", "theirs"):
        field = form.fields[name]
        assert isinstance(field, ScoreField)
        field.low, field.high = rules.min_score, rules.max_score


class EntryForm(forms.Form):
    """What every entry of a result carries: its idempotency key, and the version that was read."""

    key = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)
    version = forms.IntegerField(min_value=0, required=False, widget=forms.HiddenInput)

    def read(self) -> int:
        """Return the version of the match that the reader's page knew; 0 where it says none."""
        return self.cleaned_data["version"] or 0


class ScoreForm(EntryForm):
    """The player's score, the opponent's, and the idempotency key.

    `seen`: the scores ("400-40") whose warnings the reader has read, here or as they typed.
    """

    mine = ScoreField(label=_("Votre score"), widget=ScoreInput("mine"))
    theirs = ScoreField(label=_("Score de l’adversaire"), widget=ScoreInput("theirs"))
    seen = forms.CharField(max_length=11, required=False, widget=forms.HiddenInput)
    photo = PhotoField()

    def __init__(self, *args: Any, rules: LifecycleSettings, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rules = rules
        _bound_scores(self, rules)
        first = self.fields["mine"].widget.attrs
        first["data-high"] = rules.max_score
        if not self.is_bound and "mine" not in self.initial:  # nothing to correct or to read first
            first |= {"autofocus": True, "data-autofocus": True}

    def doubts(self, before: str) -> list[str]:
        """Return what is rare about two valid scores, in words; [] where the reader has read it.

        `before`: the scores of their match before ("389-398"), or "". The same is said by entry.js.
        """
        low, high = self.rules.usual_low, self.rules.usual_high
        mine, theirs = self.cleaned_data["mine"], self.cleaned_data["theirs"]
        scores = f"{mine}-{theirs}"
        if self.cleaned_data["seen"] == scores:
            return []
        doubts: list[object] = [_("Match nul : est-ce bien cela ?")] if mine == theirs else []
        if low is not None and min(mine, theirs) < low:
            doubts.append(_("Un score sous %(low)s est rare : relisez-le.") % {"low": low})
        if high is not None and max(mine, theirs) > high:
            doubts.append(
                _("Un score au-dessus de %(high)s est rare : relisez-le.") % {"high": high}
            )
        if self.rules.has_rare_scores and scores == before:
            doubts.append(_("Ce sont les scores de votre match précédent : relisez-les."))
        return [str(doubt) for doubt in doubts]


class VersionForm(forms.Form):
    """The version of the match that the reader saw."""

    version = forms.IntegerField(widget=forms.HiddenInput)


class DisputeForm(VersionForm):
    """What is wrong, the right scores if known, a message, a photo."""

    subject = forms.ChoiceField(
        label=_("Qu’est-ce qui ne va pas ?"),
        choices=[
            choice
            for choice in Contest.Subject.choices
            if choice[0]
            in (Contest.Subject.WRONG_SCORE, Contest.Subject.NOT_OVER, Contest.Subject.OTHER)
        ],
        widget=forms.RadioSelect,
        initial=Contest.Subject.WRONG_SCORE,
    )
    mine = ScoreField(label=_("Votre score"), required=False, widget=ScoreInput("mine"))
    theirs = ScoreField(
        label=_("Score de l’adversaire"), required=False, widget=ScoreInput("theirs")
    )
    words = forms.CharField(
        label=_("En une phrase"),
        max_length=300,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    photo = PhotoField()

    def __init__(self, *args: Any, rules: LifecycleSettings, by_games: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _bound_scores(self, rules)
        self.by_games = by_games

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        mine, theirs = answers.get("mine"), answers.get("theirs")
        wrong_score = answers.get("subject") == Contest.Subject.WRONG_SCORE
        if wrong_score and not self.by_games:
            # An arbiter compares two versions: a contest of a score gives the second one.
            for name in ("mine", "theirs"):
                if name in answers and answers[name] is None:
                    self.add_error(name, ScoreField.default_error_messages["required"])
        elif (mine is None) != (theirs is None) and not self.errors:
            self.add_error(
                "mine" if mine is None else "theirs", _("Saisissez les deux scores, ou aucun.")
            )
        if (
            answers.get("subject") == Contest.Subject.OTHER
            and not (answers.get("words") or "").strip()
        ):
            self.add_error("words", _("Dites en une phrase ce qui ne va pas."))
        return answers


class PinForm(VersionForm):
    """The other player's four digits on this phone; nothing to type where their card was read."""

    pin = forms.CharField(label=_("Code à 4 chiffres"), min_length=4, max_length=4, strip=True)

    def __init__(self, *args: Any, by_card: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if by_card:
            del self.fields["pin"]


class PinDisputeForm(PinForm):
    """The same with their own version of the scores: theirs first, as on their own phone."""

    mine = ScoreField(label=_("Votre score"), widget=ScoreInput("mine"))
    theirs = ScoreField(label=_("Score de l’adversaire"), widget=ScoreInput("theirs"))

    def __init__(self, *args: Any, rules: LifecycleSettings, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _bound_scores(self, rules)


class CodeForm(forms.Form):
    """The evening's code, as written on the poster or the wall screen."""

    code = forms.RegexField(
        r"^[A-Za-z0-9 ]+\Z",
        label=_("Code de la soirée"),
        max_length=12,
        strip=True,  # of spaces alone nothing would be left
        error_messages={"invalid": _("Un code n’a que des lettres et des chiffres.")},
    )

    def clean_code(self) -> str:
        """Return it as the evening has it: large letters, no spaces."""
        return "".join(self.cleaned_data["code"].split()).upper()


class NumberForm(forms.Form):
    """A player's number and code, for a phone that is not linked to a member yet."""

    number = forms.CharField(label=_("Numéro de joueur"), max_length=6, widget=DigitsInput())
    pin = PinField(label=_("Code à 4 chiffres"))


class GuestForm(forms.Form):
    """A newcomer at check-in."""

    first_name = forms.CharField(
        label=_("Prénom"), max_length=60, widget=forms.TextInput(OWN_FIRST_NAME)
    )
    last_name = forms.CharField(
        label=_("Initiale ou nom"),
        max_length=60,
        required=False,
        widget=forms.TextInput(OWN_LAST_NAME),
    )


class EarlyForm(forms.Form):
    """The arbiter's agreement to a repeat before its time."""

    early = forms.BooleanField(label=_("J’accepte cette revanche avant le délai"), required=False)


class AbsenceForm(forms.Form):
    """A message to deny an absence ("J’étais là")."""

    words = forms.CharField(
        label=_("En une phrase"),
        max_length=300,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class EveningForm(StartForm):
    """Announce an evening."""

    TOLD_BESIDE: ClassVar[dict[str, str]] = {"same_start": "hour", "no_season": "day"}
    """Code of a refusal → the field it is shown beside."""

    place = forms.CharField(label=_("Lieu"), max_length=120, required=False)
    auto_pair = forms.BooleanField(
        label=_("Apparier dès que deux joueurs libres peuvent se rencontrer"),
        required=False,
        initial=True,
    )

    def asked(self) -> dict[str, Any]:
        """Return what the actions take of a valid form."""
        return {name: self.cleaned_data[name] for name in ("starts_at", "place", "auto_pair")}


class NewEveningForm(EveningForm):
    """The same, once or every week until a day."""

    TOLD_BESIDE: ClassVar[dict[str, str]] = {**EveningForm.TOLD_BESIDE, "later_week": "until"}
    LONGEST = timedelta(days=366)

    until = DayField(
        label=_("Et chaque semaine jusqu’au"),
        required=False,
        help_text=_("Le même jour de la semaine, à la même heure. Vide : cette soirée seule."),
    )
    field_order = ("day", "hour", "until")

    def clean(self) -> dict[str, Any]:
        answers = super().clean()
        day, until = answers.get("day"), answers.get("until")
        if day and until and until < day:
            self.add_error("until", _("Ce jour est avant la première soirée."))
        elif day and until and until - day > self.LONGEST:
            self.add_error("until", _("Annoncez au plus un an de soirées à la fois."))
        return answers

    def asked(self) -> dict[str, Any]:
        return {**super().asked(), "until": self.cleaned_data["until"]}


class EditEveningForm(EveningForm):
    """The same, of an evening that is announced."""

    seen = SeenField()

    def __init__(self, *args: Any, evening: Evening, **kwargs: Any) -> None:
        starts = evening.starts_at.astimezone(evening.organisation.zone)
        kwargs["initial"] = {
            "day": starts.date(),
            "hour": f"{starts:%H:%M}",
            "place": evening.place,
            "auto_pair": evening.auto_pair,
            "seen": row_version(evening, Evening.DETAILS),
        }
        super().__init__(*args, **kwargs)

    def asked(self) -> dict[str, Any]:
        return {**super().asked(), "seen": self.cleaned_data["seen"]}


def read_games(text: str) -> tuple[tuple[int, int], ...]:
    """Return "410-380 350-400 420-300" as games; raise ValidationError with a message."""
    return _pairs_in(text, _("« %(part)s » n’est pas une manche : saisissez par exemple 410-380."))


def read_places(text: str) -> tuple[tuple[int, int], ...]:
    """Return "1-8 2-7" as the places of who meet; raise ValidationError with a message."""
    return _pairs_in(text, _("« %(part)s » n’est pas une rencontre : saisissez par exemple 1-8."))


def _pairs_in(text: str, wrong: Any) -> tuple[tuple[int, int], ...]:
    """Return the pairs of numbers of a line; `wrong` names a `part` that is none."""
    pairs = []
    for part in re.split(r"[\s,;]+", text.strip().replace("\u2212", "-").replace("\u2013", "-")):
        if not part:
            continue
        pair = re.fullmatch(r"(-?[0-9]{1,4})[-/:](-?[0-9]{1,4})", part)
        if pair is None:
            raise forms.ValidationError(wrong, params={"part": part[:20]})
        pairs.append((int(pair[1]), int(pair[2])))
    return tuple(pairs)


def hide_players(form: forms.Form) -> None:
    """Keep both players as they were chosen; only the reason is left to type."""
    for name in ("first", "second"):
        form.fields[name].widget = forms.HiddenInput()
    form.fields["reason"].widget.attrs["data-autofocus"] = True
