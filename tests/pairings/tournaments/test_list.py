"""The list of tournaments: what runs and comes, and every past one on one of its pages."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clubs.ui.french import unbroken, written
from pairings.tournaments.models import Tournament
from pairings.tournaments.views import public
from tests.tournament_day import make_tournament

pytestmark = pytest.mark.django_db


def test_every_past_tournament_is_on_one_page_of_the_list(club, client, monkeypatch):
    monkeypatch.setattr(public, "PAGE", 2)
    coming, *past = (make_tournament(club, 0, name=f"Open {number}") for number in range(4))
    for number, tournament in enumerate(past, start=1):
        tournament.held_on -= timedelta(days=number)
        tournament.state = Tournament.State.CLOSED
        tournament.frozen_at = tournament.closed_at = club.at
        tournament.save()
    url = f"/c/{club.organisation.slug}/tournois/"
    pages = [client.get(f"{url}?page={number}") for number in (1, 2)]
    assert [list(page.context["page"]) for page in pages] == [past[:2], past[2:]]
    assert all(list(page.context["coming"]) == [coming] for page in pages)
    assert 'href="?page=2"' in pages[0].content.decode()


def test_a_tournament_of_several_days_is_listed_and_managed_with_its_last_day(club, as_user):
    last = club.at.date() + timedelta(days=70)
    made = make_tournament(club, 0, ends_on=last)
    root, said = f"/c/{club.organisation.slug}", f"– {unbroken(written(last, 'j F Y'))}"
    for page in (f"{root}/", f"{root}/tournois/"):
        assert said in as_user().get(page).content.decode()
    managed = as_user(club.committee.user).get(f"{root}/gestion/tournois/{made.slug}/")
    assert said.removeprefix("– ") in managed.content.decode()
