"""Approvals (5 and 6 Dan) and promotion requests, noted on the desk at any time (003 §3, §11)."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from clubs.accounts.actor import Refused
from clubs.journal.models import JournalEntry
from ratings.grades import actions as grades
from ratings.ledger import corrections, replay, settlement
from ratings.ledger.models import LedgerEntry, StandingCote
from ratings.systems.protocol import Game
from tests.refusals import refused

pytestmark = pytest.mark.django_db
ROOT = "/c/faizers"


@pytest.fixture
def held(club):
    """Four players of 60 games: 2440 is the UB of 5 Dan, 2300 waits for nothing, 1500, 1500."""
    made = club.rating_list("fesa", name="Elo")
    elos = {2460: "4 Dan", 2300: "4 Dan", 1500: None, 1501: "3 Kyu"}
    people = {
        str(member.pk): {"rating": elo, "games": 60, "grade": grade}
        for member, (elo, grade) in zip(club.members[:4], elos.items(), strict=True)
    }
    start = settlement.open_period(
        rating_list=made,
        key="start",
        label="Départ",
        held_on=club.at.date(),
        kind=settlement.START,
        facts={"players": people},
    )
    settlement.settle(period=start, by=club.committee, at=club.at)
    return made


def note(club, held, member, act, grade, **more):
    told = {"reference": "NSR 12/2026", "dated_on": club.at.date(), **more}
    return grades.note_act(
        rating_list=held, member=member, act=act, grade=grade, by=club.committee, at=club.at, **told
    )


def grade_of(held, member):
    return StandingCote.objects.get(rating_list=held, member=member).state["extra"]["grade"]


def test_an_approval_gives_the_grade_that_waited_without_any_game(club, held, as_user):
    first = club.members[0]
    desk = as_user(club.committee.user)
    page = f"{ROOT}/gestion/cotes/fesa/grades/"
    assert [row["grade"] for row in desk.get(page).context["waiting"]] == ["5 Dan"]
    said = {"act": "approval", "member": first.full_name, "grade": "5 Dan", "reference": "NSR 12"}
    assert desk.post(page, {**said, "dated_on": ""}).status_code == 422
    before = JournalEntry.objects.count()
    assert desk.post(page, {**said, "dated_on": "2026-01-31"}).status_code == 302
    assert JournalEntry.objects.count() == before + 1
    assert grade_of(held, first) == "5 Dan"
    shown = desk.get(page)
    assert shown.context["waiting"] == []
    assert [(one["reference"], str(one["dated_on"])) for one in shown.context["acts"]] == [
        ("NSR 12", "2026-01-31")
    ]
    assert list(replay.check(held)) == []


def test_an_approval_given_early_is_not_lost(club, held):
    second, third = club.members[1:3]
    note(club, held, second, "approval", "5 Dan")
    assert grade_of(held, second) == "4 Dan"  # 2300 reaches nothing yet
    table = settlement.open_period(
        rating_list=held,
        key="t",
        label="Open",
        held_on=club.at.date() + timedelta(days=2),  # after the act, in any time zone
        facts={"minutes": 30, "byoyomi": 30, "arbiter": "A. Pop", "one_table": True},
    )
    strong = club.members[0].pk
    for n in range(16):  # sixteen wins against 2460
        game = Game(f"g{n}", second.pk, strong, 2, position=n)
        settlement.record_game(period=table, posting=game, at=club.at)
    settlement.settle(period=table, by=club.committee, at=club.at)
    assert grade_of(held, second) == "5 Dan"
    assert third.pk not in {e.member_id for e in LedgerEntry.objects.filter(period=table)}


def test_a_grade_that_waits_is_public(club, held, client):
    assert "5 Dan" in client.get(f"{ROOT}/cotes/fesa/").content.decode()
    own = client.get(f"{ROOT}/joueurs/{club.members[0].address}/cotes/fesa/").content.decode()
    assert "Grade en attente d’accord" in own


def test_a_request_gives_a_grade_that_is_reached_and_no_other(club, held):
    third = club.members[2]  # 1500 and settled: UB of 3 Kyu is 1460
    with pytest.raises(Refused, match="n’atteignent pas"):
        note(club, held, third, "request", "1 Kyu")
    note(club, held, third, "request", "3 Kyu")
    assert grade_of(held, third) == "3 Kyu"


def test_a_request_for_five_dan_waits_for_the_approval(club, held):
    first = club.members[0]
    note(club, held, first, "request", "5 Dan")
    assert grade_of(held, first) == "4 Dan"
    note(club, held, first, "approval", "5 Dan")
    assert grade_of(held, first) == "5 Dan"
    assert list(replay.check(held)) == []


@pytest.mark.parametrize(
    ("place", "act", "grade", "more", "code"),
    [
        (0, "approval", "3 Dan", {}, "grade_refused"),
        (3, "approval", "4 Dan", {}, "grade_refused"),
        (0, "approval", "9 Dan", {}, "grade_refused"),
        (0, "approval", "5 Dan", {"reference": " "}, "reference_required"),
        (0, "approval", "5 Dan", {"dated_on": date.max}, "future"),
        (5, "approval", "5 Dan", {}, "unknown_player"),
    ],
)
def test_what_says_nothing_is_refused(club, held, place, act, grade, more, code):
    with refused(code):
        note(club, held, club.members[place], act, grade, **more)


def test_the_same_act_is_noted_once(club, held):
    note(club, held, club.members[0], "request", "5 Dan")
    with refused("twice"):
        note(club, held, club.members[0], "request", "5 Dan")


def test_an_act_noted_before_a_merge_is_not_noted_again(club, held):
    first, kept = club.members[0], club.members[5]
    note(club, held, first, "request", "5 Dan")
    by = {"by": club.committee, "at": club.at}
    settlement.merge_member(member=first, into=kept, reason="la même personne", **by)
    with refused("twice"):
        note(club, held, kept, "request", "5 Dan")
    noted = held.periods.get(kind=settlement.ADJUSTMENT)
    gone = corrections.remove_event(noted)
    settlement.apply(rating_list=held, correction=gone, reason="référence", **by)
    again = note(club, held, kept, "request", "5 Dan").period
    assert again.removed_at is None and again.key != noted.key


def test_an_act_noted_with_a_wrong_reference_is_taken_out_and_noted_again(club, held, as_user):
    wrong = note(club, held, club.members[0], "approval", "5 Dan", reference="NSR 1").period
    for reference in ("NSR 2", "NSR 3"):
        gone = corrections.remove_event(wrong)
        by = {"by": club.committee, "at": club.at}
        settlement.apply(rating_list=held, correction=gone, reason="référence", **by)
        entry = note(club, held, club.members[0], "approval", "5 Dan", reference=reference)
        assert entry.because[0]["values"]["reference"] == reference
        wrong = entry.period
    shown = as_user(club.committee.user).get(f"{ROOT}/gestion/cotes/fesa/grades/")
    acts = [(one["reference"], one["taken_out"]) for one in shown.context["acts"]]
    assert acts == [("NSR 3", False), ("NSR 2", True), ("NSR 1", True)]
    assert shown.content.decode().count("retiré</span>") == 2
    assert list(replay.check(held)) == []


def test_an_act_of_somebody_merged_is_named_as_the_list_names_them(club, held, as_user):
    first, kept = club.members[0], club.members[5]
    note(club, held, first, "approval", "5 Dan")
    settlement.merge_member(
        member=first, into=kept, by=club.committee, at=club.at, reason="la même personne"
    )
    page = as_user(club.committee.user).get(f"{ROOT}/gestion/cotes/fesa/grades/")
    assert [one["name"] for one in page.context["acts"]] == [kept.full_name]
    assert grade_of(held, kept) == "5 Dan"


def test_an_act_does_not_follow_a_competition_that_was_taken_out_for_its_date(club, held):
    by = {"by": club.committee, "at": club.at}
    far = club.at.date() + timedelta(days=9999)
    wrong = settlement.open_period(rating_list=held, key="p", label="Open", held_on=far)
    settlement.settle(period=wrong, **by)
    gone = corrections.remove_event(wrong)
    settlement.apply(rating_list=held, correction=gone, reason="date fausse", **by)
    note(club, held, club.members[0], "approval", "5 Dan")
    assert held.periods.get(kind=settlement.ADJUSTMENT).held_on == club.at.date()


def test_a_correction_before_an_approval_replays_it(club, held):
    first = club.members[0]
    entry = note(club, held, first, "approval", "5 Dan")
    start = held.periods.get(key="start")
    lower = {
        **start.facts["players"],
        str(first.pk): {"rating": 2200, "games": 60, "grade": "4 Dan"},
    }
    wish = corrections.change_event(start, facts={**start.facts, "players": lower})
    settlement.apply(
        rating_list=held,
        correction=wish,
        by=club.committee,
        at=club.at,
        reason="Elo relu",
        alone=True,
    )
    assert grade_of(held, first) == "4 Dan"
    assert LedgerEntry.objects.filter(supersedes=entry).exists()
    assert list(replay.check(held)) == []
