"""Views of the ranking: live, last closed or published, per category, and of each season.

Each tie is explained, and a style of the page shows the reader's own row.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.cache import cache
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import get_script_prefix
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from clubs.accounts.permissions import Access, access_of, organisation_of, player_url, public
from clubs.organisations.models import Organisation, Season
from clubs.search import search_words
from clubs.templatetags.ui import own_mark
from pairings.evenings.models import Evening
from pairings.ranking import live as live_ranking
from pairings.ranking import projection
from pairings.ranking.tables import CRITERIA, SHORT_CRITERIA, RankingTable
from pairings.ranking.views_published import published
from ratings.systems.categories import CLUB_BANDS

PAGE = 50
LIVE, CLOSED, PUBLISHED = "", "soiree", "publie"


@public
@never_cache
@require_GET
def ranking(request: HttpRequest) -> HttpResponse:
    """Show the whole page.

    `?etat=soiree` is the last closed evening, `?etat=publie` the last edition.
    """
    version = (
        "" if state_of(request) == PUBLISHED else live_ranking.version_of(organisation_of(request))
    )
    context = {**frame_of(request, version), "lines": lines_of(request, version)}
    return render(request, "pairings/ranking/ranking.html", context)


@public
@never_cache
@require_GET
def ranking_rows(request: HttpRequest) -> HttpResponse:
    """Show the rows alone, fetched again at each live event."""
    return HttpResponse(lines_of(request, live_ranking.version_of(organisation_of(request))))


@public
@never_cache
@require_GET
def season_list(request: HttpRequest) -> HttpResponse:
    """List the seasons that have been played in, newest first, each with its ranking."""
    closed = Count("evenings", filter=Q(evenings__state=Evening.State.CLOSED))
    seasons = Season.objects.filter(organisation=organisation_of(request)).annotate(closed=closed)
    played = seasons.filter(closed__gt=0).order_by("-starts_on", "-pk")
    return render(request, "pairings/ranking/season_list.html", {"seasons": played})


@public
@never_cache
@require_GET
def season_ranking(request: HttpRequest, season_id: int) -> HttpResponse:
    """Show the ranking after the last closed evening of a season, with the cotes of that day."""
    found = live_ranking.of_season(organisation_of(request), season_id, at=timezone.now())
    if found is None:
        raise Http404
    (evening, ranking), access = found, access_of(request)
    page = Paginator(ranking.rows, PAGE).get_page(request.GET.get("page"))
    rows = [line_of(row, access) for row in live_ranking.as_of(evening, page)]
    context = {
        "season": evening.season,
        "ranking": ranking,
        "rows": rows,
        "table": RankingTable(rows, exclude=("trend",), orderable=False),
        "page": page,
        "waivers": waiver_lines(ranking, access),
    }
    return render(request, "pairings/ranking/season_ranking.html", context)


def state_of(request: HttpRequest) -> str:
    """Return the requested state of the ranking: LIVE by default."""
    asked = request.GET.get("etat", "")
    return asked if asked in (CLOSED, PUBLISHED) else LIVE


def lines_of(request: HttpRequest, version: str) -> SafeString:
    """Return the rows under the tabs.

    Those of an edition are read from it, the others from the cache.
    """
    if state_of(request) != PUBLISHED:
        return kept_rows(request, version)
    return render_to_string("pairings/ranking/_published.html", edition_of(request), request)


def edition_of(request: HttpRequest) -> dict[str, Any]:
    """Return the published ranking, read once per request: the tabs and the rows both need it."""
    context: dict[str, Any] | None = getattr(request, "edition_shown", None)
    if context is None:
        context = published(request)
        request.edition_shown = context  # type: ignore[attr-defined]
    return context


def kept_rows(request: HttpRequest, version: str) -> SafeString:
    """Return the rows rendered for a set of visible names.

    Cached until the outbox or the journal changes, and never over a minute, because they show the
    time.
    """
    organisation, access, at = organisation_of(request), access_of(request), timezone.now()
    parts = (
        get_script_prefix(),
        organisation.pk,
        version,
        get_language(),
        access.is_member,
        access.player is not None,
        f"{at:%Y%m%d%H%M}",
        request.GET.urlencode(),
    )
    key = "ranking-rows:" + hashlib.sha256(repr(parts).encode()).hexdigest()
    html = cache.get(key)
    if html is None:
        html = render_to_string(
            "pairings/ranking/_ranking.html", context_of(request, version), request
        )
        cache.set(key, html, 60)
    return mark_safe(html)


def begun(
    organisation: Organisation, *, at: datetime, live: bool, version: str = ""
) -> live_ranking.Ranking | None:
    """Return the ranking once the club has had an evening: before, everybody is at 0 PR."""
    ranking = live_ranking.ranking(organisation, at=at, live=live, version=version)
    return ranking if ranking is not None and ranking.evening is not None else None


def frame_of(request: HttpRequest, version: str) -> dict[str, Any]:
    """Return the context around the rows: tabs, categories with their counts, the search."""
    organisation, state = organisation_of(request), state_of(request)
    own_rows: list[live_ranking.RankingRow] = []
    if state == PUBLISHED:
        counts = edition_of(request)["counts"]
        tonight = Evening.objects.of(organisation).live().exists()
    else:
        ranking = begun(organisation, at=timezone.now(), live=state == LIVE, version=version)
        counts = ranking.counts if ranking else {}
        own_rows = ranking.rows if ranking else []
        tonight = state == CLOSED or bool(ranking and ranking.live)
    category, words = request.GET.get("categorie", ""), request.GET.get("q", "").strip()
    tabs = [
        (LIVE, _("En direct")),
        (CLOSED, _("Dernière soirée clôturée")),
        (PUBLISHED, _("Publié")),
    ]
    # Without a running evening, the live ranking is that of the last closed one.
    if not tonight:
        del tabs[1]
    return {
        "category": category,
        "words": words,
        "filters": bool(category) + bool(words),
        "own_line": _own_line(request, own_rows) if not (category or words) else None,
        "tabs": [
            {
                "label": label,
                "url": f"?etat={code}" if code else "?",
                "current": code == state,
            }
            for code, label in tabs
        ],
        "chips": category_chips(request, counts, category),
        # The columns alone, for what a phone may sort by: the rows are rendered apart.
        "table": RankingTable([], order_by=request.GET.get("tri", "")) if own_rows else None,
    }


def _own_line(request: HttpRequest, rows: list[live_ranking.RankingRow]) -> dict[str, Any] | None:
    """Return the reader's own place and the page that shows it, where this page does not."""
    member = access_of(request).player
    if member is None or len(rows) <= PAGE or request.GET.get("tri"):
        return None
    for place, row in enumerate(rows):
        if row.member.pk == member.pk:
            number = place // PAGE + 1
            if Paginator(rows, PAGE).get_page(request.GET.get("page")).number == number:
                return None
            query = request.GET.copy()
            query["page"] = str(number)
            points = row.values.get("pr")
            return {"rank": row.rank, "points": points, "url": f"?{query.urlencode()}"}
    return None


