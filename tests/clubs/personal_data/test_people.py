"""What a person takes along, and what is left of them when they ask to be forgotten."""

from __future__ import annotations

import json
import re
import zipfile
from datetime import UTC, date, datetime
from io import BytesIO

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.sessions.models import Session
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation
from PIL import Image

from clubs.accounts.actor import PLAYER, Actor
from clubs.accounts.models import User
from clubs.journal import chain as journal
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.actions import MemberRefused
from clubs.members.invitations import actions as invitations
from clubs.members.models import Member, MemberImport
from clubs.members.models_access import Invitation, JoinRequest
from clubs.notifications.models import PushChoices, PushSubscription
from clubs.organisations.models import Organisation
from clubs.personal_data.export import data_of, parts
from clubs.personal_data.models import PrivacySettings
from clubs.personal_data.register import Someone
from clubs.persons.models import Alias, Person
from clubs.sanctions import actions as sanctions
from pairings.arbitration.models import Contest
from pairings.evenings.models import CheckIn
from pairings.matches import actions as match_actions
from pairings.matches import photos
from pairings.matches.models import Match
from pairings.tournaments.models import Entry, TournamentFile
from ratings.competitions.models import CompetitionDraft
from ratings.ledger import replay
from ratings.ledger.models import RatingList, StandingCote
from tests.our_code import LANGUAGES
from tests.permissions.furnished_club import rows
from tests.tournament_day import frozen, make_tournament

pytestmark = pytest.mark.django_db
ADA, BOB = "Adacanari", "Bobcanari"


def photo() -> str:
    file = BytesIO()
    Image.new("RGB", (30, 30)).save(file, "PNG")
    file.seek(0)
    return photos.keep(file)


def named(club, place: int, name: str) -> Member:
    """A member known by a name and an address that are written in every place of the site."""
    member, address = club.members[place], f"{name}@example.org"
    club.edit(member, {"first_name": name[:3], "last_name": f"{name}son", "email": address, "visibility": "initials"})  # fmt: skip
    User.objects.filter(pk=member.user_id).update(email=f"{name}-account@example.org".lower())
    member.refresh_from_db()
    club_of = {"organisation": club.organisation, "at": club.at}
    who = {"first_name": name[:3], "last_name": f"{name}son", "email": address}
    EmailAddress.objects.create(user=member.user, email=member.user.email, primary=True)
    asked = invitations.ask_to_join(**club_of, **who)
    type(asked).objects.filter(pk=asked.pk).update(answered_at=club.at, accepted=True)
    invitations.invite(**club_of, member=member, email=address, by=club.committee)
    PushSubscription.objects.create(
        member=member,
        endpoint=f"https://push.example/{name}",
        p256dh="k",
        auth="a",
        created_at=club.at,
    )
    PushChoices.objects.create(member=member)
    Person.objects.create(
        organisation=club.organisation, member=member, licence=f"L-{name}", birth_year=1990
    )
    Alias.objects.create(
        organisation=club.organisation, member=member, name=f"{name} dit", chosen_at=club.at,
        chosen_by=club.committee.user,
    )  # fmt: skip
    return member


@pytest.fixture
def pair(club, settings, tmp_path):
    """Two members who played each other, one of them contesting with a photo, and both in one file."""
    settings.MEDIA_ROOT = tmp_path
    ada, bob = named(club, 0, ADA), named(club, 1, BOB)
    MemberImport.objects.create(
        organisation=club.organisation,
        file_name="membres.csv",
        rows=[
            ["prénom", "nom", "tél"],
            ["Ada", f"{ADA}son", "06 Adacanari"],
            ["Bob", f"{BOB}son", "06 Bobcanari"],
        ],
        created_at=club.at,
        created_by=club.committee.user,
    )
    CompetitionDraft.objects.create(
        rating_list=club.rating_list("fisf", kind="fisf"),
        file_name="parties.csv",
        label="Tournoi",
        held_on=club.at.date(),
        facts={"sheet": "games"},
        rows=[["joueur 1", "joueur 2"], [f"Ada {ADA}son", f"bob {BOB}son".lower()]],
        created_at=club.at,
        created_by=club.committee.user,
    )
    club.members[0], club.members[1] = ada, bob
    for one, other, first in ((ada, bob, True), (bob, ada, False)):
        match, (_a, b) = club.entered(one, other)
        if first:
            match_actions.confirm(match=match, by=b, at=club.at)
        else:
            match_actions.contest(
                match=match,
                by=b,
                at=club.at,
                words="une autre feuille",
                scores=(300, 350),
                photo=photo(),
            )
    sanctions.propose(member=ada, trigger_key="x", grounds={}, by=club.committee, at=club.at)
    return ada, bob


