"""A club of nine with a tournament to direct, and who directs it."""

from __future__ import annotations

import pytest

from tests.clubhouse import make_club


@pytest.fixture
def house(db):
    return make_club("tournoi", size=9)


@pytest.fixture
def director(house, as_user):
    return as_user(house.committee.user)
