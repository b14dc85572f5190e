"""The answer to a late confirmation: who did what and when, with correct names and states."""

from __future__ import annotations

import re
from datetime import timedelta
from io import BytesIO

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from PIL import Image

from clubs.members import pins
from clubs.templatetags.ui import status_tag
from clubs.ui.french import is_elided, victory_of
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_state import Result, Status

pytestmark = pytest.mark.django_db
VERSION = re.compile(r'name="version" value="(\d+)"')
SCORES = {"mine": "351", "theirs": "400"}


@pytest.fixture
def sent(club):
    match, (one, other) = club.entered()
    return match, one, other


def late_yes(club, as_user, match, by, version, minutes=2, status=409) -> str:
    """Return the page's message to a late confirmation of the version that was read."""
    with time_machine.travel(club.at + timedelta(minutes=minutes), tick=False):
        answer = as_user(by.user).post(
            reverse("pairings:result_confirm", kwargs={"match_id": match.pk}),
            {"version": version},
            follow=status == 200,
        )
    assert answer.status_code == status
    return " ".join(answer.content.decode().split())


def test_a_yes_after_the_arbiters_decision_names_the_arbiter_and_the_hour(club, as_user, sent):
    match, _one, other = sent
    match.refresh_from_db()
    version = match.version
    match_actions.contest(match=match, by=other, at=club.at, words="faux")
    decided = Match.objects.get(pk=match.pk)
    club.decide(decided, Result("played", 400, 340), "relu", at=club.at + timedelta(minutes=1))
    page = late_yes(club, as_user, match, other, version)
    assert "L’arbitre a décidé de ce résultat à 20:01" in page
    assert "vient de changer d’état" not in page
    assert "Demander une correction au comité" in page


def test_a_second_yes_says_since_when_it_stands(club, as_user, sent):
    match, _one, other = sent
    version = Match.objects.get(pk=match.pk).version
    match_actions.confirm(match=match, by=other, at=club.at)
    page = late_yes(club, as_user, match, other, version, status=200)
    assert "Ce résultat est déjà confirmé depuis 20:00" in page
    assert "Erreur" not in page and "alert" not in page, "nothing went wrong: both say the same"
    assert "Demander une correction au comité" in page


def test_a_yes_after_ones_own_contest_says_that_the_arbiter_has_it(club, as_user, sent):
    match, _one, other = sent
    match.refresh_from_db()
    version = match.version
    match_actions.contest(match=match, by=other, at=club.at, words="faux")
    page = late_yes(club, as_user, match, other, version)
    assert "Vous avez contesté ce résultat à 20:00" in page


def test_a_yes_after_the_window_that_the_sweep_ended_says_the_hour(club, as_user, sent):
    match, _one, other = sent
    match.refresh_from_db()
    match_actions.lapse_due(at=match.contest_until + timedelta(seconds=58))
    page = late_yes(club, as_user, match, other, match.version, minutes=6, status=200)
    assert "Erreur" not in page
    assert "Le délai a pris fin à 20:05" in page and "a changé depuis" not in page
    assert "Demander une correction au comité" in page


def test_a_yes_to_scores_that_were_corrected_meanwhile_asks_to_read_them_again(club, as_user, sent):
    match, one, other = sent
    version = Match.objects.get(pk=match.pk).version
    match_actions.submit(match=match, by=one, scores=(401, 350), at=club.at)
    page = late_yes(club, as_user, match, other, version, minutes=1)
    assert "Ce résultat a changé depuis que vous l’avez lu" in page and "401" in page


def test_a_yes_to_other_scores_than_those_that_became_final_is_refused(club, as_user, sent):
    match, one, other = sent
    version = Match.objects.get(pk=match.pk).version
    match_actions.submit(match=match, by=one, scores=(401, 350), at=club.at)
    match_actions.confirm(match=match, by=other, at=club.at)
    page = late_yes(club, as_user, match, other, version)
    assert "Ce résultat est déjà confirmé depuis 20:00" in page and "Erreur" in page


def test_a_yes_to_an_absence_that_silence_confirmed_says_since_when_it_stands(club, as_user):
    match, (one, other) = club.match()
    called = club.at + timedelta(minutes=15)
    match_actions.claim_absence(match=match, by=one, at=called)
    address = reverse("pairings:absence_report", kwargs={"match_id": match.pk})
    with time_machine.travel(called + timedelta(minutes=6), tick=False):
        answer = as_user(other.user).post(address, {"agree": "1"}, follow=True)
    page = " ".join(answer.content.decode().split())
    assert answer.status_code == 200 and "Erreur" not in page
    assert "Le délai a pris fin à 20:20" in page


