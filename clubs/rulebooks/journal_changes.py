"""What a line of the journal about the rules changed, as their pages print it."""

from __future__ import annotations

from clubs.journal.changes import ValueChange
from clubs.journal.models import JournalEntry
from clubs.rulebooks.models import RuleBook
from clubs.rulebooks.wording import changes


def changes_in(entries: list[JournalEntry]) -> dict[int, list[ValueChange]]:
    """Return what each line changed, by its number. One query."""
    keys = {entry.about[1] for entry in entries}
    scopes = dict(RuleBook.objects.filter(pk__in=keys).values_list("pk", "scope"))
    return {entry.seq: _changes(entry, scopes[int(entry.about[1])]) for entry in entries}


def _changes(entry: JournalEntry, scope: str) -> list[ValueChange]:
    """Return the numbers that were changed in a draft; of its first line and of a version adopted,
    those that are not the document's. None of a draft dropped, or with numbers that are no more.
    """
    if entry.after is None:
        return []
    was = RuleBook(scope=scope, values=entry.before or {})
    now = RuleBook(scope=scope, values=entry.after.get("values", entry.after))
    try:
        return [
            ValueChange(
                str(one["label"]),
                str(one["old"]) if entry.before else None,
                f"{one['new']} {one['unit']}".strip(),
            )
            for one in changes(was, now, scope)
        ]
    except (KeyError, ValueError):
        return []
