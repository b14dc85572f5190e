"""Sanction proposals are evaluated again at each change of an absence (002 II.A.2)."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from clubs.accounts.actor import Actor
from clubs.journal.models import JournalEntry
from clubs.organisations.models import Season
from clubs.sanctions import actions as sanctions
from clubs.sanctions.actions import SanctionRefused
from clubs.sanctions.models import Sanction
from pairings.absences import actions as absences
from pairings.absences.models import Absence
from pairings.evenings import actions as evenings
from pairings.matches import actions as match_actions
from pairings.rules.match_state import Result
from ratings.ledger import replay
from ratings.ledger.models import Period, RatingList, StandingCote
from ratings.ledger.origins import OriginKind
from tests.clubhouse import Clubhouse, make_club
from tests.kept import once_a_worker
from tests.refusals import refused

pytestmark = pytest.mark.django_db


def absent(club, away, *, justified=False):
    """Create one more match that `away` misses, then check them in again."""
    busy = {away.pk}
    other = next(
        row.member
        for row in club.evening.check_ins.filter(state="waiting").order_by("pk")
        if row.member_id not in busy
    )
    match, _players = club.match(away, other)
    club.mark_absent(match, "a", justified=justified)
    club.check_in(away)
    match.refresh_from_db()
    return match


def correct(club, match, result):
    match.refresh_from_db()
    return match_actions.correct(
        match=match, result=result, reason="feuille relue", by=club.committee, at=club.at
    )


def decide(club, absence, *, justified):
    """An arbiter's decision about an excuse."""
    absences.review(
        absence=absence,
        justified=justified,
        reason="vu",
        seen=absence.version,
        by=club.arbiter,
        at=club.at,
    )


@once_a_worker
def club_with_a_proposal() -> Clubhouse:
    """`away` missed the three matches of `missed`; `sanction` is proposed."""
    club = make_club("faizers")
    club.away = club.members[0]
    club.missed = [absent(club, club.away) for _time in range(3)]
    club.sanction = Sanction.objects.get(member=club.away)
    return club


@pytest.fixture
def proposed(db):
    return club_with_a_proposal()


PLAYED = Result("played", 400, 350)
JUSTIFIED = Result("absent", absent="a", justified=True)


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("result", [PLAYED, Result("cancelled"), JUSTIFIED], ids=str)
def test_a_correction_of_any_of_its_absences_withdraws_the_proposal(proposed, place, result):
    correct(proposed, proposed.missed[place], result)
    proposed.sanction.refresh_from_db()
    assert proposed.sanction.status == Sanction.Status.WITHDRAWN
    lines = JournalEntry.objects.filter(verb="sanction_withdrawn")
    assert lines.get().subject == f"sanction:{proposed.sanction.pk}"


@pytest.mark.parametrize(("before", "after"), [("both", "a"), ("a", "both")])
@pytest.mark.parametrize("justified", [True, False])
def test_a_correction_of_who_was_absent_says_too_whether_it_was_justified(
    club, before, after, justified
):
    """Who stays absent keeps their row: it was left as it stood, against the correction."""
    match, _players = club.match(club.members[0], club.members[1])
    club.mark_absent(match, before, justified=not justified)
    correct(club, match, Result("absent", absent=after, justified=justified))
    rows = Absence.objects.filter(match=match, withdrawn_at__isnull=True)
    assert set(rows.values_list("justified", flat=True)) == {justified}
    strips = absences.reviewed(club.evening.season).strips
    (first,), (second,) = strips[match.first_id], strips[match.second_id]
    assert (first.absent, first.justified) == (True, justified)
    assert (second.absent, second.justified) == (after == "both", after == "both" and justified)


def test_who_of_two_absentees_is_excused_reads_an_absence_that_is_justified(club, as_user):
    """The one who was excused read that they had been there."""
    match, _players = club.match(club.members[0], club.members[1])
    club.mark_absent(match, "both")
    absence = match.absences.get(member=match.first)
    decide(club, absence, justified=True)
    for player, mark in ((match.first, "excused"), (match.second, "absent")):
        page = as_user(player.user).get("/c/faizers/moi/absences/")
        assert page.context["marks"] == [mark]


