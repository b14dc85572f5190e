"""The committee invites by mail: addresses, the message as it will read, the button that sends."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import timedelta

import pytest
import time_machine
from django.core import mail

from clubs.accounts.models import User
from clubs.members.actions import MemberRefused
from clubs.members.invitations import actions as invitations
from clubs.members.invitations import addresses as typed_addresses
from clubs.members.invitations.views import status_of
from clubs.members.models import Member
from clubs.members.models_access import Invitation, JoinRequest
from clubs.notifications import outbox
from clubs.organisations.models import Organisation
from tests.clubhouse import account
from tests.plugins.clock import NOW
from tests.printed_fields import Printed

pytestmark = pytest.mark.django_db


@pytest.fixture
def url(club) -> str:
    return f"/c/{club.organisation.slug}/gestion/inviter/"


def ask(club, name: str) -> JoinRequest:
    details = {"first_name": name, "last_name": "Neuve", "email": f"{name.lower()}@example.org"}
    return invitations.ask_to_join(organisation=club.organisation, at=club.at, **details)


DAY = timedelta(days=1)
TYPED = {"addresses": "ana@example.org\nion@example.org\n", "language": "ro", "days": "10"}


def test_the_message_is_read_before_anything_is_sent(club, desk, url, after_commit):
    with after_commit():
        page = desk.post(url, {**TYPED, "preview": "1"})
    text = page.content.decode()
    assert page.status_code == 200 and not Invitation.objects.exists() and mail.outbox == []
    assert page.context["count"] == 2 and 'name="send"' in text
    assert page.context["preview"][0] in text
    assert "ana@example.org\nion@example.org" in text.replace("\r\n", "\n")


def test_the_button_sends_to_each_and_the_list_says_so(club, desk, url, after_commit):
    by = club.committee.member
    Member.objects.filter(pk=by.pk).update(visibility=Member.MEMBERS)
    with after_commit():
        answer = desk.post(url, {**TYPED, "send": "1"}, follow=True)
    assert "2 invitations envoyées." in answer.content.decode()
    shown = f"\n{'.'.join(by.initials)}. "
    assert all(shown in m.body and by.first_name not in m.body for m in mail.outbox)
    assert sorted(message.to[0] for message in mail.outbox) == [
        "ana@example.org",
        "ion@example.org",
    ]
    assert all(f"http://testserver/c/{club.organisation.slug}/i/" in m.body for m in mail.outbox)
    assert [row["status"] for row in answer.context["rows"]] == ["envoi en cours"] * 2
    assert [row["status"] for row in desk.get(url).context["rows"]] == ["envoyée"] * 2
    assert {one.language for one in Invitation.objects.all()} == {"ro"}
    again = desk.post(url, {**TYPED, "send": "1"})
    assert again.status_code == 422
    assert again.context["form"].errors["addresses"] == ["Aucune adresse à inviter."]


def test_the_invited_person_opens_the_link_of_the_mail(club, desk, url, as_user, after_commit):
    with after_commit():
        desk.post(url, {**TYPED, "send": "1"})
    link = next(line for line in mail.outbox[0].body.splitlines() if line.startswith("http"))
    page = as_user(None).get(link)
    assert page.status_code == 200 and 'value="ana@example.org"' in page.content.decode()
    rows = desk.get(url).context["rows"]
    assert sorted(row["status"] for row in rows) == ["envoyée", "ouverte"]


def test_a_wrong_line_is_named_beside_the_field_and_nothing_typed_is_lost(desk, url):
    typed = "ana@example.org\nno address\n"
    page = desk.post(url, {**TYPED, "addresses": typed, "send": "1"})
    assert page.status_code == 422
    assert "Ligne 2" in page.context["form"].errors["addresses"][0]
    assert page.context["form"]["addresses"].value() == typed
    assert not Invitation.objects.exists()


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("a@x.org, b@x.org;c@x.org\td@x.org\n", ["a@x.org", "b@x.org", "c@x.org", "d@x.org"]),
        ('Ana <A@x.org>, "Unu, Bo" <b@x.org>\n;c@x.org;', ["a@x.org", "b@x.org", "c@x.org"]),
        ("a@x.org b@x.org a@x.org", ["a@x.org", "b@x.org"]),
        ("a@x.org, Bo", ["a@x.org", "« bo »"]),
        ("ana @x.org", ["« ana @x.org »"]),
        ("<a@x.org", ["« <a@x.org »"]),
    ],
)
def test_a_list_is_pasted_as_a_mail_program_writes_it(club, typed, read):
    """Nothing of it is left out without a word: what is no address is named."""
    addresses = typed_addresses.read(club.organisation, typed, at=NOW)
    told = [each.problem.partition(" n’est")[0] or each.email for each in addresses]
    assert [one.replace("\xa0", " ") for one in told] == read


@pytest.mark.parametrize(("count", "accepted"), [(99, True), (100, True), (101, False)])
def test_a_hundred_addresses_are_invited_at_once(club, count, accepted):
    typed = " ".join(f"a{number}@example.org" for number in [*range(count), 0])
    with nullcontext() if accepted else pytest.raises(MemberRefused, match="Au plus 100"):
        assert len(typed_addresses.read(club.organisation, typed, at=NOW)) == count


def test_who_needs_no_invitation_is_named_and_the_others_get_theirs(club, desk, url):
    desk.post(url, {**TYPED, "addresses": "ana@example.org", "send": "1"})
    known = club.members[0]
    typed = {**TYPED, "addresses": f"ana@example.org\nzoe@example.org\n{known.user.email}"}
    page = desk.post(url, {**typed, "preview": "1"})
    text = page.content.decode()
    assert page.status_code == 200 and page.context["count"] == 1
    assert "ana@example.org (déjà invitée)" in text and f"({known.full_name} a déjà" in text
    page = desk.post(url, {**typed, "send": "1"}, follow=True)
    said = [str(message) for message in page.context["messages"]]
    assert said[0] == "1 invitation envoyée." and "ana@example.org (déjà invitée)" in said[1]
    invited = Invitation.objects.order_by("pk").values_list("email", flat=True)
    assert list(invited) == ["ana@example.org", "zoe@example.org"]
    page = desk.post(url, {**typed, "preview": "1"})  # nobody is left
    assert page.context["count"] == 0 and 'name="send"' not in page.content.decode()


def test_an_invitation_is_sent_again_and_cancelled(club, desk, url, after_commit):
    with after_commit():
        desk.post(url, {**TYPED, "send": "1"})
    held = Invitation.objects.order_by("pk").first()
    with after_commit():
        desk.post(url, {"resend": held.pk})
    assert len(mail.outbox) == 3
    desk.post(url, {"revoke": held.pk})
    page = desk.get(url)
    assert sorted(row["status"] for row in page.context["rows"]) == ["annulée", "envoyée"]
    assert page.content.decode().count('name="resend"') == 1


def test_a_neighbours_invitation_is_not_touched(club, neighbours, desk, url, as_user):
    desk.post(url, {**TYPED, "send": "1"})
    held = Invitation.objects.order_by("pk").first()
    stranger = as_user(neighbours.committee.user)
    for act in ("resend", "revoke"):
        answer = stranger.post(
            f"/c/{neighbours.organisation.slug}/gestion/inviter/", {act: held.pk}
        )
        assert answer.status_code == 404
    page = stranger.get(f"/c/{neighbours.organisation.slug}/gestion/inviter/").content.decode()
    assert held.email not in page and held.email in desk.get(url).content.decode()
    assert Invitation.objects.get(pk=held.pk).token_hash == held.token_hash


SENT = {"email": "a@example.org", "mailed_at": NOW, "max_uses": 1, "expires_at": NOW + DAY}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "envoyée"),
        ({"mailed_at": None}, "envoi en cours"),
        ({"mailed_at": None, "mail_failed_at": NOW}, "non envoyée"),
        ({"opened_at": NOW}, "ouverte"),
        ({"email": ""}, "lien créé"),
        ({"email": "", "used_count": 1, "max_uses": 2}, "lien créé"),
        ({"expires_at": NOW}, "expirée"),
        ({"used_count": 1, "expires_at": NOW}, "acceptée"),
        ({"revoked_at": NOW, "used_count": 1}, "annulée"),
    ],
)
def test_an_invitation_says_what_became_of_it(more, said):
    assert status_of(Invitation(**{**SENT, **more}), NOW) == said


def test_a_link_that_names_a_member_is_offered_for_who_has_no_account_and_works_once(
    club, other_club, desk, url
):
    known, _elsewhere = club.join("Ion"), other_club.join("Ileana")
    offered = desk.get(f"{url}?par=lien").context["form"].fields["member"].queryset
    assert list(offered) == [known]
    desk.post(url, {"max_uses": "5", "days": "3", "member": known.pk})
    assert Invitation.objects.get(member=known).max_uses == 1


def test_the_page_of_requests_shows_its_club_who_waits_and_who_is_known(club, other_club, desk):
    page = f"/c/{club.organisation.slug}/gestion/demandes/"
    known = club.join("Ion", email="ion@example.org")
    club.join("Iancu", email="iancu@example.org", is_guest=True)
    names = ("Ion", "Iancu", "Radu")
    ion, iancu, radu = (ask(club, name) for name in names)
    elsewhere = ask(other_club, "Ileana")
    said = desk.post(page, {"request": radu.pk}, follow=True)
    assert "Demande refusée" in said.content.decode()
    assert said.context["rows"] == [(ion, known), (iancu, None)]
    said = desk.post(page, {"request": radu.pk}, follow=True).content.decode()
    assert "Cette demande a déjà une réponse" in said and "Demande refusée" not in said
    assert desk.post(page, {"request": elsewhere.pk}).status_code == 404
    said = desk.post(page, {"request": iancu.pk, "accept": "1"}, follow=True).content.decode()
    assert "Iancu Neuve est membre. L’invitation est envoyée à iancu@example.org." in said


@pytest.mark.parametrize(("asked_in", "mailed_in"), [("ro", "ro"), ("en", "en"), ("de", "fr")])
def test_who_asked_to_join_is_invited_in_the_language_of_the_page_they_asked_on(
    club, client, desk, mailoutbox, after_commit, asked_in, mailed_in
):
    """A browser of another language reads the club's."""
    body = {"first_name": "Ana", "last_name": "Pop", "email": "ana@example.org"}
    root = f"/c/{club.organisation.slug}"
    client.post(f"{root}/rejoindre/", body, headers={"Accept-Language": asked_in})
    request = JoinRequest.objects.get()
    with after_commit():
        desk.post(f"{root}/gestion/demandes/", {"request": request.pk, "accept": "1"})
    begun = {"ro": "Bună ziua", "en": "Hello", "fr": "Bonjour"}
    assert mailoutbox[-1].body.startswith(begun[mailed_in])
    assert Member.objects.get(email="ana@example.org").language == mailed_in


