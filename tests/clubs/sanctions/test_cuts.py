"""A cut decided by the committee: the floor it stops at, on the page and in the ledger."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from clubs.sanctions.models import Sanction
from pairings.absences.views import cut_effect
from pairings.arbitration.forms import SanctionForm
from ratings.ledger import origins, settlement
from ratings.ledger.models import Period, StandingCote

pytestmark = pytest.mark.django_db


def rated(club, member, cote, *, key="start", held_on=None, position=0):
    """The member starts the club list at this cote."""
    rating_list = settlement.list_of(club.organisation, "faizers")
    period = settlement.open_period(
        rating_list=rating_list,
        key=key,
        label="départ",
        held_on=held_on or club.evening.held_on,
        position=position,
        kind=settlement.START,
        facts={"players": {str(member.pk): {"rating": cote}}},
    )
    settlement.settle(period=period, by=club.committee, at=club.at)


@pytest.mark.parametrize(
    ("floor", "cote", "after"),
    [(990, 1101, 991), (990, 1100, 990), (990, 1099, 990), (990, 1015, 990), (None, 1015, 1000)],
)
def test_a_cut_stops_at_the_floor_of_cuts_and_the_page_announces_it(club, floor, cote, after):
    club.rule_book({"pairing": {"rating_floor": floor}} if floor else {})
    member = club.members[0]
    rated(club, member, cote)
    sanction = Sanction.objects.create(member=member, trigger_key="x", proposed_at=club.at)
    form = SanctionForm({"sessions": "0", "cut_percent": "10", "reason": "abus"})
    assert form.is_valid()
    assert cut_effect(sanction, form, at=club.at) == (cote, after)
    club.impose(sanction, "abus", cut_percent=Decimal(10))
    assert StandingCote.objects.get(member=member).shown == after
    assert (
        Period.objects.get(origin="sanction", origin_id=sanction.pk).facts.get("cut_floor") == floor
    )


@pytest.mark.parametrize(
    ("periods", "days", "position", "after"),
    [
        ([], 0, 0, 1080),
        ([(-1, 5, 1500)], 0, 0, 1350),
        ([(0, 0, 1500)], 0, 1, 1350),
        ([(0, 3, 1500), (0, 2, 1400)], 0, 4, 1350),
        ([(1, 0, 1500)], 1, 1, 1350),
        ([(2, 1, 1500), (1, 7, 1400), (0, 9, 1300)], 2, 2, 1350),
    ],
)
def test_a_cut_stands_after_every_period_of_its_day_and_later(club, periods, days, position, after):
    """What is cut is the cote that the member reads when the committee decides."""
    member, held_on = club.members[0], club.evening.held_on
    rating_list = settlement.list_of(club.organisation, "faizers")
    rated(club, member, 1200, held_on=held_on - timedelta(days=9))
    for number, (later, place, cote) in enumerate(sorted(periods)):
        rated(
            club,
            member,
            cote,
            key=f"period:{number}",
            held_on=held_on + timedelta(days=later),
            position=place,
        )
    settlement.adjust(
        rating_list=rating_list,
        member=member,
        percent="10",
        origin=origins.sanction(1),
        label="Sanction",
        held_on=held_on,
        reason="abus",
        by=club.committee,
        at=club.at,
    )
    cut = Period.objects.get(kind="adjustment")
    assert (cut.held_on, cut.position) == (held_on + timedelta(days=days), position)
    assert rating_list.periods.in_order().last() == cut
    assert StandingCote.objects.get(member=member).shown == after
