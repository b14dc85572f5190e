"""Views that import a tournament, or the results of a round, from a file."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import Actor, Refused
from clubs.accounts.permissions import (
    actor_of,
    arbiter_required,
    committee_of,
    committee_required,
    organisation_of,
)
from clubs.members.models import Member
from clubs.ui.sent import render_form
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from clubs.upkeep.views import answer as job_answer
from pairings.exchange.formats import csv_xlsx_reading, tsh
from pairings.exchange.formats import json as tournament_json
from pairings.exchange.problems import MOST_PROBLEMS, refused_file_in
from pairings.exchange.snapshot import TournamentSheet
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.files import follow as tournament_follow
from pairings.tournaments.files import kept, snapshot
from pairings.tournaments.files import restore as tournament_restore
from pairings.tournaments.files.forms import ResultsFileForm, TournamentFileForm
from pairings.tournaments.models import Tournament, TournamentFile
from pairings.tournaments.rounds import score_import
from pairings.tournaments.views.public import tournament_of


@arbiter_required
@require_http_methods(["GET", "POST"])
def results_import(request: HttpRequest, slug: str) -> HttpResponse:
    """Import the results of a file: all of them, or none with every wrong row reported."""
    tournament = tournament_of(request, slug)
    form = ResultsFileForm(request.POST or None, request.FILES or None)
    problems: list[str] = []
    if request.method == "POST" and form.is_valid():
        with refused_file_in(form, problems):
            done = _entered(request, tournament, form)
            if done:
                words = ngettext("%(n)s résultat importé.", "%(n)s résultats importés.", done)
                messages.success(request, words % {"n": done})
            else:
                messages.info(request, _("Aucun résultat nouveau dans ce fichier."))
            return redirect("pairings:tournament_manage", slug=slug)
    context = {"tournament": tournament, "form": form, "problems": problems}
    return render_form(request, "pairings/tournaments/results_import.html", context)


def _entered(request: HttpRequest, tournament: Tournament, form: ResultsFileForm) -> int:
    """Enter the results of the file; return how many are new."""
    file = form.cleaned_data["file"]
    call: dict[str, Any] = {"tournament": tournament, "by": actor_of(request), "at": timezone.now()}
    if form.is_tsh():
        has_spread = tournament_rules.rules_of(tournament).wins_and_spread is not None
        division = tsh.read(
            file.read(), name=tournament.name, held_on=tournament.held_on, own_ranking=has_spread
        )
        return tournament_follow.follow(sheet=division, **call)
    sheet = snapshot.photograph(tournament_standings.sheet_of(tournament))
    lines = csv_xlsx_reading.read_results(file.name, file.read(), sheet)
    return score_import.enter_results(lines=lines, **call)


@committee_required
@require_http_methods(["GET", "POST"])
def tournament_import(request: HttpRequest) -> HttpResponse:
    """Import a tournament from its file: a new one here, or nothing. A long one is previewed first."""
    form = TournamentFileForm(request.POST or None, request.FILES or None)
    problems: list[str] = []
    if request.method == "POST" and form.is_valid():
        with refused_file_in(form, problems):
            sheet, digest = read_file(form)
            with transaction.atomic():  # a second tap on the button waits for the first
                made = tournament_restore.made_of(digest, organisation_of(request))
                if made is None or form.cleaned_data["again"]:
                    return _imported(request, sheet, digest, form.cleaned_data["file"].name)
            form.ask_again(made)
    context = {"form": form, "problems": problems}
    return render_form(request, "pairings/tournaments/tournament_import.html", context)


def _imported(
    request: HttpRequest, sheet: TournamentSheet, digest: str, file_name: str
) -> HttpResponse:
    """Import a short file, keep a long one for its preview, and lead there."""
    arguments: dict[str, Any] = {
        "sheet": sheet,
        "digest": digest,
        "organisation": organisation_of(request),
        "by": committee_of(request),
        "at": timezone.now(),
    }
    if kept.is_long(sheet):
        kept_file = kept.keep(file_name=file_name, **arguments)
        return redirect("pairings:tournament_file", file_id=kept_file.pk)
    done = tournament_restore.restore(**arguments)
    _say(request, done.guests, done.differences)
    return redirect("pairings:tournament_manage", slug=done.tournament.slug)


@committee_required
@require_http_methods(["GET", "POST"])
def tournament_file(request: HttpRequest, file_id: int) -> HttpResponse:
    """Show what a long file brings; the button hands it to a worker, whose progress is shown."""
    files = TournamentFile.objects.filter(organisation=organisation_of(request))
    kept_file = get_object_or_404(files.select_related("organisation", "tournament"), pk=file_id)
    at = timezone.now()
    job = jobs.latest(Job.Kind.TOURNAMENT, kept_file.pk, at=at)
    followed = job_answer(request, job)
    if followed is not None:
        return followed
    if kept_file.tournament is not None:
        moved = (
            Member.objects.of(kept_file.organisation).filter(pk__in=kept_file.moved).order_by("pk")
        )
        _say(request, kept_file.guests, [member.full_name for member in moved])
        return redirect("pairings:tournament_manage", slug=kept_file.tournament.slug)
    context: dict[str, object] = {"file": kept_file, "job": job}
    if job is not None and job.is_open:
        return render(request, "pairings/tournaments/tournament_file.html", context)
    try:
        sheet = kept.sheet_of(kept_file)
        if request.method == "POST":
            _bring(request, kept_file, sheet, at)
            return redirect("pairings:tournament_file", file_id=kept_file.pk)
    except Refused as refused:
        context["refusal"] = str(refused)
    else:
        _found, unknown, problems = tournament_restore.people_of(sheet, kept_file.organisation)
        context |= {
            "sheet": sheet,
            "boards": sum(len(each.boards) for each in sheet.rounds),
            "unknown": [player.name for player in unknown],
            "problems": problems[:MOST_PROBLEMS],
        }
    return render_form(
        request, "pairings/tournaments/tournament_file.html", context, refused="refusal" in context
    )


def _bring(
    request: HttpRequest, draft: TournamentFile, sheet: TournamentSheet, at: datetime
) -> None:
    """Hand the import to a worker, or do it now where the file is short."""
    by = committee_of(request)
    if not kept.is_long(sheet):
        kept.bring(draft=draft, by=by, at=at)
        return
    bring_later(draft, by=by, at=at)


def bring_later(draft: TournamentFile, *, by: Actor, at: datetime) -> None:
    """Let a worker import a long file."""
    jobs.ask(
        organisation=draft.organisation,
        kind=Job.Kind.TOURNAMENT,
        target_id=draft.pk,
        by=by,
        at=at,
    )


def read_file(form: TournamentFileForm) -> tuple[TournamentSheet, str]:
    """Return the tournament of a valid form, and the digest of its file. Raises FileRefused."""
    answers = form.cleaned_data
    content = answers["file"].read()
    if form.is_json():
        sheet = tournament_json.read(content, accept_altered=answers["accept_altered"])
    else:
        has_spread = answers["ranking"] == tournament_rules.WINS_AND_SPREAD
        sheet = tsh.read(
            content, name=answers["name"], held_on=answers["day"], own_ranking=has_spread
        )
    return sheet, hashlib.sha256(content).hexdigest()


def _say(request: HttpRequest, guests: int, differences: Sequence[str]) -> None:
    messages.success(request, _("Le tournoi est importé."))
    if guests:
        words = ngettext(
            "%(n)s nom inconnu est devenu un invité.",
            "%(n)s noms inconnus sont devenus des invités.",
            guests,
        )
        messages.info(request, words % {"n": guests})
    if differences:
        text = _("Le classement calculé ici n’est pas celui du fichier pour : %(names)s.")
        messages.warning(request, text % {"names": ", ".join(differences[:10])})
