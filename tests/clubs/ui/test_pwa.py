"""The service worker's script and whose pages it may keep."""

from __future__ import annotations

import json
import os
import re
from datetime import timedelta

import pytest
import time_machine
from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import HttpResponse

from clubs.accounts.device import device_links, remember_device
from clubs.ui import pwa

pytestmark = pytest.mark.django_db
KEPT = ("/ma-soiree/", "/ma-soiree/carte/", "/moi/carte/")


def told(answer) -> dict:
    found = re.match(r"const TOLD = (\{.*\});\n", answer.content.decode())
    assert found is not None
    return json.loads(found[1])


@pytest.fixture
def root(club, neighbours) -> str:
    return f"/c/{club.organisation.slug}"


def test_each_club_has_a_worker_for_its_own_pages(root, as_user):
    answer = as_user(None).get(f"{root}/sw.js")
    assert answer["Content-Type"].startswith("text/javascript")
    assert "no-store" in answer["Cache-Control"]
    assert "default-src 'self'" in answer["Content-Security-Policy"]
    found = told(answer)
    assert (found["evening"], found["card"]) == (f"{root}/ma-soiree/", f"{root}/moi/carte/")
    assert told(as_user(None).get("/c/voisins/sw.js"))["evening"] == "/c/voisins/ma-soiree/"


def test_a_phone_that_checks_in_again_is_of_the_same_reader(club, other_club, rf):
    """Else what was typed on it before, without a network, would be kept as another reader's."""
    guest, elsewhere = club.join("Ada"), other_club.join("Ada")
    seen = []
    for hours, links in enumerate(([guest, elsewhere], [elsewhere, guest], [elsewhere], [])):
        with time_machine.travel(club.at + timedelta(hours=hours), tick=False):
            request, answer = rf.get("/"), HttpResponse()
            for member in reversed(links):
                remember_device(answer, member, beside=device_links(request))
                request.COOKIES["device"] = answer.cookies["device"].value
            seen.append(pwa.reader_of(request))
    assert seen[0] == seen[1] and len(set(seen)) == 3 and seen[3] == ""
    request.COOKIES["device"] = "1.0:forged:seal"
    assert pwa.reader_of(request) == ""


def test_the_worker_runs_the_code_and_keeps_files_that_exist(root, as_user):
    answer = as_user(None).get(f"{root}/sw.js")
    assert finders.find("js/sw.js") and 'addEventListener("fetch"' in answer.content.decode()
    files = told(answer)["files"]
    assert f"{settings.STATIC_URL}css/tokens.css" in files and len(files) > 12
    missing = [url for url in files if not finders.find(url.removeprefix(settings.STATIC_URL))]
    assert missing == []


def test_the_version_moves_with_a_file_and_only_then(tmp_path, monkeypatch):
    monkeypatch.setattr(pwa, "SOURCE", tmp_path)
    for name in pwa.KEPT_FONTS + ("css/a.css",):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("one")
        os.utime(path, (1000, 1000))
    first = pwa.version()
    assert pwa.version() == first
    (tmp_path / "css/a.css").write_text("two")
    os.utime(tmp_path / "css/a.css", (2000, 2000))
    assert pwa.version() != first


def test_a_manifest_names_the_version(monkeypatch):
    class Storage:
        manifest_hash = "abc123"

    monkeypatch.setattr(pwa, "staticfiles_storage", Storage())
    assert pwa.version() == "abc123"


def test_a_kept_page_names_its_reader_and_no_other_page_does(club, root, as_user):
    one, other = club.members[:2]
    first, second, visitor = as_user(one.user), as_user(other.user), as_user(None)
    readers = {first.get(f"{root}{path}")["X-Reader"] for path in KEPT}
    assert len(readers) == 1 and readers != {""}
    assert second.get(f"{root}/ma-soiree/")["X-Reader"] not in readers
    assert visitor.get(f"{root}/ma-soiree/")["X-Reader"] == ""
    assert "X-Reader" not in first.get(f"{root}/classement/")
    assert str(one.pk) not in readers and one.user.email not in readers


def test_the_reader_is_written_in_every_page_so_that_another_ones_are_forgotten(
    club, root, as_user
):
    client = as_user(club.members[0].user)
    reader = client.get(f"{root}/ma-soiree/")["X-Reader"]
    for path in ("/ma-soiree/", "/classement/", "/compte/logout/"):
        assert f'data-reader="{reader}"' in client.get(f"{root}{path}").content.decode()
    assert 'data-reader=""' in as_user(None).get(f"{root}/classement/").content.decode()


def test_a_phone_remembered_at_the_door_is_a_reader_of_its_own(club, root, as_user):
    phones = as_user(None), as_user(None)
    readers = set()
    for phone, member in zip(phones, club.members, strict=False):
        at_the_door = HttpResponse()
        remember_device(at_the_door, member)
        phone.cookies["device"] = at_the_door.cookies["device"].value
        readers.add(phone.get(f"{root}/ma-soiree/")["X-Reader"])
    assert len(readers) == 2 and "" not in readers


def test_the_offline_page_is_honest_and_names_nobody(club, root, as_user):
    page = as_user(club.members[0].user).get(f"{root}/hors-ligne/")
    text = page.content.decode()
    assert page.status_code == 200 and "Pas de réseau" in text
    assert club.members[0].first_name not in text
