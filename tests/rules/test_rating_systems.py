"""What every registered rating system owes the ledger, whatever its formula."""

from __future__ import annotations

import ast
import copy
import inspect
import json
import re
from dataclasses import FrozenInstanceError, fields
from datetime import date, timedelta
from pathlib import Path

import pytest
from django.utils.translation import gettext, override

from clubs.rulebooks.fields import settings_of
from ratings.ledger.models import RatingList
from ratings.ledger.propagation import changes_of
from ratings.ledger.timeline import START
from ratings.lists.explanations import WORDS, lines_of
from ratings.personal_data import state_in_words
from ratings.systems import FACTS, STATUS_WORDS, SYSTEMS, part, system
from ratings.systems.columns import cells_of
from ratings.systems.protocol import (
    Event,
    EventRefused,
    Game,
    Placing,
    RatingSystem,
    Reason,
    State,
    frozen,
)
from ratings.systems.storage import reason_to_json, state_from_json, state_to_json
from ratings.systems.words import SHARED, facts_in_words, refusal_in_words
from tests.our_code import APPS, LANGUAGES, ROOT, modules

FIRST = date(2026, 1, 10)
PLAYERS = (11, 12, 13, 14)
ROUNDS = [(11, 12, 2), (13, 14, 1), (11, 13, 0), (12, 14, 2)]


def event_of(rules, number, rounds=ROUNDS):
    """The `number`-th event: one kind of input for systems that take games, one for sheets."""
    games, placings = (), ()
    if rules.takes == "games":
        games = tuple(
            Game(f"{number}:{n}", a, b, halves, 400, 350 if halves == 2 else 400)
            for n, (a, b, halves) in enumerate(rounds)
        )
    else:
        order = PLAYERS[number % 4 :] + PLAYERS[: number % 4]
        placings = tuple(Placing(player, place) for place, player in enumerate(order, start=1))
    return Event(
        key=f"event:{number}",
        held_on=FIRST + timedelta(days=7 * number),
        sequence=number,
        games=games,
        placings=placings,
        facts=rules.examples.facts,
    )


def starts_of(rules):
    """The players as a file of starting ratings would bring them in, each a little better."""
    start = rules.examples.start
    return {
        player: rules.newcomer(frozen({**start, "rating": start["rating"] + player}))
        for player in PLAYERS
    }


def season(rules, events=3):
    """(states before, event, changes) of a few events from the starts."""
    states = starts_of(rules)
    for number in range(1, events + 1):
        event = event_of(rules, number)
        changes = rules.settle(states, event)
        yield states, event, changes
        states = {**states, **{change.player: change.after for change in changes}}


@pytest.fixture(params=SYSTEMS, ids=lambda known: known.code)
def rules(request):
    return request.param()


def test_it_fulfils_the_protocol_and_is_found_by_its_code(rules):
    assert isinstance(rules, RatingSystem)
    assert system(rules.code) is type(rules)
    assert rules.takes in ("games", "placings")


def test_its_code_and_its_kinds_fit_the_columns_of_a_list(rules):
    """PostgreSQL refuses a longer word when somebody opens a list; SQLite stores it."""
    columns = {name: RatingList._meta.get_field(name).max_length for name in ("system", "kind")}
    assert len(rules.code) <= columns["system"]
    assert all(len(kind) <= columns["kind"] for kind in rules.kinds)


def test_its_numbers_are_frozen_and_each_has_its_words(rules):
    settings = settings_of(rules)
    assert set(settings) == {field.name for field in fields(rules)}
    for words in settings.values():
        assert words.label
        assert words.article.startswith(rules.document)
    with pytest.raises(FrozenInstanceError):
        setattr(rules, next(iter(settings)), 1)


def test_it_has_cases_to_be_judged_by(rules):
    for name, functions in part(rules.code, "conformance").FUNCTIONS.items():
        text = (ROOT / "tests" / "vectors" / f"{name}.jsonl").read_text("utf-8")
        cases = [json.loads(line)["function"] for line in text.splitlines()]
        assert set(cases) & set(functions)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_has_its_words_in_every_language(rules, language):
    """Every kind that its folder writes, and each line of some events filled in."""
    words = {**SHARED, **part(rules.code, "wording").WORDS}
    folder = Path(inspect.getfile(type(rules))).parent
    written = {
        kind
        for path in folder.glob("*.py")
        for kind in re.findall(r'\bReason\(\s*"(\w+)"', path.read_text("utf-8"))
    }
    assert written and written <= set(words)
    with override(language):
        for _states, _event, changes in season(rules):
            for change in changes:
                lines = lines_of([reason_to_json(line) for line in change.because], names={})
                for reason, line in zip(change.because, lines, strict=True):
                    assert line.head or reason.opponent is not None
                    assert "%(" not in line.head + line.formula
                    assert line.head != reason.kind


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("fr", "cote\u00a0: 1500, parties\u00a0: 40, dernière compétition\u00a0: 20/11/2026"),
        ("en", "rating: 1500, games: 40, last competition: 20 Nov 2026"),
        ("ro", "rating: 1500, partide: 40, ultima competiție: 20.11.2026"),
    ],
)
def test_what_a_player_starts_with_is_said_in_words(rules, language, said):
    """No name of a column, and nothing that only a program asks for."""
    assert {*rules.start_columns, *rules.examples.start} <= {*FACTS}
    values = {"rating": 1500, "games": 40, "last": "2026-11-20", "estimated": True}
    reason = Reason("start", rules.document, None, values=frozen(values))
    with override(language):
        [line] = lines_of([reason_to_json(reason)], names={})
    assert line.formula == said


