"""Values of the pages about players and newcomers: a profile, why a cote moves, joining, the first page."""

from __future__ import annotations

from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any

from clubs.members.forms import JoinForm
from config.styleguide.evening import AMELIE, KARIM, Row, card_of, evening_of
from config.styleguide.examples import NOW, after, examples, graph_of_evenings

WEEK = timedelta(days=7)


def _tally(won: int, drawn: int, lost: int, score: float, against: float) -> dict[str, Any]:
    return {
        "won": won,
        "drawn": drawn,
        "lost": lost,
        "played": won + drawn + lost,
        "score": score,
        "against": against,
        "margin": score - against,
    }


def _record(total: dict[str, Any], best: int) -> dict[str, Any]:
    """Return a player's record of two seasons."""
    return {
        "total": total,
        "form": [-1, 1, 1, 0, -1, 1, -1, 1, 1, -1],
        "best_score": {"mine": best, "match_id": 1, "day": date(2026, 10, 30)},
        "best_margin": {"mine": 431, "theirs": 302, "match_id": 1, "day": date(2026, 3, 20)},
        "longest_streak": 4,
        "streak": 0,
        "seasons": [
            ("Saison 2026-2027", _tally(3, 0, 4, 396.6, 401.2)),
            ("Saison 2025-2026", _tally(8, 1, 8, 381.0, 379.4)),
            ("", _tally(1, 0, 1, 402.5, 390.0)),
        ],
    }


def _lines(*games: tuple[str, str, int, int]) -> list[dict[str, Any]]:
    """Return matches as a profile lists them: day, opponent, own score, the other's."""
    return [
        {
            "match": {"status": "final", "how": "confirmed", "competition": {"heading": day}},
            "other": other,
            "mine": mine,
            "theirs": theirs,
            "won": mine - theirs,
            "url": "#",
        }
        for day, other, mine, theirs in games
    ]


def _profile() -> dict[str, Any]:
    """Return the profile of somebody who reads their own, while an evening goes on."""

    def move(no: int, held_on: date, cote: int, delta: int, **others: Any) -> dict[str, Any]:
        return {"entry": {"pk": no, "held_on": held_on}, "after": cote, "delta": delta, **others}

    crossed = {"before": "onyx", "after": "amethyste", "on": date(2026, 3, 20)}
    return {
        "member": AMELIE,
        "own_member": AMELIE,
        "own": True,
        "name": "Amélie Dufour",
        "category": "amethyste",
        "row": after()["row"],
        "over": SimpleNamespace(**vars(evening_of("closed")) | {"held_on": NOW - WEEK}),
        "tabs": [
            {"label": "Cote du club", "url": "#", "current": True},
            {"label": "Classement Classique", "url": "#"},
        ],
        "cote": 1418,
        "projected": 1404,
        "graph": graph_of_evenings(),
        "ahead": [
            {"head": "Topaze à partir de 1700\u00a0: encore 296 points", "article": "FAIZERS IV.B"}
        ],
        "record": _record(_tally(12, 1, 13, 387.2, 386.1), 488),
        "entries": [
            move(3, date(2026, 11, 13), 1418, 8),
            move(2, date(2026, 11, 6), 1410, -2, corrected=True),
            move(1, date(2026, 10, 30), 1412, 1),
        ],
        "badges": [crossed],
        "opponents": [
            {"name": "Karim Benali", "url": "#", "tally": _tally(2, 0, 3, 391, 402)},
            {"name": "Marie-Christine Vandenbroucke", "tally": _tally(0, 1, 2, 372, 431)},
        ],
        "matches": _lines(
            ("20 nov. 2026", "Grégoire Ançay", 429, 511),
            ("20 nov. 2026", "Karim Benali", 389, 398),
            ("13 nov. 2026", "Marie-Christine Vandenbroucke", 412, 412),
            ("6 nov. 2026", "Odile Kaboré", 431, 362),
        ),
        "tournaments": [
            {"name": "Open d’automne", "url": "#", "held_on": NOW, "place": 3, "count": 18}
        ],
    }


