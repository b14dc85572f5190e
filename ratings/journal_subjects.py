"""Subjects of journal entries in words: lists, competitions, editions, hand-overs, invited clubs."""

from __future__ import annotations

from collections.abc import Collection

from django.urls import reverse
from django.utils.translation import gettext as _

from clubs.journal.models import parts_of
from clubs.journal.wording import Subject
from clubs.organisations.models import Organisation
from ratings.editions.sources import CLUB
from ratings.handovers.queries import subjects as handovers
from ratings.ledger.models import Period, RatingList


def lists(ids: Collection[int]) -> dict[int, Subject]:
    return {
        rating_list.pk: (
            rating_list.title,
            reverse("ratings:list", kwargs={"slug": rating_list.slug}),
        )
        for rating_list in RatingList.objects.filter(pk__in=ids)
    }


def periods(ids: Collection[int]) -> dict[int, Subject]:
    return {
        period.pk: (
            f"{period.title}, {period.rating_list.title}",
            reverse(
                "ratings:competition",
                kwargs={"slug": period.rating_list.slug, "period_id": period.pk},
            )
            if period.settled_at
            else "",
        )
        for period in Period.objects.filter(pk__in=ids).select_related("rating_list")
    }


def editions(organisation: Organisation, keys: Collection[str]) -> dict[str, Subject]:
    """Return editions in words, by the slug of their list (or the club's ranking) and their number."""
    lists = RatingList.objects.filter(organisation=organisation)
    named = {CLUB: _("Classement")} | {one.slug: one.title for one in lists}
    edition_subjects = {}
    for key in keys:
        slug, number = parts_of(key)
        if slug not in named or not number.isdecimal():
            continue
        if slug == CLUB:
            address = reverse("ratings:edition", kwargs={"number": int(number)})
        else:
            arguments = {"liste": slug, "number": int(number)}
            address = reverse("ratings:list_edition", kwargs=arguments)
        words = _("%(list)s, nº %(n)s") % {"list": named[slug], "n": number}
        edition_subjects[key] = (words, address)
    return edition_subjects


def feeders(ids: Collection[int]) -> dict[int, Subject]:
    """Return clubs that a federation invited, with the page of their lists."""
    address = reverse("ratings:feeders")
    return {
        club.pk: (club.name, f"{address}?club={club.slug}")
        for club in Organisation.objects.filter(pk__in=ids)
    }


SUBJECTS = {"list": lists, "period": periods, "handover": handovers, "feeder": feeders}
