"""The committee edits its club, its seasons and its announced evenings; set-up ends."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.utils import timezone, translation

from clubs.journal.models import JournalEntry
from clubs.members.models import RoleGrant
from clubs.organisations.models import Organisation, Season
from clubs.setup import club_settings, views
from clubs.setup.forms import SeasonForm
from pairings.evenings import actions as evenings
from pairings.evenings import common
from pairings.evenings.models import Evening
from tests.clubhouse import NOW
from tests.older_pages import seen, send
from tests.our_code import NO_LANGUAGE_OF_OURS
from tests.refusals import refused

pytestmark = pytest.mark.django_db
ROOT = "/c/faizers"
CLUB = f"{ROOT}/gestion/club/"
VALUES = {
    "name": "Club de Cluj",
    "place": "Casa Matei",
    "language": "ro",
    "time_zone": "Europe/Bucharest",
    "contact_email": "club@example.org",
}


def done(desk) -> int:
    tasks = desk.get(f"{ROOT}/gestion/demarrer/").context["tasks"]
    assert len(tasks) == 6
    return sum(task["status"] == "done" for task in tasks)


def announced(club, days: int = 40) -> Evening:
    return club.announce(NOW + timedelta(days=days), at=NOW)


def back_of(desk, page: str) -> list[str]:
    return [url for _label, url in desk.get(page).context["breadcrumb"]]


# Set-up


def test_set_up_ends_with_six_of_six(club, desk):
    Season.objects.filter(organisation=club.organisation, evenings__isnull=True).delete()
    RoleGrant.objects.filter(role=RoleGrant.ARBITER).update(revoked_at=NOW)
    before, next_step = done(desk), f'href="{ROOT}/soirees/nouvelle/"'
    assert next_step not in desk.get(f"{ROOT}/gestion/demarrer/").content.decode()

    desk.post(CLUB, {**VALUES, "seen": seen(desk, CLUB)})
    assert done(desk) == before + 1
    arbiter = {"member": club.members[0].pk, "role": RoleGrant.ARBITER}
    assert desk.post(f"{ROOT}/gestion/roles/", arbiter).status_code == 302
    assert done(desk) == before + 2
    assert desk.post(f"{ROOT}/gestion/affiches/").status_code == 302
    assert done(desk) == before + 3

    page = desk.get(f"{ROOT}/gestion/regles/brouillon/")
    book = {name: page.context["form"][name].value() for name in page.context["form"].fields}
    book = {name: value for name, value in book.items() if value not in (None, False)}
    assert desk.post(f"{ROOT}/gestion/regles/brouillon/", book).status_code == 302
    adopted = {
        "day": (timezone.now() + timedelta(days=2)).date().isoformat(),
        "reason": "Première version",
        "voted_by": "Le comité",
    }
    assert send(desk, f"{ROOT}/gestion/regles/adopter/", adopted).status_code == 302
    assert done(desk) == 6
    page = desk.get(f"{ROOT}/gestion/demarrer/").content.decode()
    assert "Fait : 6 sur 6." in page and next_step in page


def test_pages_opened_from_an_unfinished_set_up_lead_back_to_it(club, desk, monkeypatch):
    members, start = f"{ROOT}/gestion/membres/", f"{ROOT}/gestion/demarrer/"
    assert back_of(desk, members) == [f"{ROOT}/gestion/"]
    assert done(desk) < 6
    assert back_of(desk, start) == [f"{ROOT}/gestion/"]
    assert back_of(desk, members) == [f"{ROOT}/gestion/", start]
    assert back_of(desk, f"{ROOT}/gestion/journal/") == [f"{ROOT}/gestion/"]
    monkeypatch.setattr(views, "tasks_of", lambda _organisation: [{"status": "done"}])
    desk.get(start)
    assert back_of(desk, members) == [f"{ROOT}/gestion/"]


def test_every_task_leads_to_a_page_that_opens(club, desk):
    for task in desk.get(f"{ROOT}/gestion/demarrer/").context["tasks"]:
        assert desk.get(task["url"]).status_code == 200, task["label"]


def test_posters_are_noted_once(club, desk):
    for _twice in range(2):
        desk.post(f"{ROOT}/gestion/affiches/")
    assert JournalEntry.objects.filter(verb="posters_hung").count() == 1


# The club


def test_the_committee_edits_its_club(club, neighbours, desk):
    assert desk.post(CLUB, {**VALUES, "seen": seen(desk, CLUB)}).status_code == 302
    club.organisation.refresh_from_db()
    assert {name: getattr(club.organisation, name) for name in VALUES} == VALUES
    entry = JournalEntry.objects.get(verb="club_edited")
    assert entry.after["place"] == "Casa Matei" and entry.before["time_zone"] == "Europe/Paris"
    neighbours.organisation.refresh_from_db()
    assert neighbours.organisation.name == "Club voisins"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "  "),
        ("name", "x" * 81),
        ("name", "\u202e"),
        ("language", NO_LANGUAGE_OF_OURS),
        ("time_zone", "Europe/Atlantis"),
        ("contact_email", "no address"),
    ],
)
def test_a_wrong_value_is_named_beside_its_field_and_nothing_is_lost(club, desk, field, value):
    answer = desk.post(CLUB, {**VALUES, field: value, "seen": seen(desk, CLUB)})
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]
    assert 'value="Casa Matei"' in answer.content.decode()
    club.organisation.refresh_from_db()
    assert club.organisation.place == ""


def test_time_zones_are_offered_by_their_present_names_and_a_stored_former_one_stays(club, desk):
    def offered() -> list[str]:
        return [name for name, _label in desk.get(CLUB).context["form"]["time_zone"].field.choices]

    assert {"Europe/Bucharest", "Asia/Kolkata", "Indian/Reunion", "UTC"} <= set(offered())
    assert not {"US/Pacific", "GB", "Asia/Calcutta", "Etc/GMT+1"} & set(offered())
    Organisation.objects.filter(pk=club.organisation.pk).update(time_zone="Asia/Calcutta")
    assert "Asia/Calcutta" in offered()
    for zone, status in (("Asia/Calcutta", 302), ("US/Pacific", 422)):
        sent = {**VALUES, "time_zone": zone, "seen": seen(desk, CLUB)}
        assert desk.post(CLUB, sent).status_code == status
    club.organisation.refresh_from_db()
    assert (club.organisation.name, club.organisation.time_zone) == (
        VALUES["name"],
        "Asia/Calcutta",
    )


def test_nobody_overwrites_what_they_have_not_read(club, desk):
    read = seen(desk, CLUB)
    desk.post(CLUB, {**VALUES, "seen": read})
    late = {**VALUES, "name": "Autre nom", "seen": read}
    answer = desk.post(CLUB, late)
    assert answer.status_code == 422 and "Autre nom" in answer.content.decode()
    club.organisation.refresh_from_db()
    assert club.organisation.name == "Club de Cluj"
    assert (
        desk.post(CLUB, {**late, "seen": answer.context["form"]["seen"].value()}).status_code == 302
    )
    club.organisation.refresh_from_db()
    assert club.organisation.name == "Autre nom"


# A season


@pytest.mark.parametrize(
    ("starts", "ends", "accepted"),
    [
        ("2026-11-20", "2026-11-20", True),
        ("2026-11-21", "2027-12-31", False),
        ("2026-01-01", "2026-11-19", False),
        ("2026-11-20", "2026-11-19", False),
        ("2025-09-01", "2028-08-31", True),
    ],
)
def test_a_season_keeps_the_evenings_counted_in_it(club, desk, starts, ends, accepted):
    season = club.evening.season
    address = f"{ROOT}/gestion/saisons/{season.pk}/"
    data = {"name": "2026–27", "starts_on": starts, "ends_on": ends, "seen": seen(desk, address)}
    assert desk.post(address, data).status_code == (302 if accepted else 422)
    season.refresh_from_db()
    assert (season.name == "2026–27") is accepted
    assert JournalEntry.objects.filter(verb="season_edited").count() == accepted


def test_the_sum_or_mean_of_the_ds_is_corrected_until_the_first_evening(club, desk):
    season = club.season("Suivante", date(2028, 1, 1), date(2028, 12, 31), ds_mode="mean")
    address = f"{ROOT}/gestion/saisons/{season.pk}/"
    data = {"name": "Suivante", "starts_on": "2028-01-01", "ends_on": "2028-12-31"}
    assert desk.get(address).context["form"]["ds_mode"].value() == "mean"
    assert desk.post(address, {**data, "seen": seen(desk, address)}).status_code == 422
    sent = {**data, "ds_mode": "sum", "seen": seen(desk, address)}
    assert desk.post(address, sent).status_code == 302
    season.refresh_from_db()
    assert season.ds_mode == "sum"
    entry = JournalEntry.objects.get(verb="season_edited")
    assert (entry.before["ds_mode"], entry.after["ds_mode"]) == ("mean", "sum")

    read = seen(desk, address)
    Season.objects.filter(pk=season.pk).update(rule_fixed=True)  # its first evening opens now
    late = desk.post(address, {**data, "ds_mode": "mean", "seen": read})
    assert late.status_code == 422 and "ds_mode" not in late.context["form"].fields
    assert "Cumul de la DS\N{NO-BREAK SPACE}: somme" in desk.get(address).content.decode()
    with refused("ds_fixed"):
        club_settings.edit_season(
            season=season,
            changes={"name": "S", "starts_on": season.starts_on, "ends_on": season.ends_on}
            | {"ds_mode": "mean"},
            seen=seen(desk, address),
            by=club.committee,
            at=club.at,
        )
    season.refresh_from_db()
    assert (season.name, season.ds_mode) == ("Suivante", "sum")


def test_two_seasons_never_share_a_day_or_a_name(club, desk):
    season = club.evening.season
    club.season("Suivante", date(2028, 1, 1), date(2028, 12, 31))
    address = f"{ROOT}/gestion/saisons/{season.pk}/"
    data = {"name": "2026", "starts_on": "2026-01-01", "ends_on": "2028-01-01"}
    answer = desk.post(address, {**data, "seen": seen(desk, address)})
    assert answer.status_code == 422 and "Suivante" in answer.content.decode()
    data = {"name": "Suivante", "starts_on": "2026-01-01", "ends_on": "2027-12-31"}
    answer = desk.post(address, {**data, "seen": seen(desk, address)})
    assert list(answer.context["form"].errors) == ["name"]
    season.refresh_from_db()
    assert (season.name, season.ends_on) == ("2026", date(2027, 12, 31))


def test_the_form_of_a_season_shows_its_days(club, desk):
    page = desk.get(f"{ROOT}/gestion/saisons/{club.evening.season_id}/").content.decode()
    assert 'value="2026-01-01"' in page and 'value="2027-12-31"' in page


@pytest.mark.parametrize(("language", "label"), [("fr", "Nom"), ("en", "Name"), ("ro", "Nume")])
def test_the_name_of_a_season_is_not_that_of_a_person(language, label):
    with translation.override(language):
        assert str(SeasonForm().fields["name"].label) == label


def test_a_season_of_another_club_does_not_exist_here(club, neighbours, desk):
    other = neighbours.evening.season_id
    assert desk.get(f"{ROOT}/gestion/saisons/{other}/").status_code == 404


# An announced evening


def address_of(evening: Evening) -> str:
    return f"{ROOT}/soirees/{evening.held_on:%Y-%m-%d}/"


CHANGED = {"day": "2027-01-06", "hour": "18:15", "place": "Annexe"}


def test_an_announced_evening_is_moved(club, desk):
    evening = announced(club)
    page = desk.get(f"{address_of(evening)}modifier/").content.decode()
    assert 'value="2026-12-30"' in page and 'value="20:00"' in page
    answer = send(desk, f"{address_of(evening)}modifier/", CHANGED)
    assert answer["Location"] == f"{ROOT}/soirees/2027-01-06/"
    evening.refresh_from_db()
    assert (evening.held_on, evening.place) == (date(2027, 1, 6), "Annexe")
    assert evening.starts_at.isoformat() == "2027-01-06T17:15:00+00:00"
    entry = JournalEntry.objects.get(verb="evening_edited")
    assert entry.subject == f"evening:{evening.pk}" and entry.after["place"] == "Annexe"


def test_an_evening_that_is_open_is_not_moved(club, desk):
    answer = send(desk, f"{address_of(club.evening)}modifier/", CHANGED)
    assert answer.status_code == 422
    club.evening.refresh_from_db()
    assert club.evening.place == "" and club.evening.held_on == date(2026, 11, 20)


def test_an_evening_goes_to_a_day_of_a_season_only(club, desk):
    evening = announced(club)
    answer = send(desk, f"{address_of(evening)}modifier/", {**CHANGED, "day": "2031-01-01"})
    assert answer.status_code == 422 and list(answer.context["form"].errors) == ["day"]
    evening.refresh_from_db()
    assert evening.held_on == date(2026, 12, 30)


def test_an_evening_moved_to_a_day_that_has_one_is_its_second(club, desk):
    answer = send(desk, f"{address_of(announced(club))}modifier/", {**CHANGED, "day": "2026-11-20"})
    assert answer["Location"] == f"{ROOT}/soirees/2026-11-20/2/"


def test_a_stale_copy_moves_nothing(club):
    evening = announced(club)
    stale = Evening.objects.get(pk=evening.pk)
    told = {"auto_pair": True, "by": club.committee, "at": NOW}
    later = NOW + timedelta(days=41)
    evenings.edit_evening(evening=evening, starts_at=later, place="Ici", **told)
    with pytest.raises(common.EveningRefused):
        evenings.edit_evening(evening=stale, starts_at=later, place="Là", **told)
    evening.refresh_from_db()
    assert evening.place == "Ici"


def test_an_evening_is_cancelled_with_a_reason_that_players_read(club, desk, as_user):
    evening = announced(club)
    answer = desk.post(f"{address_of(evening)}modifier/", {"cancel": "1", "reason": ""})
    assert answer.status_code == 422
    evening.refresh_from_db()
    assert evening.state == Evening.State.PLANNED
    told = {"cancel": "1", "reason": "La salle est prise."}
    assert desk.post(f"{address_of(evening)}modifier/", told).status_code == 302
    page = as_user(None).get(address_of(evening)).content.decode()
    assert "Cette soirée est annulée." in page and "La salle est prise." in page


def test_the_page_says_whose_role_was_given_and_withdrawn(club, as_user):
    desk, member = as_user(club.committee.user), club.members[0]
    given = {"member": member.pk, "role": RoleGrant.ARBITER}
    page = desk.post(f"{ROOT}/gestion/roles/", given, follow=True)
    assert f"Rôle donné\u00a0: {member} (Arbitre)." in page.content.decode()
    grant = RoleGrant.objects.get(member=member, revoked_at__isnull=True)
    page = desk.post(f"{ROOT}/gestion/roles/", {"withdraw": grant.pk}, follow=True)
    assert f"Rôle retiré\u00a0: {member} (Arbitre)." in page.content.decode()
