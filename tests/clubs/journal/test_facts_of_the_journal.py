"""What pages ask for is a column beside its journal entry; the journal filled the columns once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from clubs.members import actions as members
from clubs.members.merging import confirm_guest
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.setup import club_settings
from pairings.evenings import actions as evenings
from pairings.evenings.models import Evening
from pairings.matches.messages import calls
from pairings.matches.models import Match
from tests.clubhouse import make_club
from tests.migrated import to_the_newest

BEFORE = [("clubs", "0028_forgotten_public_ids"), ("pairings", "0014_tournament_files")]


def facts() -> dict[str, set[object]]:
    """Each column's values that say something."""
    said = {
        "confirmed": Member.objects.exclude(confirmed_at=None).values_list("pk", "confirmed_at"),
        "posters": Organisation.objects.exclude(posters_hung_at=None).values_list(
            "pk", "posters_hung_at"
        ),
        "cancelled": Evening.objects.exclude(cancel_reason="").values_list("pk", "cancel_reason"),
        "called": Match.objects.exclude(called_again_at=None).values_list("pk", "called_again_at"),
    }
    return {name: set(rows) for name, rows in said.items()}


@pytest.mark.django_db(transaction=True)
def test_the_journal_of_before_fills_the_columns():
    club = make_club("avant")
    by, at, later = club.committee, club.at, club.at + timedelta(minutes=2)
    guest = members.create(
        organisation=club.organisation,
        first_name="Solène",
        last_name="B",
        by=by,
        at=at,
        is_guest=True,
    )
    confirm_guest(member=guest, by=by, at=later)
    for when in (at, later):
        club_settings.hang_posters(organisation=club.organisation, by=by, at=when)
    planned = evenings.announce_evening(
        organisation=club.organisation, starts_at=at + timedelta(days=7), by=by, at=at
    )
    evenings.cancel_evening(evening=planned, reason=" Salle fermée ", by=by, at=at)
    match, _players = club.match()
    for when in (at, later):
        calls.call_players(match=match, by=club.arbiter, at=when)
    wanted = {
        "confirmed": {(guest.pk, later)},
        "posters": {(club.organisation.pk, at)},
        "cancelled": {(planned.pk, "Salle fermée")},
        "called": {(match.pk, later)},
    }
    assert facts() == wanted
    try:
        MigrationExecutor(connection).migrate(BEFORE)
    finally:
        to_the_newest()
    assert facts() == wanted
