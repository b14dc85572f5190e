"""Where the rows of an edition come from: a rating list's ledger, or a source that an app registers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

from django.db.models import Max, Q
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.accounts.actor import Refused
from clubs.organisations.models import Organisation
from clubs.rulebooks.models import RuleBook
from clubs.ui.french import written
from ratings.editions import freezing
from ratings.handovers.models import HandOver
from ratings.ledger.models import Edition, LedgerEntry, RatingList
from ratings.ledger.timeline import rule_book_on
from ratings.lists import queries as list_queries
from ratings.registries import EDITION_SOURCES
from ratings.systems.columns import ListTable

DONE, WARN, TODO = "done", "warn", "todo"


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
    """What would be published: rows of one day, and the rules that they are shown under."""

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
        content = [self.covers_until.isoformat(), *freezing.frozen(self.table)]
        return freezing.hash_of(content)


class Source(Protocol):
    """Source of the rows of a ranking."""

    def newest_day(self, organisation: Organisation) -> date | None:
        """Return the day of the newest ranking. None: nothing to publish yet."""

    def proposal(
        self,
        organisation: Organisation,
        *,
        on: date,
        today: date,
        since: Edition | None,
        at: datetime | None = None,
    ) -> Proposal:
        """Return the ranking at the end of a day, as stored now, read on another day.

        `at`: what the committee decided later, and does not count for the past, is left out.
        """

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
        rated = self.rating_list.periods.rated()
        last_day: date | None = rated.aggregate(last=Max("held_on"))["last"]
        return last_day

    def proposal(
        self,
        organisation: Organisation,
        *,
        on: date,
        today: date,
        since: Edition | None,
        at: datetime | None = None,
    ) -> Proposal:
        with translation.override(organisation.language):  # it stays, whoever publishes
            day = written(on, "j F Y")
            title = _("%(list)s au %(day)s") % {"list": self.rating_list.title, "day": day}
        read_on = max(on, today)
        return Proposal(
            table=list_queries.ranking_on(self.rating_list, on, day=read_on, since=since),
            covers_until=on,
            rule_book=rule_book_on(self.rating_list, read_on),
            title=title,
        )

    def checks(self, organisation: Organisation, *, on: date | None) -> tuple[Check, ...]:
        waiting = list(self.rating_list.periods.waiting().in_order())
        day = on or self.newest_day(organisation)
        early = [period.title for period in waiting if day and period.held_on <= day]
        later = [period.title for period in waiting if not day or period.held_on > day]
        settled = _("Toutes les compétitions jusqu’à ce jour sont calculées")
        if early:
            settled = _("Des compétitions jusqu’à ce jour ne sont pas encore calculées")
        checks = [
            Check(
                "settled",
                settled,
                TODO if early else DONE,
                _some(early),
                "ratings:desk_list",
                {"slug": self.rating_list.slug},
            )
        ]
        if later and on is None:
            sentence = ngettext(
                "%(n)s compétition plus récente n’est pas encore calculée",
                "%(n)s compétitions plus récentes ne sont pas encore calculées",
                len(later),
            )
            label = sentence % {"n": len(later)}
            here = {"slug": self.rating_list.slug}
            checks.append(Check("later", label, WARN, _some(later), "ratings:desk_list", here))
        return (*checks, *self._handed_over(on))

    def _handed_over(self, on: date | None) -> tuple[Check, ...]:
        """Return the line of what clubs sent to be rated and no officer has answered."""
        inbox = HandOver.objects.waiting().filter(rating_list=self.rating_list)
        if on is not None:
            inbox = inbox.filter(held_on__lte=on)
        labels = [one.label for one in inbox.order_by("held_on", "pk") if one.facts.get("official")]
        if not labels:
            return ()
        sentence = ngettext(
            "%(n)s transmission d’un club attend une réponse",
            "%(n)s transmissions de clubs attendent une réponse",
            len(labels),
        )
        label = sentence % {"n": len(labels)}
        return (Check("handed_over", label, WARN, _some(labels), "ratings:handover_list"),)

    def version(self, organisation: Organisation) -> str:
        """Return the list's own version, which changes with each settlement and correction."""
        versions = RatingList.objects.filter(pk=self.rating_list.pk)
        return f"list:{self.rating_list.pk}:{versions.values_list('version', flat=True).get()}"

    def touched(self, edition: Edition) -> bool:
        day = edition.covers_until
        since = LedgerEntry.objects.filter(
            rating_list=self.rating_list, written_at__gte=edition.published_at
        )  # what is moved to a later day has its new entries there
        return since.filter(Q(held_on__lte=day) | Q(supersedes__held_on__lte=day)).exists()


def _some(labels: Sequence[str]) -> str:
    return ", ".join(labels[:3]) + ("…" if len(labels) > 3 else "")


def source_of(rating_list: RatingList | None) -> Source:
    """Return the source of a ranking. Raises EditionRefused where the club's is not registered."""
    if rating_list is not None:
        return ListSource(rating_list)
    if CLUB not in EDITION_SOURCES:
        raise EditionRefused(_("Ce site ne tient pas de classement de club."), code="no_source")
    return EDITION_SOURCES[CLUB]