def test_the_export_is_whole_and_of_one_person_alone(club, pair, as_user):
    ada, bob = pair
    client = as_user(ada.user)
    answer = client.post("/moi/donnees/", {"export": "1"})
    archive = zipfile.ZipFile(BytesIO(answer.getvalue()))
    data = json.loads(archive.read("data.json"))
    page = archive.read("data.html").decode()
    assert set(data) >= {
        "clubs.User", "clubs.Member", "clubs.JoinRequest", "clubs.Invitation", "clubs.MemberImport", "clubs.Alias",
        "clubs.Person", "clubs.PushSubscription", "clubs.PushChoices", "clubs.JournalEntry", "clubs.Sanction",
        "account.EmailAddress", "sessions.Session", "pairings.Match", "pairings.MatchLine", "pairings.Contest",
        "pairings.Submission", "pairings.CheckIn",
    }  # fmt: skip
    assert len(data["pairings.Match"]) == 2
    assert data["pairings.Match"][0]["first_score"] == 400
    assert data["ratings.CompetitionDraft"][0]["line"] == [f"Ada {ADA}son", "bob b."]
    assert data["pairings.Match"][0]["second"] == bob.name_for(viewer_is_member=True)
    [picture] = [name for name in archive.namelist() if name.startswith("photos/")]
    assert (
        archive.read(picture)[:2] == b"\xff\xd8"
        and picture[7:] == data["pairings.Contest"][0]["photo"]
    )
    assert ADA in page and "Fiche de membre" in page
    for text in (page, archive.read("data.json").decode()):
        assert BOB.lower() not in text.lower()
        assert "push.example" not in text and "password" not in text
    entry = JournalEntry.objects.get(verb="data_exported")
    assert entry.member_id_of_actor == ada.pk and not entry.after
    codes = []
    for _time in range(5):
        answer = client.post("/moi/donnees/", {"export": "1"})
        codes.append(answer.status_code)
        answer.getvalue()  # read to its end, which closes the file
    assert codes == [200] * 4 + [429]


def test_a_list_is_called_in_the_export_as_on_its_page(club, as_user):
    _match, (one, _other) = club.played(scores=(400, 300))
    club.close()
    User.objects.filter(pk=one.user.pk).update(language="en")
    answer = as_user(one.user).post("/moi/donnees/", {"export": "1"})
    page = zipfile.ZipFile(BytesIO(answer.getvalue())).read("data.html").decode()
    assert page.count(">FAIZERS ladder<") == 3 and "Échelle" not in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_readable_page_is_in_the_readers_language_and_names_nobody_else(
    club, pair, as_user, language
):
    ada, bob = pair
    User.objects.filter(pk=ada.user_id).update(language=language)
    Contest.objects.create(
        match=Match.objects.get(first=ada),
        late=True,
        opened_by=bob,
        opened_at=club.at,
        photo=photo(),
    )
    answer = as_user(ada.user).post("/moi/donnees/", {"export": "1"})
    archive = zipfile.ZipFile(BytesIO(answer.getvalue()))
    page = archive.read("data.html").decode()
    assert f'<html lang="{language}">' in page
    words = ("Fiche de membre", "prénom", "saisit un résultat", "en litige", "Français")
    for text in words:
        with translation.override(language):
            assert f">{translation.gettext(text)}<" in page, text
        assert (f">{text}<" in page) is (translation.gettext(text) == text or language == "fr")
    if language == "fr":
        codes = re.findall(r"<td>(contested|submitted|final|played|player|initials)</td>", page)
        assert codes == []
    photos_of = [name for name in archive.namelist() if name.startswith("photos/")]
    assert photos_of == [f"photos/{Contest.objects.get(opened_by=ada).photo}"]
    everything = "".join(archive.read(name).decode("latin-1") for name in archive.namelist())
    assert BOB.lower() not in everything.lower() and "une autre feuille" in page
    assert bob.name_for(viewer_is_member=True) in page


