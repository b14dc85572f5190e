"""Mails: written in the reader's language now, sent by a worker once the transaction has committed.

A mail reports what is already stored: nothing waits for it, and a mail that cannot be sent undoes
nothing. `templates/mail/<name>.txt` holds the subject on its first line, then the text.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from django.conf import settings
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from kombu.exceptions import OperationalError

from clubs.members.models import Member
from clubs.organisations.addresses import script_prefix
from clubs.organisations.models import Organisation

logger = logging.getLogger(__name__)
_silent: ContextVar[bool] = ContextVar("silent", default=False)


@contextmanager
def silence() -> Iterator[None]:
    """Send no mail inside this block: it is for generated data and imported files."""
    before = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(before)


def is_silent() -> bool:
    """Return whether nothing is sent now: generated data, an imported file."""
    return _silent.get()


def write(name: str, language: str, context: Mapping[str, object]) -> tuple[str, str]:
    """Return (subject, text) of a mail in a language."""
    with translation.override(language):
        page = render_to_string(f"mail/{name}.txt", dict(context))
    subject, _line, text = page.strip().partition("\n")
    return " ".join(subject.split()), text.strip() + "\n"


def post(
    *,
    to: str,
    name: str,
    language: str,
    context: Mapping[str, object],
    invitation: tuple[int, str] | None = None,
) -> None:
    """Send a mail when the transaction commits; not at all when it does not.

    `invitation`: (id, fingerprint of its link), so that the page can show whether it was sent.
    """
    if is_silent():
        return
    subject, text = write(name, language, context)

    def leave() -> None:
        _hand_over(to, subject, text, invitation)

    transaction.on_commit(leave, robust=True)


def _hand_over(to: str, subject: str, text: str, invitation: tuple[int, str] | None) -> None:
    """Queue the mail for the workers; without a broker it is lost and the page says so."""
    from clubs.notifications import tasks

    try:
        tasks.send_letter.apply_async(args=[to, subject, text, invitation], retry=False)
    except (OperationalError, OSError):  # the broker is unreachable
        logger.exception("mail not handed over", extra={"invitation": invitation})
        tasks.note_failure(invitation)


def address_of(member: Member) -> str:
    """Return the address of a member's mail; empty for one without an address, or who left."""
    if member.left_at is not None:
        return ""
    return member.email or (member.user.email if member.user is not None else "")


def language_of(member: Member) -> str:
    """Return the language a member chose."""
    known = dict(settings.LANGUAGES)
    chosen = member.user.language if member.user is not None else member.language
    return chosen if chosen in known else settings.LANGUAGE_CODE


def link(organisation: Organisation, name: str, **arguments: object) -> str:
    """Return a whole address for a mail, in or out of a request."""
    return link_to(organisation, lambda: reverse(name, kwargs=arguments or None))


def link_to(organisation: Organisation, path: Callable[[], str]) -> str:
    """Return the whole address of a path that is asked for inside that organisation."""
    alone = Organisation.objects.count() == 1
    with script_prefix("/" if alone else f"/c/{organisation.slug}/"):
        return on_site(path())


def on_site(path: str) -> str:
    """Return the whole address of a path of this site, as mails name it."""
    return settings.SITE_URL.rstrip("/") + path