def test_a_refusal_of_no_field_is_not_titled_as_something_to_correct(club, as_user, sent):
    match, one, other = sent
    address = reverse("pairings:result_enter", kwargs={"match_id": match.pk})
    page = as_user(one.user).post(address, {"mine": "500"}).content.decode()
    assert "À corriger" in page and "Ce n’est pas possible" not in page
    match_actions.confirm(match=match, by=other, at=club.at)
    page = as_user(one.user).post(address, {"mine": "500", "theirs": "1"}).content.decode()
    assert "Ce n’est pas possible" in page and "À corriger" not in page


def test_who_notices_a_mistake_after_both_confirmed_reads_when_that_was(club, as_user, sent):
    match, one, other = sent
    with time_machine.travel(club.at + timedelta(minutes=1), tick=False):
        match_actions.confirm(match=match, by=other, at=club.at + timedelta(minutes=1))
    address = reverse("pairings:result_dispute", kwargs={"match_id": match.pk})
    with time_machine.travel(club.at + timedelta(minutes=2), tick=False):
        page = " ".join(as_user(one.user).get(address).content.decode().split())
    assert "Ce résultat est déjà confirmé depuis 20:01" in page and "20:05" not in page
    assert "Votre demande ira au comité" in page


def test_a_contest_that_comes_too_late_says_so_and_what_became_of_it(club, as_user, sent):
    match, _one, other = sent
    match.refresh_from_db()
    address = reverse("pairings:result_dispute", kwargs={"match_id": match.pk})
    given = {"subject": "score", "words": "faux", "version": match.version, **SCORES}
    with time_machine.travel(club.at + timedelta(minutes=6), tick=False):
        drawn = BytesIO()
        Image.new("RGB", (40, 40)).save(drawn, "PNG")
        photo = SimpleUploadedFile("feuille.png", drawn.getvalue(), content_type="image/png")
        answer = as_user(other.user).post(address, {**given, "photo": photo}, follow=True)
    page = " ".join(answer.content.decode().split())
    assert "Le délai a pris fin à 20:05" in page
    assert "Votre demande est transmise au comité." in page
    assert "La photo n’est pas jointe" in page


def test_a_photo_is_asked_for_again_where_the_scores_are_refused(club, as_user, sent):
    match, _one, other = sent
    match.refresh_from_db()
    address = reverse("pairings:result_dispute", kwargs={"match_id": match.pk})
    photo = SimpleUploadedFile("feuille.png", b"any", content_type="image/png")
    given = {"subject": "score", "mine": "many", "theirs": "", "version": match.version}
    with time_machine.travel(club.at + timedelta(minutes=2), tick=False):
        answer = as_user(other.user).post(address, {**given, "photo": photo})
    assert answer.status_code == 422
    assert "Choisissez ce fichier encore une fois" in answer.content.decode()


def test_both_versions_of_a_contested_score_have_a_heading(club, as_user, sent):
    match, one, other = sent
    match_actions.contest(match=match, by=other, at=club.at, words="faux", scores=(351, 400))
    for reader, address in [
        (one, reverse("pairings:my_evening")),
        (club.arbiter, reverse("pairings:match_judge", kwargs={"match_id": match.pk})),
    ]:
        page = as_user(reader.user).get(address, follow=True).content.decode()
        titles = re.findall(r'class="version[^>]*>\s*<div[^>]*><(\w+)', page)
        assert titles == ["h3", "h3"], address


def test_a_match_decided_by_the_arbiter_says_so(club, sent):
    match, _one, other = sent
    match.refresh_from_db()
    match_actions.contest(match=match, by=other, at=club.at, words="faux")
    club.decide(Match.objects.get(pk=match.pk), Result("played", 400, 350), "relu")
    match.refresh_from_db()
    assert "décidé par l’arbitre" in status_tag(match.status, match.how)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Amélie", "Victoire d’Amélie"),
        ("Élie", "Victoire d’Élie"),
        ("Œhler", "Victoire d’Œhler"),
        ("Hélène", "Victoire d’Hélène"),
        ("Yves", "Victoire d’Yves"),
        ("Yasmine", "Victoire de Yasmine"),
        ("Karim", "Victoire de Karim"),
    ],
)
def test_de_is_elided_before_a_vowel(name, words):
    assert victory_of(name) == words
    assert is_elided(name) is ("’" in words)


