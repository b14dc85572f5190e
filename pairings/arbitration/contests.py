"""A contest as arbiters read it: its mark, and an act on it while it is still the same."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction
from django.utils.translation import gettext as _

from pairings.arbitration import opinions
from pairings.arbitration.effects import digest_of
from pairings.arbitration.models import Contest
from pairings.matches.refusals import ResultRefused

READ_WITH = (
    *("match__first", "match__second", "match__organisation", "match__rule_book"),
    *("match__evening", "match__round__tournament", "opened_by"),
)


def mark_of(contest: Contest) -> str:
    """Return a digest of a contest: its match, who took it or recused, what was said, its end."""
    said = [opinion.pk for opinion in opinions.said_of(contest)]
    taken, ended = contest.taken_by_id, contest.closed_at is not None
    read = [contest.pk, contest.match.version, taken, contest.passed_on, ended, said]
    return digest_of(read)


@transaction.atomic
def act_on(contest: Contest, act: Callable[..., object], *, seen: str, **values: object) -> Contest:
    """Do one of the acts on a contest that is still what was read (`seen`); return it as it is then."""
    rows = Contest.objects.select_for_update(no_key=True, of=("self",)).select_related(*READ_WITH)
    row = rows.get(pk=contest.pk)
    if mark_of(row) != seen:
        raise ResultRefused(
            _("Ce litige a changé depuis que vous l’avez lu. Relisez-le avant d’agir."),
            code="stale",
        )
    act(contest=row, **values)
    row.refresh_from_db()
    return row
