"""A whole evening over HTTP alone: announced, played, judged and closed without a page or a call."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.test import Client

from clubs.journal.models import JournalEntry
from pairings.evenings.models import Evening
from pairings.ranking import live as live_ranking

pytestmark = pytest.mark.django_db


@pytest.fixture
def done(send):
    """What an act or a reading answers, which is not refused."""

    def ask(path, body, by, *, method="post"):
        answer = send(path, body, by, method=method)
        assert answer.status_code in (200, 201), answer.content
        return answer.json()

    return ask


@pytest.fixture
def tonight(club, judge, done):
    """Announced by the committee, opened by an arbiter, who closes the evening before it."""
    day, chair = club.evening.held_on, club.committee.member
    close(f"evenings/{day}/1", "running", judge, done)
    hour = (club.at + timedelta(hours=2)).astimezone(club.organisation.zone)
    told = {"day": str(day), "hour": f"{hour:%H:%M}", "place": "Salle B", "auto_pair": False}
    assert done("evenings", told, chair) == {"evening": f"{day}/2", "state": "planned"}
    root = f"evenings/{day}/2"
    read = done(root, None, chair, method="get")
    assert (read["place"], datetime.fromisoformat(read["starts_at"])) == ("Salle B", hour)
    assert done(f"{root}/opening", {"state": "planned"}, judge)["state"] == "open"
    return root


def close(root, state, judge, done):
    assert done(f"{root}/closing", {"state": state}, judge)["state"] == "closing"
    left = done(f"{root}/closing", None, judge, method="get")
    assert (left["open_matches"], left["effect"]) == ([], None)
    assert done(f"{root}/close", {"seen": left["seen"]}, judge)["state"] == "closed"
    return left


def arrive(root, club, judge, done):
    """Four with the code, one at the desk, a guest who is admitted; returns the guest."""
    code = done(f"{root}/desk", None, judge, method="get")["door_code"]
    for member in club.members[:4]:
        assert done("arrivals", {"code": code}, member)["state"] == "waiting"
    at_the_desk = done(f"{root}/arrivals", {"member": club.members[4].public_id}, judge)
    assert at_the_desk["player"]["name"] == club.members[4].full_name
    guest = done(f"{root}/guests", {"first_name": "Gala", "last_name": "N."}, judge)["player"]
    desk = done(f"{root}/desk", None, judge, method="get")
    assert [one["state"] for one in desk["people"]] == ["waiting"] * 6
    return guest


def pair(root, judge, done):
    """The proposal is read, then called."""
    proposal = done(f"{root}/pairing", None, judge, method="get")
    assert len(proposal["waiting"]) == 6 and proposal["can_pair"]
    assert all(pair["why"] for pair in proposal["plan"]["pairs"])
    tables = done(f"{root}/pairing", {"seen": proposal["seen"]}, judge)["tables"]
    pairs = [(pair["first"], pair["second"]) for pair in proposal["plan"]["pairs"]]
    assert [(table["first"], table["second"]) for table in tables] == pairs and len(pairs) == 3
    return tables


def note_absence(table, absent, judge, done):
    path = f"matches/{table['match']}/intervention"
    away = {"act": f"absent_{absent}", "justified": False}
    effect = done(path, away, judge, method="get")
    assert effect["effect"]["rows"] and not effect["barred"]
    noted = {**away, "reason": "parti", "version": table["version"], "seen": effect["seen"]}
    assert done(path, noted, judge)["status"] == "final"


def enter(table, one, other, done):
    """The second player enters that they won 400 to 350; returns the version to answer to."""
    body = {"mine": 400, "theirs": 350}
    entered = done(f"matches/{table['match']}/result", body, other)
    assert entered["status"] == "submitted"
    return {"version": entered["version"]}


def decide(path, version, one, judge, done):
    """The first player contests, and the arbiter takes their version."""
    claim = {**version, "mine": 390, "theirs": 350, "words": "compté deux fois"}
    assert done(f"{path}/contest", claim, one)["status"] == "contested"
    read = done(f"{path}/decision", None, judge, method="get")
    assert (read["contest"]["words"], read["effect"], read["seen"]) == (
        "compté deux fois",
        None,
        "",
    )
    effect = done(f"{path}/decision", {"choice": "take"}, judge, method="get")
    mover = next(row for row in effect["effect"]["rows"] if row["player"]["id"] == one.public_id)
    assert mover["points"][0] != mover["points"][1]
    ruling = {"choice": "take", "reason": "feuille", "seen": effect["seen"]}
    ruling["version"] = effect["match"]["version"]
    assert done(f"{path}/decision", ruling, judge)["status"] == "final"
    final = done(path, None, judge, method="get")
    assert (final["first_score"], final["second_score"]) == (390, 350)


def test_a_whole_evening_without_a_page(club, judge, tonight, done):
    people = {member.public_id: member for member in club.members}
    guest = arrive(tonight, club, judge, done)
    assert done(f"{tonight}/start", {"state": "open"}, judge)["state"] == "running"
    tables = pair(tonight, judge, done)
    empty = next(table for table in tables if guest in (table["first"], table["second"]))
    agreed, contested = (table for table in tables if table is not empty)
    is_first = empty["first"] == guest
    note_absence(empty, "a" if is_first else "b", judge, done)
    for table in (agreed, contested):
        one, other = people[table["first"]["id"]], people[table["second"]["id"]]
        path, version = f"matches/{table['match']}", enter(table, one, other, done)
        if table is agreed:
            assert done(f"{path}/confirmation", version, one)["status"] == "final"
        else:
            decide(path, version, one, judge, done)
    assert done(f"{tonight}/last-games", {"state": "running"}, judge)["state"] == "last_games"
    assert close(tonight, "last_games", judge, done)["played"] == 3

    winners = {empty["second" if is_first else "first"]["id"]}
    winners |= {agreed["second"]["id"], contested["first"]["id"]}
    ranked = live_ranking.ranking(club.organisation, at=club.at, live=False)
    assert {row.member.public_id for row in ranked.rows[:3]} == winners
    answer = Client().get("/c/faizers/api/v1/rankings/closed").json()
    shown = [(row["rank"], row["player"]["name"]) for row in answer["items"]]
    assert shown == [(row.rank, row.member.full_name) for row in ranked.rows]


def test_its_journal_says_who_did_what_from_where(club, judge, tonight, done):
    test_a_whole_evening_without_a_page(club, judge, tonight, done)
    evening = Evening.objects.get(held_on=club.evening.held_on, number=2)
    acts = JournalEntry.objects.filter(subject=f"evening:{evening.pk}").order_by("seq")
    steps = {entry.verb: entry for entry in acts}
    assert list(steps) == [
        *("evening_announced", "evening_opened", "checked_in", "evening_started", "paired"),
        *("evening_last_games", "evening_closing", "evening_closed"),
    ]
    assert {entry.origin for entry in acts} == {"api"}
    announced, closed = steps["evening_announced"], steps["evening_closed"]
    assert (announced.actor_id, announced.role) == (club.committee.user.pk, "committee")
    assert (closed.actor_id, closed.role) == (judge.user_id, "arbiter")
    ruled = JournalEntry.objects.get(reason="feuille")
    assert (ruled.actor_id, ruled.origin, ruled.reason) == (judge.user_id, "api", "feuille")
