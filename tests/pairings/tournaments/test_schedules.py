"""Tournaments by wins and spread, Swiss, and schedules of systems, through actions and pages."""

from __future__ import annotations

import hashlib
import re

import pytest

from clubs.accounts.actor import Refused
from clubs.journal.models import JournalEntry
from pairings.exchange.formats import json as tournament_json
from pairings.matches.models import Match
from pairings.systems import PAIRING_SYSTEMS
from pairings.tournaments import actions as tournaments
from pairings.tournaments import closing as tournament_closing
from pairings.tournaments import registration
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.files import restore as tournament_restore
from pairings.tournaments.files import snapshot
from pairings.tournaments.models import Round
from pairings.tournaments.rounds import actions as rounds
from pairings.tournaments.rounds import publishing as round_publishing
from pairings.tournaments.rounds.draft import with_firsts
from pairings.tournaments.rounds.draft_table import DraftTable
from tests.clubhouse import make_club
from tests.pages import words
from tests.tournament_day import (
    end_round,
    entry_of,
    frozen,
    make_tournament,
    play,
    play_round,
    publish,
    round_of,
)

pytestmark = pytest.mark.django_db
CLUB = "/c/suisse"
USUAL = [[1, 3, "quads", 0], [4, 4, "swiss", 1], [5, 5, "king_of_the_hill", 0]]
MIXED = {"system": "schedule", "rules": {"schedule": USUAL}}


@pytest.fixture
def house(db):
    """Return a club of seven players."""
    return make_club("suisse", size=7)


def refused(call, **arguments) -> str:
    with pytest.raises(Refused) as caught:
        call(**arguments)
    return caught.value.code


def pairs_of(tournament):
    found = {}
    for match in Match.objects.filter(round__tournament=tournament, second__isnull=False):
        pair = frozenset((match.first_id, match.second_id))
        found[pair] = found.get(pair, 0) + 1
    return found


@pytest.mark.parametrize("system", [system.code for system in PAIRING_SYSTEMS])
def test_every_system_of_a_tournament_may_rank_by_wins_and_spread(house, system):
    rules = {"wins_and_spread": {"spread_cap": 200}}
    if system == "schedule":
        rules["schedule"] = USUAL
    running = frozen(house, 4, system=system, rules=rules, round_count=2)
    play_round(house, running, 1)
    found = tournament_standings.standing(tournament_standings.sheet_of(running))
    assert found.columns[:2] == ["wins", "spread"]
    assert sum(row.values["spread"] for row in found.rows) == 0
    assert sum(row.values["wins"] for row in found.rows) == 2


def test_the_ranking_of_a_swiss_may_be_that_by_pm(house):
    running = frozen(house, 4, system="swiss", rules={"wins_and_spread": None}, round_count=2)
    assert running.rules == {"wins_and_spread": None}
    play_round(house, running, 1)
    assert tournament_standings.standing(tournament_standings.sheet_of(running)).columns[0] == "pm"


def test_a_swiss_of_seven_after_two_withdrawals_and_a_late_arrival(db):
    house = make_club("suisse", size=9)
    running = frozen(house, 8, system="swiss", round_count=3)
    play_round(house, running, 1)
    for member in house.members[6:8]:
        registration.withdraw(
            entry=entry_of(running, member), number=2, by=house.arbiter, at=house.at
        )
    house.enter(running, house.members[8], cote=1500, by=house.arbiter)
    for number in (2, 3):
        play_round(house, running, number)
        seated = running.rounds.get(number=number).matches.filter(second__isnull=False).count()
        assert seated == 3
        assert running.rounds.get(number=number).matches.filter(second=None).count() == 1
    assert set(pairs_of(running).values()) == {1}
    byes = Match.objects.filter(round__tournament=running, second=None).values_list("first_id")
    assert len(set(byes)) == 2


# Firsts


