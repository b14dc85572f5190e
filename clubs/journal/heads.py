"""The end of a chain, mailed to people who keep it: what the database says later can be compared.

Somebody who may write to the database can compute the whole chain anew; the walk of the chain alone
would hold. A number and its hash in a mailbox outside the database do not change with it.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q

from clubs.journal.models import JournalEntry, JournalHead
from clubs.members.models import RoleGrant
from clubs.notifications import outbox
from clubs.organisations.models import Organisation
from clubs.personal_data.models import settings_of

EVERY = timedelta(hours=20)
"""Less than a day, so that the task of each day is never a minute too early."""


@transaction.atomic
def mail(organisation: Organisation, *, at: datetime, published: str = "") -> bool:
    """Mail the head to the committee, with each edition (`published`), else once a day if it moved.

    Return whether it was due; a club that wants no such mail has none due.
    """
    if outbox.is_silent() or not settings_of(organisation).heads_by_mail:
        return False
    due = Q() if published else Q(mailed_at__isnull=True) | Q(mailed_at__lte=at - EVERY)
    moved = JournalHead.objects.filter(due, pk=organisation.pk, seq__gt=F("mailed_seq")).update(
        mailed_seq=F("seq"), mailed_at=at
    )
    if not moved:
        return False
    head = JournalHead.objects.get(pk=organisation.pk)
    grants = RoleGrant.objects.filter(
        member__organisation=organisation, role=RoleGrant.COMMITTEE, revoked_at__isnull=True
    )
    for grant in grants.select_related("member__user").order_by("pk"):
        address = outbox.address_of(grant.member)
        if address:
            outbox.post(
                to=address,
                name="journal_head",
                language=outbox.language_of(grant.member),
                context={
                    "club": organisation,
                    "member": grant.member,
                    "head": head,
                    "published": published,
                    "journal": outbox.link(organisation, "clubs:journal"),
                    "choices": outbox.link(organisation, "clubs:privacy_settings"),
                },
            )
    return True


def read(text: str) -> tuple[int, str] | None:
    """Return the (number, hash) of a head as it is mailed, "SEQ:HASH", or None for another text."""
    parsed = re.fullmatch(r"([0-9]{1,18}):([0-9a-f]{64})", text.strip())
    return (int(parsed[1]), parsed[2]) if parsed else None


def departure(
    organisation: Organisation, expected: list[tuple[int, str]]
) -> tuple[int, int] | None:
    """Return (last number that agrees, first that does not) of known heads, or None if all agree.

    The chain departs from what was mailed behind the first number, at the second at the latest.
    """
    agreed = 0
    entries = JournalEntry.objects.filter(organisation=organisation)
    for seq, hash_ in sorted(expected):
        if not entries.filter(seq=seq, hash=hash_).exists():
            return agreed, seq
        agreed = seq
    return None
