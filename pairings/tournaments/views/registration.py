"""Views of a tournament's desk: entries, fees, presence; a file of entries, several at once."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from clubs.accounts.actor import Refused, refused_as_message, refused_in
from clubs.accounts.permissions import actor_of, arbiter_required
from clubs.members import actions as members
from clubs.members.models import Member
from clubs.ui.sent import render_form
from pairings.absences import suspensions
from pairings.exchange.formats.csv_xlsx_reading import read_entries
from pairings.exchange.problems import refused_file_in
from pairings.tournaments import actions as tournaments
from pairings.tournaments import registration
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.files import entries as tournament_import
from pairings.tournaments.forms import CoteForm, EntryForm, FileForm, ManyForm
from pairings.tournaments.models import Entry, Tournament
from pairings.tournaments.views.public import frame_of, round_read, tournament_of


@arbiter_required
@require_http_methods(["GET", "POST"])
def tournament_desk(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the list of the desk: enter, pay, absent, withdraw, come back; a file of entries."""
    tournament, at = tournament_of(request, slug), timezone.now()
    free = _free_members(tournament)
    form = EntryForm(
        request.POST if "enter" in request.POST else None,
        members=free,
        has_fee=bool(tournament.fee),
    )
    file_form = FileForm(
        request.POST if "import" in request.POST else None,
        request.FILES if "import" in request.POST else None,
    )
    many = ManyForm(request.POST if "many" in request.POST else None, members=free)
    problems: list[str] = []
    if many.is_bound and many.is_valid():
        with refused_in(many, field="members"):
            count = _enter_many(request, tournament, list(many.cleaned_data["members"]))
            return _entered(request, tournament, count)
    elif form.is_bound and form.is_valid():
        with refused_in(form):
            entry = _enter(request, tournament, form.cleaned_data)
            messages.success(
                request, _("Inscription enregistrée : %(name)s.") % {"name": entry.member}
            )
            return redirect("pairings:tournament_desk", slug=slug)
    elif file_form.is_bound and file_form.is_valid():
        file = file_form.cleaned_data["file"]
        with refused_file_in(file_form, problems):
            lines = read_entries(file.name, file.read())
            entries = tournament_import.enter_all(
                tournament=tournament, lines=lines, by=actor_of(request), at=at
            )
            return _entered(request, tournament, len(entries))
    return _desk(request, tournament, form, file_form, many, problems)


def _entered(request: HttpRequest, tournament: Tournament, count: int) -> HttpResponse:
    """Say how many were entered at once, on the page of the desk."""
    words = ngettext("%(n)s inscription enregistrée.", "%(n)s inscriptions enregistrées.", count)
    messages.success(request, words % {"n": count})
    return redirect("pairings:tournament_desk", slug=tournament.slug)


def _desk(
    request: HttpRequest,
    tournament: Tournament,
    form: EntryForm,
    file_form: FileForm,
    many: ManyForm,
    problems: list[str],
) -> HttpResponse:
    sheet = tournament_standings.sheet_of(tournament)
    number = tournaments.next_round_number(tournament)
    bound = next((each for each in (file_form, many) if each.is_bound), form)
    entries = sheet.entries
    if tournament.rating_list_id is None:
        form.fields["cote"].help_text = _("Vide : sans cote.")
    if tournament.state == Tournament.State.ENTRIES:
        entries = tournaments.initial_order(entries)
        # One entry follows the other; a row that the address names has the focus before it.
        form.fields["member"].widget.attrs["autofocus"] = True
    ids = [entry.member_id for entry in entries]
    suspended = suspensions.at_tournament(tournament, ids, number=number)
    running = tournament.state == Tournament.State.RUNNING
    still_in = sheet.still_in(number) if running else set(ids)
    context = {
        **frame_of(request, sheet, "tournament_desk"),
        "entry_form": form,
        "file_form": file_form,
        "many": many,
        "form": bound if bound.is_bound else None,
        "problems": problems,
        "is_full": tournament.is_open and registration.is_full(tournament, number),
        "number": number if running else 1,
        "has_round": not sheet.rounds or number <= len(sheet.rounds),
        "lines": [
            {
                "place": place,
                "entry": entry,
                "present": entry.is_present(number),
                "suspended": entry.member_id in suspended,
                "is_out": entry.member_id not in still_in,
                "cote": CoteForm(  # empty for a player without a cote
                    initial={"cote": entry.cote or None}, auto_id=f"entry{entry.pk}_%s"
                )["cote"],
            }
            for place, entry in enumerate(entries, start=1)
        ],
        "present": sum(
            entry.is_present(number) and entry.member_id in still_in.difference(suspended)
            for entry in entries
        ),
        "count": len(entries),
    }
    return render_form(
        request, "pairings/tournaments/tournament_desk.html", context, refused=bound.errors
    )


