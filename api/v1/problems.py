"""Errors of the API as problem+json (RFC 9457), in the reader's language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.serializers.json import DjangoJSONEncoder
from django.http import Http404, HttpRequest, JsonResponse, UnreadablePostError
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from ninja import NinjaAPI, Schema
from ninja.errors import HttpError, ValidationError
from pydantic import Field

from clubs.accounts.actor import Refused
from clubs.accounts.permissions import access_of, received_at
from clubs.accounts.rate_limits import TooMany

MEDIA_TYPE = "application/problem+json"
RETRY_S = 10
MOST_ERRORS = 100
"""Wrong values of a body that its answer names: it may hold 200,000."""

TITLES: Mapping[int, Promise] = {
    400: gettext_lazy("Requête illisible"),
    401: gettext_lazy("Clé refusée"),
    403: gettext_lazy("Pas permis"),
    404: gettext_lazy("Introuvable"),
    405: gettext_lazy("Méthode inconnue ici"),
    409: gettext_lazy("Refusé"),
    413: gettext_lazy("Trop long"),
    422: gettext_lazy("Valeurs à corriger"),
    429: gettext_lazy("Trop de requêtes"),
    500: gettext_lazy("Panne du site"),
    503: gettext_lazy("Site momentanément indisponible"),
}


Errors = Sequence[Mapping[str, object]]
"""Values that were not taken, as FieldError."""


class FieldError(Schema):
    """One value that was not taken."""

    field: str = Field(description="where the value stands: `body.name`, `query.limit`")
    message: str = Field(description="what is wrong, in the reader's language")
    line: int | None = Field(None, description="line of a file, counted from 1 as an editor does")


class ProblemOut(Schema):
    """An error (RFC 9457). `title`, `detail` and `message` are in the reader's language."""

    type: str = Field(description="address of the words about this kind of problem")
    title: str = Field(description="the kind of problem, in words")
    status: int = Field(description="the status of the response")
    detail: str = Field(description="what happened this time; a sentence to show to a person")
    code: str = Field(description="the kind of problem, for programs")
    errors: list[FieldError] = Field(default=[], description="values that were not taken")


