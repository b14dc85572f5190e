"""Invented people and values for the components and the screens of one's own pages."""

from __future__ import annotations

from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

from django import forms

from clubs.ui import charts

NOW = datetime(2026, 11, 20, 20, 43, tzinfo=ZoneInfo("Europe/Paris"))

PLAYERS = (
    ("Sofia Haddad", "diamant", 1905, 1, 25, 0, 26.4),
    ("Yasmine El Idrissi", "topaze", 1828, 1, 23, 3, 21.9),
    ("Ștefan Ionescu", "topaze", 1735, -6, 21, -1, 10.0),
    ("Nadia Chraïbi", "topaze", 1703, 0, 20, -1, 10.4),
    ("Marie-Christine Vandenbroucke", "diamant", 1923, 0, 19, -1, 15.7),
    ("Grégoire Ançay", "amethyste", 1658, 17, 18, 2, 15.4),
    ("Thomas Nguyen", "amethyste", 1574, 1, 17, 0, 12.2),
    ("Paul Lefèvre", "onyx", 1251, 0, 16, -2, 4.7),
    ("Amélie Dufour", "amethyste", 1404, -14, 13, 1, 7.7),
    ("Odile Kaboré", "onyx", 1275, -1, 13, -1, 2.0),
    ("Karim Benali", "amethyste", 1441, 8, 12, 3, 2.5),
    ("Léa Müller", "onyx", 1015, -1, 10, -1, 2.9),
    ("Jean-Noël Garcia", "onyx", 1109, 0, 9, -1, 1.5),
    ("Béatrice Œhler", "onyx", 1030, -3, 8, -1, 0.0),
)


class ExampleForm(forms.Form):
    mine = forms.IntegerField(label="Votre score")
    theirs = forms.IntegerField(label="Score de l’adversaire")
    name = forms.CharField(label="Nom", help_text="Comme sur votre carte de joueur.")
    note = forms.CharField(label="Mot à l’arbitre", required=False, widget=forms.Textarea)
    minutes = forms.IntegerField(label="Délai de contestation", initial=5)
    series = forms.ChoiceField(label="Catégorie", choices=[("a", "Onyx"), ("b", "Topaze")])
    silence = forms.ChoiceField(
        label="Sans réponse",
        widget=forms.RadioSelect,
        choices=[("accord", "Le résultat devient définitif"), ("arbitre", "L’arbitre décide")],
    )
    minor = forms.BooleanField(label="J’ai moins de 18 ans", required=False)
    pin = forms.CharField(label="Votre code à 4 chiffres")


def ranking() -> list[dict[str, object]]:
    return [
        {
            "key": f"m{rank}", "rank": rank, "name": p[0], "category": p[1], "cote": p[2],
            "delta": p[3], "points": p[4], "move": p[5], "own": rank == 9, "projected": True,
            "url": "#",
        }
        for rank, p in enumerate(PLAYERS, start=1)
    ]  # fmt: skip


def graph_of_evenings() -> charts.RatingGraph:
    """Return the curve of a cote over four evenings, the last one projected."""
    days = ("début", "30/10", "06/11", "13/11")
    points = [
        charts.Point(label=d, value=v) for d, v in zip(days, (1411, 1412, 1410, 1418), strict=True)
    ]
    points.append(charts.Point(label="ce soir", value=1404, projected=True))
    limits = (("onyx", 1000), ("amethyste", 1400), ("topaze", 1700), ("diamant", 1900))
    return charts.RatingGraph(
        points=points, limits=limits, sentence="Cote de 1411 au début à 1404, projetée ce soir."
    )


