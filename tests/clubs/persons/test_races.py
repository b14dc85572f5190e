"""A file of licences that is written while somebody edits, or forgets, one of its persons."""

from __future__ import annotations

import pytest

from clubs.members import actions as members
from clubs.members.models import Member
from clubs.persons import actions as persons
from clubs.persons import licence_words, licences
from clubs.persons.models import LicenceFile, Person
from tests.clubhouse import make_club
from tests.pairings.matches.test_races import at_its_first_step

pytestmark = pytest.mark.django_db(transaction=True)

NAMED = dict(zip(licence_words.COLUMNS, range(4), strict=False))


@pytest.fixture
def federation(transactional_db):
    return make_club("federation", size=2)


def file_of(federation, *lines):
    return LicenceFile.objects.create(
        organisation=federation.organisation,
        file_name="licences.csv",
        rows=[["Licence", "Prénom", "Nom", "Pays"], *lines],
        columns=NAMED,
        created_at=federation.at,
        created_by=federation.committee.user,
    )


def writing(federation, *lines):
    how = {"lapse": False, "by": federation.committee, "at": federation.at}
    held = file_of(federation, *lines)
    return lambda step: licences.write(draft=held, progress=step, **how)


@pytest.fixture
def ana(federation):
    writing(federation, ["12", "Ana", "Pop", "FR"])(lambda _done, _total: None)
    return Person.objects.select_related("member").get(licence="12")


def test_an_officer_is_told_that_a_file_changed_the_person_they_edit(federation, ana):
    edit = {"licence": "12", "club": "Iași"}
    answers = at_its_first_step(
        writing(federation, ["12", "Ana", "Pop", "RO"]),
        lambda: persons.edit_person(
            member=ana.member,
            seen=ana.version,
            changes=edit,
            by=federation.committee,
            at=federation.at,
        ),
    )
    assert answers == ["ok", "stale"]
    ana.refresh_from_db()
    assert (ana.country, ana.club) == ("RO", "")


def test_a_file_brings_no_name_back(federation, ana):
    how = {"by": federation.committee, "at": federation.at}
    answers = at_its_first_step(
        writing(federation, ["12", "Ana", "Popp"]),
        lambda: members.leave(member=ana.member, forget=True, **how),
    )
    assert answers == ["ok", "ok"]
    assert Member.objects.get(pk=ana.member_id).full_name.startswith("Joueur retiré")


def test_a_file_brings_nothing_back_of_who_had_left_before(federation, ana):
    """The register keeps their licence, so that a line of the file may be theirs."""
    how = {"by": federation.committee, "at": federation.at}
    members.leave(member=ana.member, forget=False, **how)
    answers = at_its_first_step(
        writing(federation, ["12", "Ana", "Popp", "RO"]),
        lambda: members.leave(member=ana.member, forget=True, **how),
    )
    assert answers == ["ok", "ok"]
    assert Member.objects.get(pk=ana.member_id).full_name.startswith("Joueur retiré")
    ana.refresh_from_db()
    assert (ana.licence, ana.country) == ("", "")
    assert "Popp" not in str(LicenceFile.objects.values_list("rows", flat=True))


def test_a_first_person_made_by_hand_waits_for_the_file(federation):
    """Two rows for one member would end the file with nothing written."""
    member = federation.members[0]
    answers = at_its_first_step(
        writing(federation, ["12", member.first_name, member.last_name]),
        lambda: persons.edit_person(
            member=member,
            seen=0,
            changes={"club": "Iași"},
            by=federation.committee,
            at=federation.at,
        ),
    )
    assert answers == ["ok", "stale"]
    assert Person.objects.get(member=member).licence == "12"
