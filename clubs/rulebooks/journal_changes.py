"""What a line of the journal about the rules changed, as their pages print it."""

from __future__ import annotations

from clubs.journal.changes import ValueChange
from clubs.journal.models import JournalEntry
from clubs.rulebooks.models import RuleBook
from clubs.rulebooks.wording import changes


def changes_of(entry: JournalEntry) -> list[ValueChange]:
    """Return the numbers that were changed in a draft; of its first line and of a version adopted,
    those that are not the document's. None of a draft dropped, or with numbers that are no more.
    """
    if entry.after is None:
        return []
    scope = RuleBook.objects.values_list("scope", flat=True).get(pk=entry.about[1])
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
