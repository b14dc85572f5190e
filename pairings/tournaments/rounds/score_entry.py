"""Results at the desk: the keyboard grid of a round, and the check by a second person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, Refused
from clubs.journal import chain as journal
from pairings.live import stream as live
from pairings.matches import actions as match_actions
from pairings.matches.models import Decision, Match
from pairings.matches.refusals import is_own_match, sentence_of
from pairings.matches.state import result_of
from pairings.rules.match_state import Ending, Result, Status
from pairings.tournaments.models import Round
from pairings.tournaments.rules import TournamentRefused

AT_THE_DESK = (Ending.DESK, Ending.CORRECTED)
"""Origins of results that the desk may still correct, until a second person has checked them."""


@dataclass(frozen=True, slots=True)
class GridLine:
    """One row of the grid as its page was read (`version`) and typed. Without a result: untouched."""

    match_id: int
    version: int
    result: Result | None = None


@dataclass(frozen=True, slots=True)
class GridAnswer:
    """The result of one row: saved, unchanged, or refused with a message.

    `match` is the match as it is now.
    """

    match: Match
    saved: bool = False
    refused: str = ""
    code: str = ""
    notice: str = ""


def enter(
    *,
    round: Round,
    lines: Sequence[GridLine],
    by: Actor,
    at: datetime,
    reason: str = "",
) -> list[GridAnswer]:
    """Save each row independently. Saves none where one is not a table of this round.

    A row that somebody changed meanwhile is refused, the others are saved. Nothing typed is lost:
    the page prints a refused row again with the stored values beside it. `reason`: of the rows that
    correct a result; without one these are refused (`reason_required`).
    """
    rows = round.matches.select_related("organisation", "first", "second", "round__tournament")
    matches = {match.pk: match for match in rows}
    if any(line.match_id not in matches for line in lines):
        raise TournamentRefused(
            _("Une de ces tables n’est plus dans la ronde. Relisez la ronde avant d’agir."),
            code="stale",
        )
    return [_one(line, matches[line.match_id], by, at, reason) for line in lines]


def _one(line: GridLine, match: Match, by: Actor, at: datetime, reason: str) -> GridAnswer:
    if line.result is None or _is_stored(line.result, match):
        return GridAnswer(match)
    if line.version != match.version or match.status == Status.CANCELLED.value:
        return GridAnswer(match, refused=_stale(match), code="stale")
    try:
        saved = _save(line.result, match, by, at, line.version, reason)
    except Refused as refusal:
        now = Match.objects.select_related("first", "second", "round__tournament").get(pk=match.pk)
        words = _stale(now) if refusal.code == "stale" else str(refusal)
        return GridAnswer(now, refused=words, code=refusal.code)
    return GridAnswer(saved, saved=True, notice=_notice(line.result, match, saved))


def _notice(typed: Result, before: Match, now: Match) -> str:
    """Return the notice for a saved row: another entry, a rare score."""
    table = {"table": now.table_number}
    if now.status == Status.CONTESTED.value:
        scores = (before.first_score, before.second_score)
        if scores == (typed.second_score, typed.first_score):
            return (
                _("Table %(table)s : un joueur a saisi les deux scores inversés. Tranchez.") % table
            )
        return _("Table %(table)s : un joueur a saisi un autre résultat. Tranchez.") % table
    games = typed.games or ((typed.first_score, typed.second_score),)
    is_rare = now.competition.match_rules().is_rare
    rare = [score for game in games for score in game if score is not None and is_rare(score)]
    if rare:
        words = {**table, "score": rare[0]}
        return _("Table %(table)s : %(score)s est un score rare, relisez la feuille.") % words
    return ""


def _save(
    result: Result, match: Match, by: Actor, at: datetime, version: int, reason: str
) -> Match:
    if match.is_open:
        if result.absent:
            return match_actions.mark_absent(
                match=match,
                absent=result.absent,
                justified=False,
                by=by,
                at=at,
                version=version,
            )
        return match_actions.record(match=match, result=result, by=by, at=at, version=version)
    if match.why not in AT_THE_DESK or match.is_checked:
        raise TournamentRefused(
            _("Ce résultat est définitif : il se corrige avec un motif."), code="final"
        )
    return match_actions.correct(
        match=match, result=result, reason=reason, by=by, at=at, version=version
    )


def _is_stored(typed: Result, match: Match) -> bool:
    """Return whether the match already stores this result.

    Saving the same grid twice changes nothing.
    """
    if match.status not in (Status.FINAL.value, Status.VOID.value):
        return False
    stored = result_of(match)
    assert stored is not None
    if typed.absent:
        return stored.absent == typed.absent
    if typed.games:  # their scores, the games won, are computed when they are stored
        typed = replace(typed, first_score=stored.first_score, second_score=stored.second_score)
    return stored == typed


def _stale(match: Match) -> str:
    if match.first_score is None:
        return _("Quelqu’un a modifié cette table entre-temps. Relisez-la.")
    return _("Quelqu’un a saisi %(first)s – %(second)s entre-temps. Relisez cette table.") % {
        "first": match.first_score,
        "second": match.second_score,
    }


@transaction.atomic
def check(*, match: Match, version: int, by: Actor, at: datetime) -> Match:
    """Mark a result as compared with the slip by a second person.

    Refused to the person who typed it, and to who plays the match, as its other decisions are.
    """
    row = (
        Match.objects.select_for_update(no_key=True, of=("self",))
        .select_related("organisation")
        .get(pk=match.pk)
    )
    if row.version != version:
        raise TournamentRefused(
            _("Ce résultat a changé depuis que vous l’avez lu. Relisez-le."), code="stale"
        )
    last = row.decisions.order_by("-pk").first()
    if row.is_open or last is None:
        raise TournamentRefused(_("Cette table n’a pas encore de résultat."), code="wrong_state")
    if by.user is None or last.by_id == by.user.pk:
        raise TournamentRefused(
            _("Vous avez saisi ce résultat : une autre personne doit le vérifier."),
            code="same_person",
        )
    if is_own_match(row, by):
        raise TournamentRefused(sentence_of("own_match", row), code="own_match")
    Match.objects.filter(pk=row.pk, version=version).update(
        checked_by=by.user, checked_at=at, checked_version=version
    )
    row.refresh_from_db()
    journal.note(row, "match_checked", by=by, at=at, after={"version": version})
    live.announce(row.organisation, "match", at=at, match=row.pk, round=row.round_id)
    return row


def is_unread(match: Match) -> bool:
    """Return whether the result was typed at the desk and no second person has compared it."""
    return match.why in AT_THE_DESK and match.second_id is not None and not match.is_checked


def unread(matches: Iterable[Match]) -> list[Match]:
    """Return the matches whose result waits for a second reader, by table."""
    unread_matches = [match for match in matches if not match.is_open and is_unread(match)]
    return sorted(unread_matches, key=lambda match: (match.table_number or 0, match.pk))


def typed_by(by: Actor, matches: Iterable[Match]) -> set[int]:
    """Return which of the matches have their last result from this person, who may not check it."""
    last = Decision.objects.filter(match=OuterRef("pk")).order_by("-pk").values("by")[:1]
    asked = Match.objects.filter(pk__in=[match.pk for match in matches])
    return set(
        asked.alias(typist=Subquery(last)).filter(typist=by.user).values_list("pk", flat=True)
    )


def missing(round: Round) -> list[Match]:
    """Return the boards without a result yet, by table."""
    return list(
        round.matches.open().select_related("first", "second").order_by("table_number", "pk")
    )


def taken_away(round: Round, seated: Iterable[int]) -> list[Match]:
    """Return the matches that an arbiter removed and no other board replaced, by table.

    They may still be given a result, once the round is closed too: a game that was put off. The
    boards of a publication that was taken back are none.
    """
    removed = round.matches.filter(status=Status.CANCELLED.value, second__isnull=False)
    removed = removed.filter(proposed_at__gte=round.published_at)
    removed = removed.exclude(first__in=seated).exclude(second__in=seated)
    return list(removed.select_related("first", "second").order_by("table_number", "pk"))
