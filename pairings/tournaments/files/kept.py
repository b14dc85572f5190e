"""A long file of a tournament kept until a worker has imported it: its rows, its import."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.organisations.models import Organisation
from clubs.upkeep import jobs
from pairings.exchange.formats import json as tournament_json
from pairings.exchange.problems import MOST_PROBLEMS, FileRefused
from pairings.exchange.snapshot import SheetPlayer, TournamentSheet
from pairings.tournaments.files import restore
from pairings.tournaments.files.boards import without_names
from pairings.tournaments.models import TournamentFile
from pairings.tournaments.rules import TournamentRefused

PLAYER = [field.name for field in fields(SheetPlayer) if field.compare]


def is_long(sheet: TournamentSheet) -> bool:
    """Return whether a file has too many players and boards to be imported within a request."""
    return jobs.is_long(restore.size_of(sheet))


def keep(
    *,
    sheet: TournamentSheet,
    organisation: Organisation,
    file_name: str,
    digest: str,
    by: Actor,
    at: datetime,
) -> TournamentFile:
    """Keep a file until it is imported; sent again before that, it is the same one.

    Raises FileRefused where this site could not store it.
    """
    restore.check(sheet)
    assert by.user is not None
    document = json.loads(tournament_json.write(without_names(sheet)))
    players = document["tournament"].pop("players")
    lines = [[player[name] for name in PLAYER] for player in players]
    rows = [[sheet.name], [json.dumps(document)], *lines]
    kept_file, _created = TournamentFile.objects.update_or_create(
        organisation=organisation,
        digest=digest,
        tournament=None,
        defaults={
            "file_name": file_name[:200],
            "rows": rows,
            "created_at": at,
            "created_by": by.user,
        },
    )
    return kept_file


def sheet_of(draft: TournamentFile) -> TournamentSheet:
    """Return the tournament of a kept file. Raises FileRefused where its content was removed."""
    if len(draft.rows) < 2:
        raise FileRefused(_("Le contenu de ce fichier a été effacé : envoyez-le de nouveau."))
    document, lines = json.loads(draft.rows[1][0]), draft.rows[2:]
    document["tournament"]["players"] = [dict(zip(PLAYER, line, strict=True)) for line in lines]
    return tournament_json.read(json.dumps(document).encode(), accept_altered=True)


@transaction.atomic
def bring(
    *, draft: TournamentFile, by: Actor, at: datetime, progress: jobs.Progress = jobs.no_progress
) -> restore.Restored:
    """Import a kept file, once. Refused with every problem of the file, and then writes nothing."""
    if len(draft.rows) > 1:
        # Forgetting somebody holds their row when it comes to the files that name them.
        restore.lock_players(sheet_of(draft), draft.organisation)
    files = TournamentFile.objects.select_for_update(no_key=True, of=("self",)).select_related(
        "organisation"
    )
    row = files.get(pk=draft.pk)
    if row.tournament_id is not None:
        raise TournamentRefused(_("Ce fichier est déjà importé."), code="stale")
    try:
        done = restore.restore(
            sheet=sheet_of(row),
            organisation=row.organisation,
            digest=row.digest,
            by=by,
            at=at,
            progress=progress,
        )
    except FileRefused as refused:
        words = " ".join(str(problem) for problem in refused.problems[:MOST_PROBLEMS])
        raise TournamentRefused(words, code=refused.code) from refused
    TournamentFile.objects.filter(pk=row.pk, tournament=None).update(
        tournament=done.tournament, guests=done.guests, moved=list(done.moved)
    )
    return done
