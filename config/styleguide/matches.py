"""Values of the pages of a match, of its dispute and of the evening that closes with it."""

from __future__ import annotations

from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

from config.styleguide.evening import AMELIE, KARIM, Row, evening_of, match_of
from config.styleguide.examples import FIXED, NOW, PLAYERS, VERSIONS
from pairings.arbitration.forms import DecisionForm, ForcedClosingForm, ReasonForm
from pairings.matches.forms import DisputeForm, PinForm, ScoreForm
from pairings.rules.match_lifecycle import Lifecycle

ODILE = Row("Odile Kaboré", first_name="Odile")
SHEET = "Le dernier coup d’Amélie (19) manquait au total."


def at(minutes: int) -> datetime:
    return NOW + timedelta(minutes=minutes)


def match_page(status: str = "playing", why: str = "", **values: Any) -> SimpleNamespace:
    """Return a match with what its own pages ask of it."""
    own = {
        "first": AMELIE,
        "second": KARIM,
        "first_score": 389,
        "second_score": 398,
        "is_open": status != "final",
        "proposed_at": at(-54),
        "submitted_at": at(-1),
        "submitted_by_id": KARIM.pk,
        "rule_book": {"number": 3},
        "competition": SimpleNamespace(
            page_url="#",
            page_title="vendredi 20 novembre",
            heading="20 nov. 2026",
            cote_label="Cote projetée",
            unplayed_template="pairings/evenings/_unplayed_match.html",
            winning_games=lambda: 1,
            match_rules=Lifecycle,
        ),
    }
    return SimpleNamespace(**vars(match_of(status, why=why)) | own | values)


def _happened(*events: tuple[int, str, str, str]) -> list[dict[str, Any]]:
    """Return a timeline: minutes from now, event, status after it, words."""
    return [
        {
            "line": {"at": at(minutes), "event": event, "to_status": status},
            "words": words,
        }
        for minutes, event, status, words in events
    ]


ENTERED = (
    (-51, "start", "playing", "Le match commence"),
    (-1, "submit", "submitted", "Karim saisit 398 – 389"),
)


def _match() -> dict[str, Any]:
    """Return a result that became final without an answer and was corrected the next day."""

    def version(first: int, minutes: int, basis: str, reason: str = "") -> dict[str, Any]:
        return {
            "kind": "played",
            "first_score": first,
            "second_score": 398,
            "at": at(minutes),
            "status": "final",
            "basis": basis,
            "reason": reason,
        }

    reply = "Feuille recomptée\u00a0: le résultat est corrigé."
    return {
        "match": match_page("final", "corrected", first_score=408),
        "players": [
            {"name": "Amélie Dufour", "url": "#", "score": 408, "won": True},
            {"name": "Karim Benali", "url": "#", "score": 398},
        ],
        "points": [
            {"name": "Amélie Dufour", "values": [3, "2,5\u00a0%"]},
            {"name": "Karim Benali", "values": [1, "\u22122,5\u00a0%"]},
        ],
        "points_columns": ["PR", "DS"],
        "decisions": [version(389, 4, "expired"), version(408, 802, "corrected", SHEET)],
        "inside": True,
        "access": {"is_arbiter": True},
        "timeline": _happened(
            *ENTERED,
            (4, "expire", "final", "Fin du délai"),
            (22, "contest", "final", "Amélie conteste"),
            (802, "correct", "final", f"Arbitre Odile corrige le résultat ({SHEET})"),
        ),
        "contests": [
            {
                "pk": 27,
                "late": True,
                "closed_at": NOW,
                "words": "Mon dernier coup, 19 points, n’a pas été ajouté.",
                "answer": reply,
            }
        ],
    }


def _why() -> dict[str, Any]:
    lead = "le mieux classé contre le moins bien classé encore libre"
    return {
        "match": match_page(),
        "sentences": {
            "lead": f"Amélie Dufour contre Karim Benali\u00a0: {lead}.",
            "steps": [
                "Pas Béatrice Œhler\u00a0: rencontré trop récemment (il y a 2 matchs)",
                "Pas Léa Müller\u00a0: pour éviter une revanche plus bas",
            ],
            "order": [player[0] for player in PLAYERS[8:]],
        },
    }


def _enter() -> dict[str, Any]:
    return {
        "match": match_page(),
        "me": AMELIE,
        "other": KARIM,
        "other_name": "Karim Benali",
        "other_first_name": "Karim",
        "category": "amethyste",
        "form": ScoreForm(initial={"mine": 389, "theirs": 398, "key": "-"}, low=-200, high=2000),
        "points_scale": {"win": 3, "draw": 2, "loss": 1},
        "absence_possible": True,
    }


def _entered_by_karim() -> dict[str, Any]:
    return {
        "match": match_page("submitted"),
        "me": AMELIE,
        "other": KARIM,
        "other_name": "Karim Benali",
        "other_first_name": "Karim",
        "mine": 389,
        "theirs": 398,
    }


def _confirm() -> dict[str, Any]:
    """Return what Amélie reads of the result that Karim entered."""
    return {
        **_entered_by_karim(),
        "at": NOW,
        "rules": {"tacit_acceptance": True},
        "points": [(AMELIE, {"pr": 1, "ds": -2.31}), (KARIM, {"pr": 3, "ds": 2.31})],
        "projected": 1404,
        "version": 1,
    }


