"""Bodies of requests: JSON, without the characters that no database stores; files in them."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, TypeVar

from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from ninja.parser import Parser
from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from api.v1.problems import Problem, invalid
from clubs.exchange.tables import UNSTORABLE

Row = TypeVar("Row", bound=Model)
DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def _written_day(value: object) -> object:
    """Return a day that is written as the document says: pydantic takes seconds since 1970 too."""
    if not isinstance(value, str) or not DAY.fullmatch(value):
        raise PydanticCustomError("date_type", "a day is written 2026-11-20")
    return value


Day = Annotated[date, BeforeValidator(_written_day)]


def uploaded(name: str, content: str) -> MultiValueDict[str, UploadedFile[Any]]:
    """Return the text of a file as the form of a page takes a file."""
    file = SimpleUploadedFile(name, content.encode(errors="replace"))
    return MultiValueDict({"file": [file]})


class Body(Parser):
    """Reads every body of the API."""

    def parse_body(self, request: HttpRequest) -> dict[str, object]:
        """Return the body. Raises a Problem that names each text that cannot be stored."""
        body = super().parse_body(request)
        message = _("Ce texte contient un caractère qui ne peut pas être enregistré.")
        if places := list(dict.fromkeys(_unstorable(body, "body"))):
            raise invalid([{"field": place, "message": message} for place in places])
        return body


def _unstorable(value: object, place: str) -> list[str]:
    """Return the places of texts with NUL or half a pair; a name's own is that of its object."""
    if isinstance(value, str):
        return [place] if UNSTORABLE.search(value) else []
    if isinstance(value, list):
        return [at for n, one in enumerate(value) for at in _unstorable(one, f"{place}.{n}")]
    if not isinstance(value, dict):
        return []
    if any(UNSTORABLE.search(name) for name in value):
        return [place]
    return [at for name, one in value.items() for at in _unstorable(one, f"{place}.{name}")]


def found(rows: QuerySet[Row], place: str, **which: object) -> Row:
    """Return the row that a value names. Raises a 404 that names the value: the address is right."""
    row = rows.filter(**which).first()
    if row is None:
        sentence = _("Cet identifiant n’existe pas ici.")
        raise Problem(404, "not_found", sentence, [{"field": place, "message": sentence}])
    return row