def context_of(request: HttpRequest, version: str) -> dict[str, object]:
    organisation, access, at = organisation_of(request), access_of(request), timezone.now()
    live = state_of(request) == LIVE
    ranking = begun(organisation, at=at, live=live, version=version)
    category = request.GET.get("categorie", "")
    words = request.GET.get("q", "").strip()
    rows = list(ranking.rows) if ranking else []
    if category:
        rows = [row for row in rows if row.category == category]
    if words:
        wanted = search_words(words)
        rows = [
            row for row in rows if row.member.is_found_by(wanted, viewer_is_member=access.is_member)
        ]
    order = request.GET.get("tri", "")
    if order:  # sorting needs every line; without it, only those of the page
        everything = RankingTable([line_of(row, access) for row in rows], order_by=order)
        shown = Paginator(everything.rows, PAGE).get_page(request.GET.get("page"))
        phone = [row.record for row in shown]
    else:
        shown = Paginator(rows, PAGE).get_page(request.GET.get("page"))
        phone = [line_of(row, access) for row in shown]
    if ranking is not None:
        add_trends(organisation, ranking, phone)
    table = RankingTable(phone, order_by=order)
    return {
        "ranking": ranking,
        "waivers": waiver_lines(ranking, access) if ranking else [],
        "rows": phone,
        "table": table,
        "page": shown,
        "at": at,
        "category": category,
        "words": words,
        "is_live": bool(ranking and ranking.live),
        "query": request.GET.urlencode(),
    }


