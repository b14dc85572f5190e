"""What a person's export says of the journal: their acts, those about them, and nobody else's."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO

import pytest

from clubs.members.models import Member
from clubs.personal_data import own_journal
from clubs.personal_data.export import data_of
from clubs.personal_data.register import Someone
from clubs.sanctions import actions as sanctions
from pairings.evenings.admission import presence
from pairings.matches import actions as match_actions
from pairings.players import merging

pytestmark = pytest.mark.django_db
REASON = (
    "Dispute avec Bob Bobcanari (Bobcanari-Petit, bob@example.org) ; Ada Adason prévient Martin"
)


@pytest.fixture
def pair(club):
    """Ada, whose export it is, and Bob, who hides his family name."""
    ada, bob = club.members[:2]
    rename(club, ada, "Ada", "Adason", email="ada@example.org")
    rename(club, bob, "Bob", "Bobcanari", visibility=Member.INITIALS)
    return ada, bob


def rename(club, member, first, last, **more):
    changes = {"first_name": first, "last_name": last, **more}
    club.edit(member, changes)
    member.refresh_from_db()


def lines_of(member):
    return data_of(Someone.of(member)).get("clubs.JournalEntry", [])


def verbs_of(member, **wanted):
    return [
        line["verb"]
        for line in lines_of(member)
        if all(line[name] == value for name, value in wanted.items())
    ]


def imposed(club, member, reason):
    case = sanctions.propose(
        member=member, trigger_key="x", grounds={}, by=club.committee, at=club.at
    )
    return sanctions.impose(
        sanction=case, reason=reason, appeal_days=7, by=club.committee, at=club.at
    )


def test_own_acts_and_acts_of_others_are_told_apart(club, pair):
    ada, bob = pair
    club.played(ada, bob)
    assert verbs_of(ada, by_you=True) == ["match_submit"]
    others = verbs_of(ada, by_you=False)
    assert {"member_created", "member_edited", "account_linked", "match_confirm"} <= set(others)
    roles = {line["role"] for line in lines_of(ada) if line["verb"] == "match_confirm"}
    assert roles == {"player"}


def test_an_act_on_another_row_that_names_them_is_theirs(club, pair):
    ada, bob = pair
    for member in pair:
        club.check_in(member)
    assert verbs_of(ada).count("checked_in") == verbs_of(bob).count("checked_in") == 1
    before = lines_of(ada)
    presence.go_home(evening=club.evening, member=bob, by=club.arbiter, at=club.at)
    assert lines_of(ada) == before != lines_of(bob)


def test_nothing_of_what_is_done_to_somebody_else_is_theirs(club, pair):
    ada, bob = pair
    before = lines_of(ada)
    rename(club, bob, "Bob", "Nouveaucanari")
    imposed(club, bob, "Trois absences")
    club.entered(bob, club.members[2])
    assert lines_of(ada) == before


def test_a_reason_is_given_without_hidden_names_and_addresses_of_others(club, pair):
    ada, bob = pair
    rename(club, club.members[2], "Jean", "Martin")
    imposed(club, ada, REASON)
    [line] = [one for one in lines_of(ada) if one["verb"] == "sanction_imposed"]
    assert line["reason"] == "Dispute avec Bob B. (B.-Petit, … ; Ada Adason prévient Martin"
    assert not line["by_you"]
    rename(club, bob, "Bob", "Adason")
    [line] = [one for one in lines_of(ada) if one["verb"] == "sanction_imposed"]
    assert "Ada Adason" in line["reason"], "their own name is theirs to read"


def test_what_an_opponent_wrote_about_their_match_is_not_given(club, pair):
    ada, bob = pair
    match, (_a, b) = club.entered(ada, bob)
    match_actions.contest(match=match, by=b, at=club.at, words="J’étais malade", scores=(300, 350))
    for member, reason in ((ada, ""), (bob, "J’étais malade")):
        [line] = [one for one in lines_of(member) if one["verb"] == "match_contest"]
        assert line["reason"] == reason
        assert line["by_you"] == (member == bob)


def test_acts_about_the_guest_they_were_are_theirs(club, pair):
    ada, _bob = pair
    guest = club.join("Adi", is_guest=True, by=club.arbiter)
    assert "member_guest" not in verbs_of(ada)
    merging.unite(guest=guest, into=ada, reason="Même personne", by=club.committee, at=club.at)
    assert {"member_guest", "member_merged"} <= set(verbs_of(ada))


def test_both_files_of_the_export_say_it(club, pair, as_user):
    """A sanction's own reason was told to its person as it is; see the table of sanctions."""
    ada, _bob = pair
    guest = club.join("Adi", is_guest=True, by=club.arbiter)
    merging.unite(guest=guest, into=ada, reason=REASON, by=club.committee, at=club.at)
    answer = as_user(ada.user).post("/moi/donnees/", {"export": "1"})
    archive = zipfile.ZipFile(BytesIO(answer.getvalue()))
    data, page = json.loads(archive.read("data.json")), archive.read("data.html").decode()
    [line] = [one for one in data["clubs.JournalEntry"] if one["verb"] == "member_merged"]
    assert set(line) == {"at", "verb", "role", "by_you", "reason"}
    assert (
        "<td>fusionne deux fiches d’une même personne</td>" in page
        and '<th scope="col">par vous</th>' in page
    )
    for name in archive.namelist():
        assert b"obcanari" not in archive.read(name) and b"bob@" not in archive.read(name)


def test_a_longer_journal_is_read_by_as_many_queries(club, pair, django_assert_num_queries):
    ada, _bob = pair
    someone = Someone.of(ada)
    imposed(club, ada, REASON)
    for number in range(30):
        rename(club, ada, "Ada", f"Adason{number}")
    # The club, requests by their address, the entries, the names that others hide.
    with django_assert_num_queries(4):
        entries = own_journal.lines(someone)
    assert len(entries) > 30