def test_the_readable_page_writes_values_as_people_do():
    line = {
        "is_minor": True,
        "is_child": False,
        "joined_on": date(2026, 11, 20),
        "created_at": datetime(2026, 11, 20, 19, 0, tzinfo=UTC),
        "left_at": None,
    }
    (table,) = parts({"clubs.Member": [line]})
    assert table["rows"] == [["oui", "non", "20/11/2026", "20/11/2026 20:00", ""]]
    (table,) = parts({"clubs.Sanction": [{"grounds": {"dates": ["a", "b"], "left": None}}]})
    assert table["rows"] == [["dates a\u00a0; b"]]


def test_a_longer_history_costs_no_further_query(club):
    ada, bob = club.members[:2]

    def counted() -> int:
        with CaptureQueriesContext(connection) as queries:
            data_of(Someone.of(ada))
        return len(queries)

    def play() -> None:
        club.played(ada, bob)

    play()
    before = counted()
    for _time in range(3):
        play()
    assert counted() == before


def test_nothing_is_left_of_a_forgotten_person_but_their_results(
    club, pair, as_user, tmp_path, after_commit
):
    ada, bob = pair
    user, gone_before = ada.user, club.members[2]
    user.set_password("un-mot-de-passe-1")
    user.save()
    members.leave(member=gone_before, by=club.committee, at=club.at, forget=False)
    guest = club.join("Gaspard", is_guest=True, visitor=user)
    session = as_user(ada.user).cookies["sessionid"].value
    others = as_user(bob.user).cookies["sessionid"].value
    [picture] = (tmp_path / "sheets").glob("*.jpg")
    with after_commit():
        members.leave(member=ada, by=club.player(ada), at=club.at, forget=True)
    left = [row for row in rows() if ADA.lower() in row.lower()]
    assert left == []
    assert any(BOB.lower() in row.lower() for row in rows())
    assert not picture.exists()
    assert not Session.objects.filter(pk=session).exists()
    assert Session.objects.filter(pk=others).exists()
    user.refresh_from_db()
    assert not user.is_active and not user.has_usable_password()
    assert Member.objects.get(pk=guest.pk).visitor is None
    assert Member.objects.get(pk=gone_before.pk).user == gone_before.user
    gone = Member.objects.get(pk=ada.pk)
    assert gone.full_name == f"Joueur retiré {gone.number}" and gone.user is None
    assert list(journal.verify(club.organisation)) == []
    entry = JournalEntry.objects.get(verb="member_left", subject=f"member:{ada.pk}")
    assert entry.after == {"forgotten": True}


def test_ratings_and_chain_are_the_same_without_the_name(club):
    _match, (a, _b) = club.played()
    club.close()
    [rating_list] = RatingList.objects.filter(organisation=club.organisation)

    def cotes() -> list[tuple[object, ...]]:
        found = StandingCote.objects.filter(rating_list=rating_list)
        return list(found.order_by("member_id").values_list("member_id", "state", "shown", "games"))

    before = cotes()
    assert a.member.pk in [line[0] for line in before]
    members.leave(member=a.member, by=a, at=club.at, forget=True)
    assert cotes() == before
    assert list(replay.check(rating_list)) == []
    assert list(journal.verify(club.organisation)) == []