def test_a_member_without_an_account_is_written_to_in_the_clubs_language(club):
    Organisation.objects.update(language="ro")
    club.organisation.refresh_from_db()
    assert outbox.language_of(club.join("Ana")) == "ro"


def test_a_link_with_its_qr_is_still_made(desk, url):
    page = desk.post(url, {"max_uses": "5", "days": "14"})
    assert page.context["link"].startswith("http://testserver/c/") and "<svg" in page.context["qr"]
    assert desk.get(f"{url}?par=lien").context["way"] == "lien"


@pytest.fixture
def production(settings) -> None:
    """Addresses must be confirmed, as on a real site."""
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"


ACCOUNT = {"account": "1", "password": "un-mot-de-passe-1"}
WELCOME = {"first_name": "Ana", "visibility": "everybody"}


@pytest.mark.usefixtures("production")
def test_the_link_in_a_mail_proves_the_address_it_was_sent_to(
    club, desk, url, as_user, after_commit
):
    with after_commit():
        desk.post(url, {**TYPED, "send": "1"})
    ana = next(message for message in mail.outbox if message.to == ["ana@example.org"])
    link = next(line for line in ana.body.splitlines() if line.startswith("http"))
    guest = as_user(None)
    page = guest.post(link, {**ACCOUNT, "email": "ana@example.org"}, follow=True)
    assert "Qui voit votre nom" in page.content.decode()
    assert guest.post(link, WELCOME).status_code == 302
    assert club.organisation.members.get(first_name="Ana").user.email == "ana@example.org"


