"""A whole tournament as one JSON file; reading it back gives equal values, with exact numbers.

Exact numbers are integers or {"num", "den"}. The file carries its format, its version and a digest
of its content, to detect a file truncated, damaged or changed since its export.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import types
import typing
from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime
from fractions import Fraction
from functools import cache
from typing import Any, NoReturn

from django.utils.translation import gettext as _

from clubs.ui.widgets import NEWEST, OLDEST
from pairings.exchange.problems import FileRefused, Problem
from pairings.exchange.snapshot import ABSENCES, KINDS, TournamentSheet
from pairings.exchange.validation import problems_of

FORMAT = "club-tournament"
VERSION = 1
MAX_BYTES = 8 * 1024 * 1024
MOST_NOTED = 1000
"""Problems after which the rest of a file is not read: an empty object lacks a dozen fields."""
DEEPEST = 20
"""Lists and objects within each other in a setting: what reads it goes down by recursion."""
UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
"""Characters that neither the database nor a UTF-8 file can store."""
CHOICES = {"kind": KINDS, "absent": ABSENCES}
"""Fields of a board that accept one of a few words."""


def write(sheet: TournamentSheet) -> bytes:
    """Return the file: UTF-8, one value a line, so that two exports can be compared line by line."""
    content = _plain(sheet)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "digest": digest(content),
        "tournament": content,
    }
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def read(content: bytes, *, accept_altered: bool = False) -> TournamentSheet:
    """Return the tournament, or raise FileRefused with every problem and its path.

    At most MOST_NOTED. A file changed since its export is refused unless `accept_altered`.
    """
    document = _parsed(content)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FileRefused(_("Ce fichier n’est pas l’export d’un tournoi."), code="format")
    version = document.get("version")
    if type(version) is not int or version != VERSION:
        raise FileRefused(
            _("Ce fichier est de la version %(version)s ; ce site lit la version %(known)s.")
            % {"version": _version_words(version), "known": VERSION},
            code="version",
        )
    body = document.get("tournament")
    reader = _Reader()
    sheet = reader.value(TournamentSheet, body, "tournament")
    if reader.problems:
        raise FileRefused(reader.problems)
    wrong = problems_of(sheet)
    if wrong:
        raise FileRefused(wrong, code="nonsense")
    if not accept_altered and document.get("digest") != digest(body):
        raise FileRefused(
            _(
                "Ce fichier a été modifié depuis son export. Cochez « Accepter un fichier JSON "
                "modifié à la main depuis son export » pour continuer."
            ),
            code="altered",
        )
    return sheet  # type: ignore[no-any-return]


def _version_words(version: object) -> str:
    """Return a version as a sentence may print it: a number or a word, never what a file nests there."""
    return str(version)[:20] if type(version) in (int, float, str) else "?"


def digest(content: object) -> str:
    """Return a digest of the content, independent of the file's layout."""
    flat = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(flat.encode("utf-8", "surrogatepass")).hexdigest()


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return {each.name: _plain(getattr(value, each.name)) for each in fields if each.compare}
    if isinstance(value, Fraction):
        return {"num": value.numerator, "den": value.denominator}
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value


def _parsed(content: bytes) -> Any:
    if len(content) > MAX_BYTES:
        raise FileRefused(_("Ce fichier dépasse 8 Mo."), code="too_big")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        line = content[: bad.start].count(b"\n") + 1
        raise FileRefused(
            [Problem(_("ce texte n’est pas en UTF-8 : enregistrez-le dans ce codage."), line)],
            code="encoding",
        ) from bad
    if not text.strip():
        raise FileRefused(_("Ce fichier est vide."), code="empty")
    try:
        return json.loads(text, object_pairs_hook=unique_fields, parse_constant=_no_constant)
    except json.JSONDecodeError as bad:
        end = len(text.rstrip())
        cut = bad.pos >= end or "Unterminated" in bad.msg
        words = (
            _("le fichier s’arrête ici : il est coupé, reprenez l’original.")
            if cut
            else _("ce n’est pas du JSON à la colonne %(column)s.") % {"column": bad.colno}
        )
        raise FileRefused([Problem(words, bad.lineno)], code="cut" if cut else "json") from bad
    except (ValueError, RecursionError) as bad:
        raise FileRefused(
            _("Ce fichier ne peut pas être lu : choisissez un fichier JSON ou tsh (.t)."),
            code="json",
        ) from bad


