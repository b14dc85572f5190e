"""The register with one fake system of each reach beside the real ones."""

import pytest

from clubs.registries import SCOPES
from clubs.rulebooks import actions as rulebooks
from ratings import systems
from tests.replay.lists import FAKES


@pytest.fixture
def fakes(monkeypatch):
    monkeypatch.setattr(systems, "SYSTEMS", (*systems.SYSTEMS, *FAKES))
    for fake in FAKES:
        monkeypatch.delitem(SCOPES, fake.code, raising=False)
        rulebooks.declare(fake.code, fake.label, "cote", fake)
