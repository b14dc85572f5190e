"""A tournament as JSON: back equal to the digit, and a plain sentence for any other file."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairings.exchange.formats import json as tournament_json
from pairings.exchange.problems import FileRefused
from pairings.exchange.validation import problems_of
from tests.sheets import played, sheets, tournament


def refusal(content: bytes, **options) -> FileRefused:
    with pytest.raises(FileRefused) as refused:
        tournament_json.read(content, **options)
    return refused.value


def changed(act) -> bytes:
    """A good file with its content changed by hand, the digest made anew."""
    document = json.loads(tournament_json.write(tournament()))
    act(document["tournament"])
    document["digest"] = tournament_json.digest(document["tournament"])
    return json.dumps(document).encode()


def boards(body):
    return body["rounds"][0]["boards"]


def value(body):
    return next(iter(body["standings"][0]["values"].values()))


@settings(deadline=None)
@given(sheets())
def test_what_is_written_is_read_back_equal(sheet):
    content = tournament_json.write(sheet)
    assert tournament_json.read(content) == sheet
    assert tournament_json.write(tournament_json.read(content)) == content


def test_exact_numbers_stay_exact_and_letters_stay_letters():
    sheet = tournament()
    content = tournament_json.write(sheet)
    back = tournament_json.read(content)
    assert back.standings[0].values["ppm"].exact == sheet.standings[0].values["ppm"].exact
    assert back.settings == sheet.settings
    assert "Ștefania Țurcanu" in content.decode()


@settings(max_examples=60, deadline=None)
@given(st.floats(0.001, 0.999))
def test_a_file_cut_anywhere_is_refused_with_a_sentence(part):
    content = tournament_json.write(tournament())
    cut = content[: int(len(content) * part)]
    refused = refusal(cut)
    assert refused.code in ("cut", "json", "empty", "encoding")
    assert str(refused).endswith((".", ")"))


def test_a_file_cut_in_half_says_at_which_line():
    content = tournament_json.write(tournament())
    half = content[: len(content) // 2].rsplit(b"\n", 1)[0]
    refused = refusal(half)
    assert refused.code == "cut"
    assert refused.problems[0].line == half.count(b"\n") + 1
    assert "coupé" in str(refused)


def test_one_changed_score_is_noticed():
    content = tournament_json.write(tournament())
    board = tournament().rounds[0].boards[0]
    old = f'"first_score": {board.first_score}'.encode()
    assert content.count(old) >= 1
    altered = content.replace(old, b'"first_score": 499', 1)
    assert refusal(altered).code == "altered"
    read = tournament_json.read(altered, accept_altered=True)
    assert read.rounds[0].boards[0].first_score == 499


@pytest.mark.parametrize(
    ("act", "place"),
    [
        (lambda t: t["players"][2].update(rating="fort"), "tournament.players[3].rating"),
        (lambda t: t["players"][2].update(rating=True), "tournament.players[3].rating"),
        (
            lambda t: t["rounds"][0]["boards"][0].pop("first"),
            "tournament.rounds[1].boards[1].first",
        ),
        (lambda t: t["rounds"][0]["boards"][0].update(kind="won"), "boards[1].kind"),
        (lambda t: t.update(held_on="demain"), "tournament.held_on"),
        (lambda t: t.update(held_on=20261128), "tournament.held_on"),
        (lambda t: t.update(ends_on="9999-12-31"), "tournament.ends_on"),
        (lambda t: t["rounds"][0].update(starts_at="0001-01-01T00:00:00Z"), "starts_at"),
        (lambda t: t["rounds"][0].update(starts_at="2026-11-28T09:00:00"), "starts_at"),
        (lambda t: t.update(colour="blue"), "tournament.colour"),
        (lambda t: t.update(players={}), "tournament.players"),
        (lambda t: t["players"][0].update(name="a\x00b"), "players[1].name"),
        (lambda t: t["players"][0].update(club="\ud800"), "players[1].club"),
        (lambda t: t["settings"].update(strategy="\x00"), "settings.strategy"),
        (lambda t: t["standings"][0]["values"]["ppm"].update(exact={"num": 1, "den": 0}), "exact"),
    ],
)
def test_a_wrong_field_is_named(act, place):
    refused = refusal(changed(act))
    assert any(place in problem.field for problem in refused.problems), refused.problems


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda t: t["players"][1].update(number=1), "plusieurs joueurs"),
        (lambda t: t["players"][1].update(name=" "), "le nom manque"),
        (lambda t: t["rounds"][0]["boards"][0].update(first=99), "pas inscrit"),
        (lambda t: t["rounds"][0]["boards"][0].update(first=99), "Ronde 1, joueur nº 99"),
        (lambda t: boards(t)[1].update(first=boards(t)[0]["first"]), "plus d’un"),
        (lambda t: boards(t)[1].update(table=boards(t)[0]["table"]), "numéro de table"),
        (lambda t: boards(t)[0].update(table=-1), "numéro de table"),
        (lambda t: boards(t)[0].update(first_score=None), "a deux scores"),
        (lambda t: boards(t)[1].update(first_score=400), "seul un match joué"),
        (lambda t: t["players"][0].update(number=0), "un numéro commence à 1"),
        (lambda t: t["players"][0].update(initial_rank=-1), "un rang initial commence à 1"),
        (lambda t: t["standings"][0].update(place=0), "une place ou une colonne inconnue"),
        (lambda t: t["standings"][0]["values"].update(x=value(t)), "une place ou une colonne"),
        (lambda t: t["rounds"][1].update(absent=[99]), "pas inscrit"),
        (lambda t: t["rounds"][1].update(absent=[1, 2, 3, 4, 5, 6]), "absent et a un match"),
        (lambda t: t["rounds"][1].update(number=7), "se suivent"),
        (lambda t: t["rounds"][0]["boards"][0].update(first_score=3000), "un score va de"),
        (lambda t: t["rounds"][0]["boards"][0].update(second=None), "joueur fictif"),
        (lambda t: t["rounds"][0]["boards"][1].update(absent=""), "indiquez la personne absente"),
        (lambda t: t["rounds"][0]["boards"][0].update(games=[[1, 2]]), "les manches gagnées"),
        (lambda t: t["standings"][0].update(player=2), "deux fois au classement"),
        (lambda t: t.update(winning_games=3), "une ou deux manches"),
    ],
)
def test_a_well_formed_nonsense_is_refused(act, words):
    refused = refusal(changed(act))
    assert refused.code == "nonsense"
    assert any(words in str(problem) for problem in refused.problems), refused.problems


@pytest.mark.parametrize(("score", "ok"), [(3999, True), (4000, True), (4001, False)])
def test_the_bounds_of_a_score_are_those_of_its_match_rules(score, ok):
    def act(told):
        told["settings"]["match_rules"] = {"max_score": 4000}
        told["rounds"][0]["boards"][0].update(first_score=score)

    if ok:
        assert tournament_json.read(changed(act), accept_altered=True).score_bounds == (-200, 4000)
    else:
        assert "de −200 à 4000" in str(refusal(changed(act)))


def test_a_match_of_one_winning_game_has_no_three_games():
    games = ((400, 300), (300, 400), (400, 300))
    sheet = tournament(2, 1, pending=False)
    board = played(1, 1, 2, 2, 1, games=games)
    three = replace(sheet, rounds=(replace(sheet.rounds[0], boards=(board,)),))
    assert "plus de manches" in str(refusal(tournament_json.write(three)))
    best_of_three = replace(three, winning_games=2)
    assert tournament_json.read(tournament_json.write(best_of_three)) == best_of_three
    for played_games, sheet in ((games[:2], three), ((*games, games[1]), best_of_three)):
        board = played(1, 1, 2, len(played_games) // 2, len(played_games) // 2, games=played_games)
        more = replace(sheet, rounds=(replace(sheet.rounds[0], boards=(board,)),))
        assert "plus de manches" in str(refusal(tournament_json.write(more)))


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty"),
        (b"   \n", "empty"),
        (b"[]", "format"),
        (b'{"format": "else"}', "format"),
        (b'{"format": "club-tournament", "version": 2}', "version"),
        (b"\xff\xfe{}", "encoding"),
        (b"name;score\r\n", "json"),
        (b'{"format": "club-tournament", "format": "x"}', "content"),
        (b'{"a": NaN}', "content"),
        (b"[" * 100_000, "json"),
        (b" " * (tournament_json.MAX_BYTES + 1), "too_big"),
    ],
)
def test_another_file_is_refused_with_a_sentence(content, code):
    assert refusal(content).code == code


@pytest.mark.parametrize(
    "version", ["[" * 900 + "]" * 900, '{"a":' * 900 + "1" + "}" * 900, "[1]", "null", '"2"', "2"]
)
def test_any_other_version_is_refused_as_one_and_said_in_a_word(version):
    told = refusal(f'{{"format": "club-tournament", "version": {version}}}'.encode())
    assert told.code == "version"
    shown = "2" if "2" in version else "?"
    assert f"de la version {shown}\N{NO-BREAK SPACE};" in str(told)


def nested(kind: str, depth: int) -> object:
    value: object = 1
    for _level in range(depth):
        value = [value] if kind == "list" else {"a": value}
    return value


@pytest.mark.parametrize("kind", ["list", "object"])
@pytest.mark.parametrize(("depth", "ok"), [(19, True), (20, True), (21, False), (450, False)])
def test_a_setting_has_twenty_lists_or_objects_within_each_other(kind, depth, ok):
    content = changed(lambda body: body["settings"].update(deep=nested(kind, depth)))
    if ok:
        sheet = tournament_json.read(content)
        assert tournament_json.read(tournament_json.write(sheet)) == sheet
    else:
        (problem,) = refusal(content).problems
        assert problem.field.startswith("tournament.settings.deep")


class Name(str):
    """A name that counts how often names are compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, str(other))

    __hash__ = str.__hash__


