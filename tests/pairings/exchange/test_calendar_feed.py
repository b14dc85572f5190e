"""The calendar of a club: its dates keep their names, a cancelled one says so, and it names nobody."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine

from clubs.organisations.models import Organisation
from pairings.evenings import actions as evenings
from pairings.evenings.models import Evening
from pairings.tournaments import actions as tournaments
from pairings.tournaments import closing
from tests.rules.test_calendar import unfolded
from tests.tournament_day import make_tournament

pytestmark = pytest.mark.django_db


def announced(club, days: int) -> Evening:
    return club.announce(club.at + timedelta(days=days))


def feed(club, client) -> list[str]:
    with time_machine.travel(club.at, tick=False):
        answer = client.get("/agenda.ics")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    assert all(len(line) <= 75 for line in answer.content.split(b"\r\n"))
    return unfolded(answer.content)


@pytest.mark.parametrize("language", ["fr", "en", "ro"])
def test_the_file_names_the_language_that_it_is_written_in(club, client, language):
    """The club's, for everybody who subscribes."""
    club.organisation.language = language
    club.organisation.save()
    assert f"PRODID:-//Club//Tournaments//{language.upper()}" in feed(club, client)


def events(lines: list[str]) -> dict[str, dict[str, str]]:
    """UID → the event's values by name."""
    found: dict[str, dict[str, str]] = {}
    event: dict[str, str] = {}
    for line in lines:
        if line == "BEGIN:VEVENT":
            event = {}
        elif line == "END:VEVENT":
            found[event["UID"]] = event
        else:
            name, _colon, value = line.partition(":")
            event[name] = value
    return found


def test_evenings_and_tournaments_are_events_of_the_club(club, client):
    evening = announced(club, 7)
    tournament = make_tournament(club, name="Coupe, finale", place="Mairie")
    Organisation.objects.filter(pk=club.organisation.pk).update(place="Salle A")
    found = events(feed(club, client))
    soiree = found[f"evening-{evening.pk}@testserver"]
    assert soiree["DTSTART"] == f"{evening.starts_at:%Y%m%dT%H%M%SZ}"
    assert soiree["DTSTAMP"] == f"{club.at:%Y%m%dT%H%M%SZ}"
    assert soiree["STATUS"] == "CONFIRMED"
    assert soiree["URL"].endswith(evening.get_absolute_url())
    cup = found[f"tournament-{tournament.pk}@testserver"]
    assert (soiree["LOCATION"], cup["LOCATION"]) == ("Salle A", "Mairie")
    assert cup["STATUS"] == "CONFIRMED"
    assert cup["SUMMARY"] == "Coupe\\, finale"
    assert cup["DTSTART;VALUE=DATE"] == f"{tournament.held_on:%Y%m%d}"
    assert cup["DTEND;VALUE=DATE"] == f"{tournament.held_on + timedelta(days=1):%Y%m%d}"


def test_a_cancelled_date_stays_and_says_so(club, client):
    evening, cup = announced(club, 7), make_tournament(club, name="Coupe")
    before = events(feed(club, client))
    evenings.cancel_evening(evening=evening, reason="Salle fermée", by=club.committee, at=club.at)
    closing.cancel(tournament=cup, reason="Salle fermée", by=club.committee, at=club.at)
    after = events(feed(club, client))
    assert before.keys() == after.keys()
    for uid in (f"evening-{evening.pk}@testserver", f"tournament-{cup.pk}@testserver"):
        assert after[uid]["STATUS"] == "CANCELLED"
        assert int(after[uid]["SEQUENCE"]) > int(before[uid]["SEQUENCE"])


def test_a_moved_date_raises_its_sequence_and_an_unchanged_one_does_not(club, client):
    evening, cup = announced(club, 7), make_tournament(club, name="Coupe")

    def sequences():
        found = events(feed(club, client))
        uids = f"evening-{evening.pk}@testserver", f"tournament-{cup.pk}@testserver"
        return [int(found[uid]["SEQUENCE"]) for uid in uids]

    def edit(**changes):
        now = {name: getattr(evening, name) for name in ("starts_at", "place", "auto_pair")}
        evenings.edit_evening(evening=evening, **now | changes, by=club.committee, at=club.at)
        evening.refresh_from_db()

    edit(place="Salle")
    first = sequences()
    edit()
    assert sequences() == first
    edit(starts_at=evening.starts_at + timedelta(days=1))
    day = cup.held_on + timedelta(days=1)
    tournaments.edit(tournament=cup, changes={"held_on": day}, by=club.committee, at=club.at)
    after = sequences()
    assert all(new > old for new, old in zip(after, first, strict=True))
    evenings.cancel_evening(evening=evening, reason="Salle fermée", by=club.committee, at=club.at)
    assert sequences()[0] > after[0]


@pytest.mark.parametrize(("days", "shown"), [(59, True), (60, True), (61, False)])
def test_past_dates_stay_for_sixty_days(club, client, days, shown):
    evening = club.evening
    with time_machine.travel(club.at + timedelta(days=days), tick=False):
        lines = unfolded(client.get("/agenda.ics").content)
    assert (f"UID:evening-{evening.pk}@testserver" in lines) == shown


@pytest.mark.parametrize(("days", "shown"), [(160, True), (161, False)])
def test_a_tournament_of_months_stays_for_sixty_days_after_its_last_one(club, client, days, shown):
    ends_on = club.at.date() + timedelta(days=100)
    cup = make_tournament(club, name="Coupe", ends_on=ends_on)
    with time_machine.travel(club.at + timedelta(days=days), tick=False):
        lines = unfolded(client.get("/agenda.ics").content)
    assert (f"UID:tournament-{cup.pk}@testserver" in lines) == shown


def test_the_calendar_names_nobody_and_shows_no_other_club(club, other_club, client):
    theirs = announced(other_club, 7)
    ours = announced(club, 7)
    with time_machine.travel(club.at, tick=False):
        lines = unfolded(client.get(f"/c/{club.organisation.slug}/agenda.ics").content)
    assert f"UID:evening-{ours.pk}@testserver" in lines
    assert f"UID:evening-{theirs.pk}@testserver" not in lines
    text = "\n".join(lines)
    for member in club.everybody():
        assert member.first_name not in text and str(member.last_name) not in text


def test_the_clubs_pages_lead_to_it(club, client):
    with time_machine.travel(club.at, tick=False):
        for page in ("/", "/soirees/"):
            assert 'href="/agenda.ics"' in client.get(page).content.decode()
