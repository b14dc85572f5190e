"""Public views of a tournament: list, home, entries, rounds."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from clubs.accounts.actor import refused_as_message
from clubs.accounts.permissions import (
    Access,
    access_of,
    member_required,
    organisation_of,
    player_url,
    public,
)
from clubs.search import without_accents
from clubs.ui.sent import whole_number
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_state import Absent
from pairings.tournaments import actions as tournaments
from pairings.tournaments import records as tournament_records
from pairings.tournaments import registration
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.models import Entry, Round, Tournament
from pairings.tournaments.standings import Sheet
from pairings.tournaments.wording import FICTIVE_NAME, Named, score_words, system_words, why_words

PAGE = 50


def tournament_of(request: HttpRequest, slug: str) -> Tournament:
    """Return the organisation's tournament of that name, or 404."""
    return get_object_or_404(
        Tournament.objects.of(organisation_of(request)).select_related(
            "organisation", "rating_list"
        ),
        slug=slug,
    )


def sheet_and_round(request: HttpRequest, slug: str, number: int) -> tuple[Sheet, Round]:
    """Return the tournament's rows and the round of that number, or 404."""
    sheet = tournament_standings.sheet_of(tournament_of(request, slug))
    tournament_round = next((r for r in sheet.rounds if r.number == number), None)
    if tournament_round is None:
        raise Http404
    return sheet, tournament_round


def namer(sheet: Sheet, access: Access) -> Named:
    """Return the name each member lets this reader see, by member id."""
    return names_read(sheet, by_members=access.is_member)


def names_read(sheet: Sheet, *, by_members: bool) -> Named:
    """Return the name each member lets members of the club read, or everybody, by member id."""
    names = {
        entry.member_id: entry.person.name_for(viewer_is_member=by_members)
        for entry in sheet.entries
    }
    return lambda pk: names.get(pk, "?")


def tabs_of(
    tournament: Tournament, current: str, shown: int | None = None
) -> list[dict[str, object]]:
    """Return the pages of a tournament; `shown` is the newest visible round."""
    here: dict[str, object] = {"slug": tournament.slug}
    tabs = [
        (_("Tournoi"), "tournament", here),
        (_("Inscrits"), "tournament_entries", here),
    ]
    if shown:
        tabs.append((_("Ronde %(n)s") % {"n": shown}, "round", {**here, "number": shown}))
    if tournament.state != Tournament.State.ENTRIES:
        tabs += [
            (_("Classement"), "tournament_standings", here),
            (_("Grille"), "crosstable", here),
        ]
    tabs.append((_("Impressions et fichiers"), "tournament_files", here))
    return [
        {
            "label": label,
            "url": reverse(f"pairings:{name}", kwargs=words),
            "current": name == current,
        }
        for label, name, words in tabs
    ]


def frame_of(request: HttpRequest, sheet: Sheet, current: str) -> dict[str, Any]:
    """Return the context shared by the pages of a tournament."""
    public_rounds = [r.number for r in sheet.rounds if r.is_public]
    shown = max(public_rounds, default=None)
    if shown is None and sheet.rounds:
        shown = 1
    access = access_of(request)
    rules = tournament_rules.rules_of(sheet.tournament)
    table = rules.table_of(tournament_records.entrants_of(sheet.entries))
    return {
        "tournament": sheet.tournament,
        "fixed_label": _(table.label) if table is not None else "",
        "fixed_rounds": len(table.rounds) if table is not None else 0,
        "tabs": tabs_of(sheet.tournament, current, shown),
        "access": access,
        "rounds": sheet.rounds,
        "now_playing": sheet.current,
        "is_live": "HX-Request" in request.headers,
    }


@public
@require_GET
def tournament_list(request: HttpRequest) -> HttpResponse:
    """List current and coming tournaments, and the past ones a page at a time."""
    tournaments = Tournament.objects.of(organisation_of(request)).order_by("-held_on", "-pk")
    past = tournaments.filter(state=Tournament.State.CLOSED)
    context = {
        "running": tournaments.filter(state=Tournament.State.RUNNING),
        "coming": tournaments.filter(state=Tournament.State.ENTRIES).order_by("held_on", "pk"),
        "page": Paginator(past, PAGE).get_page(request.GET.get("page")),
        "access": access_of(request),
    }
    return render(request, "pairings/tournaments/tournament_list.html", context)


