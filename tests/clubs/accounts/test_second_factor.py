"""Who holds a role needs a second factor, after some days of grace; who plays never does."""

from __future__ import annotations

import json
import re
import time
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret, hotp_value
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.core import mail
from django.core.management import CommandError, call_command
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from django.utils import translation

from clubs.accounts import second_factor
from clubs.accounts.actor import Actor
from clubs.accounts.models import User
from clubs.journal.models import JournalEntry
from clubs.members import pins
from clubs.members.actions import MemberRefused
from clubs.members.invitations import actions as invitations
from tests.clubhouse import NOW
from tests.older_pages import send
from tests.refusals import refused

pytestmark = pytest.mark.django_db
PASSWORD = "planted-password-77"
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def asked(settings):
    settings.SECOND_FACTOR = True
    settings.SECOND_FACTOR_GRACE_DAYS = 14


def with_password(user: User) -> User:
    user.set_password(PASSWORD)
    user.save()
    return user


def sign_in(user: User, secret: str = "", code: str = "") -> Client:
    """A client with the password and, where the account has one, the second factor."""
    client = Client()
    client.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    if secret or code:
        code = code or f"{hotp_value(secret, int(time.time()) // 30):06d}"
        client.post(reverse("mfa_authenticate"), {"code": code})
    return client


def check_code_field(page) -> None:
    """Its label says what to type; no grey word in it says so again."""
    field = re.search(r'<input[^>]*name="code"[^>]*>', page.content.decode())
    assert field and "placeholder" not in field[0]


def factor_of(user: User) -> str:
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    return secret


def test_a_role_works_for_the_days_of_grace_and_then_leads_to_the_set_up(club, root, clock):
    client = sign_in(with_password(club.committee.user))
    page = client.get(f"{root}/gestion/")
    assert page.status_code == 200
    assert "Votre rôle demande une double vérification" in page.content.decode()
    for days, works in ((13, True), (14, False), (30, False)):
        clock.move_to(NOW + days * DAY)
        page = client.get(f"{root}/gestion/")
        assert (page.status_code == 200) is works, days
    assert page["Location"].startswith(f"{root}{reverse('mfa_index')}")


def test_grace_begins_at_the_first_request_and_not_again_without_the_factor(club, root, clock):
    user = with_password(club.committee.user)
    clock.move_to(NOW + 400 * DAY)
    assert sign_in(user).get(f"{root}/gestion/").status_code == 200
    secret = factor_of(user)
    clock.move_to(NOW + 420 * DAY)
    assert sign_in(user, secret).get(f"{root}/gestion/").status_code == 200
    Authenticator.objects.all().delete()
    assert sign_in(user).get(f"{root}/gestion/").status_code == 302


def test_a_role_that_waits_does_nothing_on_shared_pages_either(club, root, clock):
    client = sign_in(with_password(club.arbiter.user))
    assert client.get(root + "/").context["access"].is_arbiter
    clock.move_to(NOW + 15 * DAY)
    page = client.get(root + "/")
    assert page.context["access"].withheld == {"arbiter"}
    assert not page.context["access"].is_arbiter
    assert "Votre rôle attend votre double vérification" in page.content.decode()
    # Nobody proves who they are for a page of a role that they have not.
    assert client.get(f"{root}/gestion/membres/").status_code == 403


@pytest.mark.parametrize(
    ("who", "leads_to"), [("arbiter", "/arbitrage/"), ("committee", "/gestion/")]
)
def test_the_banner_leads_who_must_prove_a_factor_to_their_own_desk(
    club, root, clock, who, leads_to
):
    user = getattr(club, who).user
    old = sign_in(with_password(user))
    secret = factor_of(user)
    page = old.get(root + "/").content.decode()
    assert f'href="{root}{leads_to}"' in page[page.index("Votre rôle attend") :]
    asks = old.get(root + leads_to)
    code = f"{hotp_value(secret, int(time.time()) // 30):06d}"
    old.post(asks["Location"], {"code": code})
    assert old.get(root + leads_to).status_code == 200


