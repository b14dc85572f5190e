"""docs/architecture.md leads to every package, and to every module that stands beside them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
APPS = ("config", "api", "clubs", "ratings", "pairings")
TABLE = PAGE.partition("| app | package | holds |")[2].partition("\n\n")[0]
BESIDE = PAGE.partition("| module | holds |")[2].partition("\n\n")[0]


def rows(app: str) -> list[tuple[str, str]]:
    """The packages of an app, with what their rows say."""
    found, of = [], ""
    for line in TABLE.splitlines()[2:]:
        _edge, named, packages, holds = line.rstrip("| ").split("|", 3)
        of = named.strip() or of
        if of == app:
            found += [(name.strip(), holds) for name in packages.split(",")]
    return found


@pytest.mark.parametrize("app", APPS)
def test_every_package_has_a_row_and_every_row_a_package(app: str) -> None:
    folders = {path.parent.name for path in (ROOT / app).glob("*/__init__.py")} - {"migrations"}
    assert {name for name, _holds in rows(app)} - {"its own modules"} == folders


@pytest.mark.parametrize("app", APPS)
def test_every_module_at_the_root_of_an_app_is_named(app: str) -> None:
    told = dict(rows(app)).get("its own modules", BESIDE)
    modules = {path.name for path in (ROOT / app).glob("*.py")} - {"__init__.py"}
    assert {name for name in modules if f"`{name}`" not in told} == set()


def test_every_path_on_the_page_leads_somewhere() -> None:
    paths = re.findall(rf"`((?:{'|'.join(APPS)}|docs|tests|locale)/[\w./]+)`", PAGE)
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).exists()] == []
