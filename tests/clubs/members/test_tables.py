"""The committee's list of members, and what is left of a file that was taken back."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.utils import timezone

from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import imports
from clubs.members.invitations import actions as invitations
from clubs.members.models import Member, MemberImport, RoleGrant
from clubs.members.models_access import Invitation
from tests.clubhouse import NOW
from tests.member_files import members_draft
from tests.refusals import refused
from tests.rows_read import rows_read

pytestmark = pytest.mark.django_db
LIST = "/c/faizers/gestion/membres/"


def crowd(club, size: int, *, after: int = 0) -> None:
    """Members numbered from 1000 (behind those `after` whom they come), as an import leaves them."""
    Member.objects.bulk_create(
        Member(
            organisation=club.organisation,
            first_name="Prénom",
            last_name=f"Foule {n:04d}",
            search_name=f"prenom foule {n:04d}",
            sort_name=f"foule {n:04d} prenom",
            slug=f"foule-{n}",
            number=1000 + n,
            joined_on=date(2026, 1, 1),
            created_at=NOW,
        )
        for n in range(after, after + size)
    )


def test_a_number_on_a_phone_is_named_as_one(club, desk, as_user):
    """Bare before the next word it read as a count: "106 avec un compte"."""
    member = club.join("Karim")
    named = f"numéro {member.number}"
    rows = " ".join(desk.get(LIST).content.decode().split())
    assert f"{named} · sans compte" in rows
    evening = f"/c/faizers/soirees/{club.evening.address}/accueil/"
    assert named in desk.get(evening).content.decode()
    one = club.members[0]
    assert f"numéro {one.number}" in as_user(one.user).get("/c/faizers/moi/").content.decode()


def numbers(page) -> list[int]:
    return [row["member"].number for row in page.context["rows"]]


def test_every_member_is_on_one_page_of_the_list(club, desk):
    crowd(club, 620)
    seen: list[int] = []
    page = desk.get(LIST)
    last = page.context["page"].paginator.num_pages
    assert last > 1 and 'rel="next"' in page.content.decode()
    for number in range(1, last + 1):
        seen += numbers(desk.get(f"{LIST}?page={number}"))
    every = set(Member.objects.of(club.organisation).values_list("number", flat=True))
    assert len(seen) == len(every) and set(seen) == every
    assert "630 personnes" in page.content.decode()


@pytest.mark.parametrize("address", [LIST, "/c/faizers/gestion/journal/"])
def test_a_page_reads_no_members_of_other_pages(club, desk, address):
    crowd(club, 110)

    def read():
        desk.get(address)
        with rows_read() as rows:
            assert desk.get(address).status_code == 200
        return len(rows)

    few = read()
    crowd(club, 200, after=110)
    assert read() == few


def test_the_list_is_sorted_by_its_columns(club, desk):
    crowd(club, 150)
    assert numbers(desk.get(f"{LIST}?tri=-number"))[:3] == [1149, 1148, 1147]
    assert numbers(desk.get(f"{LIST}?tri=-number&page=2"))[0] == 1049
    assert numbers(desk.get(f"{LIST}?tri=nothing&page=99")) != []


def test_the_list_is_narrowed_to_those_who_left_or_have_no_account(club, desk):
    crowd(club, 3)
    gone = Member.objects.get(number=1001)
    members.leave(member=gone, by=club.committee, at=NOW, forget=False)
    assert numbers(desk.get(f"{LIST}?etat=partis")) == [1001]
    page = desk.get(f"{LIST}?etat=sans-compte")
    assert numbers(page) == [1000, 1002]
    counts = {str(chip["label"]): chip["count"] for chip in page.context["chips"]}
    expected = {"Tous": 13, "Actuels": 12, "Invités": 0, "Sans compte": 2, "Partis": 1}
    assert counts == {**expected, "Hors du club": 0}


def test_the_page_costs_the_same_with_many_members(club, desk, django_assert_max_num_queries):
    crowd(club, 400)
    desk.get(LIST)
    with django_assert_max_num_queries(14):
        desk.get(LIST)


# A file taken back


@pytest.fixture
def done(club) -> MemberImport:
    rows = [["Prénom", "Nom", "Numéro"], *([f"Ana{n}", "Import", str(700 + n)] for n in range(20))]
    draft = members_draft(club, rows)
    imports.write(draft=draft, by=club.committee, at=NOW)
    draft.refresh_from_db()
    return draft


def test_a_file_cancels_invitations_mailed_to_an_address_that_it_corrects(club):
    about = {"organisation": club.organisation, "by": club.committee, "at": NOW}
    rows, mailed = [["Prénom", "E-mail", "Numéro"]], {}
    for name, email in {"Ana": "right@example.org", "Ion": "ion@example.org", "Lia": ""}.items():
        member = club.join(name, email=f"{name}@example.org")
        mailed[name] = invitations.invite(**about, member=member, email=member.email)[0]
        rows.append([name, email, str(member.number)])
    draft = members_draft(club, rows)
    imports.write(draft=draft, by=club.committee, at=NOW)
    revoked = Invitation.objects.filter(revoked_at=NOW)
    assert [one.pk for one in revoked] == [mailed["Ana"].pk]
    assert JournalEntry.objects.filter(verb="invitation_revoked").count() == 1


def test_an_import_taken_back_leaves_no_row_and_its_numbers_free(club, done):
    before = Member.objects.of(club.organisation).count()
    imports.undo(done=done, by=club.committee, at=NOW + timedelta(hours=1))
    assert Member.objects.of(club.organisation).count() == before - 20
    again = members_draft(club, done.rows)
    imports.write(draft=again, by=club.committee, at=NOW + timedelta(hours=2))
    assert Member.objects.get(number=700).first_name == "Ana0"


def test_who_was_used_since_stays_and_is_named_before_and_after(club, done, desk):
    arrived, judge, guest = (Member.objects.get(number=n) for n in (703, 705, 707))
    club.check_in(arrived)
    members.grant(member=judge, role=RoleGrant.ARBITER, by=club.committee, at=NOW)
    club.invite(member=guest, at=NOW)
    MemberImport.objects.filter(pk=done.pk).update(imported_at=timezone.now())
    page = f"/c/faizers/gestion/import/{done.pk}/bilan/"

    text = " ".join(desk.get(page).content.decode().split())
    assert "17 fiches seront supprimées et leurs numéros redeviendront libres." in text
    assert "3 fiches restent" in text and "Ana3 Import" in text and "Ana5 Import" in text

    answer = desk.post(page, follow=True)
    text = " ".join(answer.content.decode().split())
    assert "17 fiches supprimées, leurs numéros sont libres." in text
    assert "3 fiches restent" in text and "Ana3 Import" in text and "Ana7 Import" in text
    left = Member.objects.filter(pk__in=done.created_members)
    assert set(left) == {arrived, judge, guest}
    assert {member.left_at for member in left} == {None}
    entry = JournalEntry.objects.get(verb="import_undone")
    assert entry.after == {"removed": 17, "kept": [arrived.pk, judge.pk, guest.pk]}


def test_every_kind_of_row_that_points_at_a_member_counts_as_use(club, done):
    """A table added later is asked too: nothing that points at a member can be in the way."""
    relations = {relation.related_model.__name__ for relation in Member._meta.related_objects}
    assert {"CheckIn", "Seat", "Match", "RoleGrant", "Invitation", "LedgerEntry"} <= relations
    kept = Member.objects.get(number=711)
    merged = Member.objects.get(number=712)
    Member.objects.filter(pk=merged.pk).update(merged_into=kept)
    parted = imports.undo(done=done, by=club.committee, at=NOW)
    assert {member.pk for member in parted.kept} == {kept.pk, merged.pk}
    assert len(parted.going) == 18


def test_an_import_is_taken_back_once(club, done):
    imports.undo(done=done, by=club.committee, at=NOW)
    with refused("stale"):
        imports.undo(done=done, by=club.committee, at=NOW)
    assert JournalEntry.objects.filter(verb="import_undone").count() == 1
