"""The rating officer's desk: bring in a competition, compute it, check it, validate it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from clubs.accounts.actor import Actor, Refused, refused_as_message, refused_in
from clubs.accounts.permissions import committee_of, committee_required, organisation_of
from clubs.exchange import tables
from clubs.exchange.csv import csv_response, csv_text
from clubs.exchange.views import columns_form, columns_page
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.fields import settings_of
from clubs.rulebooks.models import RuleBook
from clubs.ui.sent import render_form, whole_number
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from clubs.upkeep.views import answer as job_answer
from ratings import systems
from ratings.competitions import actions as competitions
from ratings.competitions import drafts, long_corrections
from ratings.competitions.files import import_examples as competition_examples
from ratings.competitions.files import import_files
from ratings.competitions.files.headings import GAMES, HEADS, LABELS
from ratings.competitions.files.lines import CompetitionLine
from ratings.competitions.forms import SHEETS, BringForm, CompetitionForm, ListForm, TablesForm
from ratings.competitions.models import CompetitionDraft
from ratings.competitions.views_brought import to_control
from ratings.editions import actions as editions
from ratings.handovers.corrections import why_taken_back
from ratings.handovers.forms import NO, YES
from ratings.ledger.models import Period, RatingList
from ratings.ledger.timeline import rule_book_on
from ratings.lists import queries as list_queries
from ratings.lists.views import list_of_address, rows_of_lists
from ratings.names.views import undecided
from ratings.systems.storage import state_from_json

SAMPLE = 12
NEWEST = 30


@committee_required
@require_GET
def desk(request: HttpRequest) -> HttpResponse:
    """Show one row a list: last competition rated, competitions waiting, active players."""
    organisation = organisation_of(request)
    periods = Period.objects.filter(rating_list__organisation=organisation)
    periods = periods.waiting_for_the_officer()
    waiting = Counter(periods.values_list("rating_list_id", flat=True))
    rows = [
        {**row, "waiting": waiting[row["list"].pk]}
        for row in rows_of_lists(organisation, page="ratings:desk_list")
    ]
    running = long_corrections.of_club(organisation).filter(state__in=Job.OPEN).first()
    return render(request, "ratings/competitions/desk.html", {"rows": rows, "running": running})


@committee_required
@require_http_methods(["GET", "POST"])
def list_new(request: HttpRequest) -> HttpResponse:
    """Create a list."""
    form = ListForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with refused_in(form, {"no_kind": "kind"}, field="system"):
            rating_list = competitions.create_list(
                organisation=organisation_of(request),
                **form.cleaned_data,
                by=committee_of(request),
                at=timezone.now(),
            )
            messages.success(request, _("La liste est ouverte."))
            return redirect("ratings:desk_list", slug=rating_list.slug)
    return render_form(request, "ratings/competitions/list_new.html", {"form": form})


@committee_required
@require_GET
def desk_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one list: what waits, what was rated, the last check."""
    rating_list = list_of_address(request, slug)
    check = jobs.latest(Job.Kind.CHECK, rating_list.pk, at=timezone.now())
    followed = job_answer(request, check)
    if followed is not None:
        return followed
    rated = rating_list.periods.filter(settled_at__isnull=False).in_order().reverse()
    waiting = competitions.waiting(rating_list)
    published = list_queries.last_edition(rating_list.organisation, rating_list)
    context = {
        "list": rating_list,
        "published": published,
        "unpublished": rated.filter(
            removed_at__isnull=True,
            **({"held_on__gt": published.covers_until} if published is not None else {}),
        ).count(),
        "to_mend": editions.to_mend(rating_list.organisation, rating_list),
        "system": _(systems.system(rating_list.system).label),
        "waiting": [(period, competitions.is_late(period)) for period in waiting],
        "drafts": rating_list.drafts.filter(period__isnull=True).order_by("-created_at")[:5],
        "rated": list(rated[:NEWEST]),
        "has_grades": bool(systems.system(rating_list.system).grade_acts),
        "has_quotas": systems.system(rating_list.system).proposes_settings,
        "check": check,
    }
    return render(request, "ratings/competitions/desk_list.html", context)


