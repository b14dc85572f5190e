"""Edits of a member's row that meet a choice or a departure of the same moment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from clubs.accounts.models import User
from clubs.accounts.older_pages import row_version
from clubs.exchange.tables import columns_of
from clubs.journal import chain as journal
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import imports, pins
from clubs.members.invitations import actions as invitations
from clubs.members.invitations import unlinking
from clubs.members.models import Member, MemberImport, RoleGrant
from clubs.organisations.models import Organisation
from clubs.personal_data import forgetting
from clubs.persons import actions as persons
from clubs.persons import licences
from clubs.persons.models import LicenceFile
from pairings.evenings.admission import presence
from tests.clubhouse import make_club
from tests.pairings.matches.test_lock_order import after_the_first_entry
from tests.pairings.matches.test_races import at_its_first_step, together

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 6


def file_with(club, model, rows, known):
    return model.objects.create(
        organisation=club.organisation,
        file_name="membres.csv",
        rows=rows,
        columns=columns_of(rows[0], known),
        created_at=club.at,
        created_by=club.committee.user,
    )


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_a_correction_against_a_choice_keeps_both(club, _round):
    member, how = club.members[0], {"by": club.committee, "at": club.at}
    rows = [Member.objects.get(pk=member.pk) for _act in range(2)]
    answers = together(
        lambda: members.edit(member=rows[0], changes={"email": "ana@example.org"}, **how),
        lambda: members.edit(member=rows[1], changes={"visibility": Member.INITIALS}, **how),
    )
    assert answers == ["ok", "ok"]
    member.refresh_from_db()
    assert (member.email, member.visibility) == ("ana@example.org", Member.INITIALS)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_a_correction_against_a_departure_brings_no_name_back(club, _round):
    member, how = club.members[0], {"by": club.committee, "at": club.at}
    rows = [Member.objects.get(pk=member.pk) for _act in range(2)]
    answers = together(
        lambda: members.edit(member=rows[0], changes={"last_name": "Revenante"}, **how),
        lambda: members.leave(member=rows[1], forget=True, **how),
    )
    assert answers[0] in ("ok", "stale") and answers[1] == "ok"
    assert Member.objects.get(pk=member.pk).full_name == f"Joueur retiré {member.number}"


def test_a_member_saves_a_choice_while_a_file_that_names_them_is_written(club):
    """Each would hold what the other needs next: the member's row, and the journal."""
    rows = [
        ["Numéro", "Prénom", "E-mail"],
        *([str(m.number), m.first_name, f"{m.number}@example.org"] for m in club.members),
    ]
    draft = file_with(club, MemberImport, rows, imports.COLUMNS)
    how, last = {"by": club.committee, "at": club.at}, club.members[-1]
    row = Member.objects.get(pk=last.pk)
    answers = at_its_first_step(
        lambda step: imports.write(draft=draft, progress=step, **how),
        lambda: members.edit(member=row, changes={"visibility": Member.INITIALS}, **how),
    )
    assert answers == ["ok", "ok"]
    last.refresh_from_db()
    assert (last.email, last.visibility) == (f"{last.number}@example.org", Member.INITIALS)


@pytest.mark.parametrize("_round", range(3))
def test_one_file_written_by_two_hands_is_written_once(club, _round):
    rows = [["Prénom", "Nom"], ["Ana", "Rusu"], ["Dan", "Pop"]]
    draft = file_with(club, MemberImport, rows, imports.COLUMNS)
    hand = partial(imports.write, draft=draft, by=club.committee, at=club.at)
    assert sorted(together(hand, hand)) == ["ok", "stale"]
    named = Member.objects.filter(organisation=club.organisation, last_name__in=("Rusu", "Pop"))
    assert named.count() == 2


