"""What the pages of a result hold: numeric fields, two answers, the hour of a window that is over."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from pairings.arbitration.models import Contest
from pairings.evenings import pairing
from pairings.evenings.admission import presence
from pairings.evenings.models import CheckIn
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_state import Result

pytestmark = pytest.mark.django_db


def main_of(client, name: str, match) -> str:
    answer = client.get(reverse(f"pairings:{name}", kwargs={"match_id": match.pk}))
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split("<main")[1].split("</main>")[0].split())


def test_the_score_fields_ask_for_the_numeric_keypad(club, as_user):
    match, (one, _other) = club.match()
    page = main_of(as_user(one.user), "result_enter", match)
    fields = re.findall(r"<input[^>]*data-score=[^>]*>", page)
    assert len(fields) == 2
    assert all('type="text"' in field and 'inputmode="numeric"' in field for field in fields)


@pytest.mark.parametrize(
    ("scores", "warned"),
    [
        ("400 99", "Un score sous 100 est rare"),
        ("100 800", ""),
        ("801 400", "Un score au-dessus de 800 est rare"),
        ("350 350", "Match nul"),
        ("389 398", "Ce sont les scores de votre match précédent"),
        ("398 389", ""),
    ],
)
def test_a_rare_score_is_asked_about_once_before_it_is_sent(club, as_user, scores, warned):
    """Without a script nothing was said while typing; entry.js sends what it has said as `seen`."""
    club.played(*club.members[:2], scores=(389, 398))
    club.at += timedelta(minutes=30)
    match, (one, _other) = club.match(club.members[0], club.members[2])
    page, client = (
        reverse("pairings:result_enter", kwargs={"match_id": match.pk}),
        as_user(one.user),
    )
    mine, theirs = scores.split()
    body = {"mine": mine, "theirs": theirs, "key": "k"}
    if warned:
        asked = client.post(page, body)
        match.refresh_from_db()
        assert asked.status_code == 200 and match.status == "proposed"
        words = " ".join(asked.content.decode().split("<main")[1].replace("\u00a0", " ").split())
        assert warned in words and 'role="alert"' in words
        fields = dict(re.findall(r'name="(mine|theirs|seen)"[^>]*value="([^"]*)"', words))
        assert fields == {"mine": mine, "theirs": theirs, "seen": f"{mine}-{theirs}"}
        body |= fields
    assert client.post(page, body).status_code == 302
    match.refresh_from_db()
    assert (match.first_score, match.second_score) == (int(mine), int(theirs))


def test_a_game_without_rare_scores_asks_nothing_of_a_win_as_the_one_before(club, as_user):
    """Wins of 1 to 0 are alike: the question is of games whose scores hardly repeat."""
    club.played(*club.members[:2], scores=(1, 0))
    club.at += timedelta(minutes=30)
    match, (one, _other) = club.match(club.members[0], club.members[2])
    match.rule_book = club.rule_book({"match": {"usual_low": None, "usual_high": None}})
    match.save()
    page = reverse("pairings:result_enter", kwargs={"match_id": match.pk})
    client = as_user(one.user)
    assert "data-before" not in client.get(page).content.decode()
    assert client.post(page, {"mine": "1", "theirs": "0", "key": "k"}).status_code == 302


@pytest.mark.parametrize(("highest", "said"), [(1, True), (2, False), (2000, False)])
def test_a_game_won_1_to_0_says_which_scores_to_type(club, as_user, highest, said):
    match, (one, other) = club.match()
    match.rule_book = club.rule_book({"match": {"min_score": 0, "max_score": highest}})
    match.save()
    enter, contest = (
        reverse(f"pairings:result_{name}", kwargs={"match_id": match.pk})
        for name in ("enter", "dispute")
    )
    pages = [as_user(one.user).get(enter)]
    as_user(one.user).post(enter, {"mine": "1", "theirs": "0", "key": "k"})
    pages.append(as_user(other.user).get(contest))
    for page in pages:
        assert ("Victoire\u00a0: 1, défaite\u00a0: 0." in page.content.decode()) is said


@pytest.mark.parametrize(
    ("low", "high", "scores", "asked"),
    [
        (3, 9, "3 9", ""),
        (3, 9, "2 9", "Un score sous 3 est rare"),
        (3, 9, "3 10", "Un score au-dessus de 9 est rare"),
        (None, 9, "-200 9", ""),
        (3, None, "2000 3", ""),
    ],
)
def test_which_score_is_rare_is_said_by_the_rules_of_the_match(
    club, as_user, low, high, scores, asked
):
    match, (one, _other) = club.match()
    match.rule_book = club.rule_book({"match": {"usual_low": low, "usual_high": high}})
    match.save()
    page = reverse("pairings:result_enter", kwargs={"match_id": match.pk})
    live = main_of(as_user(one.user), "result_enter", match).split("data-score-live")[1]
    for name, value in (("low", low), ("high", high)):
        assert (f'data-{name}="{value}"' in live) is (value is not None)
    mine, theirs = scores.split()
    answer = as_user(one.user).post(page, {"mine": mine, "theirs": theirs, "key": "k"})
    assert answer.status_code == (200 if asked else 302)
    assert asked in answer.content.decode().replace("\u00a0", " ")


def test_a_rare_score_that_waited_on_a_phone_was_read_there(club, as_user):
    match, (one, _other) = club.match()
    page = reverse("pairings:result_enter", kwargs={"match_id": match.pk})
    body = {"mine": "400", "theirs": "40", "key": "k"}
    assert as_user(one.user).post(page, body, headers={"X-Outbox": "1"}).status_code == 302


@pytest.mark.parametrize("name", ["result_enter", "result_dispute"])
def test_a_wrong_score_is_named_in_the_summary_as_beside_its_field(club, as_user, name):
    match, (one, other) = club.match()
    reader = one
    if name == "result_dispute":
        match_actions.submit(match=match, by=one, scores=(400, 350), at=club.at)
        reader = other
    page = reverse(f"pairings:{name}", kwargs={"match_id": match.pk})
    body = {"mine": "12x", "theirs": "350", "subject": "score", "version": "1"}
    answer = as_user(reader.user).post(page, body)
    assert answer.status_code == 422
    words = " ".join(answer.content.decode().split())
    (field,) = re.findall(r'<input[^>]*data-score="mine"[^>]*>', words)
    assert 'value="12x"' in field and 'aria-invalid="true"' in field
    assert 'aria-describedby="id_mine_error"' in field and 'id="id_mine_error"' in words
    assert "autofocus" not in field  # the summary has it
    assert "Votre score : «" in words and '<label for="id_mine"> Votre score <' in words


def test_the_words_before_sending_carry_the_pr_of_the_rules_in_force(club, as_user):
    club.close()
    club.rule_book({"pairing": {"pr_win": 7, "pr_draw": 5, "pr_loss": 4}})
    club.next_evening()
    match, (one, other) = club.match()
    with time_machine.travel(club.at, tick=False):
        page = main_of(as_user(one.user), "result_enter", match)
    name = other.member.first_name
    assert dict(re.findall(r'data-detail-(\w+)="([^"]*)"', page)) == {
        "win": f"Vous : 7 PR et {{ds}} % de différence de score. {name} : 4 PR.",
        "loss": f"Vous : 4 PR. {name} : 7 PR et {{ds}} % de différence de score.",
        "draw": "5 PR chacun.",
    }


def test_a_result_to_confirm_has_the_readers_score_first_two_answers_and_no_field(club, as_user):
    match, (_one, other) = club.entered()
    with time_machine.travel(club.at, tick=False):
        page = main_of(as_user(other.user), "result_confirm", match)
    assert re.findall(r'score-card__score">(\d+)<', page) == ["350", "400"]
    assert set(re.findall(r'<input[^>]*type="([^"]*)"', page)) == {"hidden"}
    assert "<textarea" not in page and "<select" not in page
    answers = re.findall(r'class="btn [^"]*btn--big[^"]*"', page)
    assert len(answers) == 2 and page.count("btn--primary") == 1


def test_a_contest_after_the_window_says_its_hour_and_goes_to_the_committee(club, as_user):
    match, (_one, other) = club.entered()
    late = club.at + timedelta(minutes=6)
    match_actions.lapse_due(at=late)
    with time_machine.travel(late, tick=False):
        page = main_of(as_user(other.user), "result_dispute", match)
    assert "Le délai a pris fin à 20:05" in page and "Envoyer au comité" in page


@pytest.mark.parametrize(
    ("silence", "after"),
    [(True, "votre demande ira au comité."), (False, "l’arbitre tranche.")],
)
def test_the_page_to_contest_counts_down_and_says_what_comes_after(club, as_user, silence, after):
    if not silence:
        club.close()
        club.rule_book({"match": {"tacit_acceptance": False}})
        club.next_evening()
    match, (_one, other) = club.entered()
    with time_machine.travel(club.at + timedelta(minutes=4), tick=False):
        page = main_of(as_user(other.user), "result_dispute", match)
    (box,) = re.findall(r"<div [^>]*data-countdown .*?</div>", page)
    assert f'data-say-0="Le délai est terminé : {after}"' in box
    assert "data-again" not in box  # what is typed on it stays
    assert f'countdown__after">Le délai est terminé : {after}<' in page


def test_scores_that_come_after_the_end_lead_to_a_request_that_has_them(club, as_user):
    """Another button to send them could only be refused once more."""
    match, (_one, other) = club.entered()
    page = reverse("pairings:result_enter", kwargs={"match_id": match.pk})
    client = as_user(other.user)
    with time_machine.travel(club.at + timedelta(minutes=6), tick=False):
        answer = client.post(page, {"mine": "351", "theirs": "400", "key": "k"})
        assert answer.status_code == 409 or answer.status_code == 422
        words = " ".join(answer.content.decode().split())
        assert "Envoyer le résultat" not in words and "Signaler une absence" not in words
        (link,) = re.findall(r'href="([^"]*)"> Demander une correction', words)
        asked = client.get(link.replace("&amp;", "&")).content.decode()
    assert re.findall(r'<input[^>]*value="(\d+)"[^>]*data-score', asked) == ["351", "400"]


def test_a_player_reads_who_was_skipped_for_them_and_why(club, as_user):
    """First and last have met, so the first player's opponent is searched upwards."""
    first, second, third, last = four = club.members[:4]
    for one, other, scores in ((first, last, (400, 300)), (second, third, (350, 350))):
        club.played(one, other, scores=scores)
    CheckIn.objects.filter(evening=club.evening).exclude(member__in=four).update(state="left")
    run = pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)
    page = main_of(as_user(first.user), "match_why", run.matches.get(first=first, second=third))
    steps = re.findall("<li>(.*?)</li>", page.split("Les étapes")[1].split("</ol>")[0])
    assert len(steps) == 1 and steps[0].startswith(f"Pas {last.full_name} : déjà rencontré")


