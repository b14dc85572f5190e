"""Subjects of journal entries as words and links: matches, evenings, tournaments."""

from __future__ import annotations

from collections.abc import Collection

from django.urls import reverse
from django.utils.translation import gettext as _

from clubs.journal.wording import Subject
from clubs.ui.french import written
from pairings.evenings.models import Evening
from pairings.matches.models import Match
from pairings.ranking.models import PdiWaiver
from pairings.tournaments.models import Tournament


def matches(ids: Collection[int]) -> dict[int, Subject]:
    rows = Match.objects.filter(pk__in=ids).select_related("first", "second")
    return {
        match.pk: (
            f"{match.first} – {match.second}" if match.second else str(match.first),
            reverse("pairings:match", kwargs={"match_id": match.pk}),
        )
        for match in rows
    }


def evenings(ids: Collection[int]) -> dict[int, Subject]:
    return {
        evening.pk: (
            _("soirée du %(day)s") % {"day": written(evening.held_on, "j F Y") + evening.apart},
            evening.get_absolute_url(),
        )
        for evening in Evening.objects.filter(pk__in=ids)
    }


def tournaments(ids: Collection[int]) -> dict[int, Subject]:
    return {
        tournament.pk: (
            str(tournament),
            reverse("pairings:tournament", kwargs={"slug": tournament.slug}),
        )
        for tournament in Tournament.objects.filter(pk__in=ids)
    }


def waivers(ids: Collection[int]) -> dict[int, Subject]:
    address = reverse("pairings:tie_list")
    return {
        pk: (_("égalité"), f"{address}#decision-{pk}")
        for pk in PdiWaiver.objects.filter(pk__in=ids).values_list("pk", flat=True)
    }


SUBJECTS = {
    "match": matches,
    "evening": evenings,
    "tournament": tournaments,
    "pdi_waiver": waivers,
}
