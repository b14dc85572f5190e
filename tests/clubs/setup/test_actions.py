"""A club of one's own: `manage.py create_club`, then its set-up page."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from clubs.accounts.actor import COMMITTEE, Actor
from clubs.journal import chain as journal
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.models import Member
from clubs.organisations.models import Organisation, Season
from clubs.rulebooks.models import RuleBook
from pairings.evenings.models import Evening
from ratings.ledger.models import RatingList
from tests.clubhouse import account

pytestmark = pytest.mark.django_db
PASSWORD = "une-longue-phrase-secrete"


def create(slug: str = "lyon", name: str = "Club de Lyon", **options: str | bool) -> None:
    given = {"committee": "x@example.org", "first_name": "Ana", **options}
    call_command("create_club", slug, name, **given)


def test_a_club_is_made_with_its_first_committee_member(capsys, settings):
    settings.SITE_URL = "https://club.example.org"
    user = account("ana")
    create(committee=user.email.upper())
    assert capsys.readouterr().out == "Club de Lyon: https://club.example.org/gestion/demarrer/\n"
    club = Organisation.objects.get()
    member = Member.objects.get(organisation=club)
    assert (member.user, member.first_name) == (user, "Ana")
    phone = Client()
    phone.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    assert phone.get("/gestion/demarrer/").status_code == 200
    for path in ("/", "/classement/", "/regles/", "/ma-soiree/", "/soirees/", "/joueurs/"):
        assert phone.get(path).status_code == 200, path
    assert list(journal.verify(club)) == []
    first = JournalEntry.objects.filter(organisation=club).earliest("seq")
    assert first.verb == "organisation_founded"


def test_a_club_is_given_to_exactly_the_address_that_was_typed():
    """PostgreSQL writes ı as I in capitals: a domain with one is another domain."""
    user = account("ana")
    user.email = "ana@maıl.example.org"
    user.save(update_fields=["email"])
    with pytest.raises(CommandError, match="No account has the address ana@mail"):
        create(committee="ana@mail.example.org")


def test_who_founds_their_first_club_reads_it_in_its_language_and_keeps_it_in_the_next():
    user = account("ana")
    create(committee=user.email, language="ro")
    create("fesa", "FESA", committee=user.email, language="en")
    user.refresh_from_db()
    assert user.language == "ro"


@pytest.mark.parametrize(
    ("game", "values"),
    [
        ("Scrabble duplicate", []),
        ("Shogi", [{"match": {"usual_low": None, "usual_high": None}}]),
    ],
)
def test_a_club_of_another_game_begins_with_rules_that_find_no_score_rare(game, values):
    create(committee=account("ana").email, game=game)
    assert list(RuleBook.objects.drafts().values_list("values", flat=True)) == values


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"committee": "nobody@example.org"}, "No account has the address nobody@example.org"),
        ({"slug": "Deux mots"}, "slug"),
        ({"slug": "a" * 41}, "slug"),
        ({"slug": "taken"}, "already taken"),
        ({"slug": "Taken"}, "already taken"),
        ({"name": " "}, "name"),
        ({"time_zone": "Europe/Nulle-Part"}, "does not exist"),
        ({"time_zone": "../../etc/passwd"}, "does not exist"),
        ({"first_name": "  "}, "first name"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence_and_leaves_nothing(given, words):
    Organisation.objects.create(slug="taken", name="Déjà là")
    given = {"committee": account("ana").email, **given}
    with pytest.raises(CommandError, match=words):
        create(**given)
    assert Organisation.objects.count() == 1
    assert not Member.objects.exists()


def test_a_federation_is_set_up_by_its_lists_without_evenings():
    """It has no door to hang a poster at: the page leads to its first rating list."""
    user = account("ana")
    create("rhone", "Fédération du Rhône", committee=user.email, federation=True)
    desk = Client()
    desk.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    tasks = desk.get("/gestion/demarrer/").context["tasks"]
    assert [task["url"] for task in tasks] == [
        "/gestion/club/",
        "/gestion/cotes/",
        "/gestion/regles/brouillon/",
        "/gestion/membres/",
        "/gestion/roles/",
    ]
    assert tasks[0]["label"] == "La fédération" and tasks[1]["status"] == "todo"
    shown = desk.get("/gestion/").content.decode() + desk.get("/gestion/club/").content.decode()
    assert "du club" not in shown
    for words in ("/gestion/affiches/", "/gestion/saisons/", '/soirees/"', "Chaque soirée"):
        assert words not in shown
    opened = {"system": "glicko2", "kind": "", "category": "", "name": "Classement du Rhône"}
    assert desk.post("/gestion/cotes/nouvelle/", opened).status_code == 302
    tasks = desk.get("/gestion/demarrer/").context["tasks"]
    assert [task["status"] for task in tasks[:2]] == [
        "done",
        "done",
    ]  # it has an address to write to


def test_a_guest_alone_does_not_make_the_members_of_a_new_club():
    user = account("ana")
    create(committee=user.email)
    club = Organisation.objects.get(slug="lyon")
    desk = Client()
    desk.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")

    def members_row() -> str:
        tasks = desk.get("/gestion/demarrer/").context["tasks"]
        return next(task["status"] for task in tasks if task["url"] == "/gestion/membres/")

    by = Actor(user, Member.objects.get(), COMMITTEE)
    added = {"organisation": club, "by": by, "at": timezone.now()}
    members.create(first_name="Léo", is_guest=True, **added)
    assert members_row() == "todo"
    members.create(first_name="Mia", **added)
    assert members_row() == "done"


@pytest.mark.parametrize("federation", [False, True])
@pytest.mark.parametrize("others", [0, 1])
def test_who_founds_a_club_is_led_to_its_set_up_until_it_has_begun(federation, others):
    user = account("ana")
    user.set_password(PASSWORD)
    user.save()
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    for number in range(others):
        Organisation.objects.create(slug=f"autre-{number}", name="Autre")
    create(committee=user.email, federation=federation)
    prefix = "/c/lyon" if others else ""
    answer = signed_in(user)
    assert (
        answer.status_code == 200 and answer.request["PATH_INFO"] == f"{prefix}/gestion/demarrer/"
    )
    club = Organisation.objects.get(slug="lyon")
    if federation:
        RatingList.objects.create(organisation=club, slug="l", name="L", system="glicko2")
    else:
        day = club.created_at.date()
        Season.objects.create(organisation=club, name="1", starts_on=day, ends_on=day)
    assert "demarrer" not in signed_in(user).request["PATH_INFO"]


@pytest.mark.parametrize(
    ("kind", "page"), [("club", "/soirees/nouvelle/"), ("federation", "/gestion/cotes/nouvelle/")]
)
def test_an_empty_first_page_leads_the_committee_to_its_first_act(club, as_user, kind, page):
    Organisation.objects.update(kind=kind)
    Evening.objects.update(state="closed", closed_at=timezone.now())
    offered = f'href="{page}"'
    assert offered in as_user(club.committee.user).get("/").content.decode()
    for other in (as_user(club.members[0].user), Client()):
        assert offered not in other.get("/").content.decode()


def test_who_is_a_member_is_not_invited_to_come_and_try(club, as_user):
    Evening.objects.update(state="planned", starts_at=timezone.now() + timedelta(days=7))
    offered = f'href="{reverse("clubs:join")}"'
    assert "Prochaine soirée" in (page := Client().get("/").content.decode()) and offered in page
    page = as_user(club.members[0].user).get("/").content.decode()
    assert "Prochaine soirée" in page and offered not in page


def signed_in(user):
    typed = {"login": user.email, "password": PASSWORD}
    return Client().post(reverse("account_login"), typed, follow=True)


def test_the_desk_counts_the_guests_that_the_list_of_members_holds(club, as_user):
    Member.objects.filter(pk=club.members[0].pk).update(is_guest=True)
    belonging = Member.objects.of(club.organisation).belonging().count()
    waits = as_user(club.committee.user).get("/c/faizers/gestion/").context["awaiting"]
    assert "1 invité à confirmer" in [words for words, _page in waits]
    page = as_user(club.committee.user).get("/c/faizers/gestion/membres/").content.decode()
    assert f"{belonging} personnes" in page


def test_a_page_not_found_leads_to_players_only_where_there_is_a_club():
    page = Client().get("/rien/").content.decode()
    assert "Chercher un joueur" not in page and "Choisir un club" in page
    Organisation.objects.create(slug="seul", name="Seul")
    page = Client().get("/rien/").content.decode()
    assert "Chercher un joueur" in page and "Voir le classement" in page
    assert "Choisir un club" not in page


@pytest.mark.parametrize(("kind", "evenings"), [("club", True), ("federation", False)])
def test_help_contact_and_own_space_speak_of_evenings_only_where_there_are_some(
    club, as_user, kind, evenings
):
    Organisation.objects.update(kind=kind, contact_email="")
    client = as_user(club.members[0].user)
    pages = [client.get(f"/{name}/").content.decode() for name in ("aide", "contact", "moi")]
    pages.append(client.get("/nulle-part/").content.decode())
    said = ("Je suis là", "arbitre de la salle", "Mes absences", "Voir le classement")
    assert [words in page for words, page in zip(said, pages, strict=True)] == [evenings] * 4
    said = ("rectificatif", "Contacter la fédération", "Contacter la fédération", "Voir les cotes")
    assert [words in page for words, page in zip(said, pages, strict=True)] == [not evenings] * 4


def test_a_refused_page_of_one_of_several_clubs_leads_to_that_club(club, as_user):
    Organisation.objects.create(slug="autre", name="Autre")
    player = as_user(club.members[0].user)
    for page in (player.get("/c/faizers/gestion/"), player.get("/c/faizers/theme/")):
        words = page.content.decode()
        way = words[: words.index("Retour à la page du club")].rpartition("<a ")[2]
        assert 'href="/c/faizers/"' in way


def test_a_page_that_stands_alone_leads_to_the_club_of_its_address(club, settings, monkeypatch):
    """After a failure, a second arrival, or a form with the token of an earlier sign-in."""
    Organisation.objects.create(slug="autre", name="Autre")
    join = "/c/faizers/rejoindre/"

    def way(answer):
        page = answer.content.decode()
        return page[: page.index("Retour à la page du club")].rpartition("<a ")[2]

    refused = Client(enforce_csrf_checks=True).post(join)
    settings.TRUST_PROXY = True
    number = {"X-Request-ID": "0123456789abcdef0123456789abcdef"}
    once, twice = (Client().post(join, headers=number) for _n in range(2))

    def fail(*_given, **_named):
        raise ValueError

    monkeypatch.setattr("clubs.members.views_account.JoinForm", fail)
    failed = Client(raise_request_exception=False).get(join)
    assert [one.status_code for one in (refused, once, twice, failed)] == [403, 200, 409, 500]
    assert all('href="/c/faizers/"' in way(one) for one in (refused, twice, failed))