def test_what_an_arbiter_typed_about_a_pair_is_read_by_members_alone(club, as_user):
    one, other = club.members[:2]
    by_hand = {"first": one, "second": other, "reason": "Même voiture"}
    match = pairing.pair_by_hand(evening=club.evening, by=club.arbiter, at=club.at, **by_hand)
    assert "Même voiture" in main_of(as_user(one.user), "match_why", match)
    visitor = main_of(as_user(), "match_why", match)
    assert "Appariement choisi par l’arbitre." in visitor and "voiture" not in visitor


def test_the_history_names_the_day_where_another_one_begins(club, as_user):
    """A correction at 9:30 of the next day, after a result at 20:00, is not earlier than it."""
    match, (one, _other) = club.played()
    morning = club.at + timedelta(hours=13, minutes=30)
    for score, at in ((410, morning), (420, morning + timedelta(days=60))):
        result = Result("played", score, 350)
        club.correct(match, result, "r", at=at)
    page = main_of(as_user(one.user), "match", match)
    times = re.findall(r"<time [^>]*>(.*?)</time>", page.split('class="timeline"')[1])
    assert [" ".join(words.split()) for words in times][-3:] == [
        "20:00",
        "21 novembre, 09:30",
        "20 janvier 2027, 09:30",
    ]


