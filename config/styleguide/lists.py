"""Values of whole pages that list things: devices, keys, webhooks, persons, hand-overs."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from django.core.paginator import Paginator

from clubs.notifications.forms import ChoicesForm
from clubs.persons.matching import People
from config.styleguide.evening import Row, evening_of
from config.styleguide.examples import NOW, PLAYERS, ExampleForm, graph_of_evenings
from ratings.editions.forms import PublishForm
from ratings.names.forms import shown_forms
from ratings.names.queries import Candidate, OpenName

FIREFOX = "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0"
PHONE = "Mozilla/5.0 (Linux; Android 15; Mobile) Chrome/142.0 Mobile Safari/537.36"
WEEK = timedelta(days=7)


def _notifications() -> dict[str, Any]:
    return {"form": ChoicesForm(), "push_key": "-", "devices": 2}


def _devices() -> dict[str, Any]:
    seen = {"created_at": NOW - WEEK, "last_seen_at": NOW}
    sessions = [
        {"pk": 1, "user_agent": PHONE, "is_current": True, **seen},
        {"pk": 2, "user_agent": FIREFOX, "is_current": False, **seen},
    ]
    return {"sessions": sessions, "session_count": len(sessions)}


def _passkeys() -> dict[str, Any]:
    keys = [
        {"pk": 1, "wrap": {"name": "Téléphone"}, "created_at": NOW - WEEK, "last_used_at": NOW},
        {"pk": 2, "wrap": {"name": "Clé USB"}, "created_at": NOW, "last_used_at": None},
    ]
    return {"authenticators": keys}


def _tokens() -> dict[str, Any]:
    tokens = [
        {"pk": 1, "name": "Écran du hall", "scope_words": ["lire", "saisir un résultat"],
         "expires_at": NOW + 12 * WEEK, "last_used_at": NOW},
        {"pk": 2, "name": "Tableur", "scope_words": ["lire"], "expires_at": NOW + WEEK},
    ]  # fmt: skip
    return {"tokens": tokens, "key": "faizers_2kq7…", "form": ExampleForm()}


def _webhooks() -> dict[str, Any]:
    webhooks = [
        {"pk": 1, "address": "https://example.org/soirees", "is_on": True, "waiting": 2},
        {"pk": 2, "address": "https://example.net/mur", "is_on": False, "given_up": 1},
    ]
    return {"webhooks": webhooks, "form": ExampleForm()}


def _webhook() -> dict[str, Any]:
    def sent(no: int, state: str, words: str, **others: Any) -> dict[str, Any]:
        shown = {"pk": no, "created_at": NOW, "state": state, "get_state_display": words}
        return shown | {"tries": 3, "due_at": NOW + WEEK} | others

    lines = [
        (sent(1, "waiting", "en attente"), "un résultat est définitif", "pas de réponse"),
        (sent(2, "delivered", "arrivé", tries=1), "une soirée est clôturée", "200"),
        (sent(3, "given_up", "abandonné"), "une soirée est clôturée", "pas de connexion"),
    ]
    page = Paginator(lines, 50).page(1)
    return {"webhook": {"pk": 1}, "lines": lines, "page": page, "form": ExampleForm()}


def _open_name(no: int, *, known: bool) -> OpenName:
    name = "Marie-Christine Vandenbroucke"
    member: Any = SimpleNamespace(pk=7, full_name=name, number=7)
    person: Any = SimpleNamespace(licence="1204411", club="Lille", country="FRA")
    return OpenName(
        key=f"k{no}",
        name="VANDENBROUCKE M.",
        licence="1204411" if known else "",
        line=no,
        why="ce nom n’est écrit ainsi nulle part",
        candidates=[Candidate(member, person, ("Tournoi de Lille", NOW))] if known else [],
    )


def _persons() -> dict[str, Any]:
    rows = [_open_name(4, known=True), _open_name(9, known=False)]
    return {
        "draft": {"pk": 1, "label": "Tournoi de Lille", "file_name": "lille.csv", "version": 1},
        "list": {"slug": "duplicate"},
        "forms": shown_forms(rows, (), people=People.of(())),
        "page": Paginator(rows, 20).page(1),
        "chosen": [("k1", "HADDAD Sofia", "Sofia Haddad, nº 3")],
    }


def _licences() -> dict[str, Any]:
    return {
        "draft": {"pk": 1, "file_name": "licences.csv", "encoding": "UTF-8"},
        "counts": {"new": 12, "joined": 3, "changed": 4, "same": 180, "left_out": 1},
        "left_out": [
            {"number": 12, "name": "Nora Neuf", "problems": ["même licence qu’à la ligne 3"]}
        ],
        "joined": [{"name": "Sofia Haddad", "values": {"licence": "1204411"}}],
        "total": 199,
    }


def _hand_over(no: int, state: str, words: str, **others: Any) -> SimpleNamespace:
    return SimpleNamespace(
        pk=no,
        label="Soirée du 20 novembre",
        club={"name": "FAIZERS"},
        held_on=NOW,
        rating_list={"name": "Duplicate"},
        state=state,
        words=words,
        **{"is_corrected": False, "reason": "", "version": 1, "facts": {}} | others,
    )


def _handovers() -> dict[str, Any]:
    return {
        "waiting": [
            _hand_over(1, "sent", "à examiner"),
            _hand_over(2, "accepted", "corrigée par le club", is_corrected=True),
        ],
        "answered": [
            _hand_over(3, "accepted", "acceptée"),
            _hand_over(4, "returned", "retournée"),
        ],
    }


def _handover() -> dict[str, Any]:
    handover = _hand_over(1, "sent", "à examiner", reason="Il manque la ronde 3.")
    return {
        "held": handover,
        "list": {"slug": "duplicate", "name": "Duplicate"},
        "facts": [("Rondes", 7), ("Joueurs", 16), ("Arbitre", "Nadia Chraïbi")],
        "changes": [("Amélie Dufour – Karim Benali", "389 – 398", "408 – 398")],
        "form": ExampleForm(),
        "deliveries": [{"number": 1, "sent_at": NOW - WEEK}, {"number": 2, "sent_at": NOW}],
        "games": [(1, "Amélie Dufour", "Karim Benali", "408 – 398")],
        "players": [("Amélie Dufour", "1204410"), ("Karim Benali", "")],
    }


def _desk() -> dict[str, Any]:
    states = ("waiting", "playing", "", "left")
    rows = [
        {
            "member": Row(player[0], pk=no, number=100 + no, is_guest=no == 3),
            "state": state,
            "suspension": {"left": 2} if state == "left" else None,
        }
        for no, (player, state) in enumerate(zip(PLAYERS, states, strict=False), start=1)
    ]
    return {
        "evening": evening_of(),
        "rows": rows,
        "guest_form": ExampleForm(),
        "doors_open": True,
        "present": 2,
    }


def _rules_diff() -> dict[str, Any]:
    changes = [
        {"label": "Part α de la différence de score", "old": "0", "new": "0,1",
         "article": "FAIZERS IV.C"},
        {"label": "Délai avant de signaler une absence", "old": "15", "new": "10",
         "unit": "minutes", "article": "FAIZERS II.A.2"},
    ]  # fmt: skip
    return {"old": 1, "new": 2, "changes": changes}


def _rated_player() -> dict[str, Any]:
    def move(title: str, after: int, delta: int | None, **others: Any) -> dict[str, Any]:
        entry = {"period": {"title": title}, "held_on": NOW}
        return {"entry": entry, "after": after, "delta": delta, "url": "#", **others}

    moves = [
        move("Tournoi homologué de Aix-les-Bains", 1918, 16, corrected=True),
        move("Tournoi homologué de La Rochelle", 1902, -2, notes=["première du barème"]),
        move("Cotes de départ", 1904, None),
    ]
    page = Paginator(moves, 20).page(1)
    return {
        "list": {"slug": "fisf", "name": "Classement international Classique"},
        "name": "Marie-Christine Vandenbroucke",
        "cells": [("Parties", "", "35"), ("K", "", "10")],
        "shown": 1918,
        "graph": graph_of_evenings(),
        "moves": page,
        "page": page,
    }


def _publish() -> dict[str, Any]:
    """Return the preview of a club's ranking, with one line of the checklist that does not block."""

    def column(code: str, label: str, kind: str = "integer", **others: Any) -> SimpleNamespace:
        values = {"lead": False, "places": 0} | others
        return SimpleNamespace(code=code, label=label, kind=kind, **values)

    own = [
        column("category", "Catégorie", "badge"),
        column("cote", "Cote"),
        column("pr", "PR", lead=True),
        column("ds", "DS moyenne", "percent", places=2),
        column("tie", "Départage", "tag"),
    ]
    front = [column("rank", "Rang", "rank"), column("move", "Évolution", "move")]
    rows = [
        SimpleNamespace(
            rank=rank,
            name=player[0],
            move=player[5],
            ex_aequo=False,
            cells={"category": player[1], "cote": player[2], "pr": player[4], "ds": player[6]},
        )
        for rank, player in enumerate(PLAYERS, start=1)
    ]
    for row in rows[8:10]:
        row.cells["tie"] = "PDI"
    title = "Classement après la soirée du 20 novembre 2026"
    return {
        "proposal": {"covers_until": NOW, "blocked": False},
        "tasks": [
            {"label": "La soirée est clôturée", "state": "done"},
            {"label": "0 litige ouvert", "state": "done"},
            {"label": "0 résultat en attente", "state": "done"},
            {"label": "1 absence non traitée", "state": "warn", "url": "#",
             "hint": "Une justification attend sa réponse\u00a0; elle ne change aucun point."},
        ],
        "players": len(rows),
        "since": 11,
        "columns": [*front, column("name", "Joueur", "name"), *own],
        "own_columns": own,
        "lead": own[2],
        "has_moves": True,
        "groups": [{"rows": [{"row": row, "url": "#"} for row in rows]}],
        "form": PublishForm(initial={"title": title, "seen": "1"}),
        "list_url": "#",
    }  # fmt: skip


