"""The register of a federation: licences held once, links, aliases, merging, outsiders."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.actions import Newcomer
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.persons import actions as persons
from clubs.persons import queries, views
from clubs.persons.actions import PersonRefused
from clubs.persons.models import Alias, MemberLink, Person
from ratings.ledger import settlement
from tests.clubhouse import make_club
from tests.printed_fields import Printed
from tests.refusals import refused
from tests.rows_read import rows_read

pytestmark = pytest.mark.django_db


@pytest.fixture
def federation():
    club = make_club("federation", size=2)
    Organisation.objects.filter(pk=club.organisation.pk).update(kind=Organisation.FEDERATION)
    club.organisation.refresh_from_db()
    return club


def outsiders(held, *names):
    people = [Newcomer(*name.split(" ", 1)) for name in names]
    return members.create_outsiders(organisation=held.organisation, people=people, at=held.at)


def edit(held, member, seen=0, **changes):
    return persons.edit_person(
        member=member, seen=seen, changes=changes, by=held.committee, at=held.at
    )


def test_the_register_is_sorted_by_its_columns_and_keeps_what_narrows_it(
    federation, as_user, monkeypatch
):
    monkeypatch.setattr(views, "PAGE", 1)
    ana, dan, eva = outsiders(federation, "Ana Pop", "Dan Ene", "Eva Rus")
    for member, licence, town in ((ana, "7", "Cluj"), (dan, "8", "Aix"), (eva, "9", "Cluj")):
        edit(federation, member, licence=licence, club=town, status=Person.Status.CURRENT)
    outsiders(federation, "Ion Dan")
    desk, page = as_user(federation.committee.user), "/c/federation/gestion/personnes/"

    def shown(**query):
        answer = desk.get(page, {"statut": "current", **query})
        return answer.context["people"], answer.content.decode()

    assert shown(tri="-licence")[0] == [eva] and shown(tri="-licence", page="3")[0] == [ana]
    assert shown(tri="club")[0] == [dan] and shown(tri="club", page="2")[0] == [ana]
    assert shown(tri="password")[0] == shown()[0] == [dan]
    words = shown(tri="-club", q="Pop")[1]
    assert 'aria-sort="descending"' in words and 'name="tri" value="-club"' in words
    assert "statut=current" in words and "tri=club" in words
    assert words.count('class="chip"') == 1 + len(Person.Status.choices)
    assert "Ion Dan" in desk.get(page, {"tri": "-status", "q": "Ion"}).content.decode()


def test_a_persons_page_leads_back_to_the_register(federation, as_user):
    (ana,) = outsiders(federation, "Ana Pop")
    register = "/c/federation/gestion/personnes/"
    desk = as_user(federation.committee.user)
    for path in (f"{ana.pk}/", "licences/"):
        page = desk.get(register + path).content.decode()
        crumbs = page.partition("Fil d’Ariane")[2].partition("</nav>")[0]
        assert f'<a href="{register}">Personnes et licences</a>' in crumbs


def test_the_register_is_a_file_as_it_is_filtered_and_sorted(federation, as_user):
    ana, _ion, eva = outsiders(federation, "Ana Pop", "Ion Dan", "Eva Rus")
    for member, licence, town in ((ana, "7", "Cluj"), (eva, "9", "Aix")):
        edit(federation, member, licence=licence, club=town, status=Person.Status.CURRENT)
    desk, page = as_user(federation.committee.user), "/c/federation/gestion/personnes/"
    shown = desk.get(page, {"statut": "current", "tri": "-licence"}).content.decode()
    assert "?statut=current&amp;tri=-licence&amp;format=csv" in shown

    def lines(**query):
        answer = desk.get(page, {"format": "csv", **query}).content.decode("utf-8-sig")
        return answer.splitlines()[1:]

    assert lines(statut="current", tri="-licence") == [
        "9;Eva;Rus;Aix;;licence à jour",
        "7;Ana;Pop;Cluj;;licence à jour",
    ]
    assert ";Ion;Dan;;;" in lines(q="Ion")[0]


def test_sorting_the_register_asks_no_more(federation, as_user):
    outsiders(federation, "Ana Pop", "Dan Ene")
    desk, asked = as_user(federation.committee.user), []
    for order in ("name", "name", "-licence", "club"):
        with CaptureQueriesContext(connection) as queries:
            desk.get("/c/federation/gestion/personnes/", {"tri": order})
        asked.append(len(queries))
    assert max(asked[1:]) == asked[1]


def test_a_page_of_the_register_reads_no_persons_of_other_pages(federation, as_user, monkeypatch):
    monkeypatch.setattr(views, "PAGE", 2)
    desk, read = as_user(federation.committee.user), []
    outsiders(federation, "Ana Pop", "Dan Ene", "Eva Rus")
    for newcomers in ((), ("Ion Dan", "Ina Dan", "Ivo Dan")):
        outsiders(federation, *newcomers)
        with rows_read() as rows:
            desk.get("/c/federation/gestion/personnes/")
        read.append(len(rows))
    assert read[0] == read[1]


def test_outsiders_stand_apart_from_the_members(federation, as_user):
    ana, _dan = outsiders(federation, "Ana Pop", "Dan Ene")
    assert not Member.objects.belonging().filter(pk=ana.pk).exists()
    desk = as_user(federation.committee.user)
    everybody = desk.get("/c/federation/gestion/membres/")
    assert "Ana Pop" not in everybody.content.decode()
    apart = desk.get("/c/federation/gestion/membres/?etat=hors-club").content.decode()
    assert "Ana Pop" in apart and "Dan Ene" in apart
    assert "Ana Pop" in desk.get("/c/federation/gestion/personnes/").content.decode()
    for page in ("roles/", "inviter/", "affiches/cartes.pdf"):
        assert "Ana Pop" not in desk.get(f"/c/federation/gestion/{page}").content.decode("latin-1")


def test_a_player_of_a_file_may_be_confirmed_as_a_member(federation, as_user):
    (ana,) = outsiders(federation, "Ana Pop")
    desk = as_user(federation.committee.user)
    desk.post(f"/c/federation/gestion/membres/{ana.pk}/", {"confirm": "1"})
    assert Member.objects.belonging().filter(pk=ana.pk).exists()


def test_what_a_change_leaves_out_stays(federation):
    (ana,) = outsiders(federation, "Ana Pop")
    edit(federation, ana, licence=" 7 ", club="Cluj")
    edit(federation, ana, seen=1, club="Aix")
    person = Person.objects.get(member=ana)
    assert (person.licence, person.club) == ("7", "Aix")
    edit(federation, ana, seen=2, licence="")
    assert Person.objects.get(member=ana).licence == ""


def test_a_licence_is_held_by_one_person(federation):
    ana, dan = outsiders(federation, "Ana Pop", "Dan Ene")
    edit(federation, ana, licence="12 a")
    assert Person.objects.get(member=ana).licence == "12A"
    with pytest.raises(PersonRefused, match="Ana Pop") as refusal:
        edit(federation, dan, licence="12A")
    assert refusal.value.code == "licence"


def test_what_an_officer_writes_is_of_one_person_of_their_federation(federation):
    ana, dan = outsiders(federation, "Ana Pop", "Dan Ene")
    edit(federation, dan, licence="13")
    elsewhere = make_club("ailleurs", size=2)
    (eva,) = outsiders(elsewhere, "Eva Pop")
    edit(elsewhere, eva, licence="12")
    first = edit(federation, ana, licence="12", club="Paris")
    assert set(Person.objects.values_list("version", flat=True)) == {first.version}
    edit(federation, ana, seen=first.version, licence="12", club="Lyon")
    written = Person.objects.values_list("member", "licence", "club")
    assert set(written) == {(dan.pk, "13", ""), (eva.pk, "12", ""), (ana.pk, "12", "Lyon")}


def test_the_names_that_a_federation_chose_are_its_own(federation):
    elsewhere = make_club("ailleurs", size=2)
    how = {"by": federation.committee, "at": federation.at}
    chosen = []
    for club in (federation, elsewhere):
        (ana,) = outsiders(club, "Ana Pop")
        persons.remember(organisation=club.organisation, names={"a pop": ana.pk}, **how)
        chosen.append(ana.pk)
    clubs = [federation.organisation, elsewhere.organisation]
    assert [persons.people_of(club).find("A Pop")[0] for club in clubs] == chosen
    alias = Alias.objects.get(member=chosen[0])
    persons.forget_alias(alias=alias, **how)
    assert Alias.objects.get().member_id == chosen[1]
    with refused("stale"):
        persons.forget_alias(alias=alias, **how)
    assert JournalEntry.objects.get(verb="alias_forgotten").subject == f"member:{chosen[0]}"


def test_the_last_choice_of_a_name_holds_and_changes_no_other(federation):
    ana, anna = outsiders(federation, "Ana Pop", "Anna Pop")
    how = {"organisation": federation.organisation, "by": federation.committee}
    later = federation.at + timedelta(days=1)
    persons.remember(names={"a pop": ana.pk, "ana p": ana.pk}, at=federation.at, **how)
    persons.remember(names={"a pop": anna.pk, "ana p": ana.pk}, at=later, **how)
    chosen = Alias.objects.values_list("name", "member", "chosen_at")
    assert set(chosen) == {("a pop", anna.pk, later), ("ana p", ana.pk, federation.at)}


def test_the_second_of_two_officers_at_a_person_is_told(federation):
    (ana,) = outsiders(federation, "Ana Pop")
    first = edit(federation, ana, licence="12")
    edit(federation, ana, seen=first.version, licence="12", club="Lyon")
    with refused("stale"):
        edit(federation, ana, seen=first.version, licence="12", club="Paris")
    assert Person.objects.get().club == "Lyon"
    entry = JournalEntry.objects.filter(verb="person_edited").latest("seq")
    assert entry.after == {"fields": ["club"]}


def test_the_licence_a_club_says_links_its_holder_of_the_same_name(federation):
    club = make_club("club", size=2)
    one, other = club.members
    ana, dan = outsiders(federation, one.full_name, "Dan Ene")
    edit(federation, ana, licence="12")
    edit(federation, dan, licence="13")

    def say(member, licence):
        return club.say_licence(member, federation.organisation, licence)

    assert say(one, "12").person_id == ana.pk
    assert say(one, "").person_id is None
    assert say(other, "13").person_id is None  # another name: an officer decides
    assert say(other, "99").person_id is None
    links = MemberLink.objects.values_list("member", "person", "licence")
    assert say(one, "12").person_id == ana.pk
    assert set(links) == {(one.pk, ana.pk, "12"), (other.pk, None, "99")}
    assert say(other, "98").person_id is None
    assert set(links.all()) == {(one.pk, ana.pk, "12"), (other.pk, None, "98")}
    last = JournalEntry.objects.filter(verb="licence_said").latest("seq")
    assert last.organisation == club.organisation and last.subject == f"member:{other.pk}"


def test_two_officers_who_link_one_member_are_not_both_right(federation):
    club = make_club("club", size=2)
    ana, dan = outsiders(federation, "Ana Pop", "Dan Ene")

    def link(person):
        return persons.link_member(
            member=club.members[0], person=person, by=federation.committee, at=club.at
        )

    assert link(ana).person_id == ana.pk
    with refused("stale"):
        link(dan)
    assert MemberLink.objects.get().person_id == ana.pk


@pytest.mark.parametrize("gone", ["left_at", "merged_into"])
def test_nobody_is_linked_with_a_person_who_is_no_longer_there(federation, gone):
    club = make_club("club", size=2)
    ana, dan = outsiders(federation, "Ana Pop", "Dan Ene")
    changes = {"left_at": federation.at} if gone == "left_at" else {"merged_into": dan}
    Member.objects.filter(pk=ana.pk).update(**changes)
    how = {"by": federation.committee, "at": club.at}
    with refused("gone"):
        persons.link_member(member=club.members[0], person=ana, **how)
    assert not MemberLink.objects.exists()


def test_a_link_is_of_one_member_and_in_the_journal_of_the_federation(federation):
    club = make_club("club", size=2)
    (ana,) = outsiders(federation, "Ana Pop")
    how = {"by": federation.committee, "at": club.at}
    say = {"federation": federation.organisation, "by": club.committee, "at": club.at}
    persons.say_licence(member=club.members[1], licence="99", **say)
    persons.link_member(member=club.members[0], person=ana, **how)
    links = MemberLink.objects.values_list("member", "person", "linked_by")
    officer = federation.committee.user.pk
    assert set(links) == {
        (club.members[0].pk, ana.pk, officer),
        (club.members[1].pk, None, club.committee.user.pk),
    }
    entry = JournalEntry.objects.get(verb="member_linked")
    assert (entry.organisation, entry.subject) == (federation.organisation, f"member:{ana.pk}")


def test_a_licence_is_not_said_to_a_federation_that_is_closed(federation):
    club, kind = make_club("club", size=1).organisation, Organisation.FEDERATION
    held = Organisation.objects.filter(pk=federation.organisation.pk)
    held.update(kind=kind, game=club.game)
    assert list(queries.federations(club)) == list(held)
    held.update(closed_at=federation.at)
    assert not queries.federations(club).exists()


def test_an_officer_links_a_member_whose_licence_named_nobody(federation, as_user):
    club = make_club("club", size=3)
    ana, dan = outsiders(federation, "Ana Pop", "Dan Ene")
    for member, licence in ((club.members[0], "98"), (club.members[1], "99")):
        club.say_licence(member, federation.organisation, licence)
    desk, page = as_user(federation.committee.user), f"/c/federation/gestion/personnes/{ana.pk}/"
    shown = desk.get(page).content.decode()
    assert f"{club.members[0].full_name} · {club.organisation.name} · 98" in " ".join(shown.split())
    link = MemberLink.objects.get(licence="98")
    assert desk.post(page, {"link": link.pk}).status_code == 302
    link.refresh_from_db()
    assert link.person_id == ana.pk
    other = f"/c/federation/gestion/personnes/{dan.pk}/"
    late = desk.post(other, {"link": link.pk})
    assert late.status_code == 422 and Printed(late, "link").is_refused, "it waits no longer"
    assert "· 99" in desk.get(other).content.decode()
    assert "· 98" not in desk.get(other).content.decode()


def test_merging_moves_licence_aliases_and_links(federation):
    club = make_club("club", size=2)
    old, kept = outsiders(federation, "A. Pop", "Ana Pop")
    edit(federation, old, licence="12", club="Lyon", status="current")
    edit(federation, kept, country="FR")
    by, at = federation.committee, federation.at
    persons.remember(organisation=federation.organisation, names={"pop a.": old.pk}, by=by, at=at)
    persons.link_member(member=club.members[0], person=old, by=by, at=at)
    settlement.merge_member(member=old, into=kept, by=by, at=at, reason="même personne")
    person = Person.objects.get(member=kept)
    assert (person.licence, person.club, person.country) == ("12", "Lyon", "FR")
    assert person.status == Person.Status.CURRENT.value
    assert Alias.objects.get(name="pop a.").member_id == kept.pk
    assert MemberLink.objects.get().person_id == kept.pk
    found = persons.people_of(federation.organisation)
    assert found.find("Pop A.")[0] == kept.pk and found.by_licence["12"] == kept.pk


@pytest.mark.parametrize(
    ("of_old", "of_kept", "licence"),
    [
        ({"licence": "12"}, None, "12"),
        ({"licence": "12"}, {"club": "Lyon"}, "12"),
        ({"club": "Lyon"}, {"licence": "13"}, "13"),
        (None, {"licence": "13"}, "13"),
    ],
)
def test_merging_keeps_the_one_licence_and_is_about_two_rows_alone(
    federation, of_old, of_kept, licence
):
    club = make_club("club", size=2)
    old, kept, other = outsiders(federation, "A. Pop", "Ana Pop", "Dan Ene")
    how = {"by": federation.committee, "at": federation.at}
    edit(federation, other, licence="14", club="Nice")
    persons.remember(organisation=federation.organisation, names={"dan": other.pk}, **how)
    persons.link_member(member=club.members[1], person=other, **how)
    for row, changes in ((old, of_old), (kept, of_kept)):
        if changes is not None:
            edit(federation, row, **changes)
    settlement.merge_member(member=old, into=kept, reason="même personne", **how)
    rows = Person.objects.exclude(licence="").values_list("member", "licence")
    assert set(rows) == {(kept.pk, licence), (other.pk, "14")}
    assert Person.objects.get(member=other).club == "Nice"
    assert Alias.objects.get(name="dan").member_id == MemberLink.objects.get().person_id == other.pk


@pytest.mark.parametrize(
    ("merged", "written", "found"),
    [
        ("Anna Popp", "POPP Anna", True),
        ("Anna Popp", "Anna Popp", True),
        ("Dan Ene", "Dan Ene", False),  # somebody else has this name: the officer is asked
        ("Anna", "Anna", False),
    ],
)
def test_a_file_that_writes_a_merged_person_as_before_means_the_person_kept(
    federation, merged, written, found
):
    old, kept, other = outsiders(federation, merged, "Ana Pop", "Dan Ene")
    settlement.merge_member(
        member=old, into=kept, by=federation.committee, at=federation.at, reason="la même"
    )
    match = persons.people_of(federation.organisation).match(written)
    assert match.member == (kept.pk if found else other.pk if merged == "Dan Ene" else None)


def test_a_page_read_before_a_merge_takes_back_nothing_that_it_moved(federation):
    old, kept = outsiders(federation, "A. Pop", "Ana Pop")
    edit(federation, old, licence="12")
    seen = edit(federation, kept, club="Lyon").version
    how = {"by": federation.committee, "at": federation.at}
    settlement.merge_member(member=old, into=kept, reason="même personne", **how)
    with refused("stale"):
        edit(federation, kept, seen=seen, licence="", club="Lyon")
    assert Person.objects.get(member=kept).licence == "12"


def test_a_merged_row_shows_no_more_than_the_row_that_is_kept(federation):
    first, second, kept = outsiders(federation, "A. Pop", "An. Pop", "Ana Pop")
    how = {"by": federation.committee, "at": federation.at}
    guardian = {"is_child": True, "is_minor": True}
    members.edit(member=first, changes=guardian, **how)
    settlement.merge_member(member=first, into=second, reason="la même", **how)
    members.edit(member=kept, changes={"visibility": Member.MEMBERS}, **how)
    settlement.merge_member(member=second, into=kept, reason="la même", **how)
    for shown in (Member.MEMBERS, Member.INITIALS, Member.EVERYBODY):
        members.edit(member=kept, changes={"visibility": shown}, **how)
        rows = Member.objects.filter(pk__in=(first.pk, second.pk, kept.pk))
        assert set(rows.values_list("visibility", "is_minor")) == {(shown, False)}


def test_every_row_of_who_may_be_a_minor_is_shown_short_and_no_other(federation):
    old, ana, dan = outsiders(federation, "A. Pop", "Ana Pop", "Dan Ene")
    other, eva = outsiders(federation, "E. Rus", "Eva Rus")
    how = {"by": federation.committee, "at": federation.at, "reason": "la même"}
    settlement.merge_member(member=old, into=ana, **how)
    settlement.merge_member(member=other, into=eva, **how)
    edit(federation, ana, birth_year=federation.at.year - 18)  # 17 until their birthday
    edit(federation, dan, birth_year=federation.at.year - 19)
    minors = Member.objects.filter(is_minor=True)
    assert set(minors.all()) == {old, ana}
    federation.edit(ana, {"is_minor": False})
    edit(federation, ana, seen=1, club="Lyon")
    assert not minors.exists()


def test_two_licences_are_not_merged_silently(federation):
    old, kept = outsiders(federation, "A. Pop", "Ana Pop")
    edit(federation, old, licence="12")
    edit(federation, kept, licence="13")
    with refused("two_licences"):
        settlement.merge_member(
            member=old, into=kept, by=federation.committee, at=federation.at, reason="r"
        )
    old.refresh_from_db()
    assert old.merged_into_id is None


def test_a_forgotten_person_leaves_no_licence_and_no_alias(federation):
    (ana,) = outsiders(federation, "Ana Pop")
    edit(federation, ana, licence="12", club="Lyon", birth_year=2001)
    by, at = federation.committee, federation.at
    persons.remember(organisation=federation.organisation, names={"a pop": ana.pk}, by=by, at=at)
    members.leave(member=ana, by=by, at=at, forget=True)
    person = Person.objects.get(member=ana)
    assert (person.licence, person.club, person.birth_year) == ("", "", None)
    assert not Alias.objects.exists()


def test_a_choice_is_taken_back_on_the_persons_page(federation, as_user):
    (ana,) = outsiders(federation, "Ana Pop")
    by, at = federation.committee, federation.at
    persons.remember(organisation=federation.organisation, names={"a pop": ana.pk}, by=by, at=at)
    page = f"/c/federation/gestion/personnes/{ana.pk}/"
    desk = as_user(federation.committee.user)
    assert "a pop" in desk.get(page).content.decode()
    desk.post(page, {"alias": Alias.objects.get().pk})
    assert not Alias.objects.exists()
    assert desk.post(page, {"alias": "1"}).status_code == 404
    wrong = desk.post(page, {"seen": "0", "licence": "1", "status": "?"})
    assert wrong.status_code == 422


def test_two_officers_who_do_the_same_at_once_read_why(federation, as_user, monkeypatch):
    club = make_club("club", size=2)
    (ana,) = outsiders(federation, "Ana Pop")
    club.say_licence(club.members[0], federation.organisation, "98")
    alias = Alias.objects.create(
        organisation=federation.organisation, member=ana, name="A. Pop", chosen_at=federation.at
    )

    def late(**_given):
        raise PersonRefused("Un autre était plus rapide.", code="stale")

    monkeypatch.setattr(persons, "link_member", late)
    monkeypatch.setattr(persons, "forget_alias", late)
    desk, page = as_user(federation.committee.user), f"/c/federation/gestion/personnes/{ana.pk}/"
    refused = desk.post(page, {"link": MemberLink.objects.get().pk})
    assert refused.status_code == 422
    assert Printed(refused, "link").error == "Un autre était plus rapide."
    assert "Un autre était plus rapide." in desk.post(page, {"alias": alias.pk}).content.decode()
