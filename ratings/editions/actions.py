"""Published rankings: numbered, dated, never edited; an erratum corrects a mistake.

An edition freezes the rows and columns that were shown, with the rule version and its journal
entry. `EDITION_SOURCES` names the source of each kind of ranking: a rating list is read here, the club's
own ranking is registered by the app above that knows its matches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Protocol

from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.accounts.actor import Actor, Refused
from clubs.journal import chain as journal
from clubs.journal.models import JournalEntry
from clubs.organisations.models import Organisation
from clubs.rulebooks.models import RuleBook
from clubs.ui.dates import written
from ratings.editions import freezing as edition_tables
from ratings.ledger.models import Edition, LedgerEntry, RatingList
from ratings.lists import queries as rankings
from ratings.registries import EDITION_SOURCES
from ratings.systems.columns import ListRow, ListTable

DONE, WARN, TODO = "done", "warn", "todo"
MENDABLE = 3
"""Older editions show it on their own page."""


class EditionRefused(Refused):
    """A ranking that may not be published now."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the checklist. `state` todo blocks, warn does not.

    `url_name` (of `url_of`) is the page that resolves it.
    """

    code: str
    label: str
    state: str
    hint: str = ""
    url_name: str = ""
    url_of: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What would be published: rows of one day, under the rules of that day."""

    table: ListTable
    covers_until: date
    rule_book: RuleBook | None
    title: str
    checks: tuple[Check, ...] = ()

    @property
    def blocked(self) -> bool:
        return any(check.state == TODO for check in self.checks)

    @property
    def seen(self) -> str:
        """Return the mark that a preview carries, so that what was read is what is published."""
        content = [self.covers_until.isoformat(), *edition_tables.frozen(self.table)]
        return edition_tables.hash_of(content)


class Source(Protocol):
    """Source of the rows of a ranking."""

    def newest_day(self, organisation: Organisation) -> date | None:
        """Return the day of the newest ranking. None: nothing to publish yet."""

    def proposal(
        self, organisation: Organisation, *, on: date, today: date, since: Edition | None
    ) -> Proposal:
        """Return the ranking at the end of a day, as stored now, read on another day."""

    def checks(self, organisation: Organisation, *, on: date | None) -> tuple[Check, ...]:
        """Return what must be settled first; `on`: only what can change the ranking of that day."""

    def version(self, organisation: Organisation) -> str:
        """Return a value that changes with every change, as the cache key of a comparison."""

    def touched(self, edition: Edition) -> bool:
        """Return whether a correction may have reached that day.

        False only where it is certain, and cheap to know, that none did.
        """


CLUB = "club"


@dataclass(frozen=True, slots=True)
class ListSource:
    """A rating list read from its ledger."""

    rating_list: RatingList

    def newest_day(self, organisation: Organisation) -> date | None:
        settled = self.rating_list.periods.filter(settled_at__isnull=False, removed_at__isnull=True)
        found: date | None = settled.aggregate(last=Max("held_on"))["last"]
        return found

    def proposal(
        self, organisation: Organisation, *, on: date, today: date, since: Edition | None
    ) -> Proposal:
        day = written(on, "j F Y")
        return Proposal(
            table=rankings.ranking_on(self.rating_list, on, day=max(on, today), since=since),
            covers_until=on,
            rule_book=rankings.rule_book_on(self.rating_list, on),
            title=_("%(list)s au %(day)s") % {"list": self.rating_list.name, "day": day},
        )

    def checks(self, organisation: Organisation, *, on: date | None) -> tuple[Check, ...]:
        waiting = self.rating_list.periods.filter(settled_at__isnull=True, removed_at__isnull=True)
        day = on or self.newest_day(organisation)
        early = [period.label for period in waiting.in_order() if day and period.held_on <= day]
        later = [period.label for period in waiting.in_order() if not day or period.held_on > day]
        checks = [
            Check(
                "settled",
                _("Toutes les compétitions jusqu’à ce jour sont calculées"),
                TODO if early else DONE,
                _some(early),
                "ratings:desk_list",
                {"slug": self.rating_list.slug},
            )
        ]
        if later and on is None:
            told = ngettext(
                "%(n)s compétition plus récente n’est pas encore calculée",
                "%(n)s compétitions plus récentes ne sont pas encore calculées",
                len(later),
            )
            label = told % {"n": len(later)}
            here = {"slug": self.rating_list.slug}
            checks.append(Check("later", label, WARN, _some(later), "ratings:desk_list", here))
        return tuple(checks)

    def version(self, organisation: Organisation) -> str:
        """Return the list's own version, which changes with each settlement and correction."""
        versions = RatingList.objects.filter(pk=self.rating_list.pk)
        return f"list:{self.rating_list.pk}:{versions.values_list('version', flat=True).get()}"

    def touched(self, edition: Edition) -> bool:
        return LedgerEntry.objects.filter(
            rating_list=self.rating_list,
            written_at__gte=edition.published_at,
            held_on__lte=edition.covers_until,
        ).exists()