def unique_fields(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the fields of an object. Raises FileRefused where one is written twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        counts = Counter(name for name, _value in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise FileRefused([Problem(_("ce champ est écrit deux fois."), field=twice[:60])])
    return fields


def _no_constant(name: str) -> NoReturn:
    raise FileRefused([Problem(_("ce n’est pas un nombre."), field=name)])


class _Reader:
    """Values from JSON by the types that `values` declares; every mismatch is noted with its path."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def value(self, kind: Any, raw: Any, path: str) -> Any:
        origin = typing.get_origin(kind)
        if kind is object:
            return self._free(raw, path)
        if dataclasses.is_dataclass(kind):
            return self._record(kind, raw, path)
        if origin in (types.UnionType, typing.Union):
            return self._union(typing.get_args(kind), raw, path)
        if origin is tuple:
            return self._tuple(typing.get_args(kind), raw, path)
        if origin is not None:
            return self._mapping(typing.get_args(kind)[1], raw, path)
        if kind is datetime or kind is date:
            return self._moment(kind, raw, path)
        if kind is Fraction:
            return self._fraction(raw, path)
        if type(raw) is not kind:
            return self._wrong(_WORDS[kind](), path)
        if kind is str and UNSTORABLE.search(raw):
            return self._wrong(
                _("ce texte contient un caractère qui ne peut pas être enregistré."), path
            )
        return raw

    def _wrong(self, words: str, path: str) -> None:
        self.problems.append(Problem(words, field=path))
        if len(self.problems) >= MOST_NOTED:
            raise FileRefused(self.problems)

    def _record(self, kind: Any, raw: object, path: str) -> Any:
        if not isinstance(raw, dict):
            return self._wrong(_("il faut un objet { … }."), path)
        fields = {each.name: each for each in dataclasses.fields(kind) if each.compare}
        for name in raw:
            if name not in fields:
                self._wrong(_("ce champ est inconnu."), f"{path}.{name[:60]}")
        values, before = {}, len(self.problems)
        hints = _hints(kind)
        for name in fields:
            if name not in raw:
                self._wrong(_("ce champ manque."), f"{path}.{name}")
                continue
            values[name] = self.value(hints[name], raw[name], f"{path}.{name}")
            if isinstance(values[name], str) and values[name] not in CHOICES.get(
                name, (values[name],)
            ):
                self._wrong(_("cette valeur est inconnue."), f"{path}.{name}")
        return kind(**values) if len(self.problems) == before else None

    def _union(self, kinds: tuple[object, ...], raw: object, path: str) -> object:
        if raw is None and type(None) in kinds:
            return None
        rest = [kind for kind in kinds if kind is not type(None)]
        if len(rest) == 1:
            return self.value(rest[0], raw, path)
        return self.value(Fraction if isinstance(raw, dict) else int, raw, path)

    def _tuple(self, kinds: tuple[Any, ...], raw: object, path: str) -> Any:
        if not isinstance(raw, list):
            return self._wrong(_("il faut une liste [ … ]."), path)
        if kinds[-1] is not Ellipsis and len(raw) != len(kinds):
            return self._wrong(_("il faut %(count)s valeurs.") % {"count": len(kinds)}, path)
        of = [kinds[0]] * len(raw) if kinds[-1] is Ellipsis else kinds
        return tuple(
            self.value(kind, each, f"{path}[{place}]")
            for place, (kind, each) in enumerate(zip(of, raw, strict=True), start=1)
        )

    def _mapping(self, kind: object, raw: object, path: str) -> Any:
        if not isinstance(raw, dict):
            return self._wrong(_("il faut un objet { … }."), path)
        return {key: self.value(kind, each, f"{path}.{key[:60]}") for key, each in raw.items()}

    def _moment(self, kind: Any, raw: Any, path: str) -> Any:
        try:
            moment = kind.fromisoformat(raw)
        except (TypeError, ValueError):
            moment = None
        if moment is None or not OLDEST.year <= moment.year <= NEWEST.year:
            return self._wrong(_("ce n’est pas une date."), path)
        if kind is datetime and moment.utcoffset() is None:
            return self._wrong(_("il manque le décalage horaire."), path)
        return moment

    def _fraction(self, raw: object, path: str) -> Any:
        if not isinstance(raw, dict) or set(raw) != {"num", "den"}:
            return self._wrong(_("il faut une fraction { num, den }."), path)
        above, below = raw["num"], raw["den"]
        if type(above) is not int or type(below) is not int or below < 1:
            return self._wrong(_("ce n’est pas une fraction."), path)
        return Fraction(above, below)

    def _free(self, raw: object, path: str, depth: int = 0) -> Any:
        """Return a setting of any type; lists become tuples, as rules hold them."""
        if isinstance(raw, str):
            return self.value(str, raw, path)
        if isinstance(raw, list | dict) and depth >= DEEPEST:
            return self._wrong(_("cette valeur est inconnue."), path)
        if isinstance(raw, list):
            return tuple(self._free(each, path, depth + 1) for each in raw)
        if isinstance(raw, dict):
            if set(raw) == {"num", "den"}:
                return self._fraction(raw, path)
            return {key: self._free(each, path, depth + 1) for key, each in raw.items()}
        return raw


_WORDS = {
    int: lambda: _("il faut un nombre entier."),
    str: lambda: _("il faut un texte."),
    bool: lambda: _("écrivez true ou false."),
    float: lambda: _("il faut un nombre."),
}


@cache
def _hints(kind: object) -> dict[str, object]:
    return typing.get_type_hints(kind)
