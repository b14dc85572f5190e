"""A member's own pages: tasks, card, settings, code, data; and the pages to join."""

from __future__ import annotations

from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from allauth.account.utils import perform_login
from django.contrib import messages
from django.contrib.auth import logout
from django.db import IntegrityError, transaction
from django.forms import model_to_dict
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from clubs.accounts import rate_limits
from clubs.accounts.actor import PLAYER, Refused, refused_as_message, refused_in, show_refusal
from clubs.accounts.client_address import address_of
from clubs.accounts.models import User
from clubs.accounts.older_pages import row_version
from clubs.accounts.permissions import (
    Access,
    access_of,
    after_closing,
    may_open,
    member_required,
    organisation_of,
    public,
)
from clubs.accounts.rate_limits import Limit
from clubs.accounts.reauthentication import forgets, weighty
from clubs.accounts.sessions import INVITED_AT, note_proof, try_to_note
from clubs.accounts.views import say_taken_back
from clubs.members import actions as members
from clubs.members import pins
from clubs.members.forms import (
    AcceptForm,
    AccountForm,
    JoinForm,
    LeaveMyselfForm,
    PinForm,
    SettingsForm,
)
from clubs.members.invitations import actions as invitations
from clubs.members.models import Member
from clubs.members.models_access import Invitation
from clubs.personal_data import export, remains
from clubs.personal_data.models import settings_of
from clubs.personal_data.register import Someone
from clubs.registries import OWN_PARTS
from clubs.ui.qr import svg
from clubs.ui.sent import has_errors, render_form


@member_required
@require_GET
def me(request: HttpRequest) -> HttpResponse:
    """Show what waits for a member, their place and their evenings, then the links they need."""
    parts = [part for make in OWN_PARTS if (part := make(request)) is not None]
    context = {"member": access_of(request).member, "parts": parts}
    return render(request, "clubs/members/me.html", context)


@member_required
@require_GET
def player_card(request: HttpRequest) -> HttpResponse:
    """Show number and QR, full screen."""
    member = access_of(request).member
    assert member is not None
    code = svg(pins.card_address(request, member))
    return render(request, "clubs/members/card.html", {"member": member, "qr": code})


@public
@require_GET
def number(request: HttpRequest, number: int) -> HttpResponse:
    """Redirect a card's QR to the player's page; it signs nobody in.

    Numbers are consecutive: the number of a member whom this reader may not see answers like one
    that nobody has. The card of a guest who was merged is the member's.
    """
    holder = Member.objects.of(organisation_of(request)).filter(number=number).first()
    member = holder.current_row if holder is not None else None
    if member is None or member.left_at is not None or not may_open(access_of(request), member):
        return render(request, "404.html", status=404)
    return redirect("pairings:player", slug=member.address)


@member_required
@after_closing
@require_http_methods(["GET", "POST"])
def own_settings(request: HttpRequest) -> HttpResponse:
    """Edit language, who sees the name, the code, the phones that remember."""
    access, at = access_of(request), timezone.now()
    member, by = access.member, access.actor(PLAYER)
    assert member is not None and access.user is not None
    form = SettingsForm(
        request.POST if "visibility" in request.POST else None,
        initial={
            "language": access.user.language,
            "visibility": member.visibility,
            "seen": row_version(member, members.CHOICES),
        },
    )
    pin_form = PinForm(request.POST if "pin" in request.POST else None)
    if request.method == "POST":
        try:
            if form.is_bound and form.is_valid():
                language = form.cleaned_data["language"]
                members.choose_settings(member=member, **form.cleaned_data, by=by, at=at)
                translation.activate(language)
                response = redirect("clubs:settings")
                response.set_cookie("django_language", language, max_age=365 * 86400)
                messages.success(request, _("Vos réglages sont enregistrés."))
                return response
            if pin_form.is_bound and pin_form.is_valid():
                pins.set_pin(member=member, pin=pin_form.cleaned_data["pin"], by=by, at=at)
                messages.success(request, _("Votre code est modifié."))
                return redirect("clubs:settings")
            if "forget_devices" in request.POST:
                taken_back = pins.report_loss(member=member, by=by, at=at)
                messages.success(request, _("Vos appareils ne sont plus reconnus à l’arrivée."))
                if taken_back:
                    say_taken_back(request)
                return redirect("clubs:settings")
        except Refused as refused:
            if form.is_bound:
                show_refusal(form, refused, {"shows_less": "visibility"}.get(refused.code))
            else:
                messages.error(request, str(refused))
    context = {"form": form, "pin_form": pin_form}
    return render_form(
        request, "clubs/members/settings.html", context, refused=has_errors(form, pin_form)
    )


