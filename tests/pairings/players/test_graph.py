"""The curve of a cote over three months, the season or everything, with flags on it."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from clubs.members.models import Member
from clubs.organisations.models import Season
from clubs.rulebooks.models import RuleBook
from pairings.players import graph
from ratings.ledger.models import LedgerEntry

TODAY = date(2026, 11, 20)
SEASON = Season(name="2026", starts_on=date(2026, 9, 1), ends_on=date(2027, 8, 31))


def history(*days_ago, **more):
    return [
        LedgerEntry(
            pk=n,
            held_on=TODAY - timedelta(days=ago),
            shown_before=999 + n,
            shown_after=1000 + n,
            **more,
        )
        for n, ago in enumerate(days_ago, start=1)
    ]


def drawn(entries, **options):
    return graph.graph_of(entries, graph.Now(Member(first_name="Ana"), None, None), **options)


@pytest.mark.parametrize(
    ("days_ago", "offered", "first_choice"),
    [
        ((), ["tout"], "tout"),
        ((60, 7), ["tout"], "tout"),
        ((80, 7), ["tout"], "tout"),
        ((81, 7), ["saison", "tout"], "tout"),
        ((91, 14, 7), ["saison", "tout"], "saison"),
        ((92, 14, 7), ["3mois", "saison", "tout"], "saison"),
        ((400, 300), ["3mois", "saison", "tout"], "tout"),
    ],
)
def test_a_range_is_offered_where_the_history_is_longer(days_ago, offered, first_choice):
    entries = history(*days_ago)
    ranges = graph.ranges_of(entries, SEASON, today=TODAY)
    assert list(ranges) == offered
    assert graph.chosen(ranges, entries, "") == graph.chosen(ranges, entries, "x") == first_choice
    assert all(graph.chosen(ranges, entries, code) == code for code in offered)
    tabs = graph.tabs_of(ranges, first_choice)
    assert [tab["url"] for tab in tabs if tab["current"]] == (
        [f"?periode={first_choice}"] if len(offered) > 1 else []
    )


def test_a_range_begins_with_the_cote_its_first_evening_started_from():
    entries = history(400, 100, 14, 7)
    values = [point.value for point in drawn(entries, since=SEASON.starts_on).points]
    assert values == [1002, 1003, 1004]
    whole = drawn(entries)
    assert [point.value for point in whole.points] == [1000, 1001, 1002, 1003, 1004]
    assert whole.points[0].label == "début" and whole.points[1].label == "16/10/2025"
    assert drawn(history(14, 7)).points[1].label == "6 nov."
    assert "cote de 1002 à 1004" in drawn(entries, since=SEASON.starts_on).sentence
    assert drawn([]) is None


def test_flags_mark_a_correction_and_the_first_evening_under_other_rules():
    first, second = RuleBook(pk=1, number=1), RuleBook(pk=2, number=2)
    entries = [
        *history(28, rule_book=first),
        *history(21, rule_book=first, supersedes_id=9),
        *history(14, 7, rule_book=second),
    ]
    notes = [point.note for point in drawn(entries).points]
    assert notes == ["", "", "corrigé", "règles, version 2", ""]


@pytest.mark.django_db
@pytest.mark.parametrize("offered", [True, False])
def test_the_page_of_a_player_offers_its_ranges(club, client, offered):
    _match, (a, _b) = club.played()
    club.close()
    page = f"/c/faizers/joueurs/{a.member.address}/"
    if offered:
        Season.objects.update(starts_on=club.evening.held_on + timedelta(days=1))
    answer = client.get(page, {"periode": "saison"})
    if not offered:
        assert 'href="?periode=' not in answer.content.decode()
        return
    assert 'href="?periode=saison" aria-current="page"' in " ".join(answer.content.decode().split())