def _crosstable() -> dict[str, Any]:
    """Return twelve rounds: on a phone the names stay while the rounds pass under them."""
    rounds = range(1, 13)
    lines = [
        {
            "rank": rank,
            "name": player[0],
            "cells": [{"text": f"+{no}", "title": f"ronde {no}", "url": "#"} for no in rounds],
            "values": [3 * rank, "+120"],
        }
        for rank, player in enumerate(PLAYERS[:6], start=1)
    ]
    return {
        "tournament": SimpleNamespace(
            name="Open d’automne",
            slug="open",
            state="closed",
            get_state_display="Terminé",
            held_on=NOW,
            place="Salle des fêtes",
        ),
        "columns": [{"label": "PM", "long": "Points"}, {"label": "Pdep", "long": "Départage"}],
        "numbers": rounds,
        "lines": lines,
    }


PAGES = {
    "notifications": ("clubs/notifications/notifications.html", _notifications),
    "devices": ("usersessions/usersession_list.html", _devices),
    "passkeys": ("mfa/webauthn/authenticator_list.html", _passkeys),
    "tokens": ("api/tokens/tokens.html", _tokens),
    "webhooks": ("api/webhooks/list.html", _webhooks),
    "webhook": ("api/webhooks/webhook.html", _webhook),
    "persons": ("ratings/names/draft_names.html", _persons),
    "licences": ("clubs/persons/licence_preview.html", _licences),
    "handovers": ("ratings/handovers/handover_list.html", _handovers),
    "handover": ("ratings/handovers/handover.html", _handover),
    "desk": ("pairings/evenings/checkin_desk.html", _desk),
    "rules_diff": ("clubs/organisations/rules_diff.html", _rules_diff),
    "rated_player": ("ratings/lists/player_list.html", _rated_player),
    "crosstable": ("pairings/tournaments/tournament_crosstable.html", _crosstable),
    "publish": ("ratings/editions/publish.html", _publish),
}
"""Screens that are a page of the site: its template and what returns its values."""
