"""Evenings of a whole season are announced at once: the same day of each week, at the same hour."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from django.contrib.messages import get_messages
from django.utils import timezone

from clubs.journal.models import JournalEntry
from pairings.evenings import actions as evenings
from pairings.evenings.models import Evening

pytestmark = pytest.mark.django_db
NEW = "/c/faizers/soirees/nouvelle/"


def announce(club, as_user, **typed):
    sent = {"day": "2027-03-12", "hour": "19:30", "place": "Salle C", **typed}
    return as_user(club.committee.user).post(NEW, sent)


def announced(club):
    zone = club.organisation.zone
    starts = Evening.objects.filter(place="Salle C").order_by("starts_at")
    return [f"{timezone.localtime(one.starts_at, zone):%Y-%m-%d %H:%M}" for one in starts]


@pytest.mark.parametrize(
    ("until", "days"),
    [
        ("", ["12"]),
        ("2027-03-12", ["12"]),
        ("2027-03-18", ["12"]),
        ("2027-03-19", ["12", "19"]),
        ("2027-03-20", ["12", "19"]),
    ],
)
def test_an_evening_is_announced_each_week_up_to_a_day(club, as_user, until, days):
    page = announce(club, as_user, until=until)
    said = [str(one) for one in get_messages(page.wsgi_request)]
    assert said == [
        f"{len(days)} soirées sont annoncées." if days[1:] else "La soirée est annoncée."
    ]
    assert announced(club) == [f"2027-03-{day} 19:30" for day in days]
    entries = JournalEntry.objects.filter(verb="evening_announced")
    assert entries.exclude(subject=f"evening:{club.evening.pk}").count() == len(days)


def test_the_hour_stays_where_the_clocks_change(club):
    """Also of a start that is given in another zone."""
    evenings.announce_weekly(
        organisation=club.organisation,
        starts_at=datetime(2027, 3, 26, 18, 30, tzinfo=UTC),
        until=date(2027, 4, 2),
        place="Salle C",
        by=club.committee,
        at=club.at,
    )
    assert announced(club) == ["2027-03-26 19:30", "2027-04-02 19:30"]


def test_where_a_week_is_refused_none_is_announced(club, as_user):
    announce(club, as_user, day="2027-03-26")
    page = announce(club, as_user, until="2027-04-02")
    why = "Une soirée est déjà annoncée à cette heure dans ce lieu."
    (words,) = page.context["form"].errors["until"]
    assert words.replace("\u00a0", " ") == f"Rien n’est annoncé. Le 26 mars 2027 : {why}"
    assert announced(club) == ["2027-03-26 19:30"]


@pytest.mark.parametrize(
    ("until", "said"),
    [
        ("2027-03-11", "Ce jour est avant la première soirée."),
        ("2028-03-13", "Annoncez au plus un an de soirées à la fois."),
        ("2028-03-12", "Aucune saison ne comprend ce jour"),
    ],
)
def test_weeks_before_the_first_or_of_years_are_refused_beside_the_day(club, as_user, until, said):
    page = announce(club, as_user, until=until)
    assert said in page.context["form"].errors["until"][0]
    assert f'value="{until}"' in page.content.decode()
    assert announced(club) == []
