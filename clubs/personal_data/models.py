"""What an organisation says about the personal data it holds, and for how long it keeps them."""

from __future__ import annotations

from datetime import timedelta

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from clubs.organisations.models import Organisation

LONGEST = 3650


class PrivacySettings(models.Model):
    """The committee's choices; an organisation without a row has the defaults."""

    DAYS = ("requests_days", "imports_days", "photos_days", "guests_days", "past_days")
    FIELDS = (
        "controller",
        "controller_address",
        "contact_email",
        "protection_contact",
        "consent_age",
        *DAYS,
        "heads_by_mail",
    )

    organisation = models.OneToOneField(
        Organisation, on_delete=models.PROTECT, primary_key=True, related_name="privacy"
    )
    controller = models.CharField(
        _("responsable du traitement des données"), max_length=120, blank=True
    )
    controller_address = models.CharField(_("adresse postale"), max_length=200, blank=True)
    contact_email = models.EmailField(_("adresse e-mail pour les demandes"), blank=True)
    protection_contact = models.CharField(
        _("délégué à la protection des données"), max_length=200, blank=True
    )
    consent_age = models.PositiveSmallIntegerField(
        _("âge au-dessous duquel un parent donne son accord"), default=15
    )
    requests_days = models.PositiveIntegerField(
        _("demandes et invitations, en jours après la réponse, ou sans réponse"), default=180
    )
    imports_days = models.PositiveIntegerField(
        _("contenu des fichiers importés, en jours"), default=90
    )
    photos_days = models.PositiveIntegerField(
        _("photos des feuilles, en jours après le match"), default=365
    )
    guests_days = models.PositiveIntegerField(
        _("nom des invités sans compte, en jours après leur dernière venue"), default=730
    )
    past_days = models.PositiveIntegerField(
        _("adresses e-mail des membres partis, en jours après leur départ"), default=365
    )
    heads_by_mail = models.BooleanField(
        _("envoyer au comité le code de contrôle du journal"), default=True
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(consent_age__gte=13, consent_age__lte=18),
                name="age_of_consent_is_from_13_to_18",
            ),
        ]

    def __str__(self) -> str:
        return f"privacy of {self.organisation_id}"

    def span(self, name: str) -> timedelta:
        """Return one of `DAYS` as a length of time."""
        return timedelta(days=getattr(self, name))


def settings_of(organisation: Organisation) -> PrivacySettings:
    """Return the stored choices, or the defaults unsaved."""
    known = PrivacySettings.objects.filter(organisation=organisation).first()
    return known or PrivacySettings(organisation=organisation)
