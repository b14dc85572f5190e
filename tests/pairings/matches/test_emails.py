"""Mail to players about a noted absence and about a decision on their match."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core import mail

from clubs.members import actions as members
from clubs.notifications import outbox
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.matches.refusals import ResultRefused
from pairings.rules.match_state import Result
from ratings.ledger.models import StandingCote

pytestmark = pytest.mark.django_db


def told() -> list[str]:
    return sorted(message.to[0] for message in mail.outbox)


def test_the_absent_player_is_told_once_and_how_to_explain(club, after_commit):
    match, (_a, b) = club.match()
    with after_commit():
        club.mark_absent(match, "b")
    assert told() == [b.user.email]
    (message,) = mail.outbox
    assert "/moi/absences/" in message.body and match.first.full_name in message.body
    assert "forfait" in message.body


def test_a_justified_absence_does_not_ask_for_a_reason(club, after_commit):
    match, _players = club.match()
    with after_commit():
        club.mark_absent(match, "a", justified=True)
    assert "/moi/absences/" not in mail.outbox[0].body


def test_both_absent_are_both_told(club, after_commit):
    match, (a, b) = club.match()
    with after_commit():
        club.mark_absent(match, "both")
    assert told() == sorted([a.user.email, b.user.email])


def test_a_claim_tells_nobody_before_it_is_in_force(club, after_commit):
    match, (a, b) = club.match()
    later = club.at + timedelta(minutes=16)
    with after_commit():
        match_actions.claim_absence(match=match, by=a, at=later)
    assert mail.outbox == []
    with after_commit():
        match_actions.lapse(match=match, at=later + timedelta(minutes=6))
    assert told() == [b.user.email]


def contested(club):
    match, (a, b) = club.contested()
    return match, (a, b)


def test_both_players_get_the_decision_with_its_reason(club, after_commit):
    match, (a, b) = contested(club)
    with after_commit():
        club.decide(match, Result("played", 390, 350), "La feuille dit 390.")
    assert told() == sorted([a.user.email, b.user.email])
    for message in mail.outbox:
        assert "390" in message.body and "La feuille dit 390." in message.body
        assert f"/matchs/{match.pk}/" in message.body


def test_each_player_reads_their_own_before_and_after(club, after_commit):
    match, (a, b) = contested(club)
    with after_commit():
        club.decide(match, Result("played", 340, 350), "x")
    by_reader = {message.to[0]: message.body for message in mail.outbox}
    assert "400\u00a0–\u00a0350 → 340\u00a0–\u00a0350" in by_reader[a.user.email]
    assert "350\u00a0–\u00a0400 → 350\u00a0–\u00a0340" in by_reader[b.user.email]
    assert "PR 3 → 1" in by_reader[a.user.email] and "PR 1 → 3" in by_reader[b.user.email]
    assert re.search(r"Cote \d+ → \d+", by_reader[a.user.email])


@pytest.mark.parametrize("has_begun", [True, False])
def test_both_players_hear_of_a_match_that_is_taken_away_once_it_was_begun(
    club, after_commit, as_user, has_begun
):
    match, (a, b) = club.match()
    if has_begun:
        match_actions.submit(match=match, by=a, scores=(428, 392), at=club.at)
    match.refresh_from_db()
    with after_commit():
        match_actions.cancel(match=match, reason="La salle ferme.", by=club.arbiter, at=club.at)
    assert told() == (sorted([a.user.email, b.user.email]) if has_begun else [])
    assert has_begun == bool(mail.outbox)
    names = f"{match.first} – {match.second}\nmatch annulé"
    assert all(names in message.body for message in mail.outbox)
    assert all("La salle ferme." in message.body for message in mail.outbox)
    page = as_user(b.user).get("/ma-soiree/").content.decode()
    assert "retiré par l’arbitre" in page and match.get_absolute_url() in page
    assert "Vous attendez un adversaire" in page


def test_a_correction_after_the_closing_tells_the_cote_before_and_after(club, after_commit):
    match, (a, _b) = club.played()
    club.close()
    before = StandingCote.objects.get(member=a.member).shown
    with after_commit():
        club.correct(Match.objects.get(pk=match.pk), Result("played", 300, 350), "Feuille relue")
    after = StandingCote.objects.get(member=a.member).shown
    by_reader = {message.to[0]: message.body for message in mail.outbox}
    assert before != after and f"Cote {before} → {after}" in by_reader[a.user.email]


def test_each_reads_it_in_their_own_language(club, after_commit):
    match, (a, b) = contested(club)
    b.user.language = "en"
    b.user.save(update_fields=["language"])
    with after_commit():
        club.decide(match, Result("cancelled"), "x")
    by_reader = {message.to[0]: message for message in mail.outbox}
    assert by_reader[a.user.email].subject.endswith("20 novembre 2026")
    assert by_reader[b.user.email].subject.endswith(("20 November 2026", "November 20, 2026"))


def test_a_confirmed_result_and_a_refused_decision_send_nothing(club, after_commit):
    match, (a, b) = club.match()
    with after_commit():
        match_actions.submit(match=match, by=a, scores=(400, 350), at=club.at)
        match_actions.confirm(match=match, by=b, at=club.at)
    with after_commit(), pytest.raises(ResultRefused):
        club.correct(match, Result("played", 1, 2), "")
    assert mail.outbox == []


def test_a_member_without_an_address_or_who_left_gets_none(club, after_commit):
    match, (a, b) = contested(club)
    a.user.email = ""
    a.user.save(update_fields=["email"])
    members.leave(member=b.member, by=club.committee, at=club.at, forget=False)
    with after_commit():
        club.decide(match, Result("cancelled"), "x")
    assert mail.outbox == []


def test_a_generated_club_writes_to_nobody(club, after_commit):
    match, _players = club.match()
    with after_commit():
        match_actions.mark_absent(
            match=match,
            absent="both",
            justified=False,
            by=replace(club.arbiter, origin="demo"),
            at=club.at,
        )
    assert mail.outbox == []


def test_in_silence_even_the_clocks_own_acts_write_to_nobody(club, after_commit):
    match, (a, _b) = club.match()
    later = club.at + timedelta(minutes=16)
    match_actions.claim_absence(match=match, by=a, at=later)
    with after_commit() as left, outbox.silence():
        match_actions.lapse(match=match, at=later + timedelta(minutes=6))
    assert left == [] and mail.outbox == []
    other, _players = club.match()
    with after_commit():
        club.mark_absent(other, "b")
    assert len(mail.outbox) == 1
