"""The calculator of a collective game: what each place would give."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from clubs.members.models import Member
from ratings.competitions.files.import_files import PLACINGS
from ratings.ledger.models import StandingCote
from ratings.lists import calculator
from ratings.systems.protocol import Event, Placing, State, frozen
from ratings.systems.romania.system import Romania
from tests.ratings.lists.test_views import held_list, plain, rated

KIND = "compunere"
DAY = date(2026, 3, 9)


@pytest.mark.parametrize("place", [1, 2, 3])
def test_001_6_each_place_is_what_the_settled_game_would_give(place):
    rules = Romania()
    states = {
        name: rules.sample(rating, 5, now=9)
        for name, rating in zip("abc", (170, 150, 130), strict=True)
    }
    order = [name for name in "abc" if name != "a"]
    order.insert(place - 1, "a")
    placings = tuple(Placing(name, n) for n, name in enumerate(order, start=1))
    event = Event("e", DAY, 9, placings=placings, facts=frozen({"list_kind": KIND}))
    (settled,) = (change for change in rules.settle(states, event) if change.player == "a")
    changes = calculator.by_place(rules, states["a"], 140, 3, kind=KIND, on=DAY, sequence=9)
    assert changes[place - 1][1].after == settled.after


def test_001_6_the_first_and_the_last_place_are_50_points_from_the_value():
    changes = calculator.by_place(Romania(), State(None), 150, 21, kind=KIND, on=DAY)
    ratings = [change.after.rating for _points, change in changes]
    assert ratings == [points for points, _change in changes]
    assert (ratings[0], ratings[10], ratings[-1]) == (200, 150, 100)
    assert len(changes) == 21 and ratings == sorted(ratings, reverse=True)


@pytest.fixture
def held(club):
    held = held_list(club, "romania", KIND)
    people = [str(member) for member in club.members[:4]]
    for day in (1, 2, 3):
        sheet = [["place", "joueur"], *([str(n), name] for n, name in enumerate(people, start=1))]
        rated(club, held, sheet, PLACINGS, date(2026, 3, day))
    return held


@pytest.mark.django_db
def test_a_player_of_the_list_brings_their_own_games(club, client, held):
    first = club.members[0]
    own = client.get(f"/c/faizers/joueurs/{first.address}/cotes/{held.slug}/")
    page = f"/c/faizers/cotes/{held.slug}/calculateur/?joueur={first.address}"
    assert f'href="{page}"' in own.content.decode()
    answer = client.get(f"{page}&players=5&others=150")
    state = StandingCote.objects.get(rating_list=held, member=first).state
    window = [(int(number), Fraction(p["fraction"])) for number, p in state["extra"]["window"]]
    rules, value = Romania(), (Fraction(state["rating"]["fraction"]) + 4 * 150) / 5
    wanted = rules.mean_of([*window, (4, value + 50)], 4, 18)
    rows = answer.context["rows"]
    assert len(rows) == 5 and rows[0]["after"] == rules.shown_value(wanted)
    assert first.full_name in plain(answer) and 'name="rating"' not in answer.content.decode()


@pytest.mark.django_db
def test_an_invented_player_needs_numbers_and_keeps_what_was_typed(client, held):
    page = f"/c/faizers/cotes/{held.slug}/calculateur/"
    assert client.get(page).status_code == 200
    answer = client.get(f"{page}?rating=160&games=10&players=20&others=150")
    deltas = [row["delta"] for row in answer.context["rows"]]
    assert deltas[0] > 0 > deltas[-1] and deltas == sorted(deltas, reverse=True)
    wrong = client.get(f"{page}?rating=160&games=10&players=1&others=150")
    assert wrong.status_code == 422 and 'value="160"' in wrong.content.decode()


@pytest.mark.django_db
def test_a_player_who_hides_is_not_calculated_for_strangers(club, client, held):
    Member.objects.filter(pk=club.members[0].pk).update(visibility=Member.INITIALS)
    address = club.members[0].public_id
    page = f"/c/faizers/cotes/{held.slug}/calculateur/?joueur={address}&players=5&others=150"
    assert client.get(page).status_code == 404
