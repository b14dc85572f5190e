"""The 4-digit code and the card: prove agreement on another's phone; sign nobody in.

The code also proves an arrival. The card bears a seal that only this site can write.

There are only ten thousand codes. Every fifth wrong try locks its source, longer each time; the
sources of a kind together have a number of wrong tries a day for each member. Kinds are counted
apart, so strangers lock neither a member's own device nor the agreement of two members who are
signed in.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from urllib.parse import urlsplit

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.auth.hashers import check_password, make_password
from django.db import transaction
from django.db.models import F, Sum
from django.http import HttpRequest
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.accounts.actor import PLAYER, Actor, Refused, reason_of
from clubs.accounts.models import User
from clubs.journal import chain as journal
from clubs.members import actions as members
from clubs.members.actions import MemberRefused
from clubs.members.models import Member
from clubs.members.models_access import PinTries
from clubs.notifications import outbox, push
from clubs.registries import KEYS_OF_A_LOST_DEVICE

TRIES = 5
LOCKS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60))
A_DAY = {PinTries.ACCOUNT: 30, PinTries.ADDRESS: 20}
KEPT_DAYS = 30


@dataclass(frozen=True, slots=True)
class Source:
    """Where a try comes from. `key` tells sources of one kind apart."""

    kind: str
    key: str = ""

    @classmethod
    def own_device(cls) -> Source:
        """Return the source of the phone that remembers this member."""
        return cls(PinTries.OWN)

    @classmethod
    def account(cls, user: User) -> Source:
        """Return the source of a signed-in member: changing addresses gives no new tries."""
        return cls(PinTries.ACCOUNT, str(user.pk))

    @classmethod
    def address(cls, address: str) -> Source:
        """Return the source of a visitor, on a device that remembers somebody else or nobody."""
        return cls(PinTries.ADDRESS, address)

    def digest(self, member: Member) -> str:
        text = f"{member.pk}:{self.kind}:{self.key}"
        return salted_hmac("clubs.members.pins", text, algorithm="sha256").hexdigest()[:32]


class PinRefused(Refused):
    """A code that is wrong, locked, or not set."""


def check(*, member: Member, pin: str, source: Source, by: Actor, at: datetime) -> None:
    """Raise PinRefused for a wrong or locked code.

    The try is committed even when the request is refused, so that every guess counts.
    """
    with transaction.atomic():
        member_row = Member.objects.select_for_update(no_key=True).get(pk=member.pk)
        if not member_row.pin_hash:
            # Unnamed: the reader may be a guest, whom they do not show their name.
            raise PinRefused(_("Cette personne n’a pas encore choisi de code."), code="no_pin")
        today = at.astimezone(member_row.organisation.zone).date()
        tries = _tries(member_row, source, today)
        if tries.locked_until is not None and at < tries.locked_until:
            raise _locked(member_row, tries.locked_until)
        left_today = _left_today(member_row, tries)
        if left_today == 0:
            raise _spent()
        if check_password(pin, member_row.pin_hash):
            PinTries.objects.filter(pk=tries.pk).delete()
            return
        tries.wrong += 1
        tries.wrong_today += 1
        if tries.wrong % TRIES == 0:
            tries.locked_until = at + LOCKS[min(tries.wrong // TRIES, len(LOCKS)) - 1]
            journal.note(member_row, "pin_locked", by=by, at=at, after={"from": source.kind})
        tries.save()
        PinTries.objects.filter(
            member=member_row, day__lt=today - timedelta(days=KEPT_DAYS)
        ).delete()
    if tries.locked_until is not None and at < tries.locked_until:
        raise _locked(member_row, tries.locked_until)
    left = TRIES - tries.wrong % TRIES
    if left_today is not None:
        left = min(left, left_today - 1)
    if left == 0:
        raise _spent()
    raise PinRefused(
        ngettext(
            "Code faux. %(left)s essai restant.",
            "Code faux. %(left)s essais restants.",
            left,
        )
        % {"left": left},
        code="wrong_pin",
    )


def _tries(member: Member, source: Source, today: date) -> PinTries:
    """Return this source's row, created where there is none; each day has its own count."""
    tries, _made = PinTries.objects.get_or_create(
        member=member,
        source=source.digest(member),
        defaults={"kind": source.kind, "day": today},
    )
    if tries.day != today:
        tries.day, tries.wrong_today = today, 0
    return tries


def _left_today(member: Member, tries: PinTries) -> int | None:
    """Return how many tries all sources of this kind have left today; None where unbounded."""
    if tries.kind not in A_DAY:
        return None
    others = PinTries.objects.filter(member=member, kind=tries.kind, day=tries.day)
    used = others.exclude(pk=tries.pk).aggregate(total=Sum("wrong_today"))["total"] or 0
    return max(0, A_DAY[tries.kind] - used - tries.wrong_today)


