"""Before somebody asks to be forgotten, they read what stays and why; the committee reads where."""

from __future__ import annotations

import pytest
from django.apps import apps

from clubs.journal import chain as journal
from clubs.members.models import Member
from clubs.personal_data.register import Fate, Someone, leads_to
from clubs.personal_data.remains import kept, mentions
from clubs.registries import PERSONAL_DATA
from clubs.sanctions import actions as sanctions
from pairings.matches import actions as matches
from pairings.rules.match_state import Result

pytestmark = pytest.mark.django_db
WRITTEN = sorted(label for label, held in PERSONAL_DATA.items() if held.written)


@pytest.fixture
def eloise(club) -> Member:
    """Somebody whose name has an accent, and is also the start of another word."""
    Member.objects.filter(pk=club.members[0].pk).update(first_name="Éloïse", last_name="Noël")
    return Member.objects.get(pk=club.members[0].pk)


def play(club, member, *, contested: str) -> None:
    match, (_a, b) = club.entered(member, club.members[1])
    match = matches.contest(match=match, by=b, at=club.at, words=contested, scores=(1, 2))
    contest = match.contests.get()
    matches.decide(
        match=match,
        result=Result("played", 400, 350),
        reason="La feuille de Mme NOËL fait foi",
        by=club.arbiter,
        at=club.at,
    )
    assert contest.words == contested


def test_the_texts_with_the_name_are_found_whole_and_in_their_club_alone(club, other_club, eloise):
    play(club, eloise, contested="Éloïse Noël a compté deux fois")
    refused = sanctions.propose(
        member=club.members[2], trigger_key="x", grounds={}, by=club.committee, at=club.at
    )
    sanctions.dismiss(
        sanction=refused, reason="Avant Noëlle et Nom1, rien", by=club.committee, at=club.at
    )
    elsewhere = sanctions.propose(
        member=other_club.members[0],
        trigger_key="x",
        grounds={},
        by=other_club.committee,
        at=club.at,
    )
    sanctions.dismiss(
        sanction=elsewhere, reason="Comme pour Noël", by=other_club.committee, at=club.at
    )
    found = mentions(Someone.of(eloise))
    words = {mention.words for mention in found}
    assert "Éloïse Noël a compté deux fois" in words
    assert "La feuille de Mme NOËL fait foi" in words
    assert not any("Noëlle" in text or "Comme pour" in text for text in words)
    assert all(mention.at == club.at for mention in found)


def test_a_published_ranking_is_found_as_a_document(club, eloise):
    play(club, eloise, contested="faux")
    club.close()
    club.publish_edition("Classement")
    documents = [mention for mention in mentions(Someone.of(eloise)) if not mention.words]
    assert [str(mention.title) for mention in documents] == [
        "Classements publiés : le nom du jour n’est plus affiché"
    ]


def test_a_journal_entry_that_holds_the_name_among_its_values_is_found_once(club, eloise):
    """As that of a tournament's ranking did before it kept numbers alone."""
    lines = [{"place": 1, "name": eloise.full_name}]
    journal.record(
        organisation=club.organisation,
        verb="tournament_closed",
        subject="tournament:1",
        by=club.committee,
        at=club.at,
        before={"lines": lines},
        after={"lines": lines},
    )
    (mention,) = mentions(Someone.of(eloise))
    assert (str(mention.title), mention.at, mention.words) == ("Journal du club", club.at, "")


def test_a_person_reads_before_they_ask_what_stays_and_why(club, eloise, as_user):
    client = as_user(eloise.user)
    bare = client.get("/moi/donnees/").content.decode()
    assert "Ce qui reste après l’oubli" in bare
    assert "Matchs et résultats" not in bare
    play(club, eloise, contested="Noël a compté deux fois")
    page = client.get("/moi/donnees/").content.decode()
    assert "Gardé sous « Joueur retiré »" in page
    for stays in ("Matchs et résultats", "Présences aux soirées", "Résultats saisis, sans photos"):
        assert f"<li>{stays}</li>" in page
    assert "compté deux fois" not in page  # another's words are the committee's to read
    assert "<li>Adresses e-mail du compte</li>" not in page  # goes
    why = {Fate.PSEUDONYM.label, Fate.RECORD.label}  # and not what is erased, as her session
    assert set(kept(Someone.of(eloise))) == why


def test_the_committee_reads_the_texts_on_the_page_of_the_member_when_it_asks(
    club, eloise, as_user
):
    play(club, eloise, contested="Noël a compté deux fois")
    desk, address = as_user(club.committee.user), f"/gestion/membres/{eloise.pk}/"
    assert "compté deux fois" not in desk.get(address).content.decode()
    page = desk.get(address, {"textes": "1"}).content.decode()
    assert "<q>Noël a compté deux fois</q>" in page
    assert as_user(club.arbiter.user).get(address, {"textes": "1"}).status_code == 403


@pytest.mark.parametrize("label", WRITTEN)
def test_the_texts_of_a_table_lead_to_their_organisation(label):
    held = PERSONAL_DATA[label]
    target = leads_to(apps.get_model(label), held.within)
    assert target is not None and target.__name__ == "Organisation"
    columns = {column.name for column in apps.get_model(label)._meta.concrete_fields}
    assert set(held.written) <= columns
