"""Forms of the club's settings. `seen` is the version of the values that the page showed."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from clubs.accounts.older_pages import SeenField, row_version
from clubs.organisations.models import Organisation, Season
from clubs.personal_data.models import LONGEST, PrivacySettings
from clubs.rulebooks import season_choices
from clubs.setup import club_settings
from clubs.ui.widgets import DayField, DigitsInput, set_choices

FIELD_OF = {
    "name_required": "name",
    "name_taken": "name",
    "bad_zone": "time_zone",
    "order": "ends_on",
}
"""Which field a refusal is about; any other is shown above the form."""


class ClubForm(forms.Form):
    """The club's own details."""

    name = forms.CharField(
        label=pgettext_lazy("d’un club ou d’une fédération", "Nom"), max_length=80
    )
    place = forms.CharField(
        label=_("Lieu"),
        max_length=120,
        required=False,
        help_text=_("Où l’on joue. Chaque soirée peut en avoir un autre."),
    )
    language = forms.ChoiceField(
        label=_("Langue"),
        choices=settings.LANGUAGES,
        help_text=_("Celle des messages à qui n’a pas encore choisi la sienne."),
    )
    time_zone = forms.ChoiceField(
        label=_("Fuseau horaire"), help_text=_("Celui de toutes les heures écrites sur le site.")
    )
    contact_email = forms.EmailField(
        label=_("Adresse de contact"),
        required=False,
        help_text=_("Lue par tous sur la page « Contact »."),
    )
    seen = SeenField()

    def __init__(self, *args: Any, organisation: Organisation, **kwargs: Any) -> None:
        kwargs["initial"] = {
            **{name: getattr(organisation, name) for name in club_settings.CLUB_FIELDS},
            "seen": row_version(organisation, club_settings.CLUB_FIELDS),
        }
        super().__init__(*args, **kwargs)
        if not organisation.is_club:
            self.fields["place"].help_text = ""  # nobody plays there of an evening
        zones, stored = club_settings.time_zones(), organisation.time_zone
        offered = zones if stored in zones else [stored, *zones]  # it had a former name then
        set_choices(self, "time_zone", ((name, name.replace("_", " ")) for name in offered))


class ReopenForm(forms.Form):
    """Why a closed organisation is opened again."""

    reason = forms.CharField(
        label=_("Motif"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Inscrit au journal."),
    )


class CloseForm(ReopenForm):
    """Why an organisation is closed, and where it goes on."""

    moved_to = forms.URLField(
        label=_("Nouvelle adresse"),
        max_length=200,
        required=False,
        assume_scheme="https",
        help_text=_("Là où l’on continue, s’il y en a une : montrée en haut de chaque page."),
    )


class PrivacyForm(forms.ModelForm):  # type: ignore[type-arg]
    """Shape only; the action writes it."""

    seen = SeenField()

    class Meta:
        model = PrivacySettings
        fields = PrivacySettings.FIELDS
        help_texts = {
            "controller": _("Qui répond du fichier : l’association, ou une personne."),
            "contact_email": _("Vide : l’adresse de contact des réglages."),
            "protection_contact": _("S’il y en a un."),
            "consent_age": _("15 ans en France, 16 en Roumanie, 13 au Royaume-Uni."),
            "heads_by_mail": _(
                "À chaque publication, et une fois par jour si le journal a avancé."
            ),
        }

    def __init__(self, data: QueryDict | None = None, *, instance: PrivacySettings) -> None:
        seen = row_version(instance, PrivacySettings.FIELDS)
        super().__init__(data, instance=instance, initial={"seen": seen})
        for name, least, most in (
            ("consent_age", 13, 18),
            *((days, 1, LONGEST) for days in PrivacySettings.DAYS),
        ):
            label = self.fields[name].label
            self.fields[name] = forms.IntegerField(
                label=label,
                min_value=least,
                max_value=most,
                help_text=self.fields[name].help_text,
                widget=DigitsInput(),
            )


class SeasonForm(forms.Form):
    """A season's name and days: shape only, the action compares them."""

    name = forms.CharField(label=pgettext_lazy("d’une saison", "Nom"), max_length=60)
    starts_on = DayField(label=_("Premier jour"))
    ends_on = DayField(label=_("Dernier jour"))

    def __init__(self, *args: Any, asks_ds_mode: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if asks_ds_mode:
            self.fields["ds_mode"] = season_choices.ds_mode_field()


class EditSeasonForm(SeasonForm):
    """The same, of a season that is known; the DS is asked for until its first evening."""

    seen = SeenField()

    def __init__(
        self, *args: Any, season: Season, asks_ds_mode: bool = False, **kwargs: Any
    ) -> None:
        kwargs["initial"] = {
            **{name: getattr(season, name) for name in club_settings.SEASON_FIELDS},
            "seen": row_version(season, club_settings.SEASON_SEEN),
        }
        super().__init__(*args, asks_ds_mode=asks_ds_mode and not season.rule_fixed, **kwargs)
