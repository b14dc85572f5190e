"""The club's published ranking: the season's ladder after a closed evening.

Registered in `ratings.registries.EDITION_SOURCES` when the site starts: editions work with columns
and rows, and this module supplies them from matches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime
from fractions import Fraction

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.organisations.models import Organisation
from clubs.rulebooks.fields import gettext_noop
from clubs.ui.french import written
from pairings.absences.models import Absence
from pairings.arbitration.models import Contest
from pairings.evenings.models import Evening
from pairings.matches.models import Match
from pairings.ranking import live as live_ranking
from pairings.ranking import projection
from pairings.ranking import season as seasons
from pairings.rules.match_state import Status
from pairings.rules.tiebreaks import RankedPlayer
from ratings.editions.sources import DONE, TODO, WARN, Check, Proposal
from ratings.ledger.models import Edition
from ratings.lists import queries as list_queries
from ratings.systems.columns import (
    BADGE,
    DECIMAL,
    INTEGER,
    PERCENT,
    POINTS,
    TAG,
    ListColumn,
    ListRow,
    ListTable,
    stored,
)

# The criterion that parted a player from the one above, in words that the page translates.
PARTED = {
    "pdi": gettext_noop("par le PDI"),
    "ds": gettext_noop("par la DS"),
    "played": gettext_noop("par les matchs"),
    "form": gettext_noop("par la forme"),
    "seniority": gettext_noop("par l’ancienneté"),
    "initial": gettext_noop("par le rang initial"),
    "id": gettext_noop("par l’inscription"),
}
EX_AEQUO = gettext_noop("ex æquo")
DS_LABELS = {"sum": gettext_noop("DS, somme"), "mean": gettext_noop("DS, moyenne")}


class ClubRanking:
    """The ladder's standings at the end of a closed evening, with the cotes of that day."""

    def newest_day(self, organisation: Organisation) -> date | None:
        evening = seasons.last_closed(organisation)
        return evening.held_on if evening else None

    def proposal(
        self,
        organisation: Organisation,
        *,
        on: date,
        today: date,
        since: Edition | None,
        at: datetime | None = None,
    ) -> Proposal:
        evening = (
            Evening.objects.of(organisation)
            .closed()
            .filter(held_on=on)
            .select_related("season", "rule_book")
            .latest("closed_at", "pk")
        )
        book = evening.rule_book
        waived = seasons.waived_groups(evening.season, at=at)
        standing = seasons.standing(evening.season, book, today=on, until=on, waived=waived)
        cotes = self._cotes(organisation, on)
        if since is not None and since.covers_until < evening.season.starts_on:
            since = None  # the places of a season that is over are not compared
        before = list_queries.places_of(since)
        rules = seasons.pairing_rules(book, season=evening.season)
        columns = _columns(standing.lines, rules.ds_mode)
        sharing = Counter(line.rank for line in standing.lines)
        rows = []
        for line in standing.lines:
            member_id = int(str(line.player))
            cote = cotes.get(member_id, projection.initial_cote(book))
            previous_rank = before.get(("", member_id))
            equal = sharing[line.rank] > 1
            values = _values(line, cote, projection.category_code(cote, book), equal)
            rows.append(
                ListRow(
                    member=member_id,
                    name=standing.members[member_id].name_for(viewer_is_member=False),
                    rank=line.rank,
                    ex_aequo=equal,
                    move=None if previous_rank is None else previous_rank - line.rank,
                    cells={c.code: stored(c, values[c.code]) for c in columns},
                )
            )
        with translation.override(organisation.language):  # it stays, whoever publishes
            day = written(on, "j F Y")
            title = _("Classement après la soirée du %(day)s") % {"day": day}
        number = since.number if since is not None else None
        return Proposal(
            table=ListTable(columns, tuple(rows), since=number),
            covers_until=on,
            rule_book=book,
            title=title,
        )

    def checks(self, organisation: Organisation, *, on: date | None) -> tuple[Check, ...]:
        """Return what to check before publication.

        An erratum only checks matches that can affect its day.
        """
        live = Evening.objects.of(organisation).live()
        contests = Contest.objects.of(organisation)
        waiting = Match.objects.filter(
            organisation=organisation,
            evening__isnull=False,
            status__in=[Status.SUBMITTED, Status.ABSENCE_CLAIMED],
        )
        absences = Absence.objects.of(organisation).to_review()
        if on is not None:
            live = live.filter(held_on__lte=on)
            contests = contests.filter(match__evening__held_on__lte=on)
            waiting = waiting.filter(evening__held_on__lte=on)
            absences = absences.filter(match__evening__held_on__lte=on)
        open_evening = live.order_by("held_on").first()
        disputes, requests = contests.open().filter(late=False).count(), contests.requests().count()
        results, excuses = waiting.count(), absences.count()
        return (
            Check(
                "evening_closed",
                _("La soirée n’est pas clôturée") if open_evening else _("La soirée est clôturée"),
                TODO if open_evening else DONE,
                written(open_evening.held_on, "l j F Y") if open_evening else "",
                "pairings:arbiter",
            ),
            _counted(
                "contests",
                ngettext("%(n)s litige ouvert", "%(n)s litiges ouverts", disputes),
                disputes,
                "pairings:dispute_list",
            ),
            _counted(
                "results",
                ngettext("%(n)s résultat en attente", "%(n)s résultats en attente", results),
                results,
                "pairings:arbiter",
            ),
            _counted(
                "requests",
                ngettext("%(n)s demande de correction", "%(n)s demandes de correction", requests),
                requests,
                "pairings:dispute_list",
                hint=_("Si la réponse change un résultat publié, il faudra un rectificatif."),
            ),
            _counted(
                "absences",
                ngettext("%(n)s absence non traitée", "%(n)s absences non traitées", excuses),
                excuses,
                "pairings:absence_list",
                hint=_("Une justification attend sa réponse ; elle ne change aucun point."),
            ),
        )

    def version(self, organisation: Organisation) -> str:
        return f"club:{organisation.pk}:{live_ranking.version_of(organisation)}"

    def touched(self, edition: Edition) -> bool:
        """Return True, so that the whole ranking is compared.

        A corrected match may change points without changing a cote.
        """
        return True

    def _cotes(self, organisation: Organisation, on: date) -> dict[int, int]:
        rating_list = projection.club_list(organisation)
        if rating_list is None:
            return {}
        states = list_queries.states_on(rating_list, on)
        return {member_id: standing.shown for member_id, standing in states.items()}


