"""What a stored correction is about, in words: its page shows it after the form that asked for it."""

from __future__ import annotations

from django.utils.translation import gettext as _

from clubs.members.models import Member
from clubs.ui.french import written
from clubs.upkeep.models_jobs import Job
from ratings.competitions.long_corrections import correction_of
from ratings.ledger.corrections import Correction
from ratings.ledger.models import Period, RatedGame
from ratings.systems.protocol import Game

NAMED_GAMES = 3


def heading_of(job: Job) -> str:
    """Return what is done, as the page on which it was asked says it."""
    if job.given["handover"] is not None:
        return _("Correction transmise par un club")
    correction = correction_of(job)
    acts = (
        (correction.merged, _("Fusionner deux fiches")),
        (correction.inserted, _("Compter la compétition")),
        (correction.removed, _("Retirer la compétition")),
        (correction.restored, _("Rétablir la compétition")),
        (correction.added, _("Ajouter une partie")),
        (correction.games, _("Corriger une partie")),
        (correction.sheets, _("Corriger la feuille de places")),
        (
            any(change.facts is not None for change in correction.changed.values()),
            _("Corriger ce qui est déclaré"),
        ),
        (correction.changed, _("Corriger la date ou le nom")),
    )
    return next((words for part, words in acts if part), _("Correction d’une longue liste"))


def title_of(job: Job) -> str:
    """Return what is corrected: the two players who are one, a few games, the competitions."""
    correction = correction_of(job)
    games = _games_of(correction)
    people = Member.objects.in_bulk(
        {*correction.merged, *correction.merged.values()}
        | {pk for first, second, _result in games for pk in (first, second)}
    )
    merged = [
        f"{people[old]} ({people[old].number}) → {people[kept]} ({people[kept].number})"
        for old, kept in correction.merged.items()
    ]
    results = [
        _("%(first)s contre %(second)s : %(result)s")
        % {"first": people[first], "second": people[second], "result": result}
        for first, second, result in games
    ]
    periods = Period.objects.filter(pk__in=correction.periods).in_order()
    return " · ".join([*merged, *results, *(_named(period, correction) for period in periods)])


def _named(period: Period, correction: Correction) -> str:
    """Return a competition's name, and the other name or day that it gets."""
    change = correction.changed.get(period.pk)
    becomes = []
    if change is not None and change.label not in (None, period.label):
        becomes.append(change.label)
    if change is not None and change.held_on not in (None, period.held_on):
        becomes.append(written(change.held_on, "j F Y"))
    return " → ".join([period.title, *([", ".join(becomes)] if becomes else [])])


def _games_of(correction: Correction) -> list[tuple[int, int, str]]:
    """Return the players and the new result of each corrected game; none where they are too many."""
    edits = [(pk, *edit) for pk, games in correction.games.items() for edit in games.items()]
    if len(edits) > NAMED_GAMES:
        return []
    games: list[tuple[int, int, str]] = []
    for period_id, source, game in edits:
        if game is None:
            rows = RatedGame.objects.filter(period=period_id, source=source).in_force()
            pairs = rows.values_list("first_id", "second_id")
            games += [(first, second, _("partie retirée")) for first, second in pairs]
        else:
            games.append((game.first, game.second, _result_of(game)))
    return games


def _result_of(game: Game) -> str:
    both_absent = game.facts.get("both")
    parts = ["0 – 0" if both_absent else ("0 – 1", "½ – ½", "1 – 0")[game.first_halves]]
    if game.first_score is not None:
        parts.append(f"{game.first_score} – {game.second_score}")
    if not game.facts.get("played", True):
        parts.append(_("forfait, pas cotée"))
    return ", ".join(parts)
