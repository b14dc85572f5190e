"""Celery tasks: send mail and notifications, with retries."""

from __future__ import annotations

from contextlib import suppress
from smtplib import SMTPException
from typing import Any
from uuid import uuid4

from celery import shared_task
from django.core.mail import EmailMessage
from django.db import DatabaseError
from django.db.models import QuerySet
from django.utils import timezone

from clubs.members.models_access import Invitation
from clubs.notifications import push, unsent
from clubs.upkeep import database_clock

TRIES = 6
FIRST_WAIT_S = 30


@shared_task(
    name="clubs.notifications.tasks.send_letter", bind=True, max_retries=TRIES - 1, acks_late=True
)
def send_letter(
    self: Any, to: str, subject: str, text: str, invitation: tuple[int, str] | None = None
) -> bool:
    """Send one mail. Waits 30 s, 1 min, 2 min … between tries, about a quarter of an hour in all.

    An invitation whose link has changed since, or that was already sent, is not sent again.
    """
    if invitation is not None and not _waiting(invitation).exists():
        return False
    message = EmailMessage(subject, text, to=[to], headers={"Auto-Submitted": "auto-generated"})
    try:
        message.send()
    except (OSError, SMTPException) as away:
        if self.request.retries >= self.max_retries:
            note_failure(invitation, key=self.request.id)
            raise
        _note_unsent(self.request.id, given_up=False)
        raise self.retry(exc=away, countdown=FIRST_WAIT_S * 2**self.request.retries) from away
    if self.request.retries:
        unsent.forget(self.request.id)
    if invitation is not None:
        _waiting(invitation).update(mailed_at=timezone.now(), mail_failed_at=None)
    return True


def note_failure(invitation: tuple[int, str] | None, *, key: str | None = None) -> None:
    """Count a mail that will not be sent; mark an invitation, for the page of invitations."""
    _note_unsent(key, given_up=True)
    if invitation is not None:
        _waiting(invitation).update(mail_failed_at=timezone.now())


def _note_unsent(key: str | None, *, given_up: bool) -> None:
    """Record the mail by its task. Without the database it is tried again all the same."""
    with suppress(DatabaseError):
        unsent.note(key or uuid4().hex, given_up=given_up, at=timezone.now())


def _waiting(invitation: tuple[int, str]) -> QuerySet[Invitation]:
    pk, fingerprint = invitation
    return Invitation.objects.filter(
        pk=pk, token_hash=fingerprint, mailed_at__isnull=True, revoked_at__isnull=True
    )


@shared_task(name="clubs.notifications.tasks.send_push", acks_late=True)
def send_push(notice_id: int) -> int:
    """Send one notification to the phones of its member."""
    return push.deliver(notice_id, at=database_clock.now())


@shared_task(name="clubs.notifications.tasks.sweep_push")
def sweep_push() -> int:
    """Send the notifications that were held back, or that no phone could take at once."""
    return push.sweep(at=database_clock.now())
