"""Keys of a member: made and revoked by themselves alone, shown once, stored as a hash."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator

from api.tokens import actions
from api.tokens.models import Token
from clubs.accounts.actor import PLAYER, Actor, Refused
from clubs.accounts.permissions import Access
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import pins
from clubs.members.invitations.actions import token_hash
from tests.api.keys import key_of

pytestmark = pytest.mark.django_db
PAGE = "/c/faizers/moi/cles/"
GIVEN = {"name": "Mur de la salle", "scopes": ["read", "results"], "days": "90"}


def test_a_new_key_is_shown_once_and_only_its_hash_is_stored(club, as_user):
    client = as_user(club.members[0].user)
    page = client.post(PAGE, GIVEN).content.decode()
    key = re.search(r"club_[\w-]{40,}", page)[0]
    token = Token.objects.get()
    assert token.key_hash == token_hash(key) and key not in str(vars(token))
    assert token.scopes == ["read", "results"]
    assert token.expires_at - token.created_at == timedelta(days=90)
    again = client.get(PAGE).content.decode()
    assert "Mur de la salle" in again and key not in again


def test_making_and_revoking_a_key_are_in_the_journal(club, as_user):
    client = as_user(club.members[0].user)
    client.post(PAGE, GIVEN)
    client.post(f"{PAGE}?revoke={Token.objects.get().pk}")
    entries = JournalEntry.objects.filter(verb__startswith="token_").order_by("seq")
    assert [entry.verb for entry in entries] == ["token_created", "token_revoked"]
    assert entries[0].after["scopes"] == ["read", "results"]
    assert Token.objects.get().revoked_at is not None


def test_a_key_is_revoked_only_when_asked_twice(club, as_user):
    key_of(club.members[0], club.at)
    token = Token.objects.get()
    client = as_user(club.members[0].user)
    assert f'href="?revoke={token.pk}"' in client.get(PAGE).content.decode()
    assert "essai" in client.get(f"{PAGE}?revoke={token.pk}").content.decode()
    token.refresh_from_db()
    assert token.revoked_at is None
    assert client.get(f"{PAGE}?revoke=x").status_code == 404


def test_the_page_says_which_keys_ended_and_when(club, as_user, time_machine):
    member = club.members[0]
    for name, days in (("Mur", 1), ("Tableau", 60), ("Vieille", 1)):
        key_of(member, club.at, "read", days=days)
        Token.objects.filter(name="essai").update(name=name)
    old = {"created_at": club.at - timedelta(days=200), "expires_at": club.at - timedelta(days=100)}
    Token.objects.filter(name="Vieille").update(**old)
    time_machine.move_to(club.at + timedelta(days=2), tick=False)
    client = as_user(member.user)
    page = client.get(PAGE).content.decode()
    assert "a expiré le 21\u00a0novembre 2026" in page and "retirée le" not in page
    client.post(f"{PAGE}?revoke={Token.objects.get(name='Tableau').pk}")
    page = client.get(PAGE).content.decode()
    assert "La clé est retirée" in page and "retirée le 22\u00a0novembre 2026" in page
    assert "Vous n’avez aucune clé" in page
    assert "Vieille" not in page
    key_of(club.members[1], club.at, days=1)
    assert "essai" not in client.get(PAGE).content.decode()


def test_revoking_twice_is_written_once(club):
    member = club.members[0]
    key_of(member, club.at)
    token = Token.objects.get()
    for minutes in (1, 2):
        at = club.at + timedelta(minutes=minutes)
        actions.revoke(token=token, by=club.player(member), at=at)
    token.refresh_from_db()
    assert token.revoked_at == club.at + timedelta(minutes=1)
    assert JournalEntry.objects.filter(verb="token_revoked").count() == 1


@pytest.mark.parametrize("scopes", [("read",), ("read", "direct"), ("arbitrate",), ("office",)])
def test_a_report_of_a_lost_device_revokes_the_keys_of_a_role(club, as_user, scopes):
    member = club.arbiter.member
    key_of(member, club.at, *scopes)
    key_of(club.committee.member, club.at)  # of somebody else
    as_user(member.user).post("/c/faizers/moi/reglages/", {"forget_devices": "1"})
    revoked = Token.objects.get(member=member).revoked_at is not None
    assert revoked is (scopes != ("read",))
    entries = JournalEntry.objects.filter(verb="token_revoked")
    assert [entry.subject for entry in entries] == [f"member:{member.pk}"] * revoked
    assert Token.objects.get(member=club.committee.member).revoked_at is None


def test_who_leaves_leaves_no_key_that_works_if_they_return(club, other_club):
    member, other = club.members[:2]
    row = {"organisation": other_club.organisation, "first_name": "Ada", "user": member.user}
    there = members.create(**row, by=other_club.committee, at=club.at)
    for own in (member, member, other, there):
        key_of(own, club.at)
    members.leave(member=member, by=club.committee, at=club.at, forget=False)
    revoked = Token.objects.filter(revoked_at=club.at)
    assert list(revoked.values_list("member", flat=True)) == [member.pk] * 2
    assert Token.objects.filter(revoked_at=None).count() == 2
    with pytest.raises(Refused):  # nor make one with the page they had open
        key_of(member, club.at)
    entries = JournalEntry.objects.filter(verb="token_revoked")
    written = set(entries.values_list("actor", "subject"))
    assert written == {(club.committee.user.pk, f"member:{member.pk}")} and len(entries) == 2


def test_the_journal_of_each_club_names_its_own_member_who_reports_a_loss(club, other_club):
    member = club.arbiter.member
    row = {"organisation": other_club.organisation, "first_name": "Ada", "user": member.user}
    there = members.create(**row, by=other_club.committee, at=club.at)
    for own in (member, there):
        key_of(own, club.at)
    pins.report_loss(member=member, by=club.player(member), at=club.at)
    entries = JournalEntry.objects.filter(verb="token_revoked")
    written = entries.values_list("organisation", "member_id_of_actor", "subject")
    assert set(written) == {
        (own.organisation_id, own.pk, f"member:{own.pk}") for own in (member, there)
    }


def test_a_factor_taken_away_revokes_every_key_of_the_account(club, ask):
    member = club.arbiter.member
    keys = [key_of(member, club.at, scope) for scope in ("read", "direct")]
    key_of(club.committee.member, club.at)
    ended = key_of(member, club.at, days=1)
    Token.objects.filter(key_hash=token_hash(ended)).update(
        expires_at=club.at, created_at=ago(club)
    )
    Authenticator.objects.create(user=member.user, type=Authenticator.Type.TOTP, data={})
    assert ask("seasons", keys[0]).status_code == 200
    by = Actor.system("command")
    pins.take_factors_away(user=member.user, by=by, at=club.at, reason="téléphone perdu")
    for key in keys:
        assert ask("seasons", key).json()["code"] == "token_revoked"
    assert Token.objects.live(at=club.at).get().member == club.committee.member
    entries = JournalEntry.objects.filter(verb="token_revoked")
    assert [entry.subject for entry in entries] == [f"member:{member.pk}"] * 2
    assert [entry.member_id_of_actor for entry in entries] == [None] * 2


def ago(club):
    return club.at - timedelta(days=2)


def test_nobody_revokes_or_makes_a_key_of_somebody_else(club, as_user):
    one, other = club.members[:2]
    key_of(one, club.at)
    token = Token.objects.get()
    address = f"{PAGE}?revoke={token.pk}"
    client = as_user(other.user)
    assert client.get(address).status_code == client.post(address).status_code == 404
    with pytest.raises(Refused):
        actions.revoke(token=token, by=club.player(other), at=club.at)
    for by in (club.player(other), Actor(other.user, one, PLAYER), Actor(one.user, other, PLAYER)):
        with pytest.raises(Refused) as refused:
            actions.create(member=one, name="x", scopes=["read"], days=30, by=by, at=club.at)
        assert refused.value.code == "not_theirs"
    token.refresh_from_db()
    assert token.revoked_at is None and Token.objects.count() == 1


def test_a_key_offers_what_the_role_of_its_member_can_do(club):
    offered = {
        name: actions.scopes_for(Access.of(user, club.organisation))
        for name, user in [
            ("player", club.members[0].user),
            ("arbiter", club.arbiter.user),
            ("committee", club.committee.user),
        ]
    }
    assert offered == {
        "player": ["read", "results"],
        "arbiter": ["read", "results", "direct", "arbitrate"],
        "committee": ["read", "results", "direct", "arbitrate", "office"],
    }


def test_each_scope_is_offered_with_the_code_that_the_api_names(club, as_user):
    page = as_user(club.arbiter.user).get(PAGE).content.decode()
    for scope in ("read", "results", "direct", "arbitrate"):
        assert f"{scope}\u00a0: " in page
    assert "office\u00a0: " not in page


def test_a_scope_beyond_the_role_and_an_empty_name_are_refused_next_to_their_field(club, as_user):
    client = as_user(club.members[0].user)
    answer = client.post(PAGE, {**GIVEN, "scopes": ["office"], "name": ""})
    assert answer.status_code == 422 and not Token.objects.exists()
    assert set(answer.context["form"].errors) == {"scopes", "name"}


@pytest.mark.parametrize(("held", "refused"), [(18, False), (19, False), (20, True)])
def test_a_member_has_at_most_twenty_keys(club, as_user, monkeypatch, held, refused):
    member = club.members[0]
    key_of(member, club.at)
    Token.objects.update(revoked_at=club.at)  # opens nothing, and counts no more
    for _number in range(held):
        key_of(member, club.at)
    key_of(club.members[1], club.at)  # counts for them alone
    answer = as_user(member.user).post(PAGE, GIVEN)
    assert (answer.status_code == 422) is refused
    assert Token.objects.live(at=club.at).filter(member=member).count() == held + (not refused)


@pytest.mark.parametrize(
    ("scope", "asked"), [("results", False), ("direct", True), ("arbitrate", True)]
)
def test_a_key_of_a_role_asks_again_who_one_is(club, as_user, settings, scope, asked):
    user = club.arbiter.user
    Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={"secret": "x"})
    client = as_user(user)
    settings.SECOND_FACTOR = True
    answer = client.post(PAGE, {**GIVEN, "scopes": ["read", scope]})
    assert (answer.status_code == 302) is asked
    assert Token.objects.exists() is not asked