@pytest.mark.parametrize("_round", range(3))
def test_one_file_read_as_two_drafts_is_written_once_by_who_read_that_all_are_new(club, _round):
    rows = [["Prénom", "Nom"], ["Ana", "Rusu"], ["Dan", "Pop"]]
    drafts = [file_with(club, MemberImport, rows, imports.COLUMNS) for _twice in range(2)]
    seen = imports.preview_version(
        imports.preview(club.organisation, drafts[0].rows, drafts[0].columns)
    )
    how = {"seen": seen, "by": club.committee, "at": club.at}
    answers = together(*(partial(imports.write, draft=draft, **how) for draft in drafts))
    assert sorted(answers) == ["ok", "stale"]
    named = Member.objects.filter(organisation=club.organisation, last_name__in=("Rusu", "Pop"))
    assert named.count() == 2


@pytest.fixture
def forgotten_while(club, monkeypatch):
    """Forget a member, and begin another act once the member's row is locked. Return the answers."""

    def run(member: Member, then: Callable[[], object]) -> list[str]:
        def leave(step: Callable[[int, int], None]) -> Member:
            monkeypatch.setattr(members, "LEAVING_CHECKS", [lambda *_given: step(0, 0)])
            return members.leave(member=member, by=club.committee, at=club.at, forget=True)

        return at_its_first_step(leave, then)

    return run


@pytest.mark.parametrize("act", ["write", "undo", "licences"])
def test_a_file_that_names_somebody_who_is_being_forgotten(club, forgotten_while, act):
    """Forgetting holds the member's row when it comes to the file."""
    ana, how = club.members[0], {"by": club.committee, "at": club.at}
    number, last_name = (900, "Nouvelle") if act == "undo" else (ana.number, ana.last_name)
    rows = [["Numéro", "Prénom", "Nom"], [str(number), ana.first_name, last_name]]
    if act == "licences":
        rows = [["Licence", "Prénom", "Nom"], ["12", ana.first_name, ana.last_name]]
        file = file_with(club, LicenceFile, rows, licences.COLUMNS)
    else:
        file = file_with(club, MemberImport, rows, imports.COLUMNS)
    if act == "undo":
        imports.write(draft=file, **how)
        ana = Member.objects.get(number=900, organisation=club.organisation)
    name = ana.full_name
    acts = {
        "write": lambda: imports.write(draft=file, **how),
        "undo": lambda: imports.undo(done=file, **how),
        "licences": lambda: licences.write(draft=file, lapse=False, **how),
    }
    assert forgotten_while(ana, acts[act]) == ["ok", "ok"]
    assert name not in [member.full_name for member in Member.objects.all()]


def test_a_file_of_licences_waits_for_who_is_being_forgotten_and_not_for_the_club(
    club, monkeypatch
):
    """Forgetting holds the club's row when it comes to the member's, which the file holds."""
    ana, how = club.members[0], {"by": club.committee, "at": club.at}
    rows = [["Licence", "Prénom", "Nom"], ["12", "Zoé", "Autre"]]
    file, lock = file_with(club, LicenceFile, rows, licences.COLUMNS), forgetting.lock
    presence.go_home(evening=club.evening, member=ana, by=club.player(ana), at=club.at)

    def leave(step: Callable[[int, int], None]) -> None:
        monkeypatch.setattr(forgetting, "lock", lambda member: (lock(member), step(0, 0)))
        members.leave(member=ana, forget=True, **how)

    answers = at_its_first_step(leave, lambda: licences.write(draft=file, lapse=False, **how))
    assert answers == ["ok", "ok"]


def test_an_address_is_confirmed_while_another_member_chooses_what_a_federation_shows(
    transactional_db, monkeypatch
):
    """The address changes nothing there, so that the act does not need the federation's journal."""
    clubs = make_club("federation", size=2), make_club("faizers", size=2)
    # The journals are locked in the order of their keys: the federation's first.
    federation, club = sorted(clubs, key=lambda club: club.organisation.pk)
    Organisation.objects.filter(pk=federation.organisation.pk).update(kind="federation")
    for member, person in zip(club.members, federation.members, strict=True):
        how = {"by": federation.committee, "at": club.at}
        persons.link_member(member=member, person=person, **how)
    one, other = club.members
    previous, lock = one.user.email, journal.lock
    Member.objects.filter(pk=one.pk).update(email=previous)
    User.objects.filter(pk=one.user.pk).update(email="neuve@example.org")

    def follow(step: Callable[[int, int], None]) -> None:
        monkeypatch.setattr(journal, "lock", lambda clubs: (lock(clubs), step(0, 0)))
        user = User.objects.get(pk=one.user.pk)
        pins.change_address(user=user, previous=previous, at=club.at)

    choice = {"visibility": Member.INITIALS}
    by, row = club.player(other), Member.objects.get(pk=other.pk)
    answers = at_its_first_step(
        follow, lambda: members.edit(member=row, changes=choice, by=by, at=club.at)
    )
    assert answers == ["ok", "ok"]
    federation.members[1].refresh_from_db()
    assert federation.members[1].visibility == Member.INITIALS
    assert Member.objects.get(pk=one.pk).email == "neuve@example.org"