@pytest.mark.usefixtures("production")
def test_an_address_typed_by_hand_is_confirmed_first_and_the_page_says_how(
    club, desk, url, as_user
):
    page = desk.post(url, {"max_uses": "1", "days": "3"})
    link = page.context["link"]
    guest = as_user(None)
    page = guest.post(link, {**ACCOUNT, "email": "zoe@example.org"}, follow=True)
    text = page.content.decode()
    assert "Confirmez votre adresse e-mail" in text
    assert "/compte/login/?next=/c/faizers/i/" in text
    assert 'name="password"' not in text


def test_a_code_that_is_none_leaves_the_invitation_unused(club, desk, url, as_user):
    link = desk.post(url, {"max_uses": "1", "days": "3"}).context["link"]
    guest = as_user(None)
    guest.post(link, {**ACCOUNT, "email": "zoe@example.org"})
    before = club.organisation.members.count()
    page = guest.post(link, {**WELCOME, "pin": "abcd"})
    assert page.status_code == 422
    assert page.context["form"].errors["pin"] == ["Le code a quatre chiffres."]
    assert club.organisation.members.count() == before
    assert guest.post(link, {**WELCOME, "pin": "1234"}).status_code == 302
    assert club.organisation.members.count() == before + 1


def test_an_account_that_the_same_form_made_at_this_moment_is_said(desk, url, as_user, monkeypatch):
    link = desk.post(url, {"max_uses": "1", "days": "3"}).context["link"]

    def sent_first(*_typed):
        User.objects.create_user("zoe@example.org")

    monkeypatch.setattr("clubs.members.forms.validate_password", sent_first)
    page = as_user(None).post(link, {**ACCOUNT, "email": "zoe@example.org"})
    assert page.status_code == 422
    assert Printed(page, "email").error == "Cette adresse a déjà un compte\u00a0: connectez-vous."


