"""Published editions: their list, one with its files, the difference between two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Prefetch
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from clubs.accounts.permissions import access_of, organisation_of, public
from clubs.members.models import Member
from clubs.rulebooks import actions as rulebooks
from clubs.search import without_accents
from ratings.editions import actions as editions
from ratings.editions import file_cache, freezing
from ratings.editions import files as edition_files
from ratings.ledger.models import Edition, RatingList
from ratings.lists import queries as list_queries
from ratings.systems.columns import MOVE, NAME, RANK, ListTable

PAGE = 200
FORMATS = (("pdf", "PDF"), ("csv", "CSV"), ("xlsx", "XLSX"), ("json", "JSON"))


def list_of(request: HttpRequest, liste: str) -> RatingList | None:
    """Return the rating list of that address; None for the club's own ranking."""
    if not liste:
        return None
    return get_object_or_404(RatingList, organisation=organisation_of(request), slug=liste)


def url(name: str, liste: str, **arguments: object) -> str:
    """Return an address; the club's own ranking and each rating list have the same pages."""
    if liste:
        return reverse(f"ratings:list_{name}", kwargs={"liste": liste, **arguments})
    return reverse(f"ratings:{name}", kwargs=arguments)


def address(name: str, **arguments: object) -> str:
    """Return the address of a page of an app above, where that app is installed."""
    try:
        return reverse(name, kwargs=arguments or None)
    except NoReverseMatch:
        return ""


def edition_of(request: HttpRequest, liste: str, number: int) -> Edition:
    """Return the edition of that number (404 otherwise)."""
    list_editions = editions.of(organisation_of(request), list_of(request, liste))
    numbered_edition: Edition = get_object_or_404(
        list_editions.select_related(
            "organisation", "rating_list", "rule_book", "erratum_of"
        ).defer("erratum_of__rows", "erratum_of__columns"),
        number=number,
    )
    return numbered_edition


@public
@never_cache
@require_GET
def edition_list(request: HttpRequest, liste: str = "") -> HttpResponse:
    """List every edition, newest first; an erratum and the edition it corrects link to each other."""
    rating_list = list_of(request, liste)
    list_editions = (
        editions.of(organisation_of(request), rating_list)
        .defer("rows", "columns", "erratum_of__rows", "erratum_of__columns")
        .select_related("erratum_of")
        .prefetch_related(Prefetch("errata", Edition.objects.defer("rows", "columns")))
        .order_by("-number")
    )
    page = Paginator(list_editions, 50).get_page(request.GET.get("page"))
    rows = [
        {
            "edition": edition,
            "url": url("edition", liste, number=edition.number),
            "mended": next(iter(edition.errata.all()), None),
        }
        for edition in page
    ]
    context = {
        "list": rating_list,
        "rows": rows,
        "page": page,
        "publish_url": url("publish", liste) if access_of(request).is_committee else "",
        "ranking_url": address("ratings:list", slug=liste)
        if liste
        else address("pairings:ranking"),
    }
    return render(request, "ratings/editions/edition_list.html", context)


@public
@never_cache
@require_GET
def edition_last(request: HttpRequest, liste: str = "", extension: str = "") -> HttpResponse:
    """Redirect the alias "dernière" to the number of the newest day."""
    newest = list_queries.last_edition(organisation_of(request), list_of(request, liste))
    if newest is None:
        raise Http404(_("Aucun classement n’est encore publié."))
    if extension:
        target = url("edition_file", liste, number=newest.number, extension=extension)
    else:
        target = url("edition", liste, number=newest.number)
    return redirect(target)


@public
@never_cache
@require_GET
def edition(request: HttpRequest, number: int, liste: str = "") -> HttpResponse:
    """Show one edition as frozen, its erratum on top, its files, how to verify it."""
    stored_edition = edition_of(request, liste, number)
    mended = stored_edition.errata.defer("rows", "columns").first()
    pages = Paginator(stored_edition.rows, PAGE)
    page = pages.get_page(request.GET.get("page"))
    table = freezing.table_of(stored_edition, list(page.object_list))
    moved = editions.corrected_since(stored_edition) if mended is None else 0
    numbers = editions.of(stored_edition.organisation, stored_edition.rating_list).order_by(
        "number"
    )
    before = numbers.filter(number__lt=number).values_list("number", flat=True).last()
    after = numbers.filter(number__gt=number).values_list("number", flat=True).first()
    since = table.since
    mends = stored_edition.erratum_of
    context = {
        "edition": stored_edition,
        "list": stored_edition.rating_list,
        "rule_url": _rule_url(stored_edition),
        "page": page,
        **shown(table, liste),
        "files": files_of(number, liste),
        "list_url": url("edition_list", liste),
        "before_url": url("edition", liste, number=before) if before else "",
        "after_url": url("edition", liste, number=after) if after else "",
        "since_url": url("edition_diff", liste, old=since, new=number) if since else "",
        "mends_url": url("edition", liste, number=mends.number) if mends else "",
        "mends_diff_url": url("edition_diff", liste, old=mends.number, new=number) if mends else "",
        "mended": mended,
        "mended_url": url("edition", liste, number=mended.number) if mended else "",
        "mended_diff_url": (
            url("edition_diff", liste, old=number, new=mended.number) if mended else ""
        ),
        "corrected": moved,
        "mend_url": (
            f"{url('publish', liste)}?rectifie={number}"
            if moved and access_of(request).is_committee
            else ""
        ),
    }
    return render(request, "ratings/editions/edition.html", context)