@public
@never_cache
@require_GET
def tournament(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the tournament's home: what happens now, the schedule, the reader's own place in it."""
    sheet = tournament_standings.sheet_of(tournament_of(request, slug))
    access = access_of(request)
    mine = sheet.entry_of(access.member)
    count = len(sheet.entries)
    ranking = tournaments.last_ranking(sheet.tournament)
    is_closed = sheet.tournament.state == Tournament.State.CLOSED
    context = {
        **frame_of(request, sheet, "tournament"),
        "count": count,
        "is_filled_up": tournament_rules.rules_of(sheet.tournament).has_fictive_player(count),
        "round_count": len(sheet.rounds) or tournament_rules.rounds_of(sheet.tournament, count),
        "system": system_words(sheet.tournament),
        "winning_games": tournament_rules.rules_of(sheet.tournament).winning_games,
        "mine": mine,
        "is_out": mine is not None and _is_out(sheet, mine),
        "my_matches": _my_rounds(sheet, mine, namer(sheet, access)) if mine else [],
        "next_round": sheet.next,
        "is_ahead": _days_to(sheet.current) > 0,
        "is_late": _days_to(sheet.next) < 0,
        "podium": _podium(sheet, namer(sheet, access)) if ranking and is_closed else [],
        "can_enter": access.is_member
        and mine is None
        and sheet.tournament.state == Tournament.State.ENTRIES
        and sheet.tournament.self_entry,
    }
    template = "_tournament.html" if context["is_live"] else "tournament.html"
    return render(request, f"pairings/tournaments/{template}", context)


def _days_to(tournament_round: Round | None) -> int:
    """Return in how many days the round begins, negative once that day is over; 0 without one."""
    if tournament_round is None:
        return 0
    return (timezone.localdate(tournament_round.starts_at) - timezone.localdate()).days


def _is_out(sheet: Sheet, mine: Entry) -> bool:
    number = sheet.next.number if sheet.next else len(sheet.rounds)
    is_running = sheet.tournament.state == Tournament.State.RUNNING
    return is_running and mine.member_id not in sheet.still_in(number)


def _my_rounds(sheet: Sheet, mine: Entry, named: Named) -> list[dict[str, object]]:
    lines, at = [], timezone.now()
    for match in sheet.matches:
        if mine.member_id not in (match.first_id, match.second_id):
            continue
        is_first = match.first_id == mine.member_id
        other = match.second_id if is_first else match.first_id
        opponent = named(other) if other else FICTIVE_NAME
        one_absent = match.absent in (Absent.FIRST, Absent.SECOND)
        outcome = tournament_standings.outcome_of(match, is_first=is_first)
        if outcome == "forfeit_win":
            opponent = _("%(name)s, forfait de l’adversaire") % {"name": opponent}
        lines.append(
            {
                "number": tournament_records.round_number(match),
                "match": match,
                "opponent": opponent,
                "score": "" if one_absent else score_words(match, is_first=is_first),
                # Before its day "Ma soirée" may be about tonight.
                "table": match.get_absolute_url()
                if match.competition.may_be_early(at)
                else reverse("pairings:my_evening"),
            }
        )
    return lines


def _podium(sheet: Sheet, named: Named) -> list[dict[str, object]]:
    standing = tournament_standings.standing(sheet)
    return [
        {"rank": row.rank, "name": named(row.entry.member_id)}
        for row in standing.rows
        if row.rank <= 3
    ]


@public
@require_GET
def entry_list(request: HttpRequest, slug: str) -> HttpResponse:
    """List the entries: the initial ranking once it is frozen, and how it is computed before."""
    sheet = tournament_standings.sheet_of(tournament_of(request, slug))
    named = namer(sheet, access_of(request))
    entries = sheet.entries
    if sheet.tournament.state == Tournament.State.ENTRIES:
        entries = tournaments.initial_order(entries)
    context = {
        **frame_of(request, sheet, "tournament_entries"),
        "lines": [
            {
                "place": place,
                "entry": entry,
                "name": named(entry.member_id),
                "url": player_url(access_of(request), entry.person),
            }
            for place, entry in enumerate(entries, start=1)
        ],
        "is_filled_up": tournament_rules.rules_of(sheet.tournament).has_fictive_player(
            len(entries)
        ),
        "is_starred": any(entry.cote_origin == "PL*" for entry in entries),
        "is_partial": any(entry.withdrawn_from or entry.first_round > 1 for entry in entries),
        "rated_on": sheet.tournament.rated_on or sheet.tournament.held_on,
    }
    return render(request, "pairings/tournaments/tournament_entries.html", context)


@public
@never_cache
@require_GET
def round_page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the boards of a round, by table or by name, with results as they arrive."""
    match_actions.lapse_due(at=timezone.now())
    sheet, tournament_round = sheet_and_round(request, slug, number)
    named = namer(sheet, access_of(request))
    by_name = request.GET.get("par") == "nom"
    is_member = access_of(request).is_member
    lines = (
        board_lines(sheet, tournament_round, named, for_members=is_member)
        if tournament_round.is_public
        else []
    )
    context = {
        **frame_of(request, sheet, "round"),
        "round": tournament_round,
        "lines": lines,
        "by_name": by_name,
        "people": people_lines(sheet, tournament_round, named)
        if by_name and tournament_round.is_public
        else [],
        "missing": sum(line["match"].is_open for line in lines),
        "first_begins": tournament_rules.rules_of(sheet.tournament).balances_firsts,
        "absent": [named(pk) for pk in sheet.attendance(number)[0]],
    }
    template = "_round.html" if context["is_live"] else "round.html"
    return render(request, f"pairings/tournaments/{template}", context)


def board_lines(
    sheet: Sheet, tournament_round: Round, named: Named, *, for_members: bool
) -> list[dict[str, Any]]:
    """Return one line a board: names, result, why they meet."""
    return [
        {
            "match": match,
            "table": match.table_number,
            "first": named(match.first_id),
            "second": named(match.second_id) if match.second_id else FICTIVE_NAME,
            "score": score_words(match),
            "first_won": _won(match, is_first=True),
            "second_won": _won(match, is_first=False),
            "why": why_words(
                sheet.tournament, match.pairing_reason, named, for_members=for_members
            ),
            "url": match.get_absolute_url(),
        }
        for match in sheet.of_round(tournament_round.number)
    ]


def _won(match: Match, *, is_first: bool) -> bool:
    return tournament_standings.outcome_of(match, is_first=is_first) in (
        "win",
        "forfeit_win",
        "bye",
    )


def clock_of(tournament_round: Round | None, *, at: datetime) -> dict[str, Any]:
    """Return the clock of the room for a page: its seconds left and in all; none when stopped."""
    if (
        tournament_round is None
        or tournament_round.clock_from is None
        or tournament_round.clock_until is None
    ):
        return {"clock_until": None}
    left = (tournament_round.clock_until - at).total_seconds()
    return {
        "at": at,
        "clock_until": tournament_round.clock_until,
        "clock_left": max(0, int(left)),
        "clock_total": int(
            (tournament_round.clock_until - tournament_round.clock_from).total_seconds()
        ),
    }


def people_lines(sheet: Sheet, tournament_round: Round, named: Named) -> list[dict[str, Any]]:
    """Return one line a player, alphabetical: their table and their opponent."""
    people = []
    for match in sheet.of_round(tournament_round.number):
        for player, other in ((match.first_id, match.second_id), (match.second_id, match.first_id)):
            if player is not None:
                people.append(
                    {
                        "key": player,
                        "name": named(player),
                        "opponent": named(other) if other else FICTIVE_NAME,
                        "table": match.table_number,
                        "url": match.get_absolute_url(),
                    }
                )
    return sorted(people, key=lambda line: (without_accents(line["name"]), line["key"]))


ENTRY_ACTS = {
    "inscrire": gettext_noop("Votre inscription est enregistrée."),
    "retirer": gettext_noop("Votre inscription est retirée."),
    "absent": gettext_noop("Votre absence à la prochaine ronde est enregistrée."),
    "present": gettext_noop("Votre présence est enregistrée."),
    "abandon": gettext_noop("Votre abandon est enregistré."),
    "retour": gettext_noop("Votre retour est enregistré."),
}


@member_required
@require_POST
def tournament_enter(request: HttpRequest, slug: str, act: str) -> HttpResponse:
    """Change a member's own entry: in, out, absent from the next round, back."""
    tournament = tournament_of(request, slug)
    if act not in ENTRY_ACTS:
        raise Http404
    with refused_as_message(request):
        _enter_act(request, tournament, act)
        messages.success(request, _(ENTRY_ACTS[act]))
    return redirect(tournament)


def round_read(request: HttpRequest, tournament: Tournament) -> int:
    """Return the round that the page of a form named; the next one where it named none."""
    named = whole_number(request.POST.get("round"), digits=3)
    return named or tournaments.next_round_number(tournament)


def _enter_act(request: HttpRequest, tournament: Tournament, act: str) -> None:
    by, at = access_of(request).actor(), timezone.now()
    assert by.member is not None
    if act == "inscrire":
        registration.enter(tournament=tournament, member=by.member, by=by, at=at, source=Entry.SELF)
        return
    entry = get_object_or_404(Entry, tournament=tournament, member__in=by.member.rows())
    number = round_read(request, tournament)
    if act == "retirer":
        registration.remove(entry=entry, by=by, at=at)
    elif act == "abandon":
        registration.withdraw(entry=entry, number=number, by=by, at=at)
    elif act == "retour":
        registration.come_back(entry=entry, number=number, by=by, at=at)
    else:
        present = act == "present"
        registration.set_presence(entry=entry, number=number, present=present, by=by, at=at)
