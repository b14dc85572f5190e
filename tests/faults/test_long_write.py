"""On SQLite one transaction writes for as long as a file is imported: whoever reads waits for nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from django.db import connection

from pairings.matches import actions as match_actions
from tests.clubhouse import make_club

READ = ("", "ma-soiree/", "moi/", "classement/", "joueurs/", "gestion/", "gestion/demarrer/")


@pytest.mark.only_on("sqlite")
@pytest.mark.django_db(transaction=True)
def test_pages_are_read_while_a_long_action_writes(as_user):
    club = make_club("faizers", size=4)
    match, (_a, b) = club.entered(club.members[0], club.members[1])
    match_actions.contest(match=match, by=b, at=club.at, words="faux", scores=(340, 350))
    reader = as_user(club.committee.user)
    # Notes once an hour that the session is in use, and once where setting up stands.
    for page in READ:
        reader.get(f"/c/faizers/{page}")
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        connection.cursor().execute("PRAGMA busy_timeout = 100")
        # As in a process that has just begun: Django asks once what its SQLite knows.
        connection.features.__dict__.pop("supports_json_field", None)
        try:
            read = {page: reader.get(f"/c/faizers/{page}").status_code for page in READ}
        finally:
            connection.close()
    assert set(read.values()) == {200}, read
