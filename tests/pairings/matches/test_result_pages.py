"""What the pages of a result hold: numeric fields, two answers, the hour of a window that is over."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from pairings.matches import actions as match_actions

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


def test_a_result_to_confirm_has_the_readers_score_first_two_answers_and_no_field(club, as_user):
    match, (one, other) = club.match()
    match_actions.submit(match=match, by=one, scores=(400, 350), at=club.at)
    with time_machine.travel(club.at, tick=False):
        page = main_of(as_user(other.user), "result_confirm", match)
    assert re.findall(r'score-card__score">(\d+)<', page) == ["350", "400"]
    assert set(re.findall(r'<input[^>]*type="([^"]*)"', page)) == {"hidden"}
    assert "<textarea" not in page and "<select" not in page
    answers = re.findall(r'class="btn [^"]*btn--big[^"]*"', page)
    assert len(answers) == 2 and page.count("btn--primary") == 1


def test_a_contest_after_the_window_says_its_hour_and_goes_to_the_committee(club, as_user):
    match, (one, other) = club.match()
    match_actions.submit(match=match, by=one, scores=(400, 350), at=club.at)
    late = club.at + timedelta(minutes=6)
    match_actions.lapse_due(at=late)
    with time_machine.travel(late, tick=False):
        page = main_of(as_user(other.user), "result_dispute", match)
    assert "Le délai s’est terminé à 20:05" in page and "Envoyer au comité" in page