@pytest.mark.parametrize("reader", ["match", "match_correct"])
def test_both_pages_name_the_versions_of_a_result_alike(club, as_user, reader):
    match, players = club.played()
    results = [
        Result("absent", absent="b"),
        Result("absent", absent="both"),
        Result("played", 410, 350),
    ]
    for result in results:
        club.correct(match, result, "Vu")
    page = main_of(as_user(club.arbiter.user), reader, match)
    versions = page.split("Versions du résultat")[1].split("</ol>")[0]
    words = [re.sub(r"<[^>]*>", " ", item).split() for item in versions.split("<li>")[1:]]
    day = ["20", "novembre", "2026,", "20:00", "Vu"]
    one, other = (str(player.member).split() for player in players)
    assert words[1:] == [
        ["forfait", "Absence", ":", *other, *day],
        ["annulé", "Absence", ":", *one[:-1], f"{one[-1]},", *other, *day],
        ["410", "–", "350", *day],
    ]


def test_the_page_of_a_bye_has_no_empty_history(club, as_user):
    leaver = club.members[3]
    presence.go_home(evening=club.evening, member=leaver, by=club.player(leaver), at=club.at)
    pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)
    bye = Match.objects.get(kind="bye")
    for page in ("match", "match_correct"):
        assert "Rien encore" not in main_of(as_user(club.arbiter.user), page, bye)
    played = Match.objects.filter(kind="", evening=club.evening).first()
    assert "Rien encore" in main_of(as_user(club.arbiter.user), "match", played)