def add_trends(
    organisation: Organisation, ranking: live_ranking.Ranking, lines: list[dict[str, Any]]
) -> None:
    """Give each line of a page its player's last cotes, that of tonight at the end.

    Only of those whose own page this reader may open: it shows the same.
    """
    if ranking.evening is None:
        return
    open_lines = {line["key"]: line for line in lines if line["url"]}
    recent = projection.recent_cotes(organisation, open_lines, until=ranking.evening.held_on)
    for key, line in open_lines.items():
        tonight = [line["cote"]] if line["projected"] else []
        line["trend"] = [*recent.get(key, []), *tonight] or None


def category_chips(
    request: HttpRequest, counts: Mapping[str, int], chosen: str
) -> list[dict[str, Any]]:
    """Return the categories as chips with their counts, the highest first, after everybody."""
    total = sum(counts.values())
    base = request.GET.copy()
    for name in ("categorie", "page"):
        base.pop(name, None)
    everyone = base.urlencode()
    chips = [{"label": _("Tous"), "url": f"?{everyone}", "count": total, "current": not chosen}]
    for band in reversed(CLUB_BANDS):
        query = base.copy()
        query["categorie"] = band.code
        chips.append(
            {
                "badge": band.code,
                "url": f"?{query.urlencode()}",
                "count": counts.get(band.code, 0),
                "current": chosen == band.code,
            }
        )
    return chips


def line_of(row: live_ranking.RankingRow, access: Access) -> dict[str, object]:
    """Return one row for both the table and the phone list."""
    values = row.values
    return {
        "key": row.member.pk,
        "url": player_url(access, row.member),
        "rank": row.rank,
        "move": row.move,
        "opens_season": row.opens_season,
        "name": row.member.name_for(viewer_is_member=access.is_member),
        "guest": row.member.is_guest,
        "category": row.category,
        "cote": row.shown_cote,
        "projected": row.is_projected,
        "delta": row.projected - row.cote if row.projected is not None and row.cote else 0,
        "points": values.get("pr"),
        "pdi": values.get("pdi"),
        "ds": values.get("ds"),
        "played": values.get("played"),
        "mark": own_mark() if access.player is not None else "",
        "tie_short": _("ex æquo") if row.ex_aequo else tie_short(row.parted_by),
        "tie": " · ".join(
            words
            for words in (
                _("ex æquo") if row.ex_aequo else tie_words(row.parted_by),
                _("PDI ignoré par le comité") if row.pdi_ignored else "",
            )
            if words
        ),
    }


def waiver_lines(ranking: live_ranking.Ranking, access: Access) -> list[dict[str, object]]:
    """Return the committee's decisions on tied groups, with the names this reader may see."""
    names = {
        row.member.pk: row.member.name_for(viewer_is_member=access.is_member)
        for row in ranking.rows
    }
    return [
        {"names": [names.get(pk, "–") for pk in group], "waiver": waiver}
        for waiver, group in ranking.waivers
    ]


def tie_short(criterion: str | None) -> str:
    """Return `tie_words` for the row of a phone."""
    if criterion not in SHORT_CRITERIA:
        return ""
    return _("par %(criterion)s") % {"criterion": SHORT_CRITERIA[criterion]}


def tie_words(criterion: str | None) -> str:
    """Return the criterion that parted this player from the one above, when it was not the PR."""
    if criterion not in CRITERIA:
        return ""
    return _("départagé par %(criterion)s") % {"criterion": CRITERIA[criterion]}