def test_a_number_below_one_is_not_rounded_away_in_words():
    with override("fr"):
        said = facts_in_words({"rating": 1500, "rd": 51.1234, "volatility": 0.059995})
    assert said == "cote\u00a0: 1500, RD\u00a0: 51,12, volatilité\u00a0: 0,0600"


def test_what_a_list_holds_of_a_player_is_said_in_words(rules):
    """In the export of a person's data: no fraction of forty digits, no name of a column."""
    for _states, _event, changes in season(rules):
        for change in changes:
            with override("en"):
                said = state_in_words(json.loads(json.dumps(state_to_json(change.after))))
            assert said.startswith("rating: ") and not re.search(r"_|/|\[|\{|None", said), said


@pytest.mark.parametrize("language", ["en", "ro"])
def test_what_an_officer_checks_and_notes_has_its_words(rules, language):
    """An oddity is about a reason that the system gives, and its sentence names the player."""
    assert set(rules.oddities) <= set(part(rules.code, "wording").WORDS)
    assert all("%(name)s" in sentence for sentence in rules.oddities.values())
    with override(language):
        for words in (*rules.oddities.values(), *rules.grade_acts.values()):
            assert gettext(words) != words


def refusals():
    """Every refusal of the systems as it is written: its place, its sentence, names of its values."""
    folder = ROOT / "ratings" / "systems"
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "EventRefused":
                [marked] = node.args
                assert isinstance(marked, ast.Call), f"{path}:{node.lineno}: not a marked sentence"
                sentence = ast.literal_eval(marked.args[0])
                names = {str(value.arg) for value in node.keywords}
                yield f"{path.relative_to(folder)}:{node.lineno}", sentence, names


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_is_written_in_the_readers_language_with_its_values(language):
    found = list(refusals())
    assert len(found) > 20
    for place, sentence, names in found:
        assert names == set(re.findall(r"%\((\w+)\)", sentence)), place
        refused = EventRefused(sentence, **{name: f"<{name}>" for name in names})
        with override(language):
            words = refusal_in_words(refused)
        assert (words == str(refused)) is (language == "fr"), place
        assert all(f"<{name}>" in words for name in names), place


def test_a_system_without_acts_about_grades_refuses_one(rules):
    facts = {"act": "request", "grade": "1 Dan", "reference": "", "dated_on": ""}
    if rules.grade_acts:
        assert rules.grade_act(11, starts_of(rules)[11], frozen(facts)).because
    else:
        with pytest.raises(EventRefused):
            rules.grade_act(11, State(1500), frozen(facts))


def test_systems_that_share_a_status_say_the_same_word_for_it(rules):
    assert all(STATUS_WORDS[code] == word for code, word in rules.statuses.items())
    *_before, (_states, event, changes) = season(rules)
    seen = {rules.status_on(change.after, event.held_on) for change in changes} - {""}
    assert seen <= set(rules.statuses)


def test_no_two_systems_of_a_document_word_the_same_kind():
    known = [(kind, s.document) for s in SYSTEMS for kind in part(s.code, "wording").WORDS]
    assert len(known) == len(set(known)) == len(WORDS)


def test_the_lines_of_a_change_add_up_to_it(rules):
    moved = 0
    for _states, _event, changes in season(rules):
        for change in changes:
            assert change.because
            if change.delta is None:
                continue
            moved += 1
            total = sum(line.effect or 0 for line in change.because)
            assert float(total) == pytest.approx(float(change.delta), abs=1e-9)
    assert moved


def test_every_line_names_an_article_of_the_document(rules):
    for _states, _event, changes in season(rules):
        for change in changes:
            assert all(line.article.startswith(rules.document) for line in change.because)


def test_the_same_event_gives_the_same_answer_and_touches_no_state(rules):
    for states, event, changes in season(rules):
        kept = {player: state_to_json(state) for player, state in states.items()}
        again = rules.settle(copy.copy(states), event)
        assert again == changes
        assert {player: state_to_json(state) for player, state in states.items()} == kept


