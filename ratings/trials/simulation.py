"""Trying a draft of the rules on games already played: who would move, how well it predicts.

Nothing is written and no pairing is computed again: the games are fixed. The list is replayed in one
pass: as it was rated and, from a given day, under the rules in force now, under the draft, and under
the draft with another value of each number that its system names in `tried`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from clubs.organisations.models import Organisation
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from ratings.ledger import replay
from ratings.ledger.impact import changed_labels, labels_of
from ratings.ledger.models import Period, RatingList
from ratings.ledger.propagation import changes_in
from ratings.ledger.timeline import START
from ratings.registries import SIMULATED_STANDINGS
from ratings.systems.columns import ListSection, section_of
from ratings.systems.protocol import RatingSystem, State
from ratings.trials.prediction import Predictions, candidates_of, report

Places = Mapping[int, int]


def simulate(
    rating_list: RatingList,
    draft: RuleBook,
    *,
    since: date,
    at: datetime,
    each: Callable[[Period], None] | None = None,
) -> dict[str, Any]:
    """Return the report of a draft tried on a list from a given day, as JSON values.

    `at` says which rules are in force: those that the draft is compared with.
    Raises LedgerRefused, naming the period, where the draft cannot rate what was played.
    """
    tried_rules = rulebooks.rules(draft, rating_list.system, "cote")
    present_rules = rulebooks.rules_at(rating_list.organisation, rating_list.system, "cote", at)
    rated: dict[int, State] = {}
    present: dict[int, State] = {}
    tried: dict[int, State] = {}
    before, after = Predictions(), Predictions()
    others = candidates_of(tried_rules)
    walks = [(present_rules, present, before), (tried_rules, tried, after)]
    walks += [
        walk for one in others for walk in zip(one.rules, one.states, one.records, strict=True)
    ]
    periods = games = 0
    for period, event, changes in replay.run(rating_list, states=rated):
        if each is not None:
            each(period)
        if event.held_on < since:
            for _rules, states, _record in walks:
                states.update((change.player, change.after) for change in changes)
            continue
        for rules, states, record in walks:
            other = changes_in(period, rules, states, event)
            states.update((change.player, change.after) for change in other)
            if period.kind != START:
                record.add(other)
        if period.kind == START:  # no game is counted in it
            continue
        periods += 1
        games += len(event.games) or len(event.placings)
    today = at.astimezone(rating_list.organisation.zone).date()
    rows = _rows(present_rules, tried_rules, rated, tried, today)
    return {
        "since": since.isoformat(),
        "periods": periods,
        "games": games,
        "rows": rows,
        "prediction": report(before, after, others),
        "labels": _labels(rows),
    }


def standings(organisation: Organisation, draft: RuleBook, on: date) -> dict[str, object] | None:
    """Return places in the club's own ranking under both rules, where the scope has one."""
    make = SIMULATED_STANDINGS.get(draft.scope)
    comparison = make(organisation, draft, on) if make is not None else None
    if comparison is None:
        return None
    label, before, after = comparison
    moved = [[pk, before[pk], after[pk]] for pk in before if before[pk] != after.get(pk)]
    return {"label": label, "players": len(before), "moved": sorted(moved, key=lambda m: m[2])}


def _rows(
    present_rules: RatingSystem,
    tried_rules: RatingSystem,
    final_states: Mapping[int, State],
    tried: Mapping[int, State],
    on: date,
) -> list[dict[str, object]]:
    """Return each player's cote, rank and label as the list has them that day, and by the draft."""
    shown = {
        side: {pk: present_rules.shown(state) for pk, state in states.items()}
        for side, states in (("before", final_states), ("after", tried))
    }
    ranks = {
        "before": _ranks(present_rules.sections(on), final_states, shown["before"]),
        "after": _ranks(tried_rules.sections(on), tried, shown["after"]),
    }
    rows: list[dict[str, object]] = []
    for pk in sorted(final_states, key=int):
        present_labels = labels_of(present_rules, final_states[pk], on)
        tried_labels = labels_of(tried_rules, tried.get(pk), on)
        rows.append(
            {
                "member": int(pk),
                "cote": [shown["before"].get(pk), shown["after"].get(pk)],
                "rank": [ranks["before"].get(pk), ranks["after"].get(pk)],
                "label": [_first(present_labels), _first(tried_labels)],
                "labels": changed_labels(present_labels, tried_labels),
            }
        )
    return rows


def _first(labels: Mapping[str, object]) -> str:
    """Return the category, series, grade or status: the first that the system names."""
    return next((str(value) for value in labels.values() if value), "")


def _ranks(
    sections: Sequence[ListSection],
    states: Mapping[int, State],
    numbers: Mapping[int, int | None],
) -> dict[int, int]:
    """Return the rank of each in the part of the list where they stand; nobody's who is in none."""
    by_section: dict[str, list[tuple[int, int]]] = {}
    for pk, state in states.items():
        code, number = section_of(sections, state), numbers[pk]
        if code is not None and number is not None:
            by_section.setdefault(code, []).append((number, pk))
    ranks: dict[int, int] = {}
    for players in by_section.values():
        first: dict[int, int] = {}
        for place, (number, pk) in enumerate(sorted(players, reverse=True), start=1):
            ranks[pk] = first.setdefault(number, place)
    return ranks


def _labels(rows: list[dict[str, Any]]) -> list[list[object]]:
    """Return [label, how many before, how many after], ordered by the best player of each label."""
    label_counts: dict[str, list[int]] = {}
    for row in sorted(rows, key=lambda row: -(row["cote"][0] or 0)):
        for side in (0, 1):
            if row["label"][side]:
                label_counts.setdefault(row["label"][side], [0, 0])[side] += 1
    return [[label, *counts] for label, counts in label_counts.items()]
