"""Who a request is: the key's member with their role of now, or a visitor; never the session."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.test import Client, RequestFactory
from django.utils import translation

from api.tokens.models import Scope, Token
from api.v1 import bearer
from api.v1.problems import Problem
from clubs.accounts.models import User
from clubs.accounts.permissions import access_of
from clubs.accounts.rate_limits import Limit
from clubs.members import actions as members
from clubs.members.models import Member, RoleGrant
from clubs.organisations.models import Organisation
from pairings.evenings.admission.checkin_limits import CODES
from tests.api.keys import key_of
from tests.our_code import LANGUAGES

pytestmark = pytest.mark.django_db


def request_of(club, key="", *, at=None):
    """A request as the middleware leaves it, after the check of its key."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    request = RequestFactory().get("/api/v1/seasons", headers=headers)
    request.organisation, request.received_at = club.organisation, at or club.at
    request.auth = bearer.Bearer()(request)
    return request


def test_without_a_key_one_reads_as_a_visitor(club, ask):
    assert ask("seasons").status_code == 200
    request = request_of(club)
    assert access_of(request).user is None and access_of(request).member is None


def test_a_session_counts_for_nothing(club, as_user, monkeypatch):
    seen = []
    monkeypatch.setattr(bearer, "become", lambda request, token: seen.append((request, token)))
    client = as_user(club.committee.user)
    client.get("/c/faizers/api/v1/seasons")
    ((request, token),) = seen
    assert request.user == club.committee.user and token is None
    monkeypatch.undo()
    bearer.become(request, None)
    assert access_of(request).user is None and not request.user.is_authenticated


def test_a_key_has_the_roles_its_member_holds_at_that_moment(club):
    key = key_of(club.committee.member, club.at)
    assert bearer.actor(request_of(club, key), Scope.OFFICE, "committee").origin == "api"
    system = club.committee.system("test")
    members.grant(member=club.members[0], role=RoleGrant.COMMITTEE, by=system, at=club.at)
    members.withdraw_role(
        member=club.committee.member, role=RoleGrant.COMMITTEE, by=system, at=club.at
    )
    with pytest.raises(PermissionDenied):
        bearer.actor(request_of(club, key), Scope.OFFICE, "committee")


def test_a_role_that_needs_a_second_factor_needs_it_for_a_key_too(club, settings):
    key = key_of(club.committee.member, club.at)
    settings.SECOND_FACTOR = True
    factor = {"type": Authenticator.Type.TOTP, "data": {"secret": "x"}}
    Authenticator.objects.create(user=club.arbiter.user, **factor)  # is nothing of another account
    request = request_of(club, key)
    assert access_of(request).is_member and bearer.actor(request, Scope.RESULTS)
    with pytest.raises(PermissionDenied):
        bearer.actor(request, Scope.OFFICE, "committee")
    Authenticator.objects.create(user=club.committee.user, **factor)
    assert bearer.actor(request_of(club, key), Scope.OFFICE, "committee").role == "committee"


def test_a_role_that_waits_for_a_second_factor_is_not_called_a_role_not_held(club, ask, settings):
    settings.SECOND_FACTOR = True
    for member, words in (
        (club.arbiter.member, "Your role is waiting for your two-step verification."),
        (club.members[0], "Your role in this club does not allow that."),
    ):
        answer = ask("contests", key_of(member, club.at), language="en")
        assert answer.status_code == 403 and answer.json()["detail"] == words


@pytest.mark.parametrize("scope", Scope)
def test_a_key_without_a_scope_is_told_which_it_lacks(club, scope):
    others = [other.value for other in Scope if other is not scope]
    key = key_of(club.committee.member, club.at, *others)
    with pytest.raises(Problem) as refusal:
        bearer.check_scope(request_of(club, key), scope)
    assert (refusal.value.status, refusal.value.code) == (403, "scope_needed")
    assert f"« {scope.value} »" in refusal.value.detail


def test_a_key_without_reading_reads_nothing(club, ask):
    key = key_of(club.members[0], club.at, "results")
    for address in ("seasons", "seasons?limit=many"):  # before its values are looked at
        answer = ask(address, key)
        assert answer.status_code == 403 and answer.json()["code"] == "scope_needed"
    assert ask("seasons?limit=many", None).status_code == 422


def test_acting_without_a_key_asks_for_one(club):
    with pytest.raises(Problem) as refusal:
        bearer.actor(request_of(club), Scope.RESULTS)
    assert refusal.value.status == 401


