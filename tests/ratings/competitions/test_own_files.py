"""What the site exports of a tournament, its own rating desk takes as it is."""

from __future__ import annotations

import itertools
import json

import pytest
from django.utils import translation

from clubs.exchange.tables import ImportRefused
from pairings.exchange.formats import csv_xlsx
from pairings.exchange.formats import json as tournament_json
from pairings.matches.models import Match
from pairings.rules.match_state import Result
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.files import snapshot
from pairings.tournaments.models import Tournament
from ratings.competitions import actions as competitions
from ratings.competitions.files import import_files
from ratings.competitions.files.lines import by_scores
from tests.clubhouse import Clubhouse, make_club
from tests.kept import once_a_worker
from tests.our_code import LANGUAGES
from tests.tournament_day import frozen, play, play_round, publish

pytestmark = pytest.mark.django_db


@once_a_worker
def club_that_plays() -> tuple[Clubhouse, Tournament]:
    """Nine players: each round has a bye; round 2 has a forfeit too."""
    house = make_club("feuille", size=9)
    made = frozen(house, 9)
    play_round(house, made, 1)
    second = publish(house, made, 2)
    match = second.matches.filter(second__isnull=False).order_by("table_number").first()
    house.mark_absent(match, "a", reason="?")
    play(house, second)
    return house, made


@pytest.fixture
def begun(db):
    return club_that_plays()


@pytest.fixture
def tournament(begun):
    return begun[1]


@pytest.fixture
def house(request, db):
    """With its tournament, where a test asks for it."""
    if "tournament" in request.fixturenames:
        return request.getfixturevalue("begun")[0]
    return make_club("feuille", size=9)


def sheet_of(tournament):
    fresh = Tournament.objects.select_related("organisation", "rating_list").get(pk=tournament.pk)
    return snapshot.photograph(tournament_standings.sheet_of(fresh))


def files(tournament) -> dict[str, bytes]:
    sheet = sheet_of(tournament)
    head, rows = csv_xlsx.results(sheet)
    return {
        "open-resultats.csv": csv_xlsx.write_csv(head, rows),
        "open-resultats.xlsx": csv_xlsx.write_xlsx(head, rows, title="Résultats"),
        "open.json": tournament_json.write(sheet),
    }


def played(tournament) -> set[tuple[str, int, int, int]]:
    """(round, first, second, halves of the first) of each game that was played."""
    rows = Match.objects.filter(round__tournament=tournament, kind="played")
    return {
        (
            str(match.round.number),
            match.first_id,
            match.second_id,
            by_scores((match.first_score, match.second_score)),
        )
        for match in rows.select_related("round")
    }


def lines_in(house, rows, kind):
    people = competitions.people_of(house.organisation)
    return import_files.lines_of(rows, kind, people, import_files.columns_of(rows[0], kind))


