"""Make, find and revoke the keys of a member."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from api.tokens.models import OF_A_ROLE, Scope, Token
from clubs.accounts import sessions
from clubs.accounts.actor import Actor, Refused
from clubs.accounts.models import User
from clubs.accounts.permissions import Access
from clubs.journal import chain as journal
from clubs.members.invitations.actions import token_hash
from clubs.members.models import Member

PREFIX = "club_"
"""Lets programs that search code for secrets recognise a key."""
MOST_KEYS = 20
NOTED_EVERY = timedelta(hours=1)


class TokenRefused(Refused):
    """A key that may not be made or revoked."""


def scopes_for(access: Access) -> list[Scope]:
    """Return the scopes of use to somebody with these rights."""
    rights = dict.fromkeys((Scope.DIRECT, Scope.ARBITRATE), access.is_arbiter)
    rights[Scope.OFFICE] = access.is_committee
    return [scope for scope in Scope if rights.get(scope, True)]


@transaction.atomic
def create(
    *,
    member: Member,
    name: str,
    scopes: Sequence[str],
    days: int,
    by: Actor,
    at: datetime,
) -> tuple[Token, str]:
    """Make a key and return it with its text, which is shown once: only its hash is stored."""
    if by.user is None or by.member != member or member.user_id != by.user.pk:
        raise TokenRefused(_("Chacun fait ses propres clés."), code="not_theirs")
    User.objects.lock(by.user.pk)  # two requests count one after the other
    if not Member.objects.active().filter(pk=member.pk, user=by.user).lock():
        raise TokenRefused(
            _("Cette fiche vient d’être modifiée. Rechargez la page."), code="stale"
        )  # its departure, or the loss of its account, has revoked the keys it found
    if Token.objects.live(at=at).filter(member=member).count() >= MOST_KEYS:
        raise TokenRefused(
            _("Vous avez déjà %(n)s clés : retirez-en une d’abord.") % {"n": MOST_KEYS},
            code="too_many",
        )
    key = PREFIX + secrets.token_urlsafe(32)
    token = Token.objects.create(
        member=member,
        user=by.user,
        name=name,
        scopes=[scope.value for scope in Scope if scope in scopes],
        key_hash=token_hash(key),
        created_at=at,
        expires_at=at + timedelta(days=days),
    )
    after = {"name": name, "scopes": token.scopes, "expires": token.expires_at.isoformat()}
    journal.note(member, "token_created", by=by, at=at, after=after)
    return token, key


@transaction.atomic
def revoke(*, token: Token, by: Actor, at: datetime) -> None:
    """Make a key worthless. A key that is revoked already stays as it is."""
    if by.member is None or by.member.pk != token.member_id:
        raise TokenRefused(_("Chacun retire ses propres clés."), code="not_theirs")
    User.objects.lock(token.user_id)
    unrevoked = Token.objects.filter(pk=token.pk, revoked_at__isnull=True)
    _revoke([(one, by) for one in _locked(unrevoked)], at)


@transaction.atomic
def revoke_of_lost_device(user: User, by: Actor, at: datetime, of_a_role: bool) -> None:
    """Revoke the live keys of an account whose device is lost; with `of_a_role` those of a role.

    Whoever reports the loss in one club acts as its member there: each club's journal names its own.
    """
    keys = _locked(Token.objects.live(at=at).filter(user=user))
    _revoke(
        [
            (key, by if by.member is None else replace(by, member=key.member))
            for key in keys
            if not of_a_role or not OF_A_ROLE.isdisjoint(key.scopes)
        ],
        at,
    )


def lock_of_departed(member: Member, at: datetime) -> None:
    """Lock the live keys of somebody who leaves, before their departure writes an entry."""
    _locked(Token.objects.live(at=at).filter(member=member))


def revoke_of_departed(member: Member, by: Actor, at: datetime) -> None:
    """Revoke the live keys of somebody who leaves, or has no account here any more, in that act.

    None works if they return.
    """
    keys = _locked(Token.objects.live(at=at).filter(member=member))
    _revoke([(key, by) for key in keys], at)


def _locked(keys: QuerySet[Token]) -> list[Token]:
    """Lock the rows of these keys: all of them before the journal, as two acts may share some."""
    rows = keys.select_for_update(no_key=True, of=("self",))
    return list(rows.select_related("member__organisation").order_by("member_id", "pk"))


def _revoke(keys: Sequence[tuple[Token, Actor]], at: datetime) -> None:
    """Revoke locked keys, each by that actor."""
    Token.objects.filter(pk__in=[key.pk for key, _by in keys]).update(revoked_at=at)
    for key, by in keys:
        journal.note(key.member, "token_revoked", by=by, at=at, after={"name": key.name})


def find(key: str) -> Token | None:
    """Return the key with that text, ended and revoked ones included."""
    wanted = Token.objects.select_related("member__organisation", "user")
    return wanted.filter(key_hash=token_hash(key)).first()


def note_use(token: Token, *, at: datetime) -> None:
    """Note that the key was used: at most once an hour, so that reading seldom writes."""
    before = at - NOTED_EVERY
    if token.last_used_at is None or token.last_used_at <= before:
        stale = Q(last_used_at__isnull=True) | Q(last_used_at__lte=before)
        sessions.try_to_note(
            "the use of a key",
            lambda: Token.objects.filter(stale, pk=token.pk).update(last_used_at=at),
        )
