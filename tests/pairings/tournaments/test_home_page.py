"""A tournament's home and wall on another day than it was played, and what a player has announced."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine

from pairings.tournaments import closing, registration
from tests.pages import words
from tests.tournament_day import entry_of, frozen, make_tournament, publish, round_of

pytestmark = pytest.mark.django_db


def test_a_round_published_ahead_is_not_being_played(house, as_user):
    made = frozen(house, 6, system="swiss", round_count=3)
    begins = house.at + timedelta(days=3)
    made.rounds.filter(number=1).update(starts_at=begins)
    publish(house, made, 1)
    client = as_user()
    page = words(client.get(made.get_absolute_url()))
    assert "La ronde 1 est publiée" in page
    assert "Elle se joue le lundi 23 novembre à 20:00." in page
    assert "La ronde 1 se joue" not in page and "en cours</span>" not in page
    with time_machine.travel(begins - timedelta(hours=1), tick=False):
        assert "La ronde 1 se joue" in words(client.get(made.get_absolute_url()))


def test_a_round_whose_day_is_over_is_not_promised(house, as_user):
    made = frozen(house, 6, system="swiss", round_count=3)
    client = as_user()
    assert "Elle sera publiée vers 21:00." in words(client.get(made.get_absolute_url()))
    with time_machine.travel(house.at + timedelta(days=100), tick=False):
        page = words(client.get(made.get_absolute_url()))
    assert "Elle était prévue le vendredi 20 novembre à 21:00." in page
    assert "sera publiée" not in page


def test_a_player_reads_what_they_have_announced(house, as_user):
    made = frozen(house, 6, system="swiss", round_count=3)
    player = house.members[0]
    home, client = made.get_absolute_url(), as_user(player.user)
    assert "Je ne peux pas jouer la prochaine ronde" in words(client.get(home))
    own = {"entry": entry_of(made, player), "number": 1, "by": house.player(player), "at": house.at}
    registration.set_presence(present=False, **own)
    page = words(client.get(home))
    assert "Votre absence à la ronde 1 est notée." in page and "Je serai là à la ronde 1" in page
    registration.withdraw(**own)
    page = words(client.get(home))
    assert "Vous avez abandonné à partir de la ronde 1." in page
    assert "Je reviens à la prochaine ronde" in page and "Je ne peux pas" not in page


def test_a_player_reads_of_a_double_forfeit_what_everybody_reads(house, as_user):
    made = frozen(house, 6, system="swiss", round_count=3)
    match = publish(house, made, 1).matches.first()
    house.mark_absent(match, "both")
    page = words(as_user(match.first.user).get(made.get_absolute_url()))
    assert "double forfait" in page and "annulé" not in page


def test_the_wall_of_a_cancelled_tournament_says_so(house, as_user):
    coming = make_tournament(house, 6, system="swiss", round_count=3)
    planned = frozen(house, 6, name="Coupe", system="swiss", round_count=3)
    for one in (coming, planned):
        closing.cancel(tournament=one, reason="salle fermée", by=house.committee, at=house.at)
        for part in ("", "?partie=horloge"):
            wall = words(as_user().get(f"{one.get_absolute_url()}ecran/{part}"))
            assert "Ce tournoi est annulé." in wall and "prévue" not in wall
            assert "Début du tournoi" not in wall and "Ronde 1" not in wall
    assert round_of(planned, 1).state == "planned"