def _columns(lines: list[RankedPlayer], ds_mode: str) -> tuple[ListColumn, ...]:
    """Return the columns. PR are whole numbers unless the committee chose otherwise."""
    whole = all(Fraction(line.values["pr"]).denominator == 1 for line in lines)
    pr = INTEGER if whole else DECIMAL
    return (
        ListColumn("category", gettext_noop("Catégorie"), BADGE),
        ListColumn("cote", gettext_noop("Cote")),
        ListColumn("pr", "PR", pr, places=0 if whole else 2, lead=True),
        ListColumn("pdi", "PDI", POINTS, places=2),
        ListColumn("ds", DS_LABELS[ds_mode], PERCENT, places=2),
        ListColumn("played", gettext_noop("Matchs")),
        ListColumn("tie", gettext_noop("Départage"), TAG),
    )


def _values(line: RankedPlayer, cote: int, category: str, equal: bool) -> Mapping[str, object]:
    return {
        "category": category,
        "cote": cote,
        "pr": line.values["pr"],
        "pdi": line.values.get("pdi"),
        "ds": line.values.get("ds"),
        "played": line.values.get("played"),
        "tie": EX_AEQUO if equal else PARTED.get(line.parted_by or "", ""),
    }


def _counted(code: str, words: str, count: int, url_name: str, *, hint: str = "") -> Check:
    """Return the line of what is still open, with its count: it blocks, or only warns with a hint."""
    state = DONE if not count else WARN if hint else TODO
    return Check(code, words % {"n": count}, state, hint if count else "", url_name)