def test_players_are_never_asked(club, root, clock):
    client = sign_in(with_password(club.members[0].user))
    for days in (0, 15, 90):
        clock.move_to(NOW + days * DAY)
        page = client.get(f"{root}/moi/")
        assert page.status_code == 200
        assert "double vérification" not in page.content.decode()
        refused = client.get(f"{root}/gestion/")
        assert refused.status_code == 403
        assert "Un membre du comité peut vous donner ce rôle." in refused.content.decode()
    assert User.objects.get(pk=club.members[0].user.pk).second_factor_asked_at is None


@pytest.mark.parametrize("asks", [True, False])
def test_the_roles_are_as_before_where_the_site_does_not_ask(club, root, clock, settings, asks):
    settings.SECOND_FACTOR = asks
    client = sign_in(with_password(club.committee.user))
    User.objects.update(second_factor_asked_at=NOW - 100 * DAY)
    assert client.get(f"{root}/gestion/").status_code == (302 if asks else 200)


def test_a_session_older_than_the_factor_must_use_it(club, root, clock):
    user = with_password(club.committee.user)
    old = sign_in(user)
    secret = factor_of(user)
    answer = old.get(f"{root}/gestion/")
    assert answer["Location"].startswith(f"{root}{reverse('mfa_reauthenticate')}?next=")
    check_code_field(old.get(answer["Location"]))
    code = f"{hotp_value(secret, int(time.time()) // 30):06d}"
    back = old.post(answer["Location"], {"code": code})
    assert back["Location"] == f"{root}/gestion/"
    assert old.get(f"{root}/gestion/").status_code == 200


def set_up(client: Client, root: str) -> None:
    """Install an application on its page, as a person does."""
    page = client.get(f"{root}{reverse('mfa_activate_totp')}")
    code = f"{hotp_value(page.context['form'].secret, int(time.time()) // 30):06d}"
    client.post(f"{root}{reverse('mfa_activate_totp')}", {"code": code})


def test_grace_is_counted_from_the_first_of_two_requests_at_once(club, rf):
    first, second = rf.get("/"), rf.get("/")
    for request in (first, second):
        request.session = {}
        request.user = User.objects.get(pk=club.committee.user.pk)
    until = NOW + 14 * DAY
    assert second_factor.obstacle_of(first, at=NOW) == ("", until)
    assert second_factor.obstacle_of(second, at=NOW + DAY) == ("", until)


def test_codes_for_a_lost_phone_alone_are_no_second_factor(club, root, clock):
    user = with_password(club.committee.user)
    client = sign_in(user)
    RecoveryCodes.activate(user)
    assert client.get(f"{root}/gestion/").status_code == 200
    clock.move_to(NOW + 14 * DAY)
    assert client.get(f"{root}/gestion/")["Location"].startswith(f"{root}{reverse('mfa_index')}")


@pytest.mark.django_db(transaction=True)  # allauth tells of a new factor once it is committed
def test_who_sets_up_the_first_factor_is_not_asked_for_it_at_once(club, root, clock):
    factor_of(club.arbiter.user)
    user = with_password(club.committee.user)
    client, other = sign_in(user), sign_in(user)
    client.get(f"{root}/gestion/")
    clock.move_to(NOW + 15 * DAY)
    assert client.get(f"{root}/gestion/?p=2").status_code == 302
    assert client.get(f"{root}/moi/").status_code == 200  # a page for which nothing is missing
    client.post(f"{root}{reverse('account_reauthenticate')}", {"password": PASSWORD})
    set_up(client, root)
    codes, way_back = f"{root}{reverse('mfa_view_recovery_codes')}", f'href="{root}/gestion/?p=2"'
    assert way_back in client.get(codes).content.decode()
    assert client.get(f"{root}/gestion/?p=2").status_code == 200
    assert way_back not in client.get(codes).content.decode()
    assert other.get(f"{root}/gestion/").status_code == 302


