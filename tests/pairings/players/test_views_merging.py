"""Pages to merge a guest: choose the member, read the preview, give the reason."""

from __future__ import annotations

import pytest

from pairings.matches.models import Match
from tests.pairings.players.test_merging import play, welcome

pytestmark = pytest.mark.django_db


@pytest.fixture
def story(club):
    known = club.members[0]
    guest = welcome(club, "Ștefania")
    play(club, guest, club.members[1], (410, 380))
    club.close()
    return guest, known


def test_the_committee_reads_the_effect_then_unites_with_a_reason(club, story, root, desk):
    guest, known = story
    chosen = desk.post(f"{root}/gestion/membres/{guest.pk}/", {"merge": "1", "into": known.pk})
    url = chosen["Location"]
    page = desk.get(url)
    text = page.content.decode()
    assert page.status_code == 200 and known.full_name in text
    (season,) = page.context["seasons"]
    moved = {row["name"]: row["cells"] for row in season["page"]}
    assert moved[guest.full_name][1] == (3, None) and moved[known.full_name][1] == (None, 3)
    (cotes,) = page.context["lists"]
    assert {row["name"] for row in cotes["page"]} == {guest.full_name, known.full_name}

    blank = desk.post(url, {"reason": ""})
    guest.refresh_from_db()
    assert blank.status_code == 422 and list(blank.context["form"].errors) == ["reason"]
    assert blank.context["seasons"] and guest.merged_into is None

    done = desk.post(url, {"reason": "Elle l’a dit"}, follow=True)
    guest.refresh_from_db()
    assert guest.merged_into == known
    assert "une seule personne" in done.content.decode()
    assert guest.full_name not in [row["member"].full_name for row in done.context["rows"]]


def test_a_refusal_is_a_sentence_and_there_is_no_button(club, story, root, desk):
    guest, _known = story
    url = f"{root}/gestion/membres/{guest.pk}/reunir/{club.members[1].pk}/"
    page = desk.get(url)
    assert page.status_code == 422
    assert "ont joué l’un contre l’autre" in page.content.decode()
    assert 'name="reason"' not in page.content.decode()
    assert desk.post(url, {"reason": "x"}).status_code == 422
    guest.refresh_from_db()
    assert guest.merged_into is None


def test_the_members_page_shows_the_guests_matches_from_their_side(
    club, story, root, desk, as_user
):
    guest, known = story
    desk.post(f"{root}/gestion/membres/{guest.pk}/reunir/{known.pk}/", {"reason": "x"})
    page = as_user(None).get(f"{root}/joueurs/{known.address}/")
    (line,) = page.context["matches"]
    assert (line.mine, line.theirs, line.won) == (410, 380, 30)
    assert line.match == Match.objects.get(first=guest)
    assert page.context["row"].values["pr"] == 3 and page.context["cote"] > 1000
    moved = as_user(None).get(f"{root}/joueurs/{guest.address}/")
    assert (moved.status_code, moved["Location"]) == (302, f"{root}/joueurs/{known.address}/")


def test_their_opponent_reads_one_person(club, story, root, desk, as_user):
    guest, known = story
    other = club.members[1]
    desk.post(f"{root}/gestion/membres/{guest.pk}/reunir/{known.pk}/", {"reason": "x"})
    page = as_user(None).get(f"{root}/joueurs/{other.address}/")
    assert [line["name"] for line in page.context["opponents"]] == [known.full_name]
    versus = as_user(None).get(f"{root}/joueurs/{other.address}/contre/{known.address}/")
    assert (versus.context["won"], versus.context["lost"]) == (0, 1)
    ranking = as_user(None).get(f"{root}/classement/")
    names = [row["name"] for row in ranking.context["rows"]]
    assert known.full_name in names and guest.full_name not in names


def test_their_own_page_of_absences_holds_the_guests(club, root, desk, as_user):

    guest, known = welcome(club), club.members[0]
    match, _players = club.match(guest, club.members[1])
    club.mark_absent(match, "a")
    desk.post(f"{root}/gestion/membres/{guest.pk}/reunir/{known.pk}/", {"reason": "x"})
    client = as_user(known.user)
    (absence,) = client.get(f"{root}/moi/absences/").context["absences"]
    answer = client.post(f"{root}/moi/absences/{absence.pk}/", {"text": "Train supprimé"})
    absence.refresh_from_db()
    assert answer.status_code == 302 and absence.excuse == "Train supprimé"
    stranger = as_user(club.members[2].user)
    assert stranger.get(f"{root}/moi/absences/{absence.pk}/").status_code == 404


def test_two_clubs_never_mix(club, neighbours, story, root, desk):
    guest, _known = story
    url = f"{root}/gestion/membres/{guest.pk}/reunir/{neighbours.members[0].pk}/"
    assert desk.get(url).status_code == 404
