"""Reasons of the FISF rating (000) in words."""

from __future__ import annotations

from datetime import date, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.templatetags.ui import cote, decimal, signed
from clubs.ui.french import written
from ratings.systems.words import Values, Words, number, symbols


def k_line(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Coefficient K = %(k)s pour toute la compétition") % {"k": v["K"]}
    games = ngettext("%(n)s partie jouée avant", "%(n)s parties jouées avant", int(v["games"]))
    return head, f"{symbols([('E0', v['E0'])])}, {games % {'n': v['games']}}"


def game_line(v: Values, opponent: str) -> tuple[str, str]:
    formula = _(
        "%(own)s − %(other)s = %(diff)s, ligne %(row)s de la table : We = %(we)s ; "
        "%(k)s × (%(w)s − %(we)s)"
    ) % {
        "own": cote(v["E0"]),
        "other": cote(v["E_opponent"]),
        "diff": signed(v["diff"]) if v["diff"] else "0",
        "row": v["row"],
        "we": decimal(v["We"], 2),
        "k": v["K"],
        "w": number(v["W"], 1),
    }
    return opponent, formula


def sum_line(v: Values, opponent: str) -> tuple[str, str]:
    formula = _("E1 = %(e0)s + %(k)s × (%(w)s − %(we)s) = %(raw)s") % {
        "e0": cote(v["E0"]),
        "k": v["K"],
        "w": number(v["W"], 1),
        "we": decimal(v["We"], 2),
        "raw": decimal(v["raw"], 2),
    }
    return _("Arrondi à l’entier le plus proche, une fois par compétition"), formula


def to_ranked_line(v: Values, opponent: str) -> tuple[str, str]:
    if v["what"] == "tournaments":
        head = ngettext(
            "Pour être classé : %(have)s tournoi sur %(need)s",
            "Pour être classé : %(have)s tournois sur %(need)s",
            v["have"],
        )
    else:
        head = ngettext(
            "Pour être classé : %(have)s partie sur %(need)s",
            "Pour être classé : %(have)s parties sur %(need)s",
            v["have"],
        )
    return head % v, ""


def ranked_until_line(v: Values, opponent: str) -> tuple[str, str]:
    last = date.fromisoformat(v["until"])  # the last day in the ranking
    day = last + timedelta(days=1) if v["inactive"] else last
    details = {"day": _day(day.isoformat())}
    if v["inactive"]:
        head = _("Hors du classement depuis le %(day)s : une compétition y ramène") % details
    else:
        head = _("Au classement jusqu’au %(day)s sans nouvelle compétition") % details
    return head, ""


def coming_serie_line(v: Values, opponent: str) -> tuple[str, str]:
    details = {"serie": v["coming"], "held": v["held"] or "–", "day": _day(v["from"])}
    if v["held"] == v["coming"]:
        head = _("Série %(serie)s aussi à partir du %(day)s, à la cote d’aujourd’hui") % details
    else:
        head = _("Série %(serie)s à partir du %(day)s, à la cote d’aujourd’hui") % details
    return head, _("série %(held)s jusque-là, quelle que soit la cote") % details


def to_bar_line(v: Values, opponent: str) -> tuple[str, str]:
    head = ngettext(
        "Série %(serie)s, barre %(bar)s : encore %(left)s point",
        "Série %(serie)s, barre %(bar)s : encore %(left)s points",
        v["left"],
    )
    words = _(
        "à atteindre avant le %(day)s, date qui fixe la série de la saison ; barres d’aujourd’hui"
    )
    return head % {**v, "bar": cote(v["bar"])}, words % {"day": _day(v["from"])}


def _day(iso: str) -> str:
    return written(date.fromisoformat(iso), "j F Y")


WORDS: Words = {
    "k": k_line,
    "game": game_line,
    "rounding": sum_line,
    "to_ranked": to_ranked_line,
    "ranked_until": ranked_until_line,
    "coming_serie": coming_serie_line,
    "to_bar": to_bar_line,
}
"""Kind of reason → its line."""
