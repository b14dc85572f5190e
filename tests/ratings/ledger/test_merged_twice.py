"""Two rows of one person are merged once, whichever is kept."""

from __future__ import annotations

import pytest

from clubs.members.models import Member
from ratings.ledger import settlement
from ratings.ledger.models import RatingList
from tests.refusals import refused

pytestmark = pytest.mark.django_db


def test_rows_of_a_club_without_lists_are_not_merged_into_each_other(club):
    """No list refuses it there: the second act has read both rows before the first one."""
    assert not RatingList.objects.filter(organisation=club.organisation).exists()
    one, other = club.members[:2]
    how = {"by": club.committee, "at": club.at, "reason": "la même"}
    read = Member.objects.in_bulk([one.pk, other.pk])
    settlement.merge_member(member=one, into=other, **how)
    with refused("already_merged"):
        settlement.merge_member(member=read[other.pk], into=read[one.pk], **how)
    assert Member.objects.get(pk=other.pk).merged_into_id is None
