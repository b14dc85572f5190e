"""Two clubs on one site."""

import pytest

from tests.clubhouse import Clubhouse, make_club


@pytest.fixture
def club(db) -> Clubhouse:
    return make_club("faizers")


@pytest.fixture
def other_club(db) -> Clubhouse:
    return make_club("voisins", size=4)
