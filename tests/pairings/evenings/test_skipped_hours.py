"""An hour that the clocks skip is refused beside its field, and a year that no calendar has."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pairings.evenings.models import Evening

pytestmark = pytest.mark.django_db
NEW_EVENING = "/c/faizers/soirees/nouvelle/"
NEW_TOURNAMENT = "/c/faizers/gestion/tournois/nouveau/"
SKIPPED, TWICE = "2027-03-28", "2027-10-31"
WORDS = "Cette heure n’existe pas\N{NO-BREAK SPACE}: ce jour-là, les horloges avancent."


def tournament(**told):
    return {
        "name": "Open",
        "system": "swiss",
        "winning_games": "1",
        "round_count": "5",
        "ranking": "",
        **told,
    }


@pytest.mark.parametrize(
    ("hour", "refused"), [("01:59", False), ("02:00", True), ("02:59", True), ("03:00", False)]
)
@pytest.mark.parametrize(
    ("address", "typed"),
    [(NEW_EVENING, dict), (NEW_TOURNAMENT, tournament)],
    ids=["evening", "open"],
)
def test_an_hour_that_does_not_exist_is_refused_beside_it(
    club, as_user, address, typed, hour, refused
):
    answer = as_user(club.committee.user).post(address, typed(day=SKIPPED, hour=hour))
    errors = answer.context["form"].errors if answer.status_code == 422 else {}
    assert ("hour" in errors) is refused
    if refused:
        assert f"{WORDS} Choisissez par exemple 03:{hour[3:]}." in errors["hour"]
        assert f'value="{hour}"' in answer.content.decode()


@pytest.mark.parametrize(
    ("address", "typed", "day", "hour"),
    [
        (NEW_EVENING, dict, "0001-01-01", "00:00"),
        (NEW_TOURNAMENT, tournament, "0001-01-01", "00:00"),
        (NEW_TOURNAMENT, tournament, "9999-12-31", "19:00"),
    ],
)
def test_a_day_at_the_end_of_all_calendars_is_refused_beside_it(
    club, as_user, address, typed, day, hour
):
    answer = as_user(club.committee.user).post(address, typed(day=day, hour=hour))
    assert answer.status_code == 422
    assert answer.context["form"].errors["day"] == ["Donnez une date entre 1950 et 2100."]


def test_the_calendar_of_a_club_goes_on_where_a_last_day_was_mistyped(club, as_user):
    typed = tournament(day="2026-12-05", hour="10:00", ends_on="9999-12-31")
    answer = as_user(club.committee.user).post(NEW_TOURNAMENT, typed)
    assert answer.status_code == 422 and "ends_on" in answer.context["form"].errors
    assert as_user(club.committee.user).get("/c/faizers/agenda.ics").status_code == 200


def test_of_an_hour_that_comes_twice_the_first_is_meant(club, as_user):
    as_user(club.committee.user).post(NEW_EVENING, {"day": TWICE, "hour": "02:30"})
    assert Evening.objects.filter(starts_at=datetime(2027, 10, 31, 0, 30, tzinfo=UTC)).exists()
