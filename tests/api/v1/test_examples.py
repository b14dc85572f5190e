"""The examples of docs/api.md on the demo club, in the page's order, each with the status it says."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client

from clubs.members.models import Member
from tests.api.keys import key_of
from tests.plugins.clock import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.only_on("sqlite")]
SERVER = "http://localhost:8000"
BLOCK = re.compile(r"^```(sh|json)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(
    r"""(?:(?P<name>\w+)=\$\()?          # NAME=$(…)
        curl\ (?P<given>.+?)
        (?:\ \|\ jq\ (?P<read>.+?)\))?   # | jq -r .name)
        \s+\#\ (?P<status>\d{3})""",
    re.VERBOSE | re.DOTALL,
)
KEY = re.compile(r'(\w+)="(.*)club_…" *# (\S+@demo\.club), /c/(\w+)/moi/cles/: (.+)')
SELECTED = re.compile(r'(\.\w+)\[\] \| select\((\S+) == "(.+)"\)(\S+)')


@dataclass
class Shell:
    """What the reader's shell holds: variables, the tags that curl saved, the last answer."""

    names: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    answer: Any = None

    def words_of(self, text: str) -> list[str]:
        """Return the words of a command as a shell makes them of its text."""
        script = f"set -- {text}\nprintf '%s\\0' \"$@\""
        told = subprocess.run(["sh", "-c", script], env=self.names, capture_output=True, check=True)
        return told.stdout.decode().split("\0")[:-1]

    def run(self, command: str) -> None:
        """Run a line of the page. Fails where the answer has another status."""
        if key := KEY.fullmatch(command):
            name, head, mail, club, scopes = key.groups()
            member = Member.objects.get(user__email=mail, organisation__slug=club)
            self.names[name] = head + key_of(member, NOW, *scopes.split(", "))
        elif asked := COMMAND.fullmatch(command):
            self.answer = self.curl(self.words_of(asked["given"]))
            said = (self.answer.status_code, command, self.answer.content.decode())
            assert said == (int(asked["status"]), *said[1:])
            if asked["name"]:
                self.names[asked["name"]] = jq(shlex.split(asked["read"]), self.answer.json())
        else:
            name, value = command.split("=", 1)
            (self.names[name],) = self.words_of(value)

    def curl(self, words: list[str]) -> Any:
        """Ask the site what curl would ask with these words."""
        method, body, headers, address = "get", None, {}, ""
        rest = iter(words)
        for word in rest:
            if word == "-H":
                name, value = next(rest).split(": ", 1)
                headers[name] = value
            elif word == "--json":
                method, body = "post", next(rest)
            elif word == "--etag-save":
                kept = next(rest)
            elif word == "--etag-compare":
                headers["If-None-Match"] = self.tags[next(rest)]
            elif word != "-s":
                assert not address and word.startswith(SERVER), word
                address = word.removeprefix(SERVER)
        client = Client(headers={"Host": "localhost:8000", **headers})
        if body is None:
            answer = client.get(address)
        else:
            answer = getattr(client, method)(address, body, content_type="application/json")
        if "--etag-save" in words:
            self.tags[kept] = answer["ETag"]
        return answer


def jq(words: list[str], value: Any) -> str:
    """Return what jq prints of a value: the paths that the page uses, and one choice by name."""
    *options, path = words
    if chosen := SELECTED.fullmatch(path):
        rows, by, name, path = chosen.groups()
        (value,) = [row for row in at(rows, value) if at(by, row) == name]
    found = at(path, value)
    return str(found) if options == ["-r"] else json.dumps(found)


def at(path: str, value: Any) -> Any:
    for name, index in re.findall(r"\.(\w+)|\[(\d+)\]", path):
        value = value[name] if name else value[int(index)]
    return value


def commands(block: str) -> Iterator[str]:
    """Return the commands of a block: a quoted text or a backslash goes on in the next line."""
    command = ""
    for line in block.splitlines():
        command += line
        if line.endswith("\\"):
            command = command[:-1]
        elif command.count("'") % 2:
            command += "\n"
        else:
            if command:
                yield command
            command = ""


def test_every_example_of_the_page_is_answered_as_it_says():
    call_command("seed_demo", evenings=1, competitions=1, verbosity=0)
    shell, page = Shell(), (settings.BASE_DIR / "docs/api.md").read_text("utf-8")
    blocks = BLOCK.findall(page)
    assert "".join(block for _kind, block in blocks).count("curl ") == page.count("curl ")
    for kind, block in blocks:
        if kind == "json":  # what the last command was answered
            assert json.loads(block) == shell.answer.json()
            continue
        for command in commands(block):
            shell.run(command)
