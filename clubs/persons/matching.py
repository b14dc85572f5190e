"""Who a name of a file is: by the officer's choice, licence, alias, exact name, or the nearest.

Uses no database: `People` is built from rows read once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.utils.translation import gettext as _
from rapidfuzz import fuzz, process

from clubs.members.models import NAME_LENGTH
from clubs.search import INVISIBLE, without_accents

NEW = 0
"""The choice of a new player, where another one is the id of a known one."""
NEAREST = 3
NEAR = 62
"""Of 100: below this two names share too little to be proposed ("Ana Pop" and "Ion Ene": 43)."""
SAME_PERSON = 80
"""Of 100: a licence and a name this near are one person, a spelling mistake apart."""


class NameKey(NamedTuple):
    """What an officer's choice is stored under: the folded name, and the licence if any."""

    name: str
    licence: str = ""

    @classmethod
    def parse(cls, text: str) -> NameKey:
        """Return the key that `str` wrote."""
        name, _bar, licence = text.partition("|")
        return cls(name, licence)

    def __str__(self) -> str:
        return f"{self.name}|{self.licence}" if self.licence else self.name


def name_key(name: str, licence: str = "") -> str:
    """Return the stored text of a name's key."""
    return str(NameKey(without_accents(name), licence))


def name_parts(name: str, *, cut: bool = True) -> tuple[str, str]:
    """Return (first name, last name) of an unknown player: words in capitals are the last name."""
    words = name.split()
    capitals = [word for word in words if len(word) > 1 and word == word.upper()]
    if capitals and len(capitals) < len(words):
        first = " ".join(word for word in words if word not in capitals)
        last = " ".join(word.title() for word in capitals)
    else:
        first, last = (words[0], " ".join(words[1:])) if words else ("", "")
    return (first[:NAME_LENGTH], last[:NAME_LENGTH]) if cut else (first, last)


def in_order(name: str) -> str:
    """Return the folded words of a name in alphabetical order: "Dupont Jean" = "Jean Dupont"."""
    return " ".join(sorted(without_accents(name).split()))


def clean_licence(text: str) -> str:
    """Return a licence number as it is stored: no spaces, no letter that nobody sees, capitals."""
    return "".join(INVISIBLE.sub("", text).split()).upper()[:20]


@dataclass(frozen=True, slots=True)
class Match:
    """The person of a name. `member` None and no `problem`: nobody known has that name.

    `among`: whom it may be, where the name and the licence do not tell.
    """

    member: int | None
    problem: str = ""
    among: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class People:
    """Known persons by number, name, alias and licence; a name that several share is ambiguous."""

    by_number: Mapping[int, int]
    by_name: Mapping[str, tuple[int, ...]]
    by_alias: Mapping[str, int] = field(default_factory=dict)
    by_licence: Mapping[str, int] = field(default_factory=dict)
    licences: Mapping[int, str] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    choices: Mapping[str, int] = field(default_factory=dict)
    gone: Collection[int] = ()

    @classmethod
    def of(
        cls,
        members: Iterable[tuple[int, int, str, str]],
        *,
        aliases: Mapping[str, int] | None = None,
        licences: Mapping[str, int] | None = None,
        choices: Mapping[str, int] | None = None,
        gone: Collection[int] = (),
    ) -> People:
        """Build the index from (id, number, first name, last name). `gone`: chosen, then deleted."""
        rows = list(members)
        ids_by_name: dict[str, set[int]] = {}
        for pk, _number, first, last in rows:
            for words in (f"{first} {last}", f"{last} {first}"):
                ids_by_name.setdefault(without_accents(words), set()).add(pk)
        return cls(
            by_number={number: pk for pk, number, _first, _last in rows},
            by_name={name: tuple(sorted(several)) for name, several in ids_by_name.items()},
            by_alias=aliases or {},
            by_licence=licences or {},
            licences={pk: licence for licence, pk in (licences or {}).items()},
            names={pk: in_order(f"{first} {last}") for pk, _number, first, last in rows},
            choices=choices or {},
            gone=gone,
        )

    def match(self, text: str, licence: str = "") -> Match:
        """Return the person for a number, a licence or a name, whatever its accents and order."""
        chosen = self.choices.get(name_key(text, licence))
        if chosen in self.gone:
            return Match(
                None,
                _("la personne choisie pour « %(name)s » n’existe plus : choisissez de nouveau")
                % {"name": text[:60]},
            )
        if chosen is not None:
            return Match(chosen or None)
        holder = self.by_licence.get(licence) if licence else None
        if holder is not None:
            known = self.by_alias.get(without_accents(text)) == holder
            if known or fuzz.ratio(in_order(text), self.names.get(holder, "")) >= SAME_PERSON:
                return Match(holder)
            return Match(
                None,
                _("la licence %(licence)s est celle d’un autre nom : choisissez qui c’est")
                % {"licence": licence},
                (holder, *self.by_name.get(without_accents(text), ())),
            )
        if text.isascii() and text.isdigit():
            return self._by_number(text)
        alias = self.by_alias.get(without_accents(text))
        if alias is not None:
            return Match(alias)
        several = self.by_name.get(without_accents(text), ())
        if len(several) > 1:
            return Match(
                None,
                _("plusieurs joueurs s’appellent « %(name)s » : donnez le numéro")
                % {"name": text[:60]},
                several,
            )
        if several and licence and self.licences.get(several[0]):
            return Match(
                None,
                _("« %(name)s » a une autre licence que %(licence)s : choisissez qui c’est")
                % {"name": text[:60], "licence": licence},
                several,
            )
        return Match(several[0] if several else None)

    def find(self, text: str, licence: str = "") -> tuple[int | None, str]:
        """Return (member id, problem) as `match` does."""
        person_match = self.match(text, licence)
        return person_match.member, person_match.problem

    def _by_number(self, text: str) -> Match:
        member_id = self.by_number.get(int(text)) if len(text) < 8 else None
        member_id = member_id or self.by_licence.get(text)
        problem = "" if member_id else _("aucun joueur n’a le numéro %(n)s") % {"n": text[:12]}
        return Match(member_id, problem)

    def nearest(self, names: Sequence[str]) -> dict[str, list[int]]:
        """Return for each name the ids of at most three persons of a near name, nearest first."""
        return {
            name: [
                pk
                for _written, _score, pk in process.extract(
                    in_order(name),
                    self.names,
                    scorer=fuzz.ratio,
                    limit=NEAREST,
                    score_cutoff=NEAR,
                )
            ]
            for name in names
        }
