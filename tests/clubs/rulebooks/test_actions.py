"""Versions of the rules: a draft, its adoption, the version in force on a date and in an evening."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from clubs.journal.models import JournalEntry
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.actions import RuleRefused
from clubs.rulebooks.models import RuleBook
from tests.refusals import refused

pytestmark = pytest.mark.django_db
SCOPE = "faizers"


def number_line():
    """A whole number of the pairing rules whose value may be one more."""
    return next(
        line
        for line in rulebooks.lines(None, SCOPE)
        if line.part == "pairing"
        and type(line.default) is int
        and line.default > 0
        and not line.words.choices
        and (line.words.maximum is None or line.default + 2 <= line.words.maximum)
    )


@pytest.fixture
def line(club):
    return number_line()


def draft(club, values, at=None) -> RuleBook:
    return club.draft_rules(values, code=SCOPE, at=at)


def adopt(club, held, starts, **changes) -> RuleBook:
    given = {"reason": "Vote du comité", "voted_by": "Comité", "at": club.at, **changes}
    return club.adopt(held, starts, **given)


def test_a_draft_keeps_only_what_differs(club, line):
    everything: dict = {}
    for one in rulebooks.lines(None, SCOPE):
        everything.setdefault(one.part, {})[one.name] = one.default
    everything[line.part][line.name] = line.default + 1
    held = draft(club, everything)
    held.refresh_from_db()
    assert held.values == {line.part: {line.name: line.default + 1}}


def test_a_draft_put_back_to_the_document_is_empty(club, line):
    first = draft(club, {line.part: {line.name: line.default + 1}})
    again = draft(club, {line.part: {line.name: line.default}})
    assert (again.pk, again.values) == (first.pk, {})


def test_there_are_never_two_drafts(club, line):
    first = draft(club, {line.part: {line.name: line.default + 1}})
    second = draft(club, {line.part: {line.name: line.default + 2}})
    assert first.pk == second.pk
    assert RuleBook.objects.of(club.organisation, SCOPE).drafts().count() == 1
    with pytest.raises(IntegrityError, match=r"one_rule_draft|UNIQUE"), transaction.atomic():
        RuleBook.objects.create(
            organisation=club.organisation, scope=SCOPE, number=99, created_at=club.at
        )


def test_two_clubs_each_have_their_draft(club, other_club, line):
    mine = draft(club, {line.part: {line.name: line.default + 1}})
    theirs = draft(other_club, {})
    assert mine.pk != theirs.pk
    adopt(club, mine, club.at)
    assert rulebooks.in_force(other_club.organisation, SCOPE, club.at) is None


def test_adoption_freezes_a_version(club, line):
    held = adopt(club, draft(club, {line.part: {line.name: line.default + 1}}), club.at)
    assert held.adopted_at == club.at
    with refused("stale"):
        adopt(club, held, club.at + timedelta(days=1))
    with refused("stale"):
        rulebooks.drop(draft=held, by=club.committee, at=club.at)
    following = draft(club, {line.part: {line.name: line.default + 2}})
    held.refresh_from_db()
    assert (following.number, held.number) == (2, 1)
    assert held.values == {line.part: {line.name: line.default + 1}}
    last = JournalEntry.objects.filter(organisation=club.organisation, verb="rule_adopted").get()
    assert (last.subject, last.reason) == (f"rulebook:{held.pk}", "Vote du comité")


def test_a_past_date_is_refused_with_a_sentence(club, line):
    held = draft(club, {line.part: {line.name: line.default + 1}})
    with pytest.raises(RuleRefused, match="passé") as refusal:
        adopt(club, held, club.at - timedelta(seconds=1))
    assert refusal.value.code == "past_date"
    held.refresh_from_db()
    assert held.adopted_at is None


def test_an_adoption_without_a_reason_is_refused(club, line):
    held = draft(club, {line.part: {line.name: line.default + 1}})
    with refused("reason_required"):
        adopt(club, held, club.at, reason="   ")


def test_a_dropped_draft_is_never_in_force(club, line):
    held = draft(club, {line.part: {line.name: line.default + 1}})
    rulebooks.drop(draft=held, by=club.committee, at=club.at)
    with refused("stale"):
        adopt(club, held, club.at)
    assert rulebooks.in_force(club.organisation, SCOPE, club.at + timedelta(days=99)) is None


def test_the_version_in_force_follows_the_date(club, line):
    def value(days: int) -> int:
        moment = club.at + timedelta(days=days)
        rules = rulebooks.rules_at(club.organisation, SCOPE, line.part, moment)
        return getattr(rules, line.name)

    one = draft(club, {line.part: {line.name: line.default + 1}})
    assert value(30) == line.default
    adopt(club, one, club.at + timedelta(days=7))
    two = draft(club, {line.part: {line.name: line.default + 2}})
    adopt(club, two, club.at + timedelta(days=14))
    assert [value(days) - line.default for days in (0, 6, 7, 13, 14, 30)] == [0, 0, 1, 1, 2, 2]


def test_an_evening_keeps_the_version_of_its_opening(club, line):
    adopt(club, draft(club, {line.part: {line.name: line.default + 1}}), club.at)
    club.evening.refresh_from_db()
    assert club.evening.rule_book is None
    first = RuleBook.objects.get(number=1)
    club.close()
    evening = club.next_evening()
    assert evening.rule_book == first
    adopt(
        club,
        draft(club, {line.part: {line.name: line.default + 2}}),
        club.at + timedelta(minutes=1),
    )
    club.at += timedelta(hours=1)
    match, _players = club.match()
    evening.refresh_from_db()
    match.refresh_from_db()
    assert (evening.rule_book, match.rule_book) == (first, first)
    assert rulebooks.in_force(club.organisation, SCOPE, club.at).number == 2


@pytest.mark.parametrize(
    "values",
    [
        {"pairing": {"no_such_number": 1}},
        {"match": {"no_such_number": 1}},
    ],
)
def test_an_unknown_number_is_refused(club, values):
    with refused("rule_value"):
        draft(club, values)
    assert not RuleBook.objects.of(club.organisation, SCOPE).exists()


@pytest.mark.parametrize(
    ("part", "values"),
    [
        ("cote", {"k_intermediate_from": 1900, "k_expert_from": 1400}),
        ("cote", {"topaze_from": 1400, "amethyste_from": 1700}),
        ("cote", {"divisor": 0}),
    ],
)
def test_values_that_cannot_be_are_refused_with_a_sentence(club, part, values):
    with pytest.raises(RuleRefused, match=" ") as refusal:
        draft(club, {part: values})
    assert refusal.value.code == "rule_value"
    assert not RuleBook.objects.of(club.organisation, SCOPE).exists()


@pytest.mark.parametrize(
    ("part", "name", "value", "words"),
    [
        ("cote", "k_expert", 101, "au plus 100"),
        ("cote", "k_expert", 0, "au moins 1"),
        ("cote", "k_expert", 12.5, "nombre entier"),
        ("cote", "divisor", "beaucoup", "pas un nombre"),
        ("cote", "divisor", None, "donnez une valeur"),
        ("cote", "alpha", 1.0001, "au plus 1"),
        ("cote", "ds_in_rating", "median", "réponses proposées"),
        ("cote", "rate_forfeits", "oui", "oui ou par non"),
        ("pairing", "strategy", "no such way", "réponses proposées"),
        ("pairing", "bye_ds", "100.5", "au plus 100"),
        ("pairing", "ds_weights", [["played", 1], ["bye", -1]], "au moins 0"),
        ("pairing", "ds_weights", [1, 2, 3], "un nom, le signe =, un nombre"),
        ("pairing", "ds_weights", 7, "un nom, le signe =, un nombre"),
        ("pairing", "pr_win", 10**30, "au plus 1000000"),
        ("cote", "diamant_from", 10**400, "au plus 1000000"),
        ("pairing", "form_window_days", 10**6, "au plus 3660"),
        ("match", "contest_window_s", -1, "au moins"),
    ],
)
def test_a_value_out_of_its_bounds_is_refused_by_name_whoever_sends_it(
    club, part, name, value, words
):
    with pytest.raises(RuleRefused, match=words) as refusal:
        draft(club, {part: {name: value}})
    label = next(one.words.label for one in rulebooks.lines(None, SCOPE) if one.name == name)
    assert label in str(refusal.value)
    assert (refusal.value.code, refusal.value.field) == ("rule_value", f"{part}-{name}")
    assert not RuleBook.objects.of(club.organisation, SCOPE).exists()


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("cote", "k_expert", 1),
        ("cote", "k_expert", 100),
        ("cote", "floor", None),
        ("cote", "alpha", 0.2),
        ("pairing", "bye_ds", None),
        ("pairing", "bye_ds", "100"),
        ("pairing", "strategy", "optimal"),
        ("pairing", "ds_weights", {"bye": 0}),
        ("pairing", "pdi_ignore_groups", [[1, 2, 3]]),
    ],
)
def test_a_value_on_its_bound_is_kept(club, part, name, value):
    assert list(draft(club, {part: {name: value}}).values[part]) == [name]


def test_a_weight_of_an_unknown_kind_of_match_is_refused_in_french(club):
    with pytest.raises(RuleRefused, match="sorte de match"):
        draft(club, {"pairing": {"ds_weights": [["friendly", 1]]}})


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("thresholds", [["a", 3], ["b", 5]], "a = 3.*pas un nombre"),
        ("thresholds", [4, ["b", 5]], "b = 5.*pas un nombre"),
        ("thresholds", [4, 11.5], "nombre entier"),
        ("start_table", [["1-50", 1950.5]], "nombre entier"),
        ("start_joker", -1, "au moins 0"),
        ("start_lowest", -1, "au moins 0"),
        ("start_first", 4001, "au plus 4000"),
    ],
)
def test_a_list_of_whole_numbers_and_a_starting_cote_hold_what_the_rating_can_use(
    club, name, value, words
):
    with pytest.raises(RuleRefused, match=words) as refusal:
        club.draft_rules({"cote": {name: value}}, code="fisf")
    assert refusal.value.field == f"cote-{name}"


@pytest.mark.parametrize(("name", "value"), [("start_joker", 0), ("start_first", 4000)])
def test_a_starting_cote_on_its_bound_is_kept(club, name, value):
    assert club.draft_rules({"cote": {name: value}}, code="fisf").values == {"cote": {name: value}}
