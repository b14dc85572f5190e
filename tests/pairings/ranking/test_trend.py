"""The trend of a row: a player's last cotes, that of tonight hollow at the end."""

from __future__ import annotations

import re

import pytest

from clubs.members.models import Member
from clubs.ui import charts
from pairings.ranking import projection
from ratings.ledger.models import LedgerEntry

pytestmark = pytest.mark.django_db

PAGE = "/c/faizers/classement/lignes/"


def trends(client, address=PAGE):
    """Return the drawn trends by member id."""
    html = client.get(address).content.decode()
    rows = re.findall(r'<tr data-key="(\d+)".*?</tr>', html, re.S)
    drawn = re.findall(r'<tr data-key="\d+".*?class="trend">(.*?)</td>', html, re.S)
    return dict(zip(map(int, rows), drawn, strict=True))


def test_a_row_draws_the_cotes_of_the_evenings_and_of_tonight(club, as_user):
    _match, (a, _b) = club.played(scores=(420, 380))
    assert "<polyline" not in trends(as_user())[a.member.pk]  # one cote: no line yet
    club.close()
    club.next_evening()
    first = LedgerEntry.objects.get(member=a.member).shown_after
    closed = trends(as_user(), f"{PAGE}?etat=soiree")[a.member.pk]
    assert f'aria-label="de {first} à {first}"' in closed and "chart__dot--projected" not in closed
    club.played(a.member, club.members[3], scores=(300, 410))
    row = trends(as_user())[a.member.pk]
    tonight = projection.project(club.evening)[a.member.pk].after.rating
    assert f'aria-label="de {first} à {tonight}"' in row and "chart__dot--projected" in row
    assert len(re.findall(r'points="([^"]+)"', row)[0].split()) == 2


def test_only_the_last_cotes_of_a_year_are_drawn(club, monkeypatch):
    monkeypatch.setattr(projection, "TREND", 2)
    _match, (a, _b) = club.played()
    for _evening in range(3):
        club.close()
        club.next_evening()
        club.played(a.member, club.members[3])
    held = list(
        LedgerEntry.objects.filter(member=a.member).in_order().values_list("shown_after", flat=True)
    )
    day = club.evening.held_on
    found = projection.recent_cotes(club.organisation, [a.member.pk], until=day)
    assert found == {a.member.pk: held[-2:]} and len(held) == 3
    later = day.replace(year=day.year + 2)
    assert projection.recent_cotes(club.organisation, [a.member.pk], until=later) == {}


def test_who_hides_their_page_hides_their_trend(club, as_user):
    _match, (a, b) = club.played()
    club.edit(a.member, {"visibility": Member.INITIALS})
    shown = trends(as_user())
    assert "svg" not in shown[a.member.pk] and "svg" in shown[b.member.pk]
    assert "svg" in trends(as_user(b.member.user))[a.member.pk]


def test_a_small_move_is_drawn_small():
    """Forty points fill the height at least: noise does not look like drama."""
    small = charts.sparkline([1500, 1504], projected=False, sentence="")
    large = charts.sparkline([1500, 1700], projected=False, sentence="")
    assert 'points="4,12.8 68,11.2"' in small
    assert 'points="4,20 68,4"' in large
    assert charts.sparkline([], projected=False, sentence="") == ""
