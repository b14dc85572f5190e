"""A result sent from a page that did not know the one sent before: read first, then replaced."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from tests.plugins.clock import NOW
from tests.tournament_day import frozen, publish

pytestmark = pytest.mark.django_db


def known(page) -> dict[str, str]:
    """The hidden fields of the entry form."""
    form = re.search(r"<form[^>]*/saisir/.*?</form>", page.content.decode(), re.DOTALL)
    assert form is not None
    fields = re.findall(r'<input type="hidden" name="(\w+)"\s+value="([^"]*)"', form[0])
    return {name: value for name, value in fields if name != "csrfmiddlewaretoken"}


@pytest.fixture
def two_tabs(club, as_user):
    """Two pages of one player, both read before anything was sent, and the match."""
    match, (player, _other) = club.match()
    client, address = as_user(player.user), f"/matchs/{match.pk}/saisir/"
    return client, address, [known(client.get(address)) for _tab in range(2)], match


def test_an_older_page_asks_before_it_replaces_what_was_sent(two_tabs):
    client, address, (first, older), match = two_tabs
    client.post(address, first | {"mine": "400", "theirs": "350"})
    answer = client.post(address, older | {"mine": "410", "theirs": "350"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "vous avez envoyé 400 – 350" in page
    assert "Remplacer 400 – 350 par ce résultat" in page and "Garder 400 – 350" in page
    assert 'value="410"' in page
    assert page.count("data-autofocus") == 1, (
        "one message has the focus: nothing is to be corrected"
    )
    assert Match.objects.get(pk=match.pk).first_score == 400
    client.post(address, known(answer) | {"mine": "410", "theirs": "350"})
    assert Match.objects.get(pk=match.pk).first_score == 410


def test_the_same_result_from_an_older_page_does_not_begin_the_window_again(two_tabs):
    client, address, (first, older), match = two_tabs
    client.post(address, first | {"mine": "400", "theirs": "350"})
    until = Match.objects.get(pk=match.pk).contest_until
    with time_machine.travel(NOW + timedelta(minutes=1), tick=False):
        again = client.post(address, older | {"mine": "400", "theirs": "350"})
    assert again.status_code == 302
    assert Match.objects.get(pk=match.pk).contest_until == until
    assert match.submissions.count() == 1


def test_a_photo_that_comes_with_the_same_result_is_not_lost(club):
    match, (player, _other) = club.match()
    scores = (400, 350)
    match_actions.submit(match=match, by=player, scores=scores, at=club.at, version=0)
    match_actions.submit(
        match=match, by=player, scores=scores, at=club.at, version=0, photo="sheet.jpg"
    )
    assert match.submissions.filter(photo="sheet.jpg").exists()


def test_what_a_phone_kept_without_a_network_asks_too(two_tabs):
    client, address, (first, kept), match = two_tabs
    client.post(address, first | {"mine": "400", "theirs": "350"})
    del kept["version"]  # kept before the page carried one
    sent = kept | {"mine": "410", "theirs": "350"}
    answer = client.post(address, sent, headers={"X-Outbox": "1"})
    assert answer.status_code == 422
    assert Match.objects.get(pk=match.pk).first_score == 400


def test_who_corrects_from_a_page_that_shows_what_was_sent_is_not_asked(two_tabs):
    client, address, (first, _older), match = two_tabs
    client.post(address, first | {"mine": "400", "theirs": "350"})
    shown = known(client.get(address))
    assert client.post(address, shown | {"mine": "410", "theirs": "350"}).status_code == 302
    assert Match.objects.get(pk=match.pk).first_score == 410


def test_games_are_asked_about_likewise(club, as_user):
    tournament = frozen(club, 8, rules={"winning_games": 2})
    board = publish(club, tournament, 1).matches.get(table_number=1)
    player = board.first.user
    client = as_user(player)
    address = reverse("pairings:result_enter", kwargs={"match_id": board.pk})
    first, older = known(client.get(address)), known(client.get(address))
    games = {"mine1": "400", "theirs1": "350", "mine2": "410", "theirs2": "360"}
    client.post(address, first | games)
    answer = client.post(address, older | games | {"mine2": "420"})
    page = answer.content.decode()
    assert answer.status_code == 422 and "vous avez envoyé 400–350, 410–360" in page
    assert Match.objects.get(pk=board.pk).games == [[400, 350], [410, 360]]
    client.post(address, known(answer) | games | {"mine2": "420"})
    assert Match.objects.get(pk=board.pk).games == [[400, 350], [420, 360]]
