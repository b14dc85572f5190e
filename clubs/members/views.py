"""The committee and its members: list, add, invite, import, guests, roles, requests."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from clubs.accounts.actor import Refused, refused_as_message, refused_in
from clubs.accounts.permissions import (
    access_of,
    after_closing,
    committee_of,
    committee_required,
    organisation_of,
)
from clubs.accounts.reauthentication import weighty
from clubs.exchange import tables
from clubs.exchange.views import columns_form, columns_page
from clubs.members import actions as members
from clubs.members import imports
from clubs.members import tables as member_table
from clubs.members.forms import ImportForm, MemberForm, RoleForm
from clubs.members.invitations.addresses import uninvited
from clubs.members.models import Member, MemberImport, RoleGrant
from clubs.members.models_access import Invitation
from clubs.personal_data.models import settings_of
from clubs.search import without_accents
from clubs.ui.sent import render_form, whole_number
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from clubs.upkeep.views import answer as job_answer


@committee_required
@require_GET
def member_list(request: HttpRequest) -> HttpResponse:
    """List all members, a page at a time or as a file; search ignores accents."""
    organisation = organisation_of(request)
    words, state = request.GET.get("q", "").strip(), request.GET.get("etat", "")
    everybody = Member.objects.of(organisation).filter(merged_into__isnull=True).matching(words)
    chosen = state if state in member_table.FILTERS else ""
    chosen_members = everybody.filter(member_table.FILTERS[chosen][1]).order_by("sort_name", "pk")
    order = request.GET.get("tri") or "name"
    roles = member_table.roles_of(organisation)
    ordered = member_table.MemberTable(chosen_members, order_by=order, roles=roles)
    if request.GET.get("format") == "csv":
        return member_table.csv_of(ordered.data.data, roles)
    page = Paginator(ordered.data.data, member_table.PAGE).get_page(request.GET.get("page"))
    shown = list(page)
    counts = member_table.counts_of(everybody)
    context = {
        "words": words,
        "state": chosen,
        "order": request.GET.get("tri", ""),
        "page": page,
        "total": page.paginator.count,
        "table": member_table.MemberTable(shown, order_by=order, roles=roles),
        "rows": [
            {
                "member": member,
                "tags": member_table.tags_of(member, roles),
                "account": member_table.account_of(member),
            }
            for member in shown
        ],
        "chips": [
            {
                "label": label,
                "url": f"?{_filtered(request, code)}",
                "count": counts[code],
                "current": code == chosen,
            }
            for code, (label, _kept) in member_table.FILTERS.items()
        ],
    }
    return render(request, "clubs/members/member_list.html", context)


def _filtered(request: HttpRequest, state: str) -> str:
    """Return the query string of this list with another filter, from its first page on."""
    query = request.GET.copy()
    for name in ("etat", "page"):
        query.pop(name, None)
    if state:
        query["etat"] = state
    return query.urlencode()


@committee_required
@require_http_methods(["GET", "POST"])
def member_add(request: HttpRequest) -> HttpResponse:
    """Add one member by form; ask once about a name that a member has, or somebody who left."""
    organisation = organisation_of(request)
    form = MemberForm(request.POST or None, age=settings_of(organisation).consent_age)
    double = None
    if request.method == "POST" and form.is_valid():
        answers = form.cleaned_data
        name = without_accents(f"{answers['first_name']} {answers['last_name']}")
        of_this_name = Member.objects.of(organisation).filter(
            search_name=name, merged_into__isnull=True
        )
        double = of_this_name.order_by(F("left_at").asc(nulls_first=True), "pk").first()
        if double is None or "sure" in request.POST:
            with refused_in(form, {"number_taken": "number"}):
                member = members.create(
                    organisation=organisation,
                    by=committee_of(request),
                    at=timezone.now(),
                    **answers,
                )
                messages.success(
                    request,
                    _("%(name)s est membre, numéro %(n)s.")
                    % {"name": member.full_name, "n": member.number},
                )
                return redirect("clubs:member_list")
    context = {"form": form, "double": double, "title": _("Ajouter un membre")}
    return render_form(
        request, "clubs/members/member_form.html", context, refused=form.errors or double
    )


@committee_required
@after_closing
@weighty()
@require_http_methods(["GET", "POST"])
def roles(request: HttpRequest) -> HttpResponse:
    """List roles; grant and withdraw them."""
    organisation, at = organisation_of(request), timezone.now()
    active = Member.objects.of(organisation).belonging().order_by("sort_name", "pk")
    form = RoleForm(request.POST if "member" in request.POST else None, members=active)
    if request.method == "POST":
        try:
            if "withdraw" in request.POST:
                role_grant = get_object_or_404(
                    RoleGrant,
                    pk=whole_number(request.POST["withdraw"]),
                    member__organisation=organisation,
                )
                members.withdraw_role(
                    member=role_grant.member, role=role_grant.role, by=committee_of(request), at=at
                )
                withdrawn = {"name": role_grant.member, "role": role_grant.get_role_display()}
                messages.success(request, _("Rôle retiré : %(name)s (%(role)s).") % withdrawn)
                return redirect("clubs:roles")
            if form.is_valid():
                role_grant = members.grant(by=committee_of(request), at=at, **form.cleaned_data)
                given = {"name": role_grant.member, "role": role_grant.get_role_display()}
                messages.success(request, _("Rôle donné : %(name)s (%(role)s).") % given)
                invited = Invitation.objects.usable(at=at).filter(member=role_grant.member)
                if role_grant.member.user_id is None and not invited.exists():
                    words = _("%(name)s n’a pas encore de compte : envoyez une invitation.")
                    messages.warning(request, words % {"name": role_grant.member})
                return redirect("clubs:roles")
        except Refused as refused:
            if form.is_bound:
                form.add_error(None, str(refused))
            else:
                messages.error(request, str(refused))
    grants = (
        RoleGrant.objects.filter(member__organisation=organisation, revoked_at__isnull=True)
        .select_related("member")
        .order_by("role", "member__sort_name", "pk")
    )
    context = {"form": form, "grants": grants}
    return render_form(request, "clubs/members/roles.html", context)


# The file of members


@committee_required
@require_http_methods(["GET", "POST"])
def import_upload(request: HttpRequest) -> HttpResponse:
    """Read the file; nothing is written yet."""
    organisation = organisation_of(request)
    form = ImportForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        upload = form.cleaned_data["file"]
        with refused_in(form, field="file"):
            table = tables.read(upload.name, tables.content_of(upload), imports.COLUMNS)
            reader = access_of(request).user
            assert reader is not None
            draft = MemberImport.objects.create(
                organisation=organisation,
                file_name=upload.name[:200],
                rows=table.rows,
                columns=tables.columns_of(table.rows[0], imports.COLUMNS),
                encoding=table.encoding,
                created_at=timezone.now(),
                created_by=reader,
            )
            return redirect("clubs:import_map", import_id=draft.pk)
    return render_form(request, "clubs/members/import_upload.html", {"form": form})


def _draft(request: HttpRequest, import_id: int) -> MemberImport:
    return get_object_or_404(MemberImport, pk=import_id, organisation=organisation_of(request))


@committee_required
@require_http_methods(["GET", "POST"])
def import_map(request: HttpRequest, import_id: int) -> HttpResponse:
    """Ask which column is which, guessed from the head, with samples."""
    draft = _draft(request, import_id)
    labels = {name: label() for name, label in imports.LABELS.items()}
    form = columns_form(request, draft, labels, draft.columns)
    if form.is_bound and form.is_valid():
        columns = form.columns()
        if "first_name" in columns:
            draft.columns = columns
            draft.save(update_fields=["columns"])
            return redirect("clubs:import_preview", import_id=draft.pk)
        form.add_error("first_name", _("Indiquez au moins la colonne du prénom."))
    return columns_page(request, draft=draft, form=form)


def unread_columns(draft: MemberImport) -> str:
    """Return the names of the file's columns that are not imported, separated by commas."""
    head = enumerate(draft.rows[0])
    read = set(draft.columns.values())
    return ", ".join(name.strip() for place, name in head if place not in read and name.strip())


