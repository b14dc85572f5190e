"""An hour that the clocks skip is refused beside its field; one that comes twice is the first."""

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


def test_of_an_hour_that_comes_twice_the_first_is_meant(club, as_user):
    as_user(club.committee.user).post(NEW_EVENING, {"day": TWICE, "hour": "02:30"})
    assert Evening.objects.filter(starts_at=datetime(2027, 10, 31, 0, 30, tzinfo=UTC)).exists()
