"""How well a draft predicts, in words, figures and a curve: what the report of a trial prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.rulebooks.wording import shown
from clubs.templatetags.ui import chance, decimal
from clubs.ui import charts
from ratings.trials.prediction import LEAST_GAMES, LEAST_PERIODS

PLACES = 4
"""Decimals of a log loss: differences between rules are in the third and fourth."""


def printed(report: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what the page prints of `prediction.report`; None where no game gave a chance."""
    if not report.get("games"):
        return None
    present, draft = report["present"], report["draft"]
    return {
        "games": report["games"],
        "periods": report["periods"],
        "short": _too_short(report) if report["short"] else "",
        "verdict": None if report["short"] else _verdict(*report["gain"]),
        "sides": [(name, _loss(side)) for name, side in _named(present, draft)],
        "curve": _curve(present["bins"], draft["bins"]),
        "bins": [
            (_band(before[0]), _cells(before), _cells(after))
            for before, after in zip(present["bins"], draft["bins"], strict=True)
        ],
        "numbers": [_number(number) for number in report["numbers"]],
    }


def _named(present: object, draft: object) -> list[tuple[str, Any]]:
    return [(_("Règles en vigueur"), present), (_("Brouillon"), draft)]


def _loss(side: Mapping[str, Any]) -> dict[str, str]:
    low, high = side["interval"]
    return {
        "mean": decimal(side["loss"], PLACES),
        "low": decimal(low, PLACES),
        "high": decimal(high, PLACES),
    }


def _too_short(report: Mapping[str, object]) -> str:
    return _(
        "Le passé est trop court pour juger. Parties : %(games)s, il en faut au moins "
        "%(least_games)s ; périodes : %(periods)s, il en faut au moins %(least_periods)s."
    ) % {
        "games": report["games"],
        "periods": report["periods"],
        "least_games": LEAST_GAMES,
        "least_periods": LEAST_PERIODS,
    }


def _verdict(low: float, high: float) -> str:
    if low > 0:
        return _("Le brouillon prédit mieux que les règles en vigueur.")
    if high < 0:
        return _("Le brouillon prédit moins bien que les règles en vigueur.")
    if low == high == 0:
        return _("Le brouillon prédit exactement comme les règles en vigueur.")
    return _("Les parties jouées ne disent pas lesquelles de ces règles prédisent le mieux.")


def _band(low: float) -> str:
    return _("de %(low)s à %(high)s %%") % {"low": f"{low:.0f}", "high": f"{low + 5:.0f}"}


def _cells(row: Sequence[Any]) -> tuple[int, str, str]:
    _low, games, expected, scored = row
    return games, chance(expected), chance(scored)


def _curve(before: Sequence[Any], after: Sequence[Any]) -> SafeString:
    first, second = (
        charts.Curve(
            name=name,
            points=[(row[2], row[3]) for row in rows if row[1]],
            words=[
                ngettext(
                    "%(name)s : %(expected)s attendus, %(scored)s marqués, %(games)s partie",
                    "%(name)s : %(expected)s attendus, %(scored)s marqués, %(games)s parties",
                    row[1],
                )
                % {
                    "name": name,
                    "expected": chance(row[2]),
                    "scored": chance(row[3]),
                    "games": row[1],
                }
                for row in rows
                if row[1]
            ],
        )
        for name, rows in _named(before, after)
    )
    return charts.prediction_curve(
        first,
        second,
        across=_("Chance donnée au favori (%)"),
        up=_("Points marqués par le favori (%)"),
        sentence=_(
            "Chance donnée au favori et points qu’il a marqués ; le tableau a les chiffres."
        ),
    )


def _number(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return one number: its best value, between which values it lies, and what that says."""
    words = [" / ".join(str(shown(value)) for value in values) for values, _loss in report["rows"]]
    last = len(words) - 1
    if report["low"] == 0 and report["high"] == last:
        verdict = _("Toutes les valeurs essayées restent possibles : le passé est trop court.")
    elif report["low"] <= report["own"] <= report["high"]:
        verdict = _("La valeur du brouillon, %(own)s, reste possible.")
    else:
        verdict = _("La valeur du brouillon, %(own)s, aurait moins bien prédit.")
    label = report["label"]
    return {
        "label": _(label),
        "best": words[report["best"]],
        "low": words[report["low"]],
        "high": words[report["high"]],
        "verdict": verdict % {"own": words[report["own"]]},
        "rows": [
            (word, decimal(row[1], PLACES), number == report["best"])
            for number, (word, row) in enumerate(zip(words, report["rows"], strict=True))
        ],
    }