@pytest.mark.django_db(transaction=True)
def test_a_further_factor_is_no_proof_of_a_session_that_never_used_the_first(club, root, clock):
    user = with_password(club.committee.user)
    old = sign_in(user)
    Authenticator.objects.create(user=user, type="webauthn", data={"name": "key"})
    set_up(old, root)
    assert Authenticator.objects.filter(user=user, type="totp").exists()
    assert old.get(f"{root}/gestion/").status_code == 302


def test_a_session_that_used_a_lost_factor_proves_nothing_once_it_is_removed(club, root, clock):
    user = with_password(club.committee.user)
    lost = factor_of(user)
    thief = sign_in(user, lost)
    assert thief.get(f"{root}/gestion/").status_code == 200
    code = RecoveryCodes.activate(user).get_unused_codes()[0]
    owner = sign_in(user, code=code)
    Authenticator.objects.filter(type=Authenticator.Type.TOTP).delete()
    clock.shift(60)
    secret = factor_of(user)
    assert thief.get(f"{root}/gestion/").status_code == 302
    assert owner.get(f"{root}/gestion/").status_code == 200
    assert sign_in(user, secret).get(f"{root}/gestion/").status_code == 200


def test_a_form_sent_when_the_role_began_to_wait_is_not_lost(club, root, clock):
    user = with_password(club.committee.user)
    client = sign_in(user)
    client.get(f"{root}/gestion/")
    clock.move_to(NOW + 15 * DAY)
    sent = client.post(f"{root}/gestion/membres/nouveau/", {"first_name": "Ada", "last_name": "B"})
    assert sent["Location"].startswith(f"{root}{reverse('mfa_index')}")
    secret = factor_of(user)
    code = f"{hotp_value(secret, int(time.time()) // 30):06d}"
    client.post(f"{root}{reverse('mfa_reauthenticate')}", {"code": code})
    page = client.get(f"{root}/gestion/membres/nouveau/").content.decode()
    assert '<input type="hidden" name="first_name" value="Ada">' in page


def test_a_role_without_use_for_a_month_is_asked_again_and_a_player_is_not(club, root, clock):
    user = with_password(club.committee.user)
    secret = factor_of(user)
    officer, player = sign_in(user, secret), sign_in(with_password(club.members[0].user))
    for days in (29, 58):  # used in between
        clock.move_to(NOW + days * DAY)
        assert officer.get(f"{root}/gestion/").status_code == 200
    clock.move_to(NOW + 90 * DAY)
    assert "/reauthenticate/" in officer.get(f"{root}/gestion/")["Location"]
    assert "/reauthenticate/" in officer.get(f"{root}/gestion/")["Location"]
    assert officer.get(f"{root}/moi/").status_code == 200
    assert player.get(f"{root}/moi/").status_code == 200
    officer.post(f"{root}{reverse('account_reauthenticate')}", {"password": PASSWORD})
    assert officer.get(f"{root}/gestion/").status_code == 302  # not by the password alone
    code = f"{hotp_value(secret, int(time.time()) // 30):06d}"
    officer.post(f"{root}{reverse('mfa_reauthenticate')}", {"code": code})
    assert officer.get(f"{root}/gestion/").status_code == 200


# A lost phone


def test_a_recovery_code_signs_in_once_when_the_phone_is_lost(club, root, clock):
    user = with_password(club.committee.user)
    factor_of(user)
    code = RecoveryCodes.activate(user).get_unused_codes()[0]
    assert sign_in(user, code=code).get(f"{root}/gestion/").status_code == 200
    assert sign_in(user, code=code).get(f"{root}/gestion/").status_code == 302  # used up


def test_a_site_with_another_secret_key_keeps_factors_and_replaces_cards(
    club, root, settings, clock
):
    """As docs/archives.md says of a site that is moved."""
    user, member = with_password(club.committee.user), club.members[0]
    secret, seal = factor_of(user), pins.seal_of(member)
    settings.SECRET_KEY = "another-" + settings.SECRET_KEY
    assert sign_in(user, secret).get(f"{root}/gestion/").status_code == 200
    assert not pins.is_sealed(member, seal)


