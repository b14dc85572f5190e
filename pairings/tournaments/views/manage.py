"""Views of the director's desk: create a tournament, its settings, its entries, its end."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_GET, require_http_methods

from clubs.accounts.actor import Refused, refused_in
from clubs.accounts.permissions import (
    access_of,
    actor_of,
    arbiter_required,
    committee_of,
    committee_required,
    organisation_of,
)
from clubs.accounts.reauthentication import weighty
from clubs.rulebooks import actions as rulebooks
from clubs.ui.sent import render_form, whole_number
from pairings.arbitration.forms import ReasonForm
from pairings.matches.refusals import SENTENCES
from pairings.tournaments import actions as tournaments
from pairings.tournaments import closing as tournament_closing
from pairings.tournaments import rating as tournament_rating
from pairings.tournaments import records as tournament_records
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.forms import RulesForm, TablesForm, TournamentForm
from pairings.tournaments.models import Tournament
from pairings.tournaments.rounds.forms import ScheduleForm
from pairings.tournaments.views.public import frame_of, tournament_of

TABLES = "small_tables"
"""The organiser's own predetermined rounds, among the numbers of a system that has some."""


@committee_required
@require_http_methods(["GET", "POST"])
def tournament_create(request: HttpRequest) -> HttpResponse:
    """Let a director announce a tournament."""
    organisation, at = organisation_of(request), timezone.now()
    lists = tournaments.rating_lists(organisation)
    form = TournamentForm(
        request.POST or None,
        lists=lists,
        initial={
            "place": organisation.place,
            "hour": "09:30",
            "rating_list": lists.filter(slug=rulebooks.LADDER).first(),
        },
    )
    if request.method == "POST" and form.is_valid():
        with refused_in(form):
            tournament = tournaments.create(
                organisation=organisation,
                system=form.cleaned_data["system"],
                rules=form.rules(),
                by=committee_of(request),
                at=at,
                **form.details(),
            )
            if tournament.held_on < at.astimezone(organisation.zone).date():
                past = _("Ce jour est passé : corrigez-le dans les réglages s’il est faux.")
                messages.warning(request, past)
            else:
                messages.success(request, _("Le tournoi est annoncé. Inscrivez les joueurs."))
            return redirect("pairings:tournament_desk", slug=tournament.slug)
    context = {"form": form}
    return render_form(request, "pairings/tournaments/tournament_create.html", context)


@arbiter_required
@require_http_methods(["GET", "POST"])
def tournament_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Show and change the tournament's details and rules: tie-breaks, forfeits, window, bounds."""
    tournament = tournament_of(request, slug)
    system = tournament_rules.rules_of(tournament)
    zone = tournament.organisation.zone
    starts = tournament.starts_at.astimezone(zone)
    details = TournamentForm(
        request.POST if "details" in request.POST else None,
        lists=tournaments.rating_lists(tournament.organisation),
        initial={
            **{name: getattr(tournament, name) for name in tournaments.DETAILS},
            "day": tournament.held_on,
            "hour": f"{starts:%H:%M}",
            "system": tournament.system,
            "winning_games": str(system.winning_games),
        },
    )
    rules = RulesForm(request.POST if "rules" in request.POST else None, tournament=tournament)
    tables = TablesForm(
        request.POST if "tables" in request.POST else None,
        request.FILES if "tables" in request.POST else None,
        initial=_table_in_force(tournament),
    )
    schedule = ScheduleForm(
        request.POST if "schedule" in request.POST else None, tournament=tournament
    )
    every = (details, rules, tables, schedule)
    changes = _changes(tournament, *every)
    if changes is not None:
        try:
            tournaments.edit(
                tournament=tournament,
                changes=changes,
                by=actor_of(request),
                at=timezone.now(),
                version=whole_number(request.POST.get("version")),
            )
        except tournament_rules.MatchNumbersRefused as refused:
            rules.add_error(f"m_{refused.field}", str(refused))
        except Refused as refused:
            field = "ends_on" if refused.code == "outside" else None
            next(form for form in every if form.is_bound).add_error(field, str(refused))
        else:
            messages.success(request, _("Les réglages du tournoi sont enregistrés."))
            return redirect("pairings:tournament_manage", slug=slug)
    bound = next((form for form in every if form.is_bound), details)
    context = {
        "tournament": tournament,
        "details": details,
        "rules": rules,
        "tables": tables if TABLES in system.edited_apart else None,
        "schedule": schedule if tournament_rules.SCHEDULE in system.edited_apart else None,
        "form": bound,
        "version": request.POST.get("version", tournament.version),
        "closed": "" if tournament.is_open else SENTENCES["tournament_closed"],
    }
    return render_form(request, "pairings/tournaments/tournament_settings.html", context)


def _changes(
    tournament: Tournament,
    details: TournamentForm,
    rules: RulesForm,
    tables: TablesForm,
    schedule: ScheduleForm,
) -> dict[str, object] | None:
    """Return what the form that was sent changes; None where it is not valid."""
    if details.is_bound and details.is_valid():
        kept = tournament.rules if details.cleaned_data["system"] == tournament.system else {}
        return {
            **details.details(),
            "system": details.cleaned_data["system"],
            "rules": details.rules(kept),
        }
    if rules.is_bound and rules.is_valid():
        return {"rules": rules.rules(), "match_rules": rules.match_rules()}
    if tables.is_bound and tables.is_valid():
        small_tables = tables.tables(tournament.rules.get(TABLES, []))
        return {"rules": {**tournament.rules, TABLES: small_tables}}
    has_schedule = tournament_rules.SCHEDULE in tournament_rules.rules_of(tournament).edited_apart
    if has_schedule and schedule.is_bound and schedule.is_valid():
        return {"rules": schedule.rules()}
    return None


