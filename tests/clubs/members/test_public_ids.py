"""The migration that gives a public id to people who were there before it, and its way back."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from clubs.members.models import PUBLIC_ID_LENGTH, Member
from tests.clubhouse import make_club
from tests.migrated import to_the_newest

BEFORE = ("clubs", "0009_suspensions_by_evenings")


def migrate_to(target: tuple[str, str]):
    executor = MigrationExecutor(connection)
    executor.migrate([target])
    return executor.loader.project_state([target]).apps.get_model("clubs", "Member")


@pytest.mark.django_db(transaction=True)
def test_everybody_there_before_gets_an_id_of_their_own_and_the_way_back_keeps_them():
    make_club("avant", size=3)
    names = dict(Member.objects.values_list("pk", "slug"))
    try:
        older = migrate_to(BEFORE)
        assert "public_id" not in {field.name for field in older._meta.get_fields()}
        assert dict(older.objects.values_list("pk", "slug")) == names
    finally:
        to_the_newest()
    ids = dict(Member.objects.values_list("pk", "public_id"))
    assert ids.keys() == names.keys()
    assert len(set(ids.values())) == len(names)
    assert {len(one) for one in ids.values()} == {PUBLIC_ID_LENGTH}
