"""What a player of a tournament reads under the two scores before they send them."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from pairings.matches.models import Match
from tests.clubhouse import make_club
from tests.tournament_day import frozen, publish

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("system", "language", "win", "draw"),
    [
        ("formule_classique", "en", "You: 3 PM. {name}: 1 PM.", "2 PM each."),
        ("swiss", "en", "You: 1 win. {name}: 0 wins.", "0.5 win each."),
        ("swiss", "ro", "Dumneavoastră: 1 victorie. {name}: 0 victorii.", "0,5 victorie fiecare."),
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
