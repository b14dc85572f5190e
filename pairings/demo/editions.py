"""Rankings published by the demo club's committee: some evenings, and one corrected mistake."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from pairings.demo.order import Acts
from pairings.evenings.models import Evening
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_state import Kind, Result, Status
from ratings.editions import actions as editions
from ratings.ledger.models import Edition

if TYPE_CHECKING:
    from pairings.demo.people import Demo


def published(demo: Demo, days: Sequence[date]) -> Acts:
    """Publish the ranking after each of these evenings, and mend the last one a day later."""
    for day in days:
        yield _noon_after(demo, day)
        edition = _publish_evening(demo, day)
    yield edition.published_at + timedelta(days=1)
    _mend_last_evening(demo, edition)


def _noon_after(demo: Demo, day: date) -> datetime:
    return datetime.combine(day + timedelta(days=1), time(12), tzinfo=demo.club.zone)


def _publish_evening(demo: Demo, day: date) -> Edition:
    at = _noon_after(demo, day)
    proposal = editions.propose(demo.club, None, today=at.date())
    assert proposal is not None
    return editions.publish(
        organisation=demo.club, title=proposal.title, note="", by=demo.committee, at=at
    )


def _mend_last_evening(demo: Demo, edition: Edition) -> None:
    """Correct a result of what is published, then the ranking."""
    at = edition.published_at + timedelta(days=1)
    evening = Evening.objects.get(organisation=demo.club, held_on=edition.covers_until)
    judge = demo.arbiter.member
    assert judge is not None
    match = (
        Match.objects.filter(evening=evening, kind=Kind.PLAYED, status=Status.FINAL)
        .exclude(first=judge)
        .exclude(second=judge)
        .order_by("-pk")[0]
    )
    assert match.first_score is not None and match.second_score is not None
    match_actions.correct(
        match=match,
        result=Result(Kind.PLAYED, match.second_score, match.first_score),
        reason="Les deux colonnes de la feuille étaient inversées.",
        by=demo.arbiter,
        at=at,
    )
    editions.publish_erratum(
        of=edition,
        title=edition.title,
        note="Les scores d’un match avaient été saisis à l’envers.",
        by=demo.committee,
        at=at + timedelta(hours=1),
    )
