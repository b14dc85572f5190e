"""A club that is closed is read as before; nobody writes in it until the committee opens it again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from clubs.accounts.older_pages import STALE
from clubs.journal.models import JournalEntry
from clubs.members.models import Member
from clubs.members.models_access import JoinRequest
from clubs.setup import closing
from pairings.absences.tasks import daily
from pairings.evenings.models import Evening
from pairings.tournaments.models import Tournament
from tests.api.keys import code_of, key_of
from tests.permissions.test_permissions import fields_of
from tests.refusals import refused
from tests.tournament_day import make_tournament

pytestmark = pytest.mark.django_db
PAGE = "/c/faizers/gestion/fermer/"
ELSEWHERE = "https://club.example.org/c/faizers/"


def close(club, **more):
    how = {"reason": "Dissolution", "by": club.committee, "at": club.at, **more}
    closing.close(organisation=club.organisation, **how)


@pytest.fixture
def quiet(club):
    """A club with nothing announced or in progress."""
    club.close()
    return club


@pytest.fixture
def closed(quiet):
    close(quiet, moved_to=ELSEWHERE)
    return quiet


def last_entry():
    return JournalEntry.objects.order_by("-seq").first()


def test_closing_writes_one_line_with_who_why_and_where_it_goes_on(closed):
    line = last_entry()
    assert (line.verb, line.reason, line.after) == (
        "club_closed",
        "Dissolution",
        {"moved_to": ELSEWHERE},
    )
    assert line.actor == closed.committee.user
    assert closed.organisation.closed_at == closed.at


def test_opening_again_forgets_where_it_went_on(closed):
    how = {"organisation": closed.organisation, "by": closed.committee, "at": closed.at}
    closing.reopen(reason="Reprise", **how)
    assert (closed.organisation.closed_at, closed.organisation.moved_to) == (None, "")
    assert (last_entry().verb, last_entry().reason) == ("club_reopened", "Reprise")
    with refused(STALE):
        closing.reopen(reason="Reprise", **how)


def test_what_is_closed_is_not_closed_again_and_keeps_its_day(closed):
    lines = JournalEntry.objects.count()
    with refused(STALE):
        close(closed, at=closed.at + timedelta(days=1))
    closed.organisation.refresh_from_db()
    assert closed.organisation.closed_at == closed.at
    assert JournalEntry.objects.count() == lines


def test_a_reason_is_asked_to_close_and_to_open_again(quiet):
    with refused("reason_required"):
        close(quiet, reason="  ")
    close(quiet)
    how = {"organisation": quiet.organisation, "by": quiet.committee, "at": quiet.at}
    with refused("reason_required"):
        closing.reopen(reason="", **how)


@pytest.mark.parametrize("days", [0, 1])
def test_an_evening_that_is_announced_has_to_be_cancelled_first(quiet, days):
    evening = quiet.announce(quiet.at + timedelta(days=days, hours=1))
    with refused("going_on"):
        close(quiet)
    Evening.objects.filter(pk=evening.pk).update(held_on=quiet.at.date() - timedelta(days=1))
    close(quiet)  # announced for a day that is over: nobody came


@pytest.mark.parametrize("state", [Evening.State.OPEN, Evening.State.CLOSING])
def test_an_evening_in_progress_has_to_end_first(club, state):
    Evening.objects.update(state=state)
    with refused("going_on"):
        close(club)


@pytest.mark.parametrize("state", [Tournament.State.ENTRIES, Tournament.State.CANCELLED])
def test_a_tournament_has_to_end_first_if_it_is_still_on(quiet, state):
    tournament = make_tournament(quiet, size=2)
    Tournament.objects.filter(pk=tournament.pk).update(state=state)
    lines = closing.going_on(quiet.organisation)
    assert [words for words, _page in lines] == [tournament.name] * (state == "entries")


def test_the_page_names_what_is_going_on_with_its_page(club, desk):
    page = desk.get(PAGE).content.decode()
    assert f'href="/c/faizers/soirees/{club.evening.held_on}/"' in page
    assert "<textarea" not in page.partition("<main")[2]


def test_the_page_names_what_would_stay_without_an_answer(quiet, desk):
    when = quiet.at
    JoinRequest.objects.create(organisation=quiet.organisation, first_name="Ada", asked_at=when)
    page = desk.get(PAGE).content.decode()
    assert '<a href="/c/faizers/gestion/demandes/">1 demande d’adhésion</a>' in page
    close(quiet)
    assert "1 demande d’adhésion" not in desk.get(PAGE).content.decode()


def test_the_committee_closes_on_the_page_and_opens_again(quiet, desk, client):
    answer = desk.post(PAGE, {"reason": "Dissolution", "moved_to": "club.example.org"}, follow=True)
    assert "C’est fermé." in answer.content.decode()
    home = client.get("/c/faizers/").content.decode()
    assert "Fermé depuis le 20 novembre 2026" in home
    assert '<a href="https://club.example.org">' in home
    desk.post(PAGE, {"opens": "yes", "reason": "Reprise"})
    assert "Fermé depuis" not in client.get("/c/faizers/").content.decode()


@pytest.mark.parametrize(
    "wrong", [{"reason": ""}, {"reason": "r", "moved_to": "javascript:alert(1)"}]
)
def test_what_is_typed_wrongly_stays_with_its_error_and_closes_nothing(quiet, desk, wrong):
    answer = desk.post(PAGE, wrong)
    page = answer.content.decode()
    assert "invalid" in page and str(wrong.get("moved_to", "")) in page
    quiet.organisation.refresh_from_db()
    assert quiet.organisation.closed_at is None


def test_a_second_press_does_not_open_what_the_first_has_closed(quiet, desk):
    for _press in range(2):
        answer = desk.post(PAGE, {"reason": "Dissolution"})
    assert "C’est déjà fermé." in answer.content.decode()
    quiet.organisation.refresh_from_db()
    assert quiet.organisation.closed_at is not None


def test_a_second_press_does_not_close_what_the_first_has_opened(closed, desk):
    sent = {**fields_of(desk.get(PAGE).content.decode(), "reason"), "reason": "Reprise"}
    for _press in range(2):
        answer = desk.post(PAGE, sent)
    assert "C’est déjà ouvert." in answer.content.decode()
    closed.organisation.refresh_from_db()
    assert closed.organisation.closed_at is None


def test_an_address_longer_than_the_site_keeps_is_refused_beside_its_field(quiet, desk):
    long = "https://club.example.org/" + "a" * 200
    page = desk.post(PAGE, {"reason": "Dissolution", "moved_to": long}).content.decode()
    assert "200" in page and long in page
    quiet.organisation.refresh_from_db()
    assert quiet.organisation.closed_at is None


def test_a_form_that_was_open_meanwhile_says_once_since_when_and_shows_what_was_typed(closed, desk):
    sent = {"first_name": "Ada", "place": "Salle des fêtes\nau fond", "pin": "1 2 3 4"}
    answer = desk.post("/c/faizers/gestion/membres/nouveau/", sent)
    assert answer.status_code == 403
    page = answer.content.decode()
    assert page.count("Fermé depuis le 20 novembre 2026") == 1
    assert "Salle des fêtes<br>au fond" in page and "1 2 3 4" not in page


def test_a_page_that_another_role_may_open_says_so_in_a_closed_club_too(closed, as_user):
    answer = as_user(closed.members[0].user).post("/c/faizers/gestion/membres/nouveau/")
    assert answer.status_code == 403
    main = answer.content.decode().partition("<main")[2]
    assert "pas accès" in main and "réservée au comité" in main


def test_a_visitor_who_is_refused_is_told_why_and_not_to_sign_in(closed, client):
    page = client.post("/c/faizers/rejoindre/", {"first_name": "Ada"}).content.decode()
    main = page.partition("<main")[2]
    assert "C’est fermé." in main and "pas accès" not in main
    assert "compte/login" not in main.partition("</main>")[0]


def test_nobody_fills_in_a_request_that_a_closed_club_refuses(closed, client):
    main = client.get("/c/faizers/rejoindre/").content.decode().partition("<main")[2]
    assert "Fermé depuis le 20 novembre 2026" in main
    assert "<button" not in main.partition("</main>")[0]


def test_nobody_makes_an_account_for_a_closed_club(closed, client):
    _invitation, token = closed.invite()
    main = client.get(f"/c/faizers/i/{token}/").content.decode().partition("<main")[2]
    assert "Fermé depuis le 20 novembre 2026" in main
    assert "<button" not in main.partition("</main>")[0]


def test_a_member_of_a_closed_club_still_leaves_it_and_is_forgotten(closed, as_user):
    member = closed.members[0]
    page = as_user(member.user).get("/c/faizers/moi/donnees/")
    assert page.status_code == 200
    as_user(member.user).post("/c/faizers/moi/donnees/", {"leave": "1", "forget": "on"})
    member.refresh_from_db()
    assert member.is_forgotten


BUTTONS = ('name="readmit"', 'name="confirm"', 'name="merge"', "gestion/inviter/")


@pytest.mark.parametrize(
    "state",
    [
        {"user": None, "is_guest": True},
        {"user": None, "is_outsider": True},
        {"user": None, "left_at": datetime(2026, 11, 1, tzinfo=UTC)},
        {"left_at": datetime(2026, 11, 1, tzinfo=UTC)},
        {"user": None, "email": "ada@example.org"},
    ],
)
def test_nobody_becomes_a_member_of_a_closed_club(quiet, desk, state):
    member = quiet.members[0]
    Member.objects.filter(pk=member.pk).update(**state)
    page = f"/c/faizers/gestion/membres/{member.pk}/"

    def offered():
        main = desk.get(page).content.decode().partition("<main")[2]
        return [button for button in BUTTONS if button in main]

    assert offered()
    close(quiet)
    assert not offered()


@pytest.mark.parametrize("button", ["readmit", "confirm", "merge"])
def test_a_button_of_an_older_page_makes_nobody_a_member_of_a_closed_club(closed, desk, button):
    member = closed.members[0]
    gone = closed.at if button == "readmit" else None
    Member.objects.filter(pk=member.pk).update(user=None, is_guest=gone is None, left_at=gone)
    before = Member.objects.values().get(pk=member.pk)
    sent = {button: "1", "into": closed.members[1].pk}
    answer = desk.post(f"/c/faizers/gestion/membres/{member.pk}/", sent)
    assert answer.status_code == 403
    assert Member.objects.values().get(pk=member.pk) == before


def test_a_program_reads_a_closed_club_and_writes_nothing_there(closed, client):
    key = {"Authorization": f"Bearer {key_of(closed.committee.member, closed.at)}"}
    path = "/c/faizers/api/v1/members"
    sent = client.post(path, {"first_name": "Ada"}, content_type="application/json", headers=key)
    assert code_of(sent) == (403, "club_closed")
    told = client.get("/api/v1/organisations").json()["items"][0]
    assert told["closed_at"].startswith("2026-11-20") and told["moved_to"] == ELSEWHERE


def test_the_daily_look_judges_no_absence_of_a_closed_club(closed, other_club, monkeypatch):
    looked = []
    monkeypatch.setattr(
        "pairings.absences.tasks.absences.apply_policy_to_all",
        lambda organisation, at: looked.append(organisation.slug),
    )
    daily()
    assert looked == [other_club.organisation.slug]


def test_the_list_of_clubs_says_which_is_closed(closed, other_club, client):
    page = client.get("/").content.decode()
    assert page.count("· fermé") == 1


def test_an_operator_closes_a_club_that_nobody_runs_any_more(quiet):
    said = StringIO()
    call_command("close_club", "faizers", reason="abandoned", stdout=said)
    assert "is closed" in said.getvalue()
    assert last_entry().actor is None
    call_command("close_club", "faizers", reason="back", reopen=True, stdout=said)
    quiet.organisation.refresh_from_db()
    assert quiet.organisation.closed_at is None


@pytest.mark.parametrize(
    "wrong", [{"reason": ""}, {"reason": "r", "moved_to": "nowhere at all"}, {"reopen": True}]
)
def test_an_operator_reads_what_is_refused(quiet, wrong):
    with pytest.raises(CommandError):
        call_command("close_club", "faizers", **{"reason": "r", **wrong})


def test_an_operator_reads_what_has_to_end_first(club):
    with pytest.raises(CommandError, match="club night of 20 November"):
        call_command("close_club", "faizers", reason="abandoned")
