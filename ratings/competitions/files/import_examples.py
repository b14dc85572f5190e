"""Example files to start from: the columns of a sheet, filled with players of the list."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from clubs.members.models import Member
from clubs.persons.actions import people_of
from ratings import systems
from ratings.competitions.files.headings import LABELS, PLACINGS, STARTS
from ratings.ledger.models import RatingList
from ratings.lists.queries import latest

PLAYERS = 4


def example(rating_list: RatingList, kind: str) -> tuple[list[str], list[list[str]]]:
    """Return (head, rows) of a sheet that imports without an error."""
    head = head_of(rating_list, kind)
    if kind == STARTS:
        system = systems.system(rating_list.system)
        cells = [str(system.examples.start.get(name, "")) for name in system.start_columns]
        return head, [[_("Prénom NOM"), *cells]]
    names = _names(rating_list)
    if kind == PLACINGS:
        return head, [[str(n), name] for n, name in enumerate(names, start=1)]
    a, b, c, d = names
    games = [("1", a, d, "1", 412, 365), ("1", b, c, "0", 340, 401)]
    games += [("2", a, c, "½", 388, 388), ("2", d, b, "1", 395, 377)]
    return head, [[str(cell) for cell in game[: len(head)]] for game in games]


def head_of(rating_list: RatingList, kind: str) -> list[str]:
    """Return the names of a sheet's columns in the reader's language; the import reads every one."""
    if kind == STARTS:
        columns = systems.system(rating_list.system).start_columns
        return [LABELS["player"](), *(LABELS[name]() for name in columns)]
    if kind == PLACINGS:
        return [LABELS["place"](), LABELS["player"]()]
    head = [_("ronde"), _("joueur 1"), _("joueur 2"), _("résultat")]
    if systems.system(rating_list.system).has_scores:
        head += [_("score 1"), _("score 2")]
    return head


def _names(rating_list: RatingList) -> Sequence[str]:
    """Return players of the list, then of the organisation, then invented ones.

    A name that only one person has is written as a name, otherwise as a number.
    """
    organisation = rating_list.organisation
    cotes = latest(rating_list, viewer_is_member=True).filter(
        member__left_at=None, member__merged_into=None
    )
    more = Member.objects.of(organisation).active().order_by("sort_name", "pk")
    members = [cote.member for cote in cotes[:PLAYERS]] + list(more[: 2 * PLAYERS])
    people = people_of(organisation)
    names = dict.fromkeys(
        member.full_name if people.find(member.full_name)[0] == member.pk else str(member.number)
        for member in members
    )
    invented = ["Ana POPESCU", "Paul MARTIN", "Ioana MUREȘAN", "Rémi GARCIA"]
    return [*names, *invented][:PLAYERS]
