"""The second factor that a site asks of arbiters and of the committee (SECOND_FACTOR).

A person who plays is never asked for one. A person who has a role and no factor keeps the role
for some days of grace, counted from their first request; then the role does nothing until a factor
is set up and used. It also does nothing in a session that has not used the factor, or that nobody
used for ROLE_IDLE_DAYS days, until the person proves again who they are.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from allauth.account.authentication import get_authentication_records
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from clubs.accounts import sessions
from clubs.accounts.models import User
from clubs.accounts.reauthentication import proof_page

FACTORS = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
SET_UP, PROVE, IDLE = "set_up", "prove", "idle"
WANTED = "wanted_page"
"""The page to return to once a factor is set up: allauth's pages for that take no `next`."""


def factors_of(request: HttpRequest) -> frozenset[int]:
    """Return the ids of the account's keys and applications.

    Recovery codes alone do not count: they replace a lost one.
    """
    held = Authenticator.objects.filter(user=request.user.pk, type__in=FACTORS)
    return frozenset(held.values_list("pk", flat=True))


def proved_second_factor(request: HttpRequest, factors: Collection[int]) -> bool:
    """Return whether one of these was used in this session. A session older than all has not.

    What a key or an application proved ends when it is removed: the lost phone may be signed in.
    """
    if not factors:
        return False
    records = get_authentication_records(request, request.user)  # type: ignore[arg-type]
    return any(
        record["type"] == Authenticator.Type.RECOVERY_CODES or record["id"] in factors
        for record in records
        if record["method"] == "mfa"
    )


def note_set_up(request: HttpRequest, authenticator: Authenticator, **_sent: object) -> None:
    """Count an account's first factor as used in the session that set it up.

    Setting up asks for a recent proof and for the factor itself. A further one proves nothing: the
    session may be older than the first.
    """
    of_account = Authenticator.objects.filter(user=authenticator.user_id, type__in=FACTORS)
    if authenticator.type in FACTORS and not of_account.exclude(pk=authenticator.pk).exists():
        used = {"id": authenticator.pk, "type": authenticator.type}
        sessions.note_proof(request, authenticator.user, "mfa", **used)


def obstacle_of(request: HttpRequest, *, at: datetime) -> tuple[str, datetime | None]:
    """Return what keeps this session from using a role ("" for nothing), and when grace ends."""
    if sessions.is_idle(request):
        return IDLE, None
    if factors := factors_of(request):
        return ("" if proved_second_factor(request, factors) else PROVE), None
    until = _asked_at(request.user, at) + timedelta(days=settings.SECOND_FACTOR_GRACE_DAYS)  # type: ignore[arg-type]
    return ("", until) if at < until else (SET_UP, None)


def way_past(request: HttpRequest, obstacle: str) -> str:
    """Return the page that removes the obstacle; the last page of a set-up leads back here."""
    if obstacle == SET_UP:
        request.session[WANTED] = request.get_full_path()
        return reverse("mfa_index")
    return proof_page(request)


def _asked_at(user: User, at: datetime) -> datetime:
    """Return when this person was first asked for a second factor: now, if never before."""
    if user.second_factor_asked_at is None:
        first = User.objects.filter(pk=user.pk, second_factor_asked_at__isnull=True).update(
            second_factor_asked_at=at
        )
        if first:
            user.second_factor_asked_at = at
        else:
            user.refresh_from_db(fields=["second_factor_asked_at"])
    assert user.second_factor_asked_at is not None
    return user.second_factor_asked_at