class Problem(Exception):
    """A response that is an error. `detail` is a sentence the reader may see."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        errors: Errors = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail
        self.errors, self.headers = errors, headers


def response(
    status: int,
    code: str,
    detail: str,
    *,
    errors: Errors = (),
    headers: Mapping[str, str] | None = None,
) -> JsonResponse:
    """Return a problem as a response."""
    body = {
        "type": f"{reverse('api:openapi-view')}#errors",
        "title": str(TITLES.get(status, TITLES[400])),
        "status": status,
        "detail": detail,
        "code": code,
        "errors": list(errors),
    }
    return JsonResponse(
        body,
        status=status,
        content_type=MEDIA_TYPE,
        encoder=DjangoJSONEncoder,
        json_dumps_params={"ensure_ascii": False},
        headers={"Cache-Control": "no-store", **(headers or {})},
    )


def not_found(*_arguments: object, **_named: object) -> JsonResponse:
    return response(404, "not_found", _("Rien de tel à cette adresse."))


def unreadable(*_arguments: object) -> JsonResponse:
    return response(400, "unreadable", _("La requête est illisible."))


def too_large(most: int) -> JsonResponse:
    detail = _("Le corps d’une requête a %(mb)s Mo au plus.") % {"mb": most // (1024 * 1024)}
    return response(413, "too_large", detail)


def perhaps_done() -> JsonResponse:
    detail = _("Votre envoi a peut-être été enregistré : regardez avant de recommencer.")
    return response(409, "perhaps_done", detail)


def not_allowed(allow: str) -> JsonResponse:
    detail = _("Cette adresse accepte : %(methods)s.") % {"methods": allow}
    return response(405, "method_not_allowed", detail, headers={"Allow": allow})


def failed(*, lasts: bool) -> JsonResponse:
    """Return what a failure of the site says: 503 where trying again helps, else 500."""
    if not lasts:
        detail = _("Le site n’atteint pas sa base de données : réessayez dans un instant.")
        return response(503, "unavailable", detail, headers={"Retry-After": str(RETRY_S)})
    return response(500, "failed", _("Le site a une panne ; elle est notée."))


def _too_many(request: HttpRequest, over: Any) -> JsonResponse:
    wait = max(1, ceil((over.until - received_at(request)).total_seconds()))
    detail = _("Trop de requêtes : réessayez dans %(n)s s.") % {"n": wait}
    return response(429, "too_many", detail, headers={"Retry-After": str(wait)})


def invalid(errors: Errors) -> Problem:
    """Return the problem of values that are to be corrected."""
    return Problem(422, "invalid", _("Des valeurs sont à corriger."), errors)


def missing(places: Sequence[str]) -> Problem:
    """Return the problem of values that are needed here, though not everywhere."""
    return invalid([{"field": place, "message": _("Cette valeur manque.")} for place in places])


def unknown_choice(place: str, choices: Sequence[str]) -> Problem:
    """Return the problem of a value that is none of these; an empty one can only be left out."""
    named = ", ".join(filter(None, choices))
    message = _("Choisissez parmi : %(choices)s.") % {"choices": named}
    if not named:
        message = _("Cette valeur n’est pas acceptée.")
    return invalid([{"field": place, "message": message}])


def _invalid(request: HttpRequest, error: Any) -> JsonResponse:
    named = error.errors[:MOST_ERRORS]
    errors = [{"field": _place(one["loc"]), "message": message_of(one)} for one in named]
    return response(422, "invalid", _("Des valeurs sont à corriger."), errors=errors)


def _place(parts: Sequence[object]) -> str:
    """Return where a value stands. A body is the argument `body` of its view: named once."""
    if list(parts[:2]) == ["body", "body"]:
        parts = parts[1:]
    return ".".join(str(part) for part in parts)


def message_of(error: Mapping[str, Any]) -> str:
    """Return a pydantic error as a sentence; its own words are English only."""
    kind, limits = str(error["type"]), error.get("ctx", {})
    bound = next((limits[name] for name in BOUNDS if name in limits), "")
    for start, sentence in SENTENCES:
        if kind.startswith(start):
            return str(sentence) % {"n": bound, "choices": _choices(limits)}
    return _("Cette valeur n’est pas acceptée.")


def _choices(limits: Mapping[str, object]) -> str:
    """Return what pydantic expects as a plain list: it writes it in English, "'a', 'b' or 'c'"."""
    choices = re.findall(r"'([^']*)'", str(limits.get("expected", "")))
    return ", ".join(filter(None, choices))  # empty: left out, which is a choice too


BOUNDS = ("ge", "gt", "le", "lt", "min_length", "max_length")
SENTENCES = (
    ("missing", gettext_lazy("Cette valeur manque.")),
    ("extra_forbidden", gettext_lazy("Ce nom est inconnu.")),
    ("int", gettext_lazy("Donnez un nombre entier.")),
    ("bool", gettext_lazy("Donnez vrai ou faux (true, false).")),
    ("date", gettext_lazy("Donnez une date (2026-11-20).")),
    ("greater", gettext_lazy("Donnez au moins %(n)s.")),
    ("less", gettext_lazy("Donnez au plus %(n)s.")),
    ("string_too_short", gettext_lazy("Texte trop court : longueur minimale %(n)s.")),
    ("string_too_long", gettext_lazy("Texte trop long : longueur maximale %(n)s.")),
    ("string", gettext_lazy("Donnez un texte.")),
    ("too_short", gettext_lazy("Liste trop courte : longueur minimale %(n)s.")),
    ("too_long", gettext_lazy("Liste trop longue : longueur maximale %(n)s.")),
    ("list", gettext_lazy("Donnez une liste.")),
    ("model", gettext_lazy("Donnez un objet JSON.")),
    ("literal_error", gettext_lazy("Choisissez parmi : %(choices)s.")),
    ("enum", gettext_lazy("Choisissez parmi : %(choices)s.")),
)


def install(api: NinjaAPI) -> None:
    """Answer each foreseen exception with its problem; others are for the site's handler.

    For ninja's types each handler also takes the class of its exception: hence `Any`.
    """

    def problem(request: HttpRequest, error: Any) -> JsonResponse:
        status, code, detail = error.status, error.code, error.detail
        return response(status, code, detail, errors=error.errors, headers=error.headers)

    def no_body(request: HttpRequest, error: Any) -> JsonResponse:
        """ninja answers whatever a body fails on with its own error; ours is its cause."""
        cause = error.__cause__
        if isinstance(cause, Problem):
            return problem(request, cause)
        return response(400, "unreadable", _("Le corps de la requête ne se lit pas comme du JSON."))

    def refused(request: HttpRequest, error: Any) -> JsonResponse:
        return response(409, error.code, str(error))

    def denied(request: HttpRequest, error: object) -> JsonResponse:
        not_held = _("Votre rôle dans ce club ne permet pas cela.")
        if access_of(request).withheld:
            not_held = _("Votre rôle attend votre double vérification.")
        return response(403, "role_needed", str(error) or not_held)

    def unforeseen(request: HttpRequest, error: Any) -> JsonResponse:
        raise error

    api.add_exception_handler(Problem, problem)
    api.add_exception_handler(Refused, refused)
    api.add_exception_handler(PermissionDenied, denied)
    api.add_exception_handler(Http404, not_found)
    api.add_exception_handler(TooMany, _too_many)
    api.add_exception_handler(HttpError, no_body)
    api.add_exception_handler(ValidationError, _invalid)
    api.add_exception_handler(UnreadablePostError, unreadable)
    api.add_exception_handler(Exception, unforeseen)
