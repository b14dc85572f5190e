"""People in the rows of an imported file: found by their address or whole name, and removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from clubs.personal_data.own_journal import WORD, Others
from clubs.personal_data.register import Someone
from clubs.search import without_accents

NO_COLUMNS: Mapping[str, int] = {}


def is_line_of(
    cells: list[object], someone: Someone, columns: Mapping[str, int] = NO_COLUMNS
) -> bool:
    """Return whether a line of a file is about this person: address, whole name or both its parts.

    Not where a column of it, as far as they are known, is of somebody else who has the same name.
    """
    for column, place in columns.items():
        if place < len(cells) and someone.is_another(column, cells[place]):
            return False
    if any(someone.is_named(cell) for cell in cells):
        return True
    parts = {without_accents(str(cell)) for cell in cells}
    member = someone.member
    name_parts = {without_accents(part) for part in (member.first_name, member.last_name)}
    return bool(member.last_name) and name_parts <= parts


Columns = Callable[[object], Mapping[str, int]]
"""Which column of a file holds what."""
columns_chosen: Columns = attrgetter("columns")


def lines(
    model: Any,
    someone: Someone,
    *,
    within: str = "organisation",
    columns: Columns = lambda file: NO_COLUMNS,
) -> list[dict[str, object]]:
    """Return the lines about this person in the files that their club imported.

    A line of a game names the opponent too, who may hide the family name. `within`: the lookup
    from a file to its organisation.
    """
    others, file_lines = Others(someone), []
    files = model.objects.filter(**{within: someone.organisation})
    for file in files.order_by("created_at", "pk").iterator():
        for cells in file.rows[1:]:
            if is_line_of(cells, someone, columns(file)):
                line = [
                    WORD.sub(lambda word: others.as_shown(word[0]), cell)
                    if isinstance(cell, str)
                    else cell
                    for cell in cells
                ]
                file_lines.append(
                    {"file_name": file.file_name, "created_at": file.created_at, "line": line}
                )
    return file_lines


def forget_lines(model: Any, someone: Someone) -> None:
    """Empty the lines about this person; the file keeps its other lines and their numbers."""
    for file in model.objects.filter(organisation=someone.organisation).order_by("pk").iterator():
        if _other_lines(file, someone) != file.rows:
            # As it is now: somebody else in it may be forgotten, or the file removed, at that moment.
            for now in model.objects.filter(pk=file.pk).select_for_update(no_key=True):
                model.objects.filter(pk=now.pk).update(rows=_other_lines(now, someone))


def _other_lines(file: Any, someone: Someone) -> list[list[Any]]:
    return [
        [""] * len(cells) if number and is_line_of(cells, someone, file.columns) else cells
        for number, cells in enumerate(file.rows)
    ]


def without_names(value: object, someone: Someone) -> Any:
    """Return stored JSON with the pseudonym in place of this person's name where it stands alone.

    Beside their public id, whatever part of the name the reader saw.
    """
    if isinstance(value, dict):
        if "name" in value and value.get("id") in someone.public_ids:
            return {**value, "name": someone.pseudonym}
        return {
            someone.pseudonym if someone.is_named(key) else key: without_names(item, someone)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [without_names(item, someone) for item in value]
    return someone.pseudonym if someone.is_named(value) else value
