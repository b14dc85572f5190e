"""What Django refuses by default is switched off nowhere: tokens of forms, escaping, chosen fields."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver

from tests.our_code import ROOT, modules, tree_of

UNESCAPED = re.compile(r"\|\s*safe(?:seq)?\b|autoescape off")
MARKED = {
    "api/v1/documentation.py": "sentences of the document, escaped, with code between backticks",
    "clubs/templatetags/ui.py": "icons and arrows that are written there",
    "clubs/ui/badges.py": "drawings that are written there",
    "clubs/ui/charts.py": "figures, and sentences that it escapes",
    "clubs/ui/qr.py": "the squares of a code",
    "pairings/ranking/views.py": "what a template has printed, from the cache",
}


def callers(word: str) -> set[str]:
    """The modules that call, or decorate with, something of that name."""
    return {
        str(path.relative_to(ROOT))
        for path in modules()
        for node in ast.walk(tree_of(path))
        if word in (getattr(node, "attr", ""), getattr(node, "id", ""))
    }


def addresses(part: URLResolver, before: str = "") -> Iterator[tuple[str, URLPattern]]:
    for pattern in part.url_patterns:
        path = f"{before}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern, path)
        else:
            yield path, pattern


def test_every_form_asks_for_its_token_and_only_programs_with_a_key_have_none():
    found = dict(addresses(get_resolver()))
    assert len(found) > 300
    free = {path for path, one in found.items() if getattr(one.callback, "csrf_exempt", False)}
    assert {path for path in free if not path.startswith("api/v1/")} == set()


def test_text_is_marked_as_safe_where_nobody_typed_it():
    assert callers("mark_safe") == set(MARKED)


def test_no_page_prints_what_was_typed_as_it_is():
    """Mails as plain text are no pages: they hold no elements."""
    pages = (ROOT / "templates").rglob("*.html")
    found = {
        str(path.relative_to(ROOT))
        for path in pages
        if UNESCAPED.search(path.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_no_form_takes_every_column_of_a_table():
    """A column that is added later would be open to whoever sends it."""
    loose = [
        f"{path}:{node.lineno}"
        for path in modules()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Assign)
        for target in node.targets
        if (name := getattr(target, "id", "")) == "exclude"
        or (name == "fields" and getattr(node.value, "value", "") == "__all__")
    ]
    assert loose == []