@committee_required
@require_http_methods(["GET", "POST"])
def import_preview(request: HttpRequest, import_id: int) -> HttpResponse:
    """Show counts and numbered errors; the button writes everything or nothing.

    A worker writes a long file, and this page then shows its progress.
    """
    draft = _draft(request, import_id)
    at = timezone.now()
    job = jobs.latest(Job.Kind.MEMBERS_IN, draft.pk, at=at)
    followed = job_answer(request, job)
    if followed is not None:
        return followed
    if draft.imported_at is not None:
        return redirect("clubs:import_done", import_id=draft.pk)
    if "first_name" not in draft.columns:
        return redirect("clubs:import_map", import_id=draft.pk)
    if job is not None and job.is_open:
        return render(request, "clubs/members/import_preview.html", {"draft": draft, "job": job})
    seen = request.POST.get("seen")
    if request.method == "POST" and jobs.is_long(len(draft.rows) - 1):
        jobs.ask(
            organisation=draft.organisation,
            kind=Job.Kind.MEMBERS_IN,
            target_id=draft.pk,
            given={"seen": seen},
            by=committee_of(request),
            at=at,
        )
        return redirect("clubs:import_preview", import_id=draft.pk)
    if request.method == "POST":
        with refused_as_message(request):
            imports.write(draft=draft, seen=seen, by=committee_of(request), at=at)
            return redirect("clubs:import_done", import_id=draft.pk)
    lines = imports.preview(draft.organisation, draft.rows, draft.columns)
    counts = dict.fromkeys(("new", "update", "double", "error"), 0)
    for line in lines:
        counts[line.kind] += 1
    context = {
        "draft": draft,
        "job": job,
        "counts": counts,
        "errors": [line for line in lines if line.kind == "error"],
        "doubles": [line for line in lines if line.kind == "double"],
        "renamed": [line for line in lines if line.former_name],
        "sample": [line for line in lines if line.kind in ("new", "update")][:20],
        "total": len(lines),
        "unread": unread_columns(draft),
        "seen": imports.preview_version(lines),
    }
    return render(request, "clubs/members/import_preview.html", context)