def test_firsts_are_balanced_and_the_draw_can_be_made_again(house):
    running = frozen(house, 6, system="swiss", round_count=4)
    drawn = rounds.draw(round=round_of(running, 1), by=house.arbiter, at=house.at)
    given = drawn.draws.get().given
    seed = given["toss"]
    noted = JournalEntry.objects.filter(verb="round_drawn").latest("pk")
    assert noted.after["toss"] == seed
    for board in drawn.draft:
        low, high = sorted((board["first"], board["second"]))
        heads = hashlib.sha256(f"{seed}:{low}:{high}".encode()).digest()[0] % 2 == 0
        assert board["why"]["begins"]["why"] == "drawn"
        assert board["first"] == (low if heads else high)
    round_publishing.publish(round=drawn, by=house.arbiter, at=house.at)
    play(house, drawn)
    end_round(house, round_of(running, 1))
    begun = {match.first_id for match in round_of(running, 1).matches.all()}
    second = rounds.draw(round=round_of(running, 2), by=house.arbiter, at=house.at)
    for board in second.draft:
        if (board["first"] in begun) != (board["second"] in begun):
            assert board["second"] in begun
            assert board["why"]["begins"]["firsts"] == [0, 1]


def test_a_locked_board_keeps_who_begins():
    class Nobody:
        def settle(self, one, two, toss):
            raise AssertionError("a locked board is not settled")

    locked = [{"first": 1, "second": 2, "why": {}, "locked": True}]
    bye = [{"first": 3, "second": None, "why": {}, "locked": False}]
    assert with_firsts(locked + bye, Nobody(), "seed") == locked + bye


def test_a_swap_settles_anew_who_begins_at_its_two_boards(house, as_user):
    running = frozen(house, 6, system="swiss", round_count=4)
    play_round(house, running, 1)
    begun = {match.first_id for match in round_of(running, 1).matches.all()}
    drawn = rounds.draw(round=round_of(running, 2), by=house.arbiter, at=house.at)
    one, other, untouched = drawn.draft
    swap = (one["first"], other["first"])
    sheet = tournament_standings.sheet_of(running)
    shown = DraftTable(sheet, drawn, str).swap_cost(*swap)
    changed = rounds.swap(
        round=drawn, one=swap[0], other=swap[1], reason="voisins", by=house.arbiter, at=house.at
    )
    for board, line in zip(changed.draft[:2], shown.after, strict=True):
        begins = board["why"]["begins"]
        assert begins["player"] == board["first"] == line.sides[0].member_id
        if (board["first"] in begun) != (board["second"] in begun):
            assert board["second"] in begun
    assert changed.draft[2] == untouched
    address = f"{CLUB}/gestion/tournois/{running.slug}/ronde/2/conduite/"
    text = words(as_user(house.arbiter.user).get(address))
    assert re.search(r"voisins ; Prénom\d Nom\d commence \(", text)


def test_a_round_robin_keeps_its_tables_order(house):
    for system, balanced in (("round_robin", False), ("king_of_the_hill", True)):
        made = make_tournament(house, 4, system=system, rules={"wins_and_spread": {}})
        assert tournament_rules.rules_of(made).balances_firsts is balanced
    classique = make_tournament(house, 4)
    assert tournament_rules.rules_of(classique).balances_firsts is False


# Schedule and lag


def test_a_schedule_gives_the_number_of_rounds_and_pairs_each_by_its_own_system(house, as_user):
    running = frozen(house, **MIXED, round_count=9)
    assert [each.number for each in running.rounds.order_by("number")] == [1, 2, 3, 4, 5]
    reasons = []
    for number in range(1, 6):
        play_round(house, running, number)
        held = round_of(running, number).matches.filter(second__isnull=False)
        reasons.append({match.pairing_reason["reason"] for match in held})
    assert reasons[:3] == [{"quad"}] * 3
    assert reasons[4] == {"neighbours"}
    ranking = tournament_closing.close(tournament=running, by=house.committee, at=house.at)
    assert ranking.lines[0]["values"]["wins"] >= "3"
    home = words(as_user().get(f"{CLUB}/tournois/{running.slug}/"))
    assert "(rondes 1 à 3 : groupes de quatre ; ronde 4 : suisse ; ronde 5 : king" in home
    final = words(as_user().get(f"{CLUB}/tournois/{running.slug}/classement/publications/1/"))
    assert "Écart" in final and "Débuts" in final
    board = round_of(running, 5).matches.filter(second__isnull=False).first()
    player = as_user(board.first.user)
    why = words(player.get(f"{board.get_absolute_url()}pourquoi/"))
    assert "voisins au classement des présents : places" in why
    assert "Écart" in words(player.get(board.get_absolute_url()))


def test_a_schedule_with_a_hole_is_refused_and_an_empty_one_cannot_start(house):
    hole = {"schedule": [[1, 3, "quads", 0], [5, 6, "swiss", 0]]}
    call = {"organisation": house.organisation, "name": "T", "starts_at": house.at}
    code = refused(
        tournaments.create, **call, system="schedule", rules=hole, by=house.committee, at=house.at
    )
    assert code == "rule_value"
    made = make_tournament(house, 4, system="schedule")
    code = refused(tournaments.freeze, tournament=made, by=house.committee, at=house.at)
    assert code == "rounds_needed"


