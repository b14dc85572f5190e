"""What the tables of ratings hold about people, for the register of personal data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import F
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from clubs.personal_data import files
from clubs.personal_data.files import without_names
from clubs.personal_data.models import PrivacySettings
from clubs.personal_data.register import (
    Fate,
    Line,
    PersonalTable,
    Purpose,
    Someone,
    columns,
    rows_of,
)
from clubs.persons.matching import NEW, NameKey, clean_licence, name_key
from clubs.ui.punctuation import listed
from ratings.competitions.actions import columns_of_draft
from ratings.competitions.models import CompetitionDraft
from ratings.handovers.documents import retired_name
from ratings.ledger.models import LedgerEntry
from ratings.lists.explanations import lines_of, with_a_reason_of_a_sanction
from ratings.systems.storage import from_json
from ratings.systems.words import facts_in_words, list_title

Json = dict[str, object]
JSON = ("rows", "choices", "handed")
NAMES = (("first", "first_licence"), ("second", "second_licence"), ("player", "licence"))


def forget_in_competitions(someone: Someone) -> None:
    """Replace the name in every competition; in one that waits, a stored choice leads to the row."""
    drafts = CompetitionDraft.objects.filter(rating_list__organisation=someone.organisation)
    for draft in drafts.order_by("pk").iterator():
        _store(draft, someone, _without)
    _forget_in_hand_overs(someone)


def _store(
    draft: CompetitionDraft, someone: Someone, without: Callable[[CompetitionDraft, Someone], Json]
) -> None:
    """Store the draft without this person, where it names them."""
    if not without(draft, someone):
        return
    # As it is now: an officer may choose names or remove it, or somebody else be forgotten, at that moment.
    for now in CompetitionDraft.objects.filter(pk=draft.pk).select_for_update(no_key=True):
        after = without(now, someone)
        # A page of names that was read before is stale: it would store the name again.
        CompetitionDraft.objects.filter(pk=now.pk).update(version=F("version") + 1, **after)


def _without(draft: CompetitionDraft, someone: Someone) -> Json:
    """Return the columns to store; empty where nothing changes."""
    before = {name: getattr(draft, name) for name in JSON}
    after = without_names(before, someone)
    after["rows"] = [_line(draft, cells, someone) for cells in draft.rows]
    if draft.brought_at is None and after != before:
        after["choices"] = _choices(draft, someone)
        handed = draft.handed.get("players", {})
        if handed:
            renamed = {_renamed(draft, key, someone): pk for key, pk in handed.items()}
            after["handed"] = {**draft.handed, "players": renamed}
    return after if after != before else {}


def _forget_in_hand_overs(someone: Someone) -> None:
    """Replace the name where a federation has taken what the club sent, and not brought it in."""
    drafts = CompetitionDraft.objects.filter(
        hand_over__club=someone.organisation, brought_at__isnull=True
    )
    for draft in drafts.order_by("pk").iterator():
        _store(draft, someone, _without_member)


def _without_member(draft: CompetitionDraft, someone: Someone) -> Json:
    """Return the columns to store of what a club sent; empty where they are not in it."""
    players = draft.handed.get("players", {})
    own = {key for key, pk in players.items() if pk in someone.members}
    if not own:
        return {}
    name = retired_name(someone.pseudonym, someone.organisation)
    new = {key: name_key(name, NameKey.parse(key).licence) for key in own}
    places, rows = columns_of_draft(draft), [list(cells) for cells in draft.rows]
    for cells in rows[1:]:
        for column, licence in NAMES:
            if column in places and _key(cells, places, column, licence) in own:
                cells[places[column]] = name
    renamed = {
        field: {new.get(key, key): pk for key, pk in known.items()}
        for field, known in (("choices", draft.choices), ("players", players))
    }
    handed = {**draft.handed, "players": renamed["players"]}
    return {"rows": rows, "choices": renamed["choices"], "handed": handed}


def _line(draft: CompetitionDraft, cells: list[object], someone: Someone) -> list[object]:
    """Return a line without this person's name, except where it is somebody else who has it too."""
    places = columns_of_draft(draft)
    kept = {
        places[name]
        for name, licence in NAMES
        if name in places and _is_another(draft, _key(cells, places, name, licence), someone)
    }
    return [
        cell if place in kept else without_names(cell, someone) for place, cell in enumerate(cells)
    ]


def _key(cells: list[object], places: Mapping[str, int], name: str, licence: str) -> str:
    """Return what a choice of who a name is would be stored under."""
    return name_key(_cell(cells, places[name]), clean_licence(_cell(cells, places.get(licence))))


def _is_another(draft: CompetitionDraft, key: str, someone: Someone) -> bool:
    """Return whether an officer's choice, or else the licence, says that a name is somebody else's."""
    chosen = draft.choices.get(key, NEW)
    if chosen != NEW:
        return chosen not in someone.members
    return someone.is_another("licence", NameKey.parse(key).licence)


def _choices(draft: CompetitionDraft, someone: Someone) -> dict[str, int]:
    """Return who the names are, this person under the pseudonym, unless an officer chose another."""
    places = columns_of_draft(draft)
    choices: dict[str, int] = {}
    for name, licence in NAMES:
        for cells in draft.rows[1:] if name in places else ():
            key = _key(cells, places, name, licence)
            is_named = someone.is_named(_cell(cells, places[name]))
            if is_named and not _is_another(draft, key, someone):
                stand_in = name_key(someone.pseudonym, NameKey.parse(key).licence)
                choices[stand_in] = someone.member.pk
    return choices | {_renamed(draft, key, someone): pk for key, pk in draft.choices.items()}


def _cell(cells: list[object], place: int | None) -> str:
    return str(cells[place]) if place is not None and place < len(cells) else ""


