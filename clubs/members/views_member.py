"""The committee and one member: details, guest, card, licences, departure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from clubs.accounts.actor import Actor, Refused, refused_as_message, refused_in, show_refusal
from clubs.accounts.older_pages import row_version
from clubs.accounts.permissions import (
    after_closing,
    closed_page,
    committee_of,
    committee_required,
    organisation_of,
)
from clubs.accounts.reauthentication import forgets, weighty
from clubs.members import actions as members
from clubs.members import merging, pins
from clubs.members.forms import EditMemberForm, LeaveForm, SameAsForm, SayLicenceForm, UnlinkForm
from clubs.members.invitations import actions as invitations
from clubs.members.invitations import agreement, unlinking
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.personal_data.models import settings_of
from clubs.personal_data.register import Someone
from clubs.personal_data.remains import mentions
from clubs.persons import actions as persons
from clubs.persons import queries as person_queries
from clubs.ui.sent import has_errors, render_form

CORRECTED = ("first_name", "last_name", "email", "is_minor", *members.CHILD)
JOINS = frozenset({"confirm", "merge", "readmit"})
"""Buttons that say who is a member: a closed club refuses them."""
FIELDS = {"minor_elsewhere": "is_minor", "guardian": "guardian_agreed_on"}
"""What a refusal of a member's details is about."""


@committee_required
@after_closing
@weighty(when=forgets)
@require_http_methods(["GET", "POST"])
def member_edit(request: HttpRequest, member_id: int) -> HttpResponse:
    """Correct a member's details; confirm or merge a guest; record a departure or a return."""
    closed = closed_page(request) if JOINS & request.POST.keys() else None
    if closed is not None:
        return closed
    organisation = organisation_of(request)
    member = get_object_or_404(Member.objects.of(organisation), pk=member_id)
    form = EditMemberForm(
        request.POST if "save" in request.POST else None,
        initial={
            **{name: getattr(member, name) for name in CORRECTED},
            "seen": row_version(member, CORRECTED),
        },
        age=settings_of(organisation).consent_age,
    )
    same = SameAsForm(
        request.POST if "merge" in request.POST else None,
        others=_regulars(organisation),
        auto_id="%s",
    )
    leaving = LeaveForm(request.POST if "leave" in request.POST else None, auto_id="%s")
    licences = _licence_forms(request, member)
    if request.method == "POST":
        try:
            done = _acted(request, member, form, same, leaving, licences)
        except Refused as refused:
            done = None
            if refused.code in FIELDS:
                form.add_error(FIELDS[refused.code], _words_of(refused, member))
            elif form.is_bound:
                show_refusal(form, refused)
            else:
                messages.error(request, str(refused))
        if done is not None:
            return done
    context = {
        "form": form,
        "member": member,
        "same": same,
        "leaving": leaving,
        "licences": licences,
        "mentions": mentions(Someone.of(member)) if "textes" in request.GET else None,
    }
    wrong = has_errors(form, same, *licences)
    return render_form(request, "clubs/members/member_edit.html", context, refused=wrong)


@committee_required
@after_closing
@weighty()
@require_POST
def guardian_withdraws(request: HttpRequest, member_id: int) -> HttpResponse:
    """Record that a parent takes back their agreement."""
    member = get_object_or_404(Member.objects.of(organisation_of(request)), pk=member_id)
    with refused_as_message(request):
        agreement.withdraw(member=member, by=committee_of(request), at=timezone.now())
        messages.success(request, _("L’accord est retiré : ni compte, ni nom entier."))
    return redirect("clubs:member_edit", member_id=member.pk)


