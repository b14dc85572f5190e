"""What is kept for so long and no longer, by the club's own settings; the daily sweep counts it."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db import connection, models
from django.test.utils import CaptureQueriesContext

from clubs.accounts.models import User
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.invitations import actions as invitations
from clubs.members.models import Member, MemberImport
from clubs.members.models_access import Invitation, JoinRequest
from clubs.personal_data import forgetting
from clubs.personal_data.models import PrivacySettings
from clubs.registries import PERSONAL_DATA
from clubs.upkeep import database_clock, sweeps
from pairings.absences import tasks
from pairings.evenings.admission import guests, presence
from pairings.evenings.models import GuestRequest
from pairings.live.models import Operation
from pairings.matches.models import Submission
from pairings.tournaments.models import Tournament
from ratings.ledger.models import StandingCote
from tests.clubhouse import account
from tests.tournament_day import make_tournament

pytestmark = pytest.mark.django_db
EXACT = (models.EmailField, models.GenericIPAddressField)
DAY = timedelta(days=1)


def chosen(club, **days) -> None:
    PrivacySettings.objects.create(organisation=club.organisation, **days)


def limits(age: int, found) -> list[int]:
    """How many are left the day before, at the limit, and the day after it."""
    left = []
    for day in (age - 1, age, age + 1):
        found.swept(day)
        left.append(found.count())
    return left


class Swept:
    """Rows counted after a sweep so many days later."""

    def __init__(self, club, rows) -> None:
        self.club, self.rows = club, rows

    def swept(self, day: int) -> None:
        forgetting.expire_all(at=self.club.at + day * DAY)

    def count(self) -> int:
        return self.rows.count()


def test_requests_go_their_days_after_the_answer_or_unanswered(club):
    chosen(club, requests_days=30)
    ask = {"organisation": club.organisation, "at": club.at, "last_name": "Nova"}
    answered = invitations.ask_to_join(**ask, first_name="Ina", email="ina@example.org")
    invitations.ask_to_join(**ask, first_name="Ona", email="ona@example.org")
    invitations.answer_request(
        request=answered,
        accepted=False,
        link=str,
        by=club.committee,
        at=club.at + 10 * DAY,
    )
    left = {
        name: Swept(club, JoinRequest.objects.filter(first_name=name)) for name in ("Ina", "Ona")
    }
    assert limits(30, left["Ona"]) == [1, 1, 0]  # nobody answered
    assert limits(40, left["Ina"]) == [1, 1, 0]


def test_an_invitation_goes_its_days_after_it_ended(club):
    chosen(club, requests_days=30)
    club.invite(days=1)
    assert limits(31, Swept(club, Invitation.objects)) == [1, 1, 0]


def test_what_another_club_keeps_longer_stays_there(club, other_club):
    chosen(club, requests_days=1, imports_days=1, guests_days=1)
    guest = other_club.join("Gaspard", is_guest=True)
    guests.ask(evening=other_club.evening, first_name="Gus", last_name="", at=club.at)
    there, by = {"organisation": other_club.organisation, "at": club.at}, other_club.committee
    invitations.ask_to_join(**there, first_name="Ina", last_name="Nova", email="ina@example.org")
    invitations.invite(**there, by=by, days=1)
    file = MemberImport.objects.create(
        organisation=other_club.organisation,
        rows=[["prénom"], ["Ada"]],
        created_at=club.at,
        created_by=by.user,
    )
    assert forgetting.expire_all(at=club.at + 20 * DAY) == {}
    assert JoinRequest.objects.exists() and Invitation.objects.exists()
    file.refresh_from_db()
    assert len(file.rows) == 2
    assert GuestRequest.objects.get().first_name == "Gus"
    assert not Member.objects.get(pk=guest.pk).is_forgotten


def test_the_lines_of_an_imported_file_go_and_its_heading_stays(club):
    chosen(club, imports_days=10)
    file = MemberImport.objects.create(
        organisation=club.organisation,
        file_name="a.csv",
        rows=[["prénom"], ["Ada"]],
        created_at=club.at,
        created_by=club.committee.user,
    )
    kept = []
    for day in (9, 10, 11):
        forgetting.expire_all(at=club.at + day * DAY)
        file.refresh_from_db()
        kept.append(len(file.rows))
    assert kept == [2, 2, 1]
    assert forgetting.expire_all(at=club.at + 12 * DAY) == {}


def test_a_photo_goes_after_its_days_and_another_clubs_stays(club, other_club, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    (tmp_path / "sheets").mkdir()
    chosen(club, photos_days=20)
    pictures = []
    for place in (club, other_club):
        match, _players = place.entered()
        submission = Submission.objects.get(match=match)
        Submission(
            match=match, by=submission.by, at=place.at, first_score=1, second_score=2, games=[],
            photo=f"{place.organisation.pk:032d}.jpg",
        ).save(force_insert=True)  # fmt: skip
        pictures.append(tmp_path / "sheets" / f"{place.organisation.pk:032d}.jpg")
        pictures[-1].write_bytes(b"jpeg")
    with_commit(lambda: forgetting.expire_all(at=club.at + 20 * DAY))
    assert [picture.exists() for picture in pictures] == [True, True]
    with_commit(lambda: forgetting.expire_all(at=club.at + 21 * DAY))
    assert [picture.exists() for picture in pictures] == [False, True]


def with_commit(act) -> None:
    from django.test import TestCase

    with TestCase.captureOnCommitCallbacks(execute=True):
        act()


def test_a_guest_who_never_came_back_loses_the_name_and_a_member_does_not(club):
    chosen(club, guests_days=100)
    guest = presence.welcome_guest(
        evening=club.evening, first_name="Gaspard", last_name="", by=club.arbiter, at=club.at
    ).member
    Member.objects.filter(pk=guest.pk).update(created_at=club.at)
    forgetting.expire_all(at=club.at + 100 * DAY)
    guest.refresh_from_db()
    assert guest.first_name == "Gaspard"
    assert forgetting.expire_all(at=club.at + 101 * DAY)["pairings.GuestRequest"] == 1
    guest.refresh_from_db()
    assert guest.full_name == f"Joueur retiré {guest.number}" and guest.left_at is not None
    assert JournalEntry.objects.get(verb="member_left").subject == f"member:{guest.pk}"
    assert Member.objects.filter(first_name="Prénom0", left_at=None).exists()


def test_a_guest_of_tournaments_alone_keeps_the_name_as_long_as_they_come(club):
    chosen(club, guests_days=100)
    guest = club.join("Gaspard", is_guest=True)
    tournament = make_tournament(club, 2)
    entry = club.enter(tournament, guest, cote=1000)
    Member.objects.filter(pk=guest.pk).update(created_at=club.at - 900 * DAY)
    names = Member.objects.filter(pk=guest.pk, first_name="Gaspard")
    row = Tournament.objects.filter(pk=entry.tournament_id)
    row.update(ends_on=club.at.date() + 30 * DAY)  # played over weeks
    assert limits(130, Swept(club, names)) == [1, 1, 0]
    Member.objects.filter(pk=guest.pk).update(first_name="Gaspard", left_at=None, slug="g")
    row.update(ends_on=None)
    assert limits(100, Swept(club, names)) == [1, 1, 0]
    Member.objects.filter(pk=guest.pk).update(first_name="Gaspard", left_at=None, slug="g")
    Tournament.objects.filter(pk=entry.tournament_id).update(held_on=club.at.date() + 200 * DAY)
    forgetting.expire_all(at=club.at + 150 * DAY)
    assert names.exists()  # they are entered
    Tournament.objects.filter(pk=entry.tournament_id).update(state=Tournament.State.CANCELLED)
    forgetting.expire_all(at=club.at + 150 * DAY)
    assert not names.exists()


def test_a_guest_of_a_rating_list_keeps_the_name_as_long_as_they_are_rated(club):
    chosen(club, guests_days=100)
    guest = club.join("Gaspard", is_guest=True, is_outsider=True)  # of a tournament's file
    held = club.rating_list("fisf", kind="fisf")
    StandingCote.objects.create(
        rating_list=held, member=guest, state={}, last_on=club.at.date() + 30 * DAY
    )
    Member.objects.filter(pk=guest.pk).update(created_at=club.at - 900 * DAY)
    names = Member.objects.filter(pk=guest.pk, first_name="Gaspard")
    assert limits(130, Swept(club, names)) == [1, 1, 0]


def test_an_account_without_a_club_is_closed_after_its_days(club, other_club, settings):
    settings.ACCOUNTS_KEPT_DAYS = 50
    gone = _nowhere, there_still, there_longer = club.members[:3]
    twins = other_club.members[:2]
    for member, twin in zip((there_still, there_longer), twins, strict=True):
        Member.objects.filter(pk=twin.pk).update(user=member.user)
    for member in gone:
        members.leave(member=member, by=club.committee, at=club.at, forget=False)
    late = {"by": other_club.committee, "at": club.at + 20 * DAY}
    members.leave(member=twins[1], forget=False, **late)
    active = []
    for day in (49, 50, 51, 70, 71):
        forgetting.expire_all(at=club.at + day * DAY)
        users = User.objects.in_bulk([member.user_id for member in gone])
        active.append([users[member.user_id].is_active for member in gone])
    assert active == [[True] * 3] * 2 + [[False, True, True]] * 2 + [[False, True, False]]
    assert User.objects.get(pk=club.members[3].user_id).is_active
    assert forgetting.expire_all(at=club.at + 72 * DAY) == {}


def test_an_account_that_no_club_ever_had_is_closed_after_its_days(club, settings):
    settings.ACCOUNTS_KEPT_DAYS = 50
    names = ("never", "opened", "plays", "operator")
    never, opened, plays, operator = [account(name) for name in names]
    User.objects.filter(pk__gte=never.pk).update(joined_at=club.at)
    User.objects.filter(pk=opened.pk).update(last_login=club.at + 20 * DAY)
    User.objects.filter(pk=operator.pk).update(is_superuser=True)
    club.join("Gaspard", is_guest=True, visitor=plays)
    EmailAddress.objects.create(user=never, email=never.email)
    active = []
    for day in (50, 51, 70, 71):
        forgetting.expire_all(at=club.at + day * DAY)
        users = User.objects.in_bulk()
        active.append([users[one.pk].is_active for one in (never, opened, plays, operator)])
    assert active == [
        [True, True, True, True],
        [False, True, True, True],
        [False, True, True, True],
        [False, False, True, True],
    ]
    assert not EmailAddress.objects.exists()
    assert forgetting.expire_all(at=club.at + 72 * DAY) == {}


def test_the_addresses_of_a_past_member_go_after_their_days(club, other_club):
    chosen(club, past_days=40)
    contact = {"email": "a@x.org", "guardian_email": "p@x.org", "guardian_name": "Une mère"}
    gone, here = club.members[:2]
    there = other_club.members[0]
    for member in (gone, here, there):
        Member.objects.filter(pk=member.pk).update(**contact)
    members.leave(member=gone, by=club.player(gone), at=club.at, forget=False)
    members.leave(member=there, by=other_club.player(there), at=club.at, forget=False)
    held = Member.objects.filter(**contact)
    assert limits(40, Swept(club, held)) == [3, 3, 2]
    assert not held.filter(pk=gone.pk).exists()
    gone.refresh_from_db()
    assert (gone.email, gone.guardian_email, gone.guardian_name) == ("", "", "")
    assert gone.first_name == "Prénom0"
    entry = JournalEntry.objects.get(verb="contact_expired")
    assert (entry.subject, entry.organisation) == (f"member:{gone.pk}", club.organisation)
    assert forgetting.expire_all(at=club.at + 42 * DAY) == {}
    forgetting.expire_all(at=club.at + 366 * DAY)
    assert [*held] == [here]  # the other club has the default


def test_sessions_that_ended_and_their_devices_go(club, as_user):
    Session.objects.all().delete()
    ended, going = (as_user(member.user) for member in club.members[:2])
    for desk in (ended, going):
        desk.get("/c/faizers/")
        key = desk.session.session_key
        UserSession.objects.get_or_create(
            session_key=key,
            defaults={"user_id": desk.session["_auth_user_id"], "ip": "192.0.2.7"},
        )
    key = ended.session.session_key
    Session.objects.filter(session_key=key).update(expire_date=club.at)
    forgetting.expire_all(at=club.at)
    assert Session.objects.count() == UserSession.objects.count() == 2
    gone = forgetting.expire_all(at=club.at + timedelta(seconds=1))
    assert gone == {"sessions.Session": 1, "usersessions.UserSession": 1}
    kept = going.session.session_key
    assert [row.session_key for row in Session.objects.all()] == [kept]
    assert [row.session_key for row in UserSession.objects.all()] == [kept]


ADDRESS = re.compile(r"(^|_)(e?mail|ip|address|user_agent)(_|$)")
STAYS = {
    "account.EmailAddress": "goes with the account, which clubs.User removes",
    "clubs.Organisation": "is where the club itself is written to, and public",
    "clubs.PrivacySettings": "is the law's address for questions, and public",
    "api.Webhook": "is the address of a program, and goes when the committee removes it",
}
"""Tables with an address that no night removes, and why."""


def test_each_table_with_an_address_expires_or_says_why_it_stays():
    texts = (models.CharField, models.TextField, models.GenericIPAddressField)
    with_address = {
        label
        for label in PERSONAL_DATA
        for column in apps.get_model(label)._meta.concrete_fields
        if isinstance(column, texts) and (ADDRESS.search(column.name) or isinstance(column, EXACT))
    }
    assert {"clubs.Member", "clubs.Invitation", "usersessions.UserSession"} <= with_address
    lasting = {label for label in with_address if not expires(label)}
    assert lasting == set(STAYS)


def expires(label: str) -> bool:
    held = PERSONAL_DATA[label]
    return held.expire is not None or held.expire_once is not None


def test_what_is_of_the_whole_site_is_asked_once_however_many_clubs(club, other_club):
    """Sessions, devices, accounts and keys of repeated requests."""
    with CaptureQueriesContext(connection) as asked:
        forgetting.expire_all(at=club.at)
    for table in ("django_session", "usersessions_usersession", "clubs_user", "pairings_operation"):
        first = [q for q in asked if re.match(rf'(SELECT|DELETE)[^()]* FROM "{table}"', q["sql"])]
        assert len(first) == 1, first


def test_keys_of_repeated_requests_go_after_their_days(club, settings):
    settings.OPERATIONS_KEPT_DAYS = 3
    Operation.objects.create(
        key="k", actor=club.committee.user, body_hash="h", answer={}, at=club.at
    )
    assert limits(3, Swept(club, Operation.objects)) == [1, 1, 0]


def test_the_daily_task_sweeps_and_counts_in_the_log(club, monkeypatch, caplog):
    Operation.objects.create(
        key="k", actor=club.committee.user, body_hash="h", answer={}, at=club.at - 400 * DAY
    )
    monkeypatch.setattr(database_clock, "now", lambda: club.at)
    with caplog.at_level(logging.INFO, logger="pairings.absences.tasks"):
        tasks.daily()
    assert not Operation.objects.exists()
    assert "{'pairings.Operation': 1}" in caplog.text


@pytest.mark.parametrize("broken", ["policy", "heads", "events", "expiry"])
def test_a_club_that_fails_stops_no_other_by_night(club, other_club, monkeypatch, caplog, broken):
    """`club` comes first; what fails for it is done for the other, and so is the rest."""
    done: list[tuple[str, object]] = []

    def step(name, of):
        def act(*given, **_named):
            done.append((name, of(given)))
            if name == broken and of(given) in (club.organisation, None):
                raise RuntimeError("boom")
            return 0

        return act

    def first(given):
        return given[0]

    monkeypatch.setattr(tasks.absences, "apply_policy_to_all", step("policy", first))
    monkeypatch.setattr(tasks.heads, "mail", step("heads", first))
    monkeypatch.setattr(tasks.live, "forget_old", step("events", lambda given: None))
    held = replace(
        PERSONAL_DATA["clubs.Invitation"],
        expire=step("expiry", lambda given: given[0].organisation),
    )
    monkeypatch.setitem(PERSONAL_DATA, "clubs.Invitation", held)
    tasks.daily()
    both = (club.organisation, other_club.organisation)
    wanted = {(name, one) for name in ("policy", "heads", "expiry") for one in both}
    assert set(done) == {*wanted, ("events", None)} and len(done) == 7
    part = "old live events" if broken == "events" else "faizers"
    assert f"task daily failed for {part}" in caplog.text and "boom" in caplog.text
    assert other_club.organisation.slug not in caplog.text
    at = database_clock.now()
    task = sweeps.states(at=at, after=sweeps.LATE_AFTER)["daily"]
    assert task.ended_at is not None and not task.late
    assert task.failed_at is not None
