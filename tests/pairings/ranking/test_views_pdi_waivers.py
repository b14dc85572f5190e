"""The committee's page on ties, and the public notes on it."""

from __future__ import annotations

import re

import pytest

from pairings.ranking.models import PdiWaiver
from tests.pairings.ranking.test_pdi_waivers import begun, ignore, tied

__all__ = ["begun", "tied"]
pytestmark = pytest.mark.django_db


def test_the_committee_reads_the_effect_gives_a_reason_and_decides(club, tied, root, as_user):
    desk = as_user(club.committee.user)
    page = desk.get(f"{root}/gestion/egalites/")
    (group,) = page.context["groups"]
    url = f"{root}/gestion/egalites/{group['key']}/"
    assert url in page.content.decode()
    shown = desk.get(url)
    names = [row["name"] for row in shown.context["rows"]]
    assert names == [member.full_name for member in tied]
    assert not PdiWaiver.objects.exists()

    blank = desk.post(url, {"reason": ""})
    assert blank.status_code == 422 and list(blank.context["form"].errors) == ["reason"]
    done = desk.post(url, {"reason": "Trop peu de confrontations"})
    assert done.status_code == 302
    assert PdiWaiver.objects.get().reason == "Trop peu de confrontations"


def test_everybody_reads_the_decision_under_the_ranking_and_in_the_rules(club, tied, root, as_user):
    visitor = as_user(None)
    for path in ("/classement/", "/regles/"):
        assert "PDI ignoré" not in visitor.get(f"{root}{path}").content.decode()
    ignore(club, reason="Trop peu de confrontations")
    ranking = visitor.get(f"{root}/classement/")
    notes = [row["tie"] for row in ranking.context["rows"] if "PDI ignoré" in row["tie"]]
    assert len(notes) == 2 and "DS" not in notes[0]
    for page in (ranking, visitor.get(f"{root}/regles/")):
        text = page.content.decode()
        assert "Trop peu de confrontations" in text
        assert all(member.full_name in text for member in tied)
    old = visitor.get(f"{root}/regles/0/")
    assert "Trop peu de confrontations" not in old.content.decode()
    heading = re.search(r"<h1>\s*(.*?)\s*</h1>", old.content.decode())
    assert heading is not None and heading[1] == "Règlement d’origine"


def test_a_hidden_name_stays_hidden_in_the_note(club, tied, root, as_user):
    tied[0].visibility = "initials"
    tied[0].save(update_fields=["visibility"])
    ignore(club)
    text = as_user(None).get(f"{root}/classement/").content.decode()
    assert tied[0].full_name not in text and tied[1].full_name in text


def test_the_decision_is_taken_back_with_a_reason(club, tied, root, as_user):
    waiver = ignore(club)
    desk = as_user(club.committee.user)
    names = ", ".join(member.full_name for member in tied)
    button = f'Rétablir le PDI<span class="hidden-text"> {names}</span>'
    assert button in " ".join(desk.get(f"{root}/gestion/egalites/").content.decode().split())
    blank = desk.post(f"{root}/gestion/egalites/", {"restore": waiver.pk, "reason": " "})
    assert blank.status_code == 422
    desk.post(f"{root}/gestion/egalites/", {"restore": waiver.pk, "reason": "Erreur"})
    waiver.refresh_from_db()
    assert waiver.withdrawn_reason == "Erreur"
    assert "PDI ignoré" not in desk.get(f"{root}/classement/").content.decode()


def test_a_group_that_is_no_longer_tied_is_not_decided(club, tied, root, as_user):
    desk = as_user(club.committee.user)
    answer = desk.post(f"{root}/gestion/egalites/1-2-3/", {"reason": "x"}, follow=True)
    assert "ne départage plus ce groupe" in answer.content.decode()
    assert not PdiWaiver.objects.exists()


def test_another_clubs_committee_takes_nothing_back(club, neighbours, tied, as_user):
    waiver = ignore(club)
    stranger = as_user(neighbours.committee.user)
    url = f"/c/{neighbours.organisation.slug}/gestion/egalites/"
    assert stranger.post(url, {"restore": waiver.pk, "reason": "x"}).status_code == 404
    waiver.refresh_from_db()
    assert waiver.withdrawn_at is None
