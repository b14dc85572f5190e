"""A real Chromium on a phone-size screen, against the site as uvicorn serves it."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from multiprocessing import forkserver
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.browser.serving import serve, work
from tests.migrated import kept_file

ROOT = Path(__file__).resolve().parent.parent.parent
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 800}


def told(folder: Path) -> dict[str, str]:
    quiet = {"LOG_LEVEL": "ERROR"}  # a failed test shows its own words, not each request
    return {**os.environ, **quiet, "DATA_DIR": str(folder), "DATABASE_URL": "", "REDIS_URL": ""}


@pytest.fixture(scope="session")
def seeded(django_db_keepdb: bool, tmp_path_factory: Any) -> Path:
    """The data folder of the demo club, made once for all workers by the command of run.py.

    Its journal and its numbers hold. Its database is the migrated file that the other tests copy too.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "seeded"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            making = folder.with_suffix(".making")
            making.mkdir()
            commands = [["seed_demo"], ["verify_journal"], ["replay_ratings", "--check"]]
            if kept_file().exists():
                shutil.copyfile(kept_file(), making / "club.sqlite3")
            else:  # the other tests run on PostgreSQL
                commands.insert(0, ["migrate", "-v", "0"])
            for command in commands:
                whole = [sys.executable, "manage.py", *command]
                subprocess.run(whole, cwd=ROOT, env=told(making), check=True)
            making.rename(folder)
    return folder


@pytest.fixture(scope="session")
def demo_folder(seeded: Path, tmp_path_factory: Any) -> Path:
    """The data folder that this worker's servers read, one after the other."""
    return Path(shutil.copytree(seeded, tmp_path_factory.mktemp("demo") / "site"))


@pytest.fixture(scope="session")
def servers(demo_folder: Path) -> Any:
    """Forks a server from a process that has the whole site in its memory.

    Starting Python and reading the site's code takes two seconds of processor, a fork none.
    """
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload(["config.asgi", "config.urls"])
    with mock.patch.dict(os.environ, told(demo_folder)):
        forkserver.ensure_running()
    return forks


@pytest.fixture
def site(seeded: Path, demo_folder: Path, servers: Any) -> Iterator[str]:
    """The demo club on a free port, for this test alone: the order of tests does not matter."""
    shutil.rmtree(demo_folder)
    shutil.copytree(seeded, demo_folder)
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
        port = listener.getsockname()[1]
        server = servers.Process(target=serve, args=[listener])
        server.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.join()


@pytest.fixture
def worker(site: str, servers: Any) -> Iterator[None]:
    """The worker of this test's site."""
    process = servers.Process(target=work)
    process.start()
    yield
    process.kill()
    process.join()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=30_000)  # a busy machine makes a page wait, not a test fail

    os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def sign_in(context: Any, account: str) -> None:
    """Send the form of the sign-in page without showing the page; test_passkey.py types into it."""
    address = "/compte/login/"
    context.request.get(address)
    token = next(c["value"] for c in context.cookies() if c["name"] == "csrftoken")
    fields = {"login": f"{account}@demo.club", "password": "faizers-demo"}
    form = {**fields, "csrfmiddlewaretoken": token}
    assert context.request.post(address, form=form, max_redirects=0).status == 302, account


@pytest.fixture
def window(chromium, site) -> Iterator[Any]:
    """Opens private windows: `window("amelie")` is signed in, `window()` is a visitor."""
    contexts = []

    def open_window(account: str = "", *, size: dict[str, int] = PHONE, **options: Any) -> Any:
        options = {"locale": "fr-FR", "timezone_id": "Europe/Paris", **options}
        context = chromium.new_context(viewport=size, base_url=site, **options)
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        if account:
            sign_in(context, account)
            page.goto("/ma-soiree/")
        return page

    yield open_window
    for context in contexts:
        context.close()