EXPORTS = Limit(name="exports", amount=5, span=timedelta(days=1))


@member_required
@after_closing
@weighty(when=forgets)
@rate_limits.limited
@require_http_methods(["GET", "POST"])
def my_data(request: HttpRequest) -> HttpResponseBase:
    """Show everything the club stores about the member, and how to leave."""
    access, at = access_of(request), timezone.now()
    member = access.member
    assert member is not None and access.user is not None
    if request.method == "POST" and "export" in request.POST:
        rate_limits.take(EXPORTS, member.pk, at=at)
        file = export.export(member=member, by=access.actor(PLAYER), at=at)
        return FileResponse(file, as_attachment=True, filename=f"mes-donnees-{at:%Y-%m-%d}.zip")
    form = LeaveMyselfForm(request.POST if "leave" in request.POST else None, auto_id="%s")
    if form.is_bound and form.is_valid():
        with refused_as_message(request):
            forget = form.cleaned_data["forget"]
            members.leave(member=member, by=access.actor(PLAYER), at=at, forget=forget)
            member.refresh_from_db()
            if member.user_id is None and not User.objects.filter(pk=access.user.pk, is_active=True).exists():  # fmt: skip
                logout(request)  # the account went with its last membership
            said = _("Vous avez quitté le club. Vos résultats restent.")
            if forget:
                said = _("Vous avez quitté le club. Votre nom est effacé, vos résultats restent.")
            messages.success(request, said)
            return redirect("clubs:home")
    context = {"form": form, "kept": remains.kept(Someone.of(member))}
    return render(request, "clubs/members/my_data.html", context)


JOINS = Limit(name="joins", amount=10, span=timedelta(hours=1))


@public
@rate_limits.limited
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest) -> HttpResponse:
    """Take a newcomer's request to be a member."""
    if access_of(request).is_member:
        messages.info(request, _("Ce compte est déjà membre du club."))
        return redirect("clubs:me")
    player = access_of(request).guest
    guest = player if player is not None and player.is_guest else None
    known = {"first_name": guest.first_name, "last_name": guest.last_name} if guest else {}
    if request.user.is_authenticated:  # of another club of the site
        known["email"] = request.user.email
    form = JoinForm(
        request.POST or None,
        initial=known,
        age=settings_of(organisation_of(request)).consent_age,
    )
    if request.method == "POST" and form.is_valid():
        organisation, at = organisation_of(request), timezone.now()
        rate_limits.take(JOINS, organisation.pk, address_of(request), at=at)
        asked = {"guest": guest, "language": translation.get_language(), **form.cleaned_data}
        with refused_in(form, field="first_name"):
            invitations.ask_to_join(organisation=organisation, at=at, **asked)
            answered = {"is_child": form.cleaned_data["is_child"]}
            return render(request, "clubs/members/join_sent.html", answered)
    context = {"form": form, "guest": guest}
    return render_form(request, "clubs/members/join.html", context)


MORE_TRIES = 20


def _take_account_try(invited: Invitation, at: datetime) -> None:
    """Count one more account asked for with this link. Raise TooMany for too many in a day.

    Each mails an address that anybody with the link may choose.
    """
    amount = invited.max_uses + MORE_TRIES
    day = Limit(name="accounts", amount=amount, span=timedelta(days=1))
    rate_limits.take(day, invited.pk, at=at)


