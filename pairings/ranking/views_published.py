"""The tab "Publié" of the ranking: the newest edition as it was frozen, searched and filtered."""

from __future__ import annotations

from collections import Counter

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.urls import reverse

from clubs.accounts.permissions import organisation_of
from clubs.search import search_words
from pairings.ranking import season
from ratings.editions.views import files_of, names_shown, shown_rows
from ratings.ledger.models import Edition
from ratings.lists import queries as list_queries

PAGE = 50


def published(request: HttpRequest) -> dict[str, object]:
    """Return the newest edition, the requested rows, and what has been played since.

    Uses few queries.
    """
    organisation = organisation_of(request)
    edition = list_queries.last_edition(organisation, None)
    if edition is None:
        return {"edition": None, "counts": {}}
    edition.refresh_from_db(fields=["rows", "columns"])
    rows = edition.rows
    counts = Counter(row["cells"].get("category") for row in rows)
    category = request.GET.get("categorie", "")
    if category:
        rows = [row for row in rows if row["cells"].get("category") == category]
    wanted = search_words(request.GET.get("q", ""))
    if wanted:
        names = names_shown(edition, rows)
        rows = [row for row in rows if all(w in names[row["member"]] for w in wanted)]
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    newest = season.last_closed(organisation)
    number = edition.number
    return {
        "edition": edition,
        "edition_url": reverse("ratings:edition", kwargs={"number": number}),
        "files": files_of(number),
        "newer": newest if newest and newest.held_on > edition.covers_until else None,
        "mends": _number(edition.erratum_of_id) if edition.erratum_of_id else None,
        "counts": counts,
        "total": len(edition.rows),
        "page": page,
        **shown_rows(edition, list(page.object_list)),
    }


def _number(edition_id: int) -> int | None:
    return Edition.objects.filter(pk=edition_id).values_list("number", flat=True).first()
