"""Two of the committee for what is published: off by default, then nobody corrects alone."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from clubs.accounts.actor import COMMITTEE
from clubs.approvals import actions as approvals
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import pins
from clubs.members.models import RoleGrant
from pairings.matches import actions as match_actions
from pairings.matches.refusals import ResultRefused
from pairings.rules.match_state import Result
from ratings.competitions import actions as competitions
from ratings.competitions.files.headings import GAMES
from ratings.competitions.files.import_files import File
from ratings.ledger import corrections, settlement
from ratings.ledger.models import LedgerEntry, RatedGame
from tests.refusals import refused

pytestmark = pytest.mark.django_db

PIN = "2468"
DAY = date(2026, 9, 12)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def approver(club):
    """Another member of the committee, who has chosen a code."""
    other = club.members[1]
    members.grant(member=other, role=RoleGrant.COMMITTEE, by=club.committee, at=club.at)
    pins.set_pin(member=other, pin=PIN, by=club.committee, at=club.at)
    return other


def want_two(club, code):
    draft = club.draft_rules({"correction": {"second_person": True}}, code=code, at=LONG_AGO)
    club.adopt(
        draft,
        LONG_AGO + timedelta(days=1),
        reason="décidé ensemble",
        voted_by="le comité",
        at=LONG_AGO,
    )


@pytest.fixture
def game(club):
    """A FISF list with one rated game in its published edition."""
    held = club.rating_list("fisf")
    a, b = (str(member.number) for member in club.members[2:4])
    draft = competitions.draft(
        rating_list=held,
        file=File([["joueur 1", "joueur 2", "résultat"], [a, b, "1"]], "UTF-8"),
        file_name="x.csv",
        kind=GAMES,
        label="Coupe",
        held_on=DAY,
        facts={},
        by=club.committee,
        at=club.at,
    )
    period = competitions.bring(draft=draft, with_newcomers=True, by=club.committee, at=club.at)
    settlement.settle(period=period, by=club.committee, at=club.at)
    return RatedGame.objects.get(period=period)


def publish(club, held=None):
    return club.publish_edition("Liste", rating_list=held)


def correct(desk, club, game, **more):
    page = (
        f"/c/{club.organisation.slug}/gestion/cotes/{game.period.rating_list.slug}"
        f"/competitions/{game.period_id}/partie/{game.pk}/"
    )
    wish = {"result": "0", "first_score": "", "second_score": ""}
    shown = desk.post(page, {**wish, "act": "voir"})
    told = shown.context["told"]
    assert 'value="voir" formaction="#effect"' in shown.content.decode()
    assert 'id="effect"' in shown.content.decode()
    sent = {**wish, "act": "appliquer", "reason": "feuille relue", "seen": told["version"]}
    return desk.post(page, {**sent, **more})


def superseded():
    return LedgerEntry.objects.filter(supersedes__isnull=False).count()


def test_by_default_one_person_corrects_what_is_published(club, as_user, game, approver):
    publish(club, game.period.rating_list)
    assert correct(as_user(club.committee.user), club, game).status_code == 302
    assert superseded() == 2


def test_what_is_not_published_is_corrected_alone_even_then(club, as_user, game, approver):
    want_two(club, "fisf")
    assert correct(as_user(club.committee.user), club, game).status_code == 302
    assert superseded() == 2


def test_a_correction_without_its_reason_says_so_at_the_top_of_the_page(club, as_user, game):
    page = correct(as_user(club.committee.user), club, game, reason="").content.decode()
    assert " ".join(page.split("<title>")[1].split()).startswith("Erreur : Corriger")
    assert page.index("Ce champ est obligatoire.") < page.index("Ce que cela change")
    assert superseded() == 0


def test_a_published_list_is_corrected_by_two(club, as_user, game, approver):
    want_two(club, "fisf")
    publish(club, game.period.rating_list)
    desk = as_user(club.committee.user)
    own = club.committee.member.pk
    for given, wrong in (
        ({}, "approver"),
        ({"approver": approver.pk, "approver_pin": "0000"}, "approver_pin"),
        ({"approver": own, "approver_pin": PIN}, "approver"),
        ({"approver": club.members[5].pk, "approver_pin": PIN}, "approver"),
    ):
        answer = correct(desk, club, game, **given)
        assert answer.status_code == 422
        assert wrong in answer.context["approval"].errors
        assert "feuille relue" in answer.content.decode()
        assert "error-summary" in answer.content.decode()
    assert superseded() == 0
    answer = correct(desk, club, game, approver=approver.pk, approver_pin=PIN)
    assert answer.status_code == 302
    assert superseded() == 2
    line = JournalEntry.objects.get(verb="correction_seconded")
    assert (line.actor_id, line.reason) == (approver.user_id, "feuille relue")


def test_the_verb_refuses_a_correction_that_no_page_asked_two_for(club, game, approver):
    want_two(club, "fisf")
    held = game.period.rating_list
    publish(club, held)
    with refused("second_required"):
        settlement.apply(
            rating_list=held,
            correction=corrections.withdraw_game(game.period, game.source),
            by=club.committee,
            at=club.at,
            reason="seul",
        )
    assert superseded() == 0


@pytest.fixture
def match(club):
    match, _players = club.played(scores=(400, 300))
    club.close()
    match.refresh_from_db()
    return match


def judge(desk, club, match, **more):
    page = f"/c/{club.organisation.slug}/matchs/{match.pk}/corriger/"
    sent = {
        "version": match.version,
        "choice": "other",
        "first_score": "300",
        "second_score": "400",
        "reason": "feuille relue",
    }
    seen = desk.post(page, {**sent, "preview": "1"}).context["seen"]
    return desk.post(page, {**sent, "decide": "1", "seen": seen, **more})


def test_a_match_of_a_published_evening_is_corrected_by_two(club, as_user, match, approver):
    want_two(club, "faizers")
    publish(club)
    arbiter = club.arbiter
    refused = Result("played", 300, 400)
    with pytest.raises(ResultRefused) as refusal:
        match_actions.correct(match=match, result=refused, reason="seul", by=arbiter, at=club.at)
    assert refusal.value.code == "second_required"
    match.refresh_from_db()
    assert match.first_score == 400
    desk = as_user(arbiter.user)
    answer = judge(desk, club, match, approver=approver.pk, approver_pin="1111")
    assert answer.status_code == 422
    assert "approver_pin" in answer.context["approval"].errors
    page = answer.content.decode()
    assert "Erreur" in page.split("</title>")[0] and 'href="#id_approver_pin"' in page
    match.refresh_from_db()
    assert match.first_score == 400
    assert judge(desk, club, match, approver=approver.pk, approver_pin=PIN).status_code == 302
    match.refresh_from_db()
    assert (match.first_score, match.second_score) == (300, 400)
    line = JournalEntry.objects.get(verb="correction_seconded")
    assert (line.actor_id, line.role) == (approver.user_id, COMMITTEE)


def test_an_unpublished_evening_is_corrected_by_the_arbiter(club, match, approver):
    want_two(club, "faizers")
    result = Result("played", 300, 400)
    made = club.correct(match, result, "r")
    assert made.first_score == 300


@pytest.mark.parametrize(
    "who", ["player", "arbiter", "formerly", "left the club", "the same person", "another club"]
)
def test_nobody_but_another_member_of_the_committee_agrees(club, neighbours, approver, who):
    people = {
        "player": club.members[2],
        "arbiter": club.arbiter.member,
        "the same person": club.committee.member,
        "another club": neighbours.committee.member,
    }
    member = people.get(who, approver)
    if who == "formerly":
        members.withdraw_role(
            member=approver, role=RoleGrant.COMMITTEE, by=club.committee, at=club.at
        )
    if who == "left the club":
        members.leave(member=approver, by=club.committee, at=club.at, forget=False)
        member.refresh_from_db()
    if who == "another club":
        pins.set_pin(member=member, pin=PIN, by=neighbours.committee, at=club.at)
    elif member != approver:
        pins.set_pin(member=member, pin=PIN, by=club.committee, at=club.at)
    assert member not in approvals.others(club.organisation, club.committee)
    with refused("second_required"):
        approvals.agreed(
            organisation=club.organisation, approver=member, pin=PIN, by=club.committee, at=club.at
        )
