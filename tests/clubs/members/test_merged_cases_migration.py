"""The migration that gives the cases of guests merged before it to the member they are."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from clubs.journal import chain as journal
from clubs.members.models import Member
from clubs.sanctions import actions as sanctions
from clubs.sanctions.models import Sanction
from tests.clubhouse import make_club
from tests.migrated import to_the_newest

BEFORE = ("clubs", "0029_facts_of_the_journal")


@pytest.mark.django_db(transaction=True)
def test_a_decided_case_of_a_merged_guest_is_the_members_and_the_way_back_keeps_it():
    club = make_club("avant", size=4)
    first, second, kept, other = club.members
    how = {"by": club.committee, "at": club.at}

    def dismissed(member, key):
        case = sanctions.propose(member=member, trigger_key=key, grounds={}, **how)
        return sanctions.dismiss(sanction=case, reason="vu", **how)

    decided = [dismissed(first, "absence:1"), dismissed(second, "absence:2")]
    twice = dismissed(first, "absence:3")
    again = sanctions.propose(member=kept, trigger_key="absence:3", grounds={}, **how)
    apart = dismissed(other, "absence:1")
    Member.objects.filter(pk=first.pk).update(merged_into=second)
    Member.objects.filter(pk=second.pk).update(merged_into=kept)
    whose = Sanction.objects.order_by("pk").values_list("pk", "member")
    was = list(whose)
    MigrationExecutor(connection).migrate([BEFORE])
    try:
        assert list(whose.all()) == was
    finally:
        to_the_newest()
    moved = {case.pk: kept.pk for case in (*decided, again)}
    assert dict(whose.all()) == {**moved, twice.pk: first.pk, apart.pk: other.pk}
    assert not list(journal.verify(club.organisation))
