"""Stored reasons in words: one printed line each, in the reader's language.

The words of a line are found by its document and its kind ("game" of 000, "game" of 003 …) in the
`wording.py` of the systems. A kind without words prints its name and its values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from clubs.accounts.permissions import Access
from clubs.members.models import Member
from clubs.rulebooks.citations import cited
from clubs.sanctions.models import Sanction
from clubs.templatetags.ui import chance, decimal, in_decimals
from ratings import systems
from ratings.ledger.models import LedgerEntry
from ratings.ledger.origins import OriginKind
from ratings.systems.protocol import RatingSystem, State
from ratings.systems.storage import from_json, reason_to_json
from ratings.systems.words import SHARED, plain

PLACES = 2
"""Decimals of a printed effect."""
NOTED = ("grade", "status")
"""Kinds of reason that a table of changes prints beside the number. They name no opponent."""


@dataclass(frozen=True, slots=True)
class Printed:
    """One line: its head, the filled-in formula under it, its effect, the article it comes from.

    `sentence`: a game without symbols, what a reader sees first; empty where only the formula says it.
    `have` of `need`: a count on the way to a grade, a series or a status.
    """

    head: str
    formula: str
    effect: Any
    article: str
    chance: float | None = None
    sentence: str = ""
    have: int | None = None
    need: int | None = None
    is_rounding: bool = False


def visible_to(access: Access, member: Member) -> Q:
    """Select the changes of this player that the reader may see with their reason.

    Only the player and the committee read of a sanction: others see the lower rating alone.
    """
    is_own = access.player is not None and access.player.pk == member.pk
    if is_own or access.is_committee:
        return Q()
    return ~Q(period__origin=OriginKind.SANCTION.value)


def periods_visible_to(access: Access) -> Q:
    """Select the periods that the reader may see: a sanction's cut, as its change above."""
    if access.is_committee:
        return Q()
    is_own = Q(facts__member=access.player.pk) if access.player is not None else Q(pk__in=[])
    return ~Q(origin=OriginKind.SANCTION.value) | is_own


def lines_of(
    because: Sequence[Mapping[str, Any]],
    *,
    viewer_is_member: bool = False,
    names: Mapping[Any, str] | None = None,
) -> list[Printed]:
    """Return every stored reason of one change, with today's names of the opponents (or `names`)."""
    if names is None:
        ids = [line["opponent"] for line in because if line.get("opponent")]
        names = {
            pk: member.name_for(viewer_is_member=viewer_is_member)
            for pk, member in Member.objects.in_bulk(ids).items()
        }
    return [_printed(line, names.get(line.get("opponent") or 0, "")) for line in because]


def notes_of(because: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the heads of the reasons that a table of changes prints beside the number."""
    noted = [reason for reason in because if reason["kind"] in NOTED]
    return [line.head for line in lines_of(noted, names={})]


def adding_up(lines: Sequence[Printed]) -> list[Printed]:
    """Return the lines whose printed effects add up to the whole change.

    Each has two decimals; the last rounding takes what they leave.
    """
    last = max((at for at, line in enumerate(lines) if line.is_rounding), default=None)
    if last is None:
        return list(lines)
    effects = {at: line.effect for at, line in enumerate(lines) if line.effect is not None}
    left = in_decimals(sum(map(Fraction, effects.values()), Fraction()), PLACES) or 0
    left -= sum(in_decimals(effect, PLACES) or 0 for at, effect in effects.items() if at != last)
    return [replace(line, effect=left) if at == last else line for at, line in enumerate(lines)]


def ahead_of(system: RatingSystem, state: State, on: date, kind: str) -> list[Printed]:
    """Return the lines of what separates a player from their next grade, series or status."""
    return lines_of([reason_to_json(line) for line in system.ahead(state, on, kind)], names={})


def _printed(line: Mapping[str, Any], opponent: str) -> Printed:
    values = from_json(line.get("values") or {})
    article = str(line.get("article", ""))
    words = WORDS.get((line["kind"], article.split(" ")[0])) or SHARED.get(line["kind"])
    head, formula = words(values, opponent) if words else (line["kind"], plain(values))
    effect = from_json(line.get("effect"))
    is_game = line["kind"] == "game"
    return Printed(
        head=head,
        formula=formula,
        effect=effect,
        article=cited(article),
        chance=values.get("We") if is_game else None,
        sentence=_sentence(values, effect) if is_game else "",
        have=values.get("have"),
        need=values.get("need"),
        is_rounding=line["kind"] == "rounding" and effect is not None,
    )


def _sentence(values: Mapping[str, Any], effect: Any) -> str:
    """Return what a game did to a rating in one sentence; empty for a game of several points."""
    probability, score = values.get("We"), values.get("W")
    if effect is None or probability is None or not 0 <= probability <= 1:
        return ""
    said = {"chance": chance(probability), "points": decimal(abs(effect), PLACES)}
    if score == 1:
        text = _("Avec %(chance)s de chances de gagner, la victoire ajoute %(points)s à la cote.")
    elif score == 0:
        text = _("Avec %(chance)s de chances de gagner, la défaite retire %(points)s à la cote.")
    elif score == Fraction(1, 2) and effect >= 0:
        text = _("Avec %(chance)s de chances de gagner, le nul ajoute %(points)s à la cote.")
    elif score == Fraction(1, 2):
        text = _("Avec %(chance)s de chances de gagner, le nul retire %(points)s à la cote.")
    else:
        return ""
    return text % said


WORDS = {
    (kind, known.document): words
    for known in systems.SYSTEMS
    for kind, words in systems.part(known.code, "wording").WORDS.items()
}
"""(kind, document) → its words."""


def with_a_reason_of_a_sanction(entries: QuerySet[LedgerEntry]) -> set[int]:
    """Return the entries that hold why a sanction was lifted, of other players too.

    Before version 1.1 a cut that was given back wrote it on every change that it recalculated.
    Entries are never edited: readers leave that text out.
    """
    lifted = Sanction.objects.filter(
        member__organisation=OuterRef("rating_list__organisation"),
        lifted_at=OuterRef("written_at"),
        appeal_answer=OuterRef("reason"),
    )
    held = entries.exclude(reason="").filter(Exists(lifted))
    return set(held.order_by().values_list("pk", flat=True))
