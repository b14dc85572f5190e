"""Only a table of tonight prevents another seat: a contest elsewhere does not."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from clubs.members import actions as members
from pairings.evenings import pairing
from pairings.evenings.player_page import card as player_card
from pairings.evenings.views import public
from pairings.matches import actions as match_actions
from pairings.matches import seats
from pairings.matches.models import Match, Seat
from pairings.rules.match_state import Result
from pairings.tournaments import actions as tournaments
from pairings.tournaments.rounds import actions as rounds
from pairings.tournaments.rounds import publishing as round_publishing
from pairings.tournaments.rules import TournamentRefused
from tests.clubhouse import Clubhouse
from tests.tournament_day import make_tournament, publish, round_of

pytestmark = pytest.mark.django_db
SPAN = seats.TONIGHT


@pytest.fixture(autouse=True)
def at_the_clubs_hour(club, monkeypatch):
    """Make pages read the club's time as the current time."""
    monkeypatch.setattr(timezone, "now", lambda: club.at)


def contested(club: Clubhouse) -> Match:
    match, _players = club.contested()
    return Match.objects.get(pk=match.pk)


def open_tournament(club: Clubhouse):
    tournament = make_tournament(club, size=8)
    tournaments.freeze(tournament=tournament, by=club.arbiter, at=club.at)
    return tournament


@pytest.mark.parametrize("later", [timedelta(0), timedelta(hours=15), timedelta(days=7)])
def test_a_contest_of_an_evening_does_not_block_a_round(club, later):
    match = contested(club)
    club.at += later
    tournament = open_tournament(club)
    published = publish(club, tournament, 1)
    assert published.matches.count() == 4
    # The contest stays pending, and is decided without changing the new seat.
    match.refresh_from_db()
    assert match.status == "contested"
    new = player_card.current_matches(match.first, club.organisation)[0]
    assert new.round_id == published.pk
    club.decide(match, Result("played", 400, 350), "feuille")
    assert Match.objects.get(pk=match.pk).status == "final"
    assert Seat.objects.filter(member=match.first, live=True).get().match_id == new.pk


@pytest.mark.parametrize(
    ("age", "blocked"),
    [
        (SPAN - timedelta(seconds=1), True),
        (SPAN, False),
        (SPAN + timedelta(seconds=1), False),
    ],
)
def test_a_table_called_tonight_blocks_a_round_and_one_of_another_day_does_not(club, age, blocked):
    match, (a, _b) = club.match()
    Match.objects.filter(pk=match.pk).update(deadline_until=club.at + timedelta(days=2))
    club.at += age
    tournament = open_tournament(club)
    drawn = rounds.draw(round=round_of(tournament, 1), by=club.arbiter, at=club.at)
    if not blocked:
        round_publishing.publish(round=drawn, by=club.arbiter, at=club.at)
        return
    with pytest.raises(TournamentRefused, match=a.member.full_name) as refused:
        round_publishing.publish(round=drawn, by=club.arbiter, at=club.at)
    assert refused.value.code == "already_playing"


def test_a_round_of_another_day_is_published_while_its_players_sit_at_a_club_night(club, as_user):
    """Their seat stays the one of tonight; on its day the round holds them, no other round seats them."""
    busy, (a, b) = club.match()
    both = {a.member.pk, b.member.pk}
    weekly = open_tournament(club)
    begins = club.at + timedelta(days=4)
    weekly.rounds.filter(number=1).update(starts_at=begins)
    drawn = rounds.draw(round=round_of(weekly, 1), by=club.arbiter, at=club.at)
    page = as_user(club.arbiter.user).get(
        f"/c/{club.organisation.slug}/gestion/tournois/{weekly.slug}/ronde/1/conduite/"
    )
    assert page.status_code == 200 and page.context["elsewhere"] == []
    published = round_publishing.publish(round=drawn, by=club.arbiter, at=club.at)
    assert set(Seat.objects.filter(match=busy, live=True).values_list("member", flat=True)) == both
    club.record(busy, Result("played", 400, 350))
    club.at = begins
    assert {match.round_id for match in seats.holding(both, at=begins).values()} == {published.pk}
    other = open_tournament(club)
    with pytest.raises(TournamentRefused, match=a.member.full_name):
        publish(club, other, 1)


