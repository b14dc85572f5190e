"""Published rankings: numbered, dated, never edited; an erratum corrects a mistake.

An edition freezes the rows and columns that were shown, with the rule version and its journal
entry. `EDITION_SOURCES` names the source of each kind of ranking: a rating list is read here, the club's
own ranking is registered by the app above that knows its matches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime

from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.journal import chain as journal
from clubs.journal import heads
from clubs.journal.models import JournalEntry
from clubs.organisations.models import Organisation
from ratings.editions import freezing
from ratings.editions.sources import CLUB, TODO, Check, EditionRefused, Proposal, source_of
from ratings.ledger.models import Edition, RatingList
from ratings.lists import queries as list_queries
from ratings.systems.columns import ListRow, ListTable

MENDABLE = 3
"""Older editions show it on their own page."""


def of(organisation: Organisation, rating_list: RatingList | None) -> QuerySet[Edition]:
    """Return the editions of one ranking."""
    return Edition.objects.filter(organisation=organisation, rating_list=rating_list)


def propose(
    organisation: Organisation, rating_list: RatingList | None, *, today: date | None = None
) -> Proposal | None:
    """Return the next edition with its checklist and movements; None when there is no ranking yet.

    `today`: the day of publication; None stands for the day it covers.
    """
    source = source_of(rating_list)
    on = source.newest_day(organisation)
    if on is None:
        return None
    since = list_queries.last_edition(organisation, rating_list)
    proposal = source.proposal(organisation, on=on, today=today or on, since=since)
    checks = source.checks(organisation, on=None)
    if since is not None and since.covers_until >= on:
        checks += _already(since, proposal)
    return replace(proposal, checks=checks)


def _already(since: Edition, proposal: Proposal) -> tuple[Check, ...]:
    """Refuse a day already published, unless time (a year's absence) or a decision since changed it."""
    if again(since).changed:
        hint = _("Cette publication contient une erreur : publiez un rectificatif.")
    elif freezing.difference(freezing.table_of(since), proposal.table).changed:
        return ()
    else:
        hint = _("Rien n’a changé depuis.")
    message = _("Ce jour est déjà publié sous le nº %(n)s") % {"n": since.number}
    return (Check("new_day", message, TODO, hint),)


def propose_erratum(edition: Edition) -> Proposal:
    """Return the same day again, as stored now, with movements from the same edition.

    What the committee has decided since the day was first published, for later, is left out.
    """
    organisation = edition.organisation
    source = source_of(edition.rating_list)
    number = edition.columns["since"]
    since = of(organisation, edition.rating_list).filter(number=number).first() if number else None
    day = edition.published_at.astimezone(organisation.zone).date()
    first = edition
    while first.erratum_of is not None:
        first = first.erratum_of
    proposal = source.proposal(
        organisation, on=edition.covers_until, today=day, since=since, at=first.published_at
    )
    checks = source.checks(organisation, on=proposal.covers_until)
    return replace(proposal, title=edition.title, checks=checks)


def preview(proposal: Proposal, rows: Sequence[ListRow]) -> ListTable:
    """Return some rows of a proposal exactly as the edition will show them."""
    columns = freezing.columns_shown(proposal.table)
    return replace(proposal.table, columns=columns, rows=tuple(rows))


def publish(
    *,
    organisation: Organisation,
    rating_list: RatingList | None = None,
    title: str,
    note: str = "",
    seen: str = "",
    by: Actor,
    at: datetime,
) -> Edition:
    """Freeze the newest ranking under the next number; what a correction changes needs an erratum.

    `seen` is the mark of the preview that was read: when the ranking has changed since, nothing is
    published.
    """
    with transaction.atomic():
        _lock(organisation)
        today = at.astimezone(organisation.zone).date()
        proposal = propose(organisation, rating_list, today=today)
        if proposal is None:
            raise EditionRefused(_("Il n’y a pas encore de classement à publier."), code="empty")
        _check(proposal, title, seen)
        return _write(organisation, rating_list, proposal, title, note, None, by, at)


def publish_erratum(
    *, of: Edition, title: str, note: str, seen: str = "", by: Actor, at: datetime
) -> Edition:
    """Publish a correction under a new number: same day, corrected rows, the reason in `note`.

    The old edition stays unchanged, and shows on top the number of its erratum.
    """
    if not note.strip():
        raise EditionRefused(_("Dites ce que le rectificatif corrige."), code="reason_required")
    with transaction.atomic():
        _lock(of.organisation)
        later = of.errata.first()
        if later is not None:
            raise EditionRefused(
                _("Cette publication est déjà rectifiée par le nº %(n)s : rectifiez celle-là.")
                % {"n": later.number},
                code="already_mended",
            )
        proposal = propose_erratum(of)
        _check(proposal, title, seen)
        if not freezing.difference(freezing.table_of(of), proposal.table).changed:
            raise EditionRefused(
                _("Aucune différence avec la publication : il n’y a rien à rectifier."), code="same"
            )
        return _write(of.organisation, of.rating_list, proposal, title, note, of, by, at)


def _check(proposal: Proposal, title: str, seen: str) -> None:
    if not title.strip():
        raise EditionRefused(_("Donnez un titre à la publication."), code="title_required")
    if proposal.blocked:
        raise EditionRefused(
            _("Le classement ne peut pas encore être publié : voyez la liste."), code="blocked"
        )
    if not proposal.table.rows:
        raise EditionRefused(_("Personne ne figure aujourd’hui dans ce classement."), code="empty")
    if seen and seen != proposal.seen:
        raise EditionRefused(
            _("Le classement a bougé depuis l’aperçu. Relisez-le avant de publier."), code="stale"
        )


def _lock(organisation: Organisation) -> None:
    """Lock publication, so that the numbers have no gap and no duplicate."""
    Organisation.objects.select_for_update(no_key=True).get(pk=organisation.pk)


def _write(
    organisation: Organisation,
    rating_list: RatingList | None,
    proposal: Proposal,
    title: str,
    note: str,
    erratum_of: Edition | None,
    by: Actor,
    at: datetime,
) -> Edition:
    last = of(organisation, rating_list).aggregate(last=Max("number"))["last"]
    head, rows = freezing.frozen(proposal.table)
    edition = Edition(
        organisation=organisation,
        rating_list=rating_list,
        number=(last or 0) + 1,
        title=title.strip()[:160],
        note=note.strip(),
        covers_until=proposal.covers_until,
        published_at=at,
        published_by=by.user,
        columns=head,
        rows=rows,
        rule_book=proposal.rule_book,
        erratum_of=erratum_of,
    )
    edition.sha256 = freezing.digest(edition)
    line = journal.record(
        organisation=organisation,
        verb="edition_published" if erratum_of is None else "edition_mended",
        subject=f"edition:{rating_list.slug if rating_list else CLUB}:{edition.number}",
        by=by,
        at=at,
        after={
            "number": edition.number,
            "covers_until": edition.covers_until.isoformat(),
            "rows": len(rows),
            "sha256": edition.sha256,
            "erratum_of": erratum_of.number if erratum_of else None,
        },
        reason=edition.note if erratum_of else "",
        rule_book=proposal.rule_book,
    )
    edition.journal_seq, edition.journal_hash = line.seq, line.hash
    try:
        with transaction.atomic():
            edition.save()
    except IntegrityError as clash:
        raise EditionRefused(
            _("Une publication vient d’être faite. Rechargez la page."), code="race"
        ) from clash
    heads.mail(organisation, at=at, published=edition.title)
    return edition


def breaches(edition: Edition) -> list[str]:
    """Return how an edition differs from what was published: its rows, its journal entry."""
    differences = []
    if freezing.digest(edition) != edition.sha256:
        differences.append("changed")
    line = JournalEntry.objects.filter(
        organisation=edition.organisation, seq=edition.journal_seq, hash=edition.journal_hash
    ).first()
    if line is None or (line.after or {}).get("sha256") != edition.sha256:
        differences.append("journal")
    return differences


def with_breaches(stored: QuerySet[Edition]) -> Iterator[tuple[Edition, list[str]]]:
    """Return each edition with its `breaches`, read in small parts: their rows may be long."""
    related = stored.select_related("organisation", "rating_list", "rule_book", "erratum_of")
    return ((edition, breaches(edition)) for edition in related.iterator(chunk_size=20))


# Corrections since then


def reaching(
    organisation: Organisation, rating_list: RatingList | None, day: date
) -> QuerySet[Edition]:
    """Return the editions that a change on that day may contradict: later days without an erratum."""
    editions = of(organisation, rating_list).filter(covers_until__gte=day, errata__isnull=True)
    return editions.defer("rows", "columns").order_by("number")


def to_mend(
    organisation: Organisation,
    rating_list: RatingList | None,
    *,
    most: int = MENDABLE,
    days: tuple[date, date] | None = None,
) -> list[tuple[Edition, int]]:
    """Return the newest editions that corrections contradict, each with how many of its lines.

    `most`: how many of the newest are looked at; `days`: those of days between these two alone. An
    erratum is as old as the day that it covers.
    """
    editions = of(organisation, rating_list).filter(errata__isnull=True)
    if days is not None:
        editions = editions.filter(covers_until__range=days)
    light = editions.defer("rows", "columns").select_related("organisation", "rating_list")
    newest = light.order_by("-covers_until", "-number")[:most]
    counted = [(edition, corrected_since(edition)) for edition in newest]
    return [(edition, lines) for edition, lines in counted if lines]


def again(edition: Edition) -> freezing.TableDifference:
    """Return the difference from what was published to the same day as stored now."""
    return freezing.difference(freezing.table_of(edition), propose_erratum(edition).table)


def corrected_since(edition: Edition) -> int:
    """Return how many players' lines of a published day a correction has changed since.

    The day is computed again once after each change, then cached.
    """
    source = source_of(edition.rating_list)
    key = f"edition-again:{edition.pk}:{source.version(edition.organisation)}"
    line_count: int | None = cache.get(key)
    if line_count is None:
        line_count = 0
        if source.touched(edition):
            line_count = again(edition).players
        cache.set(key, line_count, 3600)
    return line_count
