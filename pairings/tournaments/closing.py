"""Actions at the end of a tournament: close and publish the final ranking, reopen, cancel."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, reason_of
from clubs.accounts.permissions import lock_open
from pairings.tournaments import actions as tournaments
from pairings.tournaments import rating
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.models import FinalRanking, Round, Tournament
from pairings.tournaments.rules import TournamentRefused
from pairings.tournaments.standings import Sheet, TournamentStanding
from ratings.handovers import actions as handovers
from ratings.handovers.queries import was_sent
from ratings.ledger import origins


@transaction.atomic
def close(
    *,
    tournament: Tournament,
    by: Actor,
    at: datetime,
    reason: str = "",
    version: int | None = None,
) -> FinalRanking:
    """Publish the final ranking as a numbered row that never changes, and close.

    A reason is required when planned rounds have not been played, and for a ranking that replaces
    another. A round that is only a draft has not been played.
    """
    row = tournaments.locked(tournament, version=version)
    if row.state != Tournament.State.RUNNING:
        raise TournamentRefused(_("Ce tournoi n’est pas en cours."), code="wrong_state")
    sheet = tournament_standings.sheet_of(row)
    if sheet.current is not None:
        raise TournamentRefused(
            _("La ronde %(number)s n’est pas terminée.") % {"number": sheet.current.number},
            code="open_round",
        )
    if not sheet.closed:
        raise TournamentRefused(_("Aucune ronde n’a été jouée."), code="no_round")
    before = tournaments.last_ranking(row)
    early = not sheet.is_over
    if (early or before is not None) and not reason.strip():
        raise TournamentRefused(
            _("Des rondes prévues n’ont pas été jouées : dites pourquoi.")
            if early
            else _("Ce classement remplace celui déjà publié : dites pourquoi."),
            code="reason_required",
        )
    if early:
        _leave_out_the_rest(row)
    tournaments.change(row, state=Tournament.State.CLOSED, closed_at=at)
    standing = tournament_standings.standing(tournament_standings.sheet_of(row))
    ranking = FinalRanking.objects.create(
        tournament=row,
        number=1 if before is None else before.number + 1,
        at=at,
        by=by.user,
        reason=reason.strip(),
        rules={"system": row.system, "values": row.rules},
        lines=lines_of(standing),
    )
    tournaments.note(
        row,
        "tournament_closed",
        by,
        at,
        before=before.lines if before is not None else None,
        after={"number": ranking.number, "lines": ranking.lines},
        reason=reason.strip(),
    )
    if was_sent(origins.tournament(row.pk)):
        handovers.follow(competition=rating.document_of(row), by=by, at=at)
    return ranking


def _leave_out_the_rest(row: Tournament) -> None:
    """Delete the rounds that were not played. One that was drawn keeps its draws, as a planned one."""
    drafts = row.rounds.filter(state=Round.State.DRAFT)
    drafts.update(
        state=Round.State.PLANNED, draft=[], warnings=[], alternative=None, version=F("version") + 1
    )
    row.rounds.never_drawn().delete()


def lines_of(standing: TournamentStanding) -> list[dict[str, object]]:
    """Return the ranking as JSON: place, member, exact values as text. No name: rows never change."""
    return [
        {
            "place": row.rank,
            "member": row.entry.member_id,
            "values": {
                name: None if row.values[name] is None else str(row.values[name])
                for name in standing.columns
            },
        }
        for row in standing.rows
    ]


def changes_since(ranking: FinalRanking, sheet: Sheet) -> list[dict[str, object]]:
    """Return the changes since reopening: each member whose place or values differ."""
    standing = tournament_standings.standing(sheet)
    names: dict[object, str] = {
        row.entry.member_id: row.entry.person.full_name for row in standing.rows
    }
    now = {line["member"]: line for line in lines_of(standing)}
    before = {line["member"]: line for line in ranking.lines}
    return [
        {
            "name": names[pk],
            "place": (before.get(pk, {}).get("place"), line["place"]),
            "values": (before.get(pk, {}).get("values", {}), line["values"]),
        }
        for pk, line in now.items()
        if before.get(pk) is None
        or (before[pk]["place"], before[pk]["values"]) != (line["place"], line["values"])
    ]


@transaction.atomic
def reopen(
    *, tournament: Tournament, reason: str, by: Actor, at: datetime, version: int | None = None
) -> Tournament:
    """Reopen a tournament so that results can be corrected.

    The ranking already published stays readable.
    """
    reason = reason_of(reason, TournamentRefused)
    lock_open(tournament.organisation, TournamentRefused)
    row = tournaments.locked(tournament, version=version)
    if row.state != Tournament.State.CLOSED:
        raise TournamentRefused(_("Ce tournoi n’est pas terminé."), code="wrong_state")
    tournaments.change(row, state=Tournament.State.RUNNING, closed_at=None)
    tournaments.note(row, "tournament_reopened", by, at, reason=reason)
    return row


@transaction.atomic
def cancel(
    *, tournament: Tournament, reason: str, by: Actor, at: datetime, version: int | None = None
) -> Tournament:
    """Cancel a tournament of which no round is public: none was published, or it was taken back."""
    reason = reason_of(reason, TournamentRefused)
    row = tournaments.locked(tournament, version=version)
    if row.rounds.filter(state__in=[Round.State.PUBLISHED, Round.State.CLOSED]).exists():
        raise TournamentRefused(
            _("Une ronde a été publiée : ce tournoi ne peut plus être annulé."), code="published"
        )
    if not row.is_open:
        raise TournamentRefused(_("Ce tournoi est déjà terminé."), code="wrong_state")
    tournaments.change(row, state=Tournament.State.CANCELLED)
    tournaments.note(row, "tournament_cancelled", by, at, reason=reason)
    return row
