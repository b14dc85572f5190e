"""What ratings writes in the journal, in words: a sentence for each action, a name for its values."""

from __future__ import annotations

from datetime import date

from django.utils.translation import gettext_lazy as _

from clubs.journal.changes import NOTHING, Named
from clubs.ui.french import written
from ratings.ledger.models import RatingList

VERBS = {
    "names_chosen": _("relie les noms d’un fichier à des personnes"),
    "list_opened": _("ouvre une liste de cotes"),
    "competition_brought": _("importe une compétition"),
    "newcomers_declared": _("renseigne les nouveaux joueurs d’une compétition"),
    "competition_dropped": _("abandonne une compétition"),
    "draft_dropped": _("remplace un fichier lu par le fichier corrigé"),
    "competition_made_official": _("déclare officielle une compétition"),
    "competition_not_official": _("déclare non officielle une compétition"),
    "club_invited": _("choisit les listes qu’un club alimente"),
    "handed_over": _("transmet une compétition à une fédération"),
    "hand_over_corrected": _("transmet une correction à une fédération"),
    "hand_over_withdrawn": _("retire une transmission"),
    "hand_over_accepted": _("accepte une transmission"),
    "hand_over_returned": _("retourne une transmission"),
    "period_settled": _("calcule les cotes"),
    "list_replayed": _("recalcule les cotes après une correction"),
    "edition_published": _("publie un classement"),
    "edition_mended": _("publie un rectificatif"),
}


def _day(stored: str) -> str:
    return written(date.fromisoformat(stored), "j F Y")


def _titles(ids: list[int]) -> str:
    lists = RatingList.objects.filter(pk__in=ids).order_by("name", "pk")
    return ", ".join(one.title for one in lists) or NOTHING


REPLAYED = {"superseded": Named(_("cotes recalculées"))}
VALUES = {
    "period": {"entries": Named(_("cotes calculées")), **REPLAYED},
    "list": REPLAYED,
    "feeder": {"lists": Named(_("listes"), _titles)},
    "edition": {
        "covers_until": Named(_("Situation au"), _day),
        "rows": Named(_("lignes")),
        "erratum_of": Named(_("rectifie le nº")),
    },
}
"""What the journal says of a competition, a list, a club that feeds lists and an edition."""