def test_an_import_is_undone_while_a_member_that_it_made_is_invited(club, monkeypatch):
    """Whoever is invited stays: their invitation would lead nowhere."""
    rows, how = [["Prénom"], ["Zoé"], ["Inès"]], {"by": club.committee, "at": club.at}
    file = file_with(club, MemberImport, rows, imports.COLUMNS)
    imports.write(draft=file, **how)
    zoe = Member.objects.get(organisation=club.organisation, first_name="Zoé")
    undoing = imports.undoing

    def undo(step: Callable[[int, int], None]) -> None:
        monkeypatch.setattr(imports, "undoing", lambda done: (undoing(done), step(0, 0))[0])
        imports.undo(done=file, **how)

    invite = {"organisation": club.organisation, "member": zoe, **how}
    answers = at_its_first_step(undo, lambda: invitations.invite(**invite))
    assert answers == ["ok", "stale"]
    assert not Member.objects.filter(pk=zoe.pk).exists()


def unlink(row, by, at):
    """The act of a page that has just been opened."""
    seen = row_version(row, unlinking.ACCOUNT)
    return lambda: unlinking.unlink_account(member=row, seen=seen, reason="r", by=by, at=at)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_an_account_is_taken_off_once(club, _round):
    rows = [Member.objects.get(pk=club.members[0].pk) for _act in range(2)]
    answers = together(*(unlink(row, club.committee, club.at) for row in rows))
    assert sorted(answers) == ["ok", "stale"]
    assert JournalEntry.objects.filter(verb="account_unlinked").count() == 1


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_two_of_a_committee_take_each_others_account_off(club, _round):
    chair, second = club.committee.member, club.members[0]
    members.grant(member=second, role=RoleGrant.COMMITTEE, by=club.committee, at=club.at)
    answers = together(
        unlink(Member.objects.get(pk=second.pk), club.committee, club.at),
        unlink(Member.objects.get(pk=chair.pk), club.player(second), club.at),
    )
    assert sorted(answers) == ["last_committee", "ok"]
    grants = RoleGrant.objects.filter(role=RoleGrant.COMMITTEE, revoked_at=None)
    assert grants.get().member.user_id is not None


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_an_account_taken_off_while_its_owner_chooses_a_code_leaves_no_code(club, _round):
    member = club.members[0]
    row, own = Member.objects.get(pk=member.pk), Member.objects.get(pk=member.pk)
    by = club.player(own)
    answers = together(
        unlink(row, club.committee, club.at),
        lambda: pins.set_pin(member=own, pin="4821", by=by, at=club.at),
    )
    assert answers[0] == "ok" and answers[1] in ("ok", "stale")
    member.refresh_from_db()
    assert (member.user, member.pin_hash) == (None, "")


def test_somebody_is_forgotten_while_they_report_a_lost_device_in_another_club(club):
    """The account comes before its members: the report holds it when it comes to their rows."""
    member, elsewhere = club.members[0], make_club("voisins", size=2)
    Member.objects.filter(pk=elsewhere.members[0].pk).update(user=member.user)
    twin = Member.objects.get(pk=elsewhere.members[0].pk)
    answers = after_the_first_entry(
        lambda: members.leave(member=member, by=club.committee, at=club.at, forget=True),
        lambda: pins.report_loss(member=twin, by=elsewhere.committee, at=club.at),
    )
    assert answers == ["ok", "ok"]