def test_a_field_says_facultatif_once_and_never_when_it_is_needed(club, as_user):
    chair = as_user(club.committee.user)
    page = chair.get("/c/faizers/gestion/membres/nouveau/").content.decode()
    assert page.count("(facultatif)") == 3  # the name, the address, the number
    match, _players = club.match()
    page = as_user(club.arbiter.user).get(
        reverse("pairings:match_judge", kwargs={"match_id": match.pk})
    )
    assert page.status_code == 200 and "(facultatif)" not in page.content.decode()


def test_the_other_player_contests_on_the_same_phone_with_their_code(club, as_user, sent):
    match, one, other = sent
    pins.set_pin(member=other.member, pin="4821", by=other, at=club.at)
    address = reverse("pairings:result_pin", kwargs={"match_id": match.pk})
    version = Match.objects.get(pk=match.pk).version
    with time_machine.travel(club.at, tick=False):
        phone = as_user(one.user)
        assert "?non=1" in phone.get(address).content.decode()
        assert "Non, je conteste" in phone.get(f"{address}?non=1").content.decode()
        wrong = phone.post(f"{address}?non=1", {"pin": "0000", "version": version, **SCORES})
        assert wrong.status_code == 422
        match.refresh_from_db()
        assert match.status == "submitted"
        assert (
            phone.post(
                f"{address}?non=1", {"pin": "4821", "version": version, **SCORES}
            ).status_code
            == 302
        )
    match.refresh_from_db()
    assert match.status == "contested"
    assert match.contests.get().opened_by == other.member


def test_a_late_entry_says_who_decided_at_which_hour_and_what_can_be_done(club, as_user, sent):
    match, one, other = sent
    match_actions.confirm(match=match, by=other, at=club.at)
    address = reverse("pairings:result_enter", kwargs={"match_id": match.pk})
    answer = as_user(one.user).post(address, {"mine": "500", "theirs": "1"})
    page = " ".join(answer.content.decode().split())
    assert answer.status_code == 422 and "500" in page
    assert "Ce résultat est déjà confirmé depuis 20:00" in page
    assert reverse("pairings:result_dispute", kwargs={"match_id": match.pk}) in page
    # Nothing says what these scores would bring, nor takes a photo that goes nowhere.
    assert "data-score-live" not in page and "Joindre la feuille de match" not in page


def test_a_late_code_on_the_same_phone_says_what_happened(club, as_user, sent):
    match, one, other = sent
    match_actions.confirm(match=match, by=other, at=club.at)
    address = reverse("pairings:result_pin", kwargs={"match_id": match.pk})
    phone = as_user(one.user)
    answer = phone.post(address, {"pin": "4821", "version": 1}, follow=True)
    assert "Ce résultat est déjà confirmé depuis 20:00" in answer.content.decode()
    assert "Demander une correction au comité" in answer.content.decode()


@pytest.mark.parametrize("where", ["result_dispute", "result_pin"])
def test_an_answer_to_scores_corrected_meanwhile_is_read_again_and_then_sent(
    club, as_user, sent, where
):
    """The page shows the new scores; its button sends the answer to these."""
    match, one, other = sent
    pins.set_pin(member=other.member, pin="4821", by=other, at=club.at)
    reader = other if where == "result_dispute" else one
    page = reverse(f"pairings:{where}", kwargs={"match_id": match.pk})
    given = {"subject": "score", "pin": "4821", **SCORES}
    with time_machine.travel(club.at, tick=False):
        phone = as_user(reader.user)
        read = VERSION.search(phone.get(page).content.decode())[1]
        match_actions.submit(match=match, by=one, scores=(401, 350), at=club.at)
        again = phone.post(page, {**given, "version": read})
        shown = again.content.decode()
        assert again.status_code == 422 and "a changé depuis que vous l’avez lu" in shown
        assert "401" in shown
        assert phone.post(page, {**given, "version": VERSION.search(shown)[1]}).status_code == 302
    match.refresh_from_db()
    assert match.status == (Status.CONTESTED if reader is other else Status.FINAL)


@pytest.mark.parametrize(
    ("days", "since"), [(0, "depuis 20:00."), (11, "depuis 20:00 (20 novembre 2026).")]
)
def test_since_when_a_result_is_final_has_its_day_on_a_later_one(club, as_user, days, since):
    recorded = club.record(club.match()[0], Result("played", 400, 300))
    with time_machine.travel(club.at + timedelta(days=days, minutes=10), tick=False):
        page = as_user(recorded.first.user).get(f"/matchs/{recorded.pk}/contester/", follow=True)
    assert f"Ce résultat est définitif {since}" in " ".join(page.content.decode().split())
