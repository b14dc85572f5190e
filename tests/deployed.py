"""The processes of `deploy/` on free ports of this machine, behind its proxy with TLS.

Give `deployed` to a test that needs the site as strangers run it: it has the test's own database.
"""

from __future__ import annotations

import http.client
import os
import re
import shutil
import socket
import ssl
import string
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.plugins.postgres import free_port

DEPLOY = Path(__file__).resolve().parents[1] / "deploy"


def _read_processes() -> dict[str, tuple[str, ...]]:
    """Return what club.target starts: the words after `deploy/process` of each unit, by a short name."""
    units = re.search(r"^Wants=(.+)$", (DEPLOY / "systemd/club.target").read_text(), re.MULTILINE)
    processes: dict[str, tuple[str, ...]] = {}
    for unit in units[1].split() if units else ():
        kind, at, instance = unit.removesuffix(".service").partition("@")
        text = (DEPLOY / f"systemd/{kind}{at}.service").read_text()
        line = re.search(r"^ExecStart=\S+/deploy/process (.+)$", text, re.MULTILINE)
        assert line, unit
        words = tuple(line[1].replace("%i", instance).split())
        number = 1 + sum(other[0] == "web" for other in processes.values())
        name = f"web-{number}" if words[0] == "web" else instance or words[0]
        processes[name] = words
    return processes


def _example() -> dict[str, str]:
    """Return the settings of club.env.example that are not commented out."""
    return dict(
        re.findall(r"^(\w+)=(.*)$", (DEPLOY / "club.env.example").read_text(), re.MULTILINE)
    )


PROCESSES = _read_processes()
TOKEN = "x" * 32
needs_a_proxy = pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not on this machine")


