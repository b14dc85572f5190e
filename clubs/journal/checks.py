"""The verification of the journal in the background, and its stored result for the pages.

Pages never walk the chain: they print the result of the last check. Each check continues from the
row that the one before verified; once a day the whole chain is walked again.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from clubs.journal import chain as journal
from clubs.journal.models import GENESIS, JournalHead
from clubs.organisations.models import Organisation
from clubs.upkeep.models import JournalCheck

WHOLE_EVERY = timedelta(days=1)
BROKEN_EVERY = timedelta(minutes=10)
"""A broken chain is walked whole more often, so that a repair shows soon."""


def check(organisation: Organisation, *, at: datetime) -> JournalCheck:
    """Verify what is new, or the whole chain once a day, and store the result.

    A breach stays until a walk of the whole chain holds again.
    """
    known = JournalCheck.objects.filter(organisation=organisation).first()
    if known is None:
        return _walk(organisation, known, whole=True, at=at)
    if not known.holds:
        due = known.checked_at <= at - BROKEN_EVERY
        return _walk(organisation, known, whole=True, at=at) if due else known
    return _walk(organisation, known, whole=known.complete_at <= at - WHOLE_EVERY, at=at)


def _walk(
    organisation: Organisation, known: JournalCheck | None, *, whole: bool, at: datetime
) -> JournalCheck:
    head = JournalHead.objects.filter(organisation=organisation).first()
    verified = (known.seq, known.hash) if known else (0, GENESIS)
    breach = next(journal.verify(organisation, after=verified, head=head), None)
    if whole and breach is None and verified[0]:
        # The rows before: their last one still has the hash it had when verified.
        breach = next(journal.verify(organisation, head=_at(organisation, verified)), None)
    end = (head.seq, head.hash) if head and breach is None else verified
    result = {
        "seq": end[0],
        "hash": end[1],
        "checked_at": at,
        "complete_at": at if whole or known is None else known.complete_at,
        "breach_seq": breach.seq if breach else None,
        "breach_what": breach.what if breach else "",
    }
    if known is None:
        return JournalCheck.objects.get_or_create(organisation=organisation, defaults=result)[0]
    # Another worker may have finished first: the later result stays.
    JournalCheck.objects.filter(organisation=organisation, checked_at=known.checked_at).update(
        **result
    )
    known.refresh_from_db()
    return known


def _at(organisation: Organisation, place: tuple[int, str]) -> JournalHead:
    """Return an end of the chain that is not stored: the row that was verified last."""
    return JournalHead(organisation=organisation, seq=place[0], hash=place[1])


def last(organisation: Organisation) -> JournalCheck | None:
    """Return the stored result, or None before the first check."""
    return JournalCheck.objects.filter(organisation=organisation).first()
