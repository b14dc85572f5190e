"""A person's own account: sessions, passkeys, another e-mail address."""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64encode
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.core import context
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.usersessions.models import UserSession
from django.core import mail
from django.db import DatabaseError, connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import translation

from clubs.accounts import device
from clubs.accounts.models import User
from clubs.members import actions as members
from clubs.members.models import Member, RoleGrant
from clubs.templatetags.devices import device_words
from config.auth.forms import KeyForm
from tests.clubhouse import NOW

pytestmark = pytest.mark.django_db
PASSWORD = "planted-password-77"
PHONE = "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36"
DESK = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0"
TABLET = "Mozilla/5.0 (iPad; CPU OS 17_5) AppleWebKit/605.1.15 Version/17.5 Safari/604.1"


@pytest.fixture
def user(club) -> User:
    user = club.members[0].user
    user.set_password(PASSWORD)
    user.save()
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


@pytest.mark.parametrize("name", ["account_change_password", "mfa_index", "usersessions_list"])
def test_a_page_of_the_account_leads_back_to_the_settings_and_names_no_other_page(user, name):
    page = sign_in(user).get(reverse(name)).content.decode()
    trail = page.partition('class="breadcrumb"')[2].partition("</nav>")[0]
    assert f'href="{reverse("clubs:settings")}"' in trail and "aria-current" not in trail


def sign_in(user: User, agent: str = DESK) -> Client:
    client = Client(HTTP_USER_AGENT=agent)
    client.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    assert "_auth_user_id" in client.session
    return client


def is_signed_in(client: Client) -> bool:
    return client.get(reverse("usersessions_list")).status_code == 200


# Sessions


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (PHONE, "Chrome, Android"),
        (DESK, "Firefox, Windows"),
        (TABLET, "Safari, iPad"),
        ("curl/8", "Appareil inconnu"),
        ("", "Appareil inconnu"),
    ],
)
def test_a_device_in_words(agent, words):
    assert device_words(agent) == words


def test_the_list_names_devices_and_marks_the_current_one(user, club, clock):
    desk, _phone = sign_in(user), sign_in(user, PHONE)
    other = sign_in_as_other(club)
    page = desk.get(reverse("usersessions_list")).content.decode()
    assert page.count("Chrome, Android") == 2  # its name, and the hidden words of its button
    assert page.count("cet appareil") == 1
    assert page.index("Firefox, Windows") < page.index("cet appareil")
    assert "Safari, iPad" not in page
    assert is_signed_in(other)


def sign_in_as_other(club) -> Client:
    other = club.members[1].user
    other.set_password(PASSWORD)
    other.save()
    return sign_in(other, TABLET)


def test_one_device_is_signed_out_and_nobody_elses(user, club, clock):
    desk, phone, other = sign_in(user), sign_in(user, PHONE), sign_in_as_other(club)
    theirs = UserSession.objects.get(user=club.members[1].user)
    mine = UserSession.objects.get(user=user, user_agent=PHONE)
    here = UserSession.objects.get(user=user, user_agent=DESK)
    end = [reverse("clubs:session_end", kwargs={"session_id": s.pk}) for s in (theirs, mine, here)]
    assert desk.post(end[0]).status_code == 404
    assert is_signed_in(other)
    assert desk.get(end[1]).status_code == 405
    assert desk.post(end[1])["Location"] == reverse("usersessions_list")
    assert (is_signed_in(desk), is_signed_in(phone)) == (True, False)
    assert desk.post(end[2])["Location"] == reverse("account_logout")
    assert is_signed_in(desk)


def test_no_script_reads_what_a_browser_remembers_and_no_plain_connection_carries_it(
    club, settings
):
    settings.SESSION_COOKIE_SECURE = True
    answer, member = HttpResponse(), club.members[0]
    device.remember_device(answer, member)
    device.remember_asked(answer, 1, club.organisation.pk)
    device.remember_account(answer, member.user)
    assert len(answer.cookies) == len(device.SECONDS)
    for cookie in answer.cookies.values():
        assert (cookie["httponly"], cookie["samesite"], cookie["secure"]) == (True, "Lax", True)


def test_the_browser_drops_the_pages_it_holds_once_somebody_signed_out(user, clock):
    desk, page = sign_in(user), reverse("account_logout")
    assert "Clear-Site-Data" not in desk.get(page) and is_signed_in(desk)
    assert desk.post(page)["Clear-Site-Data"] == '"cache"'
    assert not is_signed_in(desk)