def test_a_refused_account_keeps_its_address_and_says_why_beside_each_field(
    club, desk, url, as_user
):
    link = desk.post(url, {"max_uses": "1", "days": "3"}).context["link"]
    guest = as_user(None)
    page = guest.post(link, {"account": "1", "email": "zoe@", "password": "court"})
    assert page.status_code == 422
    email, password = Printed(page, "email"), Printed(page, "password")
    assert email.is_refused and email.error == "Donnez une adresse e-mail."
    assert email.attributes["value"] == "zoe@"
    assert password.is_refused and "trop court" in password.error
    assert "value" not in password.attributes
    taken = club.members[0].user.email
    page = guest.post(link, {**ACCOUNT, "email": taken.upper()})
    assert Printed(page, "email").error == "Cette adresse a déjà un compte : connectez-vous."
    assert not Printed(page, "password").error


def test_members_without_an_account_are_invited_by_the_addresses_of_their_rows(
    club, other_club, desk, url
):
    Member.objects.filter(pk=club.members[0].pk).update(email="has-one@example.org")
    ana = club.join("Ana", email="ana@example.org")
    by, at = other_club.committee, other_club.at  # invited by another club alone
    invitations.invite(organisation=other_club.organisation, email=ana.email, by=by, at=at)
    child = club.join("Ion", email="ion@example.org", is_child=True)
    club.join("Zoe")
    other_club.join("Eva", email="eva@example.org")
    page = desk.get(url)
    assert page.context["without_account"] == 1 and 'href="?par=mail&amp;sans-compte"' in (
        page.content.decode()
    )
    page = desk.get(url, {"par": "mail", "sans-compte": ""})
    assert page.context["form"]["addresses"].value() == ana.email, child
    assert "Reprendre leurs adresses" not in page.content.decode()
    desk.post(url, {**TYPED, "addresses": ana.email, "send": "1"})
    assert Invitation.objects.get(organisation=club.organisation).member == ana
    assert desk.get(url).context["without_account"] == 0
    Member.objects.filter(pk=child.pk).update(guardian_name="Ada", guardian_agreed_on=NOW.date())
    assert desk.get(url).context["without_account"] == 1


@pytest.mark.parametrize("typed", ["", "0", "61", "deux"])
@pytest.mark.parametrize("way", ["mail", "link"])
def test_days_that_are_none_are_told_in_one_sentence(desk, url, way, typed):
    sent = TYPED if way == "mail" else {"max_uses": "1"}
    page = desk.post(url, {**sent, "days": typed})
    assert page.status_code == 422
    assert page.context["form"].errors == {"days": ["Donnez un nombre entier de 1 à 60."]}


def test_an_invitation_for_one_says_until_when_and_one_for_many_how_often_it_was_used(desk, url):
    desk.post(url, {"max_uses": "1", "days": "3"})
    assert "utilisation sur" not in (page := desk.get(url).content.decode())
    assert "jusqu’au" in page
    desk.post(url, {"max_uses": "5", "days": "3"})
    assert "0 utilisation sur 5" in desk.get(url).content.decode()


def test_a_member_of_another_club_does_not_type_their_address_again(club, other_club, as_user):
    user = other_club.members[0].user
    page = as_user(user).get(f"/c/{club.organisation.slug}/rejoindre/")
    assert page.context["form"]["email"].value() == user.email
    assert as_user(None).get("/c/faizers/rejoindre/").context["form"]["email"].value() is None


