"""What tests ask of all the code of the site: its modules, its tables, its languages."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import models

ROOT = Path(__file__).resolve().parents[1]
APPS = ("clubs", "ratings", "pairings", "api")
"""The apps with tables; `config` has none."""
LANGUAGES = tuple(dict(settings.LANGUAGES))
"""Codes of the languages that a reader may choose."""
NO_LANGUAGE_OF_OURS = "la"
"""A language that browsers may ask for and the site is not in."""


def modules(among: Sequence[str] = (*APPS, "config")) -> list[Path]:
    """Return the modules of these packages in order, without migrations."""
    return [
        path
        for app in among
        for path in sorted((ROOT / app).rglob("*.py"))
        if "migrations" not in path.parts
    ]


@cache
def tree_of(path: Path) -> ast.Module:
    """Return what Python reads in a module: a dozen tests walk all of them, and reading costs most."""
    return ast.parse(path.read_text("utf-8"))


def tables() -> list[type[models.Model]]:
    """Return the models of the apps."""
    return [model for app in APPS for model in apps.get_app_config(app).get_models()]
