"""The furnished clubs are built once a worker: what is put back is what was built, and nobody else's."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.test import Client

from pairings.matches import photos
from tests.permissions.furnished_club import furnish, rows

pytestmark = pytest.mark.django_db


def test_they_come_back_row_for_row_with_their_files_and_sessions(settings, tmp_path):
    for time in range(3):  # built or put back, put back and noted, put back from the note
        settings.MEDIA_ROOT = tmp_path / str(time)
        with transaction.atomic():
            site = furnish()
            assert rows() == site.rows > site.theirs
            assert site.photos and all(photos.path_of(name) for name in site.photos)
            client = Client()
            client.cookies.load(site.cookies[site.club.committee.user.pk])
            answer = client.get(f"/c/{site.club.organisation.slug}/gestion/")
            assert answer.status_code == 200
            transaction.set_rollback(True)


def test_what_a_test_does_to_them_is_not_seen_by_the_next():
    seen = []
    for _time in range(2):
        with transaction.atomic():
            club = furnish().club
            seen.append((club.at, club.members[0].first_name))
            club.at += timedelta(days=1)
            club.members[0].first_name = "Autrement"
            transaction.set_rollback(True)
    assert seen[0] == seen[1]
