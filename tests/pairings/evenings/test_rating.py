"""A closed evening posted to another list: each match once, rated by the list's officer."""

from __future__ import annotations

import pytest
from django.utils import translation

from clubs.accounts.models import User
from clubs.journal.models import JournalEntry
from pairings.evenings import rating as evening_rating
from pairings.matches import actions as match_actions
from pairings.matches import rating as match_rating
from pairings.rules.match_state import Result
from ratings.competitions import actions as competitions
from ratings.ledger import replay, settlement
from ratings.ledger.models import Period, RatedGame
from ratings.ledger.settlement import LedgerRefused
from tests.pairings.matches.test_races import while_open
from tests.printed_fields import Printed

pytestmark = pytest.mark.django_db


def another_list(club):
    return club.rating_list("fisf", name="Fédération")


def hand_over(club, held, at=None):
    return evening_rating.hand_over(
        evening=club.evening, rating_list=held, by=club.committee, at=at or club.at
    )


def test_the_matches_of_a_closed_evening_wait_in_the_list_and_are_rated_once(club):
    held = another_list(club)
    match, (a, b) = club.entered()
    with pytest.raises(LedgerRefused, match="Clôturez"):
        hand_over(club, held)
    match_actions.confirm(match=match, by=b, at=club.at)
    club.close()
    club.evening.refresh_from_db()
    period = hand_over(club, held)
    assert hand_over(club, held) == period
    game = RatedGame.objects.get(period=period)
    assert (game.first_id, game.first_halves) == (a.member.pk, 2)
    assert period in competitions.waiting(held)
    settlement.settle(period=period, by=club.committee, at=club.at)
    with pytest.raises(LedgerRefused, match="déjà compté"):
        hand_over(club, held)


@pytest.mark.django_db(transaction=True)
def test_two_who_hand_an_evening_over_at_once_post_each_match_once(club):
    held = another_list(club)
    club.played()
    club.close()
    club.evening.refresh_from_db()
    answers = while_open(lambda: hand_over(club, held), lambda: hand_over(club, held))
    assert answers == ["ok", "ok"]
    assert (Period.objects.filter(rating_list=held).count(), RatedGame.objects.count()) == (1, 2)


@pytest.mark.django_db(transaction=True)
def test_an_evening_that_its_list_rates_meanwhile_is_not_handed_over_again(club):
    """Its matches would be those of the correction, and the cotes those from before it."""
    held = another_list(club)
    match, _players = club.played()
    club.close()
    club.evening.refresh_from_db()
    period = hand_over(club, held)
    club.correct(match, Result("played", 300, 400), "inversés")
    answers = while_open(
        lambda: settlement.settle(period=period, by=club.committee, at=club.at),
        lambda: hand_over(club, held),
    )
    assert answers == ["ok", "settled"]
    assert list(replay.check(held)) == []


@pytest.mark.parametrize(
    ("language", "label"),
    [("fr", "Soirée du 20 novembre 2026"), ("ro", "Seara de club din 20 noiembrie 2026")],
)
def test_a_list_keeps_one_name_in_the_clubs_language(club, language, label):
    """An officer who reads English does not publish "Club night of" in a French federation."""
    club.evening.organisation.language = language
    with translation.override("en"):
        assert evening_rating.document_of(club.evening).label == label


def test_a_match_corrected_to_a_forfeit_leaves_the_list_and_outdates_its_dry_run(club):
    held = another_list(club)
    for _table in range(2):
        match, _players = club.played()
    club.close()
    club.evening.refresh_from_db()
    period = hand_over(club, held)
    held.refresh_from_db()
    seen = held.version
    club.correct(match, Result("absent", absent="b"), "n’est jamais venu")
    hand_over(club, held)
    assert match_rating.source_of(match) not in {game.source for game in period.games.in_force()}
    assert period.games.in_force().count() == 1
    held.refresh_from_db()
    assert held.version > seen


def test_an_evening_whose_matches_were_all_cancelled_leaves_nothing_in_the_list(club, client):
    held = another_list(club)
    match, _players = club.played()
    club.close()
    club.evening.refresh_from_db()
    period = hand_over(club, held)
    club.correct(match, Result("void"), "triche")
    client.force_login(club.committee.user)
    page = f"/c/faizers/soirees/{club.evening.held_on}/listes/"
    answer = client.post(page, {"list": held.pk}, follow=True)
    assert "sont retirés de cette liste" in answer.content.decode()
    assert not period.games.in_force().exists()
    with pytest.raises(LedgerRefused, match="pas de match"):
        hand_over(club, held)


