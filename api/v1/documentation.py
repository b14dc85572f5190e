"""The documentation page: the OpenAPI document as one plain page, without scripts."""

from __future__ import annotations

import re
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from ninja import NinjaAPI
from ninja.openapi.docs import DocsBase

JSON = "application/json"
PARAMETERS = {
    "scope": "code of the rule book: `faizers` for the club's ladder, `fisf` …",
    "version": "number of the version; 0: the document itself",
    "q": "part of a name, with or without accents; empty: everybody",
    "player": "`id` of a player",
    "member": "`id` of a player",
    "list": "slug of a rating list; empty: every list",
    "slug": "`slug` in the list that the address is under",
    "section": "one of `sections` of the answer; empty: the first",
    "entry_id": "`id` of the change",
    "period_id": "`id` of the competition",
    "edition_number": "`number` of the edition",
    "state": "`live`: with what is agreed tonight; `closed`: after the last closed evening",
    "season": "`id` of the season",
    "day": "as `2026-11-20`, in the club's time zone",
    "nth": "number of the evening among those of its day, from 1",
    "match_id": "`id` of the match",
    "round_number": "`number` of the round, from 1",
    "request_id": "`id` of the request, from the desk",
    "contest_id": "`id` of the contest",
    "file_id": "number of the file, in the `address` that answered it",
}
"""What the parameters mean of which their own view says nothing."""


class Documentation(DocsBase):
    """Renders the page from the same document that programs read."""

    def render_page(self, request: HttpRequest, api: NinjaAPI, **kwargs: object) -> HttpResponse:
        schema = api.get_openapi_schema(path_params=kwargs)
        models = schema["components"]["schemas"]
        context = {
            "openapi": self.get_openapi_url(api, kwargs),
            "operations": [
                _operation(method, path, description)
                for path, methods in schema["paths"].items()
                for method, description in methods.items()
            ],
            "models": [_model(name, description) for name, description in sorted(models.items())],
        }
        return render(request, "api/v1/documentation.html", context)


def _operation(method: str, path: str, operation: dict[str, Any]) -> dict[str, object]:
    body = operation.get("requestBody", {}).get("content", {}).get(JSON, {}).get("schema")
    return {
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": operation["summary"],
        "description": _words(operation.get("description", "")),
        "parameters": [
            {
                "name": one["name"],
                "place": one["in"],
                "needed": one.get("required", False),
                "type": _type(one["schema"]),
                "description": _words(one["schema"].get("description", "")),
            }
            for one in operation.get("parameters", [])
        ],
        "body": _type(body) if body else "",
        "answers": [
            {
                "status": status,
                "description": _words(answer["description"]),
                "type": _type(answer.get("content", {}).get(JSON, {}).get("schema", {})),
            }
            for status, answer in operation["responses"].items()
            if int(status) < 400
        ],
        "problems": sorted(status for status in operation["responses"] if int(status) >= 400),
    }


def _model(name: str, model: dict[str, Any]) -> dict[str, Any]:
    needed = model.get("required", [])
    return {
        "name": name,
        "description": _words(model.get("description", "")),
        "fields": [
            {
                "name": field,
                "type": _type(about),
                "needed": field in needed,
                "description": _words(about.get("description", "")),
            }
            for field, about in model.get("properties", {}).items()
        ],
        "choices": model.get("enum", []),
    }


def _words(text: str) -> SafeString:
    """Return a description as HTML: what stands between backticks is code."""
    return mark_safe(re.sub("`([^`]+)`", r"<code>\1</code>", escape(text)))


def _type(schema: dict[str, Any]) -> str:
    """Return a type of the document in a few words: `string | null`, `list of Player`."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(_type(one) for one in schema["anyOf"])
    if "prefixItems" in schema:
        return f"[{', '.join(_type(one) for one in schema['prefixItems'])}]"
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if "enum" in schema:
        return " | ".join(str(one) or '""' for one in schema["enum"])
    return str(schema.get("format") or schema.get("type", "")) + _limits(schema)


def _limits(schema: dict[str, object]) -> str:
    """Return how small, large or long a value may be, after its type."""
    least, most = schema.get("minimum"), schema.get("maximum")
    words = "" if least is None else f" from {least}"
    words += "" if most is None else f" to {most}"
    longest = schema.get("maxLength")
    return words if longest is None else f"{words} of at most {longest} characters"
