"""The committee ignores the PDI of a named group of tied players (002 II.B.1)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.models import Member
from pairings.evenings import pairing
from pairings.evenings.admission import presence
from pairings.evenings.models import PairingRun
from pairings.live.models import LiveEvent
from pairings.matches import actions as match_actions
from pairings.players import merging
from pairings.ranking import live, pdi_waivers, season
from pairings.ranking.models import PdiWaiver
from pairings.rules.match_state import Result
from ratings.editions import actions as editions
from tests.clubhouse import Clubhouse, make_club
from tests.kept import once_a_worker
from tests.refusals import refused

pytestmark = pytest.mark.django_db


def play(club, first, second, scores):
    club.played(first, second, scores=scores)
    club.used -= {first.pk, second.pk}


@once_a_worker
def level() -> tuple[Clubhouse, Member, Member]:
    """Return a club whose A and B are level on PR: A won their match, B has the better DS."""
    club = make_club("faizers")
    a, b, c, d = club.members[:4]
    play(club, a, b, (301, 300))
    play(club, a, c, (200, 400))
    play(club, b, d, (400, 200))
    return club, a, b


@pytest.fixture
def begun(db):
    return level()


@pytest.fixture
def tied(begun):
    return begun[1:]


def standing(club):
    return season.standing(club.evening.season, None, today=club.evening.held_on).places


def group_of(club):
    return next(iter(pdi_waivers.groups(club.evening.season, None, at=club.at)))


def ignore(club, group=None, reason="Confrontations incomplètes", by=None):
    return pdi_waivers.ignore_pdi(
        group=group or group_of(club),
        current=club.evening.season,
        reason=reason,
        by=by or club.committee,
        at=club.at,
    )


def test_only_a_group_that_the_pdi_parts_is_offered(club, tied):
    found = pdi_waivers.groups(club.evening.season, None, at=club.at)
    assert [(list(group.members), group.whole, group.pr) for group in found] == [
        (list(tied), True, 4)
    ]


def test_ignoring_the_pdi_lets_the_ds_part_the_group(club, tied):
    a, b = tied
    before = standing(club)
    assert before[a.pk] < before[b.pk]
    ignore(club)
    after = standing(club)
    assert after[b.pk] < after[a.pk]
    assert {pk: after[pk] for pk in after if pk not in (a.pk, b.pk)} == {
        pk: before[pk] for pk in before if pk not in (a.pk, b.pk)
    }


def test_the_effect_is_told_before_and_is_what_happens(club, tied):
    before = standing(club)
    told = pdi_waivers.effect(club.evening.season, None, group_of(club), at=club.at)
    assert standing(club) == before
    ignore(club)
    assert {member.pk: (old, new) for member, old, new in told} == {
        member.pk: (before[member.pk], standing(club)[member.pk]) for member in tied
    }


def test_the_decision_is_in_the_journal_with_its_members_and_reason(club, tied):
    ignore(club, reason="  Paul n’a pas joué Karim  ")
    line = JournalEntry.objects.get(verb="pdi_ignored")
    assert line.after == {
        "season": club.evening.season_id,
        "members": sorted(member.pk for member in tied),
    }
    assert (line.reason, line.role) == ("Paul n’a pas joué Karim", "committee")
    assert LiveEvent.objects.filter(kind="ranking").exists()


def test_pairing_reads_the_decision_and_its_run_keeps_it(club, tied):
    a, b = tied
    for busy in (club.arbiter, club.committee):
        presence.go_home(evening=club.evening, member=busy.member, by=busy, at=club.at)
    pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)
    for match in club.evening.matches.open():
        match_actions.cancel(match=match, reason="à refaire", by=club.arbiter, at=club.at)
    ignore(club)
    pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)
    first, second = PairingRun.objects.order_by("pk")
    assert (first.given["pdi_ignored"], second.given["pdi_ignored"]) == ([], [[a.pk, b.pk]])
    order = first.outcome["order"], second.outcome["order"]
    assert [one.index(a.pk) < one.index(b.pk) for one in order] == [True, False]


def test_a_group_that_has_changed_is_a_new_question(club, tied):
    a, b = tied
    ignore(club)
    e, f = club.members[4:6]
    for first, second in ((a, e), (b, e), (e, f)):
        play(club, first, second, (300, 300))
    now = standing(club)  # A, B and E are level and have all met: their PDI is 5, 3, 4
    assert now[a.pk] < now[e.pk] < now[b.pk]


def test_a_ranking_published_before_the_decision_is_not_contradicted_by_it(club, tied):
    """It counts from that moment: what was published without it says what held then, until corrected."""
    club.close()
    edition = club.publish_edition("Classement")
    club.at += timedelta(hours=1)
    ignore(club)
    assert not editions.again(edition).changed and not editions.to_mend(club.organisation, None)
    after = club.publish_edition("Après la décision")
    club.at += timedelta(hours=1)
    decided = PdiWaiver.objects.get()
    pdi_waivers.restore_pdi(waiver=decided, reason="r", by=club.committee, at=club.at)
    assert editions.again(edition).changed is editions.again(after).changed is False


def test_an_erratum_published_after_the_decision_leaves_it_out_as_what_it_corrects_does(club, tied):
    match, _players = club.played(*club.members[4:6])
    club.close()
    edition = club.publish_edition("Classement")
    club.at += timedelta(hours=1)
    ignore(club)
    match.refresh_from_db()
    club.correct(match, Result("played", 300, 400), "feuille relue")
    moved = {line.member for line in editions.again(edition).moved}
    assert moved and moved.isdisjoint(member.pk for member in tied)
    erratum = editions.publish_erratum(
        of=edition, title="Rectificatif", note="feuille", by=club.committee, at=club.at
    )
    assert not editions.again(erratum).changed


def test_taking_it_back_restores_the_order_and_keeps_the_decision_readable(club, tied):
    before = standing(club)
    waiver = ignore(club)
    pdi_waivers.restore_pdi(waiver=waiver, reason="Vote annulé", by=club.committee, at=club.at)
    assert standing(club) == before
    assert (waiver.withdrawn_reason, waiver.reason) == ("Vote annulé", "Confrontations incomplètes")
    with refused("stale"):
        pdi_waivers.restore_pdi(waiver=waiver, reason="encore", by=club.committee, at=club.at)
    assert JournalEntry.objects.filter(verb="pdi_restored").count() == 1


@pytest.mark.parametrize("reason", ["", "   "])
def test_a_decision_without_a_reason_is_refused(club, tied, reason):
    with refused("reason_required"):
        ignore(club, reason=reason)
    assert not PdiWaiver.objects.exists()


def test_an_arbiter_does_not_decide_it(club, tied):
    with refused("role"):
        ignore(club, by=club.arbiter)


def test_the_same_group_is_decided_once(club, tied):
    group = group_of(club)
    waiver = ignore(club, group)
    with refused("stale"):
        ignore(club, group)
    with pytest.raises(IntegrityError, match=r"ignored_once|UNIQUE"), transaction.atomic():
        PdiWaiver.objects.create(
            season=waiver.season, group=waiver.group, key=waiver.key, reason="x", decided_at=club.at
        )


def test_a_decision_stays_in_its_season_and_club(club, other_club, tied):
    ignore(club)
    assert season.waived_groups(other_club.evening.season) == []
    assert pdi_waivers.notes(other_club.evening.season, viewer_is_member=True) == []


def test_a_group_stays_ignored_when_a_guest_of_it_turns_out_to_be_a_member(club):
    a = members.create(
        organisation=club.organisation, first_name="A", is_guest=True, by=club.arbiter, at=club.at
    )
    club.check_in(a)
    known, b, c, d = club.members[:4]
    presence.go_home(evening=club.evening, member=known, by=club.player(known), at=club.at)
    play(club, a, b, (301, 300))
    play(club, a, c, (200, 400))
    play(club, b, d, (400, 200))
    ignore(club)
    before = standing(club)
    assert before[b.pk] < before[a.pk]
    merging.unite(guest=a, into=known, reason="x", by=club.committee, at=club.at)
    after = standing(club)
    assert after[b.pk] < after[known.pk]
    shown = live.ranking(club.organisation, at=club.at, live=True)
    assert {row.member.pk: row.rank for row in shown.rows if row.values["played"]} == after
    assert {row.member.pk for row in shown.rows if row.pdi_ignored} == {known.pk, b.pk}
    assert not pdi_waivers.groups(club.evening.season, None, at=club.at)
    (note,) = pdi_waivers.notes(club.evening.season, viewer_is_member=True)
    assert note.names == [person.full_name for person in (b, known)]