@committee_required
@require_http_methods(["GET", "POST"])
def bring(request: HttpRequest, slug: str) -> HttpResponse:
    """Read a competition's file into a draft; the list does not change.

    A draft of the address, whose file is to be corrected, fills in what was typed with it, and goes.
    """
    rating_list = list_of_address(request, slug)
    corrected = CompetitionDraft.objects.filter(
        pk=whole_number(request.GET.get("brouillon")) or 0, rating_list=rating_list, handed={}
    ).first()
    form = CompetitionForm(
        request.POST or None,
        request.FILES or None,
        rating_list=rating_list,
        initial=_typed_with(corrected) if corrected is not None else None,
    )
    if request.method == "POST" and form.is_valid():
        by = committee_of(request)
        with refused_in(form, field="file"):
            new_draft = drafted(form, by=by, at=timezone.now(), corrects=corrected)
            return redirect("ratings:draft", slug=rating_list.slug, draft_id=new_draft.pk)
    context = {"form": form, "list": rating_list, "examples": _examples(rating_list)}
    return render_form(request, "ratings/competitions/bring.html", context)


def _typed_with(draft: CompetitionDraft) -> dict[str, object]:
    """Return the answers of the form that a draft was read with, as its fields show them."""
    facts = dict(draft.facts)
    for name, rows in facts.pop("named", {}).items():
        facts[name] = "\n".join("; ".join(row) for row in rows)
    return {
        **{f"fact_{name}": value for name, value in facts.items()},
        "sheet": facts["sheet"],
        "label": draft.label,
        "held_on": draft.held_on,
        "official": NO if facts.get("official") is False else YES,
        "why_not": facts.get("why_not", ""),
    }


def drafted(
    form: CompetitionForm, *, by: Actor, at: datetime, corrects: CompetitionDraft | None = None
) -> CompetitionDraft:
    """Store the file of a valid form as a draft; the list does not change."""
    answers = form.cleaned_data
    upload, kind = answers["file"], answers["sheet"]
    return competitions.draft(
        rating_list=form.rating_list,
        file=import_files.read(upload.name, tables.content_of(upload), kind),
        file_name=upload.name,
        kind=kind,
        label=answers["label"],
        held_on=answers["held_on"],
        facts=form.facts(),
        by=by,
        at=at,
        corrects=corrects,
    )


def bring_later(draft: CompetitionDraft, *, with_newcomers: bool, by: Actor, at: datetime) -> None:
    """Let a worker bring in a long file."""
    jobs.ask(
        organisation=draft.rating_list.organisation,
        kind=Job.Kind.COMPETITION,
        target_id=draft.pk,
        given={"newcomers": with_newcomers},
        by=by,
        at=at,
    )


def _examples(rating_list: RatingList) -> list[dict[str, object]]:
    """Return an example of each kind of sheet, and the address of a file to start from."""
    hints = {
        GAMES: _(
            "Une partie non jouée s’indique dans une colonne « joué » (oui, non) ou « forfait » "
            "(1, 2, 1+2), ou par un signe de la FIDE : +, -, F, U, H, Z."
        )
    }
    return [
        {
            "label": SHEETS[kind],
            "head": csv_text(competition_examples.head_of(rating_list, kind), []).strip(
                "\ufeff\r\n"
            ),
            "hint": hints.get(kind, ""),
            "url": reverse("ratings:example_file", kwargs={"slug": rating_list.slug, "kind": kind}),
        }
        for kind in competitions.kinds_of(rating_list)
    ]


