"""Corrections that a club sends after its competition is in the list: read, then applied."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.members.models import Member
from clubs.upkeep.jobs import Progress, no_progress
from ratings.competitions.models import CompetitionDraft
from ratings.handovers import actions as handovers
from ratings.handovers import queries
from ratings.handovers.models import HandOver, SentGame
from ratings.ledger import origins, settlement
from ratings.ledger.corrections import Correction, aliases_of
from ratings.ledger.models import LedgerEntry, Period
from ratings.ledger.origins import UNOFFICIAL, OriginKind
from ratings.ledger.posting import LedgerRefused, Placement
from ratings.systems.protocol import Game
from ratings.systems.rated_games import part_of
from ratings.systems.unplayed import ABSENT, facts_of_unplayed


def periods_of(handover: HandOver) -> list[Period]:
    """Return what was made of a hand-over in the list: one competition, or two of a split table.

    Without what an officer gave up before it was rated: the club may have handed it over again.
    """
    periods = handover.rating_list.periods.opened_for_any_part(origins.handed_over(handover.pk))
    given_up = periods.filter(removed_at__isnull=False, settled_at__isnull=True)
    return list(periods.exclude(pk__in=given_up).order_by("origin_part"))


def given_up(*, period: Period, reason: str) -> None:
    """Tell the club why an officer gave its competition up; nothing where no club handed it over.

    Once no table of it is in the list, it is returned: never rated, it may be handed over again.
    """
    pk = origins.hand_over_of(period)
    handover = HandOver.objects.told().filter(pk=pk).first() if pk is not None else None
    if handover is None:
        return
    changes: dict[str, object] = {"reason": reason, "version": F("version") + 1}
    if handover.is_gone and not periods_of(handover):
        changes |= {"state": HandOver.State.RETURNED.value, "draft": None}
        changes["answered"] = F("delivered")
    HandOver.objects.filter(pk=handover.pk).update(**changes)
    handovers.write_to_club(HandOver.objects.told().get(pk=handover.pk))


def is_returned(period: Period) -> bool:
    """Return whether an officer gave it up and its club may hand it over again, or did.

    Restored it would be in the list twice: what the club sends is a competition of its own.
    """
    pk = origins.hand_over_of(period)
    if pk is None or period.removed_at is None or period.settled_at is not None:
        return False
    handover = HandOver.objects.select_related("draft").filter(pk=pk).first()
    if handover is None:  # it stayed behind when the federation moved
        return False
    draft = handover.draft
    if handover.state != HandOver.State.ACCEPTED or draft is None or draft.period_id is None:
        return True
    return period.pk < draft.period_id


def club_reads(periods: Collection[int]) -> bool:
    """Return whether a club that handed one of these over reads why it goes.

    None reads of a hand-over that stayed behind when the federation moved.
    """
    made = Period.objects.filter(pk__in=periods, origin=OriginKind.HANDED_OVER.value)
    return HandOver.objects.filter(pk__in=made.values("origin_id")).exists()


def why_taken_back(draft: CompetitionDraft) -> LedgerRefused:
    """Return why a draft has no hand-over any more: it changed, or it stayed behind."""
    if Member.objects.filter(pk__in=draft.handed["players"].values()).exists():
        return handovers.stale()
    return LedgerRefused(
        _(
            "Cette transmission est restée sur l’ancien site de la fédération, avec son club : "
            "importez la compétition d’un fichier, ou demandez au club de la transmettre ici."
        ),
        code="left_behind",
    )


def why_gone(handover: HandOver) -> str:
    """Return why an officer took it out of the list, or gave it up; "" where it is there."""
    if not handover.is_gone:
        return ""
    taken_out = LedgerEntry.objects.filter(period__in=periods_of(handover), voided=True)
    last = taken_out.order_by("-pk").values_list("reason", flat=True).first()
    return last or handover.reason


def why_unrated(handover: HandOver) -> str:
    """Return why an officer keeps, without rating it, what the club called official; else ""."""
    if not handover.facts.get("official") or handover.state != HandOver.State.ACCEPTED:
        return ""
    kept = [one for one in periods_of(handover) if one.kind == UNOFFICIAL and not one.removed_at]
    return ", ".join(str(one.facts.get("why_not", "")) for one in kept)


def correction_of(handover: HandOver, periods: Sequence[Period]) -> Correction:
    """Return the proposed correction: the last document against the periods in the list.

    Refused while a player of it is linked to nobody.
    """
    delivery = handover.last_delivery
    persons = queries.persons_of(handover)
    missing = [pk for pk in delivery.document["players"] if int(pk) not in persons]
    if missing:
        raise LedgerRefused(
            _("Dites d’abord qui est ce joueur que la correction ajoute."), code="unknown_player"
        )
    if "placings" in delivery.document:
        sheet = [Placement(persons[pk], place) for pk, place in delivery.placings]
        return Correction(sheets={periods[0].pk: tuple(sheet)})
    cut = _cut_of(handover)
    tables = {
        period.pk: [game for game in delivery.games if cut.is_of(period, game["round"])]
        for period in periods
    }
    taken = handover.deliveries.filter(number=handover.accepted).first()
    accepted = {game["key"]: game for game in taken.games} if taken is not None else {}
    return Correction(
        games={
            period.pk: _edits(period, tables[period.pk], accepted, persons) for period in periods
        }
    )


def _edits(
    period: Period,
    table: Sequence[SentGame],
    accepted: Mapping[str, SentGame],
    persons: Mapping[int, int],
) -> dict[str, Game | None]:
    """Return what the club changes: a game is set where it differs from what the list has.

    A game that an officer added stays; so does what one corrected or withdrew, where the club says of
    that game what it said in the document that the list has (`accepted`).
    """
    rows = {row.source: row for row in period.games.in_force()}
    posted = {source: row.game for source, row in rows.items()}
    wanted = {
        game["key"]: _game(
            game,
            persons,
            posted[game["key"]].position if game["key"] in posted else len(posted) + place,
        )
        for place, game in enumerate(table)
    }
    edits: dict[str, Game | None] = {
        key: None for key, row in rows.items() if key not in wanted and not row.added
    }
    aliases = aliases_of(period.rating_list)
    for game in table:
        key = game["key"]
        same_people = key not in posted or _people(posted[key], aliases) == _people(
            wanted[key], aliases
        )
        if accepted.get(key) == game and same_people:
            del wanted[key]
    return edits | {key: game for key, game in wanted.items() if posted.get(key) != game}


def _people(game: Game, aliases: Mapping[int, int]) -> list[int]:
    return [aliases.get(pk, pk) for pk in (game.first, game.second)]


def _game(line: SentGame, persons: Mapping[int, int], position: int) -> Game:
    return Game(
        key=line["key"],
        first=persons[line["first"]],
        second=persons[line["second"]],
        first_halves=line["first_halves"],
        first_score=line["first_score"],
        second_score=line["second_score"],
        position=position,
        facts={
            **({"round": line["round"]} if line["round"] else {}),
            **(facts_of_unplayed(ABSENT[line["absent"]]) if line.get("absent") else {}),
        },
    )


def _store_byes(handover: HandOver, periods: Sequence[Period]) -> None:
    """Keep who had no opponent with the facts of each table, as when it was brought in."""
    delivery = handover.last_delivery
    persons, cut = queries.persons_of(handover), _cut_of(handover)
    sent = delivery.document.get("byes", ())
    for period in periods:
        byes = [[persons[pk], halves, name] for pk, halves, name in sent if cut.is_of(period, name)]
        facts = Period.objects.values_list("facts", flat=True).get(pk=period.pk)
        if facts.get("byes", []) != byes:
            Period.objects.filter(pk=period.pk).update(facts={**facts, "byes": byes})


@dataclass(frozen=True, slots=True)
class _Cut:
    """Where a table was split: the part of its first half in the list, and that half's last round.

    `last`: None where the list has one table.
    """

    first: int = 1
    last: int | None = None

    def is_of(self, period: Period, played_in: object) -> bool:
        """Return whether a round is of this half; the other one may have been given up."""
        part = part_of(played_in, self.last)
        return self.last is None or part == period.origin_part - self.first + 1


def _cut_of(handover: HandOver) -> _Cut:
    draft = handover.draft
    if draft is None or draft.period is None:
        return _Cut()
    first = draft.period.origin_part
    tables = handover.rating_list.periods.opened_for_any_part(origins.handed_over(handover.pk))
    is_split = tables.filter(origin_part__gt=first).exists()
    return _Cut(first, draft.facts.get("split_after") if is_split else None)


@transaction.atomic
def take_correction(
    *,
    handover: HandOver,
    seen: int,
    reason: str,
    by: Actor,
    at: datetime,
    list_seen: int | None = None,
    approver: Member | None = None,
    progress: Progress = no_progress,
) -> None:
    """Apply the club's correction to the list: before it is rated, or with a replay after."""
    moved = HandOver.objects.filter(pk=handover.pk, version=seen).update(
        answered=F("delivered"), accepted=F("delivered"), version=F("version") + 1, reason=""
    )
    if not moved or not handover.is_corrected:
        raise handovers.stale()
    periods = periods_of(handover)
    wish = correction_of(handover, periods) if periods else None
    if wish is not None and any(period.settled_at is not None for period in periods):
        settlement.apply(
            rating_list=handover.rating_list,
            correction=wish,
            by=by,
            at=at,
            reason=reason,
            seen=list_seen,
            approver=approver,
            progress=progress,
        )
    elif wish is not None:
        settlement.post_unrated(periods=periods, correction=wish, at=at)
    _store_byes(handover, periods)
    handover.refresh_from_db()
    handovers.note(
        handover, handover.rating_list.organisation, "hand_over_accepted", by, at, reason
    )
    handovers.write_to_club(handover)
