"""A guest who played is merged with the member they are (docs/decisions/0005)."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from functools import partial

import pytest

from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import merging as member_merging
from clubs.members.invitations import actions as invitations
from clubs.members.models import Member, RoleGrant
from clubs.members.models_access import Invitation
from clubs.sanctions import actions as sanctions
from clubs.sanctions.actions import SanctionRefused
from clubs.sanctions.models import Sanction
from pairings.absences import actions as absences
from pairings.absences.models import Absence
from pairings.evenings import actions as evenings
from pairings.evenings import common, pairing
from pairings.evenings import queries as evening_queries
from pairings.evenings.admission import presence
from pairings.evenings.models import CheckIn
from pairings.evenings.views.public import wall_names
from pairings.matches import actions as match_actions
from pairings.matches.models import Match, MatchLine, Seat
from pairings.matches.refusals import ResultRefused
from pairings.players import merging, record
from pairings.ranking import projection, season
from pairings.rules.match_state import Result
from pairings.tournaments import closing
from ratings.ledger import replay
from ratings.ledger.models import LedgerEntry, RatedGame, RatingList, StandingCote
from tests.clubhouse import Clubhouse, account, make_club, running_evening
from tests.kept import once_a_worker
from tests.tournament_day import frozen, make_tournament, publish

pytestmark = pytest.mark.django_db


def welcome(club, name="Invitée") -> Member:
    found = club.join(name, is_guest=True, by=club.arbiter)
    club.check_in(found)
    return found


def play(club, first, second, scores=(400, 350)) -> Match:
    """Play a match of ten minutes and advance the club's clock."""
    match, (a, b) = club.match(first, second)
    club.at += timedelta(minutes=10)
    match_actions.submit(match=match, by=a, scores=scores, at=club.at)
    match_actions.confirm(match=match, by=b, at=club.at)
    club.used -= {first.pk, second.pk}
    return match


@once_a_worker
def two_evenings() -> tuple[Clubhouse, Member, Member]:
    """The guest beat two members, then came the next week as a member."""
    club = make_club("faizers")
    known = club.members[0]
    presence.go_home(evening=club.evening, member=known, by=club.player(known), at=club.at)
    guest = welcome(club)
    for other in club.members[1:3]:
        play(club, guest, other)
    play(club, club.members[1], club.members[2])
    club.close()
    club.next_evening()
    for other in club.members[3:5]:
        play(club, known, other)
    return club, guest, known


@pytest.fixture
def begun(db):
    return two_evenings()


@pytest.fixture
def story(begun):
    return begun[1:]


def unite(club, guest, known, reason="Même personne", by=None):
    merging.unite(guest=guest, into=known, reason=reason, by=by or club.committee, at=club.at)


def places(club):
    lines = season.standing(club.evening.season, None, today=club.evening.held_on).lines
    return {line.player: line for line in lines}


def counts():
    return [model.objects.count() for model in (Match, Seat, CheckIn, RatedGame, MatchLine)], list(
        Match.objects.order_by("pk").values_list("first_id", "second_id")
    )


def test_the_guests_points_count_for_the_member_and_no_row_moves(club, story):
    guest, known = story
    before, rows = places(club), counts()
    assert (before[guest.pk].values["pr"], before[known.pk].values["pr"]) == (6, 6)
    unite(club, guest, known)
    after = places(club)
    assert guest.pk not in after
    assert (after[known.pk].values["pr"], after[known.pk].values["played"]) == (12, 4)
    assert after[known.pk].rank == 1
    assert counts() == rows


def test_the_invitations_of_a_guest_who_played_are_revoked_and_no_others(club, story):
    guest, known = story
    asked = partial(
        invitations.invite, organisation=club.organisation, by=club.committee, at=club.at
    )
    (theirs, _token), (others, _token) = asked(member=guest), asked()
    unite(club, guest, known)
    entry = JournalEntry.objects.get(verb="invitation_revoked")
    assert entry.subject == f"invitation:{theirs.pk}"
    open_ones = Invitation.objects.filter(revoked_at=None)
    assert [invitation.pk for invitation in open_ones] == [others.pk]


