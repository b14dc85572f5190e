"""An act is done once for the `Idempotency-Key` of its request, and answered again as the first time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.forms import BaseForm
from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Schema
from pydantic import ConfigDict

from api.v1.problems import Problem, invalid
from clubs.accounts.actor import Actor, Refused
from pairings.live.models import Operation

HEADER = "Idempotency-Key"
PREFIX = "api:"
"""Pages of a phone send keys of their own, to other addresses."""
LONGEST = 60
WRITE_ERRORS = frozenset({400, 401, 403, 404, 409, 413, 422, 429})

Answer = dict[str, Any]
CONTENT = {"file": "content"}
"""A page takes a file, a program sends its text."""


class RequestBody(Schema):
    """A body of a request: a name it does not know is a mistake of the program."""

    model_config = ConfigDict(extra="forbid")


def once(request: HttpRequest, by: Actor, at: datetime, act: Callable[[], Answer]) -> Answer:
    """Do an act and return its answer; with a key that was used before, return that answer.

    The key and the act are one transaction: a request that is cut leaves neither. A refusal keeps
    no key, so that the same request may succeed later. Whatever may be gone by then (a member who
    left, a code that has ended) is looked up in `act`.
    """
    key = request.headers.get(HEADER, "")
    if not key:
        return act()
    if len(key) > LONGEST or not key.isprintable():
        sentence = _("Une clé d’idempotence a 60 caractères au plus.")
        errors = [{"field": f"header.{HEADER}", "message": sentence}]
        raise Problem(422, "invalid", sentence, errors)
    about = f"{request.method} {request.get_full_path()}\n".encode() + request.body
    body_hash = hashlib.sha256(about).hexdigest()
    refused: Refused | None = None
    with transaction.atomic():
        operation, is_first = _operation(by, PREFIX + key, body_hash, at)
        if not is_first:
            if operation.body_hash != body_hash:
                message = _("Cette clé d’idempotence a déjà servi à une autre requête.")
                raise Problem(422, "key_reused", message)
            return dict(operation.answer)
        answer: Answer = {}
        try:
            answer = act()
        except Refused as refusal:  # raised after the commit: a lapse noticed meanwhile is kept
            refused = refusal
            Operation.objects.filter(pk=operation.pk).delete()
        else:
            Operation.objects.filter(pk=operation.pk).update(answer=answer)
    if refused is not None:
        raise refused
    return answer


def _operation(by: Actor, key: str, body_hash: str, at: datetime) -> tuple[Operation, bool]:
    """Return the row of this key, and whether it is new. A request at the same time waits here."""
    assert by.user is not None
    try:
        with transaction.atomic():
            row = Operation.objects.create(key=key, actor=by.user, body_hash=body_hash, at=at)
    except IntegrityError:
        return Operation.objects.get(key=key, actor=by.user), False
    return row, True


def wrong_values(
    form: BaseForm, places: Mapping[str, str] = CONTENT, place: str = "body"
) -> Problem:
    """Return the problem of a form that is not valid, the same form as the page's.

    `places`: where the body has another name than the form.
    """
    errors = [
        {
            "field": place if name == "__all__" else f"{place}.{places.get(name, name)}",
            "message": str(message),
        }
        for name, messages in form.errors.items()
        for message in messages
    ]
    return invalid(errors)
