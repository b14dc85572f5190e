"""What a new club reads on its way to the first evening: each empty page says what to do next."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from clubs.members.models import RoleGrant
from clubs.organisations.models import Season
from clubs.setup import club_settings
from pairings.evenings.models import Evening
from tests.plugins.clock import NOW

pytestmark = pytest.mark.django_db
ROOT = "/c/faizers"


@pytest.fixture
def desk(club, as_user):
    """The committee's browser, on a club where no evening runs."""
    Evening.objects.filter(pk=club.evening.pk).update(state=Evening.State.CANCELLED)
    return as_user(club.committee.user)


def read(desk, page: str) -> str:
    shown = desk.get(f"{ROOT}{page}").content.decode()
    return " ".join(shown.replace("\u00a0", " ").split())


def announce(club) -> None:
    soon = NOW + timedelta(days=1)
    club.announce(soon, at=NOW)


def test_what_is_missing_of_the_club_is_named_where_it_is_to_do(club, desk):
    club.organisation.place = ""
    club.organisation.save()
    assert f"{club.organisation.name} : dites où l’on joue." in read(desk, "/gestion/demarrer/")
    club.organisation.place = "Salle A"
    club.organisation.save()
    assert "dites où l’on joue" not in read(desk, "/gestion/demarrer/")


def test_who_announces_an_evening_without_a_season_is_led_to_it(club, desk):
    there = f'href="{ROOT}/gestion/saisons/">Nouvelle saison'
    assert there not in read(desk, "/soirees/nouvelle/")
    Season.objects.filter(organisation=club.organisation).update(
        starts_on=NOW.date() - timedelta(days=300), ends_on=NOW.date() - timedelta(days=1)
    )
    assert there in read(desk, "/soirees/nouvelle/")


def test_the_committee_is_led_from_its_own_evening_to_the_next_one(club, desk, as_user):
    player = as_user(club.members[0].user)
    announced, directed = f'href="{ROOT}/soirees/nouvelle/"', "/conduite/"
    assert announced in read(desk, "/ma-soiree/")
    assert announced not in read(player, "/ma-soiree/")
    announce(club)
    assert directed in read(desk, "/ma-soiree/")
    assert directed not in read(player, "/ma-soiree/")


def test_the_home_page_takes_no_evening_for_the_first_day_of_the_season(club, desk):
    announce(club)
    page = read(desk, "/")
    assert "La saison commence le" not in page
    assert "Le classement de la saison commencera à la soirée du 21 novembre 2026." in page


@pytest.mark.parametrize("has_account", [True, False])
def test_a_role_without_an_account_is_no_use_yet_and_the_page_says_so(club, desk, has_account):
    member = club.members[0] if has_account else club.join("Paul", "Sans-Compte")
    sent = {"member": member.pk, "role": RoleGrant.ARBITER}
    page = desk.post(f"{ROOT}/gestion/roles/", sent, follow=True).content.decode()
    assert ("n’a pas encore de compte" in page) is not has_account


def test_who_was_sent_an_invitation_is_not_to_be_sent_another_for_a_role(club, desk):
    member = club.join("Paul", "Sans-Compte")
    club.invite(member=member)
    sent = {"member": member.pk, "role": RoleGrant.ARBITER}
    page = desk.post(f"{ROOT}/gestion/roles/", sent, follow=True).content.decode()
    assert "Rôle donné" in page and "envoyez une invitation" not in page


def test_an_import_names_the_columns_it_leaves_out_and_asks_for_a_corrected_file(desk):
    text = "Prénom;Nom;E-mail;Naissance\nZoé;Müller;pas-une-adresse;31/02/1990\n"
    file = SimpleUploadedFile("membres.csv", text.encode("latin-1"))
    columns = desk.post(f"{ROOT}/gestion/import/", {"file": file})["Location"]
    form = desk.get(columns).context["form"]
    guessed = {name: form[name].value() for name in form.fields if form[name].value() is not None}
    preview = desk.post(columns, guessed)["Location"]
    page = read(desk, preview.removeprefix(ROOT))
    assert "Colonnes non importées : Naissance." in page
    assert "Choisir le fichier corrigé" in page and "Importer 1 ligne" not in page


def test_the_journal_names_the_choice_of_a_season(club, desk):
    club_settings.open_season(
        organisation=club.organisation,
        name="2030",
        starts_on=NOW.date() + timedelta(days=2000),
        ends_on=NOW.date() + timedelta(days=2300),
        ds_mode="mean",
        by=club.committee,
        at=NOW,
    )
    assert "moyenne pondérée" in read(desk, "/gestion/journal/")