def test_the_cote_is_replayed_for_the_member_and_agrees_with_the_ledger(club, story):
    guest, known = story
    club.close()
    held = dict(StandingCote.objects.values_list("member_id", "shown"))
    assert held[guest.pk] > 1000 and held[known.pk] > 1000
    unite(club, guest, known)
    found = dict(StandingCote.objects.values_list("member_id", "shown"))
    assert guest.pk not in found and found[known.pk] > max(held[guest.pk], held[known.pk])
    assert list(replay.check(RatingList.objects.get())) == []
    assert LedgerEntry.objects.filter(member=guest).in_force().count() == 0
    assert LedgerEntry.objects.filter(member=known).in_force().count() == 2


def test_what_the_preview_says_is_what_happens(club, story):
    guest, known = story
    club.close()
    before = places(club)
    told = merging.preview(guest=guest, into=known, at=club.at)
    assert places(club) == before and guest.merged_into_id is None
    assert told.matches == 2
    ((current, moved),) = told.seasons
    ((rating_list, cotes),) = told.cotes
    unite(club, guest, known)
    after = places(club)
    assert current == club.evening.season
    assert {row.member.pk: (row.rank[1], row.pr[1]) for row in moved} == {
        pk: (after[pk].rank, after[pk].values["pr"]) if pk in after else (None, None)
        for pk in before
        if pk not in after
        or (after[pk].rank, after[pk].values["pr"]) != (before[pk].rank, before[pk].values["pr"])
    }
    shown = dict(rating_list.cotes.values_list("member_id", "shown"))
    assert {member.pk: numbers[1] for member, numbers in cotes} == {
        member.pk: shown.get(member.pk) for member, _numbers in cotes
    }
    assert {member.pk for member, _numbers in cotes} == {guest.pk, known.pk}


def test_whom_the_guest_met_the_member_has_met(club, story):
    guest, known = story
    unite(club, guest, known)
    met = club.members[1]
    CheckIn.objects.filter(evening=club.evening).exclude(member__in=[known, met]).update(
        state="left"
    )
    with pytest.raises(common.EveningRefused) as refused:
        pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)
    assert refused.value.code == "needs_agreement"
    matches = record.matches_of(club.organisation, member_merging.family_of(known))
    meetings = [match for match in matches if record.is_meeting(match, {met.pk})]
    assert [match.first for match in meetings] == [guest]
    assert evening_queries.times_met(known, met) == evening_queries.times_met(met, known) == 1


def test_tonights_projected_cote_is_the_members(club):
    known, other, third = club.members[:3]
    guest = welcome(club)
    play(club, guest, other)
    play(club, known, third)
    unite(club, guest, known)
    found = projection.project(club.evening)
    assert guest.pk not in found and found[known.pk].after.games == 2
    assert guest.pk not in places(club)


def test_a_later_correction_of_the_guests_match_moves_the_member(club, story):
    guest, known = story
    match = Match.objects.filter(first=guest).first()
    unite(club, guest, known)
    held = StandingCote.objects.get(member=known).shown
    club.correct(match, Result("played", 300, 400), "feuille relue")
    assert StandingCote.objects.get(member=known).shown < held
    assert not StandingCote.objects.filter(member=guest).exists()
    assert places(club)[known.pk].values["pr"] == 10


def test_nobody_judges_a_match_that_they_played_as_a_guest(club, story):
    guest, known = story
    match = Match.objects.filter(first=guest).first()
    unite(club, guest, known)
    arbiter = dataclasses.replace(club.arbiter, user=known.user, member=known)
    with pytest.raises(ResultRefused) as refusal:
        club.correct(match, Result("played", 300, 400), "feuille relue", by=arbiter)
    assert refusal.value.code == "own_match"


def test_the_effect_of_a_decision_is_told_for_the_member(club, story):
    guest, known = story
    match = Match.objects.filter(first=guest).first()
    unite(club, guest, known)
    trial = projection.trial_of(match, first_score=300, second_score=400)
    table = projection.effect_of(match, trial)
    rows = {row.member.pk: row for row in table.rows}
    assert rows[known.pk].pr == (12, 10) and guest.pk not in rows


