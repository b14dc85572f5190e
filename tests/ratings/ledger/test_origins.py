"""A period knows where it comes from by its columns; nobody reads or types its key."""

from __future__ import annotations

import re
from datetime import date

import pytest
from django.db import IntegrityError, transaction

from ratings.ledger import origins, settlement
from ratings.ledger.models import Period
from ratings.ledger.origins import OriginKind
from tests.our_code import APPS, modules

DAY = date(2026, 11, 20)


@pytest.fixture
def held(club):
    return settlement.list_of(club.organisation, "fisf")


def test_a_period_is_opened_once_for_its_origin(held):
    one, two = (
        settlement.open_period(
            rating_list=held, origin=origins.tournament(5, 2), label=f"{n}", held_on=DAY
        )
        for n in range(2)
    )
    assert (one, one.key, one.origin_part) == (two, "tournament:5:2", 2)
    with pytest.raises(IntegrityError), transaction.atomic():
        Period.objects.create(
            rating_list=held,
            key="other",
            label="x",
            held_on=DAY,
            **origins.tournament(5, 2).columns(),
        )


@pytest.mark.parametrize(
    "columns", [{"origin": "evening"}, {"origin_id": 4}, {"origin": "named", "origin_id": 4}]
)
def test_the_database_refuses_half_an_origin(held, columns):
    with pytest.raises(IntegrityError), transaction.atomic():
        Period.objects.create(rating_list=held, key="x", label="x", held_on=DAY, **columns)


def test_periods_are_found_by_origin_and_by_any_part(held):
    first, second = (
        settlement.open_period(
            rating_list=held, origin=origins.tournament(5, part), label="x", held_on=DAY
        )
        for part in (1, 2)
    )
    settlement.open_period(rating_list=held, origin=origins.evening(5), label="x", held_on=DAY)
    found = Period.objects.order_by("pk")
    assert list(found.opened_for(origins.tournament(5))) == [first]
    assert list(found.opened_for_any_part(origins.tournament(5))) == [first, second]
    assert found.opened_for(origins.tournament(5), origins.evening(5)).count() == 2
    assert not found.opened_for().exists()
    assert all(p.origin in origins.PLAYED_ON_THE_SITE for p in found)


def test_the_key_of_an_origin_is_written_in_one_module():
    kinds = "|".join(kind.value for kind in OriginKind if kind is not OriginKind.NAMED)
    typed = re.compile(rf"""(?<!subject=)(?<!subject=f)["'](?:{kinds}):""")
    for path in modules(APPS):
        assert not typed.search(path.read_text("utf-8")), path