@committee_required
@require_http_methods(["GET", "POST"])
def import_done(request: HttpRequest, import_id: int) -> HttpResponse:
    """Show what was written, and undo it for a day. A worker undoes a long file."""
    draft = _draft(request, import_id)
    at = timezone.now()
    job = jobs.latest(Job.Kind.MEMBERS_OUT, draft.pk, at=at)
    followed = job_answer(request, job)
    if followed is not None:
        return followed
    if request.method == "POST" and jobs.is_long(len(draft.created_members)):
        jobs.ask(
            organisation=draft.organisation,
            kind=Job.Kind.MEMBERS_OUT,
            target_id=draft.pk,
            by=committee_of(request),
            at=at,
        )
        return redirect("clubs:import_done", import_id=draft.pk)
    if request.method == "POST":
        with refused_as_message(request):
            gone = len(imports.undo(done=draft, by=committee_of(request), at=at).going)
            messages.success(
                request,
                ngettext(
                    "Import annulé : %(n)s fiche supprimée, son numéro est libre.",
                    "Import annulé : %(n)s fiches supprimées, leurs numéros sont libres.",
                    gone,
                )
                % {"n": gone},
            )
        return redirect("clubs:import_done", import_id=draft.pk)
    undoable = (
        draft.imported_at is not None
        and draft.undone_at is None
        and at <= draft.imported_at + imports.UNDO
    )
    parted = imports.undoing(draft)
    context = {
        "draft": draft,
        "job": job,
        "made": len(draft.created_members),
        "mended": sum(map(bool, draft.rows[1:])) > len(draft.created_members),
        "going": len(parted.going),
        "kept": parted.kept,
        "undoable": undoable,
        "without_account": len(uninvited(draft.organisation, at=at)),
    }
    return render(request, "clubs/members/import_done.html", context)
