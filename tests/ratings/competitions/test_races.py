"""Two officers at one desk."""

from __future__ import annotations

import pytest

from ratings.competitions import actions as competitions
from ratings.ledger.models import RatingList
from tests.clubhouse import make_club
from tests.pairings.matches.test_races import while_open

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def federation(transactional_db):
    return make_club("federation", size=2)


def test_two_officers_who_open_one_list_open_it_once(federation):
    details = {"system": "absp", "kind": "", "name": "ABSP", "category": ""}
    how = {"organisation": federation.organisation, "by": federation.committee}

    def open_list():
        competitions.create_list(at=federation.at, **details, **how)

    assert while_open(open_list, open_list) == ["ok", "list_exists"]
    assert RatingList.objects.filter(slug="absp").count() == 1