@committee_required
@after_closing
@weighty()
@require_http_methods(["GET", "POST"])
def account_unlink(request: HttpRequest, member_id: int) -> HttpResponse:
    """Take the account off a member's row, once the page has said what goes and what stays."""
    found = Member.objects.of(organisation_of(request)).filter(merged_into=None)
    member = get_object_or_404(found.select_related("user"), pk=member_id)
    form = UnlinkForm(
        request.POST if request.method == "POST" else None,
        initial={"seen": row_version(member, unlinking.ACCOUNT)},
    )
    by = committee_of(request)
    if form.is_bound and form.is_valid():
        with refused_in(form, {"reason_required": "reason"}):
            unlinking.unlink_account(member=member, **form.cleaned_data, by=by, at=timezone.now())
            messages.success(request, _("Le compte est retiré de cette fiche."))
            return redirect("clubs:member_edit", member_id=member.pk)
    is_own = by.user is not None and member.user_id == by.user.pk
    context = {"form": form, "member": member, "is_own": is_own}
    return render_form(request, "clubs/members/account_unlink.html", context)


def _words_of(refused: Refused, member: Member) -> str:
    """Return why details were refused; an agreement is taken back by its own form."""
    if refused.code == "guardian" and member.guardian_agreed_on is not None:
        return _("Il y a un compte : utilisez « Un parent retire son accord », plus bas.")
    return str(refused)


def _acted(
    request: HttpRequest,
    member: Member,
    form: EditMemberForm,
    same: SameAsForm,
    leaving: LeaveForm,
    licences: Iterable[SayLicenceForm],
) -> HttpResponse | None:
    """Do what the pressed button says; return where it leads, or None to show the page again."""
    by, at = committee_of(request), timezone.now()
    here = redirect("clubs:member_edit", member_id=member.pk)
    if form.is_bound and form.is_valid():
        awaited, changes = member.awaits_guardian, dict(form.cleaned_data)
        seen = changes.pop("seen")
        if invitations.correct(member=member, changes=changes, seen=seen, by=by, at=at):
            words = _(
                "L’invitation envoyée à l’ancienne adresse est annulée : envoyez-en une autre."
            )
            messages.warning(request, words)
        if awaited and not member.awaits_guardian:
            messages.success(request, _("L’accord est noté : la personne peut être invitée."))
            return here
        return _listed(request, _("La fiche est enregistrée."))
    if same.is_bound and same.is_valid():
        into = same.cleaned_data["into"]
        return redirect("pairings:merge_guest", member_id=member.pk, into_id=into.pk)
    if leaving.is_bound and leaving.is_valid():
        members.leave(member=member, by=by, at=at, forget=leaving.cleaned_data["forget"])
        return _listed(request, _("Le départ est noté."))
    if "readmit" in request.POST:
        members.readmit(member=member, by=by, at=at)
        messages.success(request, _("Le retour est noté."))
        return here
    if "confirm" in request.POST:
        merging.confirm_guest(member=member, by=by, at=at)
        messages.success(request, _("La personne est maintenant membre du club."))
        return here
    if "replace_card" in request.POST:
        pins.forget_devices(member=member, by=by, at=at)
        messages.success(request, _("La prochaine carte imprimée remplace les autres."))
        return here
    if "licence" in request.POST and _say_licence(member, licences, by, at):
        messages.success(request, _("La fiche est enregistrée."))
        return here
    return None


def _listed(request: HttpRequest, words: str) -> HttpResponse:
    messages.success(request, words)
    return redirect("clubs:member_list")


def _regulars(organisation: Organisation) -> QuerySet[Member]:
    """Return the members of a club who are no guests."""
    members = Member.objects.of(organisation).belonging().filter(is_guest=False)
    return members.order_by("sort_name", "pk")


def _licence_forms(request: HttpRequest, member: Member) -> list[SayLicenceForm]:
    """Return a form for each federation; the one that was sent holds what was typed."""
    asked = request.POST.get("federation") if "licence" in request.POST else ""
    return [
        SayLicenceForm(request.POST if asked == str(one.pk) else None, of=one, link=link)
        for one, link in person_queries.federations_of(member)
    ]


def _say_licence(
    member: Member, licences: Iterable[SayLicenceForm], by: Actor, at: datetime
) -> bool:
    """Store the licence that was typed; False where it is not valid."""
    said = next((one for one in licences if one.is_bound), None)
    if said is None:
        raise Http404
    if not said.is_valid():
        return False
    licence = said.cleaned_data["licence"]
    persons.say_licence(member=member, federation=said.of, licence=licence, by=by, at=at)
    return True
