"""The API as one object, and its addresses."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy
from functools import cache, wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils import translation
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import conditional_page, require_GET
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema, get_schema

from api.v1 import once, problems
from api.v1.bearer import Bearer
from api.v1.bodies import Body
from api.v1.documentation import JSON, PARAMETERS, Documentation
from api.v1.views import (
    acts,
    arbitration,
    closing,
    club,
    competition_files,
    contests,
    evening_acts,
    evening_pairing,
    evening_settings,
    lists,
    office,
    people,
    play,
    tournament_files,
    tournaments,
)
from clubs.accounts.middleware import visitors_language

ABOUT = """
Read and act on this site from a program, with the rights of one of its members or of a visitor.
"""


class Api(NinjaAPI):
    """The API. Its document is made once: everybody may ask for it, and it takes a second."""

    def get_openapi_schema(self, **_named: object) -> OpenAPISchema:
        """Return the document, with the addresses under the prefix of the request's club."""
        whole, prefix = copy(_document()), self.get_root_path({}).rstrip("/")
        whole["paths"] = {prefix + path: methods for path, methods in whole["paths"].items()}
        return whole


@cache
def _document() -> OpenAPISchema:
    document = get_schema(api=site, path_prefix="")
    paths = [path for part in reading for path in part.router.path_operations]
    for_visitors = {"/" + re.sub(r"{\w+:", "{", path) for path in paths}  # written without types
    for address, methods in document["paths"].items():
        for method, operation in methods.items():
            _complete(method, operation)
            if method == "get" and address in for_visitors:
                operation["security"].append({})  # without a key too
    return document


def _complete(method: str, operation: dict[str, Any]) -> None:
    """Add what ninja does not know of an operation: parameters, headers, a 304, type of problems."""
    for one in operation["parameters"]:
        if one["name"] in PARAMETERS:
            one["schema"].setdefault("description", PARAMETERS[one["name"]])
    for status, answer in operation["responses"].items():
        if int(status) >= 400:  # ninja writes every answer as plain JSON
            answer["content"] = {problems.MEDIA_TYPE: answer["content"].pop(JSON)}
        if int(status) == 429:
            wait = {"description": "seconds to wait", "schema": {"type": "integer"}}
            answer["headers"] = {"Retry-After": wait}
    if method == "get":
        operation["parameters"].append(_header("If-None-Match", "the `ETag` of the answer one has"))
        for status, answer in operation["responses"].items():
            if int(status) < 300:
                etag = {"description": "of this answer", "schema": {"type": "string"}}
                answer["headers"] = {"ETag": etag}
        operation["responses"][304] = {"description": "Nothing has changed"}
    else:
        description = "new for each act: a request sent again is answered as the first time"
        operation["parameters"].append(_header(once.HEADER, description, maxLength=once.LONGEST))


def _header(name: str, description: str, **limits: object) -> dict[str, object]:
    schema = {"type": "string", "description": description, "title": name, **limits}
    return {"in": "header", "name": name, "schema": schema, "required": False}


site = Api(
    title="Club API",
    version="1",
    description=ABOUT.strip(),
    urls_namespace="api",
    docs=Documentation(),
    docs_decorator=require_GET,
    auth=Bearer(),
    parser=Body(),
)
problems.install(site)
reading = (club, people, lists, play, tournaments)
directing = (evening_acts, evening_pairing, evening_settings, arbitration, contests, closing)
writing = (acts, *directing, office, tournament_files, competition_files)
for part in reading + writing:
    site.add_router("", part.router)


def _answered(view: Callable[..., Any]) -> Callable[..., HttpResponseBase]:
    """Wrap a view of the API: its language, its ETag, and 405 as a problem."""
    conditional = conditional_page(view)

    @wraps(view)
    def answered(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        translation.activate(visitors_language(request))  # not that of a session's account
        response: HttpResponseBase = conditional(request, *args, **kwargs)
        if response.status_code == 405:
            methods = response["Allow"].replace("GET", "GET, HEAD")  # answered by what answers GET
            response = problems.not_allowed(methods)
        patch_vary_headers(response, ["Authorization", "Accept-Language"])
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
        return response

    answered.csrf_exempt = True  # type: ignore[attr-defined]
    return answered


@require_GET
def root(request: HttpRequest) -> HttpResponse:
    """Lead from the API's address, which programs put their paths behind, to its words."""
    return redirect("api:openapi-view")


def _patterns() -> list[URLPattern]:
    """Return the addresses, each wrapped; ninja's own page at the root is a 404."""
    patterns: list[Any] = site.urls[0]
    views = {pattern.name: pattern.callback for pattern in patterns} | {"api-root": root}
    return [
        URLPattern(p.pattern, _answered(views[p.name]), p.default_args, p.name) for p in patterns
    ]


urlpatterns = [*_patterns(), path("<path:rest>", _answered(problems.not_found))]
