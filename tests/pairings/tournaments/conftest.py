"""A club of nine with a tournament to direct, and who directs it."""

from __future__ import annotations

import pytest

from tests.clubhouse import make_club


@pytest.fixture
def house(request, db):
    """As a module's fixture `begun` leaves it, where a test asks for what that has made."""
    if "begun" in request.fixturenames:
        return request.getfixturevalue("begun")[0]
    return make_club("tournoi", size=9)


@pytest.fixture
def director(house, as_user):
    return as_user(house.committee.user)
