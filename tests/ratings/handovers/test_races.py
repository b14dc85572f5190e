"""A club withdraws or hands over again while a correction of its results is delivered."""

from __future__ import annotations

import pytest
from django.db import transaction

from clubs.journal import chain as journal
from ratings.handovers import actions as handovers
from tests.pairings.matches.test_lock_order import after_the_first_entry
from tests.ratings.handovers.test_handovers import competition, scene, send

__all__ = ["after_the_first_entry", "scene"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("then", ["withdrawn", "handed over again"])
def test_an_act_of_the_club_waits_for_the_delivery_of_a_correction(
    transactional_db, scene, after_the_first_entry, then
):
    """Closing a tournament once more writes its own entry, and then delivers what changed."""
    sent, how = send(scene, (400, 350)), {"by": scene.club.committee, "at": scene.at}

    @transaction.atomic
    def close_again():
        journal.note(scene.club.evening, "tournament_closed", **how)
        handovers.follow(competition=competition(scene, (400, 300)), **how)

    acts = {
        "withdrawn": lambda: handovers.withdraw(
            handover=sent, seen=sent.version, reason="faux", **how
        ),
        "handed over again": lambda: send(scene, (400, 310)),
    }
    answers = after_the_first_entry(close_again, acts[then])
    assert answers == ["ok", "stale" if then == "withdrawn" else "ok"]
