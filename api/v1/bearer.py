"""Who calls: the bearer of a key, or a visitor. The session's cookie counts for nothing here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import gettext as _
from ninja.security.http import HttpAuthBase

from api.tokens import actions as tokens
from api.tokens.models import Scope, Token
from api.v1.problems import Problem
from clubs.accounts import rate_limits, second_factor
from clubs.accounts.actor import PLAYER, Actor
from clubs.accounts.client_address import address_of
from clubs.accounts.middleware import names_a_language
from clubs.accounts.permissions import Access, access_of, closed_sentence, received_at
from clubs.accounts.rate_limits import Limit
from clubs.organisations.models import Organisation

MINUTE = timedelta(minutes=1)
OF_A_KEY = Limit(name="api-key", amount=600, span=MINUTE)
OF_AN_ADDRESS = Limit(name="api-address", amount=600, span=MINUTE)
"""Without a key, or with a wrong one: a key counts apart from others behind its address."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: their key, or None for a visitor. `by` acts, where the address is one to act at."""

    token: Token | None = None
    by: Actor | None = None


class Bearer(HttpAuthBase):
    """`Authorization: Bearer club_…`; without the header, a visitor.

    Sets the rights of the request afresh from the key: what the middleware read from cookies is
    dropped, so that no page of another site can act with a reader's session.

    `scope` and `role`: what an address to act at asks for, itself or by its router; one to read asks
    a key for "read". They are checked here because ninja reads what was sent afterwards: who may not
    learns nothing of it.
    """

    openapi_scheme = "bearer"

    def __init__(self, scope: Scope | None = None, role: str = PLAYER) -> None:
        super().__init__()
        self.scope, self.role = scope, role

    def __call__(self, request: HttpRequest) -> Caller:
        caller = self._caller(request)
        request.auth = caller  # type: ignore[attr-defined]
        if self.scope is not None:
            return replace(caller, by=actor(request, self.scope, self.role))
        if caller.token is not None:
            check_scope(request, Scope.READ)
        return caller

    def _caller(self, request: HttpRequest) -> Caller:
        at, header = received_at(request), request.headers.get("Authorization", "")
        become(request, None)
        if not header:
            rate_limits.take(OF_AN_ADDRESS, address_of(request), at=at)
            if request.method != "GET":
                raise _needed()  # before the body is read: nothing is said of it without a key
            return Caller()
        kind, _space, key = header.partition(" ")
        is_bearer = kind.lower() == self.openapi_scheme
        token = tokens.find(key.strip()) if is_bearer else None
        if token is None:
            rate_limits.take(OF_AN_ADDRESS, address_of(request), at=at)
            no_such_key = _("Cette clé n’existe pas.")
            not_a_bearer = _("Envoyez la clé ainsi : « Authorization: Bearer club_… ».")
            raise _refused("token_unknown", no_such_key if is_bearer else not_a_bearer)
        return self._of_key(request, token)

    def _of_key(self, request: HttpRequest, token: Token) -> Caller:
        """Return the bearer of this key, or raise the Problem of a key that opens nothing."""
        at = received_at(request)
        if not names_a_language(request):  # before any refusal is written
            translation.activate(token.user.language)
        rate_limits.take(OF_A_KEY, token.pk, at=at)
        _check_lives(token, at)
        organisation = request.organisation  # type: ignore[attr-defined]
        if organisation is not None and organisation != token.member.organisation:
            raise Problem(403, "token_of_another_club", _("Cette clé est celle d’un autre club."))
        become(request, token)
        if organisation is not None and access_of(request).member != token.member:
            raise _refused("token_ended", _("Cette clé n’a plus de membre."))
        tokens.note_use(token, at=at)
        return Caller(token)


def _check_lives(token: Token, at: datetime) -> None:
    if token.revoked_at is not None:
        raise _refused("token_revoked", _("Cette clé est retirée."))
    if token.expires_at <= at:
        raise _refused("token_expired", _("Cette clé n’est plus valable."))
    if not token.user.is_active or token.user_id != token.member.user_id:
        raise _refused("token_ended", _("Cette clé n’a plus de membre."))


def _needed() -> Problem:
    return _refused("token_needed", _("Cette adresse demande une clé."))


def _refused(code: str, sentence: str) -> Problem:
    return Problem(401, code, sentence, headers={"WWW-Authenticate": "Bearer"})


def become(request: Any, token: Token | None) -> None:
    """Give the request the rights of the key's member as they are now, or a visitor's.

    Where the site asks roles for a second factor, a key of an account without one has no role:
    it was proved when the key was made, and there are no days of grace.
    """
    user = None if token is None else token.user
    request.user = user or AnonymousUser()
    access = Access.of(user, request.organisation)
    if settings.SECOND_FACTOR and access.roles and not second_factor.factors_of(request):
        access = replace(access, roles=frozenset(), withheld=access.roles)
    request.access = access


def check_scope(request: HttpRequest, scope: Scope) -> Token:
    """Return the key of the request. Raises a Problem without one, or where it lacks the scope."""
    token: Token | None = request.auth.token  # type: ignore[attr-defined]
    if token is None:
        raise _needed()
    if scope.value not in token.scopes:
        detail = _("Cette clé ne permet pas « %(scope)s » (%(words)s).")
        message = detail % {"scope": scope.value, "words": scope.label}
        raise Problem(403, "scope_needed", message)
    return token


def actor(request: HttpRequest, scope: Scope, role: str = PLAYER) -> Actor:
    """Return who acts, in that role.

    Raises for a key without the scope, a club that is closed, or a role not held.
    """
    check_scope(request, scope)
    sentence = closed_sentence(club_of(request))
    if sentence:
        raise Problem(403, "club_closed", sentence)
    return replace(access_of(request).actor(role), origin="api")


def acting(request: HttpRequest) -> Actor:
    """Return who acts, at an address whose `auth` names a scope."""
    by: Actor | None = request.auth.by  # type: ignore[attr-defined]
    assert by is not None, "auth=Bearer(scope) is missing"
    return by


def club_of(request: HttpRequest) -> Organisation:
    """Return the club of the address, of which a site with several must have the prefix."""
    organisation: Organisation | None = request.organisation  # type: ignore[attr-defined]
    if organisation is None:
        message = _("Mettez le club devant : /c/<club>/api/v1/…")
        raise Problem(400, "club_needed", message)
    return organisation


def in_club(request: HttpRequest) -> tuple[Access, Organisation]:
    """Return the reader's rights, a visitor's without a key, and the club of the address."""
    return access_of(request), club_of(request)
