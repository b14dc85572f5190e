"""Pages of an evening whose rule book keeps cotes with decimals (002 IV.A)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from clubs.sanctions.models import Sanction
from pairings.absences import actions as absences
from pairings.absences.views import cut_effect
from pairings.arbitration.forms import SanctionForm
from pairings.evenings.player_page import matches as own_matches
from pairings.matches import actions as matches
from pairings.ranking import live
from pairings.rules.match_state import Result
from ratings.ledger.models import LedgerEntry

pytestmark = pytest.mark.django_db


@pytest.fixture
def evening(club):
    """A running evening played by cotes with a decimal, the first match of which is confirmed."""
    club.close()
    club.rule_book({"cote": {"decimals": 1, "alpha": 0.2}})
    club.next_evening()
    _match, (first, _second) = club.played(scores=(400, 310))
    return first.member


def test_002_iv_a_every_page_prints_a_projected_cote_with_decimals(club, evening, as_user, root):
    """15 + 30 × 0.2 × 90/310: 1016.7 is printed 1017."""
    client = as_user(evening.user)
    for page in ("", "classement/", "ma-soiree/", f"joueurs/{evening.address}/"):
        assert client.get(f"{root}/{page}").status_code == 200, page
    rows = live.ranking(club.organisation, at=club.at, live=True).rows
    assert {row.member: row.projected for row in rows}[evening] == 1017
    club.close()
    assert LedgerEntry.objects.get(member=evening).shown_after == 1017


def test_002_iv_a_a_ruling_tells_the_cotes_as_they_are_printed(club, evening):
    match, (first, second) = club.entered(scores=(400, 310))
    assert match.competition.points_if_final(first.member)["projected"] == 1017
    matches.contest(match=match, by=second, at=club.at)
    match.refresh_from_db()
    verdict = Result("played", 390, 310)
    matches.decide(match=match, result=verdict, reason="feuille", by=club.arbiter, at=club.at)
    match.refresh_from_db()
    assert own_matches.ruling_for(match, first.member).cote == (1017, 1017)


def test_002_ii_a_2_a_cut_is_announced_from_the_cote_that_it_cuts(club, evening):
    """1016.7, printed 1017, less 1.5 % is 1001.45; the printed number less 1.5 % would be 1001.75."""
    club.close()
    sanction = Sanction.objects.create(member=evening, trigger_key="x", proposed_at=club.at)
    form = SanctionForm({"sessions": "0", "cut_percent": "1.5", "reason": "abus"})
    assert form.is_valid()
    assert cut_effect(sanction, form, at=club.at) == (1017, 1001)
    given = {"reason": "abus", "by": club.committee, "at": club.at}
    absences.impose(sanction=sanction, cut_percent=Decimal("1.5"), **given)
    cut = LedgerEntry.objects.get(member=evening, kind=LedgerEntry.ADJUSTED)
    assert (cut.shown_before, cut.shown_after) == (1017, 1001)
