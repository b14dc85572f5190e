"""The migration that lets rows merged before it show as much as the row that was kept."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from clubs.members.models import Member
from tests.clubhouse import make_club
from tests.migrated import to_the_newest

BEFORE = ("clubs", "0026_long_corrections")


@pytest.mark.django_db(transaction=True)
def test_rows_that_were_merged_show_what_the_member_chose_and_the_way_back_keeps_it():
    first, second, kept, other = make_club("avant", size=4).members
    Member.objects.filter(pk=first.pk).update(merged_into=second)
    Member.objects.filter(pk=second.pk).update(merged_into=kept)
    Member.objects.filter(pk=kept.pk).update(visibility=Member.INITIALS, is_minor=True)
    shown = Member.objects.order_by("pk").values_list("visibility", "is_minor")
    MigrationExecutor(connection).migrate([BEFORE])
    try:
        assert shown.get(pk=first.pk) == (Member.EVERYBODY, False)
    finally:
        to_the_newest()
    three = shown.filter(pk__in=(first.pk, second.pk, kept.pk))
    assert list(three) == [(Member.INITIALS, True)] * 3
    assert shown.get(pk=other.pk) == (Member.EVERYBODY, False)
