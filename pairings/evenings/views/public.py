"""Public views of the evening: calendar, recap, wall screen and event stream."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Case, Count, Max, Q, Subquery, When
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from clubs.accounts.actor import refused_in
from clubs.accounts.client_address import address_of
from clubs.accounts.permissions import (
    access_of,
    committee_of,
    committee_required,
    organisation_of,
    public,
)
from clubs.members.models import Member
from clubs.organisations.models import Season
from clubs.ui.navigation import share_of
from clubs.ui.qr import svg as qr
from clubs.ui.sent import render_form, whole_number
from pairings.evenings import actions as evening_actions
from pairings.evenings import queries as reads
from pairings.evenings.models import CheckIn, Evening, is_free
from pairings.evenings.views import closed
from pairings.evenings.views.screen import is_screen
from pairings.live import stream as outbox
from pairings.matches import actions as match_actions
from pairings.matches import seats
from pairings.matches.forms import NewEveningForm
from pairings.matches.models import OPEN_VALUES, Match
from pairings.players import recap
from pairings.players.share_picture import evening_title
from pairings.ranking import live as live_ranking
from pairings.ranking.views import line_of
from pairings.rules.match_state import Status

PAGE = 30


def live(request: HttpRequest) -> HttpResponseBase:
    """Return the event stream of this organisation; events carry ids only.

    Events meant for members are hidden from visitors. A reader with too many open streams gets 429,
    and everybody gets 503 when the process has too many: the page then polls every ten seconds.
    """
    organisation, access = organisation_of(request), access_of(request)
    if access.member is not None:
        holder, most = f"member:{access.member.pk}", outbox.MOST_OF_A_MEMBER
    else:
        holder, most = f"address:{address_of(request)}", outbox.MOST_OF_AN_ADDRESS
    if refused := outbox.refusal(holder, most):
        message = _("Trop de pages suivent le direct d’ici. Celle-ci se met à jour sans lui.")
        headers = {"Retry-After": "30", "Cache-Control": "no-store"}
        return HttpResponse(message, status=refused, content_type="text/plain", headers=headers)
    response = StreamingHttpResponse(
        outbox.stream(
            organisation.pk,
            _heard(request),
            holder=holder,
            most=most,
            is_member=access.member is not None,
        ),
        content_type="text/event-stream",
    )
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    response["Content-Encoding"] = "identity"  # compressed, an event would wait for the next ones
    return response


def _heard(request: HttpRequest) -> int | datetime | None:
    """Return the last event that this page knows, or when the page was made."""
    last = request.headers.get("Last-Event-ID") or request.GET.get("last")
    event_id = whole_number(last, digits=18)
    if event_id is not None:
        return event_id
    since = whole_number(request.GET.get("since"), digits=11)
    return None if since is None else datetime.fromtimestamp(since, UTC)


def evening_of(request: HttpRequest, day: str) -> Evening:
    """Return the organisation's evening at that address, or 404."""
    evenings = Evening.objects.of(organisation_of(request)).at_address(day)
    return get_object_or_404(evenings.select_related("organisation", "season", "rule_book"))


@public
@require_GET
def evening_list(request: HttpRequest) -> HttpResponse:
    """Show the calendar: current and coming evenings, and the past ones a page at a time."""
    organisation = organisation_of(request)
    evenings = Evening.objects.of(organisation)
    today = timezone.localdate(timezone=organisation.zone)
    past = evenings.past(on=today).select_related("season").order_by("-starts_at", "-pk")
    context = {
        "running": evenings.live().order_by("starts_at", "pk"),
        "coming": evenings.coming(on=today).order_by("starts_at", "pk"),
        "page": Paginator(past, PAGE).get_page(request.GET.get("page")),
        "access": access_of(request),
    }
    return render(request, "pairings/evenings/evening_list.html", context)


@committee_required
@require_http_methods(["GET", "POST"])
def evening_new(request: HttpRequest) -> HttpResponse:
    """Let the committee announce an evening, or one each week until a day."""
    organisation, at = organisation_of(request), timezone.now()
    today = at.astimezone(organisation.zone).date()
    initial = {"place": organisation.place, "hour": "19:30"}
    form = NewEveningForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        with refused_in(form, NewEveningForm.TOLD_BESIDE):
            announced = evening_actions.announce_weekly(
                organisation=organisation,
                by=committee_of(request),
                at=at,
                **form.asked(),
            )
            past = [one for one in announced if one.held_on < today]
            if past:
                words = _(
                    "Ce jour est passé : la soirée est parmi les passées. Elle peut être annulée."
                )
                messages.warning(request, words)
            if coming := len(announced) - len(past):
                words = ngettext("La soirée est annoncée.", "%(n)s soirées sont annoncées.", coming)
                messages.success(request, words % {"n": coming})
            return redirect("pairings:evening_list")
    seasons = Season.objects.filter(organisation=organisation, ends_on__gte=today)
    context = {"form": form, "has_season": seasons.exists()}
    return render_form(request, "pairings/evenings/evening_new.html", context)