def _same_phone(pin_hash: str) -> dict[str, Any]:
    """Return what Amélie reads when Karim is to answer on Amélie's phone."""
    return {
        "match": match_page("submitted", submitted_by_id=AMELIE.pk),
        "me": AMELIE,
        "other": Row("Karim Benali", **vars(KARIM) | {"pin_hash": pin_hash}),
        "other_name": "Karim Benali",
        "other_first_name": "Karim",
        "mine": 389,
        "theirs": 398,
        "form": PinForm(initial={"version": 1}),
    }


def _pin() -> dict[str, Any]:
    return _same_phone("-")


def _no_pin() -> dict[str, Any]:
    return _same_phone("")


def _contest() -> dict[str, Any]:
    values = {"version": 1, "mine": 408, "theirs": 398, "words": "Mon dernier coup manque."}
    return {
        **_entered_by_karim(),
        "form": DisputeForm(initial=values, low=-200, high=2000),
    }


def _dispute() -> dict[str, Any]:
    """Return a contest that its arbiter has taken, after a second opinion."""
    rows = [
        dict(zip(("rank", "pr", "cote"), row["cells"], strict=True)) | {"member": row["name"]}
        for row in FIXED["effect_rows"]
    ]
    chosen = {"version": "1", "choice": "take", "reason": SHEET}
    match: Any = match_page("contested")
    contest: Any = SimpleNamespace(
        pk=27,
        opened_by=AMELIE,
        opened_at=at(1),
        words="Mon dernier coup, 19 points, n’a pas été ajouté.",
        taken_by=ODILE,
        first_score=408,
        second_score=398,
    )
    question = "Le total de la feuille est-il à refaire avec les deux joueurs\u00a0?"
    return {
        "match": match,
        "contest": contest,
        "heading": "Litige 27, table 4",
        "holder": "me",
        "second_opinion": "to_ask",
        "minutes": 3,
        "versions": VERSIONS,
        "timeline": _happened(*ENTERED, (1, "contest", "contested", "Amélie conteste")),
        "delay": 112,
        "window_min": 5,
        "window": "in_time",
        "form": DecisionForm(match=match, contest=contest, initial=chosen),
        "reason_form": ReasonForm(auto_id="pass_%s"),
        "effect": {"rows": rows, "categories_changed": 0},
        "opinions": [
            {"by_member": ODILE, "asks": True, "at": at(2), "words": question},
            {"by_member": "Thomas Nguyen", "at": at(3), "words": "Oui, c’est l’usage du club."},
        ],
    }


def _closing() -> dict[str, Any]:
    open_matches = [
        match_page("contested"),
        match_page("submitted", first="Léa Müller", second="Béatrice Œhler", table_number=6),
    ]
    return {
        "evening": evening_of("last_games"),
        "tables": [{"match": match, "url": "#"} for match in open_matches],
        "played": 11,
        "excuses": 1,
        "can_close": True,
    }


def _force_closing() -> dict[str, Any]:
    """Return the end of each open match: both versions dropped, an entry kept, an absence noted."""
    contested, submitted = [table["match"] for table in _closing()["tables"]]
    claimed = match_page(
        "absence_claimed",
        first="Paul Lefèvre",
        second="Marie-Christine Vandenbroucke",
        table_number=5,
    )
    return {
        "evening": evening_of("last_games"),
        "match": contested,
        "rows": [
            {
                "match": contested,
                "words": "Annulé\u00a0: aucun point. Les deux joueurs pourront se rencontrer un autre soir.",
                "contested": True,
                "url": "#",
            },
            {
                "match": submitted,
                "words": "Le résultat saisi, 389 – 398, compte sans la réponse de l’adversaire.",
                "url": "#",
            },
            {
                "match": claimed,
                "words": "L’absence signalée est notée\u00a0: Paul Lefèvre.",
                "url": "#",
            },
        ],
        "effect": {
            "rows": [
                {"member": "Marie-Christine Vandenbroucke", "rank": (5, 2), "pr": (19, 22),
                 "cote": (1923, 1923)},
                {"member": "Béatrice Œhler", "rank": (14, 12), "pr": (8, 11), "cote": (1030, 1041)},
                {"member": "Léa Müller", "rank": (12, 12), "pr": (10, 11), "cote": (1015, 1004)},
            ],
            "categories_changed": 0,
        },
        "form": ForcedClosingForm(initial={"seen": "1"}),
        "seen": "1",
    }  # fmt: skip


PAGES = {
    "match": ("pairings/matches/match.html", _match),
    "match_why": ("pairings/matches/match_why.html", _why),
    "enter": ("pairings/matches/result_enter.html", _enter),
    "confirm": ("pairings/matches/result_confirm.html", _confirm),
    "pin": ("pairings/matches/result_pin.html", _pin),
    "no_pin": ("pairings/matches/result_pin.html", _no_pin),
    "contest": ("pairings/matches/result_dispute.html", _contest),
    "dispute": ("pairings/arbitration/dispute.html", _dispute),
    "closing": ("pairings/evenings/evening_close.html", _closing),
    "force_closing": ("pairings/arbitration/force_closing.html", _force_closing),
}
"""Screens that are a page of the site: its template and what returns its values."""