@pytest.mark.parametrize(("seconds", "status"), [(-1, 200), (0, 401), (1, 401)])
def test_a_key_ends_at_its_hour(club, ask, seconds, status):
    key = key_of(club.members[0], club.at, days=1)
    with time_machine.travel(club.at + timedelta(days=1, seconds=seconds), tick=False):
        answer = ask("seasons", key)
    assert answer.status_code == status
    if status == 401:
        assert answer.json()["code"] == "token_expired"
        assert answer["WWW-Authenticate"] == "Bearer"


def test_unknown_revoked_and_orphaned_keys_open_nothing(club, ask):
    member = club.members[0]
    key = key_of(member, club.at)
    assert ask("seasons", "club_wrong").json()["code"] == "token_unknown"
    for header in (key, f"Basic {key}"):
        problem = ask("seasons", Authorization=header).json()
        assert problem["code"] == "token_unknown" and "Bearer club_" in problem["detail"]
    Token.objects.update(revoked_at=club.at)
    assert ask("seasons", key).json()["code"] == "token_revoked"
    Token.objects.update(revoked_at=None)
    members.leave(member=member, by=club.player(member), at=club.at, forget=False)
    assert ask("seasons", key).json()["code"] == "token_revoked"
    Token.objects.update(revoked_at=None)  # as of who left before a departure revoked keys
    answer = ask("seasons", key)
    assert (answer.status_code, answer.json()["code"]) == (401, "token_ended")


def test_a_key_of_another_club_is_refused(club, neighbours, ask):
    key = key_of(neighbours.committee.member, club.at)
    answer = ask("seasons", key)
    assert (answer.status_code, answer.json()["code"]) == (403, "token_of_another_club")
    assert ask("seasons", key, of=neighbours).status_code == 200


@pytest.mark.parametrize(("minutes", "notes"), [(59, 1), (60, 2), (61, 2)])
def test_the_last_use_is_noted_once_an_hour(club, minutes, notes):
    one, other = club.members[:2]
    key = key_of(one, club.at)
    key_of(other, club.at)
    used = []
    for after in (0, minutes):
        request_of(club, key, at=club.at + timedelta(minutes=after))
        used.append(Token.objects.get(member=one).last_used_at)
    assert len(set(used)) == notes and None not in used
    assert Token.objects.get(member=other).last_used_at is None


def test_a_key_and_an_address_have_their_own_limits(club, ask, monkeypatch):
    minute = timedelta(minutes=1)
    monkeypatch.setattr(bearer, "OF_A_KEY", Limit(name="k", amount=2, span=minute))
    monkeypatch.setattr(bearer, "OF_AN_ADDRESS", Limit(name="a", amount=1, span=minute))
    key = key_of(club.members[0], club.at)
    assert [ask("seasons", key).status_code for _try in range(3)] == [200, 200, 429]
    assert [ask("seasons").status_code for _try in range(2)] == [200, 429]
    answer = ask("seasons", "club_guess")
    assert answer.status_code == 429 and 1 <= int(answer["Retry-After"]) <= 60


def test_an_address_of_many_wrong_keys_keeps_no_right_one_out(club, ask, monkeypatch):
    limit = Limit(name="a", amount=1, span=timedelta(minutes=1))
    monkeypatch.setattr(bearer, "OF_AN_ADDRESS", limit)
    assert [ask("seasons", "club_guess").status_code for _try in range(3)] == [401, 429, 429]
    assert ask("seasons").status_code == 429
    assert ask("seasons", key_of(club.members[0], club.at)).status_code == 200


def test_the_limits_are_those_that_the_documentation_says():
    page = (settings.BASE_DIR / "docs/api.md").read_text()
    said = re.search(r"(\d+) requests a minute a key, and as many an address", page)
    for limit in (bearer.OF_A_KEY, bearer.OF_AN_ADDRESS):
        assert (limit.amount, limit.span) == (int(said[1]), timedelta(minutes=1))
    said = re.search(r"of `arrivals` (\d+) wrong codes in ten minutes an address", page)
    assert (CODES.amount, CODES.span) == (int(said[1]), timedelta(minutes=10))


def test_an_act_without_a_key_is_refused_before_its_body_is_read(club):
    request = RequestFactory().post("/api/v1/members", "{", content_type="application/json")
    request.organisation, request.received_at = club.organisation, club.at
    with pytest.raises(Problem) as refusal:
        bearer.Bearer()(request)
    assert (refusal.value.status, refusal.value.code) == (401, "token_needed")


