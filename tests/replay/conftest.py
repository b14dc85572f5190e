"""The register with one fake system of each reach beside the real ones."""

import pytest

from clubs.rulebooks import actions as rulebook
from ratings import systems
from tests.replay.lists import FAKES


@pytest.fixture
def fakes(monkeypatch):
    monkeypatch.setattr(systems, "SYSTEMS", (*systems.SYSTEMS, *FAKES))
    monkeypatch.setattr(rulebook, "_SCOPES", dict(rulebook._SCOPES))
    for fake in FAKES:
        rulebook.declare(fake.code, fake.label, "cote", fake)
