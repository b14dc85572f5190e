"""Views of players: list, profile with its curve, reasons of a cote change, head to head."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from clubs.accounts.permissions import (
    Access,
    access_of,
    may_open,
    organisation_of,
    player_page,
    player_url,
    public,
)
from clubs.members import merging
from clubs.members.models import Member, MemberQuerySet
from clubs.organisations.models import Organisation
from clubs.rulebooks import actions as rulebooks
from clubs.search import nearest
from clubs.ui.navigation import share_of
from pairings.evenings.models import Evening
from pairings.evenings.player_page.matches import line_of
from pairings.matches.models import Match
from pairings.players import graph, record
from pairings.players import tables as player_tables
from pairings.ranking import live as live_ranking
from pairings.ranking import projection
from pairings.ranking import season as seasons
from pairings.ranking.views import category_chips
from pairings.tournaments.views import final_ranking as tournament_ranking
from ratings.ledger.models import LedgerEntry, RatingList, StandingCote
from ratings.lists import explanations
from ratings.lists import queries as list_queries
from ratings.systems.categories import category_of
from ratings.systems.protocol import State
from ratings.systems.storage import reason_to_json

PAGE = 60
MOST_COMPARED = 2000
"""Players whose names are compared with what was typed, where nobody has that name."""


def players_shown(organisation: Organisation, access: Access, words: str) -> MemberQuerySet:
    """Return the players whom this reader may find by these words; everybody without words."""
    members = Member.objects.of(organisation).active()
    shown = Q(is_outsider=False)
    if not organisation.is_club:  # a federation's players are those of its lists
        shown |= Q(pk__in=StandingCote.objects.values("member"))
    members = members.filter(shown)
    if words:
        members = members.matching_for(words, viewer_is_member=access.is_member)
    if not access.is_member:
        members = members.filter(visibility=Member.EVERYBODY)
    return members


@public
@require_GET
def player_list(request: HttpRequest) -> HttpResponse:
    """List the visible players, a page at a time: searched without accents, by category, sorted."""
    organisation, access = organisation_of(request), access_of(request)
    words, order = request.GET.get("q", "").strip(), request.GET.get("tri") or "name"
    book = projection.rules_shown(organisation, at=timezone.now())
    is_club = organisation.is_club
    bands = projection.cote_rules(book).bands() if is_club else ()
    reader = {"viewer_is_member": access.is_member}
    members = player_tables.with_cotes(
        players_shown(organisation, access, words),
        organisation,
        start=projection.initial_cote(book),
        **reader,
    )
    categories = player_tables.in_category(bands)
    category = request.GET.get("categorie", "")
    chosen = members.filter(categories.get(category, Q()))
    options: dict[str, Any] = {"order_by": order, "bands": bands, **reader}
    ordered = player_tables.PlayerTable(chosen, **options)
    page = Paginator(ordered.data.data, PAGE).get_page(request.GET.get("page"))
    shown = list(page)
    context = {
        "page": page,
        "nearest": _nearest(players_shown(organisation, access, ""), words, access)
        if words and not shown
        else [],
        "table": player_tables.PlayerTable(shown, **options),
        "rows": [
            {
                "member": member,
                "name": member.name_for(**reader),
                "cote": vars(member)["cote"],
                "category": category_of(vars(member)["cote"], bands).code if bands else "",
                "url": reverse("pairings:player", kwargs={"slug": member.address}),
            }
            for member in shown
        ],
        "words": words,
        "category": category,
        "order": request.GET.get("tri", ""),
        "chips": category_chips(request, player_tables.counts_of(members, categories), category)
        if bands
        else [],
    }
    return render(request, "pairings/players/player_list.html", context)


def _nearest(members: MemberQuerySet, words: str, access: Access) -> list[Member]:
    """Return who has almost the name that was typed, of those who show it; nobody of a long list."""
    reader = {"viewer_is_member": access.is_member}
    compared = list(members.showing_whole_name(**reader)[: MOST_COMPARED + 1])
    if len(compared) > MOST_COMPARED:
        return []
    names = nearest(words, (member.full_name for member in compared))
    return [member for name in names for member in compared if member.full_name == name]


@public
@never_cache
@require_GET
@player_page
def player(request: HttpRequest, member: Member) -> HttpResponse:
    """Show badge, curve with category bands, matches, head to head, and why tonight's cote changes."""
    organisation, access, at = organisation_of(request), access_of(request), timezone.now()
    lists = list_queries.lists_holding(member)
    if not organisation.is_club and lists:
        return redirect("ratings:player_list", slug=member.address, rating_list=lists[0].slug)
    entries = list(
        LedgerEntry.objects.filter(
            member=member,
            rating_list__organisation=organisation,
            # Not by system: a club may open other lists of the ladder's system, each with its slug.
            rating_list__slug=rulebooks.LADDER,
        )
        .in_force()
        .annotate(is_visible=explanations.visible_to(access, member))
        .select_related("period", "rule_book")
        .in_order()
    )
    visible = [entry for entry in entries if vars(entry)["is_visible"]]
    people = merging.same_people(organisation)
    family = merging.family_in(people, member)
    ranking = live_ranking.ranking(organisation, at=at, live=True)
    played = record.matches_of(organisation, family)
    matches = played[:60]
    tonight = _tonight_of(matches, ranking)
    player_record = record.record_of(record.games_of(played, family))
    projected = projection.of_player(member, tonight, matches, people) if tonight else None
    row = ranking.row_of(member) if ranking else None
    book = tonight.rule_book if tonight else projection.rules_shown(organisation, at=at)
    cote = entries[-1].shown_after if entries else projection.initial_cote(book)
    shown = projection.cote_after(projected, book) if projected else cote
    over = next((m.evening for m in matches if m.evening and not m.evening.is_live), None)
    context: dict[str, Any] = {
        "member": member,
        "tabs": _tabs(member, lists),
        "name": member.name_for(viewer_is_member=access.is_member),
        "ladder": organisation.is_club,
        "cote": cote,
        "projected": shown if projected else None,
        "category": projection.category_code(shown, book),
        "row": row,
        "ahead": explanations.ahead_of(
            projection.cote_rules(book), State(rating=shown), timezone.localdate(), ""
        ),
        **_curve(request, entries, ranking, graph.Now(member, projected, book)),
        "entries": [_move(entry) for entry in reversed(visible[-12:])],
        "matches": [line_of(match, family, viewer_is_member=access.is_member) for match in matches],
        "tournaments": tournament_ranking.history_of(family),
        "badges": badge_history(entries),
        "record": player_record,
        "opponents": _opponents(member, player_record, played, access),
        "own": access.player is not None and access.player.pk == member.pk,
        "compare_url": _compare_url(access, member),
        "over": over,
    }
    if over is not None and member.chose_to_be_public:
        picture = {"slug": member.address, "day": over.address}
        context["share"] = share_of(request, context["name"], "pairings:recap_picture", **picture)
    return render(request, "pairings/players/player.html", context)


