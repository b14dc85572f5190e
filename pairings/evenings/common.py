"""What the actions of an evening share: their refusal and their journal entry."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from clubs.accounts.actor import Actor, Refused
from clubs.journal import chain as journal
from pairings.evenings.models import Evening
from pairings.live import stream as live


class EveningRefused(Refused):
    """Refusal of an action on an evening, in words the reader may see."""


def note(
    evening: Evening,
    verb: str,
    by: Actor,
    at: datetime,
    *,
    before: Any = None,
    after: Any = None,
    reason: str = "",
) -> None:
    journal.record(
        organisation=evening.organisation,
        verb=verb,
        subject=f"evening:{evening.pk}",
        by=by,
        at=at,
        before=before,
        after=after if after is not None else {"state": evening.state},
        reason=reason,
        rule_book=evening.rule_book,
    )
    live.announce(evening.organisation, "evening", at=at, evening=evening.pk)
