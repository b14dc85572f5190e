"""The public page on personal data."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from clubs.accounts.permissions import organisation_of, public
from clubs.personal_data.models import PrivacySettings, settings_of
from clubs.personal_data.register import PersonalTable, Purpose
from clubs.registries import PERSONAL_DATA
from clubs.ui.punctuation import labelled

BASES = {
    Purpose.MEMBERS: gettext_lazy("votre adhésion"),
    Purpose.PLAY: gettext_lazy(
        "votre adhésion, et l’intérêt de l’association à des résultats justes"
    ),
    Purpose.NOTICES: gettext_lazy("votre accord, que vous retirez quand vous voulez"),
    Purpose.DECISIONS: gettext_lazy("l’intérêt de l’association à faire respecter ses règles"),
    Purpose.SAFETY: gettext_lazy("l’intérêt de l’association à un site sûr"),
}


@public
@require_GET
def privacy(request: HttpRequest) -> HttpResponse:
    """Say who holds which data, why, for how long, who sees them, and what a person may ask."""
    organisation = organisation_of(request)
    chosen = settings_of(organisation)
    purposes = [
        {
            "label": purpose.label,
            "basis": BASES[purpose],
            "kept": _grouped(chosen, purpose),
        }
        for purpose in Purpose
    ]
    context = {
        "chosen": chosen,
        "email": chosen.contact_email or organisation.contact_email,
        "purposes": purposes,
        "account_days": settings.ACCOUNTS_KEPT_DAYS,
        "archive_days": settings.ARCHIVE_KEEP,
    }
    return render(request, "clubs/personal_data/privacy.html", context)


def _grouped(chosen: PrivacySettings, purpose: Purpose) -> list[tuple[object, list[object]]]:
    """Return (how long, what) of one purpose, in the order of the register."""
    titles: dict[str, list[object]] = {}
    for entry in PERSONAL_DATA.values():
        if entry.purpose is purpose:
            kept = titles.setdefault(_kept(chosen, entry), [])
            if entry.title not in kept:
                kept.append(entry.title)
    return list(titles.items())


def _kept(chosen: PrivacySettings, table: PersonalTable) -> str:
    if not table.days:
        return str(table.fate.label)
    label = getattr(PrivacySettings._meta.get_field(table.days), "verbose_name", "")
    return labelled(label, getattr(chosen, table.days))