def _tonight_of(matches: list[Match], ranking: live_ranking.Ranking | None) -> Evening | None:
    """Return the live evening of the player's newest match; else the one of the ranking."""
    ranked = ranking.evening if ranking and ranking.live else None
    own = next((m.evening for m in matches if m.evening and m.evening.is_live), ranked)
    return ranked if own == ranked else own  # the ranking's is read with its rules


def _curve(
    request: HttpRequest,
    entries: list[LedgerEntry],
    ranking: live_ranking.Ranking | None,
    now: graph.Now,
) -> dict[str, object]:
    """Return the curve over the range that was asked for, and the ranges to choose from."""
    season = ranking.evening.season if ranking and ranking.evening else None
    ranges = graph.ranges_of(entries, season, today=timezone.localdate())
    period = graph.chosen(ranges, entries, request.GET.get("periode", ""))
    return {
        "graph": graph.graph_of(entries, now, since=ranges[period]),
        "ranges": graph.tabs_of(ranges, period),
    }


def _compare_url(access: Access, member: Member) -> str:
    """Return the page that compares the reader with this member; empty for their own profile."""
    reader = access.player
    if reader is None or reader.pk == member.pk:
        return ""
    return reverse(
        "pairings:head_to_head", kwargs={"slug": reader.address, "other": member.address}
    )


def _tabs(member: Member, lists: list[RatingList]) -> list[dict[str, object]]:
    """Return the club cote first, then one tab for each other list.

    None for a club with its own list only.
    """
    others = [one for one in lists if one.slug != rulebooks.LADDER]
    if not others:
        return []
    profile_url = reverse("pairings:player", kwargs={"slug": member.address})
    return [
        {"label": _("Cote du club"), "url": profile_url, "current": True},
        *(
            {
                "label": one.name,
                "url": reverse(
                    "ratings:player_list", kwargs={"slug": member.address, "rating_list": one.slug}
                ),
                "current": False,
            }
            for one in others
        ),
    ]