def test_a_file_loses_the_line_of_this_person_in_their_own_club(club, other_club):
    heads, lines = ["prénom", "nom"], [["Prénom0", "Nom0"], ["Prénom1", "Nom1"]]
    held = [
        MemberImport.objects.create(
            organisation=one.organisation,
            rows=[heads, *lines],
            created_at=club.at,
            created_by=club.committee.user,
        )
        for one in (club, other_club)
    ]
    games = [["joueur 1", "joueur 2"], ["Prénom0 Nom0", "Prénom1 Nom1"]]
    drafts = [
        CompetitionDraft.objects.create(
            rating_list=one.rating_list("fisf", kind="fisf"),
            label="Tournoi",
            held_on=club.at.date(),
            facts={"sheet": "games"},
            rows=games,
            created_at=club.at,
            created_by=club.committee.user,
        )
        for one in (club, other_club)
    ]
    for one in (club, other_club):
        TournamentFile.objects.create(
            organisation=one.organisation,
            rows=[heads, *lines],
            created_at=club.at,
            created_by=club.committee.user,
        )
    ada = club.members[0]
    [line] = data_of(Someone.of(ada))["clubs.MemberImport"]
    assert line["line"] == lines[0]
    members.leave(member=ada, by=club.player(ada), at=club.at, forget=True)
    left = [MemberImport.objects.get(pk=file.pk).rows for file in held]
    assert left == [[heads, ["", ""], lines[1]], [heads, *lines]]
    own, theirs = (CompetitionDraft.objects.get(pk=draft.pk).rows for draft in drafts)
    assert own[1][0] == f"Joueur retiré {ada.number}"
    assert theirs == games
    read = TournamentFile.objects.order_by("pk")
    assert [len(file.rows) for file in read] == [1, 3], "one that was not imported is sent again"


def test_an_account_stays_while_a_membership_is_left(club, other_club):
    ada, twin = club.members[0], other_club.members[0]
    user, address = ada.user, ada.user.email
    EmailAddress.objects.create(user=user, email=address, verified=True, primary=True)
    Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={})
    Member.objects.filter(pk=twin.pk).update(user=None)
    members.link_account(
        member=Member.objects.get(pk=twin.pk), user=ada.user, by=club.committee, at=club.at
    )
    members.leave(member=ada, by=club.player(ada), at=club.at, forget=True)
    user.refresh_from_db()
    assert user.is_active and user.email == address
    assert user.emailaddress_set.exists() and user.authenticator_set.exists()
    twin.refresh_from_db()
    assert twin.user == user and twin.first_name == "Prénom0"
    members.leave(member=twin, by=Actor(user, twin, PLAYER), at=club.at, forget=True)
    user.refresh_from_db()
    assert not user.is_active and user.email.endswith("@invalid")
    assert not user.emailaddress_set.exists() and not user.authenticator_set.exists()


def test_the_parent_of_a_child_and_the_account_of_a_visitor_are_forgotten_too(club, other_club):
    parent = {"guardian_name": "Eva", "guardian_email": "eva@example.org"}
    agreed = {"is_child": True, "guardian_agreed_on": club.at.date(), "visibility": "initials"}
    child = club.join("Lila", **parent, **agreed)
    guest = club.join("Gaspard", is_guest=True, visitor=other_club.members[0].user)
    columns = ("guardian_name", "guardian_email", "guardian_agreed_on", "is_child")
    columns += ("visitor", "visibility")
    for row in (child, guest):
        members.leave(member=row, by=club.committee, at=club.at, forget=True)
        left = Member.objects.values_list(*columns).get(pk=row.pk)
        assert left == ("", "", None, False, None, Member.EVERYBODY)
    assert User.objects.get(pk=other_club.members[0].user_id).is_active


@pytest.mark.parametrize("access", ["is_staff", "is_superuser"])
def test_an_account_with_technical_access_outlives_its_last_membership(club, access):
    ada, user = club.members[0], User.objects.filter(pk=club.members[0].user_id)
    user.update(**{access: True})
    stored = user.values("email", "is_active", "password")
    before = stored.get()
    members.leave(member=ada, by=club.player(ada), at=club.at, forget=True)
    assert stored.all().get() == before
    assert not Member.objects.filter(user=user.get()).exists()


def test_who_plays_ends_the_match_first_and_nothing_is_half_done(club):
    match, (a, b) = club.match()
    before = rows()
    with pytest.raises(MemberRefused) as refusal:
        members.leave(member=a.member, by=a, at=club.at, forget=True)
    assert refusal.value.code == "playing" and f"table {match.table_number}" in str(refusal.value)
    assert rows() == before
    match_actions.submit(match=match, by=a, scores=(400, 350), at=club.at)
    match_actions.confirm(match=match, by=b, at=club.at)
    members.leave(member=a.member, by=a, at=club.at, forget=True)
    assert CheckIn.objects.get(member=a.member, evening=club.evening).state == CheckIn.State.LEFT


