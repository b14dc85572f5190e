"""A form that edits stored values saves over none that its page did not show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from clubs.members.models import Member
from clubs.rulebooks.models import RuleBook
from ratings.handovers.queries import lists_open_to
from tests.clubhouse import Clubhouse, make_club
from tests.older_pages import send

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Case:
    """A page that edits: where it is, what two people type there, and how it prints the second."""

    address: Callable[[Clubhouse], str]
    stored: Callable[[Clubhouse], Any]
    first: dict[str, Any]
    second: dict[str, Any]
    field: str
    printed: str
    by: Callable[[Clubhouse], Any] = lambda club: club.committee.user
    button: str = ""


def season(club: Clubhouse) -> Any:
    return club.evening.season


def planned(club: Clubhouse) -> Any:
    return club.organisation.evenings.get(held_on__gt=club.evening.held_on)


def evening_page(club: Clubhouse) -> str:
    evening = club.announce(club.at + timedelta(days=7))
    return f"/c/faizers/soirees/{evening.held_on:%Y-%m-%d}/modifier/"


def draft(club: Clubhouse) -> Any:
    return RuleBook.objects.of(club.organisation, "faizers").drafts().get()


def member(club: Clubhouse) -> Member:
    return Member.objects.get(pk=club.members[0].pk)


def rules_page(club: Clubhouse) -> str:
    club.draft_rules({"cote": {"k_expert": 20}})
    return "/c/faizers/gestion/regles/brouillon/"


CASES = {
    "club": Case(
        address=lambda _club: "/c/faizers/gestion/club/",
        stored=lambda club: club.organisation.__class__.objects.get(pk=club.organisation.pk).place,
        first={"place": "Arad"},
        second={"place": "Sibiu"},
        field="place",
        printed="Sibiu",
    ),
    "season": Case(
        address=lambda club: f"/c/faizers/gestion/saisons/{club.evening.season_id}/",
        stored=lambda club: season(club).__class__.objects.get(pk=season(club).pk).name,
        first={"name": "Automne"},
        second={"name": "Hiver"},
        field="name",
        printed="Hiver",
    ),
    "member": Case(
        address=lambda club: f"/c/faizers/gestion/membres/{club.members[0].pk}/",
        stored=lambda club: member(club).last_name,
        first={"last_name": "Dubois"},
        second={"last_name": "Duval"},
        field="last_name",
        printed="Duval",
        button="save",
    ),
    "own choices": Case(
        address=lambda _club: "/c/faizers/moi/reglages/",
        stored=lambda club: member(club).visibility,
        first={"visibility": Member.EVERYBODY, "language": "en"},
        second={"visibility": Member.INITIALS},
        field="visibility",
        printed="Mes initiales seulement",
        by=lambda club: club.members[0].user,
    ),
    "evening": Case(
        address=evening_page,
        stored=lambda club: planned(club).place,
        first={"place": "Annexe"},
        second={"place": "Grande salle"},
        field="place",
        printed="Grande salle",
    ),
    "rules": Case(
        address=rules_page,
        stored=lambda club: draft(club).values["cote"].get("k_expert"),
        first={"cote-k_expert": "15"},
        second={"cote-k_expert": "18"},
        field="cote-k_expert",
        printed="18",
    ),
}


def as_printed(page: Any) -> dict[str, Any]:
    """What a browser sends of the form of a page when nothing is typed."""
    form = page.context["form"]
    values = {name: form[name].value() for name in form.fields}
    return {name: value for name, value in values.items() if value not in (None, False)}


@pytest.mark.parametrize("name", CASES)
def test_an_older_page_saves_nothing_and_then_shows_what_is_stored(club, as_user, name):
    case = CASES[name]
    address, person = case.address(club), as_user(case.by(club))
    before = case.stored(club)
    button = {case.button: "1"} if case.button else {}
    older = as_printed(person.get(address)) | button
    assert person.post(address, older | case.second).status_code == 302
    second = case.stored(club)
    assert second != before

    refused = person.post(address, older | case.first)
    assert refused.status_code == 422 and case.stored(club) == second
    form = refused.context["form"]
    assert form.non_field_errors() and set(form.errors) >= {"__all__", case.field}
    assert case.printed in form.errors[case.field][0]
    assert form[case.field].value() == case.first[case.field], "what was typed stays"
    untouched = set(form.fields) - set(case.first) - set(case.second)
    assert not untouched & set(form.errors), "what is the same is not spoken of"

    again = as_printed(refused) | button
    assert person.post(address, again).status_code == 302
    assert case.stored(club) != second


@pytest.mark.parametrize(("stored", "words"), [(True, "oui"), (False, "non")])
def test_a_box_that_somebody_ticked_or_emptied_meanwhile_is_read_in_words(
    club, desk, stored, words
):
    address = evening_page(club)
    page = desk.get(address)
    older = {**as_printed(page), "auto_pair": "on"}
    if stored:
        del older["auto_pair"]
    meanwhile = {"auto_pair": "on"} if stored else {}
    typed = {"day": older["day"], "hour": older["hour"], "place": "Annexe", **meanwhile}
    send(desk, address, typed)
    refused = desk.post(address, older)
    assert refused.context["form"].errors["auto_pair"] == [f"Enregistré à présent\u00a0: {words}"]


def test_rules_are_adopted_only_as_they_were_read(club, desk):
    club.draft_rules({"cote": {"k_expert": 20}})
    address = "/c/faizers/gestion/regles/adopter/"
    older = as_printed(desk.get(address)) | {"reason": "Vote"}
    club.draft_rules({"cote": {"k_expert": 12}})
    refused = desk.post(address, older)
    assert refused.status_code == 422 and not RuleBook.objects.adopted().exists()
    [change] = refused.context["changes"]
    assert change["new"] == "12", "the page shows what would be adopted now"
    assert set(refused.context["form"].errors) == {"__all__"}
    assert desk.post(address, as_printed(refused)).status_code == 302
    assert RuleBook.objects.adopted().get().values == {"cote": {"k_expert": 12}}


def test_a_draft_is_dropped_only_as_it_was_read(club, desk):
    club.draft_rules({"cote": {"k_expert": 20}})
    address = "/c/faizers/gestion/regles/brouillon/"
    older = desk.get(address)
    shown = older.context["form"].initial["seen"]
    drop = f'<input type="hidden" name="seen" value="{shown}">'
    assert drop in older.content.decode(), "the button sends what the page shows"
    club.draft_rules({"cote": {"k_expert": 12}})
    page = desk.post(address, {"drop": "1", "seen": shown}, follow=True)
    assert "ont changé depuis" in page.content.decode() and draft(club)
    send(desk, address, {"drop": "1"})
    assert not RuleBook.objects.of(club.organisation, "faizers").drafts().exists()


def test_a_draft_ended_meanwhile_is_not_begun_anew_by_an_older_page(club, desk):
    address = rules_page(club)
    older = as_printed(desk.get(address))
    send(desk, address, {"drop": "1"})
    assert desk.post(address, older).status_code == 422
    assert not RuleBook.objects.of(club.organisation, "faizers").drafts().exists()


def test_a_club_keeps_a_list_that_another_officer_opened_to_it_meanwhile(club, as_user):
    federation = make_club("federation")
    federation.organisation.__class__.objects.filter(pk=federation.organisation.pk).update(
        kind="federation"
    )
    one = federation.rating_list("fisf", name="Une")
    other = federation.rating_list("glicko2", name="Autre")
    officer = as_user(federation.committee.user)
    address = "/c/federation/gestion/cotes/clubs/"
    send(officer, address, {"club": club.organisation.pk, "lists": [one.pk]})
    address = f"{address}?club={club.organisation.slug}"
    older = as_printed(officer.get(address))
    send(officer, address, {"club": club.organisation.pk, "lists": [one.pk, other.pk]})
    refused = officer.post(address, older)
    assert refused.status_code == 422
    assert "Autre, Une" in refused.context["form"].errors["lists"][0]
    assert {row.pk for row in lists_open_to(club.organisation)} == {one.pk, other.pk}
    assert officer.post(address, as_printed(refused)).status_code == 302
    assert [row.pk for row in lists_open_to(club.organisation)] == [one.pk]