def _some(labels: Sequence[str]) -> str:
    return ", ".join(labels[:3]) + ("…" if len(labels) > 3 else "")


def source_of(rating_list: RatingList | None) -> Source:
    """Return the source of a ranking. Raises EditionRefused where the club's is not registered."""
    if rating_list is not None:
        return ListSource(rating_list)
    if CLUB not in EDITION_SOURCES:
        raise EditionRefused(_("Ce site ne tient pas de classement de club."), code="no_source")
    return EDITION_SOURCES[CLUB]


def of(organisation: Organisation, rating_list: RatingList | None) -> Any:
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
    since = rankings.last_edition(organisation, rating_list)
    found = source.proposal(organisation, on=on, today=today or on, since=since)
    checks = source.checks(organisation, on=None)
    if since is not None and since.covers_until >= on:
        checks += _already(since, found)
    return replace(found, checks=checks)


def _already(since: Edition, found: Proposal) -> tuple[Check, ...]:
    """Refuse a day already published, unless time alone changed what it shows (a year's absence)."""
    if again(since).changed:
        hint = _("Elle contient une erreur : publiez un rectificatif.")
    elif edition_tables.difference_of(since, found.table).changed:
        return ()
    else:
        hint = _("Rien n’a changé depuis.")
    told = _("Ce jour est déjà publié sous le nº %(n)s") % {"n": since.number}
    return (Check("new_day", told, TODO, hint),)


def propose_erratum(edition: Edition) -> Proposal:
    """Return the same day again, as stored now, with movements from the same edition."""
    organisation = edition.organisation
    source = source_of(edition.rating_list)
    number = edition.columns["since"]
    since = of(organisation, edition.rating_list).filter(number=number).first() if number else None
    found = source.proposal(organisation, on=edition.covers_until, today=_day(edition), since=since)
    checks = source.checks(organisation, on=found.covers_until)
    return replace(found, title=edition.title, checks=checks)


def _day(edition: Edition) -> date:
    return edition.published_at.astimezone(edition.organisation.zone).date()


def preview(found: Proposal, rows: Sequence[ListRow]) -> ListTable:
    """Return some rows of a proposal exactly as the edition will show them."""
    columns = edition_tables.columns_shown(found.table)
    return replace(found.table, columns=columns, rows=tuple(rows))


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
    """Freeze the newest ranking under the next number, once for each day; after that an erratum.

    `seen` is the mark of the preview that was read: when the ranking has changed since, nothing is
    published.
    """
    with transaction.atomic():
        _lock(organisation)
        today = at.astimezone(organisation.zone).date()
        found = propose(organisation, rating_list, today=today)
        if found is None:
            raise EditionRefused(_("Il n’y a pas encore de classement à publier."), code="empty")
        _check(found, title, seen)
        return _write(organisation, rating_list, found, title, note, None, by, at)


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
        found = propose_erratum(of)
        _check(found, title, seen)
        if not edition_tables.difference_of(of, found.table).changed:
            raise EditionRefused(
                _("Aucune différence avec la publication : il n’y a rien à rectifier."), code="same"
            )
        return _write(of.organisation, of.rating_list, found, title, note, of, by, at)


