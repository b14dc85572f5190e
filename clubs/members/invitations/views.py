"""Invitations by the committee: by mail to a list of addresses, or by a link and its QR."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import refused_as_message, refused_in
from clubs.accounts.permissions import committee_of, committee_required, organisation_of
from clubs.members.forms import InviteForm, MailInvitationForm
from clubs.members.invitations import actions as invitations
from clubs.members.invitations import addresses as typed_addresses
from clubs.members.models import Member
from clubs.members.models_access import Invitation, JoinRequest
from clubs.personal_data.models import settings_of
from clubs.ui.qr import svg
from clubs.ui.sent import render_form, whole_number

MAIL, LINK = "mail", "lien"
WITHOUT_ACCOUNT = "sans-compte"


@committee_required
@require_http_methods(["GET", "POST"])
def invite(request: HttpRequest) -> HttpResponse:
    """Show three tabs (mail, link and QR, file) and the invitations sent, to resend or cancel."""
    posted = request.POST
    if request.method == "POST" and {"revoke", "resend"} & set(posted):
        return _one(request)
    way = LINK if "max_uses" in posted or request.GET.get("par") == LINK else MAIL
    context = _by_link(request) if way == LINK else _by_mail(request)
    if context is None:
        return redirect("clubs:invite")
    at = timezone.now()
    sent = Invitation.objects.filter(organisation=organisation_of(request))
    context |= {
        "way": way,
        "tabs": [
            {"label": _("E-mail"), "url": "?par=mail", "current": way == MAIL},
            {"label": _("Lien et QR"), "url": "?par=lien", "current": way == LINK},
            {"label": _("Fichier"), "url": reverse("clubs:import_upload"), "current": False},
        ],
        "rows": [
            {
                "invitation": one,
                "status": status_of(one, at),
                "failed": bool(one.mail_failed_at),
                "open": one.revoked_at is None and one.used_count < one.max_uses,
            }
            for one in sent.select_related("member").order_by("-created_at", "-pk")[:60]
        ],
    }
    return render_form(request, "clubs/members/invite.html", context)


def _address(request: HttpRequest) -> invitations.Link:
    """Return what a token opens, on the host the committee is using."""
    return lambda token: request.build_absolute_uri(
        reverse("clubs:invitation", kwargs={"token": token})
    )


def _one(request: HttpRequest) -> HttpResponse:
    """Cancel or send again one invitation of the list."""
    organisation, at = organisation_of(request), timezone.now()
    by = committee_of(request)
    act = "revoke" if "revoke" in request.POST else "resend"
    pk = whole_number(request.POST[act])
    invitation = get_object_or_404(Invitation, pk=pk, organisation=organisation)
    with refused_as_message(request):
        if act == "revoke":
            invitations.revoke(invitation=invitation, by=by, at=at)
            messages.success(request, _("Invitation annulée : son lien ne fonctionne plus."))
        else:
            invitations.resend(invitation=invitation, link=_address(request), by=by, at=at)
            messages.success(
                request,
                _("Nouveau lien envoyé à %(email)s ; l’ancien ne fonctionne plus.")
                % {"email": invitation.email},
            )
    return redirect("clubs:invite")


def _by_mail(request: HttpRequest) -> dict[str, object] | None:
    """Ask for addresses, preview the mail, then send. Returns None once it is sent."""
    organisation, at = organisation_of(request), timezone.now()
    by = committee_of(request)
    without_account = typed_addresses.uninvited(organisation, at=at)
    form = MailInvitationForm(
        request.POST if "addresses" in request.POST else None,
        initial={
            "language": organisation.language,
            "addresses": "\n".join(without_account[: typed_addresses.MAX_ADDRESSES])
            if WITHOUT_ACCOUNT in request.GET
            else "",
        },
    )
    addresses: list[typed_addresses.Address] = []
    preview: tuple[str, str] | None = None
    if form.is_bound and form.is_valid():
        words = form.cleaned_data
        with refused_in(form, field="addresses"):
            addresses = typed_addresses.read(organisation, words["addresses"], at=at)
            for address in addresses:
                if address.problem:
                    form.add_error(
                        "addresses",
                        _("Ligne %(n)s : %(why)s.") % {"n": address.line, "why": address.problem},
                    )
            if not form.errors and "send" in request.POST:
                sent = invitations.send(
                    organisation=organisation,
                    addresses=addresses,
                    language=words["language"],
                    days=words["days"],
                    link=_address(request),
                    by=by,
                    at=at,
                )
                messages.success(
                    request,
                    ngettext("%(n)s invitation envoyée.", "%(n)s invitations envoyées.", len(sent))
                    % {"n": len(sent)},
                )
                if left := [one for one in addresses if one.why_not]:
                    named = ", ".join(f"{one.email} ({one.why_not})" for one in left)
                    messages.info(request, _("Sans invitation : %(who)s.") % {"who": named})
                return None
            if not form.errors:
                until = at + timedelta(days=words["days"])
                preview = invitations.words(organisation, words["language"], until, by)
    return {
        "form": form,
        "preview": preview,
        "left": [address for address in addresses if address.why_not],
        "count": sum(not address.why_not for address in addresses),
        "without_account": len(without_account),
    }


def _by_link(request: HttpRequest) -> dict[str, object]:
    """Create a link and its QR, shown once."""
    organisation, at = organisation_of(request), timezone.now()
    form = InviteForm(
        request.POST if "max_uses" in request.POST else None,
        members=Member.objects.of(organisation).belonging().filter(user__isnull=True),
    )
    link = ""
    if form.is_bound and form.is_valid():
        member = form.cleaned_data["member"]
        with refused_in(form, field="member"):
            _made, token = invitations.invite(
                organisation=organisation,
                member=member,
                max_uses=1 if member else form.cleaned_data["max_uses"],
                days=form.cleaned_data["days"],
                by=committee_of(request),
                at=at,
            )
            link = _address(request)(token)
    return {"form": form, "link": link, "qr": svg(link) if link else ""}


def status_of(invitation: Invitation, at: datetime) -> str:
    """Return the state of an invitation in one or two words."""
    if invitation.revoked_at:
        return _("annulée")
    if invitation.used_count >= invitation.max_uses:
        return _("acceptée")
    if invitation.expires_at <= at:
        return _("expirée")
    if invitation.opened_at:
        return _("ouverte")
    if invitation.mail_failed_at:
        return _("non envoyée")
    if invitation.email and not invitation.mailed_at:
        return _("envoi en cours")
    return _("envoyée") if invitation.email else _("lien créé")


@committee_required
@require_http_methods(["GET", "POST"])
def requests(request: HttpRequest) -> HttpResponse:
    """List newcomers' requests and answer them."""
    organisation = organisation_of(request)
    if request.method == "POST":
        join_request = get_object_or_404(
            JoinRequest, pk=whole_number(request.POST.get("request")), organisation=organisation
        )
        with refused_as_message(request):
            member = invitations.answer_request(
                request=join_request,
                accepted="accept" in request.POST,
                link=_address(request),
                by=committee_of(request),
                at=timezone.now(),
            )
            if member is not None and member.awaits_guardian:
                words = _(
                    "%(name)s est membre. Notez ici l’accord d’un parent, puis envoyez l’invitation."
                )
                messages.warning(request, words % {"name": member})
                return redirect("clubs:member_edit", member_id=member.pk)
            messages.success(request, _said_of(join_request, member))
        return redirect("clubs:requests")
    waiting = JoinRequest.objects.filter(organisation=organisation, answered_at__isnull=True)
    rows = list(waiting.select_related("guest").order_by("asked_at", "pk"))
    known = Member.objects.of(organisation).active().filter(is_guest=False)
    by_email = {one.email: one for one in known.filter(email__in=[row.email for row in rows])}
    context = {
        "rows": [(row, by_email.get(row.email)) for row in rows],
        "age": settings_of(organisation).consent_age,
    }
    return render(request, "clubs/members/requests.html", context)


def _said_of(join_request: JoinRequest, member: Member | None) -> str:
    """Return what became of a request: the member that it made, or None where it was refused."""
    if member is None:
        words = _("Demande refusée. Écrivez vous-même à %(email)s : le site ne l’annonce pas.")
    elif member.left_at is not None:
        words = _(
            "%(name)s a déjà été membre. L’invitation est envoyée à %(email)s : avec elle, la "
            "personne retrouvera son numéro et ses résultats."
        )
    elif join_request.guest_id is not None:
        words = _(
            "%(name)s est membre et garde ses résultats. L’invitation est envoyée à %(email)s."
        )
    else:
        words = _("%(name)s est membre. L’invitation est envoyée à %(email)s.")
    return words % {"name": member, "email": join_request.email}