def test_the_member_does_not_judge_a_match_they_played_as_a_guest(club, story):
    guest, known = story
    match = Match.objects.filter(first=guest).first()
    unite(club, guest, known)
    match.refresh_from_db()
    assert match.seats(known) and not match.seats(club.members[5])


def test_the_guests_absences_are_the_members(club):
    known = club.members[0]
    guest = welcome(club)
    match, _players = club.match(guest, club.members[1])
    club.mark_absent(match, "a")
    unite(club, guest, known)
    dots, _restarted = absences.strip_of(known, club.evening.season, None)
    assert [dot.absent for dot in dots] == [True]
    absence = Absence.objects.get()
    absences.excuse(absence=absence, words="Train", by=club.player(known), at=club.at)
    answer = {"justified": True, "reason": "billet", "seen": absence.version}
    absences.review(absence=absence, **answer, by=club.arbiter, at=club.at)
    assert [dot.justified for dot in absences.strip_of(known, club.evening.season, None)[0]] == [
        True
    ]


def test_one_transaction_with_a_reason_and_its_line(club, story, monkeypatch):
    guest, known = story
    with pytest.raises(members.MemberRefused) as refused:
        unite(club, guest, known, reason="  ")
    assert refused.value.code == "reason_required"
    monkeypatch.setattr("pairings.live.stream.announce", lambda *a, **k: 1 / 0)
    entries = JournalEntry.objects.count()
    with pytest.raises(ZeroDivisionError):
        unite(club, guest, known)
    guest.refresh_from_db()
    assert guest.merged_into is None and JournalEntry.objects.count() == entries
    monkeypatch.undo()
    unite(club, guest, known, reason=" Elle l’a dit ")
    line = JournalEntry.objects.get(verb="member_merged")
    assert (line.reason, line.after, line.role) == ("Elle l’a dit", {"into": known.pk}, "committee")


def refused(club, guest, known, code, by=None):
    with pytest.raises(members.MemberRefused) as refusal:
        unite(club, guest, known, by=by)
    assert refusal.value.code == code
    assert str(refusal.value).endswith(".")
    guest.refresh_from_db()
    assert guest.merged_into is None


def test_two_who_played_each_other_are_two(club):
    guest = welcome(club)
    play(club, guest, club.members[0])
    refused(club, guest, club.members[0], "met")


def test_two_at_two_tables_at_once_are_two(club):
    guest, known = welcome(club), club.members[0]
    first, (a, b) = club.match(guest, club.members[1])
    club.at += timedelta(minutes=1)
    play(club, known, club.members[2])
    match_actions.submit(match=first, by=a, scores=(400, 350), at=club.at)
    match_actions.confirm(match=first, by=b, at=club.at)
    refused(club, guest, known, "at_once")


def test_an_evening_called_off_is_not_the_day_of_the_previewed_form(club):
    """Both lost by a seventh of their score; the form has 700 before 350, seniority the other way."""
    guest, known = welcome(club), club.members[0]
    play(club, guest, club.members[1])
    club.close()
    club.next_evening()
    low, high = club.members[3:5]
    play(club, known, low)
    play(club, known, high, scores=(800, 700))
    called_off = club.announce(club.at + timedelta(days=200))
    evenings.cancel_evening(evening=called_off, reason="salle", by=club.committee, at=club.at)
    [(_season, moved)] = merging.preview(guest=guest, into=known, at=club.at).seasons
    after = {row.member.pk: row.rank[1] for row in moved}
    unite(club, guest, known)
    assert after[high.pk] == places(club)[high.pk].rank < places(club)[low.pk].rank