def test_the_draft_of_a_later_round_names_who_has_another_table_at_its_hour(club, as_user):
    """It can be published: the director is told before, not on the day when both tables are called."""
    begins = club.at + timedelta(days=4)
    saturday, sunday, other = (open_tournament(club) for _each in range(3))
    for tournament, hours in ((saturday, 0), (sunday, 24), (other, 1)):
        tournament.rounds.filter(number=1).update(starts_at=begins + timedelta(hours=hours))
    for tournament in (saturday, sunday):
        publish(club, tournament, 1)
    rounds.draw(round=round_of(other, 1), by=club.arbiter, at=club.at)
    page = as_user(club.arbiter.user).get(
        f"/c/{club.organisation.slug}/gestion/tournois/{other.slug}/ronde/1/conduite/"
    )
    found = page.context["elsewhere"]
    assert {match.round.tournament for _name, match in found} == {saturday} and len(found) == 8
    text = " ".join(page.content.decode().split())
    assert "Déjà attendus à une autre table ce jour-là" in text
    assert "ne peut pas être publiée avec eux" not in text
    round_publishing.publish(round=round_of(other, 1), by=club.arbiter, at=club.at)


def test_a_table_of_the_night_before_is_none_of_the_day_of_the_round(club, as_user):
    club.match()  # called less than twelve hours before the round of the next morning
    other = open_tournament(club)
    other.rounds.filter(number=1).update(starts_at=club.at + timedelta(hours=11))
    rounds.draw(round=round_of(other, 1), by=club.arbiter, at=club.at)
    page = as_user(club.arbiter.user).get(
        f"/c/{club.organisation.slug}/gestion/tournois/{other.slug}/ronde/1/conduite/"
    )
    assert page.context["elsewhere"] == []


def test_the_draft_of_a_near_round_names_who_has_another_table_soon_after_it(club, as_user):
    """That other table does not hold them yet: the round may be published, and nobody read of it."""
    near, later = open_tournament(club), open_tournament(club)
    near.rounds.filter(number=1).update(starts_at=club.at + timedelta(hours=5))
    later.rounds.filter(number=1).update(starts_at=club.at + timedelta(hours=7))
    publish(club, later, 1)
    rounds.draw(round=round_of(near, 1), by=club.arbiter, at=club.at)
    page = as_user(club.arbiter.user).get(
        f"/c/{club.organisation.slug}/gestion/tournois/{near.slug}/ronde/1/conduite/"
    )
    assert len(page.context["elsewhere"]) == 8 and page.context["is_later"]
    round_publishing.publish(round=round_of(near, 1), by=club.arbiter, at=club.at)


def test_the_draft_warns_of_who_sits_elsewhere_with_the_way_to_that_table(club, client):
    busy, (a, b) = club.match()
    waiting = contested(club)
    tournament = open_tournament(club)
    rounds.draw(round=round_of(tournament, 1), by=club.arbiter, at=club.at)
    client.force_login(
        club.arbiter.user, backend="allauth.account.auth_backends.AuthenticationBackend"
    )
    root = f"/c/{club.organisation.slug}"
    address = f"{root}/gestion/tournois/{tournament.slug}/ronde/1/conduite/"
    page = client.get(address)
    assert page.status_code == 200
    assert [name for name, _match in page.context["elsewhere"]] == sorted(
        [a.member.full_name, b.member.full_name], key=str.casefold
    )
    text = page.content.decode()
    assert text.count(f'href="{root}/matchs/{busy.pk}/"') == 2
    assert f"/matchs/{waiting.pk}/" not in text
    club.record(busy, Result("played", 400, 350))
    assert client.get(address).context["elsewhere"] == []