@pytest.mark.parametrize("name", ["open-resultats.csv", "open-resultats.xlsx", "open.json"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_game_is_read_and_no_bye_or_forfeit_is_a_game(house, tournament, name, language):

    with translation.override(language):
        content = files(tournament)[name]
    read = import_files.read(name, content, "games")
    lines = lines_in(house, read.rows, "games")
    assert [line.problems for line in lines if line.problems] == []
    assert [line.unknown for line in lines if line.unknown] == []
    games = [line for line in lines if line.unplayed is None]
    assert {(line.round, *line.players, line.halves) for line in games} == played(tournament)
    assert len(games) == 7
    rest = [line for line in lines if line.unplayed is not None]
    assert sorted((line.round, line.is_bye, line.halves) for line in rest) == [
        ("1", True, 2),
        ("2", False, 0),
        ("2", True, 2),
    ]
    if name.endswith("json"):
        assert (read.label, read.held_on) == (tournament.name, tournament.held_on)


def test_a_match_of_two_winning_games_is_a_line_a_game(house):
    """As the tournament posts it to a list of the club: 2 to 1 are three rated games."""
    first, second = house.members[:2]
    board = {"first": 1, "second": 2, "kind": "played", "first_score": 2, "second_score": 1}
    board |= {"absent": "", "games": [[400, 300], [300, 400], [410, 400]]}
    players = [
        {"number": number, "name": str(member)} for number, member in enumerate((first, second), 1)
    ]
    rounds = [{"number": 1, "boards": [board]}]
    meeting = {"name": "T", "held_on": "2026-01-01", "players": players, "rounds": rounds}
    document = {"format": "club-tournament", "tournament": {**meeting, "standings": []}}
    read = import_files.read("t.json", json.dumps(document).encode(), "games")
    lines = lines_in(house, read.rows, "games")
    assert [line.problems for line in lines] == [[], [], []]
    assert [(line.round, line.halves, line.scores) for line in lines] == [
        ("1", 2, (400, 300)),
        ("1", 0, (300, 400)),
        ("1", 2, (410, 400)),
    ]
    twice = [*read.rows, read.rows[-1]]
    assert [bool(line.problems) for line in lines_in(house, twice, "games")] == [False] * 3 + [True]


BEST_OF_THREE = ["ronde", "joueur 1", "joueur 2", "score 1", "score 2", "absent"]
BEST_OF_THREE += [f"Manche {game} joueur {seat}" for game in (1, 2, 3) for seat in (1, 2)]
NEITHER = [""] * 6
GAMES_OF_TABLES = {
    1: ((400, 300), (300, 400), (410, 400)),
    2: ((350, 340), (390, 290)),
    4: ((300, 300), (400, 300), (300, 400)),
}


@pytest.fixture
def long_match(house):
    """Two winning games: 2 to 1 at table 1, 2 to 0 at table 2, a forfeit, a drawn match."""
    made = frozen(house, 8, rules={"winning_games": 2})
    tables = publish(house, made, 1).matches.order_by("table_number")
    for number, games in GAMES_OF_TABLES.items():
        match, result = tables.get(table_number=number), Result("played", games=games)
        house.record(match, result)
    house.mark_absent(tables.get(table_number=3), "a", reason="?")
    return made


@pytest.mark.parametrize("name", ["open-resultats.csv", "open-resultats.xlsx", "open.json"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_004_4_every_game_of_a_match_of_two_is_read_from_each_export(
    house, long_match, name, language
):
    with translation.override(language):
        content = files(long_match)[name]
    read = import_files.read(name, content, "games")
    known = lines_in(house, read.rows, "games")
    assert [line.problems for line in known if line.problems] == []
    assert [(line.scores, line.halves) for line in known if line.unplayed is None] == [
        ((400, 300), 2),
        ((300, 400), 0),
        ((410, 400), 2),
        ((350, 340), 2),
        ((390, 290), 2),
        ((300, 300), 1),
        ((400, 300), 2),
        ((300, 400), 0),
    ]


def test_every_game_of_a_match_of_two_is_a_rated_game(house, long_match):
    desk = house.rating_list("fisf")
    draft = competitions.draft(
        rating_list=desk,
        file=import_files.read("t.csv", files(long_match)["open-resultats.csv"], "games"),
        file_name="t.csv",
        kind="games",
        label="T",
        held_on=house.at.date(),
        facts={"official": True},
        by=house.committee,
        at=house.at,
    )
    period = competitions.bring(draft=draft, with_newcomers=False, by=house.committee, at=house.at)
    games = period.games.exclude(first_score=None).order_by("position")
    assert [(game.first_score, game.second_score) for game in games] == [
        *itertools.chain(*GAMES_OF_TABLES.values())
    ]


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["", "", "", *NEITHER], "le résultat manque"),
        (["2", "1", "", *NEITHER], "manches de ce match manquent"),
        (["2", "0", "", "400", "300", "300", "400", "410", "400"], "pas celui des manches"),
        (["", "", "", "400", "300", "300", "", "", ""], "il manque un score"),
        (["", "", "", "", "", "300", "200", "", ""], "il manque un score"),
        (["2", "1", "", "400", "300", "300", "400", "410", "4000"], "n’est pas un score"),
    ],
)
def test_a_match_of_two_that_does_not_add_up_is_told(house, cells, words):
    rows = [BEST_OF_THREE, ["1", *map(str, house.members[:2]), *cells]]
    (line,) = lines_in(house, rows, "games")
    assert words in " ".join(line.problems)


def test_a_match_that_was_not_played_needs_no_games(house):
    rows = [BEST_OF_THREE, ["1", *map(str, house.members[:2]), "", "", "1", *NEITHER]]
    (line,) = lines_in(house, rows, "games")
    assert line.problems == [] and line.unplayed is not None


def test_the_places_of_the_json_are_read_too(house, tournament):
    read = import_files.read("open.json", files(tournament)["open.json"], "placings")
    lines = lines_in(house, read.rows, "placings")
    assert len(lines) == 9
    assert [line.problems for line in lines if line.problems] == []


def test_an_export_without_its_players_is_refused_in_words(tournament):
    document = json.loads(files(tournament)["open.json"])
    for broken in ({**document, "tournament": None}, {**document, "tournament": {"players": [1]}}):
        with pytest.raises(ImportRefused, match="incomplet"):
            import_files.read("open.json", json.dumps(broken).encode(), "games")


def test_a_player_named_like_a_bye_who_played_has_a_game(house):
    rows = [["joueur 1", "joueur 2", "score 1", "score 2"], ["Ana Pop", "Liber", "400", "350"]]
    assert len(lines_in(house, rows, "games")) == 1
    rows[1][2:] = ["", ""]
    assert [line.is_bye for line in lines_in(house, rows, "games")] == [True]