def test_two_at_once_in_two_rooms_are_two(club):
    """The guest sits down at 20:00 in the first room, the member at 20:01 in the second one."""
    guest, known = welcome(club), club.members[0]
    first, (a, b) = club.match(guest, club.members[1])
    club.at += timedelta(minutes=1)
    first_room = club.evening
    club.evening = running_evening(
        club.organisation, [known, club.members[2]], club.committee, club.at
    )
    assert club.evening.held_on == first_room.held_on
    play(club, known, club.members[2])
    match_actions.submit(match=first, by=a, scores=(400, 350), at=club.at)
    match_actions.confirm(match=first, by=b, at=club.at)
    refused(club, guest, known, "at_once")


def test_one_after_the_other_in_two_rooms_may_be_one(club):
    guest, known = welcome(club), club.members[0]
    play(club, guest, club.members[1])
    club.evening = running_evening(
        club.organisation, [known, club.members[2]], club.committee, club.at
    )
    play(club, known, club.members[2])
    unite(club, guest, known)
    assert places(club)[known.pk].values["played"] == 2


def test_a_round_that_lasts_for_days_does_not_make_two_of_a_guest_and_its_player(club):
    guest, known = welcome(club), club.members[0]
    publish(club, frozen(club, 4, system="round_robin"), 1)
    play(club, guest, club.members[5])
    unite(club, guest, known)
    assert places(club)[known.pk].values["played"] == 1


def test_two_entries_in_one_tournament_are_two(club):
    guest, known = welcome(club), club.members[0]
    tournament = make_tournament(club, 1)
    club.enter(tournament, guest)
    closing.cancel(tournament=tournament, reason="salle", by=club.committee, at=club.at)
    refused(club, guest, known, "same_tournament")


def test_two_of_one_pairing_run_are_two(club):
    guest = welcome(club)
    pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)
    for match in club.evening.matches.open():
        match_actions.submit(
            match=match, by=club.player(match.first), scores=(400, 350), at=club.at
        )
        match_actions.confirm(match=match, by=club.player(match.second), at=club.at)
    mine = Match.objects.involving(guest).get()
    met = {mine.first_id, mine.second_id}
    known = next(member for member in club.members if member.pk not in met)
    refused(club, guest, known, "at_once")


def test_a_guest_at_a_table_is_united_after_their_match(club):
    guest = welcome(club)
    club.match(guest, club.members[1])
    refused(club, guest, club.members[0], "playing")


def test_the_committee_alone_and_members_of_this_club_alone(club, other_club, story):
    guest, known = story
    refused(club, guest, known, "role", by=club.arbiter)
    refused(club, guest, other_club.members[0], "wrong_member")
    refused(club, guest, welcome(club, "Autre"), "wrong_member")
    Sanction.objects.create(member=guest, proposed_at=club.at, trigger_key="x", grounds={})
    refused(club, guest, known, "sanction")


def test_two_accounts_are_two_people_and_a_lone_one_opens_the_members_pages(club, story):
    guest, known = story
    user = known.user
    refused_account = members.User(email="guest@example.org", password="!")
    refused_account.save()
    members.link_account(member=guest, user=refused_account, by=club.committee, at=club.at)
    refused(club, guest, known, "two_accounts")
    Member.objects.filter(pk=known.pk).update(user=None)
    unite(club, guest, known)
    known.refresh_from_db()
    assert known.user == refused_account != user


def test_the_account_of_a_guest_waits_for_the_parent_of_a_child(club, story):
    guest, known = story
    members.link_account(member=guest, user=account("guest"), by=club.committee, at=club.at)
    Member.objects.filter(pk=known.pk).update(
        user=None, is_minor=True, is_child=True, visibility=Member.INITIALS
    )
    known.refresh_from_db()
    refused(club, guest, known, "guardian")


def test_the_roles_of_a_guest_are_the_members(club, story):
    guest, known = story
    for role, members_of_it in (("committee", [guest]), ("arbiter", [guest, known])):
        for member in members_of_it:
            members.grant(member=member, role=role, by=club.committee, at=club.at)
    Member.objects.filter(pk=known.pk).update(user=None)
    members.link_account(member=guest, user=account("guest"), by=club.committee, at=club.at)
    members.leave(member=club.committee.member, by=club.committee, at=club.at, forget=False)
    unite(club, guest, known)
    held = RoleGrant.objects.filter(revoked_at=None).exclude(member=club.arbiter.member)
    assert sorted(held.values_list("member", "role")) == [
        (known.pk, "arbiter"),
        (known.pk, "committee"),
    ]