@public
@never_cache
@require_GET
def evening(request: HttpRequest, day: str) -> HttpResponse:
    """Show one evening: its tables while it runs, its recap after."""
    return render(request, "pairings/evenings/evening.html", evening_context(request, day))


@public
@never_cache
@require_GET
def evening_live(request: HttpRequest, day: str) -> HttpResponse:
    """Show the live fragment of the evening page."""
    return render(request, "pairings/evenings/_evening.html", evening_context(request, day))


def evening_context(request: HttpRequest, day: str) -> dict[str, object]:
    at = timezone.now()
    evening = evening_of(request, day)
    access = access_of(request)
    if evening.is_live:
        match_actions.lapse_due(at=at)
    matches = (
        evening.matches.exclude(status=Status.CANCELLED)
        .select_related("first", "second")
        .order_by(  # the open ones first, in the order of their tables
            Case(When(status__in=OPEN_VALUES, then=0), default=1),
            Case(When(status__in=OPEN_VALUES, then="table_number")),
            "-proposed_at",
            "-pk",
        )
    )
    counts = counts_of(evening, at=at)
    paginator = Paginator(matches, PAGE)
    paginator.count = counts.pop("listed")
    page = paginator.get_page(request.GET.get("page"))
    named = {"viewer_is_member": access.is_member}
    lines: list[dict[str, Any]] = [
        {
            "match": match,
            "first": match.first.name_for(**named),
            "second": match.second.name_for(**named) if match.second else "",
            "first_won": match.counts and (match.first_score or 0) > (match.second_score or 0),
            "second_won": match.counts and (match.second_score or 0) > (match.first_score or 0),
            "url": reverse("pairings:match", kwargs={"match_id": match.pk}),
        }
        for match in page
    ]
    return {
        "evening": evening,
        "missed": evening.was_missed(at=at),
        "page": page,
        "at": at,
        "open_lines": [line for line in lines if line["match"].is_open],
        "done_lines": [line for line in lines if not line["match"].is_open],
        **counts,
        **(closed.context_of(evening, access) if evening.state == Evening.State.CLOSED else {}),
        "share": share_of(request, evening_title(evening), "pairings:evening_picture", day=day),
        "access": access,
    }


def counts_of(evening: Evening, *, at: datetime) -> dict[str, Any]:
    """Return how many arrived, are present, wait, and how many matches there are; one query."""
    matches = (
        Match.objects.filter(evening=evening)
        .exclude(status=Status.CANCELLED)
        .order_by()
        .values("evening")
        .annotate(number=Count("pk"))
        .values("number")
    )
    check_ins = evening.check_ins.annotate(number=Subquery(matches), in_round=seats.in_round(at=at))
    return check_ins.aggregate(
        arrived=Count("pk"),
        present=Count("pk", filter=~Q(state=CheckIn.State.LEFT)),
        waiting=Count("pk", filter=is_free(at=at) & Q(in_round=False)),
        # Who plays has arrived: without an arrival there is no match either.
        listed=Coalesce(Max("number"), 0),
    )


@public
@never_cache
@require_GET
def board(request: HttpRequest, day: str) -> HttpResponse:
    """Show the wall screen: no scroll, no hover, dark, content by the evening's state."""
    return render(request, "pairings/evenings/board.html", board_context(request, day))


PARTS = {
    "tables": "pairings/evenings/_board_tables.html",
    "classement": "pairings/evenings/_board_ranking.html",
    "pied": "pairings/evenings/_board_foot.html",
    "bandeau": "pairings/evenings/_board_banner.html",
}


@public
@never_cache
@require_GET
def board_part(request: HttpRequest, day: str, part: str) -> HttpResponse:
    """Show one part of the wall screen, fetched again at each live event."""
    if part not in PARTS:
        raise Http404
    return render(request, PARTS[part], board_context(request, day))


