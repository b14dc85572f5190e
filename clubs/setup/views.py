"""The committee's desk: dashboard, set-up, seasons, rules, journal, posters."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from clubs.accounts.actor import COMMITTEE, Refused
from clubs.accounts.permissions import access_of, committee_required, organisation_of
from clubs.journal import chain as journal
from clubs.journal import checks as journal_checks
from clubs.journal.models import JournalEntry
from clubs.journal.wording import VERBS, sentence, subjects
from clubs.members import actions as members
from clubs.members.forms import AdoptForm, RuleForm, SeasonForm, shown
from clubs.members.models import JoinRequest, Member, RoleGrant
from clubs.organisations.models import Organisation, Season
from clubs.rulebooks import actions as rulebook
from clubs.rulebooks.citations import cited
from clubs.rulebooks.models import RuleBook
from clubs.setup import club_settings
from clubs.setup import poster_pdf as printed
from clubs.ui.csv import csv_response

SCOPE = "faizers"
KEPT = ("pdi_ignore_groups",)
"""Values that no field of the form shows: a save carries them on as they are."""


def part_title(part: str) -> str:
    """The chapter of a part of the book."""
    titles = {
        "cote": _("Cote et catégories (002 IV, VII)"),
        "pairing": _("Points, départage, appariement, absences (002 II, III, VI)"),
        "match": _("Saisie et validation (002 V)"),
        "correction": _("Corrections de ce qui est publié"),
    }
    return cited(titles.get(part, part))


@committee_required
@never_cache
@require_GET
def dashboard(request: HttpRequest) -> HttpResponse:
    """What the committee may do, and what waits for it."""
    organisation = organisation_of(request)
    seq, head = journal.head_of(organisation)
    context = {
        "is_club": organisation.kind == Organisation.CLUB,
        "requests": JoinRequest.objects.filter(
            organisation=organisation, answered_at__isnull=True
        ).count(),
        "guests": Member.objects.of(organisation).active().filter(is_guest=True).count(),
        "members": Member.objects.of(organisation).active().count(),
        "draft": RuleBook.objects.of(organisation, SCOPE).drafts().first(),
        "check": journal_checks.last(organisation),
        "seq": seq,
        "head": head[:12],
    }
    return render(request, "clubs/dashboard.html", context)


@committee_required
@never_cache
@require_GET
def setup(request: HttpRequest) -> HttpResponse:
    """Six rows in any order, each with its status."""
    organisation = organisation_of(request)
    roles = RoleGrant.objects.filter(member__organisation=organisation, revoked_at__isnull=True)
    book = RuleBook.objects.of(organisation, rulebook.scopes_of(organisation)[0].code)
    people = Member.objects.of(organisation).active().count()
    tasks = [
        _task(_("Le club"), "clubs:club_settings", organisation.name, bool(organisation.place)),
        _task(
            _("La saison"),
            "clubs:season_list",
            _("Points et rencontres se comptent dans une saison."),
            Season.objects.filter(organisation=organisation).exists(),
        ),
        _task(
            _("Les règles du comité"),
            "clubs:rules_edit",
            _("Chaque nombre du règlement, avec la valeur du document."),
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
            _("Un arbitre ne juge jamais son propre match."),
            roles.filter(role=RoleGrant.ARBITER).exists(),
        ),
        _task(
            _("Les affiches à imprimer"),
            "clubs:posters",
            _("QR de la porte, cartes."),
            club_settings.posters_are_hung(organisation),
        ),
    ]
    done = sum(task["status"] == "done" for task in tasks)
    return render(request, "clubs/setup.html", {"tasks": tasks, "done": done})


def _task(label: str, name: str, hint: str, done: bool, *, started: bool = False) -> dict[str, Any]:
    status = "done" if done else "started" if started else "todo"
    return {"label": label, "url": reverse(name), "hint": hint, "status": status}


@committee_required
@never_cache
@require_http_methods(["GET", "POST"])
def season_list(request: HttpRequest) -> HttpResponse:
    organisation = organisation_of(request)
    ladder = any(known.code == SCOPE for known in rulebook.scopes_of(organisation))
    form = SeasonForm(request.POST or None, asks_ds_mode=ladder)
    if request.method == "POST" and form.is_valid():
        try:
            members.open_season(
                organisation=organisation,
                by=access_of(request).actor(COMMITTEE),
                at=timezone.now(),
                **form.cleaned_data,
            )
            return redirect("clubs:season_list")
        except Refused as refused:
            form.add_error(None, str(refused))
    seasons = Season.objects.filter(organisation=organisation).order_by("-starts_on", "-pk")
    context = {"form": form, "seasons": seasons}
    return render(request, "clubs/seasons.html", context, status=422 if form.errors else 200)


def scope_of(request: HttpRequest) -> str:
    """Which rule book the page is about: `?livre=`, or the organisation's first. 404 otherwise."""
    asked = request.GET.get("livre")
    if asked is None:
        return rulebook.scopes_of(organisation_of(request))[0].code
    if asked not in {known.code for known in rulebook.scopes()}:
        raise Http404
    return asked


