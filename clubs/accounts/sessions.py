"""Sessions of an account: when one was last used, and when its owner last proved who they are."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from allauth.account.authentication import get_authentication_records
from allauth.account.internal.flows.login import record_authentication
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.backends.base import UpdateError
from django.db import DatabaseError, transaction
from django.http import HttpRequest

from clubs.accounts.models import User

logger = logging.getLogger(__name__)
USED, IDLE_UNTIL = "used_at", "idle_until"
HOUR, DAY = 3600, 86400
INVITED_AT = "invitation"
"""The page of the invitation on which this browser made an account."""


def note_proof(request: HttpRequest, user: User, method: str, **details: object) -> None:
    """Note that a person proved who they are, as allauth's own pages do.

    allauth has a public name to read these notes (`get_authentication_records`), none to write them.
    """
    record_authentication(request, user, method, **details)


def begin(request: HttpRequest, user: User, **_told: object) -> None:
    """Note that the session is in use from its first moment: the receiver of a sign-in."""
    assert user.last_login is not None  # Django's own receiver comes first
    request.session[USED] = user.last_login.timestamp()
    # A visitor's ends within the hour (`reauthentication.sign_in`).
    request.session.set_expiry(None)


def note_use(request: HttpRequest, *, at: datetime) -> None:
    """Note at most once an hour that a session is in use, and once that it had not been for long.

    A session that was begun under a former SECRET_KEY has just got a new number: it is noted at
    once, so that its owner sees it among their devices and can end it.
    """
    session, now = request.session, at.timestamp()
    last, changed = session.get(USED), session.modified
    if last is not None and now - last < HOUR and not changed:
        return
    if last is not None and now - last > settings.ROLE_IDLE_DAYS * DAY:
        session[IDLE_UNTIL] = now
    session[USED] = now

    def write() -> None:
        session.save()
        UserSession.objects.create_from_request(request)

    try_to_note("the use of a session", write)
    session.modified = changed


def try_to_note(what: str, write: Callable[[], object]) -> None:
    """Write it: a page that is only read must not fail because this cannot be written."""
    try:
        with transaction.atomic():
            write()
    except (DatabaseError, UpdateError):
        logger.warning("%s was not noted", what, exc_info=True)


def is_idle(request: HttpRequest) -> bool:
    """Return whether the session came back after a long rest and nobody signed in since."""
    since = request.session.get(IDLE_UNTIL)
    return since is not None and last_proof(request) < since


def last_proof(request: HttpRequest) -> float:
    """Return when somebody last proved who they are in this session, in seconds; 0 for never."""
    records = get_authentication_records(request, request.user)  # type: ignore[arg-type]
    return max((float(record["at"]) for record in records), default=0.0)
