"""Two actions of one evening, the second begun when the first has written its first journal entry.

From there on the first holds the club's journal: what it needs after that and the second holds
already would end both in a deadlock on PostgreSQL (docs/decisions/0046).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from unittest.mock import patch

import pytest
from django.db import transaction

from clubs.accounts.actor import Actor
from clubs.journal import chain as journal
from clubs.members import actions as members
from clubs.members.models import Member
from clubs.personal_data.models import settings_of
from clubs.sanctions import actions as sanctions
from clubs.sanctions.models import Sanction
from pairings import personal_data
from pairings.absences import actions as absences
from pairings.absences.models import Absence
from pairings.arbitration import actions as arbitration
from pairings.arbitration import forced_closing, undo
from pairings.arbitration.models import Contest
from pairings.evenings import actions as evenings
from pairings.evenings import pairing
from pairings.evenings.admission import guests, presence
from pairings.evenings.models import CheckIn, Evening, GuestRequest
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.players import merging
from pairings.rules.match_state import Result
from ratings.ledger import settlement
from ratings.ledger.models import RatingList
from tests.pairings.absences.test_proposals import absent
from tests.pairings.matches.test_races import after, together, while_open

pytestmark = pytest.mark.django_db(transaction=True)


Act = Callable[[], object]


def at_the_first_entry(first: Act, then: Act, *, is_written: bool) -> list[str]:
    """Run two actions; the second begins at the first journal entry of the first.

    `is_written`: after it, when the first holds the journal; otherwise just before.
    """
    record = journal.record
    begun, ended = threading.Event(), threading.Event()
    leading = threading.local()

    def pause() -> None:
        if getattr(leading, "here", False) and not begun.is_set():
            begun.set()
            ended.wait(timeout=0.5)

    def recorded(**details: object) -> object:
        if not is_written:
            pause()
        entry = record(**details)
        pause()
        return entry

    def lead() -> None:
        leading.here = True
        try:
            first()
        finally:
            begun.set()

    with patch.object(journal, "record", recorded):
        return together(lead, after(begun, then, ended))


after_the_first_entry = partial(at_the_first_entry, is_written=True)
before_the_first_entry = partial(at_the_first_entry, is_written=False)


def stored(match: Match) -> Match:
    return Match.objects.get(pk=match.pk)


@pytest.fixture
def waiting(club):
    """Two who have met each other wait; the next to arrive is paired at once."""
    match, _players = club.match(*club.members[:2])
    club.record(match, Result("played", 400, 350))
    here = CheckIn.objects.filter(evening=club.evening)
    here.exclude(member__in=club.members[:2]).delete()
    Evening.objects.filter(pk=club.evening.pk).update(auto_pair=True)
    club.evening.refresh_from_db()
    return club.members[:2]


def arrive(club, member):
    how = {"source": "desk", "by": club.arbiter, "at": club.at}
    return lambda: presence.check_in(evening=club.evening, member=member, **how)


def welcome(club):
    how = {"first_name": "Ada", "last_name": "", "by": club.arbiter, "at": club.at}
    return lambda: presence.welcome_guest(evening=club.evening, **how)


def edit(club, member):
    row = Member.objects.get(pk=member.pk)
    changes = {"visibility": Member.INITIALS}
    return lambda: club.edit(row, changes)


@pytest.mark.parametrize("first", ["arrive", "welcome", "turned on"])
@pytest.mark.parametrize("then", ["edit", "go home", "rest"])
@pytest.mark.parametrize("who", [0, 1])
def test_pairing_those_who_wait_against_what_they_do_themselves(club, waiting, first, then, who):
    if first == "turned on":
        Evening.objects.filter(pk=club.evening.pk).update(auto_pair=False)
        arrive(club, club.members[2])()
    acts = {
        "arrive": arrive(club, club.members[2]),
        "welcome": welcome(club),
        "turned on": lambda: evenings.set_auto_pair(
            evening=club.evening, on=True, by=club.arbiter, at=club.at
        ),
    }
    own = {"member": waiting[who], "by": club.player(waiting[who]), "at": club.at}
    others = {
        "edit": edit(club, waiting[who]),
        "go home": lambda: presence.go_home(evening=club.evening, **own),
        "rest": lambda: presence.pause(evening=club.evening, **own),
    }
    answers = after_the_first_entry(acts[first], others[then])
    # Whoever was seated meanwhile reads that their situation has changed.
    assert answers[0] == "ok" and answers[1] in ("ok", "stale")
    assert Match.objects.filter(evening=club.evening).open().count() == 1


def test_a_guest_against_somebody_who_may_play_again(club, waiting):
    own = {"member": waiting[0], "by": club.player(waiting[0]), "at": club.at}
    answers = after_the_first_entry(
        welcome(club), lambda: presence.ready_again(evening=club.evening, **own)
    )
    assert answers[0] == "ok" and answers[1] in ("ok", "stale")


def entered(club):
    match, (_one, other) = club.entered()
    return stored(match), other


def forced(club, at):
    seen = forced_closing.consequences(club.evening).mark
    how = {"reason": "fermeture", "seen": seen, "by": club.arbiter, "at": at}
    return lambda: forced_closing.force_close(evening=club.evening, **how)


def test_a_forced_closing_against_the_last_confirmation(club):
    entered(club)
    last, other = entered(club)
    confirm = {"match": last, "by": other, "at": club.at}
    answers = after_the_first_entry(forced(club, club.at), lambda: match_actions.confirm(**confirm))
    assert answers == ["ok", "wrong_state"]


@pytest.mark.parametrize("act", [presence.go_home, presence.pause])
def test_a_forced_closing_against_somebody_who_waits(club, act):
    """Their arrival is in hand when they come to the journal; the closing ends it after its entries."""
    entered(club)
    member = club.members[5]
    own = {"evening": club.evening, "member": member, "by": club.player(member), "at": club.at}
    answers = after_the_first_entry(forced(club, club.at), lambda: act(**own))
    assert answers[0] == "ok" and answers[1] in ("ok", "stale")


def test_a_forced_closing_against_a_newcomer_who_is_refused(club):
    entered(club)
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)
    asked = GuestRequest.objects.create(evening=club.evening, first_name="Ada", asked_at=club.at)
    how = {"request": asked, "by": club.committee, "at": club.at}
    answers = after_the_first_entry(forced(club, club.at), lambda: guests.refuse(**how))
    assert answers == ["ok", "stale"]


def test_a_dispute_taken_and_settled_in_one_act_against_another_arbiter(club):
    """A program does both in one transaction, with a key of repetition."""
    match, _players = club.contested()
    contest, ruling = Contest.objects.get(match=match), Result("played", 400, 350)
    how = {"match": match, "result": ruling, "reason": "vu", "at": club.at}
    version = stored(match).version
    answers = after_the_first_entry(
        transaction.atomic(
            lambda: arbitration.settle(contest=contest, version=version, by=club.arbiter, **how)
        ),
        lambda: match_actions.decide(by=club.committee, **how),
    )
    assert answers == ["ok", "wrong_state"]


def test_a_closing_whose_windows_end_against_the_last_confirmation(club):
    entered(club)
    last, other = entered(club)
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)
    later = club.at + timedelta(minutes=6)
    how = {"by": club.arbiter, "at": later}
    seen = forced_closing.consequences(club.evening).mark
    answers = after_the_first_entry(
        lambda: forced_closing.close(evening=club.evening, seen=seen, **how),
        lambda: match_actions.confirm(match=last, by=other, at=later),
    )
    assert answers[0] == "ok" and answers[1] != "ok" and "Error" not in answers[1]


def test_a_forced_closing_against_an_arbiter_who_takes_a_dispute(club):
    match, other = entered(club)
    match_actions.contest(match=match, by=other, at=club.at, words="faux")
    contest = Contest.objects.get(match=match)
    answers = after_the_first_entry(
        forced(club, club.at),
        lambda: arbitration.take(contest=contest, by=club.committee, at=club.at),
    )
    assert answers == ["ok", "stale"]


@pytest.fixture
def closed(club):
    """The first evening is closed with one result, the second one is being closed."""
    match, _other = entered(club)
    forced(club, club.at)()
    club.next_evening()
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)
    return stored(match)


def correct(club, match):
    how = {"reason": "lu de travers", "by": club.arbiter, "at": club.at}
    return lambda: match_actions.correct(match=match, result=Result("played", 300, 350), **how)


def test_a_correction_of_a_closed_evening_against_the_closing_of_the_next(club, closed):
    assert after_the_first_entry(correct(club, closed), forced(club, club.at)) == ["ok", "ok"]


def proposal(club):
    return sanctions.propose(
        member=club.members[0], trigger_key="essai", grounds={}, by=Actor.system(), at=club.at
    )


def test_a_cut_against_the_closing_of_an_evening(club, closed):
    case = proposal(club)
    how = {"reason": "absences", "cut_percent": 10, "by": club.committee, "at": club.at}
    answers = after_the_first_entry(
        lambda: absences.impose(sanction=case, **how), forced(club, club.at)
    )
    assert answers == ["ok", "ok"]


def test_somebody_suspended_from_tonight_against_the_closing(club):
    case = proposal(club)
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)
    how = {"sessions": 2, "from_tonight": True, "cut_percent": 10, "by": club.committee}
    answers = after_the_first_entry(
        lambda: absences.impose(sanction=case, reason="absences", at=club.at, **how),
        lambda: evenings.close_evening(evening=club.evening, by=club.arbiter, at=club.at),
    )
    assert answers == ["ok", "ok"]


def test_an_absence_corrected_to_justified_against_the_answer_to_its_excuse(club):
    absent(club, club.members[0])
    row = Absence.objects.select_related("match").get(member=club.members[0])
    seen, side = row.version, row.match.absent
    how = {"reason": "malade", "by": club.committee, "at": club.at}
    justified = Result("absent", absent=side, justified=True)
    answer = {"justified": False, "reason": "non", "seen": seen, "by": club.arbiter, "at": club.at}
    answers = after_the_first_entry(
        lambda: match_actions.correct(match=stored(row.match), result=justified, **how),
        lambda: absences.review(absence=row, **answer),
    )
    assert answers == ["ok", "ok"]


def test_an_action_undone_against_a_player_who_goes_home(club):
    match, players = club.match()
    mark = {"absent": "a", "justified": False, "by": club.arbiter, "at": club.at}
    match_actions.mark_absent(match=match, **mark)
    how = {"member": match.second, "by": players[1], "at": club.at}
    answers = after_the_first_entry(
        lambda: undo.undo(match=stored(match), by=club.arbiter, at=club.at),
        lambda: presence.go_home(evening=club.evening, **how),
    )
    assert answers == ["ok", "stale"]


def test_two_tables_exchanged_against_a_choice_of_a_player(club):
    (one, _players), (other, _others) = club.match(), club.match()
    how = {"reason": "proches", "by": club.arbiter, "at": club.at}
    answers = after_the_first_entry(
        lambda: pairing.swap(evening=club.evening, one=one, other=other, **how),
        edit(club, one.first),
    )
    assert answers == ["ok", "ok"]


def test_a_case_decided_while_one_of_its_absences_is_corrected(club):
    missed = [absent(club, club.members[0]) for _time in range(3)]
    case = Sanction.objects.get(member=club.members[0])
    how = {"reason": "avertie", "by": club.committee, "at": club.at}
    answers = after_the_first_entry(
        correct(club, missed[0]), lambda: sanctions.dismiss(sanction=case, **how)
    )
    assert answers == ["ok", "withdrawn"]


@pytest.fixture
def merge(club, closed):
    """A guest who played, and has an account, becomes a member who has none."""
    rows = Member.objects.filter(pk__in=(closed.first_id, club.members[5].pk))
    rows.filter(pk=closed.first_id).update(is_guest=True)
    rows.exclude(pk=closed.first_id).update(user=None)
    guest, into = rows.get(pk=closed.first_id), rows.get(pk=club.members[5].pk)
    how = {"reason": "la même", "by": club.committee, "at": club.at}
    club.guest, club.into = guest, into
    return lambda: merging.unite(guest=guest, into=into, **how)


def test_a_guest_with_an_account_is_merged_while_an_evening_is_closed(club, merge):
    assert after_the_first_entry(merge, forced(club, club.at)) == ["ok", "ok"]
    club.into.refresh_from_db()
    assert club.into.user_id == club.guest.user_id


def test_a_guest_who_is_here_is_merged_while_an_evening_is_closed(club, merge):
    """The merge would hold the guest's arrival when it comes to the list, which the closing holds."""
    Evening.objects.filter(pk=club.evening.pk).update(state=Evening.State.RUNNING)
    club.evening.refresh_from_db()
    assert after_the_first_entry(forced(club, club.at), merge) == ["ok", "ok"]


