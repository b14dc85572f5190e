"""Mails leave after the commit, by a worker that tries again; their loss undoes nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest
from celery.exceptions import Retry
from django.core import mail
from django.db import transaction
from kombu.exceptions import OperationalError

from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.invitations import actions as invitations
from clubs.members.invitations import addresses
from clubs.members.models_access import Invitation
from clubs.notifications import outbox, tasks
from clubs.notifications.models import UnsentMail
from clubs.organisations.models import Organisation
from config.celery import app

pytestmark = pytest.mark.django_db
BACKEND = "django.core.mail.backends.locmem.EmailBackend"


class Away:
    """A mail server that refuses the first `times` mails."""

    def __init__(self, times: int) -> None:
        self.times, self.tries = times, 0

    def __call__(self, message, *args, **kwargs):
        self.tries += 1
        if self.tries <= self.times:
            raise ConnectionRefusedError("mail server away")
        mail.outbox.append(message)
        return 1


@pytest.fixture
def away(monkeypatch):
    def make(times: int) -> Away:
        server = Away(times)
        monkeypatch.setattr("django.core.mail.EmailMessage.send", lambda m, *a, **k: server(m))
        # Eager tasks that do not raise run their retries at once, as a worker does after each wait.
        monkeypatch.setitem(app.conf, "task_eager_propagates", False)
        return server

    return make


def invite(club, *emails, language="fr"):
    found = addresses.read(club.organisation, "\n".join(emails), at=club.at)
    return invitations.send(
        organisation=club.organisation,
        addresses=found,
        language=language,
        link=lambda token: f"https://club.example.org/i/{token}/",
        by=club.committee,
        at=club.at,
    )


def link_of(message) -> str:
    return next(line for line in message.body.splitlines() if line.startswith("https://"))


def token_of(message) -> str:
    return link_of(message).rstrip("/").rsplit("/", 1)[1]


def test_each_address_gets_a_link_of_its_own_that_opens_its_invitation(club, after_commit):
    with after_commit():
        sent = invite(club, "ana@example.org", "ION@example.org")
    assert [message.to for message in mail.outbox] == [["ana@example.org"], ["ion@example.org"]]
    opened = [invitations.invitation_of(token_of(message)) for message in mail.outbox]
    assert opened == sent
    assert all(Invitation.objects.get(pk=one.pk).mailed_at and one.max_uses == 1 for one in sent)
    assert mail.outbox[0].extra_headers["Auto-Submitted"] == "auto-generated"
    assert club.organisation.name in mail.outbox[0].subject and "\n" not in mail.outbox[0].subject


def test_nothing_leaves_before_the_commit_and_never_after_a_failure(club, after_commit):
    with after_commit() as after:
        invite(club, "ana@example.org")
        assert mail.outbox == []
    assert len(after) == 1 and len(mail.outbox) == 1
    with (
        after_commit() as after,
        pytest.raises(RuntimeError, match="no"),
        transaction.atomic(),
    ):
        invite(club, "ion@example.org")
        raise RuntimeError("no")
    assert after == [] and len(mail.outbox) == 1


def test_a_mail_is_tried_again_while_the_server_is_away(club, away, after_commit):
    server = away(3)
    with after_commit():
        (sent,) = invite(club, "ana@example.org")
    sent.refresh_from_db()
    assert (server.tries, len(mail.outbox), sent.mail_failed_at) == (4, 1, None)
    assert sent.mailed_at is not None


def test_the_waits_double(away, monkeypatch):
    away(1)
    waits = []
    monkeypatch.setattr(
        tasks.send_letter, "retry", lambda exc, countdown: waits.append(countdown) or Retry()
    )
    for tries in range(3):
        tasks.send_letter.push_request(retries=tries)
        away(1)
        with pytest.raises(Retry):
            tasks.send_letter.run("a@example.org", "s", "t")
        tasks.send_letter.pop_request()
    assert waits == [30, 60, 120]
    assert UnsentMail.objects.filter(given_up=False).count() == 3


def test_after_the_last_try_the_page_can_say_it_did_not_go(club, away, after_commit):
    away(tasks.TRIES)
    with after_commit():
        (sent,) = invite(club, "ana@example.org")
    sent.refresh_from_db()
    assert sent.mailed_at is None and sent.mail_failed_at is not None
    assert mail.outbox == []


def test_without_a_broker_the_invitation_stays_and_says_so(club, monkeypatch, after_commit):
    def gone(**_told):
        raise OperationalError("no broker")

    monkeypatch.setattr(tasks.send_letter, "apply_async", gone)
    with after_commit():
        (sent,) = invite(club, "ana@example.org")
    sent.refresh_from_db()
    assert sent.mail_failed_at is not None
    assert mail.outbox == []


def test_a_task_that_runs_twice_sends_once(club, after_commit):
    with after_commit():
        (sent,) = invite(club, "ana@example.org")
    again = tasks.send_letter.run(sent.email, "s", "t", (sent.pk, sent.token_hash))
    assert again is False and len(mail.outbox) == 1


@pytest.mark.parametrize("end", ["revoked", "another link"])
def test_a_mail_that_waited_is_not_sent_once_its_link_opens_nothing(club, end):
    (sent,) = invite(club, "ana@example.org")
    waits = (sent.pk, sent.token_hash)
    if end == "revoked":
        invitations.revoke(invitation=sent, by=club.committee, at=club.at)
    else:
        invitations.resend(invitation=sent, link=str, by=club.committee, at=club.at)
    assert tasks.send_letter.run(sent.email, "s", "t", waits) is False
    assert mail.outbox == []


def test_who_left_has_no_address_to_write_to(club):
    member = club.members[0]
    assert outbox.address_of(member) == member.user.email
    members.leave(member=member, by=club.committee, at=club.at, forget=False)
    member.refresh_from_db()
    assert outbox.address_of(member) == ""


def test_sending_again_makes_a_new_link_and_shuts_the_old_one(club, after_commit):
    with after_commit():
        (sent,) = invite(club, "ana@example.org")
    later = club.at + timedelta(days=20)
    with after_commit():
        invitations.resend(
            invitation=sent,
            link=lambda token: f"https://club.example.org/i/{token}/",
            by=club.committee,
            at=later,
        )
    old, new = (token_of(message) for message in mail.outbox)
    assert invitations.invitation_of(old) is None and invitations.invitation_of(new) == sent
    sent.refresh_from_db()
    assert sent.expires_at == later + timedelta(days=14)
    assert JournalEntry.objects.filter(verb="invitation_resent").count() == 1


@pytest.mark.parametrize("end", ["revoked", "accepted", "no address"])
def test_what_is_over_is_not_sent_again(club, end, after_commit):
    (sent,) = invite(club, "ana@example.org")
    if end == "revoked":
        invitations.revoke(invitation=sent, by=club.committee, at=club.at)
    elif end == "accepted":
        Invitation.objects.filter(pk=sent.pk).update(used_count=1)
    else:
        sent, _token = club.invite()
    with (
        after_commit(),
        pytest.raises(members.MemberRefused) as refused,
    ):
        invitations.resend(invitation=sent, link=str, by=club.committee, at=club.at)
    assert refused.value.code in ("stale", "no_address") and mail.outbox == []


@pytest.mark.parametrize(
    ("language", "word"), [("fr", "jusqu’au"), ("en", "until"), ("ro", "până")]
)
def test_the_mail_is_in_the_chosen_language(club, language, word, after_commit):
    with after_commit():
        invite(club, "ana@example.org", language=language)
    from django.utils import translation

    with translation.override(language):
        known = translation.gettext("Bonjour,")
    assert known in mail.outbox[0].body
    assert language != "fr" or word in mail.outbox[0].body


def test_one_wrong_line_sends_nothing(club, after_commit):
    known = club.members[0]
    lines = ["ana@example.org", "", "not an address", "ANA@example.org", known.user.email]
    found = addresses.read(club.organisation, "\n".join(lines), at=club.at)
    assert [(one.line, bool(one.problem)) for one in found] == [
        (1, False),
        (3, True),
        (5, False),
    ]
    assert known.full_name in found[-1].why_not
    with (
        after_commit(),
        pytest.raises(members.MemberRefused, match="Ligne 3"),
    ):
        invite(club, *lines)
    assert mail.outbox == [] and not Invitation.objects.exists()


def test_an_address_typed_twice_is_one_invitation(club):
    (sent,) = invite(club, "ana@example.org", " ANA@example.org;")
    assert sent.email == "ana@example.org"


def test_an_address_already_invited_is_not_invited_twice(club):
    invite(club, "ana@example.org")
    again = addresses.read(club.organisation, "ana@example.org\nzoe@example.org", at=club.at)
    assert [one.why_not for one in again] == ["déjà invitée", ""]
    with pytest.raises(members.MemberRefused, match="Aucune adresse"):
        invite(club, "ana@example.org")
    (sent,) = invite(club, "ana@example.org", "zoe@example.org")
    assert sent.email == "zoe@example.org"


def test_an_invitation_is_for_the_member_whose_address_it_is(club):
    waiting = club.join("Ana", email="ana@example.org")
    (sent,) = invite(club, "ana@example.org")
    assert sent.member == waiting


def test_links_in_mails_name_the_club_where_there_are_several(club, settings):
    settings.SITE_URL = "https://club.example.org/"
    assert outbox.link(club.organisation, "clubs:me") == "https://club.example.org/moi/"
    Organisation.objects.create(slug="voisins", name="Voisins")
    assert outbox.link(club.organisation, "clubs:me") == "https://club.example.org/c/faizers/moi/"


def test_a_mail_goes_to_the_address_that_a_member_has_in_the_club(club):
    member = club.members[0]
    assert outbox.address_of(member) == member.user.email
    member.email = "elsewhere@example.org"
    assert outbox.address_of(member) == "elsewhere@example.org"
    member.left_at = club.at
    assert outbox.address_of(member) == ""
