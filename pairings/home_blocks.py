"""Blocks of the home page about play (current evening, next one, top of the ranking), and what waits
for the committee: live evenings, requests for a correction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Any

from django.db.models import Count, Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.accounts.device import device_links, device_member, guest_of
from clubs.accounts.permissions import Access, access_of, organisation_of
from clubs.members.models import Member
from clubs.organisations.addresses import script_prefix
from clubs.organisations.models import Organisation
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from clubs.ui.french import written
from pairings.arbitration.models import Contest
from pairings.evenings import queries as evening_queries
from pairings.evenings.models import CheckIn, Evening
from pairings.ranking import projection
from pairings.ranking.views import begun, line_of
from pairings.tournaments.models import Tournament
from ratings.handovers.models import FeedRight
from ratings.systems.protocol import Event, Game, State

MOST_CLUBS, COMING, TOP = 12, 3, 5
EXAMPLE_COTES, EXAMPLE_SCORES, LEAST_SCORES = (1200, 1600, 1950), (410, 350), (1, 0)
ON = (Tournament.State.RUNNING, Tournament.State.ENTRIES)
"""States of a tournament that is in progress or open for entries."""


def club(request: HttpRequest) -> dict[str, object] | None:
    """Return what a club's page begins with: its evenings, its tournaments, the top of its ranking."""
    organisation, access, at = organisation_of(request), access_of(request), timezone.now()
    if not organisation.is_club:
        return None
    here = Count("check_ins", filter=~Q(check_ins__state=CheckIn.State.LEFT))
    ranking = begun(organisation, at=at, live=True)
    reader_id = access.member.pk if access.member is not None else None
    return {
        "template": "pairings/home/_home_club.html",
        "running": list(evening_queries.live_evenings(organisation).annotate(present=here)),
        "next": evening_queries.next_evening(organisation, at=at),
        "tournaments": Tournament.objects.of(organisation)
        .filter(state__in=ON)
        .order_by("starts_at", "pk")[:COMING],
        "rows": [
            {**line_of(row, access), "own": row.member.pk == reader_id}
            for row in ranking.rows[:TOP]
        ]
        if ranking is not None
        else [],
    }


def coming(request: HttpRequest) -> dict[str, object] | None:
    """Return the next tournaments of a federation and of the clubs that feed its lists."""
    federation = organisation_of(request)
    if federation.is_club:
        return None
    feeding = FeedRight.objects.filter(
        rating_list__organisation=federation, revoked_at__isnull=True
    ).values("club")
    tournaments = (
        Tournament.objects.filter(Q(organisation=federation) | Q(organisation__in=feeding))
        .filter(state__in=ON)
        .select_related("organisation")
        .order_by("starts_at", "pk")[:COMING]
    )
    rows = []
    for one in tournaments:
        with script_prefix(f"/c/{one.organisation.slug}/"):
            url = one.get_absolute_url()
        fields = {name: getattr(one, name) for name in ("name", "held_on", "ends_on", "place")}
        rows.append({**fields, "url": url, "club": one.organisation.name})
    return {"template": "pairings/home/_home_coming.html", "rows": rows} if rows else None


def clubs(request: HttpRequest, organisations: Sequence[Organisation]) -> dict[str, object] | None:
    """Return what is on in each club of the site, those with an evening in progress first.

    The names are those that a visitor may read, no matter who is signed in: readers are members of one
    club, seldom of all.
    """
    shown_clubs = [one for one in organisations if one.is_club]
    if not shown_clubs:
        return None
    at = timezone.now()
    live = Evening.objects.filter(organisation__in=shown_clubs).live()
    here = Count("check_ins", filter=~Q(check_ins__state=CheckIn.State.LEFT))
    running: dict[int, list[Evening]] = {}
    for live_one in live.annotate(present=here).order_by("starts_at", "pk"):
        running.setdefault(live_one.organisation_id, []).append(live_one)
    coming: dict[int, list[Evening]] = {}
    planned = Evening.objects.filter(organisation__in=shown_clubs, state=Evening.State.PLANNED)
    for evening in planned.filter(starts_at__gte=at).order_by("starts_at", "pk"):
        coming.setdefault(evening.organisation_id, []).append(evening)
    shown_clubs.sort(key=lambda club: (club.pk not in running, club.pk not in coming))
    here_now, own = _where_the_reader_is(request), _clubs_of_the_reader(request)
    return {
        "template": "pairings/home/_portal_clubs.html",
        "clubs": [
            {
                **_club(club, running.get(club.pk, ()), coming.get(club.pk, ())[:COMING], at),
                "is_here": club.pk in here_now,
                "is_own": club.pk in own,
            }
            for club in shown_clubs[:MOST_CLUBS]
        ],
    }