def _check(found: Proposal, title: str, seen: str) -> None:
    if not title.strip():
        raise EditionRefused(_("Donnez un titre à la publication."), code="title_required")
    if found.blocked:
        raise EditionRefused(
            _("Le classement ne peut pas encore être publié : voyez la liste."), code="blocked"
        )
    if not found.table.rows:
        raise EditionRefused(_("Il n’y a pas encore de classement à publier."), code="empty")
    if seen and seen != found.seen:
        raise EditionRefused(
            _("Le classement a bougé depuis l’aperçu. Relisez-le avant de publier."), code="stale"
        )


def _lock(organisation: Organisation) -> None:
    """Lock publication, so that the numbers have no gap and no duplicate."""
    Organisation.objects.select_for_update().get(pk=organisation.pk)


def _write(
    organisation: Organisation,
    rating_list: RatingList | None,
    found: Proposal,
    title: str,
    note: str,
    erratum_of: Edition | None,
    by: Actor,
    at: datetime,
) -> Edition:
    last = of(organisation, rating_list).aggregate(last=Max("number"))["last"]
    head, rows = edition_tables.frozen(found.table)
    edition = Edition(
        organisation=organisation,
        rating_list=rating_list,
        number=(last or 0) + 1,
        title=title.strip()[:160],
        note=note.strip(),
        covers_until=found.covers_until,
        published_at=at,
        published_by=by.user,
        columns=head,
        rows=rows,
        rule_book=found.rule_book,
        erratum_of=erratum_of,
    )
    edition.sha256 = edition_tables.digest(edition)
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
        rule_book=found.rule_book,
    )
    edition.journal_seq, edition.journal_hash = line.seq, line.hash
    try:
        with transaction.atomic():
            edition.save()
    except IntegrityError as clash:
        raise EditionRefused(
            _("Une publication vient d’être faite. Rechargez la page."), code="race"
        ) from clash
    return edition


def breaches(edition: Edition) -> list[str]:
    """Return how an edition differs from what was published: its rows, its journal entry."""
    found = []
    if edition_tables.digest(edition) != edition.sha256:
        found.append("changed")
    line = JournalEntry.objects.filter(
        organisation=edition.organisation, seq=edition.journal_seq, hash=edition.journal_hash
    ).first()
    if line is None or (line.after or {}).get("sha256") != edition.sha256:
        found.append("journal")
    return found


# Corrections since then


def reaching(organisation: Organisation, rating_list: RatingList | None, day: date) -> Any:
    """Return the editions that a change on that day may contradict: later days without an erratum."""
    held = of(organisation, rating_list).filter(covers_until__gte=day, errata__isnull=True)
    return held.defer("rows", "columns").order_by("number")


def to_mend(rating_list: RatingList) -> list[tuple[Edition, int]]:
    """Return the newest editions that corrections contradict, each with how many of its lines."""
    held = of(rating_list.organisation, rating_list).filter(errata__isnull=True)
    newest = held.select_related("organisation", "rating_list").order_by("-number")[:MENDABLE]
    counted = [(edition, corrected_since(edition)) for edition in newest]
    return [(edition, lines) for edition, lines in counted if lines]


def again(edition: Edition) -> edition_tables.TableDifference:
    """Return the difference from what was published to the same day as stored now."""
    return edition_tables.difference_of(edition, propose_erratum(edition).table)


def corrected_since(edition: Edition) -> int:
    """Return how many lines of a published day a correction has changed since.

    The day is computed again once after each change, then cached.
    """
    source = source_of(edition.rating_list)
    key = f"edition-again:{edition.pk}:{source.version(edition.organisation)}"
    found: int | None = cache.get(key)
    if found is None:
        found = 0
        if source.touched(edition):
            lines = again(edition)
            found = len(lines.moved) + len(lines.entered) + len(lines.left)
        cache.set(key, found, 3600)
    return found
