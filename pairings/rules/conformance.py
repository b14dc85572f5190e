"""`match`: the match lifecycle, a list of events and the effect of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clubs.rulebooks.fields import with_values
from pairings.rules.match_lifecycle import Lifecycle
from pairings.rules.match_state import Act, Ending, Event, Kind, MatchState, Result, Status
from ratings.systems.conformance import Functions, keys


def events(values: Mapping[str, Any]) -> dict[str, Any]:
    rules: Lifecycle = with_values(Lifecycle, values.get("settings") or {})
    state = _start(values)
    steps: list[dict[str, Any]] = []
    archive: list[list[str]] = []
    for event in values.get("events", []):
        step = rules.apply(state, _act(event))
        archive += [
            [str(line.event), line.from_status.value, line.to_status.value] for line in step.lines
        ]
        state = step.after
        if step.ok:
            steps.append(
                {
                    "ok": True,
                    "state": state.status.value,
                    "why": _value(state.why),
                    "rev": state.rev,
                }
            )
        else:
            steps.append({"ok": False, "code": step.code, "state": state.status.value})
    return {
        "steps": steps,
        "state": state.status.value,
        "result": state.result.to_json() if state.result else None,
        "why": _value(state.why),
        "archive": archive,
    }


def _start(values: Mapping[str, object]) -> MatchState:
    first, second = values.get("a", "A"), values.get("b", "B")
    if values.get("kind") == "bye":
        return MatchState(
            first=first, second=None, status=Status.FINAL, result=Result(Kind.BYE), why=Ending.BYE
        )
    return MatchState(first=first, second=second)


def _act(event: Mapping[str, Any]) -> Act:
    return Act(
        type=event["type"],
        by=event.get("by", "system"),
        role=event.get("role", "system"),
        at=event["at"],
        result=_entered(event),
        reason=event.get("reason") or "",
    )


def _entered(event: Mapping[str, Any]) -> Result | None:
    """Return the result of an event: decided, an absence, or two scores."""
    if event["type"] in (Event.DECIDE, Event.CORRECT):
        return _result(event["result"]) if event.get("result") is not None else None
    kind = Kind.ABSENT if event["type"] == Event.MARK_ABSENT else Kind.PLAYED
    return _result({"kind": kind, **event})


def _value(why: Ending | None) -> str | None:
    return None if why is None else why.value


def _result(values: Mapping[str, Any]) -> Result:
    return Result(
        values["kind"],
        values.get("sa"),
        values.get("sb"),
        values.get("absent"),
        bool(values.get("justified", False)),
    )


RESULT = keys("kind sa sb absent justified")

FUNCTIONS: Functions = {
    "match": {
        "events": (
            events,
            keys(
                "a b kind settings",
                events=[keys("type by role at sa sb reason absent justified", result=RESULT)],
            ),
        ),
    },
}