def _clubs_of_the_reader(request: HttpRequest) -> set[int]:
    """Return the clubs of which the reader is a member already."""
    if not request.user.is_authenticated:
        return set()
    rows = Member.objects.active().filter(user=request.user)
    return set(rows.values_list("organisation", flat=True))


def _where_the_reader_is(request: HttpRequest) -> set[int]:
    """Return the clubs at whose evening the reader, or the guest of this phone, is present."""
    present = CheckIn.objects.present().filter(evening__state__in=Evening.LIVE)
    if request.user.is_authenticated:
        own = present.filter(Q(member__user=request.user) | Q(member__visitor=request.user))
        return set(own.values_list("evening__organisation", flat=True))
    links = device_links(request)
    if not links:
        return set()
    clubs_here = Organisation.objects.filter(
        pk__in=present.filter(member__in=dict(links)).values("evening__organisation")
    )
    return {club.pk for club in clubs_here if guest_of(request, club, device_member(request, club))}


def _club(
    club: Organisation, running: Sequence[Evening], coming: Sequence[Evening], at: datetime
) -> dict[str, object]:
    ranking = begun(club, at=at, live=True)
    visitor = Access(club, None, None)
    with script_prefix(f"/c/{club.slug}/"):
        return {
            "club": club,
            "url": reverse("clubs:home"),
            "running": [
                {
                    "evening": evening,
                    "url": evening.get_absolute_url(),
                    "wall_url": reverse("pairings:board", kwargs={"day": evening.address}),
                }
                for evening in running
            ],
            "ranking_url": reverse("pairings:ranking"),
            "own_url": reverse("pairings:my_evening"),
            "coming": coming,
            "calendar_url": reverse("pairings:calendar_feed"),
            "join_url": reverse("clubs:join"),
            "rows": [line_of(row, visitor) for row in ranking.rows[:TOP]] if ranking else [],
        }


def example(book: RuleBook | None) -> dict[str, object]:
    """Return the worked example of 002 IV.B, and a match at three levels, by these rules.

    It ends 410–350, or 1–0 where such scores are not accepted.
    """
    rules = projection.cote_rules(book)
    highest = rulebooks.rules(book, rulebooks.LADDER, "match").max_score
    scores = EXAMPLE_SCORES if highest >= max(EXAMPLE_SCORES) else LEAST_SCORES
    return {
        "own": 1000,
        "other": 1200,
        "chance": rules.win_probability(1000, 1200),
        "scores": scores,
        "rows": [_example_row(rules, cote, cote + 100, scores) for cote in EXAMPLE_COTES],
    }


def _example_row(rules: Any, own: int, other: int, scores: tuple[int, int]) -> dict[str, object]:
    states = {"own": State(rating=own, games=100), "other": State(rating=other, games=100)}
    high, low = scores
    won, lost = (
        rules.settle(states, Event("example", date.min, games=(game,)))[0].after
        for game in (
            Game("won", "own", "other", 2, high, low),
            Game("lost", "own", "other", 0, low, high),
        )
    )
    return {
        "own": own,
        "other": other,
        "chance": rules.win_probability(own, other),
        "won": rules.shown(won),
        "lost": rules.shown(lost),
    }


def live_evenings(organisation: Organisation) -> Iterator[tuple[str, str]]:
    """Give each evening that is not closed yet as a sentence, with its control page."""
    for live in evening_queries.live_evenings(organisation):
        day = written(live.held_on, "j F")
        words = _("Soirée du %(day)s : %(state)s") % {
            "day": f"{day}{live.apart}",
            "state": live.get_state_display().lower(),
        }
        yield words, reverse("pairings:control", args=[live.address])


def evenings_to_end(organisation: Organisation) -> Iterator[tuple[str, str]]:
    """Give each evening in progress or still to come in words, with its page."""
    evenings = Evening.objects.of(organisation)
    today = timezone.localdate(timezone=organisation.zone)
    for one in (evenings.live() | evenings.coming(on=today)).order_by("starts_at", "pk"):
        words = _("soirée du %(day)s") % {"day": f"{written(one.held_on, 'j F')}{one.apart}"}
        yield words, reverse("pairings:evening", args=[one.address])


def tournaments_to_end(organisation: Organisation) -> Iterator[tuple[str, str]]:
    """Give each tournament in progress, or open for entries, by its name with its page."""
    for one in Tournament.objects.of(organisation).filter(state__in=ON).order_by("starts_at", "pk"):
        yield one.name, reverse("pairings:tournament", args=[one.slug])


def requests_to_correct(organisation: Organisation) -> Iterator[tuple[str, str]]:
    """Give the count of players' requests to correct a final result, with the page that lists them."""
    asked = Contest.objects.of(organisation).requests().count()
    if asked:
        words = ngettext("%(n)s demande de correction", "%(n)s demandes de correction", asked)
        yield words % {"n": asked}, reverse("pairings:dispute_list")