def test_a_federation_is_not_called_a_club_by_its_page_to_join(club, other_club, as_user):
    page = f"/c/{club.organisation.slug}/rejoindre/"
    reader = as_user(other_club.members[0].user)
    asked = {"first_name": "Ida", "last_name": "Pop", "email": "ida@example.org"}
    assert "Rejoindre le club" in reader.get(page).content.decode()
    words = {"by": "", "link": "", "until": club.at}
    assert "soirée" in outbox.write("invitation", "fr", {"club": club.organisation, **words})[1]
    Organisation.objects.filter(pk=club.organisation.pk).update(kind=Organisation.FEDERATION)
    shown = reader.get(page).content.decode()
    assert "Rejoindre le club" not in shown and "Rejoindre la fédération" in shown
    club.organisation.refresh_from_db()
    assert "soirée" not in outbox.write("invitation", "fr", {"club": club.organisation, **words})[1]
    sent = reader.post(page, {**asked, "consent": "on"}).content.decode()
    assert "Demande envoyée" in sent and "jouer" not in sent


@pytest.mark.parametrize("is_child", [True, False])
def test_a_child_who_asks_to_join_reads_that_the_committee_writes_to_the_parent(
    club, client, is_child
):
    asked = {"first_name": "Ida", "last_name": "Pop", "email": "ida@example.org", "is_minor": "on"}
    asked |= {"guardian_email": "parent@example.org"} | ({"is_child": "on"} if is_child else {})
    sent = client.post(f"/c/{club.organisation.slug}/rejoindre/", asked).content.decode()
    assert "Demande envoyée" in sent
    assert ("l’invitation attend son accord" in sent) is is_child


def test_who_asks_to_join_reads_both_ages_in_the_same_words(club, client):
    page = client.get(f"/c/{club.organisation.slug}/rejoindre/").content.decode()
    assert "J’ai moins de 18 ans" in page and "J’ai moins de 15 ans" in page


def test_an_invitation_opens_at_the_address_of_its_own_club_alone(club, other_club, as_user):
    invited = {"organisation": club.organisation, "by": club.committee, "at": club.at}
    _held, token = invitations.invite(**invited)
    assert as_user(None).get(f"/c/faizers/i/{token}/").status_code == 200
    elsewhere = f"/c/{other_club.organisation.slug}/i/{token}/"
    assert as_user(None).get(elsewhere).status_code == 404
    joining = {"first_name": "Ida", "last_name": "Pop", "visibility": "everybody"}
    assert as_user(account("ida")).post(elsewhere, joining).status_code == 404
    assert not Member.objects.filter(first_name="Ida").exists()


def test_a_member_who_asks_to_join_is_led_to_their_own_pages(club, as_user):
    answer = as_user(club.members[0].user).get("/c/faizers/rejoindre/", follow=True)
    assert answer.redirect_chain == [("/c/faizers/moi/", 302)]
    assert "Ce compte est déjà membre du club." in answer.content.decode()


def test_the_mail_says_until_which_hour_the_link_opens(club, desk, url, as_user, after_commit):
    with after_commit():
        desk.post(url, {**TYPED, "language": "ro", "days": "1", "send": "1"})
    body = mail.outbox[0].body
    link = next(line for line in body.splitlines() if line.startswith("http"))
    assert "până la 21\u00a0noiembrie 2026, ora 20:00." in body  # Paris; 19:00 UTC
    for second, status in ((-1, 200), (0, 410)):
        with time_machine.travel(NOW + timedelta(days=1, seconds=second), tick=False):
            assert as_user(None).get(link).status_code == status


def test_a_member_who_left_meanwhile_is_refused_beside_the_field(club, desk, url, monkeypatch):
    known, lock = club.join("Nora"), invitations.lock_as_read

    def late(member):
        Member.objects.filter(pk=member.pk).update(left_at=club.at)
        lock(member)

    monkeypatch.setattr(invitations, "lock_as_read", late)
    page = desk.post(url, {"max_uses": "1", "days": "3", "member": known.pk})
    assert "a changé" in page.context["form"].errors["member"][0]
    assert page.context["link"] == "" and not Invitation.objects.exists()


@pytest.mark.parametrize(
    ("typed", "said"),
    [("", "Indiquez l’adresse e-mail d’un parent."), ("papa", "Donnez une adresse e-mail")],
)
def test_what_is_wrong_with_a_parents_address_is_named_once(club, as_user, typed, said):
    body = {"first_name": "Léo", "last_name": "B", "email": "l@example.org", "is_minor": "on"}
    answer = as_user(None).post("/c/faizers/rejoindre/", {**body, "guardian_email": typed})
    (error,) = answer.context["form"].errors["guardian_email"]
    assert error.startswith(said)