def test_all_other_devices_are_signed_out_at_once(user, club, clock):
    desk, phone, tablet = sign_in(user), sign_in(user, PHONE), sign_in(user, TABLET)
    other = sign_in_as_other(club)
    desk.post(reverse("usersessions_list"))
    assert [is_signed_in(one) for one in (desk, phone, tablet, other)] == [True, False, False, True]


def test_a_role_taken_and_an_account_closed_are_gone_at_the_next_request(club, root, as_user):
    officer, reader = as_user(club.committee.user), as_user(club.members[0].user)
    assert officer.get(f"{root}/gestion/membres/").status_code == 200
    members.grant(
        member=club.members[0],
        role=RoleGrant.COMMITTEE,
        by=club.committee.system("test"),
        at=club.at,
    )
    assert reader.get(f"{root}/gestion/membres/").status_code == 200
    for member in (club.committee.member, club.members[0]):
        RoleGrant.objects.filter(member=member).update(revoked_at=club.at)
    assert officer.get(f"{root}/gestion/membres/").status_code == 403
    assert reader.get(f"{root}/gestion/membres/").status_code == 403
    assert is_signed_in(reader)
    User.objects.filter(pk=club.members[0].user_id).update(is_active=False)
    assert not is_signed_in(reader)


def test_a_new_password_signs_the_others_out(user, clock):
    desk, phone = sign_in(user), sign_in(user, PHONE)
    new = "another-password-78"
    given = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    assert desk.post(reverse("account_change_password"), given).status_code == 302
    assert (is_signed_in(desk), is_signed_in(phone)) == (True, False)


def test_use_is_noted_once_an_hour_and_a_page_does_not_fail_for_it(user, clock, monkeypatch):
    client = sign_in(user)
    session = UserSession.objects.get(user=user)
    for minutes, writes in ((59, False), (61, True), (62, False), (122, True)):
        clock.move_to(NOW + timedelta(minutes=minutes))
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get("/aide/").status_code == 200
        wrote = [q for q in queries if "UPDATE" in q["sql"]]
        assert bool(wrote) is writes, minutes
        session.refresh_from_db()
    assert session.last_seen_at == NOW + timedelta(minutes=122)

    def full(_request):
        raise DatabaseError("database or disk is full")

    monkeypatch.setattr(UserSession.objects, "create_from_request", full)
    clock.move_to(NOW + timedelta(hours=5))
    assert client.get("/aide/").status_code == 200


# Passkeys


def test_the_login_page_offers_a_passkey_and_works_without(user, clock):
    page = Client().get(reverse("account_login")).content.decode()
    assert re.search(r'<button[^>]*id="passkey_login"[^>]*hidden', page)
    for way in ('name="password"', reverse("account_request_login_code")):
        assert way in page
    sign_in(user)


CLIENT_DATA = b'{"type": "webauthn.get", "challenge": "eA", "origin": "http://testserver"}'
PARTS = {
    "clientDataJSON": urlsafe_b64encode(CLIENT_DATA).decode().rstrip("="),
    "authenticatorData": "A" * 50,
    "signature": "AA",
}
UNKNOWN = {"id": "YWJj", "rawId": "YWJj", "response": PARTS, "clientExtensionResults": {}}
WITHOUT_SHAPE = {"id": "YWJj", "rawId": "YWJj", "response": PARTS, "clientExtensionResults": "x"}


NESTED = "[" * 3000
"""Deeper than Python reads."""


@pytest.mark.parametrize(
    "answer", ["{}", '{"id": "x"}', "[]", json.dumps(WITHOUT_SHAPE), json.dumps(UNKNOWN), NESTED]
)
def test_a_malformed_answer_of_a_key_is_refused_and_no_error(user, answer):
    said, stranger = {"credential": answer}, Client()
    page = stranger.post(reverse("mfa_login_webauthn"), said, follow=True).content.decode()
    assert "Cette clé n’est pas acceptée." in page and "Code incorrect" not in page
    assert "_auth_user_id" not in stranger.session
    key_form = KeyForm(said, user=user)
    with context.request_context(stranger.get("/").wsgi_request):
        assert not key_form.is_valid() and "credential" in key_form.errors
        assert key_form["credential"].label == "Clé d’accès"  # before the refusal