def scope_tabs(request: HttpRequest, code: str) -> list[dict[str, Any]]:
    """One tab a rule book of this organisation; none when there is a single one."""
    found = rulebook.scopes_of(organisation_of(request))
    tabs = [
        {"label": _(known.label), "url": f"?livre={known.code}", "current": known.code == code}
        for known in found
    ]
    return tabs if len(tabs) > 1 else []


def _to(name: str, code: str, **kwargs: Any) -> HttpResponse:
    return redirect(f"{reverse(name, kwargs=kwargs or None)}?livre={code}")


@committee_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def rules_edit(request: HttpRequest) -> HttpResponse:
    """The draft: one field for each number of the systems. Saving changes nothing in force."""
    organisation, at = organisation_of(request), timezone.now()
    code = scope_of(request)
    current = rulebook.in_force(organisation, code, at)
    draft = RuleBook.objects.of(organisation, code).drafts().first()
    every = rulebook.lines(draft or current, code)
    lines = [line for line in every if line.name not in KEPT]
    form = RuleForm(request.POST or None, lines=lines)
    if request.method == "POST" and "drop" in request.POST and draft is not None:
        rulebook.drop(draft=draft, by=access_of(request).actor(COMMITTEE), at=at)
        messages.success(request, _("Le brouillon est abandonné."))
        return _to("clubs:rules_edit", code)
    if request.method == "POST" and form.is_valid():
        values = form.values()
        for line in every:
            if line.name in KEPT:
                values.setdefault(line.part, {})[line.name] = list(line.value)
        try:
            rulebook.save_draft(
                organisation=organisation,
                code=code,
                values=values,
                by=access_of(request).actor(COMMITTEE),
                at=at,
            )
            messages.success(request, _("Brouillon gardé. Rien ne change avant l’adoption."))
            return _to("clubs:rules_adopt", code)
        except rulebook.RuleRefused as refused:
            form.add_error(refused.field if refused.field in form.fields else None, str(refused))
    context = {
        "form": form,
        "groups": [(part, title_of(part, code), fields) for part, fields in form.groups()],
        "draft": draft,
        "current": current,
        "code": code,
        "tabs": scope_tabs(request, code),
    }
    return render(request, "clubs/rules_edit.html", context, status=422 if form.errors else 200)


@committee_required
@never_cache
@require_http_methods(["GET", "POST"])
def rules_adopt(request: HttpRequest) -> HttpResponse:
    """Old → new, then a date, a reason, who voted."""
    organisation, at = organisation_of(request), timezone.now()
    code = scope_of(request)
    draft = RuleBook.objects.of(organisation, code).drafts().first()
    if draft is None:
        return _to("clubs:rules_edit", code)
    current = rulebook.in_force(organisation, code, at)
    tomorrow = at.astimezone(organisation.zone).date() + timedelta(days=1)
    form = AdoptForm(request.POST or None, initial={"day": tomorrow})
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        starts = datetime.combine(given["day"], time(0), tzinfo=organisation.zone)
        try:
            rulebook.adopt(
                draft=draft,
                effective_from=starts,
                reason=given["reason"],
                voted_by=given["voted_by"],
                by=access_of(request).actor(COMMITTEE),
                at=at,
            )
            messages.success(
                request,
                (
                    _("Version %(n)s adoptée, en vigueur à la première soirée à partir du %(day)s.")
                    if code == SCOPE
                    else _("Version %(n)s adoptée, en vigueur à partir du %(day)s.")
                )
                % {"n": draft.number, "day": f"{given['day']:%d/%m/%Y}"},
            )
            return _to("clubs:rules_version", code, number=draft.number)
        except Refused as refused:
            form.add_error("day" if refused.code == "past_date" else None, str(refused))
    context = {
        "form": form,
        "draft": draft,
        "changes": changes(current, draft, code),
        "code": code,
    }
    return render(request, "clubs/rules_adopt.html", context, status=422 if form.errors else 200)


