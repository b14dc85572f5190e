"""What a player of a tournament reads under the two scores before they send them."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from django.utils import translation

from pairings.matches.models import Match
from pairings.tournaments.wording import points_words
from tests.clubhouse import make_club
from tests.tournament_day import frozen, publish

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("system", "language", "win", "draw"),
    [
        ("formule_classique", "en", "You: 3 PM. {name}: 1 PM.", "2 PM each."),
        ("swiss", "en", "You: 1 win. {name}: 0 wins.", "0.5 wins each."),
        ("swiss", "ro", "Dumneavoastră: 1 victorie. {name}: 0 victorii.", "0,5 victorii fiecare."),
    ],
)
def test_each_count_of_wins_agrees_with_its_noun(as_user, system, language, win, draw):
    house = make_club("scores", size=8)
    publish(house, frozen(house, 8, system=system, round_count=4), 1)
    match = Match.objects.filter(round__isnull=False).order_by("pk")[0]
    match.first.user.language = language
    match.first.user.save()
    address = reverse("pairings:result_enter", kwargs={"match_id": match.pk})
    page = as_user(match.first.user).get(f"/c/scores{address}").content.decode()
    said = dict(re.findall(r'data-detail-(\w+)="([^"]*)"', page))
    assert said["win"] == win.format(name=match.second.first_name)
    assert said["draw"] == draw


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("fr", "0 victoire, 0,5 victoire, 1 victoire, 1,5 victoire, 2 victoires, 2,5 victoires"),
        ("en", "0 wins, 0.5 wins, 1 win, 1.5 wins, 2 wins, 2.5 wins"),
        ("ro", "0 victorii, 0,5 victorii, 1 victorie, 1,5 victorii, 2 victorii, 2,5 victorii"),
    ],
)
def test_french_counts_from_two_and_only_one_is_singular_elsewhere(language, said):
    made = frozen(make_club("demis", size=8), 8, system="swiss", round_count=4)
    with translation.override(language):
        assert ", ".join(points_words(made, half / 2) for half in range(6)) == said