@pytest.mark.parametrize("asked", [None, "", "*", "de", "ro", "fr"])
def test_the_language_of_the_header_counts_before_that_of_the_account(club, neighbours, asked):
    User.objects.filter(pk=neighbours.committee.user.pk).update(language="en")
    headers = {"Authorization": f"Bearer {key_of(neighbours.committee.member, club.at)}"}
    headers |= {} if asked is None else {"Accept-Language": asked}
    answer = Client().get("/c/faizers/api/v1/seasons", headers=headers)
    with translation.override(asked if asked in LANGUAGES else "en"):
        said = translation.gettext("Cette clé est celle d’un autre club.")
    assert answer.json()["detail"] == said


@pytest.mark.parametrize("asked", [None, "", "*", "de", "en", "fr"])
@pytest.mark.parametrize("chosen", [None, "fr"])
def test_without_a_key_a_program_that_names_no_language_reads_the_clubs(club, asked, chosen):
    """It read French of a Romanian club; its pages were in Romanian."""
    Organisation.objects.filter(pk=club.organisation.pk).update(language="ro")
    visitor = Client()
    if chosen:
        visitor.cookies[settings.LANGUAGE_COOKIE_NAME] = chosen
    headers = {} if asked is None else {"Accept-Language": asked}
    answer = visitor.post("/c/faizers/api/v1/members", headers=headers)
    with translation.override(chosen or (asked if asked in LANGUAGES else "ro")):
        said = translation.gettext("Cette adresse demande une clé.")
    assert answer.json()["detail"] == said


@pytest.mark.parametrize("language", ["en", "ro"])
def test_a_key_that_is_refused_is_told_so_in_its_members_language(club, ask, monkeypatch, language):
    member = club.members[0]
    User.objects.filter(pk=member.user_id).update(language=language)
    key = key_of(member, club.at)
    limit = Limit(name="k", amount=1, span=timedelta(minutes=1))
    with translation.override(language):
        too_many = translation.gettext("Trop de requêtes\u00a0: réessayez dans %(n)s s.")
        revoked = translation.gettext("Cette clé est retirée.")
    Token.objects.update(revoked_at=club.at)
    assert ask("seasons", key, language="").json()["detail"] == revoked
    Token.objects.update(revoked_at=None)
    monkeypatch.setattr(bearer, "OF_A_KEY", limit)
    ask("seasons", key, language="")
    answer = ask("seasons", key, language="")
    assert answer.json()["detail"] == too_many % {"n": answer["Retry-After"]}


@pytest.mark.parametrize("gone", ["account", "membership"])
def test_a_key_ends_with_the_account_and_with_the_membership(club, ask, gone):
    member = club.members[0]
    key = key_of(member, club.at)
    assert ask("seasons", key).status_code == 200
    if gone == "account":
        User.objects.filter(pk=member.user_id).update(is_active=False)
    else:
        Member.objects.filter(pk=member.pk).update(left_at=club.at)
    answer = ask("seasons", key)
    assert (answer.status_code, answer.json()["code"]) == (401, "token_ended")


def test_an_address_without_a_club_is_told_to_name_one(club):
    request = request_of(club, key_of(club.members[0], club.at))
    request.organisation = None
    for ask in (bearer.club_of, bearer.in_club, lambda asked: bearer.actor(asked, Scope.RESULTS)):
        with pytest.raises(Problem) as refusal:
            ask(request)
        assert (refusal.value.status, refusal.value.code) == (400, "club_needed")


def test_an_address_to_act_at_has_its_actor_or_refuses(club):
    """Before what was sent is read: the scope first, then the role."""
    member = club.members[0]
    request = request_of(club, key_of(member, club.at))
    caller = bearer.Bearer(Scope.RESULTS)(request)
    assert (caller.by.member, caller.by.role, caller.by.origin) == (member, "player", "api")
    assert bearer.acting(request_acting(request, caller)) == caller.by
    with pytest.raises(PermissionDenied):
        bearer.Bearer(Scope.OFFICE, "committee")(request)
    reader = request_of(club, key_of(member, club.at, "read"))
    with pytest.raises(Problem) as refusal:
        bearer.Bearer(Scope.RESULTS)(reader)
    assert refusal.value.code == "scope_needed"


def request_acting(request, caller):
    """The request as the API hands it to an address, with who calls."""
    request.auth = caller
    return request
