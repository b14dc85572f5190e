"""What pages and mails say where a committee chose other numbers than the document's."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
import time_machine
from django.core import mail

from pairings.arbitration.queue import queue
from pairings.evenings import pairing
from pairings.evenings.common import EveningRefused
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from tests.clubhouse import NOW, running_evening
from tests.printed_fields import Printed

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=1)


@pytest.fixture
def begin(club):
    """Close the evening, adopt other rules and open one with the first players of the club."""

    def open_with(values, players=2):
        club.close()
        club.at = LATER
        club.rule_book(values)
        people = club.members[:players]
        club.evening = running_evening(club.organisation, people, club.committee, club.at)
        return f"/c/{club.organisation.slug}/soirees/{club.evening.address}"

    with time_machine.travel(LATER, tick=False):
        yield open_with


def text_of(answer):
    return " ".join(answer.content.decode().replace("\u00a0", " ").split())


def test_an_entry_that_both_agreed_on_waits_for_nobody(club, begin):
    begin({"match": {"final_on_confirm": False}})
    match, (_one, other) = club.entered(*club.members[:2])
    assert [task.kind for task in queue(club.organisation, at=club.at)] == ["unanswered"]
    agreed = match_actions.confirm(match=match, by=other, at=club.at)
    assert (agreed.status, queue(club.organisation, at=club.at)) == ("submitted", [])


def test_a_forced_closing_does_not_say_that_who_confirmed_gave_no_answer(club, begin, as_user):
    address = begin({"match": {"final_on_confirm": False}})
    match, (_one, other) = club.entered(*club.members[:2])
    page = f"{address}/cloture/forcer/"
    arbiter = as_user(club.arbiter.user)
    assert "compte sans la réponse de l’adversaire" in text_of(arbiter.get(page))
    match_actions.confirm(match=match, by=other, at=club.at)
    shown = text_of(arbiter.get(page))
    assert "sans la réponse" not in shown and "confirmé par les deux" in shown


@pytest.mark.parametrize(
    ("seconds", "said"), [(60, "1 minute"), (300, "5 minutes"), (3600, "60 minutes")]
)
def test_the_time_to_answer_an_absence_is_that_of_the_rules(club, begin, as_user, seconds, said):
    begin({"match": {"contest_window_s": seconds}})
    match, (one, _other) = club.match(*club.members[:2])
    page = text_of(as_user(one.user).get(f"/c/faizers/matchs/{match.pk}/absence/"))
    assert f"{match.second} aura {said} pour répondre." in page


@pytest.mark.parametrize(
    ("bye_ds", "said"), [(None, "sans différence de score"), (0, "différence de score fixe")]
)
def test_a_bye_without_ds_says_so(club, begin, client, bye_ds, said):
    begin({"pairing": {"bye_ds": bye_ds}}, players=3)
    pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)
    bye = Match.objects.get(second=None)
    page = text_of(client.get(f"/c/faizers/matchs/{bye.pk}/"))
    assert f"3 PR, {said}, non coté." in page


def test_one_player_alone_is_exempted_and_no_table_is_called(club, begin, as_user):
    address = f"{begin({}, players=1)}/appariement/"
    arbiter = as_user(club.arbiter.user)
    seen = arbiter.get(address).context["seen"]
    page = text_of(arbiter.post(address, {"seen": seen}, follow=True))
    assert "L’exemption est notée ; aucune table n’est appelée." in page


def test_players_who_may_not_meet_again_are_not_told_to_be_two(club, begin, as_user):
    address = f"{begin({'pairing': {'allow_early_repeat': False}})}/appariement/"
    club.played(*club.members[:2])
    page = text_of(as_user(club.arbiter.user).get(address))
    assert "la revanche n’est pas encore permise" in page and "au moins deux" not in page
    with pytest.raises(EveningRefused, match="pas encore permise"):
        pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)
    club.match(*club.members[:2])


@pytest.mark.parametrize(
    ("rated", "said"), [(True, "et compte pour votre cote."), (False, "sans effet sur votre cote.")]
)
def test_the_mail_about_an_absence_says_whether_it_is_rated(club, begin, after_commit, rated, said):
    begin({"cote": {"rate_forfeits": rated}})
    match, _players = club.match(*club.members[:2])
    with after_commit():
        club.mark_absent(match, "b")
    assert said in mail.outbox[0].body


def test_a_match_that_began_and_has_no_result_is_not_called_missed(club, begin, after_commit):
    begin({"match": {"deadline_s": 3600}})
    match, (one, _other) = club.match(*club.members[:2])
    match_actions.start(match=match, by=one, at=club.at)
    with (
        time_machine.travel(NOW + timedelta(hours=2), tick=False),
        after_commit(),
    ):
        match_actions.lapse_due(at=NOW + timedelta(hours=2))
    bodies = [message.body for message in mail.outbox]
    assert len(bodies) == 2
    assert all("aucun résultat n’a été saisi à temps." in body for body in bodies)


@pytest.mark.parametrize(
    ("missed", "said"), [(True, "depuis la dernière proposition"), (False, "à votre dernier match")]
)
def test_the_count_of_absences_is_of_the_last_match_or_begins_again(
    club, begin, as_user, missed, said
):
    """After a proposal nothing is said of matches before it: one of them was missed."""
    begin({"pairing": {"absence_limit": 1, "absence_window": 1}})
    match, (one, _other) = club.match(*club.members[:2])
    if missed:
        club.mark_absent(match, "a")
    page = text_of(as_user(one.user).get("/c/faizers/moi/absences/"))
    assert f"Aucune absence non justifiée {said}" in page
    assert "1 dernier match" not in page


def test_the_facts_of_a_sanction_count_the_matches_that_they_show(club, begin, desk):
    begin({"pairing": {"absence_limit": 2, "absence_window": 2}}, players=3)
    for other in club.members[1:3]:
        match, (one, _other) = club.match(club.members[0], other)
        club.mark_absent(match, "a")
        club.check_in(one.member)
    sanction = one.member.sanctions.get()
    page = text_of(desk.get(f"/c/faizers/arbitrage/sanctions/{sanction.pk}/"))
    assert "2 absences non justifiées sur les 2 derniers matchs" in page


def test_the_rules_in_force_say_which_version_tonight_keeps(club, client):
    """Adopted while an evening runs, they count from the next one on."""
    address = "/c/faizers/regles/"
    assert "soirée en cours" not in text_of(client.get(address))
    first = club.rule_book({"match": {"contest_window_s": 60}})
    page = text_of(client.get(address))
    assert "La soirée en cours garde les valeurs du règlement" in page
    club.close()
    assert "soirée en cours" not in text_of(client.get(address))
    club.next_evening()
    assert "soirée en cours" not in text_of(client.get(address))
    club.rule_book({"match": {"contest_window_s": 120}}, at=NOW)
    page = text_of(client.get(address))
    assert f"La soirée en cours garde la version {first.number}" in page
    assert "soirée en cours garde" not in text_of(client.get(f"{address}{first.number}/"))


@pytest.mark.parametrize(
    ("percent", "rounds", "cut"),
    [("12.5", 100, "12.50"), (1 / 3, 0, "0.33"), (99, 0, "99"), (0, 1, None)],
)
def test_a_proposal_is_imposed_as_its_page_prints_it(club, begin, desk, percent, rounds, cut):
    """A half of a percent was printed as 25/2, and 100 evenings were more than the form takes."""
    numbers = {"rating_cut_percent": percent, "suspension_rounds": rounds}
    begin({"pairing": {"absence_limit": 1, "absence_window": 1, **numbers}})
    match, (one, _other) = club.match(*club.members[:2])
    club.mark_absent(match, "a")
    sanction = one.member.sanctions.get()
    address = f"/c/faizers/arbitrage/sanctions/{sanction.pk}/"
    printed = Printed(desk.get(address), "id_cut_percent").attributes["value"]
    sent = {"sessions": rounds, "cut_percent": printed, "reason": "vote", "impose": "1"}
    assert desk.post(address, sent).status_code == 302
    sanction.refresh_from_db()
    assert (sanction.status, sanction.suspended_evenings) == ("imposed", rounds or None)
    assert sanction.cut_percent == (None if cut is None else Decimal(cut))


def test_halves_and_thirds_of_a_pr_are_read_as_decimals(club, begin, as_user, client):
    """They were printed as fractions: 5/2 PR."""
    begin({"pairing": {"pr_win": 2.5, "pr_loss": 1 / 3}})
    match, (one, other) = club.entered(*club.members[:2])
    confirm = text_of(as_user(other.user).get(f"/c/faizers/matchs/{match.pk}/confirmer/"))
    assert "+0,33 PR" in confirm
    match_actions.confirm(match=match, by=other, at=club.at)
    ranking = text_of(client.get("/c/faizers/classement/"))
    assert "2,50" in ranking and "0,33" in ranking
    club.close()
    pages = [
        *("classement/", f"matchs/{match.pk}/", f"soirees/{club.evening.address}/"),
        *(f"soirees/{club.evening.address}/ecran/", "joueurs/"),
    ]
    texts = [text_of(client.get(f"/c/faizers/{page}")) for page in pages]
    texts.append(text_of(as_user(one.user).get("/c/faizers/ma-soiree/")))
    assert not [text for text in texts if "5/2" in text or "1/3 PR" in text]