def board_context(request: HttpRequest, day: str) -> dict[str, object]:
    at = timezone.now()
    evening = evening_of(request, day)
    organisation = organisation_of(request)
    if evening.is_live:
        match_actions.lapse_due(at=at)
    is_over = evening.state == Evening.State.CLOSED
    ranking = live_ranking.ranking(
        organisation, at=at, live=True, after=evening if is_over else None
    )
    rows = ranking.rows if ranking else []
    if is_over:
        rows = live_ranking.as_of(evening, rows)
    names = wall_names([row.member for row in rows] + _players(evening))
    with_code = evening.is_live and is_screen(request, evening)
    arrivals = ""
    if with_code:  # that of the link, valid as long as the link; an announced evening has none
        path = reverse("pairings:checkin", kwargs={"code": evening.board_code})
        arrivals = qr(request.build_absolute_uri(path))
    return {
        "evening": evening,
        "missed": evening.was_missed(at=at),
        "at": at,
        "tables": [_wall_table(match, names, at) for match in reads.tables(evening)],
        "wall_rows": [
            {**line_of(row, access_of(request)), "name": names[row.member.pk]} for row in rows
        ],
        "present": evening.check_ins.present().count(),
        "waiting": evening.check_ins.waiting(at=at).exclude(seats.in_round(at=at)).count(),
        **({} if is_over else _last_line(evening, names)),
        "with_code": with_code,
        "qr": arrivals,
        "short_address": request.get_host() + reverse("pairings:checkin_code"),
        "over": recap.highlights_of(evening, rows, names) if is_over else None,
    }


def _players(evening: Evening) -> list[Member]:
    players: list[Member] = []
    for match in evening.matches.select_related("first", "second"):
        players.append(match.first)
        if match.second is not None:
            players.append(match.second)
    return players


def wall_names(members: list[Member]) -> dict[int, str]:
    """Return names as "Prénom I.", with more letters to tell apart two people who show their names.

    Visitors can read the wall screen, so it always prints what they may see. Rows that were merged
    are one person: they need no more letters.
    """
    unique = {member.pk: member for member in members}
    names = {pk: member.wall_name for pk, member in unique.items()}
    for length in (2, 3, 5, 60):
        seen: dict[str, list[int]] = {}
        for pk, name in names.items():
            seen.setdefault(name, []).append(pk)
        doubles = [
            pk
            for group in seen.values()
            if len({unique[pk].merged_into_id or pk for pk in group}) > 1
            for pk in group
        ]
        for pk in doubles:
            member = unique[pk]
            if member.shows_whole_name(viewer_is_member=False) and member.last_name:
                dot = "." if length < len(member.last_name) else ""
                names[pk] = f"{member.first_name} {member.last_name[:length]}{dot}"
    return names


def _wall_table(match: Match, names: dict[int, str], at: datetime) -> dict[str, object]:
    icon, tone = "timer", ""
    if match.status == Status.CONTESTED:
        state, icon, tone = _("Arbitre"), "gavel", "dispute"
    elif match.status == Status.PROPOSED:
        state = format_html("{} {}", _("À table !"), _left(match.competition.call_ends(), at))
        icon, tone = "megaphone", "call"
    elif match.status in (Status.SUBMITTED, Status.ABSENCE_CLAIMED):
        assert match.contest_until is not None
        state = format_html("{} {}", _("À confirmer"), _left(match.contest_until, at))
        icon = "hourglass"
    else:
        since = match.started_at or match.proposed_at
        minutes = int((at - since).total_seconds() // 60)
        state = format_html('<span data-since="{}">{}</span>&nbsp;min', since.isoformat(), minutes)
    return {
        "no": match.table_number,
        "one": names.get(match.first_id, "?"),
        "two": names.get(match.second_id or 0, ""),
        "state": state,
        "icon": icon,
        "tone": tone,
    }


def _left(until: datetime, at: datetime) -> SafeString:
    """Return minutes and seconds until then, which the wall counts down; nothing once it is past."""
    seconds = max(0, int((until - at).total_seconds()))
    words = f"{seconds // 60}:{seconds % 60:02d}" if seconds else ""
    return format_html('<span data-until-short="{}">{}</span>', until.isoformat(), words)


def _last_line(evening: Evening, names: dict[int, str]) -> dict[str, object]:
    """Return the last result and its table, for the foot of the wall; nothing before the first."""
    match = reads.last_result(evening)
    if match is None:
        return {}
    first, second = names[match.first_id], names.get(match.second_id or 0, "")
    line = f"{first} {match.first_score} – {match.second_score} {second}"
    return {"last_table": match.table_number, "last_line": line}
