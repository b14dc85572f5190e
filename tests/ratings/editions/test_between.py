"""Two days of a list side by side: who moved, entered and left, published or not."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from django.utils.html import strip_tags

from clubs.members.models import Member
from ratings.editions import actions as editions
from ratings.editions import freezing, views_between
from ratings.ledger import corrections, settlement
from ratings.systems.columns import ListRow, ListTable
from tests.ratings.lists.test_views import held_list, plain, rated

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(club):
    held = held_list(club, "absp")
    people = [str(member) for member in club.members[:3]]
    starts = [["joueur", "cote", "parties"], *([name, "100", "20"] for name in people[:2])]
    rated(club, held, starts, "starts", date(2026, 1, 1))
    for day, rows in ((10, [people[:2]]), (20, [people[:2], [people[0], people[2]]])):
        games = [["joueur 1", "joueur 2", "résultat"], *([*pair, "1"] for pair in rows)]
        rated(club, held, games, "games", date(2026, 2, day))
    return f"/c/faizers/cotes/{held.slug}/comparer/"


@pytest.mark.parametrize(("rank", "shared", "changed"), [(1, True, 0), (1, False, 1), (2, True, 1)])
def test_who_no_longer_shares_a_place_has_another_line(rank, shared, changed):
    one, other = (
        ListTable((), (ListRow(1, "A", *place),)) for place in ((1, True), (rank, shared))
    )
    assert freezing.difference(one, other).players == changed


def test_the_second_day_is_compared_with_the_first(
    club, client, page, django_assert_max_num_queries
):
    with django_assert_max_num_queries(14):
        answer = client.get(page + "?du=2026-02-10&au=2026-02-20")
    first, other, new = (member.full_name for member in club.members[:3])
    assert [line.name for line in answer.context["moved"]] == [first, other]
    assert [row.name for row, _section in answer.context["entered"]] == [new]
    assert "2 lignes changées" in plain(answer) and "1 joueur entre" in plain(answer)
    before = client.get(page + "?du=2026-01-01&au=2026-02-10")
    assert not before.context["entered"] and before.context["total"] == 2


def test_who_passes_to_another_part_of_the_list_is_counted_once_with_both_parts_named(club, client):
    held = held_list(club, "fisf")
    people = [str(member) for member in club.members[:2]]
    starts = [["joueur", "cote", "parties"], *([name, "1500", "40"] for name in people)]
    rated(club, held, starts, "starts", date(2026, 1, 1))
    games = [["joueur 1", "joueur 2", "résultat"], [*people, "1"]]
    rated(club, held, games, "games", date(2026, 2, 10))
    second = rated(club, held, games, "games", date(2026, 2, 20))
    answer = client.get(f"/c/faizers/cotes/{held.slug}/comparer/?du=2026-02-10&au=2026-02-20")
    words = " ".join(strip_tags(plain(answer)).split())
    assert f"{people[0]} rang 1 (Classement)" in words
    assert f"{people[0]} était au rang 1 (Cotes provisoires)" in words

    by = {"by": club.committee, "at": club.at}
    edition = editions.publish(
        organisation=club.organisation, rating_list=held, title="Février", **by
    )
    gone = corrections.remove_event(second)
    settlement.apply(rating_list=held, correction=gone, reason="non homologuée", **by)
    assert editions.corrected_since(edition) == len(edition.rows) == 2


def test_a_day_without_a_competition_changes_nothing(client, page):
    answer = client.get(page + "?du=2026-02-11&au=2026-02-19")
    assert not answer.context["changed"]
    assert "Aucune différence" in plain(answer)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("du=2026-02-20&au=2026-02-20", "La seconde date doit venir après la première."),
        ("du=2026-02-20&au=2026-02-10", "La seconde date doit venir après la première."),
        ("du=demain&au=2026-02-10", "Saisissez une date valide"),
        ("du=2026-02-10", "Ce champ est obligatoire"),
        ("du=0001-01-01&au=2026-02-10", "Donnez une date entre 1950 et 2100."),
        ("du=2026-02-10&au=9999-12-31", "Donnez une date entre 1950 et 2100."),
    ],
)
def test_days_that_make_no_period_are_refused_next_to_the_field(client, page, query, said):
    answer = client.get(f"{page}?{query}")
    assert answer.status_code == 422 and said in plain(answer)


def test_it_names_players_as_they_chose(club, client, page):
    Member.objects.filter(pk=club.members[0].pk).update(visibility=Member.MEMBERS)
    words = plain(client.get(page + "?du=2026-02-10&au=2026-02-20"))
    assert club.members[0].full_name not in words and "P.N." in words


def test_one_address_compares_so_many_days_and_then_waits(client, page, monkeypatch):
    monkeypatch.setattr(views_between, "COMPARISONS", replace(views_between.COMPARISONS, amount=2))
    for _time in range(2):
        assert client.get(page).status_code == 200
    answer = client.get(page)
    assert answer.status_code == 429 and int(answer["Retry-After"]) > 0