def test_a_contest_of_a_tournament_does_not_keep_its_players_from_an_evening(club):
    tournament = open_tournament(club)
    published = publish(club, tournament, 1)
    match = published.matches.filter(second__isnull=False).order_by("table_number").first()
    first, second = (club.player(m) for m in (match.first, match.second))
    both = {match.first_id, match.second_id}
    assert not both & set(pairing.waiting_ids(club.evening, club.at))
    match_actions.submit(match=match, by=first, scores=(400, 350), at=club.at)
    match_actions.contest(match=match, by=second, at=club.at, words="faux")
    assert both <= set(pairing.waiting_ids(club.evening, club.at))
    club.match(match.first, match.second)
    assert Match.objects.get(pk=match.pk).status == "contested"


@pytest.mark.parametrize(
    ("hours", "held"), [(0, False), (65, False), (66, True), (83, True), (84, False)]
)
def test_a_round_published_for_another_day_holds_its_players_on_that_day(club, hours, held):
    """Published on Friday for Monday 19:00: not on Friday, but on Monday, from six hours before."""
    tournament = open_tournament(club)
    begins = club.at + timedelta(hours=72)
    tournament.rounds.filter(number=1).update(starts_at=begins)
    match = publish(club, tournament, 1).matches.filter(second__isnull=False).first()
    both = {match.first_id, match.second_id}
    seats.free_old(both, at=club.at)  # as an evening does that pairs them in between
    at = club.at + timedelta(hours=hours)
    assert set(seats.holding(both, at=at)) == (both if held else set())
    assert both.isdisjoint(pairing.waiting_ids(club.evening, at)) == held


def test_a_round_of_the_next_morning_leaves_its_players_to_the_club_night(club):
    """Published on Friday evening for Saturday 09:30: they are paired until the night ends."""
    tournament = open_tournament(club)
    begins = club.at + timedelta(hours=13, minutes=30)
    tournament.rounds.filter(number=1).update(starts_at=begins)
    match = publish(club, tournament, 1).matches.filter(second__isnull=False).first()
    both = {match.first_id, match.second_id}
    for hours in (0, 3, 5):
        waiting = pairing.waiting_ids(club.evening, club.at + timedelta(hours=hours))
        assert both <= set(waiting), hours


def test_a_match_of_another_day_does_not_hide_the_club_night(club):
    """Called on Friday to Monday's table: the card is of the evening, and of the table after it."""
    tournament = open_tournament(club)
    tournament.rounds.filter(number=1).update(starts_at=club.at + timedelta(hours=72))
    coming = publish(club, tournament, 1).matches.filter(second__isnull=False).first()
    first, second = coming.first, coming.second

    def card():
        found, _matches = player_card.current_card(first, club.organisation, at=club.at)
        return found.state, found.match

    assert card() == ("waiting", None)
    of_tonight, _players = club.match(first, second)
    assert card() == ("called", of_tonight)
    club.record(of_tonight, Result("played", 400, 350))
    assert card() == ("result", of_tonight)
    club.close()
    assert card() == ("called", coming)
    # They may play before that day: then it is a match of now.
    match_actions.submit(match=coming, by=club.player(second), scores=(400, 350), at=club.at)
    assert card() == ("to_confirm", coming)


def test_after_midnight_the_card_is_still_of_the_club_night(club):
    """Who waits is paired until it ends: the table of the morning does not stand in its place."""
    tournament = open_tournament(club)
    begins = club.at + timedelta(hours=13, minutes=30)
    tournament.rounds.filter(number=1).update(starts_at=begins)
    coming = publish(club, tournament, 1).matches.filter(second__isnull=False).first()

    def card(hours: float):
        at = club.at + timedelta(hours=hours)
        found, _matches = player_card.current_card(coming.first, club.organisation, at=at)
        return found.state, found.match

    assert [card(hours) for hours in (3, 5, 8)] == [
        ("waiting", None),
        ("waiting", None),
        ("called", coming),
    ]
    club.close()
    assert card(5) == ("called", coming)