def test_a_replay_from_stored_states_gives_the_same_bits(rules):
    for states, event, changes in season(rules):
        stored = {
            player: state_from_json(json.loads(json.dumps(state_to_json(state))))
            for player, state in states.items()
        }
        replayed = rules.settle(stored, event)
        assert [state_to_json(change.after) for change in replayed] == [
            state_to_json(change.after) for change in changes
        ]


def test_reasons_can_be_stored(rules):
    for _states, _event, changes in season(rules):
        for change in changes:
            for line in change.because:
                assert json.loads(json.dumps(reason_to_json(line)))["kind"] == line.kind


def test_what_was_before_is_what_was_held(rules):
    for states, _event, changes in season(rules):
        for change in changes:
            if change.player in states:
                assert change.before == states[change.player]


def test_a_number_is_shown_as_a_whole_one_with_a_status_that_fits_the_ledger(rules):
    for _states, event, changes in season(rules):
        for change in changes:
            assert isinstance(rules.shown(change.after), int)
            assert len(rules.status_on(change.after, event.held_on)) <= 16
            assert len(change.after.status) <= 16
    assert rules.shown(State(rating=None)) is None


def test_its_list_has_a_cell_for_every_column(rules):
    *_before, (_states, event, changes) = season(rules)
    codes = {column.code for column in rules.columns()}
    for change in changes:
        cells = cells_of(rules, change.after, event.held_on)
        assert set(cells) == codes
        assert json.loads(json.dumps(cells)) == cells
    assert sum(column.lead for column in rules.columns()) == 1
    codes = [section.code for section in rules.sections(FIRST)]
    assert len(codes) == len(set(codes))


def test_a_yearly_table_moves_who_has_not_played_and_leaves_who_has():
    rules = system("fisf")()
    estimated = rules.newcomer(frozen({"rating": 1400}))
    states = {1: estimated, 2: State(rating=1500, games=9, events=1)}
    table = {str(player): {"rating": 1600} for player in (1, 2, 3)}
    event = Event("t", FIRST, facts=frozen({"players": table}))
    found = {change.player: change for change in changes_of(rules, states, event, START)}
    assert set(found) == {1, 3}
    assert (found[1].before, found[1].after.rating) == (estimated, 1600)
    assert found[1].because[0].effect == 200
    assert (found[3].delta, found[3].because[0].effect) == (None, None)
    assert found[3].after.extra["cotes"] == [[FIRST.isoformat(), 1600]]


@pytest.mark.parametrize(
    "known",
    [s for s in SYSTEMS if s.takes == "games" and s.code != "faizers"],
    ids=lambda s: s.code,
)
def test_a_game_against_oneself_is_refused_with_a_sentence(known):
    """The club ladder never sees one: a match needs two people, says its table."""
    rules = known()
    with pytest.raises(EventRefused, match=r"\.$"):
        rules.settle(starts_of(rules), event_of(rules, 1, [(11, 11, 2)]))


def test_its_example_of_a_start_is_one_it_takes(rules):
    assert isinstance(rules.newcomer(rules.examples.start), State)
    assert set(rules.examples.start) <= set(rules.start_columns)
    assert rules.code == "romania" or not rules.start_doubt(
        rules.newcomer(rules.examples.start), rules.examples.start, date(2026, 9, 1)
    )


def test_nobody_asks_a_system_for_what_the_protocol_does_not_declare():
    """Every capability has a default in the base class: a page never has to look for a method."""
    for path in modules(("clubs", "ratings")):
        asked = re.findall(r"(?:get|has)attr\((?:systems?|known|rules)\b", path.read_text("utf-8"))
        assert not asked, path


def test_nothing_outside_its_folder_imports_a_system_of_its_own():
    """Only the demo may, which makes players of each."""
    own = re.compile(rf"ratings\.systems\.(?:{'|'.join(known.code for known in SYSTEMS)})\b")
    for path in modules(APPS):
        if not {"systems", "demo"} & set(path.parts):
            assert not own.search(path.read_text("utf-8")), path


def test_a_system_adds_no_public_name_that_others_ask_of_it(rules):
    known = {*dir(RatingSystem), *RatingSystem.__annotations__, *(f.name for f in fields(rules))}
    own = {name for name in vars(type(rules)) if not name.startswith("_")} - known
    outside = "\n".join(
        path.read_text("utf-8")
        for path in modules(APPS)
        if "systems" not in path.parts and path.name != "conformance.py"
    )
    assert not [name for name in own if re.search(rf"\bsystem\.{name}\b", outside)]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("fr", "le niveau dont le score attendu est 1 sur 6"),
        ("en", "the level whose expected score is 1 out of 6"),
        ("ro", "nivelul al cărui scor așteptat este 1 din 6"),
    ],
)
def test_a_score_of_one_is_said_without_a_plural(language, said):
    values = {"Elo": 1351, "share": "", "score": 1, "games": 6}
    with override(language):
        _head, formula = part("fesa", "wording").WORDS["performance"](values, "")
    assert formula == said