def test_an_evening_without_a_match_has_nothing_to_hand_over(club):
    held = another_list(club)
    club.close()
    club.evening.refresh_from_db()
    with pytest.raises(LedgerRefused, match="pas de match"):
        hand_over(club, held)
    assert not held.periods.exists()


def test_the_page_offers_the_lists_and_hands_over(club, client):
    held = another_list(club)
    club.played()
    club.close()
    client.force_login(club.committee.user)
    page = f"/c/faizers/soirees/{club.evening.held_on}/listes/"
    assert held.name in client.get(page).content.decode()
    refused = client.post(page, {})
    assert (
        refused.status_code == 422 and Printed(refused, "id_list").error == "Choisissez une liste."
    )
    answer = client.post(page, {"list": held.pk})
    assert answer.status_code == 302
    assert client.get(answer.url).status_code == 200


def test_a_list_has_the_name_that_the_readers_pages_print(club, client):
    club.rating_list("fisf", name="Classement FISF")
    club.close()
    User.objects.update(language="en")
    client.force_login(club.committee.user)
    client.cookies["django_language"] = "en"
    page = client.get(f"/c/faizers/soirees/{club.evening.held_on}/listes/").content.decode()
    assert "FISF rating" in page and "Classement FISF" not in page


def test_the_journal_says_into_which_list_an_evening_was_handed_over(club):
    held = another_list(club)
    club.played()
    club.close()
    hand_over(club, held)
    line = JournalEntry.objects.get(verb="evening_handed_over")
    assert (line.actor, line.subject) == (club.committee.user, f"evening:{club.evening.pk}")
    assert line.after == {"list": held.slug, "games": 1}


def test_no_evening_goes_into_the_list_of_another_club(club, other_club, client):
    theirs = another_list(other_club)
    club.played()
    club.close()
    client.force_login(club.committee.user)
    page = f"/c/faizers/soirees/{club.evening.held_on}/listes/"
    assert f'value="{theirs.pk}"' not in client.get(page).content.decode()
    assert client.post(page, {"list": theirs.pk}).status_code == 422
    assert not theirs.periods.exists()


def test_a_refused_evening_keeps_the_chosen_list(club, client):
    held = another_list(club)
    club.close()  # nothing was played
    client.force_login(club.committee.user)
    page = f"/c/faizers/soirees/{club.evening.held_on}/listes/"
    refused = client.post(page, {"list": held.pk})
    assert refused.status_code == 422 and "pas de match" in refused.content.decode()
    assert "checked" in Printed(refused, "id_list_0").attributes


def test_the_desk_and_the_page_of_the_list_show_the_same_evenings(club, client):
    """An evening posted to the list is pending on both; the club's own, still open, on neither."""
    held = another_list(club)
    club.played()
    club.close()
    club.evening.refresh_from_db()
    period = hand_over(club, held)
    own = Period.objects.create(
        rating_list=held,
        key="x",
        origin="evening",
        origin_id=4000,
        label="À nous",
        held_on=period.held_on,
    )
    client.force_login(
        club.committee.user, backend="allauth.account.auth_backends.AuthenticationBackend"
    )
    root = f"/c/{club.organisation.slug}/gestion/cotes"
    rows = client.get(f"{root}/").context["rows"]
    assert next(row["waiting"] for row in rows if row["list"] == held) == 1
    page = client.get(f"{root}/{held.slug}/")
    assert [one for one, _late in page.context["waiting"]] == [period]
    text = page.content.decode()
    assert f"{root}/{held.slug}/calcul/{period.pk}/" in text
    assert f"/calcul/{own.pk}/" not in text


def test_the_page_where_an_evening_is_handed_over_is_read_by_the_committee(club, as_user):
    club.close()
    page = as_user(club.committee.user).get(evening_rating.handing_page(club.evening.pk))
    assert page.status_code == 200
    assert page.resolver_match.view_name == "pairings:evening_federation"