@pytest.mark.parametrize("justified", [True, False])
def test_an_absence_that_an_arbiter_called_justified_asks_for_no_excuse(club, as_user, justified):
    match, _players = club.match(club.members[0], club.members[1])
    club.mark_absent(match, "a", justified=justified)
    page = as_user(match.first.user).get("/c/faizers/moi/absences/").content.decode()
    (absence,) = match.absences.all()
    assert (f"/moi/absences/{absence.pk}/" in page) is not justified


def test_both_absent_from_one_match_have_each_their_case(proposed):
    """The two proposals rest on the same match; a correction of it withdraws both."""
    other = proposed.members[1]
    for _time in range(2):
        absent(proposed, other)
    match, _players = proposed.match(proposed.away, other)
    proposed.mark_absent(match, "both")
    correct(proposed, proposed.missed[0], PLAYED)
    cases = Sanction.objects.filter(trigger_key=f"match:{match.pk}")
    assert {case.member_id for case in cases.open_proposals()} == {proposed.away.pk, other.pk}
    correct(proposed, match, PLAYED)
    assert not Sanction.objects.open_proposals().exists()


def test_an_excuse_accepted_withdraws_it_and_one_refused_again_proposes_it_again(proposed):
    absence = Absence.objects.filter(member=proposed.away).order_by("pk").first()
    for justified, status in ((True, "withdrawn"), (False, "proposed"), (True, "withdrawn")):
        decide(proposed, absence, justified=justified)
        proposed.sanction.refresh_from_db()
        assert proposed.sanction.status == status
    assert Sanction.objects.count() == 1


def test_an_excuse_an_answer_and_a_correction_are_of_one_absence(proposed):
    rows = Absence.objects.order_by("pk")
    first, second, _third = rows
    answer = {"justified": True, "reason": "vu", "by": proposed.arbiter, "at": proposed.at}
    by = proposed.player(proposed.away)
    acts = [
        (first, lambda: absences.excuse(absence=first, words="Train", by=by, at=proposed.at)),
        (first, lambda: absences.review(absence=first, seen=first.version, **answer)),
        (second, lambda: correct(proposed, second.match, JUSTIFIED)),
    ]
    for own, act in acts:
        before = {row["id"]: row for row in rows.values()}
        act()
        assert [row["id"] for row in rows.values() if row != before[row["id"]]] == [own.pk]


def test_a_case_of_another_season_or_of_the_committee_alone_is_not_withdrawn(proposed):
    by_hand = sanctions.propose(
        member=proposed.members[1],
        trigger_key="x",
        grounds={},
        by=proposed.committee,
        at=proposed.at,
    )
    current = proposed.evening.season
    first = current.ends_on + timedelta(days=1)
    following = proposed.season("Suivante", first, first)
    for season in (following, current):
        absences.apply_policy(season, by=proposed.committee, at=proposed.at)
        for case in (proposed.sanction, by_hand):
            case.refresh_from_db()
            assert case.status == Sanction.Status.PROPOSED


def test_a_fourth_absence_keeps_a_case_alive_on_another_match(proposed):
    fourth = absent(proposed, proposed.away)
    correct(proposed, proposed.missed[0], PLAYED)
    found = dict(Sanction.objects.values_list("trigger_key", "status"))
    old, new = (f"match:{match.pk}" for match in (proposed.missed[2], fourth))
    assert found == {old: "withdrawn", new: "proposed"}


def test_the_member_and_the_committee_are_told(proposed, mailoutbox, after_commit, settings):
    settings.CELERY_TASK_ALWAYS_EAGER = True
    with after_commit():
        correct(proposed, proposed.missed[0], PLAYED)
    told = {
        message.to[0] for message in mail.outbox if "proposition de sanction" in message.subject
    }
    assert told == {proposed.away.user.email, proposed.committee.user.email}


