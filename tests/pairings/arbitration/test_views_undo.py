"""The button that undoes an arbiter's action: in the message and on the control page."""

from __future__ import annotations

import pytest

from pairings.evenings import pairing
from pairings.matches.models import Match

pytestmark = pytest.mark.django_db


@pytest.fixture
def tonight(club):
    """Return an evening that runs now, because pages read the clock."""
    return club


@pytest.fixture
def desk(club, as_user):
    return as_user(club.arbiter.user)


def control(club, root) -> str:
    return f"{root}/soirees/{club.evening.held_on.isoformat()}/conduite/"


def test_a_pairing_by_hand_offers_its_button_in_the_message_and_in_the_list(tonight, root, desk):
    a, b = tonight.members[:2]
    url = control(tonight, root)
    page = desk.post(
        f"{url}apparier/", {"first": a.pk, "second": b.pk, "reason": "amis"}, follow=True
    )
    match = Match.objects.get(first=a, second=b)
    text = page.content.decode()
    assert "data-undo" in text and "js/toast" in text
    assert text.count(f'action="{root}/matchs/{match.pk}/defaire/"') == 2
    done = desk.post(f"{root}/matchs/{match.pk}/defaire/", follow=True)
    match.refresh_from_db()
    assert match.status == "cancelled" and "attendent de nouveau" in done.content.decode()
    again = desk.post(f"{root}/matchs/{match.pk}/defaire/", follow=True)
    assert "rappelés à la table" in again.content.decode()
    assert Match.objects.filter(first=a, second=b, status="proposed").count() == 1


@pytest.mark.parametrize("act", ["cancel", "absent_b"])
def test_an_act_on_a_match_offers_its_button(tonight, root, desk, act):
    match, _players = tonight.match()
    judge, ruling = f"{root}/matchs/{match.pk}/arbitrer/", {"act": act, "reason": "erreur"}
    seen = desk.post(judge, {**ruling, "preview": "1"}).context["seen"]
    page = desk.post(judge, {**ruling, "seen": seen}, follow=True)
    assert f'action="{root}/matchs/{match.pk}/defaire/"' in page.content.decode()
    desk.post(f"{root}/matchs/{match.pk}/defaire/")
    match.refresh_from_db()
    assert match.status == "cancelled"
    assert Match.objects.filter(status="proposed").count() == 1


def test_an_act_that_starts_a_game_offers_none(tonight, root, desk):
    match, _players = tonight.match()
    page = desk.post(
        f"{root}/matchs/{match.pk}/arbitrer/", {"act": "start", "reason": "début"}, follow=True
    )
    assert "La décision est enregistrée" in page.content.decode()
    assert "data-undo" not in page.content.decode()


def test_a_refusal_is_a_sentence_and_a_get_does_nothing(tonight, root, desk, as_user):
    pairing.pair_waiting(evening=tonight.evening, by=tonight.arbiter, at=tonight.at)
    match = tonight.evening.matches.first()
    url = f"{root}/matchs/{match.pk}/defaire/"
    assert "Trop tard" in desk.post(url, follow=True).content.decode()
    assert desk.get(url).status_code == 405
    assert as_user(tonight.members[0].user).post(url).status_code == 403
    match.refresh_from_db()
    assert match.status == "proposed"


def test_the_button_of_a_page_undoes_what_that_page_names_and_nothing_else(tonight, root, desk):
    """A second press, or another arbiter's, called the two players again."""
    a, b = tonight.members[:2]
    url = control(tonight, root)
    page = desk.post(
        f"{url}apparier/", {"first": a.pk, "second": b.pk, "reason": "amis"}, follow=True
    )
    match = Match.objects.get(first=a, second=b)
    field = f'<input type="hidden" name="version" value="{match.version}">'
    forms = page.content.decode().split(f'action="{root}/matchs/{match.pk}/defaire/"')[1:]
    assert [field in form.partition("</form>")[0] for form in forms] == [True, True]
    read = {"version": match.version}
    desk.post(f"{root}/matchs/{match.pk}/defaire/", read)
    again = desk.post(f"{root}/matchs/{match.pk}/defaire/", read, follow=True)
    assert "rappelés à la table" not in again.content.decode()
    assert "data-undo" not in again.content.decode() and "notice--bad" in again.content.decode()
    assert not Match.objects.filter(first=a, second=b, status="proposed").exists()