def test_who_waits_leaves_the_line_and_the_tournament_first(club):
    ada = club.members[0]
    make_tournament(club, size=3)
    assert Entry.objects.filter(member=ada).exists()
    members.leave(member=ada, by=club.player(ada), at=club.at, forget=False)
    assert CheckIn.objects.get(member=ada, evening=club.evening).state == CheckIn.State.LEFT
    assert not Entry.objects.filter(member=ada).exists()


def test_who_plays_a_tournament_is_withdrawn_from_its_next_round(club):
    ada = club.members[0]
    frozen(club)
    members.leave(member=ada, by=club.player(ada), at=club.at, forget=True)
    assert Entry.objects.get(member=ada).withdrawn_from == 1


def test_the_page_signs_the_forgotten_person_out(club, as_user):
    ada = club.members[0]
    client = as_user(ada.user)
    answer = client.post("/moi/donnees/", {"leave": "1", "forget": "1"}, follow=True)
    assert "Votre nom est effacé, vos résultats restent" in answer.content.decode()
    assert not answer.wsgi_request.user.is_authenticated


def test_who_left_with_their_name_may_be_forgotten_later_and_once(club, as_user):
    ada = club.members[0]
    members.leave(member=ada, by=club.player(ada), at=club.at, forget=False)
    desk, address = as_user(club.committee.user), f"/gestion/membres/{ada.pk}/"
    assert "Oublier cette personne" in desk.get(address).content.decode()
    assert desk.post(address, {"leave": "1", "forget": "1"}).status_code == 302
    ada.refresh_from_db()
    assert ada.is_forgotten and ada.user is None
    assert "Oublier cette personne" not in desk.get(address).content.decode()
    with pytest.raises(MemberRefused):
        members.leave(member=ada, by=club.committee, at=club.at, forget=True)


def test_an_old_address_does_not_say_who_a_forgotten_person_is(club, as_user):
    member, reader = club.members[0], as_user(club.members[1].user)
    old = f"/joueurs/{member.address}/"
    assert reader.get(old).status_code == 200
    members.leave(member=member, by=club.committee, at=club.at, forget=True)
    for browser in (reader, as_user(None)):
        assert browser.get(old).status_code == 404
    new = f"/joueurs/{Member.objects.get(pk=member.pk).address}/"
    assert reader.get(new).status_code == 200 and as_user(None).get(new).status_code == 404


def test_a_family_with_one_address_is_several_people(club):
    ask = {"organisation": club.organisation, "at": club.at, "email": "eva@example.org"}
    ana, ion = (club.join(name, "Pop", email="eva@example.org") for name in ("Ana", "Ion"))
    for member in (ana, ion):
        how = {"email": "eva@example.org", "by": club.committee, "at": club.at}
        invitations.invite(organisation=club.organisation, member=member, **how)
    for name in ("Zoe", "Ion", "Ana"):
        asked = invitations.ask_to_join(**ask, first_name=name, last_name="Pop")
        if name != "Zoe":
            JoinRequest.objects.filter(pk=asked.pk).update(answered_at=club.at)
    namesake = club.join("Ana", "Pop", is_guest=True)
    invitations.ask_to_join(**ask, first_name="Ana", last_name="Pop", guest=namesake)
    file = MemberImport.objects.create(
        organisation=club.organisation,
        rows=[["prénom", "nom", "e-mail"], *([n, "Pop", "eva@example.org"] for n in ("Ana", "Ion"))],
        columns={"first_name": 0, "last_name": 1, "email": 2},
        created_at=club.at,
        created_by=club.committee.user,
    )  # fmt: skip
    data = data_of(Someone.of(ana))
    assert [line["first_name"] for line in data["clubs.JoinRequest"]] == ["Ana"]
    assert len(data["clubs.Invitation"]) == 1
    assert [line["line"][0] for line in data["clubs.MemberImport"]] == ["Ana"]
    members.leave(member=ana, by=club.committee, at=club.at, forget=True)
    left = JoinRequest.objects.order_by("first_name").values_list("first_name", flat=True)
    assert list(left) == ["Ana", "Ion", "Zoe"]
    assert Invitation.objects.get().member == ion
    file.refresh_from_db()
    assert [cells[0] for cells in file.rows[1:]] == ["", "Ion"]