def title_of(part: str, code: str) -> str:
    """A part's title: the ladder's chapters, or the name of another system."""
    own = code == SCOPE or part == "correction"
    return part_title(part) if own else _(rulebook.scope(code).label)


def changes(a: RuleBook | None, b: RuleBook | None, code: str = SCOPE) -> list[dict[str, Any]]:
    """What differs between two versions, old → new."""
    return [
        {
            "label": _(old.words.label),
            "article": cited(old.words.article),
            "old": shown(old.value),
            "new": shown(new.value),
            "unit": _(old.words.unit) if old.words.unit else "",
            "takes_effect": takes_effect(old, code),
        }
        for old, new in rulebook.differences(a, b, code)
    ]


def takes_effect(line: rulebook.Line, code: str) -> str:
    """When a new value of this number begins to count."""
    if line.words.per_season:
        return _("à la première soirée de la saison suivante")
    if code == SCOPE and line.part in ("cote", "pairing", "match"):
        return _("à la première soirée qui ouvre après la date d’effet")
    return _("à la date d’effet")


@committee_required
@never_cache
@require_GET
def journal_page(request: HttpRequest) -> HttpResponse:
    """Who did what, when, why; filters; CSV; does the chain hold?"""
    organisation = organisation_of(request)
    entries = (
        JournalEntry.objects.filter(organisation=organisation)
        .select_related("actor")
        .order_by("-seq")
    )
    verb, who = request.GET.get("verbe", ""), request.GET.get("qui", "").strip()
    if verb:
        entries = entries.filter(verb=verb)
    if who:
        ids = Member.objects.of(organisation).matching(who).values_list("pk", flat=True)
        entries = entries.filter(member_id_of_actor__in=list(ids))
    names = dict(Member.objects.of(organisation).values_list("pk", "first_name"))
    full = {m.pk: m.full_name for m in Member.objects.of(organisation)}
    if request.GET.get("format") == "csv":
        return csv_response(
            "journal",
            ["numéro", "date", "qui", "rôle", "acte", "objet", "motif", "empreinte"],
            (
                [
                    entry.seq,
                    timezone.localtime(entry.at).isoformat(timespec="seconds"),
                    full.get(entry.member_id_of_actor or 0, ""),
                    entry.role,
                    sentence(entry.verb),
                    entry.subject,
                    entry.reason,
                    entry.hash,
                ]
                for entry in entries.iterator(chunk_size=2000)
            ),
        )
    seq, head = journal.head_of(organisation)
    paginator = Paginator(entries, 60)
    if not verb and not who:
        paginator.count = seq  # numbered without a gap: no need to count the rows
    page = paginator.get_page(request.GET.get("page"))
    about = subjects(entry.subject for entry in page)
    context = {
        "page": page,
        "lines": [
            {
                "entry": entry,
                "who": full.get(entry.member_id_of_actor or 0, "")
                or (str(entry.actor) if entry.actor else _("le site")),
                "words": sentence(entry.verb),
                "about": about[entry.subject],
            }
            for entry in page
        ],
        "names": names,
        "verbs": sorted(VERBS.items(), key=lambda item: str(item[1])),
        "verb": verb,
        "who": who,
        "check": journal_checks.last(organisation),
        "seq": seq,
        "head": head,
    }
    return render(request, "clubs/journal.html", context)


# Posters


@committee_required
@never_cache
@require_GET
def poster_door(request: HttpRequest) -> HttpResponse:
    """The door's poster, with the club's own address."""
    address = request.build_absolute_uri(reverse("pairings:checkin_code"))
    return _pdf("porte", printed.door(name=organisation_of(request).name, address=address))


@committee_required
@never_cache
@require_GET
def poster_cards(request: HttpRequest) -> HttpResponse:
    """A card a player, each with the club's own address of that number."""
    people = Member.objects.of(organisation_of(request)).active().order_by("sort_name", "pk")
    return _pdf(
        "cartes",
        printed.cards(
            (
                member.full_name,
                member.number,
                request.build_absolute_uri(
                    reverse("clubs:number", kwargs={"number": member.number})
                ),
            )
            for member in people
        ),
    )


def _pdf(name: str, content: bytes) -> HttpResponse:
    response = HttpResponse(content, content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{name}.pdf"'
    return response
