"""The card of "Ma soirée": one state, one template."""

from __future__ import annotations

import inspect
import re

from django.conf import settings

from clubs.members import actions as members
from pairings.evenings import player_card
from pairings.evenings.views import player
from tests.clubhouse import account
from tests.plugins.clock import NOW

CARDS = settings.BASE_DIR / "templates/pairings/evenings/cards"


def test_each_state_of_the_card_has_its_template_and_each_template_its_state():
    source = inspect.getsource(player_card) + inspect.getsource(player._card_context)
    states = set(re.findall(r'(?:Card\(|: |else |state = )"(\w+)"', source)) | {"stranger"}
    assert states == {path.stem for path in CARDS.glob("[a-z]*.html")}


def test_a_member_who_has_not_come_yet_is_shown_how_to_note_their_arrival(club, as_user):
    late = members.create(
        organisation=club.organisation,
        first_name="Tard",
        last_name="Venu",
        by=club.committee,
        at=NOW,
    )
    members.link_account(member=late, user=account("tard"), by=club.committee, at=NOW)
    assert player_card.my_card(late, club.organisation, match=None, at=NOW).state == "arrive"
    page = as_user(late.user).get(f"/c/{club.organisation.slug}/ma-soiree/")
    assert page.status_code == 200 and "Je suis là" in page.content.decode()