@public
@require_GET
def edition_file(
    request: HttpRequest, number: int, extension: str, liste: str = ""
) -> HttpResponse:
    """Return the same rows as a file."""
    if extension not in edition_files.FILES:
        raise Http404
    stored_edition = edition_of(request, liste, number)
    kind, _write = edition_files.FILES[extension]
    try:
        content = file_cache.content(stored_edition, extension, at=timezone.now())
    except file_cache.BeingWritten as waiting:
        if waiting.is_lost:
            words = _(
                "Ce fichier ne peut pas être préparé pour l’instant. Prenez le CSV, ou réessayez."
            )
            messages.error(request, words)
        else:
            words = _("Ce fichier est long : il se prépare. Redemandez-le dans une minute.")
            messages.info(request, words)
        return redirect(url("edition", liste, number=number))
    response = HttpResponse(content, content_type=kind)
    place = "inline" if extension == "pdf" else "attachment"
    name = edition_files.name_of(stored_edition, extension)
    response["Content-Disposition"] = f'{place}; filename="{name}"'
    response["Cache-Control"] = "no-cache"
    return response


@public
@never_cache
@require_GET
def edition_diff(request: HttpRequest, old: int, new: int, liste: str = "") -> HttpResponse:
    """Show who moved, entered and left between two editions."""
    a, b = edition_of(request, liste, old), edition_of(request, liste, new)
    context = {
        "old": a,
        "new": b,
        "list": a.rating_list,
        "old_url": url("edition", liste, number=old),
        "new_url": url("edition", liste, number=new),
        "list_url": url("edition_list", liste),
        **changes(freezing.difference(freezing.table_of(a), freezing.table_of(b))),
    }
    return render(request, "ratings/editions/edition_diff.html", context)


# Values for templates


def files_of(number: int, liste: str = "") -> list[tuple[str, str]]:
    """Return the kinds of file of an edition, each with its address."""
    return [
        (label, url("edition_file", liste, number=number, extension=extension))
        for extension, label in FORMATS
    ]


def names_shown(edition: Edition, rows: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Return member → the name that this edition may show today, for search."""
    today = freezing.names_of(edition, [row["member"] for row in rows])
    return {row["member"]: without_accents(today.get(row["member"], row["name"])) for row in rows}


def shown_rows(edition: Edition, rows: list[dict[str, object]]) -> dict[str, object]:
    """Return some rows of an edition as `_edition_table.html` takes them."""
    slug = edition.rating_list.slug if edition.rating_list is not None else ""
    return shown(freezing.table_of(edition, rows), slug)


def shown(table: ListTable, liste: str = "") -> dict[str, Any]:
    """Return the table as `_edition_table.html` takes it: columns and, section by section, rows."""
    titles = {section.code: section.label for section in table.sections}
    ids = [row.member for row in table.rows]
    people = Member.objects.open_to_visitors().filter(pk__in=ids[:PAGE])
    addresses = {member.pk: member.address for member in people}
    groups: list[dict[str, Any]] = []
    for row in table.rows:
        if not groups or groups[-1]["code"] != row.section:
            title = titles.get(row.section, "")
            groups.append({"code": row.section, "title": _(title) if title else "", "rows": []})
        slug = addresses.get(row.member)
        if slug and liste:
            link = address("ratings:player_list", slug=slug, rating_list=liste)
        else:
            link = address("pairings:player", slug=slug) if slug else ""
        groups[-1]["rows"].append({"row": row, "url": link})
    columns = table.columns
    return {
        "columns": columns,
        "own_columns": [c for c in columns if c.kind not in (RANK, MOVE, NAME)],
        "lead": next((c for c in columns if c.lead), None),
        "has_moves": any(c.kind == MOVE for c in columns),
        "groups": groups,
        "since": table.since,
    }


def changes(difference: freezing.TableDifference) -> dict[str, Any]:
    """Return a difference as `_edition_changes.html` takes it."""
    titles = {code: _(label) for code, label in difference.sections.items() if label}
    return {
        "moved": sorted(difference.moved, key=lambda line: (line.section, line.rank[1])),
        "total": len(difference.moved),
        "entered": [(row, titles.get(row.section, "")) for row in difference.entered],
        "left": [(row, titles.get(row.section, "")) for row in difference.left],
        "changed": difference.changed,
    }


def _rule_url(edition: Edition) -> str:
    """Return the address of the rules the edition was computed by, of whichever rule book."""
    code = edition.rating_list.system if edition.rating_list else rulebooks.LADDER
    number = edition.rule_book.number if edition.rule_book else 0
    return reverse("clubs:rules_version", kwargs={"number": number}) + f"?livre={code}"