def test_codes_for_a_lost_phone_are_shown_with_the_first_factor(club, root, clock):
    client = sign_in(with_password(club.members[0].user))
    page = client.get(f"{root}{reverse('mfa_activate_totp')}")
    secret = page.context["form"].secret
    said = page.content.decode()
    check_code_field(page)
    assert f">{secret}<" in said and "otpauth://totp/" in said, "for who cannot scan"
    code = f"{hotp_value(secret, int(time.time()) // 30):06d}"
    shown = client.post(f"{root}{reverse('mfa_activate_totp')}", {"code": code}, follow=True)
    codes = RecoveryCodes(Authenticator.objects.get(type="recovery_codes")).get_unused_codes()
    assert len(codes) == 10
    assert all(code in shown.content.decode() for code in codes)
    file = client.get(f"{root}{reverse('mfa_download_recovery_codes')}").content.decode()
    assert file.splitlines()[-10:] == codes
    assert file.startswith(f"Codes de secours du compte {club.members[0].user.email}, testserver\n")
    assert "Il vous reste 10 codes." in client.get(f"{root}{reverse('mfa_index')}").content.decode()


def test_the_page_that_asks_for_the_code_says_what_to_do_without_the_phone(club, root, clock):
    user = with_password(club.members[0].user)
    factor_of(user)
    client = Client()
    sent = {"login": user.email, "password": PASSWORD}
    assert "<noscript>" not in client.get(reverse("account_login")).content.decode()
    shown = client.post(reverse("account_login"), sent, follow=True)
    check_code_field(shown)
    page = shown.content.decode()
    assert "Téléphone ou clé perdus ?" in page and "codes de secours" in page
    assert "Utiliser ma clé" not in page and "<noscript>" not in page, "they have no key"
    asked = sign_in(with_password(club.committee.user))
    factor_of(club.committee.user)
    again = asked.get(f"{root}/gestion/", follow=True).content.decode()
    assert "Téléphone ou clé perdus ?" in again


def test_a_committee_neither_sees_nor_takes_away_a_factor_nor_moves_an_account(club, root, clock):
    user, member = club.members[0].user, club.members[0]
    secret = factor_of(with_password(user))
    officer = sign_in(with_password(club.committee.user))
    card = f"{root}/gestion/membres/{member.pk}/"
    page = officer.get(card).content.decode()
    assert "mfa" not in page[page.index("<main") : page.index("</main>")]
    given = {"save": "1", "first_name": "Ada", "email": "taken-over@example.org"}
    assert send(officer, card, given).status_code == 302
    user.refresh_from_db()
    assert user.email != "taken-over@example.org"
    member.refresh_from_db()
    held, _token = club.invite(member=member, at=NOW)
    thief = User.objects.create_user("thief@example.org", PASSWORD)
    with pytest.raises(MemberRefused):
        invitations.accept(invitation=held, user=thief, first_name="A", last_name="B", at=NOW)
    assert sign_in(user, secret).get(f"{root}/moi/").status_code == 200


def test_the_operator_takes_a_lost_factor_away(club, root, clock, after_commit):
    user = with_password(club.committee.user)
    User.objects.filter(pk=user.pk).update(second_factor_asked_at=NOW - 100 * DAY)
    secret = factor_of(user)
    EmailAddress.objects.create(user=user, email="stranger@example.org")  # asked for by the thief
    lost, other = sign_in(user, secret), with_password(club.arbiter.user)
    sign_in(other, factor_of(other))
    assert lost.get(f"{root}/gestion/").status_code == 200
    with after_commit():
        call_command("reset_second_factor", user.email.upper(), reason="téléphone perdu")
    assert not Authenticator.objects.filter(user=user).exists()
    assert "/compte/login/" in lost.get(f"{root}/gestion/")["Location"]
    assert not UserSession.objects.filter(user=user).exists()
    assert not EmailAddress.objects.filter(email="stranger@example.org").exists()
    assert Authenticator.objects.get().user == UserSession.objects.get().user == other
    entry = JournalEntry.objects.get(verb="second_factor_removed")
    assert (entry.organisation, entry.reason) == (club.organisation, "téléphone perdu")
    assert entry.subject == f"member:{club.committee.member.pk}"
    [letter] = mail.outbox
    assert letter.to == [user.email] and settings.SITE_URL + reverse("mfa_index") in letter.body
    told = " ".join(render_to_string("mfa/_lost.html").split())
    assert "retire toutes vos clés et vos codes, déconnecte tous vos appareils" in told
    back = sign_in(user).get(f"{root}/gestion/")  # no new days of grace: to the set-up
    assert reverse("mfa_index") in back["Location"]


