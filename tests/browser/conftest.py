"""A real Chromium on a phone-size screen, against the site as uvicorn serves it."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

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
def seeded(tmp_path_factory: Any) -> Path:
    """The data folder of the demo club, made once for all workers by the commands of run.py."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "seeded"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            making = folder.with_suffix(".making")
            making.mkdir()
            for command in (["migrate", "-v", "0"], ["seed_demo"]):
                whole = [sys.executable, "manage.py", *command]
                subprocess.run(whole, cwd=ROOT, env=told(making), check=True)
            making.rename(folder)
    return folder


@pytest.fixture
def site(seeded: Path, tmp_path: Path) -> Iterator[str]:
    """The demo club on a free port, for this test alone: the order of tests does not matter."""
    folder = Path(shutil.copytree(seeded, tmp_path / "site"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serve = [sys.executable, "-m", "uvicorn", "config.asgi:application", "--port", str(port)]
    serve += ["--log-level", "error", "--timeout-graceful-shutdown", "1"]
    child = subprocess.Popen(serve, cwd=ROOT, env=told(folder))
    try:
        address = f"http://127.0.0.1:{port}"
        for _try in range(600):
            try:
                urllib.request.urlopen(f"{address}/healthz", timeout=1).read()
                break
            except OSError:
                time.sleep(0.2)
        else:
            pytest.fail("the site did not answer within two minutes")
        yield address
    finally:
        child.terminate()
        try:
            child.wait(timeout=10)
        except subprocess.TimeoutExpired:
            child.kill()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=20_000)  # a busy machine makes a page wait, not a test fail

    os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def window(chromium, site) -> Iterator[Any]:
    """Opens private windows: `window("amelie")` is signed in, `window()` is a visitor."""
    contexts = []

    def open_window(account: str = "", *, size: dict[str, int] = PHONE, **options: Any) -> Any:
        options = {"locale": "fr-FR", "timezone_id": "Europe/Paris", **options}
        context = chromium.new_context(viewport=size, base_url=site, **options)
        contexts.append(context)
        page = context.new_page()
        if account:
            page.goto("/compte/login/")
            page.fill("input[name=login]", f"{account}@demo.club")
            page.fill("input[name=password]", "faizers-demo")
            page.press("input[name=password]", "Enter")
            page.wait_for_url("**/ma-soiree/")
        return page

    yield open_window
    for context in contexts:
        context.close()
