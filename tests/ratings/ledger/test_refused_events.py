"""What a system cannot rate is said in the language of who asked."""

from __future__ import annotations

from datetime import date

import pytest
from django.utils import translation

from ratings.ledger.posting import LedgerRefused
from ratings.ledger.propagation import changes_of
from ratings.systems import system
from ratings.systems.protocol import EVENT, Event, Game


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("fr", "Parties non officielles"),
        ("en", "Unofficial games"),
    ],
)
def test_games_that_are_not_official_are_refused_in_the_readers_language(language, words):
    event = Event("e", date(2026, 11, 20), games=(Game("", 1, 2, 2),))
    with translation.override(language), pytest.raises(LedgerRefused, match=words):
        changes_of(system("fesa")(), {}, event, EVENT)
