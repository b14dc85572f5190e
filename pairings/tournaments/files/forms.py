"""Forms for a director's files: shape only. `pairings.exchange` reads the content."""

from __future__ import annotations

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from clubs.ui.french import written
from clubs.ui.widgets import DayField
from pairings.tournaments.models import Tournament
from pairings.tournaments.rules import WINS_AND_SPREAD

MOST_MB = 8


def not_too_big(file: UploadedFile) -> None:
    """Refuse a file that is too big, before reading it."""
    if (file.size or 0) > MOST_MB * 1024 * 1024:
        raise forms.ValidationError(_("Ce fichier dépasse %(mb)s Mo."), params={"mb": MOST_MB})


class ResultsFileForm(forms.Form):
    """Results of one or several rounds."""

    file = forms.FileField(label=_("Fichier CSV, XLSX ou tsh (.t)"), validators=[not_too_big])

    def is_tsh(self) -> bool:
        """Return whether the file is a tsh division, by its name."""
        return str(self.cleaned_data["file"].name).lower().endswith(".t")


class TournamentFileForm(forms.Form):
    """A whole tournament: the JSON of a site like this one, or a tsh division."""

    file = forms.FileField(label=_("Fichier JSON ou tsh (.t)"), validators=[not_too_big])
    name = forms.CharField(
        label=_("Nom du tournoi"),
        max_length=120,
        required=False,
        help_text=_("Pour un fichier tsh, qui ne le dit pas."),
    )
    day = DayField(
        label=_("Date"),
        required=False,
        help_text=_("Pour un fichier tsh, qui ne la dit pas."),
    )
    ranking = forms.ChoiceField(
        label=_("Classement d’un fichier tsh"),
        choices=[
            ("", "–"),
            (WINS_AND_SPREAD, _("par victoires, puis écart : celui de tsh")),
            ("pm", _("par PM, PPM et Pdep : celui de la Formule Classique")),
        ],
        required=False,
        help_text=_("À choisir avant l’import : le fichier ne le dit pas."),
    )
    accept_altered = forms.BooleanField(
        label=_("Accepter un fichier JSON modifié à la main depuis son export"), required=False
    )

    again = forms.BooleanField(
        label=_("Importer encore ce fichier : il devient un second tournoi"),
        required=False,
        widget=forms.HiddenInput,
    )

    def ask_again(self, made: Tournament) -> None:
        """Ask whether a file that made this tournament is to make another one."""
        self.fields["again"].widget = forms.CheckboxInput()
        self.add_error(
            "again",
            _("Ce fichier est déjà importé, comme « %(name)s » (%(day)s).")
            % {"name": made.name, "day": written(made.held_on, "j F Y")},
        )

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        file = answers.get("file")
        if file is None or self.is_json():
            return answers
        if not answers.get("name"):
            self.add_error("name", _("Donnez un nom à ce tournoi."))
        if not answers.get("ranking") and "ranking" not in self.errors:
            self.add_error("ranking", _("Choisissez le classement de ce tournoi."))
        if answers.get("day") is None and "day" not in self.errors:
            self.add_error("day", _("Donnez la date de ce tournoi."))
        return answers

    def is_json(self) -> bool:
        """Return whether the file is JSON, by its name, else by its first character."""
        file = self.cleaned_data["file"]
        if str(file.name).lower().endswith((".json", ".t")):
            return str(file.name).lower().endswith(".json")
        start = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
        file.seek(0)
        return bool(start.startswith(b"{"))