def _change() -> dict[str, Any]:
    """Return tonight's two defeats: their effects add up to the change of the cote."""

    def game(name: str, scores: str, cote: int, chance: float, effect: float) -> dict[str, Any]:
        lost = f"{abs(effect):.2f}".replace(".", ",")
        words = f"la défaite retire {lost} à la cote."
        return {
            "head": name,
            "sentence": f"Avec {chance:.0%} de chances de gagner, {words}".replace("%", "\u00a0%"),
            "formula": f"{scores} · cote {cote} · K = 20 · W = 0 · We = {chance}",
            "article": "FAIZERS IV.A",
            "chance": chance,
            "effect": effect,
        }

    return {
        "member": AMELIE,
        "name": "Amélie Dufour",
        "lines": [
            game("Grégoire Ançay", "429 – 511", 1641, 0.22, -4.34),
            game("Karim Benali", "389 – 398", 1433, 0.48, -9.57),
        ],
        "before": 1418,
        "after": 1404,
        "delta": -14,
        "rule_number": 3,
        "projected": True,
    }


def _head_to_head() -> dict[str, Any]:
    lines = _lines(
        ("20 nov. 2026", "Karim Benali", 389, 398),
        ("6 nov. 2026", "Karim Benali", 402, 377),
        ("16 oct. 2026", "Karim Benali", 365, 440),
    )
    return {
        "a": AMELIE,
        "b": KARIM,
        "a_name": "Amélie Dufour",
        "b_name": "Karim Benali",
        "lines": lines,
        "won": 1,
        "drawn": 0,
        "lost": 2,
        "sides": [
            _record(_tally(12, 1, 13, 387.2, 386.1), 488),
            _record(_tally(9, 0, 8, 379.5, 381.0), 452),
        ],
        "cotes": (1418, 1433),
    }


def _guest_end() -> dict[str, Any]:
    """Return the card of a guest who stopped for the evening."""
    return {
        "card": SimpleNamespace(**vars(card_of("left")) | {"has_ended": True}),
        "evening": evening_of(),
        "rooms": [evening_of()],
        "may_act": True,
        "access": {"guest": Row("Gus", is_guest=True)},
        "tonight": after()["tonight"],
    }


def _join() -> dict[str, Any]:
    return {"form": JoinForm(age=15)}


def _join_as_guest() -> dict[str, Any]:
    known = {"first_name": "Gus", "last_name": "M."}
    return {"form": JoinForm(age=15, initial=known), "guest": Row("Gus M.")}


def _portal() -> dict[str, Any]:
    """Return the first page of a demo site: a club with an evening in progress, one without."""

    def club(name: str, game: str, **others: Any) -> dict[str, Any]:
        about = {"name": name, "game": game, "place": "Lille", "time_zone": "Europe/Paris"}
        return {"club": about, "url": "#", "ranking_url": "#", "join_url": "#", **others}

    tonight = SimpleNamespace(**vars(evening_of()) | {"present": 14})
    eight = NOW.replace(hour=20, minute=0)
    coming = [
        SimpleNamespace(held_on=day, starts_at=day, place="Salle des fêtes")
        for day in (eight + WEEK, eight + 2 * WEEK)
    ]
    roles = (
        ("amelie", "Amélie", "à table, saisit le score"),
        ("gregoire", "Grégoire", "son adversaire, confirme"),
        ("odile", "Odile", "arbitre"),
        ("helene", "Hélène", "comité"),
    )
    people = [{"account": account, "name": name, "role": role} for account, name, role in roles]
    clubs = [
        club(
            "FAIZERS",
            "Scrabble",
            running=[{"evening": tonight, "url": "#", "wall_url": "#"}],
            coming=coming,
            calendar_url="#",
            rows=[row | {"own": False} for row in examples()["rows"][:5]],
        ),
        club("Le Dragon ailé", "Shogi", calendar_url="#"),
    ]
    return {
        "club": None,
        "nav": {"main": [], "roles": [], "account": [], "footer": []},
        "parts": [
            {"template": "pairings/home/_home_demo.html", "parts": people, "url": "#"},
            {"template": "pairings/home/_portal_clubs.html", "clubs": clubs},
        ],
        "organisations": [
            {"slug": "faizers", "name": "FAIZERS", "get_kind_display": "Club"},
            {"slug": "ligue", "name": "Ligue du Nord", "get_kind_display": "Fédération"},
        ],
    }


PAGES = {
    "profile": ("pairings/players/player.html", _profile),
    "change": ("pairings/players/change.html", _change),
    "head_to_head": ("pairings/players/head_to_head.html", _head_to_head),
    "guest_end": ("pairings/evenings/my_evening.html", _guest_end),
    "join": ("clubs/members/join.html", _join),
    "join_as_guest": ("clubs/members/join.html", _join_as_guest),
    "portal": ("clubs/organisations/portal.html", _portal),
}
"""Screens that are a page of the site: its template and what returns its values."""