def test_a_request_to_the_committee_waits_on_the_match_page_and_is_sent_once(club, as_user):
    match, _players = club.played(*club.members[:2], scores=(389, 398))
    match.refresh_from_db()
    loser, winner = as_user(match.first.user), as_user(match.second.user)
    page = reverse("pairings:result_dispute", kwargs={"match_id": match.pk})
    body = {"version": match.version, "subject": "other", "words": "Mal compté."}
    said = "Votre demande de correction attend la réponse du comité."
    assert said not in main_of(loser, "match", match)
    assert loser.post(page, body).status_code == 302
    again = loser.post(page, {**body, "words": "Encore."})
    assert again.status_code == 422 and "Encore." in again.content.decode()
    assert "Envoyer au comité" not in again.content.decode()  # it could not be sent
    assert Contest.objects.filter(match=match).count() == 1
    told = main_of(loser, "match", match)
    assert said in told and "Mal compté." in told and page not in told
    assert loser.get(page)["Location"] == match.get_absolute_url()
    other = main_of(winner, "match", match)  # may ask too
    assert said not in other and page in other
    assert winner.post(page, body).status_code == 302
    assert Contest.objects.filter(match=match).count() == 2


def test_the_scores_that_are_contested_are_not_taken_as_the_right_ones(club, as_user):
    """The arbiter had two versions of the match that were the same."""
    match, (one, other) = club.match()
    match_actions.submit(match=match, by=one, scores=(1, 0), at=club.at)
    page = reverse("pairings:result_dispute", kwargs={"match_id": match.pk})
    body = {"mine": "0", "theirs": "1", "subject": "score", "version": "1", "words": "Non."}
    answer = as_user(other.user).post(page, body)
    words = answer.content.decode().replace("\u00a0", " ")
    assert answer.status_code == 422 and "Ce sont les scores contestés" in words
    assert 'value="0"' in words and "Non." in words and not Contest.objects.exists()
    assert as_user(other.user).post(page, {**body, "subject": "not_over"}).status_code == 302


def test_every_page_of_a_contest_leads_back_without_contesting(club, as_user):
    """To the answer while there is one to give, else to the match: somebody was faster."""
    match, (one, other) = club.entered()
    page = reverse("pairings:result_dispute", kwargs={"match_id": match.pk})
    confirm = reverse("pairings:result_confirm", kwargs={"match_id": match.pk})
    link = 'class="link" href="{}"'.format
    asked = main_of(as_user(other.user), "result_dispute", match)
    assert "Envoyer à l’arbitre" in asked and "Vous avez jusqu’à 20:05 pour contester." in asked
    assert link(confirm) in asked and link(match.get_absolute_url()) not in asked
    match_actions.contest(match=match, by=other, at=club.at, words="faux")
    body = {"version": match.version, "subject": "other", "words": "C’est faux aussi."}
    refused = as_user(one.user).post(page, body)
    assert refused.status_code == 422
    kept = " ".join(refused.content.decode().split("<main")[1].split())
    assert "C’est faux aussi." in kept and "Envoyer à l’arbitre" not in kept
    assert "pour contester" not in kept
    assert link(match.get_absolute_url()) in kept and link(confirm) not in kept


def test_a_contest_is_read_after_the_ruling_with_its_scores_and_in_the_readers_language(
    club, as_user
):
    match, (_one, other) = club.entered()
    stored = {"words": "A score is wrong", "scores": (391, 350)}  # as older versions kept a subject
    match_actions.contest(match=match, by=other, at=club.at, **stored)
    match.contests.update(words="")
    result = Result("played", 400, 350)
    club.decide(match, result, "relue")
    page = as_user(match.second.user).get(f"/c/faizers/matchs/{match.pk}/").content.decode()
    assert "A score is wrong" not in page
    assert "Un score est faux" in page and "391 – 350" in page.replace("\u00a0", " ")
