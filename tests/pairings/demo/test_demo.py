"""The demo club can be built at any time: after midnight, across daylight saving time, all year."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.core.management import call_command

from clubs.journal import chain as journal
from clubs.journal.models import JournalEntry
from clubs.organisations.models import Organisation
from pairings.demo.people import ACCOUNTS
from pairings.demo.views import PARTS
from pairings.evenings.models import Evening
from pairings.matches.models import Match

# What is tested is the calendar, not the database.
pytestmark = [pytest.mark.django_db, pytest.mark.only_on("sqlite")]
PARIS = ZoneInfo("Europe/Paris")


def local(*parts: int, fold: int = 0) -> datetime:
    return datetime(*parts, tzinfo=PARIS, fold=fold).astimezone(UTC)


MOMENTS = {
    "ten past midnight": local(2026, 11, 18, 0, 10),
    "a Sunday morning": local(2026, 11, 22, 8, 30),
    "a Friday evening": local(2026, 11, 20, 20, 0),
    "a Monday morning": local(2026, 11, 23, 8, 30),
    "October, half past two, in summer time": local(2026, 10, 25, 2, 30),
    "October, half past two again": local(2026, 10, 25, 2, 30, fold=1),
    "March, after the hour that is missing": local(2027, 3, 28, 3, 10),
    "the last minute of the year": local(2026, 12, 31, 23, 59),
    "half past midnight on New Year": local(2027, 1, 1, 0, 30),
    "29 February": local(2028, 2, 29, 19, 0),
    "1 March, five past midnight": local(2028, 3, 1, 0, 5),
    "a night in July": local(2027, 7, 9, 23, 40),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_demo_club_is_made_and_its_evening_runs(moment, client):
    now, told = MOMENTS[moment], StringIO()
    with time_machine.travel(now, tick=False):
        # One evening a season, and one competition a list, meet the calendar as all do; one moment builds as
        # many as are published together. The browser's tests build the whole demo.
        few = 3 if moment == "a Sunday morning" else 1
        call_command("seed_demo", stdout=told, evenings=few, competitions=few)
    assert Organisation.objects.filter(slug="federation").exists()
    club = Organisation.objects.get(slug="faizers")
    tonight = Evening.objects.get(organisation=club, state=Evening.State.RUNNING)
    assert tonight.starts_at == now - timedelta(minutes=75)
    assert tonight.held_on == tonight.starts_at.astimezone(PARIS).date()
    days = Evening.objects.filter(organisation=club).values_list("held_on", "state")
    assert (tonight.held_on - timedelta(days=1), Evening.State.CLOSED) in days
    assert (tonight.held_on + timedelta(days=7), Evening.State.PLANNED) in days
    held = set(Match.objects.filter(evening=tonight).values_list("status", flat=True))
    assert {"proposed", "playing", "submitted", "contested", "final"} <= held
    assert list(journal.verify(club)) == []
    # The cup began before tonight's evening, and is played by who is free there.
    assert out_of_order(club) == [("evening_screen_given", "tournament_entered")]
    assert not JournalEntry.objects.filter(at__gt=now).exists()
    steps = [line for line in told.getvalue().splitlines() if line.endswith("…")]
    assert [line[:11] for line in steps[:3]] == ["Season 1 of", "Season 2 of", "Season 3 of"]
    assert len(steps) == 6
    if moment == "a Friday evening":  # the clock of every test
        one_tap_signs_in_each_person_of_the_strip(client)


def out_of_order(club):
    """Acts whose moment is before that of the entry above them."""
    entries = list(JournalEntry.objects.filter(organisation=club).order_by("seq"))
    return [(one.verb, two.verb) for one, two in pairwise(entries) if two.at < one.at]


def one_tap_signs_in_each_person_of_the_strip(client):
    assert set(Organisation.objects.values_list("made_by_demo", flat=True)) == {True}
    assert {part.account for part in PARTS} <= {name for name, _who in ACCOUNTS}
    page = client.get("/").content.decode()
    assert "Site de démonstration" in page and 'action="/c/faizers/demo/"' in page
    for part in PARTS:
        answer = client.post("/c/faizers/demo/", {"as": part.account}, follow=True)
        assert answer.status_code == 200 and answer.redirect_chain
    page = client.get("/compte/email/").context  # no address waits for a link of a mail
    assert page["current_emailaddress"].email == f"{PARTS[-1].account}@demo.club"
    assert page["new_emailaddress"] is None
