"""On SQLite one transaction writes for as long as a file is imported: whoever reads waits for nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager

import pytest
from django.db import connection

from clubs.accounts import sessions
from pairings.matches import actions as match_actions
from tests.api.keys import key_of
from tests.clubhouse import make_club

READ = ("", "ma-soiree/", "moi/", "classement/", "joueurs/", "gestion/", "gestion/demarrer/")
pytestmark = [pytest.mark.only_on("sqlite"), pytest.mark.django_db(transaction=True)]


@contextmanager
def long_write():
    """Another process writes; a statement of this one that would write waits a tenth of a second for it."""
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        connection.cursor().execute("PRAGMA busy_timeout = 100")
        # As in a process that has just begun: Django asks once what its SQLite knows.
        connection.features.__dict__.pop("supports_json_field", None)
        try:
            yield
        finally:
            connection.close()


def test_pages_are_read_while_a_long_action_writes(as_user, caplog):
    club = make_club("faizers", size=4)
    match, (_a, b) = club.entered(club.members[0], club.members[1])
    match_actions.contest(match=match, by=b, at=club.at, words="faux", scores=(340, 350))
    reader = as_user(club.committee.user)
    # Before it, as these write: once an hour that the session is in use, once where setting up stands.
    for page in READ:
        reader.get(f"/c/faizers/{page}")
    with long_write():
        read = {page: reader.get(f"/c/faizers/{page}").status_code for page in READ}
    assert set(read.values()) == {200}, read
    assert "not noted" not in caplog.text


def test_what_is_only_noted_of_a_reading_does_not_stop_it(as_user, client, caplog):
    """That a session and a key are in use, and that an invitation was opened."""
    club = make_club("faizers", size=4)
    key = key_of(club.members[0], club.at)
    invited, token = club.invite()
    reader = as_user(club.committee.user)
    session = reader.session
    del session[sessions.USED]
    session.save()
    with long_write():
        assert reader.get("/c/faizers/classement/").status_code == 200
        bearer = {"Authorization": f"Bearer {key}"}
        assert client.get("/c/faizers/api/v1/players", headers=bearer).status_code == 200
        assert client.get(f"/c/faizers/i/{token}/").status_code == 200
    assert caplog.text.count("not noted") == 3
    assert client.get(f"/c/faizers/i/{token}/").status_code == 200
    invited.refresh_from_db()
    assert invited.opened_at is not None