def test_a_merge_corrects_each_list_while_one_is_being_rated(club, merge):
    other = RatingList.objects.create(
        organisation=club.organisation, slug="autre", name="Autre", system="glicko2"
    )

    @transaction.atomic
    def rate():
        settlement.lock_early(other)
        journal.note(club.evening, "rated", by=club.committee, at=club.at)

    assert after_the_first_entry(merge, rate) == ["ok", "ok"]


def test_whoever_left_meanwhile_does_not_arrive(club):
    member = club.members[0]
    presence.go_home(evening=club.evening, member=member, by=club.player(member), at=club.at)
    how = {"by": club.committee, "at": club.at, "forget": True}
    answers = while_open(lambda: members.leave(member=member, **how), arrive(club, member))
    assert answers == ["ok", "stale"]
    assert not CheckIn.objects.present().filter(member=member).exists()


def test_a_guest_who_arrives_while_the_old_ones_are_forgotten(club):
    later = club.at + timedelta(days=4000)
    for member in club.members[:2]:
        presence.go_home(evening=club.evening, member=member, by=club.player(member), at=club.at)
        Member.objects.filter(pk=member.pk).update(is_guest=True, user=None)
    chosen = settings_of(club.organisation)
    arrival = {"source": "desk", "by": club.arbiter, "at": later}
    answers = after_the_first_entry(
        transaction.atomic(lambda: personal_data.old_guests(chosen, later)),
        lambda: presence.check_in(evening=club.evening, member=club.members[1], **arrival),
    )
    assert answers == ["ok", "stale"]
