"""The page of a rated competition: places, crosstable, rounds, each player's change."""

from __future__ import annotations

from datetime import date

import pytest

from clubs.members.models import Member
from ratings.competitions.files.headings import GAMES
from ratings.competitions.files.import_files import PLACINGS
from ratings.ledger import corrections, settlement
from tests.ratings.lists.test_views import example, held_list, plain, rated

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(club):
    held, period = example(club)
    return f"/c/faizers/cotes/{held.slug}/competitions/{period.pk}/"


def test_places_by_points_stand_beside_each_change(client, page, django_assert_max_num_queries):
    client.get(page)
    with django_assert_max_num_queries(8):
        answer = client.get(page)
    rows = answer.context["rows"]
    assert rows[0]["name"] == "Joueur J0"
    assert (rows[0]["place"], rows[0]["points"], rows[0]["delta"]) == (1, 3, 15)
    assert [row["place"] for row in rows] == [1, 2, 2, 4, 4, 4]
    assert all(row["url"] for row in rows)
    assert "2 =" in plain(answer)


def test_the_places_can_be_sorted_by_the_change(client, page):
    rows = client.get(page + "?tri=-delta").context["rows"]
    moves = [row["delta"] for row in rows]
    assert moves == sorted(moves, reverse=True) and moves[0] == 15
    names = client.get(page + "?tri=name").context["rows"]
    assert [row["name"] for row in names] == [f"Joueur J{n}" for n in range(6)]


def test_the_grid_says_whom_each_player_met_in_each_round(client, page):
    answer = client.get(page + "?vue=grille")
    lines = {line["name"]: line for line in answer.context["lines"]}
    own = [cell[0]["text"] for cell in lines["Joueur J0"]["cells"]]
    assert own == ["−2", "+4", "+4", "−2", "+4"]
    assert [bool(cell) for cell in lines["Joueur J3"]["cells"]] == [
        False,
        False,
        True,
        False,
        False,
    ]
    assert lines["Joueur J0"]["cells"][1][0]["title"] == "Joueur J2"
    assert "R5" in plain(answer)


def test_the_rounds_are_read_one_at_a_time(client, page):
    last = client.get(page + "?vue=rondes")
    assert [chip["label"] for chip in last.context["chips"]] == ["1", "2", "3", "4", "5"]
    assert last.context["round"] == "5"
    third = client.get(page + "?vue=rondes&ronde=3").context["games"]
    assert [(game["first"], game["second"]) for game in third] == [("Joueur J0", "Joueur J3")]


def test_a_sheet_of_places_has_no_rounds_and_names_who_was_absent(club, client):
    held = held_list(club, "romania", "compunere")
    people = [str(member) for member in club.members[:4]]
    for day, there in ((1, people), (2, people[::-1]), (3, people[:3])):
        sheet = [["place", "joueur"], *([str(n), name] for n, name in enumerate(there, start=1))]
        period = rated(club, held, sheet, PLACINGS, date(2026, 3, day))
    answer = client.get(f"/c/faizers/cotes/{held.slug}/competitions/{period.pk}/?vue=grille")
    rows = answer.context["rows"]
    assert answer.context["tabs"] == []
    assert [(row["place"], row["absent"]) for row in rows] == [
        (1, False),
        (2, False),
        (3, False),
        (None, True),
    ]
    assert "absent, ses parties comptées ont changé" in plain(answer)


@pytest.mark.parametrize("kind", [PLACINGS, GAMES])
def test_somebody_merged_stands_under_the_person_that_they_are_now(club, client, kind):
    old, kept, other = club.members[:3]
    if kind == PLACINGS:
        held = held_list(club, "romania", "compunere")
        rows = [["place", "joueur"], ["1", str(old)], ["2", str(other)]]
    else:
        held = held_list(club, "fisf")
        rows = [["joueur 1", "joueur 2", "résultat"], [str(old), str(other), "1"]]
    period = rated(club, held, rows, kind)
    settlement.merge_member(
        member=old, into=kept, by=club.committee, at=club.at, reason="une seule personne"
    )
    answer = client.get(f"/c/faizers/cotes/{held.slug}/competitions/{period.pk}/")
    won = answer.context["rows"][0]
    assert (won["name"], won["place"], won["absent"]) == (kept.full_name, 1, False)
    assert won["after"] == held.cotes.get(member=kept).shown
    assert len(answer.context["rows"]) == 2 and old.full_name not in plain(answer)
    api = client.get(f"/c/faizers/api/v1/lists/{held.slug}/competitions/{period.pk}").json()
    first = api["items"][0]
    assert (first["player"]["name"], first["after"]) == (kept.full_name, won["after"])


def test_the_api_says_as_the_page_does_that_a_competition_was_taken_out(club, client):
    held = held_list(club, "romania", "compunere")
    rows = [["place", "joueur"], *([str(n), str(club.members[n])] for n in (1, 2))]
    period = rated(club, held, rows, PLACINGS)
    by = {"by": club.committee, "at": club.at, "reason": "non homologuée"}
    address = f"/c/faizers/api/v1/lists/{held.slug}/competitions"
    for correction, removed in (
        (corrections.remove_event(period), True),
        (corrections.restore_event(period), False),
    ):
        settlement.apply(rating_list=held, correction=correction, **by)
        assert client.get(address).json()["items"][0]["removed"] is removed
        assert client.get(f"{address}/{period.pk}").json()["removed"] is removed


def test_a_competition_shows_a_player_as_they_chose(club, client, page):
    hidden = Member.objects.get(last_name="J0")
    Member.objects.filter(pk=hidden.pk).update(visibility=Member.INITIALS)
    for view in ("", "?vue=grille", "?vue=rondes&ronde=1"):
        words = plain(client.get(page + view))
        assert "Joueur J0" not in words and "J.J." in words, view
    row = client.get(page).context["rows"][0]
    assert (row["name"], row["url"]) == ("J.J.", "")


def test_half_a_point_has_one_decimal(club, client):
    held = held_list(club, "glicko2")
    one, other = (str(member) for member in club.members[:2])
    sheet = [["ronde", "joueur 1", "joueur 2", "résultat"], ["1", one, other, "½"]]
    sheet.append(["2", one, other, "1"])
    period = rated(club, held, sheet, GAMES, date(2026, 3, 1))
    address = f"/c/faizers/cotes/{held.slug}/competitions/{period.pk}/"
    for view in ("", "?vue=grille"):
        page = plain(client.get(address + view))
        assert "1,5" in page and "1,50" not in page
