"""What is stored of a FESA player between two tables, and what an organiser declares of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.fesa.elo import TablePlayer
from ratings.systems.fesa.grades import Row, rank_of
from ratings.systems.protocol import NOTHING, EventRefused, PlayerId, State


def declared_of(facts: Mapping[str, Any], player: PlayerId) -> Mapping[str, Any]:
    player_facts: Mapping[str, Any] = facts.get(str(player)) or facts.get(player) or NOTHING
    return player_facts


def listed(value: Any) -> list[str]:
    """Return one name or several as a list: an officer types one, a file may hold a list."""
    if not value:
        return []
    return [value] if isinstance(value, str) else list(value)


def accepted_grade_of(facts: Mapping[str, Any], table: Sequence[Row]) -> dict[str, str] | None:
    """Return a newcomer's grade with the authority that recognised it (003 §8)."""
    grade = facts.get("accepted_grade")
    if not grade:
        return None
    if rank_of(grade, table) < 0:
        raise EventRefused(_("Ce grade n’existe pas dans la table."))
    if not str(facts.get("authority", "")).strip():
        raise EventRefused(_("Un grade reconnu demande le nom de l’autorité qui l’a reconnu."))
    return {"grade": str(grade), "authority": str(facts["authority"]).strip()}


def table_player(state: State, facts: Mapping[str, object], table: Sequence[Row]) -> TablePlayer:
    accepted = state.extra.get("accepted") or accepted_grade_of(facts, table)
    extra = state.extra
    return TablePlayer(
        rating=None if state.rating is None else float(state.rating),
        games=state.games,
        outcomes=str(extra.get("outcomes", "")),
        bonus_used=int(extra.get("bonus_used", 0)),
        accepted_grade=accepted["grade"] if accepted else None,
        earlier=tuple((float(o), int(h)) for o, h in extra.get("earlier", ())),
    )


def extra_of(
    *,
    grade: str | None,
    outcomes: str,
    bonus_used: int,
    trail: Sequence[float] = (),
    earlier: Sequence[object] = (),
    accepted: Mapping[str, str] | None = None,
    approved: Sequence[str] = (),
    requested: Sequence[str] = (),
) -> dict[str, Any]:
    """Return what is stored between tables; empty parts are left out to keep rows small."""
    fields: dict[str, Any] = {"grade": grade, "outcomes": outcomes, "bonus_used": bonus_used}
    if trail:
        fields["trail"] = list(trail)
    if earlier:
        fields["earlier"] = list(earlier)
    if accepted:
        fields["accepted"] = dict(accepted)
    if approved:
        fields["approved"] = list(approved)
    if requested:
        fields["requested"] = list(requested)
    return fields
