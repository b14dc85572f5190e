"""Blocks of a federation's home page (its lists, the last competitions, who moved, the next dates),
and what waits for its rating officer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import F, Q, Window
from django.db.models.functions import Abs, RowNumber
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.accounts.permissions import access_of, organisation_of
from clubs.members.models import name_order
from clubs.organisations.models import Organisation, Season
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from ratings import systems
from ratings.editions import actions as editions
from ratings.handovers.models import HandOver
from ratings.ledger.models import LedgerEntry, Period, RatingList, StandingCote
from ratings.lists import queries
from ratings.lists.views import lists_of
from ratings.lists.views_players import change_url

LEADERS, COMPETITIONS, MOVERS, DATES = 3, 5, 5, 4


def lists(request: HttpRequest) -> dict[str, Any] | None:
    """Return the lists of a federation, each with the first of its ranking."""
    organisation, access = organisation_of(request), access_of(request)
    if organisation.is_club:
        return None
    rating_lists = lists_of(organisation)
    rules = _rules(organisation, timezone.now())
    best: dict[int, list[tuple[str, int | None]]] = {}
    for cote in leaders_of(rating_lists, rules, viewer_is_member=access.is_member):
        name = cote.member.name_for(viewer_is_member=access.is_member)
        best.setdefault(cote.rating_list_id, []).append((name, cote.shown))
    rows = [
        {
            "list": one,
            "url": reverse("ratings:list", kwargs={"slug": one.slug}),
            "system": _(systems.system(one.system).label),
            "best": best.get(one.pk, []),
        }
        for one in rating_lists
    ]
    on = timezone.localdate()
    dates = {date for system in rules.values() for date in system.calendar(on)}
    coming = [(day, _(words)) for day, words in sorted(dates)[:DATES]]
    return {"template": "ratings/lists/_home_lists.html", "rows": rows, "dates": coming}


def _rules(organisation: Organisation, at: datetime) -> Mapping[str, Any]:
    """Return system → its rules in force, of the systems of this organisation's lists: one query."""
    books: dict[str, RuleBook] = {}
    for book in RuleBook.objects.filter(organisation=organisation).at(at):
        books.setdefault(book.scope, book)
    return {
        known.code: rulebooks.rules(books.get(known.code), known.code, "cote")
        for known in systems.SYSTEMS
    }


def leaders_of(
    lists: Sequence[RatingList], rules: Mapping[str, Any], *, viewer_is_member: bool
) -> Sequence[StandingCote]:
    """Return the first players of each list's own ranking, best first, in one query."""
    on, wanted = timezone.localdate(), Q(pk__in=[])
    for one in lists:
        ranking = rules[one.system].sections(on)[0]
        listed = Q(rating_list=one, shown__isnull=False, member__merged_into__isnull=True)
        wanted |= listed & queries.condition_of(ranking)
    by_name = name_order(viewer_is_member=viewer_is_member, path="member__")
    order = (F("shown").desc(), by_name, F("pk"))
    place = Window(RowNumber(), partition_by=F("rating_list"), order_by=order)
    cotes = StandingCote.objects.filter(wanted).select_related("member")
    return list(cotes.annotate(place=place).filter(place__lte=LEADERS).order_by("place"))


def news(request: HttpRequest) -> dict[str, object] | None:
    """Return the last rated competitions of a federation, and who moved most in them."""
    organisation, access = organisation_of(request), access_of(request)
    if organisation.is_club:
        return None
    rated = Period.objects.rated().filter(rating_list__organisation=organisation, kind="")
    last = list(rated.select_related("rating_list").in_order().reverse()[:COMPETITIONS])
    if not last:
        return None
    moved = (
        LedgerEntry.objects.filter(period__in=last, member__merged_into__isnull=True)
        .in_force()
        .annotate(move=F("shown_after") - F("shown_before"))
        .filter(move__isnull=False)
        .exclude(move=0)
        .select_related("member", "rating_list")
        .order_by(
            Abs("move").desc(),
            name_order(viewer_is_member=access.is_member, path="member__"),
            "pk",
        )
    )
    return {
        "template": "ratings/lists/_home_news.html",
        "competitions": last,
        "movers": [
            {
                "name": entry.member.name_for(viewer_is_member=access.is_member),
                "list": entry.rating_list.title,
                "after": entry.shown_after,
                "delta": entry.delta,
                "url": change_url(entry, access),
            }
            for entry in moved[:MOVERS]
        ],
    }


def awaiting_officer(organisation: Organisation) -> Iterator[tuple[str, str]]:
    """Give what waits for the rating officer as sentences, each with its page."""
    periods = Period.objects.filter(rating_list__organisation=organisation)
    to_rate = periods.waiting_for_the_officer().count()
    if to_rate:
        words = ngettext("%(n)s compétition à calculer", "%(n)s compétitions à calculer", to_rate)
        yield words % {"n": to_rate}, reverse("ratings:desk")
    received = HandOver.objects.filter(rating_list__organisation=organisation).waiting()
    handed = list(received.values_list("pk", flat=True))
    if handed:
        words = ngettext("%(n)s transmission reçue", "%(n)s transmissions reçues", len(handed))
        only = reverse("ratings:handover", args=handed) if len(handed) == 1 else ""
        yield words % {"n": len(handed)}, only or reverse("ratings:handover_list")
    if organisation.is_club:
        yield from _ranking_to_mend(organisation)


def _ranking_to_mend(organisation: Organisation) -> Iterator[tuple[str, str]]:
    """Give the last ranking published in a season where a correction has changed lines of it since.

    Of the newest two seasons: the final places of one are corrected after the next has begun.
    """
    seasons = Season.objects.filter(organisation=organisation).order_by("-starts_on", "-pk")
    begun = seasons.filter(starts_on__lte=timezone.localdate(timezone=organisation.zone))
    last_editions = [
        line
        for days in begun.values_list("starts_on", "ends_on")[:2]
        for line in editions.to_mend(organisation, None, most=1, days=days)
    ]
    for edition, lines in last_editions:
        words = ngettext(
            "« %(title)s », nº %(number)s : %(n)s ligne n’est plus à jour.",
            "« %(title)s », nº %(number)s : %(n)s lignes ne sont plus à jour.",
            lines,
        )
        told = {"title": edition.title, "number": edition.number, "n": lines}
        yield words % told, f"{reverse('ratings:publish')}?rectifie={edition.number}"
