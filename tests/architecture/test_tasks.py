"""A task lies in the package of its subject; an app's `tasks.py` names it, where a worker looks."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from django.conf import settings

from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import JobKind
from config.celery import app as celery
from tests.our_code import APPS, ROOT, modules, tree_of


def tasks_of(path: Path) -> dict[str, str | None]:
    """Names of the functions that are tasks, with the name that a worker knows them by."""
    found: dict[str, str | None] = {}
    for node in ast.walk(tree_of(path)):
        for by in getattr(node, "decorator_list", ()):
            call = ast.unparse(by.func if isinstance(by, ast.Call) else by)
            if call in ("shared_task", "jobs.task"):
                words = [word.value for word in by.keywords if word.arg == "name"]
                name = (by.args if call == "jobs.task" else words)[:1]
                found[node.name] = ast.literal_eval(name[0]) if name else None
    return found


@pytest.mark.parametrize("app", APPS)
def test_an_app_gathers_the_tasks_of_its_packages_and_holds_none(app: str) -> None:
    gathered = set()
    for node in ast.parse((ROOT / app / "tasks.py").read_text()).body[1:]:
        if isinstance(node, ast.ImportFrom):
            gathered |= {(node.module, alias.name) for alias in node.names}
        else:
            assert isinstance(node, ast.Assign) and node.targets[0].id == "__all__"
    written = {
        (path.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."), name)
        for path in modules([app])
        for name in tasks_of(path)
    }
    assert gathered == written != set()


def test_a_task_has_a_name_that_does_not_follow_its_file() -> None:
    """Messages that wait in the queue while a server is updated carry the name."""
    files = [path for app in APPS for path in (ROOT / app).rglob("tasks.py")]
    names = [name for path in files for name in tasks_of(path).values()]
    assert None not in names and len(names) == len(set(names))
    celery.loader.import_default_modules()
    assert set(names) <= set(celery.tasks)
    assert {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()} <= set(names)


def test_each_kind_of_job_has_a_task_that_a_worker_knows() -> None:
    celery.loader.import_default_modules()
    assert set(jobs.DOERS) == set(JobKind)
    assert {jobs.doer_of(kind).task.name for kind in JobKind} <= set(celery.tasks)
