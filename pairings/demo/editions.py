"""Rankings published by the demo club's committee: some evenings, and one corrected mistake."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from pairings.evenings.models import Evening
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_state import Kind, Result, Status
from ratings.editions import actions as editions
from ratings.ledger.models import Edition

if TYPE_CHECKING:
    from pairings.demo.people import Demo


def publish_evening(demo: Demo, day: date, *, note: str = "") -> Edition:
    """Publish the ranking after that evening, at noon the next day."""
    at = datetime.combine(day + timedelta(days=1), time(12), tzinfo=demo.club.zone)
    proposal = editions.propose(demo.club, None, today=at.date())
    assert proposal is not None
    return editions.publish(
        organisation=demo.club, title=proposal.title, note=note, by=demo.committee, at=at
    )


def mend_last_evening(demo: Demo, edition: Edition) -> Edition:
    """Correct a result two days later, then the published ranking."""
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
    return editions.publish_erratum(
        of=edition,
        title=edition.title,
        note="Les scores d’un match avaient été saisis à l’envers.",
        by=demo.committee,
        at=at + timedelta(hours=1),
    )