def test_too_many_tries_of_a_key_are_not_called_a_wrong_key(user, clock, rf):
    for _try in range(6):
        key_form = KeyForm({"credential": json.dumps(UNKNOWN)}, user=user)
        with context.request_context(rf.post("/")):
            assert not key_form.is_valid()
        said = key_form.errors["credential"]
    assert "Trop d’essais" in said[0]


def test_a_passkey_is_listed_and_removed_by_its_owner_alone(user, club, clock):
    key = Authenticator.objects.create(
        user=user,
        type=Authenticator.Type.WEBAUTHN,
        data={"name": "mon téléphone", "credential": {}},
    )
    remove = reverse("mfa_remove_webauthn", kwargs={"pk": key.pk})
    assert sign_in_as_other(club).post(remove).status_code == 404
    client = Client()
    client.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    assert "_auth_user_id" not in client.session  # the password alone is not enough any more
    client.force_login(user)
    clock.shift(timedelta(minutes=16))
    listed = client.get(reverse("mfa_list_webauthn")).content.decode()
    assert "mon téléphone" in listed and f'href="{reverse("mfa_index")}"' in listed
    assert reverse("mfa_reauthenticate_webauthn") in client.post(remove)["Location"]
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})  # a browser knows it
    client.post(remove)
    assert Authenticator.objects.filter(pk=key.pk).exists()
    codes = RecoveryCodes.activate(user).get_unused_codes()
    client.post(reverse("mfa_reauthenticate"), {"code": codes[0]})
    page = client.get(remove).content.decode()
    assert "<strong>mon téléphone</strong> ne vous connectera plus" in page
    assert f'href="{reverse("usersessions_list")}"' in page
    client.post(remove)
    assert not Authenticator.objects.filter(user=user).exists()


@pytest.mark.parametrize(
    ("language", "title", "label", "button"),
    [
        ("fr", "Renommer une clé d’accès", "Nom de la clé", "Retirer cette clé"),
        ("en", "Rename a passkey", "Name of the key", "Remove this key"),
        ("ro", "Redenumiți o cheie de acces", "Numele cheii", "Retrage această cheie"),
    ],
)
def test_the_pages_of_a_key_are_in_one_language(user, clock, language, title, label, button):
    client = sign_in(user)
    data = {"name": "mon téléphone", "credential": {}}
    key = Authenticator.objects.create(user=user, type=Authenticator.Type.WEBAUTHN, data=data)
    client.cookies["django_language"] = language
    pages = [
        client.get(reverse(name, kwargs={"pk": key.pk}), follow=True).content.decode()
        for name in ("mfa_edit_webauthn", "mfa_remove_webauthn")
    ]
    assert title in pages[0].partition("</title>")[0] and label in pages[0]
    assert button in pages[1]


# Another e-mail address


