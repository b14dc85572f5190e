"""Every form of every page, sent with what nobody means: refused in words, with what was typed."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

import pytest

from tests.permissions import access
from tests.permissions.test_permissions import (
    address,
    lines,
    prepared,
    reader_of,
    signed_in,
    untouched,
)
from tests.permissions.test_reading import NO_PAGE

pytestmark = pytest.mark.django_db
TEXTS = ("text", "search", "textarea")
HOSTILE = ("\0", "99999999999999999999", "²", "<b>é</b>")


class Forms(HTMLParser):
    """The forms of a page that are posted: address, buttons, and the kind of each field."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[dict[str, Any]] = []
        self.inside = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = {name: value or "" for name, value in attrs}
        name, kind = held.get("name"), held.get("type", "text" if tag == "input" else tag)
        if tag == "form":
            self.inside = held.get("method", "").lower() == "post"
            if self.inside:
                self.forms.append({"action": held.get("action", ""), "buttons": [], "fields": {}})
        elif self.inside and name and (tag == "button" or kind == "submit"):
            self.forms[-1]["buttons"].append((name, held.get("value", "")))
        elif self.inside and name and tag in ("input", "select", "textarea"):
            self.forms[-1]["fields"][name] = kind

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "form"


ASKED: set[str] = set()


def is_asked_elsewhere(form: dict[str, Any]) -> bool:
    """Whether a form of another page goes to the same address with the same fields and buttons."""
    where = re.sub(r"\d+", "0", form["action"])
    mark = f"{where} {sorted(form['fields'])} {sorted(name for name, _value in form['buttons'])}"
    found = bool(where) and mark in ASKED
    ASKED.add(mark)
    return found


@pytest.mark.parametrize(
    ("space", "name", "level", "arguments"),
    [
        pytest.param(*line.values[:4], id=line.id)
        for line in lines()
        if line.values[5] not in (*NO_PAGE, access.READ)
    ],
)
def test_no_form_fails_and_none_loses_what_was_typed(site, space, name, level, arguments):
    prepared(site, name)
    client = signed_in(site, reader_of(site, level, arguments))
    url = address(site, space, name, arguments, site.club)
    with untouched():
        page = client.get(url)
    html = b"" if page.streaming else page.content
    for form in Forms(html.decode(errors="replace")).forms:
        if is_asked_elsewhere(form):
            continue
        fields = [each for each, kind in form["fields"].items() if kind != "file"]
        has_text = any(kind in TEXTS for kind in form["fields"].values())
        for value in HOSTILE:
            for button in form["buttons"] or [("", "")]:
                sent = dict.fromkeys(fields, value) | dict([button])
                with untouched():
                    answer = client.post(urljoin(url, form["action"]), sent)
                case = (form["action"] or url, button, value)
                assert answer.status_code < 500, case
                if answer.status_code == 422 and has_text and value.isprintable():
                    assert value in unescape(answer.content.decode()), case
