"""The processes of `deploy/` as a stranger starts them: behind its proxy, over TLS, restarted in use."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import socket
import ssl
import string
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from pairings.live import stream as live
from tests.clubhouse import make_club

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
KNOWN = set(re.findall(r"^(\w+)\)$", (DEPLOY / "process").read_text(), re.MULTILINE))


def test_units_and_compose_start_the_processes_that_there_are():
    units = [
        re.search(r"^ExecStart=/opt/club/deploy/process (\w+)", unit.read_text(), re.MULTILINE)[1]
        for unit in (DEPLOY / "systemd").glob("*.service")
    ]
    assert set(units) == KNOWN - {"prepare", "manage"}
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    own = [one["command"][0] for one in services.values() if one.get("image") == "club"]
    assert set(own) == KNOWN - {"manage"}
    wanted = (DEPLOY / "systemd/club.target").read_text()
    for unit in (DEPLOY / "systemd").glob("*.service"):
        assert unit.stem in wanted, unit.name


def test_the_example_names_every_setting_that_production_requires():
    example = (DEPLOY / "club.env.example").read_text()
    text = (ROOT / "config/settings.py").read_text()
    for name in {*re.findall(r'required\("(\w+)"', text), "SITE_URL", "DATA_DIR", "STATIC_ROOT"}:
        assert re.search(rf"^{name}=", example, re.MULTILINE), name


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Deployed:
    """The processes, each by its name, and the port of the proxy."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = {name: free_port() for name in ("web-1", "web-2", "streams", "proxy")}
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        database = connection.settings_dict
        place = f"{database['HOST']}:{database['PORT']}/{database['NAME']}"
        self.told = {
            **os.environ,
            "SITE_ENV": "production",
            "SECRET_KEY": "a-key-of-more-than-fifty-characters-0123456789-abcdefgh",
            "ALLOWED_HOSTS": "localhost",
            "SITE_URL": f"https://localhost:{self.ports['proxy']}",
            "DATABASE_URL": f"postgresql://{database['USER']}@{place}",
            "REDIS_URL": settings.REDIS_URL,
            "DATA_DIR": str(folder / "data"),
            "STATIC_ROOT": str(folder / "static"),
            "VENV": os.environ.get("VIRTUAL_ENV") or str(Path(os.sys.executable).parent.parent),
        }

    def start(self, name: str, *arguments: str) -> None:
        told = dict(self.told)
        if name in self.ports:
            told["BIND"] = f"127.0.0.1:{self.ports[name]}"
        command = [DEPLOY / "process", *arguments]
        with (self.folder / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(command, env=told, stdout=log, stderr=log)
        if name in self.ports:
            self.wait(self.ports[name])

    def stop(self, name: str) -> None:
        """Send SIGTERM. A process that does not go by itself fails the test."""
        child = self.running.pop(name)
        child.terminate()
        try:
            child.wait(30)
        finally:
            child.kill()

    def wait(self, port: int) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.1)
        logs = "\n".join(path.read_text()[-2000:] for path in self.folder.glob("*.log"))
        raise AssertionError(f"nothing listens on {port}:\n{logs}")

    def proxy(self) -> None:
        (self.folder / "tls").mkdir()
        (self.folder / "static").mkdir(exist_ok=True)
        made = [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-subj",
            "/CN=localhost",
        ]
        made += ["-keyout", "tls/privkey.pem", "-out", "tls/fullchain.pem", "-days", "2"]
        subprocess.run(made, cwd=self.folder, check=True, capture_output=True)
        site = string.Template((DEPLOY / "nginx/club.conf.template").read_text()).safe_substitute(
            DOMAIN="localhost",
            PORT=str(self.ports["proxy"]),
            WEB=f"127.0.0.1:{self.ports['web-1']}",
            WEB_TOO=f"127.0.0.1:{self.ports['web-2']}",
            STREAMS=f"127.0.0.1:{self.ports['streams']}",
            STATIC=str(self.folder / "static"),
            TLS=str(self.folder / "tls"),
        )
        (self.folder / "site.conf").write_text(site)
        (self.folder / "nginx.conf").write_text(
            f"daemon off; pid {self.folder}/pid; error_log {self.folder}/proxy.log;"
            "events {} http { include /etc/nginx/mime.types; access_log off;"
            f" client_body_temp_path {self.folder}/body; proxy_temp_path {self.folder}/temp;"
            f" include {self.folder}/site.conf; }}"
        )
        command = [
            "nginx",
            "-c",
            str(self.folder / "nginx.conf"),
            "-e",
            str(self.folder / "proxy.log"),
        ]
        self.running["proxy"] = subprocess.Popen(command)
        self.wait(self.ports["proxy"])

    @contextmanager
    def asked(self, path: str) -> Iterator[http.client.HTTPResponse]:
        trusting = ssl.create_default_context(cafile=str(self.folder / "tls/fullchain.pem"))
        client = http.client.HTTPSConnection(
            "localhost", self.ports["proxy"], timeout=30, context=trusting
        )
        try:
            client.request("GET", path, headers={"Accept-Language": "fr"})
            yield client.getresponse()
        finally:
            client.close()

    def status(self, path: str) -> int:
        with self.asked(path) as answer:
            answer.read()
            return answer.status


@pytest.fixture
def deployed(transactional_db: None, tmp_path: Path) -> Iterator[Deployed]:
    site = Deployed(tmp_path)
    try:
        subprocess.run(
            [DEPLOY / "process", "prepare"], env=site.told, check=True, capture_output=True
        )
        site.start("web-1", "web")
        site.start("web-2", "web")
        site.start("streams", "streams")
        site.start("one", "worker", "one")
        site.start("beat", "beat")
        site.proxy()
        yield site
    finally:
        for name in list(site.running):
            site.stop(name)


@pytest.mark.real_clock
@pytest.mark.only_on("postgres")
@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not on this machine")
def test_a_site_behind_its_proxy_is_restarted_process_by_process_and_nobody_notices(deployed):
    club = make_club("faizers", size=2).organisation
    assert deployed.status("/healthz") == 200
    with deployed.asked("/c/faizers/classement/") as answer:
        assert answer.status == 200 and "Classement" in answer.read().decode()
        assert "max-age=" in answer.headers["Strict-Transport-Security"]

    answers: list[int] = []
    over = threading.Event()

    def viewer() -> None:
        while not over.is_set():
            answers.append(deployed.status("/c/faizers/classement/"))

    with deployed.asked("/c/faizers/flux/") as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        stream.readline()
        threads = [threading.Thread(target=viewer) for _viewer in range(3)]
        for thread in threads:
            thread.start()
        for name, *arguments in (
            ("web-1", "web"),
            ("web-2", "web"),
            ("one", "worker", "one"),
            ("beat", "beat"),
        ):
            deployed.stop(name)
            deployed.start(name, *arguments)
            seen = len(answers)
            while len(answers) < seen + 10:
                time.sleep(0.05)
        over.set()
        for thread in threads:
            thread.join()
        assert set(answers) == {200}, answers
        with transaction.atomic():
            live.announce(club, "moved", at=timezone.now())
        while b"data:" not in (line := stream.readline()):
            assert line, "the stream ended"
        deployed.stop("streams")  # with its viewer still there