def _move(entry: LedgerEntry) -> dict[str, object]:
    return {
        "entry": entry,
        "before": entry.shown_before,
        "after": entry.shown_after,
        "delta": entry.delta,
        "corrected": entry.supersedes_id is not None,
    }


def badge_history(entries: list[LedgerEntry]) -> list[dict[str, object]]:
    """Return each change of category, newest first: date, from, to, after which evening."""
    changes = []
    for entry in entries:
        before = projection.category_code(entry.shown_before, entry.rule_book)
        after = projection.category_code(entry.shown_after, entry.rule_book)
        if before and before != after:
            changes.append({"on": entry.held_on, "before": before, "after": after, "entry": entry})
    return changes[::-1]


def _opponents(
    member: Member, history: record.Record, played: list[Match], access: Access
) -> list[dict[str, object]]:
    """Return a line for each opponent, with the name that this reader may see."""
    people = [side.current_row for match in played for side in match.players()]
    rows = {one.pk: one for one in people}
    return [
        {
            "name": rows[pk].name_for(viewer_is_member=access.is_member),
            "url": player_url(access, member, "pairings:head_to_head", other=rows[pk].address)
            if may_open(access, rows[pk])
            else "",
            "tally": tally,
        }
        for pk, tally in history.opponents
    ]


@public
@never_cache
@require_GET
@player_page
def projected(request: HttpRequest, member: Member) -> HttpResponse:
    """Show tonight's projected change, with the same explanation."""
    ended = record.ended_of(organisation_of(request), merging.family_of(member))
    last = ended.filter(evening__state__in=Evening.LIVE).first()
    tonight = last.evening if last is not None else None
    change = projection.project(tonight).get(member.pk) if tonight is not None else None
    if tonight is None or change is None:
        return redirect("pairings:player", slug=member.address)
    system = projection.cote_rules(tonight.rule_book)
    before, after = system.shown(change.before), system.shown(change.after)
    context = {
        "member": member,
        "name": member.name_for(viewer_is_member=access_of(request).is_member),
        "lines": explanations.lines_of(
            [reason_to_json(line) for line in change.because],
            viewer_is_member=access_of(request).is_member,
        ),
        "before": before,
        "after": after,
        "delta": after - before,
        "rule_number": tonight.rule_book.number if tonight.rule_book else None,
        "day": tonight.held_on,
        "projected": True,
    }
    return render(request, "pairings/players/change.html", context)


@public
@require_GET
@player_page
def head_to_head(request: HttpRequest, member: Member, other: Member) -> HttpResponse:
    """Show two players' meetings: won, drawn, lost, mean difference, every match, the next one."""
    a, b = member, other
    if a.pk == b.pk:
        return redirect("pairings:player", slug=a.address)
    organisation, access = organisation_of(request), access_of(request)
    people = merging.same_people(organisation)
    family, others = merging.family_in(people, a), merging.family_in(people, b)
    matches, their_matches = (record.matches_of(organisation, each) for each in (family, others))
    meetings = [match for match in matches if record.is_meeting(match, others)]
    games, their_games = record.games_of(matches, family), record.games_of(their_matches, others)
    lines = [line_of(match, family, viewer_is_member=access.is_member) for match in meetings]
    played = [line.won for line in lines if line.won is not None]
    evening = seasons.evening_shown(organisation) if meetings else None
    book = evening.rule_book if evening else projection.rules_shown(organisation, at=timezone.now())
    cotes, start = projection.cotes_of(organisation, (a, b)), projection.initial_cote(book)
    pair = cotes.get(a.pk, start), cotes.get(b.pk, start)
    context = {
        "a": a,
        "b": b,
        "a_name": a.name_for(viewer_is_member=access.is_member),
        "b_name": b.name_for(viewer_is_member=access.is_member),
        "lines": lines,
        **record.outcomes_of(played),
        "met": record.tally(game for game in games if game.other == b.pk),
        "lacking": seasons.matches_before_rematch(evening, a, b, people) if evening else None,
        "chance": projection.cote_rules(book).win_probability(*pair) if not played else None,
        "sides": [record.record_of(games), record.record_of(their_games)],
        "cotes": pair if organisation.is_club else None,
    }
    return render(request, "pairings/players/head_to_head.html", context)
