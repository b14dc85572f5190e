"""A club's evenings and tournaments as a calendar that phones subscribe to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from clubs.accounts.permissions import organisation_of, public
from pairings.evenings.models import Evening
from pairings.exchange.formats import ical
from pairings.tournaments.models import Tournament

PAST = timedelta(days=60)
MOST = 500
EVENING = timedelta(hours=3)
"""How long an evening takes in a calendar: the site knows its end only once it is closed."""


@public
@require_GET
def calendar_feed(request: HttpRequest) -> HttpResponse:
    """Return the dates of the past two months and all later ones, without the name of a person."""
    organisation, at = organisation_of(request), timezone.now()
    since = (at - PAST).astimezone(organisation.zone).date()
    host = request.get_host().partition(":")[0]
    evenings = Evening.objects.of(organisation).filter(held_on__gte=since)
    tournaments = Tournament.objects.of(organisation).filter(
        Q(held_on__gte=since) | Q(ends_on__gte=since)
    )
    # One calendar for everybody who subscribes, in the language of the club.
    with translation.override(organisation.language):
        events = [
            [*lines, f"DTSTAMP:{ical.moment(at)}"]
            for lines in (
                *_evenings(request, evenings.order_by("starts_at", "pk")[:MOST], host),
                *_tournaments(request, tournaments.order_by("held_on", "pk")[:MOST], host),
            )
        ]
        refresh = ["REFRESH-INTERVAL;VALUE=DURATION:PT6H", "X-PUBLISHED-TTL:PT6H"]
        content = ical.calendar(organisation.name, organisation.time_zone, events, refresh)
    response = HttpResponse(content, content_type="text/calendar; charset=utf-8")
    response["Content-Disposition"] = f'inline; filename="{organisation.slug}.ics"'
    response["Cache-Control"] = "public, max-age=900"
    return response


def _evenings(request: HttpRequest, rows: Iterable[Evening], host: str) -> Iterator[list[str]]:
    organisation = organisation_of(request)
    for evening in rows:
        summary = _("%(club)s : soirée") % {"club": organisation.name}
        yield [
            f"UID:evening-{evening.pk}@{host}",
            f"SUMMARY:{ical.escaped(summary)}",
            f"DTSTART:{ical.moment(evening.starts_at)}",
            f"DTEND:{ical.moment(evening.starts_at + EVENING)}",
            *_common(request, evening, evening.edits, evening.state == Evening.State.CANCELLED),
        ]


def _tournaments(
    request: HttpRequest, rows: Iterable[Tournament], host: str
) -> Iterator[list[str]]:
    for tournament in rows:
        after = tournament.last_day + timedelta(days=1)
        cancelled = tournament.state == Tournament.State.CANCELLED
        yield [
            f"UID:tournament-{tournament.pk}@{host}",
            f"SUMMARY:{ical.escaped(tournament.name)}",
            f"DTSTART;VALUE=DATE:{ical.day_of(tournament.held_on)}",
            f"DTEND;VALUE=DATE:{ical.day_of(after)}",
            *_common(request, tournament, tournament.version, cancelled),
        ]


def _common(
    request: HttpRequest, row: Evening | Tournament, changes: int, cancelled: bool
) -> Iterator[str]:
    # A calendar replaces what it holds by an event of a higher number (RFC 5545, 3.8.7.4).
    yield f"SEQUENCE:{changes + cancelled}"
    yield "STATUS:CANCELLED" if cancelled else "STATUS:CONFIRMED"
    place = row.place or organisation_of(request).place
    if place:
        yield f"LOCATION:{ical.escaped(place)}"
    yield f"URL:{request.build_absolute_uri(row.get_absolute_url())}"
