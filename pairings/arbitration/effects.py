"""The effect of a ruling before it is given, and the mark of the effect that an arbiter has read."""

from __future__ import annotations

import hashlib
import json

from pairings.matches.competition import EffectTable
from pairings.matches.models import Match
from pairings.matches.state import columns_of, result_of
from pairings.ranking import projection
from pairings.rules.match_state import Absent, Kind, Result, Status


def read_effect(match: Match, result: Result | None) -> tuple[EffectTable | None, str]:
    """Return the before → after table of a ruling and its mark; nothing before there is a choice.

    The table of a contested match starts from the version entered.
    """
    if result is None:
        return None, ""
    entered = None
    if match.status == Status.CONTESTED and match.kind:
        entered_result = result_of(match)
        assert entered_result is not None
        entered = ended_as(match, entered_result)
    table = match.competition.effect_of(ended_as(match, result), entered=entered)
    return table, _mark(match, result, table)


def _mark(match: Match, result: Result, table: EffectTable | None) -> str:
    """Return a digest of this ruling and its effect, for the form to send back.

    Ranks are left out: other results of the evening move them while the arbiter reads. Points and
    cotes of a contested match change by its ruling alone. The names of evenings are in the reader's
    language, which may change between: they are only counted.
    """
    rows = table.rows if table else []
    read = [
        match.pk,
        columns_of(result),
        [[row.member.pk, row.pr, row.cote] for row in rows if _moves(row.pr) or _moves(row.cote)],
        len(table.periods) if table else 0,
    ]
    return digest_of(read)


def digest_of(read: list[object]) -> str:
    """Return a digest of what an arbiter reads before they act, for the act to send back."""
    return hashlib.sha256(json.dumps(read, default=str).encode()).hexdigest()[:32]


def _moves(values: tuple[object, object]) -> bool:
    return values[0] != values[1]


def ended_as(match: Match, result: Result) -> Match:
    """Return an unsaved copy of the match, ended with this result."""
    status = _status_after(result)
    return projection.trial_of(
        match,
        status=status.value,
        **columns_of(None if status is Status.CANCELLED else result),
        counts=status is Status.FINAL,
    )


def _status_after(result: Result) -> Status:
    if result.kind == Kind.CANCELLED:
        return Status.CANCELLED
    return Status.VOID if result.absent == Absent.BOTH else Status.FINAL