def _renamed(draft: CompetitionDraft, key: str, someone: Someone) -> str:
    """Return the key of a name under the pseudonym, where it is the name of this person."""
    name, licence = NameKey.parse(key)
    own = someone.is_named(name) and not _is_another(draft, key, someone)
    return name_key(someone.pseudonym, licence) if own else key


def old_drafts(chosen: PrivacySettings, at: datetime) -> int:
    """Empty the lines of old competitions that nobody brought in; a hand-over is answered instead."""
    emptied = 0
    old = CompetitionDraft.objects.filter(
        rating_list__organisation=chosen.organisation,
        brought_at__isnull=True,
        created_at__lt=at - chosen.span("imports_days"),
    )
    for draft in old.order_by("pk").iterator():
        if len(draft.rows) > 1 and not draft.handed:
            emptied += CompetitionDraft.objects.filter(pk=draft.pk, brought_at=None).update(
                rows=draft.rows[:1], choices={}, version=F("version") + 1
            )
    return emptied


def reasons_in_words(because: list[dict[str, object]]) -> str:
    """Return why a rating moved, as its page says it, without the opponents' names."""
    lines = lines_of(because, names={})
    said = (", ".join(filter(None, [line.head, line.sentence or line.formula])) for line in lines)
    return listed(text.rstrip(".") for text in said)


def state_in_words(state: Mapping[str, Any]) -> str:
    """Return what a list holds of a player; its long series are in the file for programs alone."""
    return facts_in_words(from_json({**state, **state.get("extra", {})}))


def entries_of(someone: Someone) -> list[Line]:
    """Return a person's changes, without why a sanction was lifted: it may be another player's."""
    table = TABLES["ratings.LedgerEntry"]
    rows = rows_of(LedgerEntry, table, someone)
    hidden = with_a_reason_of_a_sanction(rows)
    lines = []
    for row in rows.order_by("pk").values("pk", *table.shown).iterator(chunk_size=2000):
        held = row.pop("pk") in hidden
        lines.append(row | {"reason": ""} if held else row)
    return lines


TABLES = {
    "ratings.LedgerEntry": PersonalTable(
        title=_("Cotes, avec leurs raisons"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        of=("member",),
        shown=columns(
            "rating_list__name held_on kind shown_before shown_after because reason written_at voided"
        ),
        hidden=("written_by", "before", "after"),
        lines=entries_of,
        say={"because": reasons_in_words, "rating_list__name": list_title},
        written=("reason",),
        within="rating_list__organisation",
    ),
    "ratings.StandingCote": PersonalTable(
        title=_("Cotes d’aujourd’hui"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        of=("member",),
        shown=("rating_list__name", "shown", "games", "status", "last_on", "state"),
        say={"state": state_in_words, "rating_list__name": list_title},
        heads={"state": _("gardé pour le calcul suivant")},
    ),
    "ratings.RatedGame": PersonalTable(
        title=_("Parties comptées pour la cote"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        of=("first", "second"),
        shown=columns(
            "period__rating_list__name period__held_on first second first_score second_score "
            "first_halves withdrawn"
        ),
        hidden=("facts",),
        say={"period__rating_list__name": list_title},
    ),
    "ratings.RatedPlacing": PersonalTable(
        title=_("Places comptées pour la cote"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        of=("member",),
        shown=("period__rating_list__name", "period__held_on", "place", "withdrawn"),
        hidden=("facts",),
        say={"period__rating_list__name": list_title},
    ),
    "ratings.CompetitionDraft": PersonalTable(
        title=_("Noms dans les compétitions importées"),
        purpose=Purpose.PLAY,
        fate=Fate.EMPTIED,
        lines=partial(files.lines, CompetitionDraft, within="rating_list__organisation"),
        hidden=(*JSON, "created_by", "file_name", "label", "facts"),
        forget=forget_in_competitions,
        days="imports_days",
        expire=old_drafts,
    ),
    "ratings.Edition": PersonalTable(
        title=_("Classements publiés : le nom du jour n’est plus affiché"),
        purpose=Purpose.PLAY,
        fate=Fate.RECORD,
        hidden=("rows", "columns", "note", "published_by"),
        written=("rows", "note"),
    ),
    "ratings.Delivery": PersonalTable(
        title=_("Compétitions transmises à une fédération"),
        purpose=Purpose.PLAY,
        fate=Fate.RECORD,
        hidden=("content", "sent_by"),
    ),
    "ratings.HandOver": PersonalTable(
        title=_("Réponses aux compétitions transmises"),
        purpose=Purpose.PLAY,
        fate=Fate.RECORD,
        hidden=("facts", "reason"),
        written=("reason",),
        within="club",
    ),
    "ratings.FeedRight": PersonalTable(
        title=_("Auteur d’une ouverture de liste"),
        purpose=Purpose.SAFETY,
        fate=Fate.RECORD,
        hidden=("granted_by",),
    ),
    "ratings.Period": PersonalTable(
        title=_("Compétitions comptées pour la cote"),
        purpose=Purpose.PLAY,
        fate=Fate.RECORD,
        hidden=("facts",),
    ),
    "ratings.RatingList": PersonalTable(
        title=_("Listes de cotes"),
        purpose=Purpose.PLAY,
        fate=Fate.RECORD,
        hidden=("name", "facts"),
    ),
}

CODES: dict[str, Mapping[str, str | Promise]] = {
    "kind": {
        LedgerEntry.START: _("cote de départ"),
        LedgerEntry.SETTLED: pgettext_lazy("d’une cote", "calculée"),
        LedgerEntry.ADJUSTED: _("corrigée"),
    },
}
"""Words of what ratings stores as a code, by the name of the column."""