def impose(club, **values):
    return club.impose(club.sanction, "abus", **values)


def test_nothing_is_imposed_from_a_stale_page(proposed):
    """The page was read before the correction: its copy is still in the proposed state."""
    correct(proposed, proposed.missed[0], PLAYED)
    assert proposed.sanction.status == Sanction.Status.PROPOSED
    with refused("withdrawn"):
        impose(proposed, sessions=2, cut_percent=Decimal(5))
    proposed.sanction.refresh_from_db()
    assert proposed.sanction.suspended_evenings is None
    assert not RatingList.objects.filter(periods__origin="sanction").exists()


def test_a_proposal_that_nobody_looked_at_again_is_withdrawn_when_it_is_decided(proposed):
    """The absence changed without an action: the withdrawal is kept, the decision refused."""
    Absence.objects.filter(match=proposed.missed[0]).update(justified=True)
    with pytest.raises(SanctionRefused):
        impose(proposed, sessions=2)
    proposed.sanction.refresh_from_db()
    assert proposed.sanction.status == Sanction.Status.WITHDRAWN


def test_a_decision_that_comes_first_is_marked_not_undone(proposed):
    impose(proposed, sessions=2)
    correct(proposed, proposed.missed[0], PLAYED)
    proposed.sanction.refresh_from_db()
    assert proposed.sanction.status == Sanction.Status.IMPOSED
    assert proposed.sanction.unfounded_at == proposed.at
    correct(proposed, proposed.missed[0], Result("absent", absent="a"))
    proposed.sanction.refresh_from_db()
    assert proposed.sanction.unfounded_at is None
    verbs = JournalEntry.objects.filter(subject=f"sanction:{proposed.sanction.pk}")
    assert list(verbs.order_by("seq").values_list("verb", flat=True)) == [
        "sanction_proposed",
        "sanction_imposed",
        "sanction_unfounded",
        "sanction_founded",
    ]


@pytest.mark.parametrize(("give_back", "back"), [(False, False), (True, True)])
def test_lifting_gives_the_cut_back_only_where_the_committee_ticks_it(
    proposed, as_user, give_back, back
):
    proposed.played(proposed.away, proposed.members[4], scores=(400, 300))
    proposed.close()
    before = StandingCote.objects.get(member=proposed.away).shown
    impose(proposed, sessions=2, cut_percent=Decimal(1))
    cut = StandingCote.objects.get(member=proposed.away).shown
    assert cut < before
    proposed.sanction.refresh_from_db()
    preview = absences.cut_given_back(proposed.sanction, at=proposed.at)
    assert preview.finals == {proposed.away.pk: (cut, before)}
    absences.lift(
        sanction=proposed.sanction,
        reason="motif disparu",
        by=proposed.committee,
        at=proposed.at + timedelta(hours=1),
        give_back=give_back,
        seen=preview.version,
    )
    assert StandingCote.objects.get(member=proposed.away).shown == (before if back else cut)
    proposed.sanction.refresh_from_db()
    for user, page in (
        (proposed.committee.user, f"/arbitrage/sanctions/{proposed.sanction.pk}/"),
        (proposed.away.user, "/moi/absences/"),
    ):
        words = as_user(user).get(page).content.decode()
        assert "Cote réduite de 1\u00a0%." in words
        assert ("Cette réduction est annulée." in words) is back
    assert list(replay.check(RatingList.objects.get())) == []