def _table_in_force(tournament: Tournament) -> dict[str, object]:
    """Return the table for the players entered now, as the initial value of the form."""
    entrants = tournament_records.entrants_of(tournament.entries.all())
    table = tournament_rules.rules_of(tournament).table_of(entrants)
    if table is None:
        return {"size": 8}
    lines = (" ".join(f"{a}-{b}" for a, b in pairs) for pairs in table.rounds)
    return {"size": table.size, "rounds": "\n".join(lines)}


@arbiter_required
@require_GET
def tournament_manage(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what to do next, the rounds, the end."""
    return _manage(request, tournament_of(request, slug))


def _manage(
    request: HttpRequest, tournament: Tournament, form: ReasonForm | None = None, act: str = ""
) -> HttpResponse:
    sheet = tournament_standings.sheet_of(tournament)
    ranking = tournaments.last_ranking(tournament)
    count = len(sheet.entries)
    posted = tournament_rating.periods_of(tournament)
    taken = {period.rating_list_id for period in posted}
    close_form = form if form is not None and act == "clore" else ReasonForm(auto_id=CLOSING_ID)
    if ranking is not None and sheet.next is None:
        close_form["reason"].label = _("Motif du nouveau classement")
    context = {
        **frame_of(request, sheet, "tournament_manage"),
        "count": count,
        "is_filled_up": tournament_rules.rules_of(tournament).has_fictive_player(count),
        "round_count": tournament_rules.rounds_of(tournament, count),
        "rounds_note": tournament_rules.rules_of(tournament).rounds_note,
        "why_no_rounds": tournament_rules.why_no_rounds(tournament, count),
        "unpaid": sum(not entry.paid for entry in sheet.entries) if tournament.fee else 0,
        "can_freeze": tournament.state == Tournament.State.ENTRIES and count >= tournaments.FEWEST,
        "next_round": sheet.next,
        "current": sheet.current,
        "closed": sheet.closed,
        "ranking": ranking,
        "changes": tournament_closing.changes_since(ranking, sheet)
        if ranking is not None and tournament.state == Tournament.State.RUNNING
        else [],
        "posted": posted,
        "outdated": tournament_rating.outdated_lists(posted, sheet.matches)
        if ranking is not None and ranking.number > 1
        else set(),
        "lists": tournament_rating.lists_of(tournament).exclude(pk__in=taken),
        "reason_form": form if form is not None and act != "clore" else ReasonForm(),
        "close_form": close_form,
        "failed_act": act,
        "form": form,
    }
    return render_form(
        request, "pairings/tournaments/tournament_manage.html", context, refused=form is not None
    )


CLOSING_ID = "close-%s"
COMMITTEE_ACTS = ("rouvrir", "annuler", "cotes")
REASON_ACTS = ("deverrouiller", "rouvrir", "annuler")
DONE = {
    "arreter": gettext_noop("Le classement initial est figé."),
    "deverrouiller": gettext_noop("Les inscriptions sont rouvertes."),
    "clore": gettext_noop("Le tournoi est terminé."),
    "rouvrir": gettext_noop("Le tournoi est rouvert."),
    "annuler": gettext_noop("Le tournoi est annulé."),
    "cotes": gettext_noop("Les résultats sont transmis à la liste."),
}


def _undoes(request: HttpRequest) -> bool:
    """Return whether somebody of the committee reopens or cancels a tournament."""
    assert request.resolver_match is not None
    act = request.resolver_match.kwargs["act"]
    return act in ("rouvrir", "annuler") and access_of(request).is_committee


@arbiter_required
@weighty(when=_undoes)
@require_http_methods(["GET", "POST"])
def tournament_act(request: HttpRequest, slug: str, act: str) -> HttpResponse:
    """Freeze, reopen, close, post to a list or cancel: one action per button."""
    if request.method == "GET":
        return redirect("pairings:tournament_manage", slug=slug)
    tournament = tournament_of(request, slug)
    acts = {
        "arreter": tournaments.freeze,
        "deverrouiller": tournaments.unfreeze,
        "clore": tournament_closing.close,
        "rouvrir": tournament_closing.reopen,
        "annuler": tournament_closing.cancel,
        "cotes": tournament_rating.hand_over,
    }
    if act not in acts:
        raise Http404
    by = committee_of(request) if act in COMMITTEE_ACTS else actor_of(request)
    arguments: dict[str, object] = {"tournament": tournament, "by": by, "at": timezone.now()}
    form = ReasonForm(request.POST, auto_id=CLOSING_ID if act == "clore" else "id_%s")
    if act in REASON_ACTS:
        if not form.is_valid():
            return _manage(request, tournament, form, act)
        arguments["reason"] = form.cleaned_data["reason"]
    elif act in ("clore", "cotes"):
        arguments["reason"] = request.POST.get("reason", "")[:500]
    if act == "cotes":
        lists = tournament_rating.lists_of(tournament)
        chosen = whole_number(request.POST.get("list")) or 0
        arguments["rating_list"] = get_object_or_404(lists, pk=chosen)
    else:
        arguments["version"] = whole_number(request.POST.get("version"))
    try:
        acts[act](**arguments)  # type: ignore[operator]
    except Refused as refused:
        if act == "clore" or act in REASON_ACTS:
            form.is_valid()
            form.errors.clear()
            form.add_error("reason" if refused.code == "reason_required" else None, str(refused))
            return _manage(request, tournament_of(request, slug), form, act)
        messages.error(request, str(refused))
    else:
        messages.success(request, _(DONE[act]))
    return redirect("pairings:tournament_manage", slug=slug)