def test_of_two_rounds_of_one_day_the_card_is_about_the_one_that_is_played_now(club):
    """In the order of their hours, not of their publication; who has two tables at once has the last."""
    club.close()
    morning, afternoon = open_tournament(club), open_tournament(club)
    begins = club.at + timedelta(days=1)
    for tournament, hours in ((morning, 0), (afternoon, 3)):
        tournament.rounds.filter(number=1).update(starts_at=begins + timedelta(hours=hours))
        publish(club, tournament, 1)
    member = club.members[0]
    early, late = (
        Match.objects.involving(member).get(round=round_of(tournament, 1))
        for tournament in (morning, afternoon)
    )

    def card(hours: float) -> Match | None:
        at = begins + timedelta(hours=hours)
        return player_card.current_card(member, club.organisation, at=at)[0].match

    hours = (-22, -7, -0.5, 0.5, 3.1)  # from the day before
    assert [card(one) for one in hours] == [early, early, early, early, late]
    match_actions.submit(match=early, by=club.player(early.first), scores=(400, 350), at=begins)
    assert card(0.01) == early
    match_actions.confirm(match=early, by=club.player(early.second), at=begins)
    assert card(0.5) == late


def test_within_one_tournament_a_contest_still_holds_the_next_round(club):
    tournament = open_tournament(club)
    published = publish(club, tournament, 1)
    match = published.matches.filter(second__isnull=False).first()
    match_actions.submit(match=match, by=club.player(match.first), scores=(400, 350), at=club.at)
    match_actions.contest(match=match, by=club.player(match.second), at=club.at, words="faux")
    players = [match.first_id, match.second_id]
    assert seats.free_old(players, at=club.at, keep_tournament=tournament.pk) == 0
    assert Seat.objects.filter(member__in=players, live=True).count() == 2


def test_a_guest_whose_contest_is_open_is_not_united_although_the_seat_is_free(club):
    from pairings.players import merging

    match = contested(club)
    guest = match.first
    guest.is_guest, guest.user = True, None
    guest.save(update_fields=["is_guest", "user"])
    assert seats.free_old([guest.pk], at=club.at) == 1
    into = next(m for m in club.members if m.pk not in (match.first_id, match.second_id))
    with pytest.raises(members.MemberRefused, match="joue en ce moment"):
        merging.check(guest, into, at=club.at)


def test_a_game_played_before_its_day_is_entered_from_the_page_of_its_match(club, as_user):
    """On a club night, where "Ma soirée" is about tonight."""
    tournament = open_tournament(club)
    tournament.rounds.filter(number=1).update(starts_at=club.at + timedelta(hours=72))
    coming = publish(club, tournament, 1).matches.filter(second__isnull=False).first()
    player = as_user(coming.first.user)
    with time_machine.travel(club.at, tick=False):
        page = player.get(coming.get_absolute_url()).content.decode()
        form = reverse("pairings:result_enter", kwargs={"match_id": coming.pk})
        assert f'href="{form}"' in page and player.get(form).status_code == 200
        of_tonight, (one, _other) = club.match(coming.first, coming.second)
        tonight = as_user(one.user).get(of_tonight.get_absolute_url()).content.decode()
    assert "/saisir/" not in tonight and reverse("pairings:my_evening") in tonight


def test_who_sits_at_a_tournaments_table_does_not_wait_at_the_club_night(club, as_user):
    """As the arbiter's page and the pairing: not on another player's card, nor on the wall."""
    tournament = open_tournament(club)
    publish(club, tournament, 1)
    seated = set(seats.holding([one.pk for one in club.members], at=club.at))
    waiting = club.evening.check_ins.waiting(at=club.at)
    outside = [row.member for row in waiting if row.member_id not in seated]
    assert 0 < len(outside) < waiting.count()
    found, _matches = player_card.current_card(outside[0], club.organisation, at=club.at)
    assert (found.state, found.free_others) == ("waiting", len(outside) - 1)
    assert public.counts_of(club.evening, at=club.at)["waiting"] == len(outside)
    wall = as_user(None).get(f"/c/{club.organisation.slug}/soirees/{club.evening.address}/ecran/")
    assert wall.context["waiting"] == len(outside)
