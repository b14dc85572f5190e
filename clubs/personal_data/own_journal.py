"""What the journal says of a person, for their export: their own acts, and those about them."""

from __future__ import annotations

import re
from functools import cached_property

from django.apps import apps
from django.db.models import CharField, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat

from clubs.journal.models import JournalEntry, parts_of
from clubs.members.models import Member
from clubs.personal_data.register import Line, Someone, rows_of
from clubs.registries import JOURNAL_SUBJECTS, PERSONAL_DATA
from clubs.search import without_accents

KINDS = {"clubs.JoinRequest": "request"}
"""Subjects of journal entries that are not called as their table."""
WORD = re.compile(r"\w++")
ADDRESS = re.compile(r"(?<!\S)[^\s@]++@\S++")
COLUMNS = ("at", "verb", "role", "reason", "subject", "member_id_of_actor")


def lines(someone: Someone) -> list[Line]:
    """Return every entry that this person made, or whose subject is theirs, the oldest first.

    Only the role of who made the others is given. Their reason is given where it is about this
    person only: that of a match may be the opponent's excuse, or an opinion among arbiters.
    """
    others = Others(someone)
    shared = {kind for label, kind in _kinds().items() if len(PERSONAL_DATA[label].of) > 1}
    entries = _entries(someone).order_by("pk").values_list(*COLUMNS)
    written = []
    for at, verb, role, reason, subject, author in entries.iterator(chunk_size=2000):
        is_own = author in someone.members
        if not is_own:
            is_shared = parts_of(subject)[0] in shared  # a row that is two people's
            reason = "" if is_shared else others.left_out_of(reason)
        written.append({"at": at, "verb": verb, "role": role, "by_you": is_own, "reason": reason})
    return written


def _entries(someone: Someone) -> QuerySet[JournalEntry]:
    """Return the entries in one query: numbers of rows are compared by the database."""
    about = Q(after__member__in=someone.members) | Q(before__member__in=someone.members)
    for label, kind in _kinds().items():
        rows = rows_of(apps.get_model(label), PERSONAL_DATA[label], someone)
        subject = Concat(Value(f"{kind}:"), Cast("pk", CharField()))
        about |= Q(subject__in=rows.annotate(as_subject=subject).values("as_subject"))
    own = Q(member_id_of_actor__in=someone.members)
    return JournalEntry.objects.filter(own | (Q(organisation=someone.organisation) & about))


def _kinds() -> dict[str, str]:
    """Return table → kind of subject, of the tables whose rows are people's and journal subjects."""
    known = {
        label: KINDS.get(label, label.rpartition(".")[2].lower())
        for label, table in PERSONAL_DATA.items()
        if table.of or table.find is not None
    }
    return {label: kind for label, kind in known.items() if kind in JOURNAL_SUBJECTS}


class Others:
    """The other people of the club, as the person whose export it is may read them."""

    def __init__(self, someone: Someone) -> None:
        self.someone = someone

    @cached_property
    def hidden(self) -> set[str]:
        """Return the words of the family names that others hide from members of their club."""
        shy = Member.objects.of(self.someone.organisation).filter(visibility=Member.INITIALS)
        names = shy.values_list("last_name", flat=True).iterator(chunk_size=2000)
        words = {word for name in names for word in without_accents(name).split()}
        return words - {word for name in self.someone.names for word in name.split()}

    def left_out_of(self, text: str) -> str:
        """Return a sentence that somebody else wrote, without others' addresses and hidden names."""
        text = ADDRESS.sub(
            lambda found: found[0] if found[0].lower() in self.someone.addresses else "…", text
        )
        return WORD.sub(
            lambda word: self.as_shown(word[0]) if word[0][0].isupper() else word[0], text
        )

    def as_shown(self, word: str) -> str:
        """Return a word of a name; the initial alone where it is of a hidden one."""
        return f"{word[0]}." if without_accents(word) in self.hidden else word
