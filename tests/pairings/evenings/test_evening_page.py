"""The public page of an evening: open matches first, and pages of a bounded length."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.urls import reverse
from django.utils import formats, timezone

from clubs.ui.french import unbroken
from pairings.evenings import actions as evenings
from pairings.evenings.models import Evening
from pairings.evenings.views import public
from tests.rows_read import rows_read

pytestmark = pytest.mark.django_db


def shown(client, url):
    context = client.get(url).context
    return (
        [line["match"].pk for line in context["open_lines"]],
        [line["match"].pk for line in context["done_lines"]],
    )


def test_an_evening_shows_its_open_matches_first_and_has_pages(club, client, monkeypatch):
    monkeypatch.setattr(public, "PAGE", 2)
    over, last = (club.match()[0] for _table in range(2))
    for match in (over, last):
        club.mark_absent(match, "a")
    one, two = (club.match()[0] for _table in range(2))
    url = f"/c/{club.organisation.slug}/soirees/{club.evening.held_on}/"
    assert one.table_number < two.table_number
    assert shown(client, url) == ([one.pk, two.pk], [])
    assert shown(client, f"{url}?page=2") == ([], [last.pk, over.pk])
    assert shown(client, f"{url}direct/?page=2") == ([], [last.pk, over.pk])
    page = client.get(f"{url}?page=2").content.decode()
    assert f'hx-get="{url}direct/?page=2"' in page
    assert 'href="?page=1"' in page


def test_every_past_evening_is_on_one_page_of_the_list(club, client, monkeypatch):
    monkeypatch.setattr(public, "PAGE", 2)
    url, past = f"/c/{club.organisation.slug}/soirees/", []
    for _week in range(3):
        club.close()
        past.insert(0, club.evening)
        club.next_evening()
    first = client.get(url)
    assert list(first.context["running"]) == [club.evening]
    assert 'href="?page=2"' in first.content.decode()
    with rows_read() as few:
        pages = [list(client.get(f"{url}?page={number}").context["page"]) for number in (1, 2)]
    assert pages == [past[:2], past[2:]]
    monkeypatch.setattr(public, "PAGE", 1)
    with rows_read() as fewer:
        client.get(url)
        client.get(f"{url}?page=2")
    assert len(fewer) == len(few) - 1


@pytest.fixture
def announced(club):
    """An evening of 27 November 2026, 19:30 in Paris."""
    starts_at = datetime(2026, 11, 27, 18, 30, tzinfo=UTC)
    by = club.committee
    return evenings.announce_evening(
        organisation=club.organisation, starts_at=starts_at, by=by, at=club.at
    )


@pytest.mark.parametrize(
    ("moment", "missed"),
    [
        (datetime(2026, 11, 27, 22, 59, tzinfo=UTC), False),  # 23:59 of its day in Paris
        (datetime(2026, 11, 27, 23, 0, tzinfo=UTC), True),
        (datetime(2026, 11, 28, 9, 0, tzinfo=UTC), True),
    ],
    ids=["before midnight", "at midnight", "the day after"],
)
def test_an_evening_that_nobody_opened_is_past_once_its_day_is_over(
    club, client, as_user, announced, moment, missed
):
    desk, judge = as_user(club.committee.user), as_user(club.arbiter.user)
    url = f"/c/{club.organisation.slug}/soirees/"
    own = f"{url}{announced.held_on}/"
    with time_machine.travel(moment, tick=False):
        calendar = client.get(url)
        assert (list(calendar.context["coming"]) == [announced]) is not missed
        assert (announced in calendar.context["page"]) is missed
        for answer in (calendar, client.get(own), judge.get(f"{own}conduite/")):
            assert ("Pas ouverte" in answer.content.decode()) is missed
        assert ("Rendez-vous" in client.get(own).content.decode()) is not missed
        cancelled = desk.post(f"{own}modifier/", {"cancel": "1", "reason": "salle fermée"})
        assert cancelled.status_code == 302
        assert announced not in client.get(url).context["page"]
    announced.refresh_from_db()
    assert announced.state == Evening.State.CANCELLED


def test_a_list_without_a_coming_evening_offers_once_to_announce_one(club, as_user):
    page = as_user(club.committee.user).get("/c/faizers/soirees/").content.decode()
    assert "Pas de soirée annoncée" in page
    assert page.count("/soirees/nouvelle/") == 1


def test_hours_and_the_clock_of_the_wall_are_those_of_the_clubs_time_zone(club, client):
    club.organisation.time_zone = "Europe/Bucharest"
    club.organisation.save()
    day = {"day": club.evening.address}
    page = client.get(reverse("pairings:board", kwargs=day))
    assert 'data-zone="Europe/Bucharest"' in page.content.decode()
    hour = timezone.localtime(club.evening.starts_at, club.organisation.zone).strftime("%H:%M")
    head = client.get(reverse("pairings:evening", kwargs=day)).content.decode()
    assert hour in head.partition('page-head__sub">')[2].partition("</p>")[0]
    assert timezone.get_current_timezone_name() == "Europe/Paris"  # the next request's own


def test_an_evening_that_is_over_is_named_with_its_year(club, as_user):
    match, (one, _other) = club.played()
    reader = as_user(one.user)
    root = f"/c/{club.organisation.slug}/"
    running = f"{root}soirees/{club.evening.address}/"
    day = unbroken(formats.date_format(club.evening.held_on, "l j F"))
    year = str(club.evening.held_on.year)
    assert f"Soirée du {day}</h1>" in reader.get(running).content.decode()
    club.close()
    for page in (
        running,
        f"{root}matchs/{match.pk}/",
        f"{root}ma-soiree/bilan/{club.evening.address}/",
    ):
        assert f"{day} {year}" in reader.get(page).content.decode(), page


def test_an_evening_without_a_match_says_so_as_what_it_is(club, client):
    url = f"/c/{club.organisation.slug}/soirees/{club.evening.address}/"
    assert "Aucun match pour l’instant" in client.get(url).content.decode()
    club.close()
    page = client.get(url).content.decode()
    assert "Aucun match n’a été joué" in page and "pour l’instant" not in page
    by = {"by": club.committee, "at": club.at}
    off = evenings.announce_evening(
        organisation=club.organisation, starts_at=club.at + timedelta(days=7), **by
    )
    evenings.cancel_evening(evening=off, reason="Neige", **by)
    page = client.get(off.get_absolute_url()).content.decode()
    assert "Cette soirée est annulée." in page and "Aucun match" not in page
