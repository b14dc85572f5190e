"""`python3 run.py` fails in one sentence, and keeps its children alive."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

import run
from config.devtools import commands

ROOT = Path(__file__).resolve().parents[2]


def refused(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "run.py", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    return done.stderr


def is_one_sentence(text: str) -> bool:
    return text.startswith("run.py: ") and text.count("\n") == 1 and "Traceback" not in text


def test_a_command_that_is_none_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["commands", "--help"])
    monkeypatch.setattr(commands, "bench", lambda _arguments: pytest.fail("the benchmarks ran"))
    with pytest.raises(SystemExit, match="No such command: --help"):
        commands.main()


def test_a_busy_port_is_said(tmp_path: Path) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        answer = refused("--port", str(port), "--data", str(tmp_path))
    assert is_one_sentence(answer)
    assert f"Port {port} of 127.0.0.1 cannot be used" in answer
    assert "--port 0" in answer


@pytest.mark.parametrize("port", ["70000", "-1"])
def test_a_port_that_cannot_exist_is_said(port: str, tmp_path: Path) -> None:
    answer = refused("--port", port, "--data", str(tmp_path))
    assert is_one_sentence(answer)
    assert f"Port {port} of 127.0.0.1 cannot be used (a port is at most 65535)" in answer


@pytest.mark.parametrize("folder", ["", ".", ".."])
def test_the_data_are_not_scattered_over_the_program(folder: str) -> None:
    answer = refused("--port", "0", "--data", folder)
    assert is_one_sentence(answer)
    assert "holds the program itself" in answer
    assert not (ROOT / "secret_key").exists()


def test_mails_name_the_address_that_is_served() -> None:
    """The port that was found, and a name that the phones of the room can follow."""
    assert run.addresses("127.0.0.1", 8421) == ["http://localhost:8421/"]
    assert run.addresses("192.168.1.7", 80) == ["http://192.168.1.7:80/"]
    assert run.addresses("fd00::7", 80) == ["http://[fd00::7]:80/"]
    here, *phones = run.addresses("0.0.0.0", 8421)
    assert here == "http://localhost:8421/"
    for address in phones:
        assert address.endswith(":8421/")
        assert "localhost" not in address


def test_the_site_is_told_the_port_that_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: dict[str, str] = {}

    def stop_there(_command: list[Any], _failure: str, **options: Any) -> str:
        told.update(options["env"])
        raise run.Stop("far enough")

    monkeypatch.delenv("SITE_URL", raising=False)
    monkeypatch.setattr(run, "install", lambda *, dev: None)
    monkeypatch.setattr(run, "run", stop_there)
    monkeypatch.setattr(run.signal, "signal", lambda *_arguments: None)
    options = run.argparse.Namespace(host="127.0.0.1", port=0, data=tmp_path)
    with pytest.raises(run.Stop, match="far enough"):
        run.serve(options)
    assert told["SITE_URL"].startswith("http://localhost:")
    assert told["SITE_URL"] != "http://localhost:8000/"


def test_a_data_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    answer = refused("--port", "0", "--data", str(tmp_path / "file" / "data"))
    assert is_one_sentence(answer)
    assert "cannot be written" in answer


def test_a_second_server_on_the_same_data_is_refused(tmp_path: Path) -> None:
    run.prepare(tmp_path)
    with run.alone(tmp_path):
        answer = refused("--port", "0", "--data", str(tmp_path))
    assert is_one_sentence(answer)
    assert "Another run.py" in answer


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        free = 299 * 2**20

    monkeypatch.setattr(run.shutil, "disk_usage", lambda path: Usage)
    with pytest.raises(run.Stop, match="is full: 299 MB are free"):
        run.require_space(tmp_path / "not yet there")


def test_a_python_without_venv_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "VENV", tmp_path / ".venv")
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    with pytest.raises(run.Stop, match="apt install python3-venv"):
        run.make_venv()


def test_a_command_that_fails_for_want_of_space_says_so(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print('No space left on device'); raise SystemExit(1)"]
    with pytest.raises(run.Stop, match="disk is full"):
        run.run(command, "Something failed")


def test_a_long_command_says_its_lines_as_they_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flag = tmp_path / "read"
    code = (
        "import pathlib, time; print('Season 1 of 3', flush=True); end = time.time() + 20\n"
        f"while not pathlib.Path({str(flag)!r}).exists() and time.time() < end: time.sleep(0.01)\n"
        f"print('in time' if pathlib.Path({str(flag)!r}).exists() else 'too late')"
    )
    said: list[str] = []

    def hear(line: str) -> None:
        said.append(line)
        flag.touch()

    monkeypatch.setattr(run, "say", hear)
    printed = run.run([sys.executable, "-c", code], "It failed", aloud=True)
    assert said == ["  Season 1 of 3", "  in time"]
    assert printed == "Season 1 of 3\nin time"


def test_a_child_that_dies_is_started_again_later_each_time(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "raise SystemExit(3)"]
    child = run.Child("worker", command, dict(os.environ), tmp_path / "log", pause=0.05)
    pauses = []
    deadline = time.monotonic() + 60
    while child.deaths < 3 and time.monotonic() < deadline:
        before, now = child.deaths, time.monotonic()
        child.look_after()
        if child.deaths > before:
            pauses.append(child.due - now)
        time.sleep(0.01)
    assert child.deaths == 3
    for pause, least in zip(pauses, (0.05, 0.1, 0.2), strict=True):
        assert pause >= least


def test_a_child_that_will_not_leave_is_made_to(tmp_path: Path) -> None:
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True); time.sleep(60)"
    child = run.Child("web", [sys.executable, "-c", code], dict(os.environ), tmp_path / "log")
    child.start(stdout=subprocess.PIPE)
    assert child.process is not None and child.process.stdout is not None
    child.process.stdout.readline()
    child.stop(patience=0.2)
    assert child.process.returncode == -signal.SIGKILL
    child.process.stdout.close()


@pytest.mark.skipif(sys.platform != "linux", reason="sockets and wheels as on Linux")
@pytest.mark.parametrize("name", ["data", "un dossier é 100%"])
def test_the_embedded_broker_answers_its_owner_only(tmp_path: Path, name: str) -> None:
    data = tmp_path / name
    command = [sys.executable, "-m", "config.server.embedded_valkey", str(data / "run")]
    (data / "log").mkdir(parents=True)
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as broker:
        try:
            assert broker.stdout is not None
            url = broker.stdout.readline().strip()
            assert run.accepts(url)
            if url.startswith("unix://"):
                path = Path(unquote(url.removeprefix("unix://")))
                assert path.stat().st_mode & 0o077 == 0
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(str(path))
                    client.sendall(b"PING\r\n")
                    assert client.recv(16) == b"+PONG\r\n"
        finally:
            broker.terminate()


def test_a_whole_run_leaves_out_nothing_but_the_second_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_out: dict[str, list[str]] = {}

    def note(command: list[str], *, env: dict[str, str], **_options: Any) -> Any:
        left_out[env["TEST_DATABASE"]] = [word for word in command if word.startswith("--ignore=")]
        return subprocess.CompletedProcess(command, 0, "")

    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(subprocess, "run", note)
    assert commands.test([]) == 1  # nothing passed, as nothing ran
    assert left_out == {"sqlite": [], "postgres": ["--ignore=tests/browser"]}
