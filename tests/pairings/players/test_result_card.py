"""Ma soirée after a result: what it changed, tonight's matches, both versions, a ruling."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from pairings.evenings import actions as evenings
from pairings.evenings.admission import presence
from pairings.evenings.models import CheckIn
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.ranking import live as live_ranking
from pairings.rules.match_state import Result
from ratings.ledger.models import LedgerEntry

pytestmark = pytest.mark.django_db
PAGE = "/c/faizers/ma-soiree/"


def card(as_user, member):
    answer = as_user(member.user).get(PAGE)
    return answer, " ".join(answer.content.decode().split())


def play(club, scores=(400, 350), pair=()):
    match, (one, other) = club.played(*pair, scores=scores)
    return match, one.member, other.member


def test_both_phones_show_what_the_result_changed_without_another_tap(club, as_user):
    _match, winner, loser = play(club)
    ranking = live_ranking.ranking(club.organisation, at=club.at, live=True)
    rows = {row.member.pk: row for row in ranking.rows}
    for member, mine, gained in ((winner, 400, "(+3)"), (loser, 350, "(+1)")):
        answer, html = card(as_user, member)
        row = rows[member.pk]
        assert answer.context["card"].state == "result"
        assert "Confirmé par vous deux" in html and f'score">{mine}<' in html
        assert f"{row.rank}<sup>" in html and gained in html
        assert f'projected">{row.projected}<' in html
        assert answer.context["cote_won"] == row.projected - row.cote
        assert f"/joueurs/{member.address}/ce-soir/" in html
        assert "Je peux rejouer" in html and "Je m’arrête là" in html


def test_a_loser_at_the_floor_reads_that_nothing_changes(club, as_user):
    _match, winner, loser = play(club)
    answer, html = card(as_user, loser)
    assert answer.context["cote_won"] == 0 and "(cote inchangée ce soir)" in html
    assert "Pourquoi ma cote reste la même" in html and "(= ce soir)" not in html
    profile = f"/c/faizers/joueurs/{loser.address}/"
    for page in (profile, profile + "ce-soir/"):
        words = " ".join(as_user(loser.user).get(page).content.decode().split())
        assert "Pourquoi la cote reste la même ce soir" in words and "Pourquoi =" not in words, page
    _answer, html = card(as_user, winner)
    assert "ce soir)" in html and "inchangée" not in html
    club.close()
    entry = LedgerEntry.objects.get(member=loser)
    page = as_user(loser.user).get(f"{profile}cote/{entry.pk}/")
    words = " ".join(page.content.decode().split())
    assert "Pourquoi la cote est restée la même le 20 novembre 2026" in words


def test_i_can_play_again_puts_the_card_away_and_keeps_the_match_in_the_list(club, as_user):
    match, winner, _loser = play(club)
    client = as_user(winner.user)
    with time_machine.travel(club.at + timedelta(minutes=1), tick=False):
        client.post(PAGE + "pret/")
        answer = client.get(PAGE)
    assert answer.context["card"].state == "waiting"
    assert [line.match.pk for line in answer.context["tonight"]] == [match.pk]
    assert CheckIn.objects.get(member=winner).waiting_since == club.at + timedelta(minutes=1)


def test_two_phones_of_one_player_show_the_same_and_a_late_tap_frees_nobody(club, as_user):
    _match, winner, _loser = play(club)
    first, second = as_user(winner.user), as_user(winner.user)
    assert [phone.get(PAGE).context["card"].state for phone in (first, second)] == ["result"] * 2
    with time_machine.travel(club.at + timedelta(minutes=1), tick=False):
        first.post(PAGE + "pret/")
        assert second.get(PAGE).context["card"].state == "waiting"
        called, _players = club.match(winner, club.members[4])
        answer = second.post(PAGE + "pret/", follow=True)  # its page still shows the button
        assert "Votre situation vient de changer" in answer.content.decode()
        assert [phone.get(PAGE).context["card"].match for phone in (first, second)] == [called] * 2


@pytest.mark.parametrize("state", ["called", "paused", "left", "last_games"])
def test_tonights_matches_stay_in_view_in_every_state(club, as_user, state):
    match, one, _other = play(club)
    by, named = club.player(one), {"evening": club.evening, "member": one, "at": club.at}
    if state == "called":
        club.used.clear()
        club.match(one, club.members[4])
    elif state == "paused":
        presence.pause(**named, by=by)
    elif state == "left":
        presence.go_home(**named, by=by)
    else:
        presence.ready_again(**named | {"at": club.at + timedelta(seconds=1)}, by=by)
        evenings.last_games(evening=club.evening, by=club.arbiter, at=club.at)
    answer, html = card(as_user, one)
    assert answer.context["card"].state == state
    assert "Vos matchs de ce soir" in html and match.get_absolute_url() in html
    assert "400 – 350" in html


def test_a_contested_match_shows_both_versions_to_both(club, as_user):
    match, (a, b) = club.entered()
    match_actions.contest(match=match, by=b, at=club.at, words="faux", scores=(390, 351))
    for reader, mine, theirs in (
        (a, ["400", "390"], ["350", "351"]),
        (b, ["350", "351"], ["400", "390"]),
    ):
        answer, html = card(as_user, reader.member)
        versions = answer.context["versions"]
        assert [str(v["lines"][0]["score"]) for v in versions] == mine
        assert [str(v["lines"][1]["score"]) for v in versions] == theirs
        assert all(line["differs"] for v in versions for line in v["lines"])
        assert all(f'score">{score}<' in html for score in mine + theirs)


def test_two_different_entries_at_once_show_both_versions(club, as_user):
    match, (a, b) = club.entered()
    match_actions.submit(match=Match.objects.get(pk=match.pk), by=b, scores=(400, 360), at=club.at)
    for reader in (a, b):
        answer, _html = card(as_user, reader.member)
        versions = answer.context["versions"]
        assert len(versions) == 2
        assert {line["score"] for v in versions for line in v["lines"]} == {400, 350, 360}


def test_a_contest_of_a_score_says_the_right_scores(club, as_user):
    match, (_a, b) = club.entered()
    page = f"/c/faizers/matchs/{match.pk}/contester/"
    body = {"subject": "score", "words": "faux", "version": match.version}
    answer = as_user(b.member.user).post(page, body)
    assert answer.status_code == 422 and "Saisissez le score." in answer.content.decode()
    assert "faux" in answer.content.decode()
    match.refresh_from_db()
    assert match.status == "submitted"
    assert (
        as_user(b.member.user).post(page, body | {"mine": "351", "theirs": "400"}).status_code
        == 302
    )
    match.refresh_from_db()
    assert match.status == "contested"


def test_a_match_that_is_not_over_is_contested_without_a_score(club, as_user):
    match, (_a, b) = club.entered()
    body = {"subject": "not_over", "version": match.version}
    page = f"/c/faizers/matchs/{match.pk}/contester/"
    assert as_user(b.member.user).post(page, body).status_code == 302
    match.refresh_from_db()
    assert (match.status, match.contests.get().subject) == ("contested", "not_over")


def ruled(club, result):
    match, (a, b) = club.entered()
    match_actions.contest(match=match, by=b, at=club.at, words="faux", scores=(340, 350))
    club.decide(Match.objects.get(pk=match.pk), result, "La feuille dit 340.")
    return match, a.member, b.member


def test_both_players_read_a_ruling_with_its_reason_and_their_own_before_and_after(club, as_user):
    _match, first, second = ruled(club, Result("played", 340, 350))
    expected = {
        first: (("400\u00a0–\u00a0350", "340\u00a0–\u00a0350"), (3, 1)),
        second: (("350\u00a0–\u00a0400", "350\u00a0–\u00a0340"), (1, 3)),
    }
    for member, (score, pr) in expected.items():
        answer, html = card(as_user, member)
        ruling = answer.context["ruling"]
        assert "La feuille dit 340." in html
        assert ruling.score == score and ruling.pr == pr
        before, after = ruling.cote
        assert (before > after) is (member == first) and before != after
        assert after == answer.context["row"].projected


def test_both_players_read_why_their_match_was_taken_away(club, as_user):
    _match, first, second = ruled(club, Result("cancelled"))
    for member in (first, second):
        answer, html = card(as_user, member)
        assert answer.context["card"].state == "waiting"
        assert "La feuille dit 340." in html and answer.context["ruling"].score is None


def test_before_a_ruling_stands_the_last_entry_of_who_entered_first(club, as_user):
    """Other matches have entries too, so that a match and its entries differ in their numbers."""
    _other, (x, _y) = other = club.match()
    for points in (300, 301, 302):
        match = Match.objects.get(pk=other[0].pk)
        match_actions.submit(match=match, by=x, scores=(points, 200), at=club.at)
    match, (a, b) = club.match()
    for points in (401, 400):
        match = Match.objects.get(pk=match.pk)
        match_actions.submit(match=match, by=a, scores=(points, 350), at=club.at)
    match_actions.submit(match=match, by=b, scores=(340, 350), at=club.at)
    decided, match = Result("played", 340, 350), Match.objects.get(pk=match.pk)
    club.decide(match, decided, "Lu.")
    shown = card(as_user, a.member)[0].context["ruling"]
    assert shown.score == ("400\u00a0–\u00a0350", "340\u00a0–\u00a0350")


def test_a_correction_shows_the_result_that_it_replaced(club, as_user):
    match, winner, _loser = play(club)
    club.correct(match, Result("played", 401, 402), "Relu.")
    answer, html = card(as_user, winner)
    assert answer.context["ruling"].pr == (3, 1) and "Relu." in html
    assert answer.context["ruling"].score == ("400\u00a0–\u00a0350", "401\u00a0–\u00a0402")


def test_a_result_without_answer_is_final_since_the_end_of_its_window(club, as_user):
    match, (one, other) = club.entered()
    ends = match.contest_until
    late = ends + timedelta(minutes=7)
    match_actions.lapse_due(at=late)
    with time_machine.travel(late, tick=False):
        for player in (one, other):
            _answer, html = card(as_user, player.member)
            assert "Définitif, sans réponse" in html
            assert f"Définitif depuis {timezone.localtime(ends):%H:%M}." in html
