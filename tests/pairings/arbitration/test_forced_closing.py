"""Forcing the closing of an evening: what it says beforehand is what it does, or nothing happens."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from clubs.journal.models import JournalEntry
from pairings.arbitration import actions as arbitration
from pairings.arbitration import forced_closing
from pairings.evenings import actions as evenings
from pairings.evenings.common import EveningRefused
from pairings.matches import actions as match_actions
from pairings.matches.models import Decision, Match
from pairings.rules.match_lifecycle import Lifecycle
from ratings.ledger.models import StandingCote
from tests.clubhouse import NOW
from tests.pages import words
from tests.refusals import refused

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def twenty_minutes_later():
    with time_machine.travel(NOW + 20 * MINUTE, tick=False) as clock:
        yield clock


@pytest.fixture
def now(club):
    return club.at + 20 * MINUTE


@pytest.fixture
def still_open(club, now):
    """One match of each kind that may be open at the end: 400 – 350 entered, absent, disputed, called."""
    entered, (a, _b) = club.match()
    match_actions.submit(match=entered, by=a, scores=(400, 350), at=now - 2 * MINUTE)
    missed, (c, _d) = club.match()
    match_actions.claim_absence(match=missed, by=c, at=now - MINUTE)
    disputed, (e, f) = club.match()
    match_actions.submit(match=disputed, by=e, scores=(300, 200), at=now - 3 * MINUTE)
    match_actions.contest(
        match=disputed, by=f, at=now - 2 * MINUTE, words="faux", scores=(200, 300)
    )
    called, _players = club.match()
    return [entered, missed, disputed, called]


def address(club) -> str:
    return reverse("pairings:force_closing", kwargs={"day": club.evening.held_on.isoformat()})


def states(matches: list[Match]) -> list[str]:
    return [Match.objects.get(pk=match.pk).status for match in matches]


def test_the_page_says_what_becomes_of_each_open_match_and_changes_nothing(
    club, still_open, as_user
):
    before = states(still_open)
    answer = as_user(club.arbiter.user).get(address(club))
    page = words(answer)
    rows = {row["match"].pk: row["words"] for row in answer.context["rows"]}
    entered, missed, disputed, called = (rows[match.pk] for match in still_open)
    assert "400 – 350, compte" in entered
    assert str(still_open[1].second) in missed and "notée" in missed
    assert disputed.startswith("Annulé") and called.startswith("Annulé")
    assert "Aucune des deux versions" in page and "4 matchs encore ouverts" in page
    effect = {row.member.pk: (row.pr, row.cote) for row in answer.context["effect"].rows}
    assert effect[still_open[0].first_id] == ((None, 3), (1000, 1015))
    assert states(still_open) == before


def test_one_act_does_what_was_read_and_rates_the_evening(club, still_open, as_user):
    desk = as_user(club.arbiter.user)
    answer = desk.get(address(club))
    said = {row.member.pk: row.cote[1] for row in answer.context["effect"].rows}
    sent = {"seen": answer.context["seen"], "reason": "La salle ferme."}
    assert desk.post(address(club), sent).status_code == 302
    club.evening.refresh_from_db()
    assert club.evening.state == "closed"
    assert states(still_open) == ["final", "final", "cancelled", "cancelled"]
    kept = Match.objects.get(pk=still_open[0].pk)
    assert (kept.first_score, kept.second_score, kept.why) == (400, 350, "arbiter")
    assert [d.reason for d in kept.decisions.all()] == ["La salle ferme."]
    missed = Match.objects.get(pk=still_open[1].pk)
    assert (missed.absent, missed.justified) == ("b", False)  # it counts
    assert not kept.contests.open().exists() and not still_open[2].contests.open().exists()
    stored = dict(StandingCote.objects.values_list("member_id", "shown"))
    assert {pk: stored.get(pk, 1000) for pk in said} == said


@pytest.mark.parametrize("change", ["entered", "other scores", "reason", "seen"])
def test_a_plan_that_changed_or_was_not_read_closes_nothing(club, still_open, as_user, now, change):
    desk = as_user(club.arbiter.user)
    sent = {"seen": desk.get(address(club)).context["seen"], "reason": "La salle ferme."}
    if change == "entered":
        called = still_open[3]
        match_actions.submit(
            match=called, by=club.player(called.first), scores=(1, 2), at=now - MINUTE
        )
    elif change == "other scores":
        entered = still_open[0]
        match_actions.submit(
            match=entered, by=club.player(entered.first), scores=(410, 350), at=now - MINUTE
        )
    else:
        sent[change] = " " if change == "reason" else "0" * 32
    before = states(still_open)
    answer = desk.post(address(club), sent)
    assert answer.status_code == 422
    club.evening.refresh_from_db()
    assert club.evening.state == "running" and states(still_open) == before
    assert ("La salle ferme." in words(answer)) == (change != "reason")
    fresh = answer.context["seen"]
    assert f'name="seen" value="{fresh}"' in words(answer)


def test_an_arbiter_does_not_end_their_own_match_by_closing(club, as_user):
    match, _players = club.match(second=club.arbiter.member)
    page = words(as_user(club.arbiter.user).get(address(club)))
    assert "un autre arbitre doit s’en charger" in page and "disabled" in page
    plan = forced_closing.consequences(club.evening)
    with refused("own_match"):
        forced_closing.force_close(
            evening=club.evening, reason="x", seen=plan.mark, by=club.arbiter, at=club.at
        )
    club.evening.refresh_from_db()
    assert states([match]) == ["proposed"] and club.evening.state == "running"


def test_an_arbiter_who_passed_a_dispute_on_does_not_end_it_by_closing(club, still_open, now):
    contest = still_open[2].contests.get()
    arbitration.pass_on(contest=contest, reason="ami", by=club.arbiter, at=now)
    mark = forced_closing.consequences(club.evening).mark
    before = states(still_open)
    with refused("recused"):
        forced_closing.force_close(
            evening=club.evening, reason="x", seen=mark, by=club.arbiter, at=now
        )
    club.evening.refresh_from_db()
    assert states(still_open) == before and club.evening.state == "running"


def test_a_forced_closing_without_a_reason_is_refused_whoever_asks(club, now):
    mark = forced_closing.consequences(club.evening).mark
    entries = JournalEntry.objects.count()
    with refused("reason_required"):
        forced_closing.force_close(
            evening=club.evening, reason=" ", seen=mark, by=club.arbiter, at=now
        )
    assert JournalEntry.objects.count() == entries


def test_each_match_that_was_ended_keeps_the_reason_of_the_closing(club, still_open, now):
    mark = forced_closing.consequences(club.evening).mark
    forced_closing.force_close(
        evening=club.evening, reason=" La salle ferme. ", seen=mark, by=club.arbiter, at=now
    )
    told = Decision.objects.filter(match__in=still_open).values_list("match", "reason", "by")
    assert sorted(told) == sorted(
        (match.pk, "La salle ferme.", club.arbiter.user.pk) for match in still_open
    )


@pytest.mark.parametrize(("agreed", "becomes"), [(False, "cancel"), (True, "keep")])
def test_where_silence_is_no_agreement_an_entered_result_counts_if_both_agreed(
    club, still_open, now, monkeypatch, agreed, becomes
):
    entered = still_open[0]
    rules = Lifecycle(tacit_acceptance=False, final_on_confirm=False)
    monkeypatch.setattr(
        "pairings.evenings.competition.MatchOfEvening.match_rules", lambda self: rules
    )
    if agreed:
        match_actions.confirm(match=entered, by=club.player(entered.second), at=now)
    plan = forced_closing.consequences(club.evening)
    assert [ending.becomes for ending in plan.endings] == [becomes, "absent", "cancel", "cancel"]


def test_a_closed_evening_is_not_forced_again(club, as_user, now):
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=now)
    evenings.close_evening(evening=club.evening, by=club.arbiter, at=now)
    with pytest.raises(EveningRefused):
        forced_closing.force_close(
            evening=club.evening,
            reason="x",
            seen=forced_closing.consequences(club.evening).mark,
            by=club.arbiter,
            at=now,
        )
    assert as_user(club.arbiter.user).get(address(club)).status_code == 302


def test_the_checklist_leads_to_the_consequences_while_a_match_is_open(club, as_user):
    club.match()
    close = reverse("pairings:evening_close", kwargs={"day": club.evening.held_on.isoformat()})
    assert address(club) in words(as_user(club.arbiter.user).get(close))
