"""The committee's list of sanctions: what waits is always on it, what is decided on one of its pages."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clubs.sanctions.models import Sanction
from pairings.absences import views

pytestmark = pytest.mark.django_db


def test_a_case_that_waits_is_shown_however_many_came_after_it(club, desk, monkeypatch):
    monkeypatch.setattr(views, "PAGE", 2)

    def case(number, **changes):
        return Sanction.objects.create(
            member=club.members[0],
            trigger_key=f"{number}",
            proposed_at=club.at + timedelta(days=number),
            **changes,
        )

    imposed = {"status": Sanction.Status.IMPOSED, "reason": "abus", "decided_at": club.at}
    waiting = case(0)
    appealed = case(1, **imposed, appealed_at=club.at, appeal_text="malade")
    unfounded = case(2, **imposed, unfounded_at=club.at)
    case(3, **imposed, appealed_at=club.at, appeal_answer="non")
    last = case(4, status=Sanction.Status.DISMISSED, reason="r", decided_at=club.at)
    url = "/c/faizers/arbitrage/sanctions/"
    first, second = (desk.get(f"{url}?page={number}").context for number in (1, 2))
    for shown in (first, second):
        assert list(shown["proposed"]) == [waiting]
        assert list(shown["appealed"]) == [appealed]
        assert list(shown["unfounded"]) == [unfounded]
    assert first["page"][0] == last and list(second["page"]) == [unfounded, appealed]