def test_a_member_of_many_lifted_cuts_waits_no_longer(proposed, as_user, django_assert_num_queries):
    def lifted(days):
        at = proposed.at + timedelta(days=days)
        case = sanctions.propose(
            member=proposed.away, trigger_key=f"hand:{days}", grounds={}, by=proposed.arbiter, at=at
        )
        proposed.impose(case, "retards", at=at, cut_percent=Decimal(1))
        absences.lift(sanction=case, reason="vu", by=proposed.committee, at=at)

    lifted(1)
    client = as_user(proposed.away.user)
    with CaptureQueriesContext(connection) as one:
        client.get("/moi/absences/")
    lifted(2)
    lifted(3)
    with django_assert_num_queries(len(one)):
        page = client.get("/moi/absences/").content.decode()
    assert page.count("Cote réduite de 1\u00a0%.") == 3


def test_the_daily_look_withdraws_too(proposed, other_club):
    other_club.close()
    other_club.next_evening()  # newer than the last one of this club
    Absence.objects.filter(match=proposed.missed[0]).update(justified=True)
    absences.apply_policy_to_all(proposed.organisation, at=proposed.at)
    proposed.sanction.refresh_from_db()
    assert proposed.sanction.status == Sanction.Status.WITHDRAWN
    assert JournalEntry.objects.get(verb="sanction_withdrawn").actor is None
    assert Actor.system().member is None


def test_an_evening_called_off_in_the_next_season_is_not_where_the_daily_look_looks(proposed):
    """The season that runs is that of the evenings that took place: none did in the next one."""
    Season.objects.update(ends_on=date(2026, 12, 31))
    proposed.season("2027", date(2027, 1, 1), date(2027, 12, 31))
    called_off = proposed.announce(proposed.at + timedelta(days=60))
    evenings.cancel_evening(
        evening=called_off, reason="salle prise", by=proposed.committee, at=proposed.at
    )
    Absence.objects.filter(match=proposed.missed[0]).update(justified=True)
    absences.apply_policy_to_all(proposed.organisation, at=proposed.at)
    proposed.sanction.refresh_from_db()
    assert proposed.sanction.status == Sanction.Status.WITHDRAWN


@pytest.mark.parametrize("days", [1, 30])
def test_the_committee_says_how_long_a_sanction_may_be_appealed(proposed, as_user, days):
    """Its days are those of the decision: a later version of the rules leaves them."""
    club, case = proposed, proposed.sanction
    club.rule_book({"pairing": {"appeal_days": days}})
    page = f"/c/faizers/arbitrage/sanctions/{case.pk}/"
    said = as_user(club.committee.user).get(page).content.decode()
    assert f"pendant {days} jour" in said.replace("\u00a0", " ")
    imposed = club.impose(case, "r")
    assert imposed.appeal_until == club.at + timedelta(days=days)
    club.rule_book({"pairing": {"appeal_days": days + 1}})
    late = {"by": club.player(club.away), "at": imposed.appeal_until + timedelta(seconds=1)}
    with refused("too_late"):
        sanctions.appeal(sanction=imposed, text="malade", **late)


def test_the_cut_of_who_has_never_played_is_announced_too(proposed, as_user):
    """10 % of the 1000 that everybody starts from, where the floor of cuts is 800."""
    club, case = proposed, proposed.sanction
    club.rule_book({"pairing": {"rating_floor": 800}})
    assert not StandingCote.objects.filter(member=club.away).exists()
    sent = {"sessions": "0", "cut_percent": "10", "reason": "r"}
    page = as_user(club.committee.user).post(f"/c/faizers/arbitrage/sanctions/{case.pk}/", sent)
    assert page.context["effect"] == (1000, 900)
    club.impose(case, "r", cut_percent=Decimal(10))
    assert StandingCote.objects.get(member=club.away).shown == 900


@pytest.mark.parametrize(("language", "said"), [("fr", "Sanction"), ("ro", "Sancțiune")])
def test_a_cut_is_named_in_its_readers_language(proposed, language, said):
    club = proposed
    with translation.override("ro"):
        club.impose(club.sanction, "r", cut_percent=Decimal(2))
    cut = Period.objects.get(origin=OriginKind.SANCTION.value)
    assert cut.label == "Sanction"
    with translation.override(language):
        assert cut.title == said
