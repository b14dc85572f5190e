"""The status of a page whose forms were refused: asked in one way."""

from __future__ import annotations

import re

from django import forms
from django.conf import settings

from clubs.ui.sent import has_errors


class OneField(forms.Form):
    name = forms.CharField()


def test_one_refused_form_of_several_is_enough_and_a_form_that_is_not_there_is_none() -> None:
    refused, taken, untouched = OneField({}), OneField({"name": "Ada"}), OneField()
    assert has_errors(taken, None, refused)
    assert not has_errors(taken, None, untouched) and not has_errors()


def test_no_view_joins_the_errors_of_its_forms_itself() -> None:
    joined = re.compile(r"\.errors or \w+\.errors|any\(\w+\.errors for|is not None and \w+\.errors")
    for app in ("clubs", "pairings", "ratings", "api"):
        for path in (settings.BASE_DIR / app).rglob("*.py"):
            if path.name != "sent.py":
                assert not joined.search(path.read_text()), path