def test_an_address_that_a_database_takes_for_theirs_is_another_persons(club):
    """PostgreSQL writes ı as I in capitals: who owns that domain reads nothing of the other's."""
    other = club.join("Ana", "Pop", email="ana@mail.example.org")
    reader = club.join("Eve", "Rus", email="ana@maıl.example.org")
    name = {"first_name": "Ana", "last_name": "Pop", "email": other.email}
    asked = invitations.ask_to_join(organisation=club.organisation, at=club.at, **name)
    JoinRequest.objects.filter(pk=asked.pk).update(answered_at=club.at)
    Organisation.objects.update(contact_email=other.email)
    assert data_of(Someone.of(reader)).get("clubs.JoinRequest", []) == []
    members.leave(member=reader, by=club.committee, at=club.at, forget=True)
    assert JoinRequest.objects.get().email == other.email
    assert Organisation.objects.get().contact_email == other.email


def test_somebody_of_the_same_name_is_not_forgotten_with_them(club):
    gone, stays = (
        club.join("Ana", "Pop", email=f"{name}@example.org", number=number)
        for name, number in (("a", 901), ("b", 902))
    )
    for member, licence in ((gone, "A1"), (stays, "B2")):
        Person.objects.create(organisation=club.organisation, member=member, licence=licence)
    file = MemberImport.objects.create(
        organisation=club.organisation,
        rows=[["prénom", "nom", "n"], ["Ana", "Pop", "901"], ["Ana", "Pop", "902"]],
        columns={"first_name": 0, "last_name": 1, "number": 2},
        created_at=club.at,
        created_by=club.committee.user,
    )
    heads = ["joueur 1", "licence 1", "joueur 2", "licence 2"]
    draft = CompetitionDraft.objects.create(
        rating_list=club.rating_list("fisf", kind="fisf"),
        label="Tournoi",
        held_on=club.at.date(),
        facts={"sheet": "games"},
        rows=[heads, ["Ana Pop", "a 1", "Pop Ana", "B2"], ["Ana Pop", "", "Ion", ""]],
        choices={"ana pop": stays.pk},
        created_at=club.at,
        created_by=club.committee.user,
    )
    assert [line["line"] for line in data_of(Someone.of(gone))["clubs.MemberImport"]] == [
        ["Ana", "Pop", "901"]
    ]
    members.leave(member=gone, by=club.committee, at=club.at, forget=True)
    file.refresh_from_db()
    draft.refresh_from_db()
    assert file.rows[1:] == [["", "", ""], ["Ana", "Pop", "902"]]
    name = f"Joueur retiré {gone.number}"
    assert draft.rows[1:] == [[name, "a 1", "Pop Ana", "B2"], ["Ana Pop", "", "Ion", ""]]
    assert draft.choices == {f"joueur retire {gone.number}|A1": gone.pk, "ana pop": stays.pk}


def test_the_club_is_not_written_to_at_the_address_of_a_forgotten_founder(
    club, other_club, as_user
):
    founder, stays = club.members[:2]
    address = founder.user.email
    for one in (club, other_club):
        Organisation.objects.filter(pk=one.organisation.pk).update(contact_email=address.upper())
        PrivacySettings.objects.create(organisation=one.organisation, contact_email=address)
    members.leave(member=stays, by=club.committee, at=club.at, forget=True)
    reader = as_user(None)
    assert address.upper() in reader.get("/c/faizers/contact/").content.decode()
    members.leave(member=founder, by=club.committee, at=club.at, forget=True)
    for page in ("contact", "confidentialite"):
        answer = reader.get(f"/c/faizers/{page}/")
        assert answer.status_code == 200 and address not in answer.content.decode().lower()
    assert Organisation.objects.get(pk=other_club.organisation.pk).contact_email == address.upper()


def test_the_club_keeps_an_address_that_a_member_who_stays_has_too(club):
    gone, _stays = (club.join(name, "Pop", email="pop@example.org") for name in ("Ana", "Ion"))
    Organisation.objects.filter(pk=club.organisation.pk).update(contact_email="pop@example.org")
    members.leave(member=gone, by=club.committee, at=club.at, forget=True)
    assert Organisation.objects.get(pk=club.organisation.pk).contact_email == "pop@example.org"
