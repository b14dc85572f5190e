"""Mails and notifications that did not go out: what waits for another try, what failed in a week.

A mail is in the queue of the workers and in no table; one that the mail server did not take has a
row here until a later try succeeds. The row holds neither address nor text.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q

from clubs.notifications.models import PushNotice, UnsentMail

WEEK = timedelta(days=7)
TRIED_FOR = timedelta(hours=1)
"""Well after the last try of a mail: a row still waiting then lost its worker."""


def note(key: str, *, given_up: bool, at: datetime) -> None:
    """Record that a mail was not taken; forget those of more than a week ago."""
    UnsentMail.objects.update_or_create(
        key=key, defaults={"given_up": given_up}, create_defaults={"given_up": given_up, "at": at}
    )
    UnsentMail.objects.filter(at__lte=at - WEEK).delete()


def forget(key: str) -> None:
    """Remove the record of a mail that went out after all."""
    UnsentMail.objects.filter(pk=key).delete()


@dataclass(frozen=True, slots=True)
class Unsent:
    """Counts of the whole site; `oldest_at` is the first failure of a mail that still waits."""

    mails_waiting: int
    mails_failed: int
    pushes_waiting: int
    pushes_failed: int
    oldest_at: datetime | None


def count(*, at: datetime) -> Unsent:
    """Count what waits now, and what failed in the last seven days. Three queries."""
    mails = UnsentMail.objects.filter(at__gt=at - WEEK)
    waiting = Q(given_up=False, at__gt=at - TRIED_FOR)
    since = list(mails.filter(waiting).order_by("at", "pk").values_list("at", flat=True))
    return Unsent(
        mails_waiting=len(since),
        mails_failed=mails.exclude(waiting).count(),
        pushes_waiting=PushNotice.objects.due(at=at).count(),
        pushes_failed=PushNotice.objects.filter(
            sent_at__isnull=True, until__lte=at, until__gt=at - WEEK
        ).count(),
        oldest_at=since[0] if since else None,
    )