class Deployed:
    """The processes, each by its name, and the port of the proxy."""

    def __init__(self, folder: Path, *, database: str, redis: str, secret_key: str) -> None:
        self.folder = folder
        named = ("web-1", "web-2", "streams", "metrics", "proxy")
        self.ports = {name: free_port() for name in named}
        self.address = f"https://localhost:{self.ports['proxy']}"
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.slowest_start_s = 0.0
        self.told = {
            **os.environ,
            **_example(),
            "SECRET_KEY": secret_key,
            "ALLOWED_HOSTS": "localhost",
            "SITE_URL": self.address,
            "DATABASE_URL": database,
            "REDIS_URL": redis,
            "DATA_DIR": str(folder / "data"),
            "STATIC_ROOT": str(folder / "static"),
            "MEDIA_ROOT": str(folder / "media"),
            "EMAIL_URL": "smtp://localhost",
            "METRICS_PORT": str(self.ports["metrics"]),
            "VENV": sys.prefix,
        }

    @classmethod
    def of_the_test(cls, folder: Path) -> Deployed:
        """Return a site on the test's own database and cache, nothing started yet."""
        from django.conf import settings
        from django.db import connection

        server = connection.settings_dict
        database = (
            f"postgresql://{server['USER']}@{server['HOST']}:{server['PORT']}/{server['NAME']}"
        )
        return cls(
            folder, database=database, redis=settings.REDIS_URL, secret_key=settings.SECRET_KEY
        )

    @contextmanager
    def up(self) -> Iterator[Deployed]:
        """Inside, everything runs."""
        try:
            self.manage("prepare")
            for name in PROCESSES:
                self.start(name)
            self.proxy()
            yield self
        finally:
            for child in self.running.values():
                child.terminate()
            for name in list(self.running):
                self.stop(name)

    def manage(self, *arguments: str) -> str:
        command = [DEPLOY / "process", *arguments]
        done = subprocess.run(command, env=self.told, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, name: str) -> None:
        begun = time.monotonic()
        told = self.told | {"PGAPPNAME": name}  # what PostgreSQL calls its connections
        if name in self.ports:
            told["BIND"] = f"127.0.0.1:{self.ports[name]}"
        with (self.folder / f"{name}.log").open("ab") as log:
            command = [DEPLOY / "process", *PROCESSES[name]]
            self.running[name] = subprocess.Popen(command, env=told, stdout=log, stderr=log)
        if name in self.ports:
            self.wait(name)
            self.slowest_start_s = max(self.slowest_start_s, time.monotonic() - begun)

    def stop(self, name: str) -> float:
        """Send SIGTERM; return the seconds until it is gone. One that stays fails the test."""
        child, begun = self.running.pop(name), time.monotonic()
        child.terminate()
        try:
            child.wait(60)
        finally:
            child.kill()
        return time.monotonic() - begun

    def wait(self, name: str) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.running[name].poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.ports[name])) == 0:
                    return
            time.sleep(0.05)
        logs = "\n".join(path.read_text()[-2000:] for path in self.folder.glob("*.log"))
        raise AssertionError(f"{name} does not listen:\n{logs}")

    def proxy(self) -> None:
        (self.folder / "tls").mkdir()
        made = [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-subj",
            "/CN=localhost",
        ]
        made += ["-keyout", "tls/privkey.pem", "-out", "tls/fullchain.pem", "-days", "2"]
        subprocess.run(made, cwd=self.folder, check=True, capture_output=True)
        self.trusting = ssl.create_default_context(cafile=str(self.folder / "tls/fullchain.pem"))
        site = string.Template((DEPLOY / "nginx/club.conf.template").read_text()).safe_substitute(
            DOMAIN="localhost",
            PORT=str(self.ports["proxy"]),
            WEB=f"127.0.0.1:{self.ports['web-1']}",
            WEB_TOO=f"127.0.0.1:{self.ports['web-2']}",
            STREAMS=f"127.0.0.1:{self.ports['streams']}",
            STATIC=str(self.folder / "static"),
            MEDIA=str(self.folder / "media"),
            TLS=str(self.folder / "tls"),
        )
        assert "${" not in site, "a name that this does not fill in"
        site = site.replace("/var/log/nginx", str(self.folder))
        if not Path("/proc/net/if_inet6").exists():
            site = re.sub(r"^.*listen \[::\].*$", "", site, flags=re.MULTILINE)
        (self.folder / "site.conf").write_text(site)
        limits = (DEPLOY / "nginx/connections.sh").read_text()
        files, lines = (
            re.search(rf"{name} \d+;", limits)[0]  # type: ignore[index]
            for name in ("worker_rlimit_nofile", "worker_connections")
        )
        # Started by root, it would read static files as somebody who may not enter this folder.
        reader = "user root;" if os.geteuid() == 0 else ""
        (self.folder / "nginx.conf").write_text(
            f"{reader} daemon off; pid {self.folder}/pid; error_log {self.folder}/proxy.log;"
            f"{files} events {{ {lines} }}"
            "http { include /etc/nginx/mime.types; access_log off;"
            f" client_body_temp_path {self.folder}/body; proxy_temp_path {self.folder}/temp;"
            f" include {self.folder}/site.conf; }}"
        )
        log = self.folder / "proxy.log"
        command = ["nginx", "-c", str(self.folder / "nginx.conf"), "-e", str(log)]
        self.running["proxy"] = subprocess.Popen(command)
        self.wait("proxy")

    @contextmanager
    def asked(
        self,
        path: str,
        *,
        session: str = "",
        given: Mapping[str, object] | None = None,
        after: str = "",
    ) -> Iterator[http.client.HTTPResponse]:
        """Ask as a phone does: `given` is a form that is sent, `after` the last event it heard."""
        client = http.client.HTTPSConnection(
            "localhost", self.ports["proxy"], timeout=60, context=self.trusting
        )
        told = {"Accept-Language": "fr", "Cookie": f"sessionid={session}; csrftoken={TOKEN}"}
        if after:
            told["Last-Event-ID"] = after
        try:
            if given is None:
                client.request("GET", path, headers=told)
            else:
                told |= {
                    "Origin": self.address,
                    "Content-Type": "application/x-www-form-urlencoded",
                }
                body = urlencode({**given, "csrfmiddlewaretoken": TOKEN})
                client.request("POST", path, body, told)
            yield client.getresponse()
        finally:
            client.close()

    def metrics(self) -> str:
        address = f"http://127.0.0.1:{self.ports['metrics']}/metrics"
        with urllib.request.urlopen(address, timeout=60) as answer:
            return str(answer.read().decode())

    def status(
        self, path: str, *, session: str = "", given: Mapping[str, object] | None = None
    ) -> int:
        with self.asked(path, session=session, given=given) as answer:
            answer.read()
            return answer.status


def session_of(user: Any) -> str:
    """Return the cookie of somebody who has signed in."""
    from django.test import Client

    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


@pytest.fixture
def deployed(transactional_db: None, tmp_path: Path) -> Iterator[Deployed]:
    with Deployed.of_the_test(tmp_path).up() as site:
        yield site