def test_twice_is_refused(club, story):
    guest, known = story
    unite(club, guest, known)
    with pytest.raises(members.MemberRefused) as refusal:
        unite(club, guest, known)
    assert refusal.value.code == "stale"


def test_a_guest_who_only_arrived_is_united_and_leaves_the_waiting_list(club):
    guest = welcome(club)
    unite(club, guest, club.members[0])
    guest.refresh_from_db()
    assert guest.merged_into == club.members[0]
    assert CheckIn.objects.get(member=guest).state == "left"


def pages_of(match, as_user) -> str:
    """What a visitor reads of a match: its evening, its page and its answer under /api/."""
    day = match.evening.held_on.isoformat()
    visitor, texts = as_user(None), []
    for address in (f"/soirees/{day}/", f"/matchs/{match.pk}/", f"/api/v1/matches/{match.pk}"):
        response = visitor.get(address)
        assert response.status_code == 200, address
        texts.append(response.content.decode())
    return "".join(texts)


@pytest.mark.parametrize(
    "choice", [{"visibility": Member.INITIALS}, {"visibility": Member.MEMBERS}, {"is_minor": True}]
)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_guest_who_was_united_shows_no_more_than_the_member(club, as_user, choice, when):
    known, guest = club.members[0], welcome(club)
    how = {"by": club.committee, "at": club.at}
    members.edit(member=guest, changes={"last_name": "Fayocanari"}, **how)
    match = play(club, guest, club.members[1])
    club.close()
    assert "Fayocanari" in pages_of(match, as_user)
    if when == "before":
        members.edit(member=known, changes=choice, **how)
    unite(club, guest, known)
    if when == "after":
        members.edit(member=known, changes=choice, **how)
    assert "Fayocanari" not in pages_of(match, as_user)


@pytest.mark.parametrize("ending", ["dismissed", "warned"])
def test_a_case_that_was_decided_is_not_proposed_again_for_the_member(club, ending):
    guest, known = welcome(club), club.members[0]
    presence.go_home(evening=club.evening, member=known, by=club.player(known), at=club.at)
    for other in club.members[1:4]:
        match, _players = club.match(guest, other)
        club.mark_absent(match, "a")
        club.check_in(guest)
    sanction = Sanction.objects.get()
    decided = {"sanction": sanction, "reason": "vu", "by": club.committee, "at": club.at}
    if ending == "dismissed":
        sanctions.dismiss(**decided)
    else:
        absences.impose(**decided)
    unite(club, guest, known)
    absences.apply_policy_to_all(club.organisation, at=club.at)
    assert list(Sanction.objects.values_list("pk", "member")) == [(sanction.pk, known.pk)]
    sanction.refresh_from_db()
    with pytest.raises(SanctionRefused) as refusal:
        own = dataclasses.replace(club.committee, member=known)
        absences.lift(sanction=sanction, reason="x", by=own, at=club.at)
    assert refusal.value.code == "own_case"
    if ending == "warned":
        appealed = sanctions.appeal(
            sanction=sanction, text="j’étais malade", by=club.player(known), at=club.at
        )
        assert appealed.appealed_at == club.at


def test_the_wall_writes_a_merged_guest_and_the_member_alike(club):
    member = club.join("Jeanne", "Dupontel")
    guest = club.join("Jeanne", "Dupontel", is_guest=True)
    merging.unite(guest=guest, into=member, reason="Elle-même", by=club.committee, at=club.at)
    other = club.join("Jean", "Martin")
    people = list(Member.objects.filter(pk__in=(member.pk, guest.pk, other.pk)))
    assert {wall_names(people)[one.pk] for one in (member, guest)} == {"Jeanne D."}
    namesake = club.join("Jeanne", "Duval")
    names = wall_names([*people, namesake])
    assert names[member.pk] == names[guest.pk] != names[namesake.pk]
