"""Edits of a member's row that meet a choice or a departure of the same moment."""

from __future__ import annotations

import pytest

from clubs.members import actions as members
from clubs.members.models import Member
from tests.pairings.matches.test_races import together

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 6


@pytest.fixture
def club(transactional_db):
    from tests.clubhouse import make_club

    return make_club("faizers", size=2)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_a_correction_against_a_choice_keeps_both(club, _round):
    member, how = club.members[0], {"by": club.committee, "at": club.at}
    rows = [Member.objects.get(pk=member.pk) for _act in range(2)]
    answers = together(
        lambda: members.edit(member=rows[0], changes={"email": "ana@example.org"}, **how),
        lambda: members.edit(member=rows[1], changes={"visibility": Member.INITIALS}, **how),
    )
    assert answers == ["ok", "ok"]
    member.refresh_from_db()
    assert (member.email, member.visibility) == ("ana@example.org", Member.INITIALS)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_a_correction_against_a_departure_brings_no_name_back(club, _round):
    member, how = club.members[0], {"by": club.committee, "at": club.at}
    rows = [Member.objects.get(pk=member.pk) for _act in range(2)]
    answers = together(
        lambda: members.edit(member=rows[0], changes={"last_name": "Revenante"}, **how),
        lambda: members.leave(member=rows[1], forget=True, **how),
    )
    assert answers[0] in ("ok", "stale") and answers[1] == "ok"
    assert Member.objects.get(pk=member.pk).full_name == f"Joueur retiré {member.number}"
