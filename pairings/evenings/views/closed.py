"""What the page of a closed evening adds: cotes that moved, one's own recap, the way to publish."""

from __future__ import annotations

from clubs.accounts.permissions import Access, player_url
from pairings.evenings.models import Evening
from pairings.evenings.player_page.matches import entries_of
from pairings.ranking import projection
from pairings.ranking.publication import ClubRanking
from ratings.editions.sources import DONE
from ratings.editions.views_publish import tasks_of
from ratings.ledger.models import Edition


def context_of(evening: Evening, access: Access) -> dict[str, object]:
    player = access.player
    return {
        "movements": movements(evening, access),
        "own_recap": player is not None and evening.check_ins.filter(member=player).exists(),
        "publishing": publishing(evening) if access.is_committee else None,
    }


def movements(evening: Evening, access: Access) -> list[dict[str, object]]:
    """Return what the closing changed: cote before → after, the badge won, the reasons."""
    entries = entries_of(evening).select_related("member").order_by("-shown_after", "pk")
    book = evening.rule_book
    return [
        {
            "entry": entry,
            "name": entry.member.name_for(viewer_is_member=access.is_member),
            "before": entry.shown_before,
            "after": entry.shown_after,
            "delta": (entry.shown_after or 0) - (entry.shown_before or 0),
            "category": projection.category_code(entry.shown_after, book),
            "new_badge": (entry.shown_after or 0) > (entry.shown_before or 0)
            and projection.category_code(entry.shown_after, book)
            != projection.category_code(entry.shown_before, book),
            "url": player_url(access, entry.member, "ratings:change", entry_id=entry.pk),
        }
        for entry in entries
    ]


def publishing(evening: Evening) -> dict[str, object] | None:
    """Return what the committee has left to do before it publishes a closed evening's ranking.

    None once a publication covers the evening.
    """
    published = Edition.objects.filter(
        organisation=evening.organisation_id, rating_list=None, covers_until__gte=evening.held_on
    )
    if published.exists():
        return None
    checks = ClubRanking().checks(evening.organisation, on=None)
    return {"tasks": tasks_of(check for check in checks if check.state != DONE)}
