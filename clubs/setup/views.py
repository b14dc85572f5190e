"""The committee's desk: dashboard, set-up, seasons."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from clubs.accounts.actor import refused_in
from clubs.accounts.permissions import committee_of, committee_required, organisation_of
from clubs.journal import chain as journal
from clubs.journal import checks as journal_checks
from clubs.members.models import Member, RoleGrant
from clubs.organisations.models import Organisation, Season
from clubs.registries import AWAITING_COMMITTEE
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks import season_choices
from clubs.rulebooks.models import RuleBook
from clubs.setup import club_settings
from clubs.setup.actions import is_begun
from clubs.setup.forms import FIELD_OF, SeasonForm
from clubs.ui.navigation import SETTING_UP
from clubs.ui.sent import render_form
from clubs.upkeep import sweeps


@committee_required
@require_GET
def dashboard(request: HttpRequest) -> HttpResponse:
    """Show what waits for the committee, and on a narrow screen what it may do."""
    organisation = organisation_of(request)
    seq, head = journal.head_of(organisation)
    context = {
        "awaiting": [entry for entries in AWAITING_COMMITTEE for entry in entries(organisation)],
        "check": journal_checks.last(organisation),
        "trial": sweeps.trial(at=timezone.now()),
        "seq": seq,
        "head": head[:12],
    }
    return render(request, "clubs/setup/dashboard.html", context)


@committee_required
@require_GET
def setup(request: HttpRequest) -> HttpResponse:
    """Show what is to be set up, in any order, each row with its status.

    A federation begins with its rating lists; it has no evenings, so neither a season nor posters.
    """
    organisation = organisation_of(request)
    is_club = organisation.is_club
    tasks = tasks_of(organisation)
    done = sum(task["status"] == "done" for task in tasks)
    pages = [task["url"] for task in tasks] if done < len(tasks) else []
    if request.session.get(SETTING_UP, []) != pages:  # not at each reading: it is written
        request.session[SETTING_UP] = pages
    next_step = (
        (_("Annoncer une soirée"), reverse("pairings:evening_new"))
        if is_club
        else (_("Gestion des cotes"), reverse("ratings:desk"))
    )
    context = {"tasks": tasks, "done": done, "next_step": next_step}
    return render(request, "clubs/setup/setup.html", context)


def tasks_of(organisation: Organisation) -> list[dict[str, object]]:
    """Return what is to be set up, each with its page, its hint and its status."""
    is_club = organisation.is_club
    is_known = bool(organisation.place if is_club else organisation.contact_email)
    missing = (
        _("%(name)s : dites où l’on joue.")
        if is_club
        else _("%(name)s : donnez une adresse de contact.")
    )
    roles = RoleGrant.objects.filter(member__organisation=organisation, revoked_at__isnull=True)
    book = RuleBook.objects.of(organisation, rulebooks.scopes_of(organisation)[0].code)
    people = Member.objects.of(organisation).belonging().filter(is_guest=False).count()
    posters = _task(
        _("Les affiches à imprimer"),
        "clubs:posters",
        _("QR de la porte, cartes."),
        organisation.posters_hung_at is not None,
    )
    return [
        _task(
            _("Le club") if is_club else _("La fédération"),
            "clubs:club_settings",
            organisation.name if is_known else missing % {"name": organisation.name},
            is_known,
        ),
        _task(*_beginning(is_club), is_begun(organisation)),
        _task(
            _("Les règles du comité"),
            "clubs:rules_edit",
            _("Jusqu’à l’adoption d’une version, les nombres du règlement valent tels quels."),
            book.adopted().exists(),
            started=book.drafts().exists(),
        ),
        _task(
            _("Les membres"),
            "clubs:member_list",
            _("Par formulaire, par invitation ou par fichier."),
            people > 1,
        ),
        _task(
            _("Les arbitres et les rôles"),
            "clubs:roles",
            _("Un arbitre ne tranche pas ses propres matchs, sauf réglage contraire du comité."),
            roles.filter(role=RoleGrant.ARBITER).exists(),
        ),
        *([posters] if is_club else []),
    ]


def _beginning(is_club: bool) -> tuple[str, str, str]:
    """Return the label, the page and the hint of what a club or a federation begins with."""
    if is_club:
        season = _("Points et matchs se comptent dans une saison.")
        return _("La saison"), "clubs:season_list", season
    lists = _("Une liste réunit un système de cote, un type de partie et une catégorie de joueurs.")
    return _("Listes de cotes"), "ratings:desk", lists


def _task(
    label: str, name: str, hint: str, done: bool, *, started: bool = False
) -> dict[str, object]:
    status = "done" if done else "started" if started else "todo"
    return {"label": label, "url": reverse(name), "hint": hint, "status": status}


@committee_required
@require_http_methods(["GET", "POST"])
def season_list(request: HttpRequest) -> HttpResponse:
    organisation = organisation_of(request)
    form = SeasonForm(request.POST or None, asks_ds_mode=season_choices.is_asked_of(organisation))
    if request.method == "POST" and form.is_valid():
        with refused_in(form, FIELD_OF):
            season = club_settings.open_season(
                organisation=organisation,
                by=committee_of(request),
                at=timezone.now(),
                **form.cleaned_data,
            )
            messages.success(request, _("Saison créée : %(name)s.") % {"name": season.name})
            return redirect("clubs:season_list")
    seasons = Season.objects.filter(organisation=organisation).order_by("-starts_on", "-pk")
    context = {"form": form, "seasons": seasons}
    return render_form(request, "clubs/setup/seasons.html", context)