@committee_required
@require_GET
def example_file(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Return a file that imports as it is, with players of the list."""
    rating_list = list_of_address(request, slug)
    if kind not in competitions.kinds_of(rating_list):
        raise Http404
    head, rows = competition_examples.example(rating_list, kind)
    return csv_response(f"{rating_list.slug}-{kind}", head, rows)


def _draft(request: HttpRequest, slug: str, draft_id: int) -> CompetitionDraft:
    return get_object_or_404(
        CompetitionDraft.objects.select_related("rating_list__organisation", "period"),
        pk=draft_id,
        rating_list=list_of_address(request, slug),
    )


@committee_required
@require_http_methods(["GET", "POST"])
def draft(request: HttpRequest, slug: str, draft_id: int) -> HttpResponse:
    """Show the preview: counts, errors with line numbers, unknown players; then bring it in.

    A worker brings in a long file, and this page then shows its progress.
    """
    stored_draft = _draft(request, slug, draft_id)
    now = timezone.now()
    job = jobs.latest(Job.Kind.COMPETITION, stored_draft.pk, at=now)
    followed = job_answer(request, job)
    if followed is not None:
        return followed
    if stored_draft.period is not None:
        return redirect("ratings:run", slug=slug, period_id=stored_draft.period.pk)
    if competitions.is_taken_back(stored_draft):
        messages.error(request, str(why_taken_back(stored_draft)))
        return redirect("ratings:handover_list")
    try:
        import_files.check_columns(
            competitions.columns_of_draft(stored_draft), stored_draft.facts["sheet"]
        )
    except Refused:
        return redirect("ratings:draft_columns", slug=slug, draft_id=stored_draft.pk)
    if job is not None and job.is_open:
        followed_page = {"list": stored_draft.rating_list, "draft": stored_draft, "job": job}
        return render(request, "ratings/competitions/draft.html", followed_page)
    by = committee_of(request)
    if "drop" in request.POST and not stored_draft.handed:
        if drafts.drop(draft=stored_draft, by=by, at=now):
            messages.success(request, _("Le fichier est retiré, rien n’a été importé."))
        return redirect("ratings:desk_list", slug=slug)
    lines = competitions.preview(stored_draft)
    form = BringForm(
        request.POST if request.method == "POST" else None,
        doubts=any(line.doubts for line in lines),
    )
    if form.is_bound and form.is_valid():
        newcomers = form.cleaned_data["newcomers"]
        if jobs.is_long(len(stored_draft.rows) - 1):
            bring_later(stored_draft, with_newcomers=newcomers, by=by, at=now)
            return redirect("ratings:draft", slug=slug, draft_id=stored_draft.pk)
        with refused_in(form):
            period = competitions.bring(draft=stored_draft, with_newcomers=newcomers, by=by, at=now)
            return to_control(request, period, by=by, at=now)
    context = _what_it_brings(stored_draft, lines) | {"job": job, "form": form}
    return render_form(request, "ratings/competitions/draft.html", context)


def _what_it_brings(draft: CompetitionDraft, lines: list[CompetitionLine]) -> dict[str, object]:
    """Return what the preview of a file shows of its lines."""
    wrong = [line for line in lines if line.problems]
    doubts = [line for line in lines if line.doubts]
    newcomers = competitions.unknown_names(lines)
    split = drafts.question(draft, lines)
    return {
        "list": draft.rating_list,
        "draft": draft,
        "total": len(lines),
        "errors": wrong,
        "error_count": len(wrong),
        "doubts": doubts,
        "newcomers": len(newcomers),
        "unknown": [
            name for key, (name, _licence) in newcomers.items() if key not in draft.choices
        ],
        "to_tell": undecided(lines, draft),
        "sample": [line for line in lines if not line.problems][:SAMPLE],
        "already_there": drafts.already_there(draft),
        "in_future": draft.held_on > timezone.localdate(),
        "split": split,
        "tables_form": TablesForm(initial={"after": split["chosen"]}, rounds=split["rounds"])
        if split
        else None,
    }


@committee_required
@require_POST
def draft_tables(request: HttpRequest, slug: str, draft_id: int) -> HttpResponse:
    """Rate a large table as two, cut after a round, or as one: decided before the tournament."""
    stored_draft = _draft(request, slug, draft_id)
    lines = competitions.preview(stored_draft)
    form = TablesForm(request.POST, rounds=drafts.rounds_of(lines))
    if not form.is_valid():
        messages.error(request, str(form.errors["after"][0]))
        return redirect("ratings:draft", slug=slug, draft_id=stored_draft.pk)
    with refused_as_message(request):
        drafts.choose(draft=stored_draft, last=form.cleaned_data["after"])
    return redirect("ratings:draft", slug=slug, draft_id=stored_draft.pk)


@committee_required
@require_POST
def check(request: HttpRequest, slug: str) -> HttpResponse:
    """Request a check of every stored number of the list, or act on the open one."""
    rating_list, now = list_of_address(request, slug), timezone.now()
    kind, by = Job.Kind.CHECK, committee_of(request)
    answered = job_answer(request, jobs.latest(kind, rating_list.pk, at=now))
    if answered is None and request.POST.get("act", "verifier") == "verifier":
        organisation = rating_list.organisation
        jobs.ask(organisation=organisation, kind=kind, target_id=rating_list.pk, by=by, at=now)
    return redirect("ratings:desk_list", slug=slug)


@committee_required
@require_http_methods(["GET", "POST"])
def quotas(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the series bars that the percentages propose; one button puts them into a draft."""
    rating_list, now = list_of_address(request, slug), timezone.now()
    on = timezone.localdate()
    system: Any = list_queries.system_on(rating_list, on)  # one of the dataclasses
    if not system.proposes_settings:
        raise Http404
    states = [state_from_json(cote.state) for cote in rating_list.cotes.order_by("pk")]
    proposed = system.proposed_settings(states, on)
    bars = {name: value for name, value in proposed.items() if value is not None}
    words, present = settings_of(system), asdict(system)
    if request.method == "POST" and bars:
        with refused_as_message(request):
            _draft_bars(request, rating_list, bars, now)
            messages.success(request, _("Brouillon enregistré. Rien ne change avant l’adoption."))
            return redirect(f"{reverse('clubs:rules_adopt')}?livre={rating_list.system}")
    context = {
        "list": rating_list,
        "on": on,
        "bars": bars,
        "rows": [(_(words[name].label), present[name], value) for name, value in proposed.items()],
    }
    return render(request, "ratings/competitions/quotas.html", context)


def _draft_bars(
    request: HttpRequest, rating_list: RatingList, bars: dict[str, int], now: datetime
) -> None:
    """Write a draft with these bars, over the draft in work or else the rules in force."""
    organisation = rating_list.organisation
    draft = RuleBook.objects.of(organisation, rating_list.system).drafts().first()
    base = draft or rule_book_on(rating_list, timezone.localdate())
    values = dict(base.values) if base is not None else {}
    values["cote"] = {**values.get("cote", {}), **bars}
    rulebooks.save_draft(
        organisation=organisation,
        code=rating_list.system,
        values=values,
        by=committee_of(request),
        at=now,
    )


@committee_required
@require_http_methods(["GET", "POST"])
def draft_columns(request: HttpRequest, slug: str, draft_id: int) -> HttpResponse:
    """Ask which column is which, guessed from the head, with samples."""
    stored_draft = _draft(request, slug, draft_id)
    labels = {name: LABELS[name]() for name in HEADS[stored_draft.facts["sheet"]]}
    form = columns_form(request, stored_draft, labels, competitions.columns_of_draft(stored_draft))
    if form.is_bound and form.is_valid():
        with refused_in(form):
            competitions.choose_columns(draft=stored_draft, columns=form.columns())
            return redirect("ratings:draft", slug=slug, draft_id=stored_draft.pk)
    return columns_page(request, draft=stored_draft, form=form)