def test_a_name_written_twice_is_found_in_one_pass(monkeypatch):
    monkeypatch.setattr(Name, "compared", 0)
    pairs = [(Name(f"n{number}"), None) for number in [*range(1000), 999]]
    with pytest.raises(FileRefused) as refused:
        tournament_json.unique_fields(pairs)
    assert refused.value.problems[0].field == "n999"
    assert Name.compared < 10 * len(pairs)


def test_who_is_absent_and_has_a_match_is_found_in_one_pass():
    class Absent(tuple[int, ...]):
        __slots__ = ()

        def __contains__(self, player: object) -> bool:
            raise AssertionError("read from its start for each player of the round")

    sheet = tournament()
    one = sheet.rounds[0]
    round_ = replace(one, absent=Absent((*one.absent, one.boards[0].first)))
    texts = [str(each) for each in problems_of(replace(sheet, rounds=(round_,)))]
    assert len([text for text in texts if "est absent et a un match" in text]) == 1


@pytest.mark.parametrize(("wrong", "noted"), [(999, 999), (1000, 1000), (1001, 1000)])
def test_a_file_is_not_read_beyond_a_thousand_problems(wrong, noted):
    """A million empty players of 3 MB took two minutes and 2.2 GB."""
    refused = refusal(changed(lambda body: body.update({f"n{n}": 1 for n in range(wrong)})))
    assert len(refused.problems) == noted


def test_several_problems_are_all_kept_and_counted():
    def act(body):
        body["players"][0]["rating"] = "x"
        body["players"][1]["club"] = 3
        body["place"] = None

    refused = refusal(changed(act))
    assert len(refused.problems) == 3
    assert "2 autres erreurs" in str(refused)
