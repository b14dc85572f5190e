"""Ledger entries of a match of the ladder: the rated game and the absences."""

from __future__ import annotations

from datetime import datetime

from clubs.rulebooks import actions as rulebooks
from pairings.absences.models import Absence
from pairings.evenings.models import Evening
from pairings.matches.competition import evening_of
from pairings.matches.models import Match
from pairings.rules.match_state import Absent, Kind, Status
from ratings.ledger import origins, settlement
from ratings.ledger.models import Period, RatingList
from ratings.systems.protocol import Game


def source_of(match: Match) -> str:
    """Return the permanent key of the match in the ledger."""
    return f"match:{match.pk}"


def list_of(evening: Evening) -> RatingList:
    """Return the club cote's list."""
    return settlement.list_of(evening.organisation, rulebooks.LADDER)


def period_of(evening: Evening) -> Period:
    """Return the evening's period in the club cote.

    It uses the rule version fixed when check-in opened.
    """
    return settlement.open_period(
        rating_list=list_of(evening),
        origin=origins.evening(evening.pk),
        label=evening.address,
        evening_number=evening.number,
        held_on=evening.held_on,
        rule_book=evening.rule_book,
        rule_fixed=True,
    )


def posting_of(match: Match) -> Game | None:
    """Return the rated game of the result in force, or None where the rules rate nothing."""
    if match.status != Status.FINAL.value or match.second_id is None:
        return None
    if match.kind == Kind.PLAYED:
        assert match.first_score is not None and match.second_score is not None
        difference = match.first_score - match.second_score
        halves = 2 if difference > 0 else 0 if difference < 0 else 1
        return Game(
            key=source_of(match),
            first=match.first_id,
            second=match.second_id,
            first_halves=halves,
            first_score=match.first_score,
            second_score=match.second_score,
            position=match.pk,
        )
    if (
        match.kind == Kind.ABSENT
        and match.absent in (Absent.FIRST, Absent.SECOND)
        and rates_forfeits(match)
    ):
        return Game(
            key=source_of(match),
            first=match.first_id,
            second=match.second_id,
            first_halves=0 if match.absent == Absent.FIRST else 2,
            position=match.pk,
        )
    return None


def rates_forfeits(match: Match) -> bool:
    """Return whether a win against an absent player changes the cote under the rules of this match."""
    rated: bool = rulebooks.rules(match.rule_book, rulebooks.LADDER, "cote").rate_forfeits
    return rated


def post(match: Match, *, at: datetime, is_first: bool = False) -> Period | None:
    """Align the ledger with the result; return the changed period, or None.

    A period already settled is then replayed by the caller (`ledger.correct`), once the match's own
    journal entry is written. `is_first`: no result was in force before this one.
    """
    wanted, evening = posting_of(match), evening_of(match)
    if wanted is None and is_first:
        return None
    period = (
        Period.objects.opened_for(origins.evening(evening.pk))
        .filter(rating_list__organisation=match.organisation_id, rating_list__slug=rulebooks.LADDER)
        .first()
    )
    if wanted is None:
        if period is not None:
            settlement.withdraw_game(period=period, source=source_of(match), at=at)
    else:
        if period is None:
            period = period_of(evening)
        settlement.record_game(period=period, posting=wanted, at=at, is_first=is_first)
    return period


def note_absences(match: Match, *, at: datetime, is_first: bool) -> None:
    """Add one absence row for each absent member of the result; a correction withdraws it."""
    away = match.absentee_ids()
    if match.status not in (Status.FINAL.value, Status.VOID.value):
        away = []
    if not is_first:
        noted = Absence.objects.filter(match=match, withdrawn_at__isnull=True).order_by("pk")
        # All of them, before the journal: `set_justified` comes after it.
        list(noted.select_for_update(no_key=True).values_list("pk"))
        noted.exclude(member_id__in=away).update(withdrawn_at=at)
    for member_id in away:
        Absence.objects.get_or_create(
            match=match,
            member_id=member_id,
            withdrawn_at=None,
            defaults={"noted_at": at, "justified": match.justified},
        )