@pytest.mark.parametrize(
    ("rows", "accepted"),
    [
        ([[1, 3, "quads", 0], [4, 6, "king_of_the_hill", 0]], True),
        ([[1, 1, "quads", 0], [2, 5, "swiss", 0]], True),
        ([[1, 5, "swiss", 0]], False),
        ([[1, 1, "swiss", 0], [2, 5, "swiss", 0]], False),
    ],
)
def test_rounds_not_paired_yet_may_change_their_system(house, rows, accepted):
    running = frozen(house, **MIXED)
    play_round(house, running, 1)
    call = {"tournament": running, "by": house.committee, "at": house.at}
    changes = {"rules": {"schedule": rows}}
    if accepted:
        assert tournaments.edit(**call, changes=changes).rules["schedule"] == rows
        assert running.rounds.count() == rows[-1][1]
    else:
        assert refused(tournaments.edit, **call, changes=changes) == "drawn"
    other = {"rules": {**running.rules, "prize_places": 2}}
    assert refused(tournaments.edit, **call, changes=other) == "drawn"


@pytest.mark.parametrize(("lag", "drawn"), [(0, False), (1, True)])
def test_with_a_lag_a_round_is_paired_while_the_one_before_is_played(house, lag, drawn):
    rules = {"schedule": [[1, 3, "swiss", lag]]}
    running = frozen(house, 6, system="schedule", rules=rules)
    play_round(house, running, 1)
    publish(house, running, 2)
    third = {"round": round_of(running, 3), "by": house.arbiter, "at": house.at}
    if not drawn:
        assert refused(rounds.draw, **third) == "open_matches"
        return
    draft = rounds.draw(**third)
    met = {frozenset((m.first_id, m.second_id)) for m in Match.objects.all()}
    assert not met & {frozenset((b["first"], b["second"])) for b in draft.draft}
    assert refused(round_publishing.publish, **{**third, "round": draft}) == "open_matches"
    play(house, round_of(running, 2))
    end_round(house, round_of(running, 2))
    round_publishing.publish(**{**third, "round": round_of(running, 3)})
    assert round_of(running, 3).state == Round.State.PUBLISHED


def test_a_schedule_goes_out_as_json_and_comes_back_the_same(house):
    rules = {"schedule": USUAL, "prize_places": 2, "wins_and_spread": {"spread_cap": 250}}
    running = frozen(house, system="schedule", rules=rules)
    play_round(house, running, 1)
    sheet = snapshot.photograph(tournament_standings.sheet_of(running))
    back = tournament_json.read(tournament_json.write(sheet))
    assert back == sheet
    other = make_club("autre", size=0)
    done = tournament_restore.restore(
        sheet=back, organisation=other.organisation, digest="", by=other.committee, at=house.at
    )
    assert done.differences == () and done.tournament.rules == running.rules
    assert done.tournament.rounds.count() == 5


@pytest.mark.parametrize(
    ("rules", "accepted"),
    [
        *(({"wins_and_spread": {"spread_cap": cap}}, cap > 0) for cap in (0, 1, 2)),
        *(({"wins_and_spread": {"spread_cap": cap}}, cap < 1001) for cap in (999, 1000, 1001)),
        *(
            ({"wins_and_spread": {"bye_spread": n}}, 0 <= n <= 500)
            for n in (-1, 0, 1, 499, 500, 501)
        ),
        *(({"prize_places": n}, 0 <= n <= 100) for n in (-1, 0, 1, 99, 100, 101)),
        ({"wins_and_spread": {"spread_cap": "200"}}, False),
        ({"wins_and_spread": {"luck": 1}}, False),
        ({"wins_and_spread": [1]}, False),
        ({"wins_and_spread": 7}, False),
        ({"schedule": [[1, 3]]}, False),
        ({"schedule": 5}, False),
        ({"schedule": [["a", "b", "swiss", 0]]}, False),
    ],
)
def test_values_outside_of_their_limits_are_refused(rules, accepted):
    if accepted:
        tournament_rules.checked_rules("schedule", rules)
    else:
        with pytest.raises(Refused):
            tournament_rules.checked_rules("schedule", rules)


# Pages