def _free_members(tournament: Tournament) -> QuerySet[Member]:
    return (
        Member.objects.of(tournament.organisation)
        .active()
        .exclude(entries__tournament=tournament)
        .exclude(merged_from__entries__tournament=tournament)
        .order_by("sort_name", "pk")
    )


@transaction.atomic
def _enter(request: HttpRequest, tournament: Tournament, values: dict[str, Any]) -> Entry:
    by, at = actor_of(request), timezone.now()
    if values["member"] is None:
        tournaments.locked(tournament)  # before the journal, to which a new member is an entry
    member = values["member"] or members.create(
        organisation=tournament.organisation,
        first_name=values["first_name"],
        last_name=values["last_name"],
        is_guest=True,
        by=by,
        at=at,
    )
    return registration.enter(
        tournament=tournament,
        member=member,
        cote=values["cote"],
        cote_origin=values["cote_origin"],
        home_club=values["home_club"],
        paid=values.get("paid", False),
        by=by,
        at=at,
    )


@transaction.atomic
def _enter_many(request: HttpRequest, tournament: Tournament, chosen: list[Member]) -> int:
    Member.objects.filter(pk__in=[member.pk for member in chosen]).lock()  # before the first entry
    for member in chosen:
        registration.enter(
            tournament=tournament, member=member, by=actor_of(request), at=timezone.now()
        )
    return len(chosen)


ENTRY_ACTS = ("paye", "impaye", "absent", "present", "abandon", "retour", "retirer", "cote")


@arbiter_required
@require_POST
def entry_act(request: HttpRequest, slug: str, entry_id: int, act: str) -> HttpResponse:
    """Handle one button of a line of the desk."""
    tournament = tournament_of(request, slug)
    if act not in ENTRY_ACTS:
        raise Http404
    entry = get_object_or_404(
        Entry.objects.select_related("tournament", "member"), pk=entry_id, tournament=tournament
    )
    desk = reverse("pairings:tournament_desk", kwargs={"slug": slug})
    with refused_as_message(request):
        _entry_act(request, tournament, entry, act)
        if act != "retirer":
            return redirect(f"{desk}#e{entry_id}")  # where the finger was: the list is long
        messages.success(request, _("Inscription retirée : %(name)s.") % {"name": entry.member})
    return redirect(desk)


def _entry_act(request: HttpRequest, tournament: Tournament, entry: Entry, act: str) -> None:
    arguments: dict[str, Any] = {"entry": entry, "by": actor_of(request), "at": timezone.now()}
    number = round_read(request, tournament)
    if act in ("paye", "impaye"):
        registration.edit_entry(changes={"paid": act == "paye"}, **arguments)
    elif act == "cote":
        form = CoteForm(request.POST)
        if not form.is_valid():
            raise Refused(_("Une cote est un nombre entier, de 0 à 4000."))
        registration.edit_entry(changes={"cote": form.cleaned_data["cote"] or 0}, **arguments)
    elif act in ("absent", "present"):
        registration.set_presence(number=number, present=act == "present", **arguments)
    elif act == "abandon":
        registration.withdraw(number=number, **arguments)
    elif act == "retour":
        registration.come_back(number=number, **arguments)
    else:
        registration.remove(**arguments)
