"""A file of members as the desk reads one, before it is written."""

from __future__ import annotations

from typing import Any

from clubs.exchange.tables import columns_of
from clubs.members import imports
from clubs.members.models import MemberImport
from tests.clubhouse import NOW, Clubhouse


def members_draft(club: Clubhouse, rows: list[list[str]], **more: Any) -> MemberImport:
    """Keep the rows, the first of which has the titles, for their preview."""
    read = {"file_name": "membres.csv", "columns": columns_of(rows[0], imports.COLUMNS)}
    asked = {"created_at": NOW, "created_by": club.committee.user, **more}
    return MemberImport.objects.create(organisation=club.organisation, rows=rows, **read, **asked)