def table(rows):
    names = ("first", "last", "system", "lag")
    return {
        f"{name}_{number}": str(value)
        for number, row in enumerate(rows)
        for name, value in zip(names, row, strict=True)
    }


def test_the_schedule_is_a_table_of_the_settings_page(house, as_user):
    made = make_tournament(house, system="schedule")
    director = as_user(house.committee.user)
    address = f"{CLUB}/gestion/tournois/{made.slug}/reglages/"
    blank = words(director.get(address))
    assert blank.count('name="system_') == 3 and "Système de chaque ronde" in blank
    hole = [[1, 3, "quads", 0], [5, "", "swiss", 1]]
    answer = director.post(address, {"schedule": "1", **table(hole)})
    assert answer.status_code == 422
    assert "Aucun système pour la ronde 4" in words(answer)
    assert re.search(r'name="first_1" value="5"', words(answer))
    half = director.post(address, {"schedule": "1", "first_0": "1"})
    assert half.status_code == 422 and "Complétez cette ligne" in words(half)
    hole[1][0] = 4
    answer = director.post(address, {"schedule": "1", "version": made.version, **table(hole)})
    assert answer.status_code == 302
    made.refresh_from_db()
    assert made.rules == {"schedule": [[1, 3, "quads", 0], [4, 4, "swiss", 1]]}
    assert words(director.get(address)).count('name="system_') == 5


def test_the_ranking_is_chosen_on_the_settings_page(house, as_user):
    made = make_tournament(house, system="king_of_the_hill")
    director = as_user(house.committee.user)
    address = f"{CLUB}/gestion/tournois/{made.slug}/reglages/"
    page = words(director.get(address))
    assert 'name="schedule"' not in page and 'name="ranking"' in page
    assert "s_spread_cap" not in page and "Ses réglages apparaissent ici" in page
    given = dict(re.findall(r'name="([rm]_\w+)"[^>]*? value="([^"]*)"', page))
    for name in re.findall(r'<select name="([rm]_\w+)"', page):
        chosen = re.search(rf'name="{name}".*?<option value="([^"]*)" selected', page)
        given[name] = chosen[1] if chosen else ""
    low = {"rules": "1", "ranking": "wins_and_spread", "s_spread_cap": "0", **given}
    answer = director.post(address, low)
    assert answer.status_code == 422 and not made.rules and 'name="s_spread_cap"' in words(answer)
    answer = director.post(address, {**low, "s_spread_cap": "300", "s_bye_spread": "40"})
    assert answer.status_code == 302, words(answer)
    made.refresh_from_db()
    assert made.rules["wins_and_spread"]["spread_cap"] == 300
    assert tournament_rules.rules_of(made).wins_and_spread.bye_spread == 40
    assert tournament_rules.rules_of(made).wins_and_spread.forfeit_spread == 50
    director.post(address, {"rules": "1", "ranking": "", **given})
    made.refresh_from_db()
    assert tournament_rules.rules_of(made).wins_and_spread is None


def test_reasons_and_who_begins_are_read_in_the_draft_and_on_the_round(house, as_user):
    running = frozen(house, system="schedule", rules={"schedule": [[1, 3, "swiss", 1]]})
    arbiter = as_user(house.arbiter.user)
    control = f"{CLUB}/gestion/tournois/{running.slug}/ronde/"
    rounds.draw(round=round_of(running, 1), by=house.arbiter, at=house.at)
    draft = words(arbiter.get(f"{control}1/conduite/"))
    assert "moitié haute contre moitié basse" in draft
    assert "commence (tirage au sort)" in draft
    round_publishing.publish(round=round_of(running, 1), by=house.arbiter, at=house.at)
    assert "Apparier" in words(arbiter.get(f"{control}2/conduite/"))
    rounds.draw(round=round_of(running, 2), by=house.arbiter, at=house.at)
    waiting = words(arbiter.get(f"{control}2/conduite/"))
    assert "La ronde 1 se joue encore" in waiting
    public = words(as_user().get(f"{CLUB}/tournois/{running.slug}/ronde/1/"))
    assert "Le premier nommé commence." in public
    play(house, round_of(running, 1))
    ranking = words(arbiter.get(f"{CLUB}/tournois/{running.slug}/classement/"))
    assert "Écart" in ranking and "Débuts" in ranking
    match = round_of(running, 1).matches.filter(second__isnull=False).first()
    shown = words(arbiter.get(match.get_absolute_url()))
    assert "Vict." in shown