def _why_not_for(reader: Member, invited: Invitation) -> str:
    """Return why an invitation is nothing for a member who is signed in."""
    if invited.member_id in (None, reader.pk):
        return _("Ce compte est déjà membre du club.")
    return _(
        "Cette invitation est pour une autre personne. Chacun a son compte, avec sa propre adresse "
        "e-mail : déconnectez-vous, puis rouvrez-la."
    )


FIELDS = {
    "shows_less": "visibility",
    "minor_elsewhere": "is_minor",
}
"""What a refusal of an invited person's answers is about."""
ALREADY_KNOWN = ("first_name", "last_name", "visibility", "is_minor", "is_child")
"""What the form shows of somebody the club knows."""


@public
@never_cache
@rate_limits.limited
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Show the invited person's page: account first, then name, visibility and code."""
    at = timezone.now()
    invited = invitations.invitation_of(token)
    if invited is None or invited.organisation_id != organisation_of(request).pk:
        return render(request, "404.html", status=404)
    reader = access_of(request).member
    if reader is not None:
        messages.info(request, _why_not_for(reader, invited))
        return redirect("clubs:me")
    if not Invitation.objects.usable(at=at).filter(pk=invited.pk).exists():
        context = {"invitation": invited, "why": invitations.why_over(invited)}
        return render(request, "clubs/members/invitation_over.html", context, status=410)
    if invited.member is not None and invited.member.awaits_guardian:  # not even an account
        return render(request, "clubs/members/invitation_waits.html", {}, status=403)
    _note_opened(invited, at)
    account = AccountForm(
        request.POST if "account" in request.POST else None,
        initial={"email": invited.email},
        auto_id="%s",
    )
    if account.is_bound:
        _take_account_try(invited, at)
    user = _new_account(invited, account) if account.is_bound and account.is_valid() else None
    if user is not None:
        # This browser knows the password: confirming the address in it keeps it (docs/accounts.md).
        note_proof(request, user, "password")
        request.session[INVITED_AT] = request.path
        perform_login(request, user)
        waits = "" if request.user.is_authenticated else "?confirmer=1"
        return redirect(reverse("clubs:invitation", kwargs={"token": token}) + waits)
    if not request.user.is_authenticated:
        context = {"form": account, "to_confirm": "confirmer" in request.GET}
        return render_form(request, "clubs/members/invitation_account.html", context)
    left = Member.objects.of(invited.organisation).filter(user=request.user.pk)
    known = invited.member or left.first()
    form = AcceptForm(
        request.POST if "visibility" in request.POST else None,
        initial=model_to_dict(known, ALREADY_KNOWN) if known else {"visibility": Member.EVERYBODY},
        age=settings_of(invited.organisation).consent_age,
    )
    if form.is_bound and form.is_valid():
        answers = dict(form.cleaned_data)
        pin = answers.pop("pin")
        with refused_in(form, FIELDS):
            with transaction.atomic():  # a refused code leaves the invitation unused
                member = invitations.accept(invitation=invited, user=request.user, at=at, **answers)
                if pin:
                    by = Access.of(request.user, invited.organisation).actor(PLAYER)
                    pins.set_pin(member=member, pin=pin, by=by, at=at)
            request.session.pop(INVITED_AT, None)
            messages.success(request, _("Bienvenue, %(name)s !") % {"name": member.first_name})
            return redirect("clubs:me")
    context = {"form": form, "invitation": invited}
    return render_form(request, "clubs/members/invitation.html", context)


def _note_opened(invited: Invitation, at: datetime) -> None:
    if invited.opened_at is None:
        try_to_note(
            "the opening of an invitation",
            lambda: Invitation.objects.filter(pk=invited.pk, opened_at=None).update(opened_at=at),
        )


def _new_account(invitation: Invitation, form: AccountForm) -> User | None:
    """Create an account; the link mailed to an address proves that it is theirs.

    None, and the form says so, where the same form sent twice has created it at this moment.
    """
    email, language = form.cleaned_data["email"], translation.get_language() or "fr"
    try:
        with transaction.atomic():
            user = User.objects.create_user(email, form.cleaned_data["password"], language=language)
            if email == invitation.email:
                EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    except IntegrityError:
        form.add_error("email", form.TAKEN)
        return None
    return user