VERSIONS = [
    {"title": "Saisie", "by": "par Karim Benali, 20:42", "words": "Victoire de Karim",
     "lines": [{"name": "Amélie Dufour", "score": 389, "differs": True},
               {"name": "Karim Benali", "score": 398}]},
    {"title": "Contestation", "by": "par Amélie Dufour, 20:44", "words": "Victoire d’Amélie",
     "lines": [{"name": "Amélie Dufour", "score": 408, "differs": True},
               {"name": "Karim Benali", "score": 398}]},
]  # fmt: skip
FIXED: dict[str, object] = {
    "versions": VERSIONS,
    "marks": [
        "present",
        "present",
        "excused",
        "present",
        "absent",
        "present",
        "present",
        "present",
        "absent",
        "present",
    ],
    "score_lines": [
        {
            "name": "Vous",
            "score": 398,
            "winner": True,
            "note": "Vainqueur",
            "avatar": "Karim Benali",
        },
        {"name": "Amélie Dufour", "score": 389, "avatar": "Amélie Dufour"},
    ],
    "timeline": [
        {"line": {"at": NOW + timedelta(minutes=minutes), "event": event}, "words": words}
        for minutes, event, words in (
            (-51, "start", "Le match commence"),
            (-1, "submit", "Karim saisit 398 – 389"),
            (1, "contest", "Amélie conteste"),
        )
    ],
    "effect_columns": ["Rang", "PR", "Cote projetée"],
    "effect_rows": [
        {"name": "Amélie Dufour", "cells": [(9, 9), (13, 15), (1404, 1424)]},
        {"name": "Léa Müller", "cells": [(12, 11), (10, 10), (1015, 1015)]},
        {"name": "Karim Benali", "cells": [(11, 12), (12, 10), (1441, 1421)]},
    ],
    "tabs": [
        {"label": "En direct", "url": "#", "current": True},
        {"label": "Publié le 13 nov.", "url": "#"},
    ],
    "tasks": [
        {"label": "Le club", "url": "#", "hint": "Nom, lieu, langue, logo", "status": "done"},
        {
            "label": "Les règles du comité",
            "url": "#",
            "status": "started",
            "hint": "Brouillon v4",
        },
        {"label": "Les affiches à imprimer", "url": "#", "status": "todo"},
    ],
    "statuses": [
        "proposed",
        "playing",
        "submitted",
        "absence_claimed",
        "contested",
        "final",
        "void",
        "cancelled",
    ],
    "endings": ["confirmed", "expired", "arbiter", "corrected", "forfeit", "bye"],
}


def examples() -> dict[str, object]:
    """Return the values that every sample screen prints."""
    rows = ranking()
    wrong = ExampleForm({"mine": "38x", "theirs": "398", "name": "", "minutes": "5"})
    wrong.is_valid()
    chips = [{"label": "Toutes", "url": "?", "current": True, "count": None}]
    chips += [
        {"badge": code, "count": sum(row["category"] == code for row in rows), "url": f"?c={code}"}
        for code in ("diamant", "topaze", "amethyste", "onyx")
    ]
    return FIXED | {
        "club": {"name": "FAIZERS"},
        "member_name": "Amélie Dufour",
        "rows": rows,
        "example_form": ExampleForm(initial={"mine": 389, "theirs": 398}),
        "wrong_form": wrong,
        "graph": graph_of_evenings(),
        "one_evening": charts.RatingGraph(
            points=[charts.Point(label="13/11", value=1412)],
            limits=graph_of_evenings().limits,
            sentence="Une soirée, cote 1412.",
        ),
        "bars": [
            charts.Bar(label=w, value=v, text=str(v), tone=t, before=b, before_text=str(b))
            for w, t, b, v in (
                ("Diamant", "diamant", 2, 2),
                ("Topaze", "topaze", 3, 4),
                ("Améthyste", "amethyste", 4, 4),
                ("Onyx", "onyx", 5, 4),
            )
        ],
        "now": NOW,
        "until": NOW + timedelta(seconds=252),
        "left": 252,
        "total": 300,
        "chips": chips,
    }


def after() -> dict[str, Any]:
    """Return the values of what comes after a match and after an evening."""
    lines = [
        {
            "match": {"pk": no, "status": "final", "how": how, "kind": "played"},
            "other": name, "mine": mine, "theirs": theirs, "won": mine - theirs, "pr": pr, "url": "#",
        }
        for no, name, mine, theirs, pr, how in (
            (1, "Karim Benali", 389, 398, 1, "confirmed"),
            (2, "Odile Kaboré", 431, 362, 3, "arbiter"),
        )
    ]  # fmt: skip
    cote = {
        "before": 1418,
        "after": 1404,
        "delta": -14,
        "category": "amethyste",
        "entry": {"pk": 1},
    }
    row = {"rank": 9, "move": 1, "values": {"pr": 13}, "shown_cote": 1404}
    since = SimpleNamespace(held_on=NOW - timedelta(days=7), apart="", is_live=False)
    return {
        "mine": 389,
        "theirs": 398,
        "other_name": "Karim Benali",
        "row": row,
        "since": since,
        "pr_won": 1,
        "cote_won": -14,
        "why_url": "#",
        "tonight": lines,
        "ruling": {
            "line": lines[1],
            "match": lines[1]["match"],
            "decision": {"pk": 1, "reason": "La feuille de match porte 431.", "at": NOW},
            "score": ("421 – 362", "431 – 362"),
            "pr": (3, 3),
            "cote": (1402, 1404),
        },
        "member": {"address": "amelie-dufour"},
        "recap": {
            "lines": lines,
            "pr": 4,
            "record": {"won": 1, "drawn": 0, "lost": 1},
            "best_score": lines[1],
            "best_margin": lines[1],
            "streak": 2,
        },
        "summary": {
            "row": row,
            "since": since,
            "cote": cote | {"next_category": "topaze", "missing": 296},
        },
    }