@pytest.fixture
def mandatory(settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"


def change(client: Client, email: str):
    return client.post(reverse("account_email"), {"action_add": "", "email": email})


def link_sent() -> str:
    found = re.search(r"https?://[^/]+(/\S+)", mail.outbox[-1].body)
    return found[1]


def test_a_new_address_counts_once_confirmed_and_the_old_one_is_told(user, club, clock, mandatory):
    old, new = user.email, "new@example.org"
    Member.objects.filter(pk=club.members[0].pk).update(email=old)
    client = sign_in(user)
    change(client, new)
    user.refresh_from_db()
    assert user.email == old
    assert mail.outbox[-1].to == [new]
    assert f"{new} devienne l’adresse du compte {old}" in mail.outbox[-1].body
    assert "Ignorez ce message" in mail.outbox[-1].body
    link = link_sent()
    mail.outbox.clear()
    page = client.get(link).content.decode()
    assert f"<strong>{new}</strong> est votre adresse" in page and f"remplace {old}." in page
    client.post(link)
    user.refresh_from_db()
    assert user.email == new
    for reader, words in ((client, f">{new}<"), (Client(), "connectez-vous avec elle")):
        page = reader.get(link).content.decode()  # a link is opened twice
        assert "il a déjà servi" in page and "Confirmer cette adresse" not in page
        assert words in page
    assert [letter.to for letter in mail.outbox] == [[old]]
    assert Member.objects.get(pk=club.members[0].pk).email == new
    assert [one.email for one in EmailAddress.objects.filter(user=user)] == [new]


def test_an_account_with_an_unconfirmed_address_keeps_it_while_another_waits(club, clock):
    """On a site where nobody confirms their address, or did not when the account was made."""
    for number, member in enumerate(club.members[:2]):
        client, old = Client(), member.user.email
        client.force_login(member.user)
        for new in (f"first{number}@example.org", f"second{number}@example.org"):
            assert change(client, new).status_code == 302
            client.post(reverse("account_email"), {"action_remove": "", "email": old})
            member.user.refresh_from_db()
            assert member.user.email == old
            kept = EmailAddress.objects.filter(user=member.user).order_by("pk")
            assert [address.email for address in kept] == [old, new]
        client.post(link_sent())
        member.user.refresh_from_db()
        assert member.user.email == new
        assert EmailAddress.objects.get(user=member.user).email == new


@pytest.mark.parametrize("language", ["fr", "en", "ro"])
def test_the_present_address_is_told_at_once_and_may_stop_the_change(
    user, clock, mandatory, language
):
    User.objects.filter(pk=user.pk).update(language=language)
    change(sign_in(user), "stranger@example.net")
    told, asked = mail.outbox
    assert (told.to, asked.to) == ([user.email], ["stranger@example.net"])
    assert "@example.net" in told.body and "stranger" not in told.body + told.subject
    assert reverse("account_reset_password") in told.body and "Firefox, Windows" in told.body
    with translation.override(language):
        assert translation.gettext("Changement d’adresse e-mail demandé") in told.subject
    mail.outbox.clear()
    Client().post(reverse("account_reset_password"), {"email": user.email})
    assert mail.outbox[-1].to == [user.email]


@pytest.mark.parametrize("act", ["one device", "the other devices", "a lost device"])
def test_signing_devices_out_takes_back_a_change_of_address(user, club, clock, mandatory, act):
    old, stranger, owner = user.email, sign_in(user), sign_in(user, PHONE)
    change(stranger, "stranger@example.org")
    link = link_sent()
    session = UserSession.objects.get(user=user, user_agent=DESK)
    settings_page = f"/c/{club.organisation.slug}/moi/reglages/"
    page, sent = {
        "one device": (reverse("clubs:session_end", kwargs={"session_id": session.pk}), {}),
        "the other devices": (reverse("usersessions_list"), {}),
        "a lost device": (settings_page, {"forget_devices": "1"}),
    }[act]
    assert "son lien n’est plus valable" in owner.post(page, sent, follow=True).content.decode()
    assert "son lien" not in owner.post(reverse("usersessions_list"), follow=True).content.decode()
    Client().post(link)
    user.refresh_from_db()
    assert user.email == old
    assert EmailAddress.objects.get(user=user).email == old


@pytest.mark.parametrize("way", ["changed", "forgotten"])
def test_a_new_password_takes_back_a_change_of_address(user, clock, mandatory, way):
    """Somebody with the former password had asked for it: the link would give them the account."""
    old, stranger, owner = user.email, sign_in(user), sign_in(user, PHONE)
    change(stranger, "stranger@example.org")
    link, new = link_sent(), dict.fromkeys(("password1", "password2"), "another-password-78")
    if way == "changed":
        owner.post(reverse("account_change_password"), {"oldpassword": PASSWORD, **new})
    else:
        Client().post(reverse("account_reset_password"), {"email": old})
        owner = Client()
        page = owner.get(link_sent())
        owner.post(page["Location"], new)
    user.refresh_from_db()
    assert user.check_password(new["password1"])
    Client().post(link)
    user.refresh_from_db()
    assert user.email == old


def test_a_new_password_keeps_the_address_of_an_account_that_is_not_confirmed_yet(user, clock):
    EmailAddress.objects.update(email=user.email.upper(), verified=False)
    new = dict.fromkeys(("password1", "password2"), "another-password-78")
    sign_in(user).post(reverse("account_change_password"), {"oldpassword": PASSWORD, **new})
    user.refresh_from_db()
    assert user.check_password(new["password1"])
    assert EmailAddress.objects.filter(user=user).exists()


def test_the_page_says_which_address_waits_and_takes_the_change_back(user, club, clock, mandatory):
    client = sign_in(user)
    page = client.get(reverse("account_email")).content.decode()
    assert user.email in page and "elle ne compte qu’une fois ce lien ouvert" in page
    assert "attend" not in page[page.index("<main") :]
    change(client, "new@example.org")
    page = client.get(reverse("account_email")).content.decode()
    assert "new@example.org attend" in page and "trois minutes" in page
    again = {"action_send": "", "email": "new@example.org"}
    early = "il y a moins de trois minutes"
    assert early in client.post(reverse("account_email"), again, follow=True).content.decode()
    assert len(mail.outbox) == 2  # to the present address, and the link
    clock.shift(timedelta(minutes=4))
    assert early not in client.post(reverse("account_email"), again, follow=True).content.decode()
    assert len(mail.outbox) == 3
    taken_back = {"action_remove": "", "email": "new@example.org"}
    words = (
        "Votre adresse ne change pas\u00a0: le lien envoyé à new@example.org n’est plus valable."
    )
    assert words in client.post(reverse("account_email"), taken_back, follow=True).content.decode()
    assert words in mail.outbox[-1].body
    assert "new@example.org" not in client.get(reverse("account_email")).content.decode()
    wrong = change(client, "no address")
    assert (
        'value="no address"' in wrong.content.decode() and "field__error" in wrong.content.decode()
    )


@pytest.mark.parametrize(
    ("page", "subject"),
    [
        ("account_request_login_code", "Code de connexion"),
        ("account_reset_password", "mot de passe"),
    ],
)
def test_an_address_that_waits_opens_no_account(user, clock, mandatory, page, subject):
    EmailAddress.objects.create(user=user, email="new@example.org")
    Client().post(reverse(page), {"email": "new@example.org"})
    assert [letter.subject for letter in mail.outbox if subject in letter.subject] == []
    Client().post(reverse(page), {"email": user.email.upper()})
    assert subject in mail.outbox[-1].subject


def test_who_is_signed_in_reads_whose_password_is_asked_for(user, clock):
    page = sign_in(user).get(reverse("account_reset_password")).content.decode()
    assert f"Compte ouvert\u00a0: {user.email}" in page
    assert "Note:" not in page and "connecté" not in page


def test_an_address_of_the_committees_choice_stays(user, club, clock, mandatory):
    Member.objects.filter(pk=club.members[0].pk).update(email="club@example.org")
    client = sign_in(user)
    change(client, "new@example.org")
    client.post(link_sent())
    assert Member.objects.get(pk=club.members[0].pk).email == "club@example.org"


def test_the_address_of_another_account_is_neither_told_nor_taken(user, club, clock, mandatory):
    client, other = sign_in(user), club.members[1].user
    said = []
    client.get(reverse("account_email"))
    for email in ("free@example.org", other.email):
        answer = client.post(
            reverse("account_email"), {"action_add": "", "email": email}, follow=True
        )
        page = answer.content.decode().replace(email, "ADDRESS")
        said.append(re.sub(r'(csrf\w*"?( value)?[=:] ?\S+|nonce="[^"]*"|since=\d+)', "", page))
        removal = {"action_remove": "", "email": email}
        client.post(reverse("account_email"), removal, follow=True)
    main = [page[page.index("<main") : page.index("</main>")] for page in said]
    tokens = [re.sub(r'name="csrfmiddlewaretoken"[^>]*', "", part) for part in main]
    assert tokens[0] == tokens[1]
    clock.shift(timedelta(minutes=5))  # one link to an address in three minutes
    change(client, other.email)
    said = client.post(link_sent(), follow=True).content.decode()
    assert f"Impossible de confirmer {other.email}" in said
    user.refresh_from_db()
    assert user.email != other.email


def test_a_late_answer_takes_nobodys_newer_session_away(user):
    """What the page of the sign-in asked for in its session may be answered after the sign-in."""
    late, signed_in = Client(), Client()
    signed_in.force_login(user)
    late.cookies["sessionid"] = "of-before-the-sign-in"
    for path in (reverse("service_worker"), reverse("offline"), "/"):
        assert "sessionid" not in late.get(path, follow=True).cookies, path
    gone = signed_in.post(reverse("account_logout")).cookies["sessionid"]
    assert (gone.value, gone["max-age"]) == ("", 0)


def test_changing_the_address_asks_who_one_is(user, clock, mandatory):
    client = sign_in(user)
    clock.shift(timedelta(minutes=16))
    assert "reauthenticate" in change(client, "new@example.org")["Location"]
    assert not mail.outbox
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    change(client, "new@example.org")
    assert mail.outbox[-1].to == ["new@example.org"]


def test_an_account_with_a_second_factor_may_change_its_address(user, clock, mandatory):
    client = sign_in(user)
    Authenticator.objects.create(
        user=user, type=Authenticator.Type.WEBAUTHN, data={"name": "clé", "credential": {}}
    )
    change(client, "new@example.org")
    assert mail.outbox[-1].to == ["new@example.org"]


def test_changes_of_address_are_limited(user, clock, mandatory):
    client = sign_in(user)
    answers = [change(client, f"new{n}@example.org").status_code for n in range(11)]
    assert answers[-1] == 429


@pytest.mark.parametrize(
    ("page", "posted", "field"),
    [
        ("account_login", {}, "id_login"),
        ("account_reset_password", {"email": "nope"}, "id_email"),
        ("account_request_login_code", {"email": "nope"}, "id_email"),
        ("account_set_password", {}, "id_password1"),
        ("account_email", {"action_add": "", "email": "nope"}, "id_email"),
    ],
)
def test_a_wrong_form_of_the_account_is_answered_in_words_and_not_by_the_browser(
    club, page, posted, field
):
    client = Client()
    if page in ("account_set_password", "account_email"):
        client.force_login(club.members[0].user)
    shown = client.get(reverse(page)).content.decode()
    form = next(part for part in shown.split("<form")[1:] if f'id="{field}"' in part)
    assert "novalidate" in form.split(">")[0]
    answer = " ".join(client.post(reverse(page), posted).content.decode().split())
    assert "<title> Erreur" in answer and f'href="#{field}"' in answer


@pytest.mark.parametrize(
    ("address", "first"),
    [("/compte/login/", "login"), ("/compte/password/change/", "oldpassword")],
)
def test_the_way_to_a_new_password_comes_after_the_fields_and_the_button(club, address, first):
    client = Client()
    if first == "oldpassword":
        user = club.members[0].user
        user.set_password(PASSWORD)
        user.save()
        client.force_login(user)
    page = client.get(address).content.decode()
    form = page[page.index(f'name="{first}"') :]
    places = [form.index(words) for words in ('type="password"', "<button", "password/reset/")]
    assert places == sorted(places) and page.count("password/reset/") == 1


def test_a_code_sent_to_a_former_address_gives_nobody_the_account_back(user, clock, mandatory):
    former, owner, stranger = user.email, sign_in(user), Client()
    stranger.post(reverse("account_request_login_code"), {"email": former})
    code = re.search(r"^[A-Z0-9]{4}-[A-Z0-9]{4}$", mail.outbox[-1].body, re.MULTILINE)[0]
    change(owner, "new@example.org")
    owner.post(link_sent())
    another = User.objects.create(email="another@example.org")
    EmailAddress.objects.create(user=another, email=former)  # changes to it meanwhile
    mail.outbox.clear()
    answer = stranger.post(reverse("account_confirm_login_code"), {"code": code}, follow=True)
    assert "l’adresse du compte a changé depuis" in answer.content.decode()
    assert 'name="password"' in answer.content.decode() and not mail.outbox
    assert "_auth_user_id" not in stranger.session
    user.refresh_from_db()
    assert user.email == "new@example.org"
    assert [one.email for one in EmailAddress.objects.filter(user=user)] == [user.email]


def test_who_waits_for_a_code_may_sign_in_otherwise(user, clock):
    client = Client()
    client.post(reverse("account_request_login_code"), {"email": "typo@example.org"})
    waits = client.get(reverse("account_login"))  # another tab, or the menu
    page = client.get(waits["Location"]).content.decode()
    assert page.count("typo@example.org") == 1 and "Autre adresse" in page
    assert f'action="{reverse("account_logout")}"' in page
    client.post(reverse("account_logout"), {"next": reverse("account_login")})
    credentials = {"login": user.email, "password": PASSWORD}
    assert 'name="password"' in client.get(reverse("account_login")).content.decode()
    client.post(reverse("account_login"), credentials)
    assert "_auth_user_id" in client.session


def test_the_page_that_confirms_an_address_names_it_once(club):
    """With the account that it belongs to only where that is known by another one."""
    user = club.committee.user
    EmailAddress.objects.filter(user=user).delete()
    own = EmailAddress.objects.create(user=user, email=user.email)
    new = EmailAddress.objects.create(user=user, email="neuve@example.org")
    for address, replaced in ((own, ""), (new, f"Elle remplace {user.email}.")):
        key = EmailConfirmationHMAC(address).key
        page = Client().get(reverse("account_confirm_email", args=[key])).content.decode()
        assert "est votre adresse\u00a0?" in page and page.count(address.email) == 1
        assert replaced in page
    gone = Client().get(reverse("account_confirm_email", args=["x"])).content.decode()
    assert "Ce lien n’est plus valable" in gone
