"""Sessions in the database, as Django's own; the question each request asks is written once."""

from __future__ import annotations

from datetime import datetime

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db import models
from django.utils import timezone

from clubs.prepared import Question


@Question
def _session(key: str, now: datetime) -> models.QuerySet[Session]:
    return Session.objects.filter(session_key=key, expire_date__gt=now)


class SessionStore(db.SessionStore):
    def _get_session_from_db(self) -> Session | None:
        found = _session.first(self.session_key, timezone.now())
        if found is None:
            self._session_key = None
        return found
