"""The card of "Ma soirée": one state, one template."""

from __future__ import annotations

import inspect
import re

from django.conf import settings

from pairings.evenings import player_card
from pairings.evenings.views import player

CARDS = settings.BASE_DIR / "templates/pairings/evenings/cards"


def test_each_state_of_the_card_has_its_template_and_each_template_its_state():
    source = inspect.getsource(player_card) + inspect.getsource(player._card_context)
    states = set(re.findall(r'(?:Card\(|: |else |state = )"(\w+)"', source)) | {"stranger"}
    assert states == {path.stem for path in CARDS.glob("[a-z]*.html")}
