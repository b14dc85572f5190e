"""A player's record is what the stored matches say, and a profile shows it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.template.loader import render_to_string

from clubs.members.models import Member
from clubs.organisations.models import Season
from pairings.evenings.models import Evening
from pairings.matches import actions as match_actions
from pairings.players import record
from pairings.players.record import Game, record_of
from pairings.ranking import projection
from pairings.rules.match_state import Result
from ratings.ledger import settlement
from ratings.systems.protocol import Game as PostedGame
from tests.tournament_day import frozen, play_round


def game(number, mine, theirs, *, other=2, season="2026", scored=True):
    return Game(number, other, mine, theirs, scored, season, date(2026, 1, 1))


def test_outcomes_and_means():
    total = record_of([game(1, 400, 300), game(2, 350, 350), game(3, 300, 380)]).total
    assert (total.won, total.drawn, total.lost, total.played) == (1, 1, 1, 3)
    assert (total.score, round(total.against or 0, 2)) == (350, 343.33)
    assert round(total.margin or 0, 2) == 6.67


def test_games_won_are_outcomes_and_no_scores():
    found = record_of([game(1, 2, 1, scored=False), game(2, 300, 310)])
    assert (found.total.won, found.total.lost, found.total.score) == (1, 1, 300)
    assert found.best_score is not None and found.best_score.match_id == 2
    assert found.best_margin is None


@pytest.mark.parametrize(
    ("outcomes", "longest", "current"),
    [
        ("", 0, 0),
        ("D", 0, 0),
        ("V", 1, 1),
        ("VVDV", 2, 1),
        ("VVVN", 3, 0),
        ("DVV", 2, 2),
    ],
)
def test_streaks_are_of_wins_in_a_row(outcomes, longest, current):
    scores = {"V": (400, 300), "D": (300, 400), "N": (300, 300)}
    found = record_of([game(n, *scores[one]) for n, one in enumerate(outcomes)])
    assert (found.longest_streak, found.streak) == (longest, current)


def test_the_best_games_are_the_first_of_their_kind():
    games = [game(1, 450, 300), game(2, 450, 440), game(3, 400, 250), game(4, 500, 510)]
    found = record_of(games)
    assert found.best_score is not None and found.best_score.match_id == 4
    assert found.best_margin is not None and found.best_margin.match_id == 1


@pytest.mark.parametrize(("played", "shown"), [(9, 9), (10, 10), (11, 10)])
def test_form_is_the_last_ten_games(played, shown):
    found = record_of([game(n, 300, 400) for n in range(played - 1)] + [game(99, 400, 300)])
    assert len(found.form) == shown and found.form[-1] == 1


def test_seasons_are_newest_first_and_opponents_by_games():
    games = [
        game(1, 400, 300, season="2025"),
        game(2, 300, 400, season="2026", other=3),
        game(3, 400, 300, season="2026", other=3),
    ]
    found = record_of(games)
    assert [name for name, _tally in found.seasons] == ["2026", "2025"]
    assert [(pk, one.played) for pk, one in found.opponents] == [(3, 2), (2, 1)]


@pytest.mark.parametrize("silent", [0, 1, 2])
def test_002_v_b_1_games_that_are_final_by_silence_are_counted_apart(silent):
    games = [replace(game(n, 400, 300), tacit=n < silent) for n in range(3)]
    found = record_of([*games, game(9, 300, 400, season="2027")])
    assert (found.total.played, found.total.won, found.total.tacit) == (4, 3, silent)
    assert {name: tally.tacit for name, tally in found.seasons} == {"2026": silent, "2027": 0}
    page = words(render_to_string("pairings/players/_record.html", {"record": found}))
    by_season = page.partition("Par saison")[2]
    assert ("2026 3 V · 0 N · 0 D victoires : 3, nuls : 0, défaites : 0 400 dont" in by_season) is (
        silent > 0
    )
    assert (f"dont {silent} sans réponse" in by_season) is (silent > 0)


# Pages


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


@pytest.mark.django_db
def test_the_profile_shows_the_record_of_both_sides_of_a_match(club, as_user):
    a, b = club.members[:2]
    match, _players = club.played(a, b, scores=(412, 388))
    visitor = as_user()
    winner = words(visitor.get(f"/joueurs/{a.address}/").content.decode())
    loser = words(visitor.get(f"/joueurs/{b.address}/").content.decode())
    assert "1 V · 0 N · 0 D" in winner and "0 V · 0 N · 1 D" in loser
    assert "Meilleur score 412" in winner and "Meilleur score 388" in loser
    page = visitor.get(f"/joueurs/{a.address}/").content.decode()
    assert f'href="/matchs/{match.pk}/"' in page


@pytest.mark.django_db
def test_a_match_of_a_tournament_over_weeks_is_of_the_day_of_its_round(club, as_user):
    weekly = frozen(club, 4, system="swiss", round_minutes=7 * 24 * 60, round_count=3)
    club.at += timedelta(days=14)
    for number in (1, 2, 3):
        play_round(club, weekly, number)
    family = {club.members[0].pk}
    played = record.games_of(record.matches_of(club.organisation, family), family)
    first = weekly.held_on
    assert [game.day - first for game in played] == [timedelta(days=7 * n) for n in range(3)]


@pytest.mark.django_db
def test_means_of_small_scores_have_a_decimal(club, as_user):
    """Of games won and lost 2 to 1 the means were 1 and 2, and the margin none."""
    one, other = club.members[:2]
    for scores in ((2, 1), (1, 2), (1, 2)):
        club.played(one, other, scores=scores)
        club.at += timedelta(minutes=30)
    page = words(as_user(one.user).get(f"/joueurs/{one.address}/").content.decode())
    assert "Score moyen 1,3 Score moyen des adversaires 1,7" in page and "−0,3" in page


@pytest.mark.django_db
def test_in_a_game_won_1_to_0_a_profile_says_outcomes_and_no_scores(club, as_user):
    one, other = club.members[:2]
    for scores in ((1, 0), (0, 1), (0, 0), (1, 0)):
        club.played(one, other, scores=scores)
        club.at += timedelta(minutes=30)
    client = as_user(one.user)
    way = f"/joueurs/{one.address}/"
    profile = words(client.get(way).content.decode())
    both = words(client.get(f"{way}contre/{other.address}/").content.decode())
    for page in (profile, both):
        assert "Plus longue série de victoires 1" in page
        for said in ("Meilleur score", "Plus large victoire", "core moyen", "cart moyen"):
            assert said not in page, said
    assert "V victoires, N nuls, D défaites." in profile


@pytest.mark.django_db
def test_a_profile_counts_apart_what_nobody_answered(club, as_user):
    a, b, c, d = club.members[:4]
    club.played(a, b, scores=(412, 388))
    way = f"/joueurs/{a.address}/"
    assert "sans réponse" not in words(as_user(d.user).get(way).content.decode())
    match, _players = club.entered(a, c, scores=(400, 300))
    match_actions.lapse_due(at=club.at + timedelta(seconds=301))
    profile = words(as_user(d.user).get(way).content.decode())
    assert "2 · 2 V · 0 N · 0 D" in profile and "Définitifs sans réponse 1" in profile
    compared = words(as_user(d.user).get(f"{way}contre/{b.address}/").content.decode())
    assert "Définitifs sans réponse 1 0" in compared
    club.correct(
        match, Result("played", 400, 310), "feuille relue", at=club.at + timedelta(seconds=400)
    )
    assert (
        "sans réponse"
        not in words(as_user(d.user).get(way).content.decode())
        .partition("Bilan")[2]
        .partition("Plus longue")[0]
    )


@pytest.mark.django_db
def test_a_match_that_does_not_count_is_in_no_record(club, as_user):
    _match, (a, _b) = club.entered(scores=(400, 300))
    assert "Meilleur score" not in as_user().get(f"/joueurs/{a.member.address}/").content.decode()


@pytest.mark.django_db
def test_an_opponent_is_named_as_they_chose(club, as_user):
    a, b = club.members[:2]
    club.played(a, b, scores=(400, 300))
    changes = {"first_name": "Zazoune", "last_name": "Fayo", "visibility": Member.INITIALS}
    club.edit(b, changes)
    page = as_user().get(f"/joueurs/{a.address}/").content.decode()
    assert "Z.F." in page and "Zazoune" not in page


@pytest.mark.django_db
@pytest.mark.parametrize("choice", [Member.MEMBERS, Member.INITIALS])
def test_a_stranger_compares_nobody_with_a_player_who_hides(club, as_user, choice):
    a, b = club.members[:2]
    club.played(a, b, scores=(400, 300))
    club.edit(b, {"visibility": choice})
    ways = [f"/joueurs/{one.address}/contre/{two.address}/" for one, two in ((a, b), (b, a))]
    stranger, fellow = as_user(), as_user(club.members[2].user)
    assert [stranger.get(way).status_code for way in ways] == [404, 404]
    assert [fellow.get(way).status_code for way in ways] == [200, 200]
    profile = stranger.get(f"/joueurs/{a.address}/").content.decode()
    assert "1 V · 0 N · 0 D" in words(profile) and ways[0] not in profile
    assert b.full_name not in profile


@pytest.mark.django_db
def test_two_players_who_never_met_are_compared(club, as_user):
    a, b, c, d = club.members[:4]
    club.played(a, c, scores=(400, 300))
    club.played(b, d, scores=(310, 350))
    reader = as_user(a.user)
    profile = reader.get(f"/joueurs/{b.address}/").content.decode()
    way = f"/joueurs/{a.address}/contre/{b.address}/"
    assert f'href="{way}"' in profile
    page = words(reader.get(way).content.decode())
    assert "Jamais rencontrés" in page and "Meilleur score 400 310" in page
    assert re.search(r"Cote \d{3,4} \d{3,4} ", page)
    whole = " ".join(reader.get(way).content.decode().split())  # large text scrolls in its region
    assert '<div class="card table-card" tabindex="0" role="region"' in whole


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("since", "sentence"),
    [
        ((0, 0), "attend encore 2 matchs de celui des deux qui a le moins joué"),
        ((3, 1), "attend encore 1 match de celui"),
        ((2, 2), "est possible dès maintenant"),
    ],
)
def test_two_who_met_read_their_mean_difference_and_when_they_may_meet_again(
    club, as_user, since, sentence
):
    rules = club.rule_book({"pairing": {"repeat_after": 2}})
    Evening.objects.filter(pk=club.evening.pk).update(rule_book=rules)
    a, b, *others = club.members
    club.played(a, b, scores=(400, 310))
    club.played(b, a, scores=(350, 320))
    for one, more in zip((a, b), since, strict=True):
        for _match in range(more):
            club.played(one, others.pop(), scores=(400, 300))
    page = words(as_user(a.user).get(f"/joueurs/{a.address}/contre/{b.address}/").content.decode())
    assert "Écart moyen +30" in page and sentence in page
    way = f"/joueurs/{a.address}/contre/{others[0].address}/"
    assert "revanche" not in words(as_user(a.user).get(way).content.decode())


@pytest.mark.django_db
def test_a_meeting_of_an_earlier_season_holds_back_no_rematch(club, as_user):
    a, b = club.members[:2]
    club.played(a, b, scores=(400, 310))
    reader, way = as_user(a.user), f"/joueurs/{a.address}/contre/{b.address}/"
    assert "attend encore 5 matchs" in words(reader.get(way).content.decode())
    club.close()
    day = club.evening.held_on
    Season.objects.filter(pk=club.evening.season_id).update(ends_on=day)
    club.season("Suivante", day + timedelta(days=1), day + timedelta(days=300))
    club.next_evening()
    page = words(reader.get(way).content.decode())
    assert "revanche" not in page and "Écart moyen +90" in page


@pytest.mark.django_db
def test_a_meeting_is_named_by_its_day_or_by_tournament_and_round(
    club, as_user, django_assert_max_num_queries
):
    a, b = club.members[:2]
    club.played(a, b, scores=(400, 300))
    cup = frozen(club, 2, name="Coupe", round_count=1)
    play_round(club, cup, 1)
    reader = as_user(a.user)
    way = f"/joueurs/{a.address}/contre/{b.address}/"
    reader.get(way)
    with django_assert_max_num_queries(12):
        page = words(reader.get(way).content.decode())
    assert f"{club.evening.held_on.day} nov. 2026" in page and "Coupe, ronde 1" in page
    profile = words(reader.get(f"/joueurs/{a.address}/").content.decode())
    assert "Coupe, ronde 1" in profile and "Tournois" in profile


@pytest.mark.django_db
def test_a_profile_asks_no_more_queries_for_more_matches(
    club, as_user, django_assert_max_num_queries
):
    a = club.members[0]
    for other in club.members[1:5]:
        club.played(a, other, scores=(400, 300))
    reader = as_user(a.user)
    reader.get(f"/joueurs/{a.address}/")
    with django_assert_max_num_queries(12):
        reader.get(f"/joueurs/{a.address}/")
    with django_assert_max_num_queries(12):
        reader.get(f"/joueurs/{a.address}/contre/{club.members[1].address}/")


@pytest.mark.django_db
def test_changes_of_the_cote_are_listed_by_date_and_not_only_of_club_nights(club, as_user):
    """A tournament of the club's list and a sanction change it too."""
    _match, (one, _other) = club.played()
    club.close()
    page = as_user(one.user).get(f"/c/faizers/joueurs/{one.member.address}/").content.decode()
    table = page.partition("Pourquoi ma cote a bougé")[2].partition("</table>")[0]
    assert '<th scope="col">Date</th>' in table


@pytest.mark.django_db
def test_a_profile_keeps_a_second_list_of_the_ladders_system_in_a_tab_of_its_own(club, as_user):
    _match, (one, other) = club.played()
    club.close()
    address = f"/c/faizers/joueurs/{one.member.address}/"
    before = as_user(one.user).get(address).context
    cotes = projection.cotes_of(club.organisation)
    second = club.rating_list("faizers", name="Jeunes", category="jeunes")
    period = settlement.open_period(rating_list=second, key="p", label="x", held_on=club.at.date())
    posting = PostedGame("g", one.member.pk, other.member.pk, 1, 300, 400)
    settlement.record_game(period=period, posting=posting, at=club.at)
    settlement.settle(period=period, by=club.committee, at=club.at)
    after = as_user(one.user).get(address).context
    assert len(before["entries"]) == len(after["entries"]) == 1
    assert before["cote"] == after["cote"] != 1000
    assert [tab["label"] for tab in after["tabs"]] == ["Cote du club", "Jeunes"]
    assert projection.cotes_of(club.organisation) == cotes
    assert projection.club_list(club.organisation).slug == "faizers"
