"""Values of the screens: the player's card in every state, the arbiter's queue, the banners."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from config.styleguide.examples import NOW, VERSIONS, after

LATER = NOW + timedelta(minutes=4)
ENDINGS = (
    ("played", "final", "confirmed"),
    ("played", "final", "expired"),
    ("played", "final", "arbiter"),
    ("played", "final", "corrected"),
    ("absent", "final", ""),
    ("absent", "void", ""),
    ("bye", "final", ""),
)
"""Kind, status and reason of a match that has ended: each has its own words on the card."""
STATES = (
    *("stranger", "guest_waiting", "guest_refused", "arrive", "before_start", "waiting", "called"),
    *("playing", "sent", "to_confirm", "agreed", "absence_sent", "absence_to_answer", "contested"),
    *("paused", "suspended", "last_games", "closing", "left", "recap", "none"),
)


class Row(str):
    """A row that prints itself, with the values that a template asks of it."""

    pk: int

    def __new__(cls, words: str, **values: object) -> Row:
        row = super().__new__(cls, words)
        vars(row).update(values)
        return row


def match_of(status: str = "playing", kind: str = "played", why: str = "") -> SimpleNamespace:
    """Return a match as pages read one."""
    return SimpleNamespace(
        pk=1,
        status=status,
        kind=kind,
        why=why,
        how=why or "confirmed",
        table_number=4,
        first="Amélie Dufour",
        second="Karim Benali",
        started_at=NOW - timedelta(minutes=51),
        submitted_at=NOW,
        contest_until=LATER,
        ended_at=NOW,
        evening=evening_of(),
        get_absolute_url="#",
    )


def evening_of(state: str = "running") -> SimpleNamespace:
    """Return an evening as pages read one."""
    return SimpleNamespace(
        pk=1,
        state=state,
        held_on=NOW,
        starts_at=NOW,
        place="Salle des fêtes",
        apart="",
        address=f"{NOW:%Y-%m-%d}",
        board_code="7QK2",
        is_live=state not in ("planned", "closed", "cancelled"),
        auto_pair=True,
    )


def card_of(state: str, match: object = None) -> SimpleNamespace:
    """Return what one state of the card reads."""
    return SimpleNamespace(
        state=state,
        match=match,
        free_others=3,
        upcoming=evening_of(),
        check_in=SimpleNamespace(paused_until=LATER),
        contest=SimpleNamespace(words="La feuille de match porte 408."),
        suspension=SimpleNamespace(left=2, reason="Trois absences non justifiées."),
        has_ended=False,
    )


def cards() -> dict[str, object]:
    """Return the card of "Ma soirée" in every state, a result once for each way to end."""
    shown = after()
    summary = SimpleNamespace(evening=evening_of("closed"), **shown["summary"])
    match_cards = [card_of(state, match_of()) for state in STATES]
    match_cards += [card_of("result", match_of(status, kind, why)) for kind, status, why in ENDINGS]
    figures = {name: shown[name] for name in ("row", "since", "pr_won", "cote_won", "why_url")}
    return figures | {
        "cards": match_cards,
        "mine": shown["mine"],
        "theirs": shown["theirs"],
        "other_name": "Karim Benali",
        "other_first_name": "Karim",
        "category": "amethyste",
        "evening": evening_of(),
        "rooms": [evening_of()],
        "recap": summary,
        "versions": VERSIONS,
        "access": {"member": {"pk": 1}},
        "may_act": True,
        "at": NOW,
        "left": 252,
        "total": 300,
        "rules": {"tacit_acceptance": True},
        "absence_from": LATER,
    }


def control() -> dict[str, object]:
    """Return what the page of an evening shows its arbiter."""

    def task(key: str, icon: str, words: str, label: str, **values: Any) -> dict[str, object]:
        since = NOW - timedelta(minutes=values.pop("minutes"))
        return {
            "key": key, "icon": icon, "words": words, "label": label, "url": "#", "since": since,
            "match": match_of("contested"), "waits": "Amélie et Karim attendent depuis", **values,
        }  # fmt: skip

    return {
        "evening": evening_of(),
        "at": NOW,
        "tasks": [
            task("c1", "gavel", "Amélie D. – Karim B.", "Trancher", minutes=65, taken_by=True),
            task("a1", "user-x", "Odile K. absente", "Constater", minutes=12, asked=True),
        ],
        "undoable": [{"match": match_of(), "words": "Forfait à la table 2, 20:41"}],
        "open_matches": 2,
        "tables": [
            {"match": match_of("proposed"), "url": "#", "since": NOW - timedelta(minutes=3)},
            {"match": match_of("contested"), "url": "#", "since": NOW - timedelta(minutes=24)},
        ],
        "guest_requests": [Row("Gus", pk=1, asked_at=NOW - timedelta(minutes=5))],
        "waiting": [
            SimpleNamespace(
                member_id=no, member=Row(name, is_guest=no == 2), waiting_since=NOW - passed
            )
            for no, name, passed in (
                (1, "Sofia Haddad", timedelta(minutes=9)),
                (2, "Gus", timedelta(minutes=2)),
            )
        ],
        "paused": [SimpleNamespace(member="Léa Müller")],
        "present": 14,
    }


def banners() -> dict[str, object]:
    """Return what pages say above their content, and a long act at each step."""
    job: dict[str, object] = {
        "is_open": False,
        "is_lost": False,
        "percent": 40,
        "done": 4,
        "total": 10,
    }
    return {
        "obstacles": [
            {"grace_until": NOW + timedelta(days=14)},
            {"obstacle": "set_up"},
            {"obstacle": "prove"},
        ],
        "messages": [
            Row("Vos réglages sont enregistrés.", level_tag="success"),
            Row("Ce score est rare\u00a0: vérifiez la feuille.", level_tag="warning"),
            Row("Le délai est passé à 20:47.", level_tag="error"),
        ],
        "jobs": [
            job | {"is_open": True, "state": "waiting"},
            job | {"is_open": True, "state": "running"},
            job | {"is_lost": True},
            job | {"state": "failed", "words": "Ligne 12 : la licence est en double."},
            job | {"state": "cancelled"},
        ],
        "checks": [
            None,
            {"holds": True, "seq": 340, "checked_at": NOW},
            {"holds": False, "breach_seq": 12, "checked_at": NOW},
        ],
        "seq": 341,
        "head": "7f3a91c2",
        "push_key": "-",
    }