def _locked(member: Member, until: datetime) -> PinRefused:
    """Return the refusal, with the first whole minute at which a try is taken again."""
    opens = until.astimezone(member.organisation.zone) + timedelta(minutes=1, microseconds=-1)
    return PinRefused(
        _(
            "Trop d’essais sur cet appareil : réessayez à partir de %(hour)s, ou répondez sur votre "
            "propre téléphone."
        )
        % {"hour": f"{opens:%H:%M}"},
        code="pin_locked",
    )


def _spent() -> PinRefused:
    return PinRefused(
        _(
            "Trop d’essais de ce code aujourd’hui. Répondez sur votre propre téléphone, "
            "ou adressez-vous à l’arbitre ou à l’accueil."
        ),
        code="pin_locked",
    )


def set_pin(*, member: Member, pin: str, by: Actor, at: datetime) -> None:
    """Set the code. Refused unless it is four digits, or where the row has another account by now."""
    if len(pin) != 4 or not (pin.isascii() and pin.isdigit()):
        raise MemberRefused(_("Le code a quatre chiffres."), code="pin_shape")
    with transaction.atomic():
        hashed = make_password(pin)
        if not Member.objects.filter(pk=member.pk, user=member.user_id).update(pin_hash=hashed):
            raise MemberRefused(
                _("Cette fiche vient d’être modifiée. Rechargez la page."), code="stale"
            )
        PinTries.objects.filter(member=member).delete()
        member.refresh_from_db()
        journal.note(member, "pin_set", by=by, at=at)


def seal_of(member: Member) -> str:
    """Return what tells this member's card from a guessed number; a replaced card has another."""
    text = f"{member.pk}.{member.device_version}"
    return salted_hmac("clubs.members.card", text, algorithm="sha256").hexdigest()[:20]


def is_sealed(member: Member, seal: str) -> bool:
    return constant_time_compare(seal, seal_of(member))


def card_address(request: HttpRequest, member: Member) -> str:
    """Return the address in the QR of this member's card."""
    seal = {"number": member.number, "seal": seal_of(member)}
    return request.build_absolute_uri(reverse("pairings:card", kwargs=seal))


@transaction.atomic
def forget_devices(*, member: Member, by: Actor, at: datetime) -> None:
    """Make every phone that remembered this member forget them, and their cards worthless."""
    Member.objects.filter(pk=member.pk).update(device_version=F("device_version") + 1)
    journal.note(member, "devices_forgotten", by=by, at=at)


# The account behind a member's rows


def _lock_account(user_id: int) -> None:
    """Lock an account, its rows in every club and their journals: the act writes in all of them."""
    User.objects.lock(user_id)
    rows = Member.objects.filter(user=user_id).order_by("pk").select_for_update(no_key=True)
    journal.lock([row.organisation_id for row in rows])


@transaction.atomic
def report_loss(*, member: Member, by: Actor, at: datetime) -> bool:
    """Forget the member's devices and cards; stop notifications to every device of the account.

    Its keys of a role are revoked, and a change of address that waits is taken back: the lost device
    may hold one, or have asked for the other. Returns whether a change of address was waiting.
    """
    if member.user_id is not None:
        _lock_account(member.user_id)
    forget_devices(member=member, by=by, at=at)
    if member.user is not None:
        for membership in Member.objects.filter(user=member.user).order_by("pk"):
            push.lose(member=membership)
        for revoke_keys in KEYS_OF_A_LOST_DEVICE:
            revoke_keys(member.user, by, at, True)
    return member.user is not None and member.user.take_back_address_change()


@transaction.atomic
def change_address(*, user: User, previous: str, at: datetime) -> None:
    """Let the member rows that have the account's previous address follow it to the new one."""
    _lock_account(user.pk)
    rows = Member.objects.active().filter(user=user, email__iexact=previous)
    for member in rows.select_related("organisation").order_by("pk"):
        by = Actor(user=user, member=member, role=PLAYER)
        members.edit(member=member, changes={"email": user.email}, by=by, at=at)


@transaction.atomic
def take_factors_away(*, user: User, by: Actor, at: datetime, reason: str) -> None:
    """Remove every factor of an account, end its sessions, revoke its keys: its device is lost.

    The days of grace do not begin again: a role does nothing until a new factor is set up. The
    journal of each of their clubs says so, and a mail tells the person.
    """
    if not Authenticator.objects.filter(user=user).exists():
        raise Refused(_("Ce compte n’a pas de double vérification."), code="no_factor")
    reason = reason_of(reason, Refused)
    _lock_account(user.pk)
    Authenticator.objects.filter(user=user).delete()
    for session in UserSession.objects.filter(user=user):
        session.end()
    user.take_back_address_change()  # its link would give the account to who has the device
    for member in Member.objects.active().filter(user=user).select_related("organisation"):
        journal.note(member, "second_factor_removed", by=by, at=at, reason=reason)
    for revoke_keys in KEYS_OF_A_LOST_DEVICE:
        revoke_keys(user, by, at, False)
    address = outbox.on_site(reverse("mfa_index"))
    context = {"link": address, "host": urlsplit(address).netloc}
    outbox.post(to=user.email, name="second_factor", language=user.language, context=context)