def test_a_factor_is_taken_from_who_has_one_for_a_reason(club):
    holder, other = club.arbiter.user, club.committee.user
    factor_of(holder)
    for user, reason, code in ((other, "perdu", "no_factor"), (holder, " ", "reason_required")):
        with refused(code):
            pins.take_factors_away(user=user, by=Actor.system(), at=NOW, reason=reason)
    assert Authenticator.objects.get().user == holder


def test_nothing_is_taken_away_without_account_factor_and_reason(club):
    user = club.committee.user
    for email, reason in ((user.email, "perdu"), ("nobody@example.org", "perdu")):
        with pytest.raises(CommandError):
            call_command("reset_second_factor", email, reason=reason)
    factor_of(user)
    with pytest.raises(CommandError, match="reason"):
        call_command("reset_second_factor", user.email, reason=" ")
    assert Authenticator.objects.filter(user=user).exists()
    assert not JournalEntry.objects.filter(verb="second_factor_removed").exists()


def test_a_factor_is_taken_from_exactly_the_address_that_was_typed(club):
    """PostgreSQL writes ı as I in capitals: a domain with one is another domain."""
    user = club.committee.user
    User.objects.filter(pk=user.pk).update(email="ana@maıl.example.org")
    factor_of(user)
    with pytest.raises(CommandError, match="No account"):
        call_command("reset_second_factor", "ana@mail.example.org", reason="perdu")


@pytest.mark.parametrize("language", ["fr", "en", "ro"])
@pytest.mark.parametrize("credential", ["", "x"])
def test_a_name_confirmed_by_enter_says_which_button_makes_the_key(club, language, credential):
    user = with_password(club.members[0].user)
    User.objects.filter(pk=user.pk).update(language=language)
    typed = {"name": "mon téléphone", "credential": credential}
    page = sign_in(user).post(reverse("mfa_add_webauthn"), typed).content.decode()
    with translation.override(language):
        button = translation.gettext("Ajouter")
        label = translation.gettext("Clé d’accès")
    words = re.search(r'<section class="error-summary".*?</section>', page, re.S)[0]
    assert "Credential" not in words and label in words and button in words
    assert 'value="mon téléphone"' in page


@pytest.mark.parametrize("data", ["é", "a", "AA", "eyJ9"])
def test_an_answer_of_no_key_adds_none_and_speaks_of_the_key(club, data):
    """A page that lost its challenge, or a program: it failed, or said that a code is wrong."""
    user = with_password(club.members[0].user)
    answer = {
        "id": data,
        "rawId": data,
        "type": "public-key",
        "response": {"clientDataJSON": data, "attestationObject": data},
        "clientExtensionResults": {},
    }
    typed = {"name": "mon téléphone", "credential": json.dumps(answer)}
    told = sign_in(user).post(reverse("mfa_add_webauthn"), typed)
    words = re.search(r'<section class="error-summary".*?</section>', told.content.decode(), re.S)
    assert "Cette clé n’est pas acceptée" in words[0]
    nested = {"name": "mon téléphone", "credential": "[" * 3000}
    assert sign_in(user).post(reverse("mfa_add_webauthn"), nested).status_code == 200
    assert not Authenticator.objects.filter(user=user).exists()
