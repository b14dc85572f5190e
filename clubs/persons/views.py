"""Pages of a federation's persons: the register, one person, the file of licences."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from clubs.accounts.actor import Refused, refused_as_message, refused_in
from clubs.accounts.permissions import (
    after_closing,
    committee_of,
    committee_required,
    organisation_of,
)
from clubs.exchange import tables
from clubs.exchange.views import columns_form, columns_page
from clubs.members.models import Member
from clubs.persons import actions as persons
from clubs.persons import licences, queries
from clubs.persons.forms import LapseForm, LicenceFileForm, LinkForm, PersonForm
from clubs.persons.licence_words import COLUMNS, LABELS
from clubs.persons.licences import LineKind
from clubs.persons.models import Alias, LicenceFile, MemberLink, Person
from clubs.persons.tables import PersonTable, csv_of
from clubs.ui.sent import has_errors, render_form, whole_number
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from clubs.upkeep.views import answer as job_answer

PAGE = 100
CHANGED_SHOWN = 200


@committee_required
@require_GET
def person_list(request: HttpRequest) -> HttpResponse:
    """List the register a page at a time or as a file, searched by name, number, licence or club."""
    words, status = request.GET.get("q", "").strip(), request.GET.get("statut", "")
    people = queries.found_by(queries.register(organisation_of(request)), words)
    if status in Person.Status.values:
        people = people.filter(person__status=status)
    order = request.GET.get("tri") or "name"
    sorted_people = PersonTable(people, order_by=order).data.data
    if request.GET.get("format") == "csv":
        return csv_of(sorted_people)
    page = Paginator(sorted_people, PAGE).get_page(request.GET.get("page"))
    shown = list(page)
    context = {
        "page": page,
        "people": shown,
        "table": PersonTable(shown, order_by=order),
        "order": request.GET.get("tri", ""),
        "words": words,
        "status": status,
        "statuses": Person.Status.choices,
    }
    return render(request, "clubs/persons/person_list.html", context)


@committee_required
@after_closing
@require_http_methods(["GET", "POST"])
def person(request: HttpRequest, member_id: int) -> HttpResponse:
    """Correct a person's licence and details; take back an alias; link a club's member."""
    organisation = organisation_of(request)
    member = get_object_or_404(Member.objects.of(organisation).active(), pk=member_id)
    person_row = Person.objects.filter(member=member).first() or Person(member=member)
    initial = {name: getattr(person_row, name) for name in persons.DETAILS} | {
        "seen": person_row.version
    }
    form = PersonForm(request.POST if "seen" in request.POST else None, initial=initial)
    asked = request.POST if "link" in request.POST else None
    link_form = LinkForm(asked, waiting=_waiting(request), auto_id="%s")
    if request.method == "POST":
        try:
            if "alias" in request.POST:
                number = whole_number(request.POST["alias"]) or 0
                alias = get_object_or_404(Alias, pk=number, member=member)
                persons.forget_alias(alias=alias, by=committee_of(request), at=timezone.now())
                return redirect("clubs:person", member_id=member.pk)
            if link_form.is_bound and link_form.is_valid():
                linked = link_form.cleaned_data["link"].member
                by = committee_of(request)
                persons.link_member(member=linked, person=member, by=by, at=timezone.now())
                messages.success(request, _("Le membre est relié à cette personne."))
                return redirect("clubs:person", member_id=member.pk)
            if form.is_valid():
                answers = dict(form.cleaned_data)
                persons.edit_person(
                    member=member,
                    seen=answers.pop("seen"),
                    changes=answers,
                    by=committee_of(request),
                    at=timezone.now(),
                )
                messages.success(request, _("La fiche est enregistrée."))
                return redirect("clubs:person", member_id=member.pk)
        except Refused as refused:
            if link_form.is_bound:
                link_form.add_error("link", str(refused))
            elif form.is_bound:
                form.add_error("licence" if refused.code == "licence" else None, str(refused))
            else:
                messages.error(request, str(refused))
    links = MemberLink.objects.filter(person=member).select_related("member__organisation")
    context = {
        "member": member,
        "form": form,
        "aliases": Alias.objects.filter(member=member).order_by("name"),
        "clubs": [link.member.organisation for link in links.order_by("pk")],
        "link_form": link_form,
    }
    return render_form(
        request, "clubs/persons/person.html", context, refused=has_errors(form, link_form)
    )


def _waiting(request: HttpRequest) -> QuerySet[MemberLink]:
    """Return the members of clubs who said a licence that named nobody, the last one first."""
    waiting = MemberLink.objects.filter(
        federation=organisation_of(request), person=None, member__left_at=None
    )
    waiting = waiting.exclude(licence="")
    return waiting.select_related("member__organisation").order_by("-pk")


@committee_required
@require_http_methods(["GET", "POST"])
def licence_upload(request: HttpRequest) -> HttpResponse:
    """Read a file of licences; nothing is written yet."""
    organisation = organisation_of(request)
    form = LicenceFileForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        upload = form.cleaned_data["file"]
        by = committee_of(request)
        assert by.user is not None
        with refused_in(form, field="file"):
            table = tables.read(upload.name, tables.content_of(upload), COLUMNS)
            licence_file = LicenceFile.objects.create(
                organisation=organisation,
                file_name=upload.name[:200],
                encoding=table.encoding,
                rows=table.rows,
                columns=tables.columns_of(table.rows[0], COLUMNS),
                created_at=timezone.now(),
                created_by=by.user,
            )
            return redirect("clubs:licence_columns", file_id=licence_file.pk)
    return render_form(request, "clubs/persons/licence_upload.html", {"form": form})


def _file(request: HttpRequest, file_id: int) -> LicenceFile:
    rows = LicenceFile.objects.select_related("organisation")
    return get_object_or_404(rows, pk=file_id, organisation=organisation_of(request))


@committee_required
@require_http_methods(["GET", "POST"])
def licence_columns(request: HttpRequest, file_id: int) -> HttpResponse:
    """Ask which column is which, guessed from the head, with samples."""
    licence_file = _file(request, file_id)
    labels = {name: label() for name, label in LABELS.items()}
    form = columns_form(request, licence_file, labels, licence_file.columns)
    if form.is_bound and form.is_valid():
        with refused_in(form):
            licences.choose_columns(draft=licence_file, columns=form.columns())
            return redirect("clubs:licence_preview", file_id=licence_file.pk)
    return columns_page(request, draft=licence_file, form=form)


@committee_required
@require_http_methods(["GET", "POST"])
def licence_preview(request: HttpRequest, file_id: int) -> HttpResponse:
    """Show what each line would do; the button writes. A worker writes a long file."""
    licence_file, at = _file(request, file_id), timezone.now()
    job = jobs.latest(Job.Kind.LICENCES, licence_file.pk, at=at)
    followed = job_answer(request, job)
    if followed is not None:
        return followed
    context: dict[str, object] = {"draft": licence_file, "job": job}
    if licence_file.written_at is not None:
        return redirect("clubs:person_list")
    if job is not None and job.is_open:
        return render(request, "clubs/persons/licence_preview.html", context)
    try:
        licences.check_columns(licence_file.columns)
    except Refused:
        return redirect("clubs:licence_columns", file_id=licence_file.pk)
    if request.method == "POST":
        return _write(request, licence_file)
    lines = licences.preview(licence_file, on=at)
    changed = [line for line in lines if line.kind == LineKind.CHANGED]
    counts = {kind: sum(line.kind == kind for line in lines) for kind in licences.KINDS}
    context |= {
        "form": LapseForm(),
        "counts": counts,
        "total": len(lines) - counts[LineKind.LEFT_OUT],
        "absent": len(licences.absent(licence_file.organisation, lines)),
        "left_out": [line for line in lines if line.kind == LineKind.LEFT_OUT],
        "changed": [(line, licences.in_words(line)) for line in changed[:CHANGED_SHOWN]],
        "more_changed": max(counts[LineKind.CHANGED] - CHANGED_SHOWN, 0),
        "joined": [line for line in lines if line.kind == LineKind.JOINED],
        "namesakes": [line for line in lines if line.namesakes],
    }
    return render(request, "clubs/persons/licence_preview.html", context)


def _write(request: HttpRequest, draft: LicenceFile) -> HttpResponse:
    form, at = LapseForm(request.POST), timezone.now()
    lapse = form.is_valid() and form.cleaned_data["lapse"]
    if jobs.is_long(len(draft.rows) - 1):
        jobs.ask(
            organisation=draft.organisation,
            kind=Job.Kind.LICENCES,
            target_id=draft.pk,
            given={"lapse": lapse},
            by=committee_of(request),
            at=at,
        )
        return redirect("clubs:licence_preview", file_id=draft.pk)
    with refused_as_message(request):
        counts = licences.write(draft=draft, lapse=lapse, by=committee_of(request), at=at)
        written = counts[LineKind.NEW] + counts[LineKind.CHANGED] + counts[LineKind.JOINED]
        messages.success(request, _("Licences enregistrées : %(n)s.") % {"n": written})
        if lapse:
            gone = counts["lapsed"]
            messages.success(request, _("Licences échues : %(n)s.") % {"n": gone})
    return redirect("clubs:person_list")
