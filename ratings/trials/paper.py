"""The report of a trial on A4: who would move, how many in each category, the places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from clubs.exchange.paper import Column, Paper, TableRow
from clubs.templatetags.ui import signed
from clubs.ui.french import written
from clubs.ui.pdf import RIGHT
from clubs.ui.punctuation import labelled
from ratings.ledger.models import RatingList

MOST = 1_000
"""Players on paper: those who move most. The page has all of them."""
ARROW = " → "


def pdf(
    report: Mapping[str, Any],
    rating_list: RatingList,
    asked_at: datetime,
    tried: Mapping[str, Any] | None,
) -> bytes:
    """Return the document as bytes.

    `report`: as `views.report_of` returns it for its reader; `tried`: as `views.tried_of` does.
    """
    moved, counted = report["rows"], report["told"]
    facts: dict[str, object] = {}
    if tried is not None:
        facts[_("À partir du")] = written(tried["since"], "j F Y")
    facts |= {
        _("Périodes comptées à nouveau"): counted["periods"],
        _("Parties"): counted["games"],
        _("Joueurs qui bougent"): len(moved),
        _("Joueurs qui ne bougent pas"): report["still"],
    }
    lines = [
        f"{rating_list.title} · {written(timezone.localtime(asked_at), 'j F Y, H:i')}",
        " · ".join(labelled(name, number) for name, number in facts.items()),
    ]
    quality = report["quality"]
    if quality is not None:
        lines.append(quality["short"] or quality["verdict"])
    said = _("Simulation, rien n’est changé.")
    paper = Paper(
        title=_("Simulation des règles"),
        lines=[said, *lines],
        author=rating_list.organisation.name,
        foot=said,
    )
    if tried and tried["changes"]:
        _changed_rules(paper, tried["changes"])
    _moved_players(paper, moved)
    if report["labels"]:
        paper.table(
            [Column(_("Catégorie"), bold=True), Column(_("Joueurs"), 120, RIGHT)],
            [TableRow((bar.label, _change(bar.before_text, bar.text))) for bar in report["labels"]],
        )
    standings = report["standings"]
    if standings:
        label = standings["label"]
        paper.table(
            [Column(_("Joueur"), bold=True), Column(_(label), 160, RIGHT)],
            [TableRow((name, _change(old, new))) for name, old, new in standings["moved"][:MOST]],
        )
    return paper.pdf()


def _changed_rules(paper: Paper, lines: Sequence[Mapping[str, str]]) -> None:
    columns = [Column(_("Règle"), bold=True), Column(_("Ancienne → nouvelle"), 160, RIGHT)]
    rows = [(line["label"], _change(line["old"], line["new"]), line["unit"]) for line in lines]
    paper.table(
        columns, [TableRow((label, f"{change} {unit}".strip())) for label, change, unit in rows]
    )


def _moved_players(paper: Paper, moved: Sequence[Mapping[str, object]]) -> None:
    notes = [
        _("Les appariements auraient pu être différents avec ces règles : ils ne sont pas refaits.")
    ]
    if len(moved) > MOST:
        notes.append(
            _("Les %(most)s qui bougent le plus ; la page les montre tous.") % {"most": MOST}
        )
    paper.table(
        [
            Column(_("Joueur"), bold=True),
            Column(_("Cote"), 90, RIGHT),
            Column(_("Effet"), 50, RIGHT),
            Column(_("Rang"), 70, RIGHT),
            Column(_("Autre changement"), 150),
        ],
        [TableRow(_cells(row)) for row in moved[:MOST]],
        notes=notes,
    )


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        row["name"],
        _change(row["before"], row["after"]),
        signed(row["delta"]),
        _change(*row["rank"]),
        ", ".join(_change(old, new) for old, new in row["labels"]),
    )


def _change(old: object, new: object) -> str:
    before, after = ("–" if value in (None, "") else str(value) for value in (old, new))
    return before if before == after else f"{before}{ARROW}{after}"
