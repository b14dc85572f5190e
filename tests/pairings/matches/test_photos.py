"""The photo of a score sheet: who may read it, sent by the site itself or by its proxy."""

from __future__ import annotations

import errno
import http.client
import io
import os
import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from PIL import ExifTags, Image, ImageFile

from pairings.absences import tasks
from pairings.matches import actions as match_actions
from pairings.matches import photos
from pairings.matches.models import Match
from tests.clubhouse import Clubhouse, make_club
from tests.deployed import DEPLOY, Deployed, needs_a_proxy, session_of
from tests.refusals import refused

BY_THE_WAY = {"connection", "content-length", "date", "server", "transfer-encoding"}
"""Headers of a connection, which each server on the way writes."""


def photographed(club: Clubhouse) -> tuple[Match, str]:
    """Return a match whose first player has sent a photo, and the name of its file."""
    picture = io.BytesIO()
    Image.new("RGB", (40, 30), "red").save(picture, "JPEG")
    name = photos.keep(SimpleUploadedFile("sheet.jpg", picture.getvalue()))
    match, (first, _second) = club.match()
    match_actions.submit(match=match, by=first, scores=(400, 350), at=club.at, photo=name)
    return match, name


def address(match: Match) -> str:
    numbers = {"match_id": match.pk, "submission_id": match.submissions.get().pk}
    return reverse("pairings:photo", kwargs=numbers)


@pytest.fixture
def media(settings, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    return Path(settings.MEDIA_ROOT)


@pytest.mark.parametrize("by_proxy", [False, True])
def test_the_two_players_and_the_arbiters_read_a_photo(club, as_user, media, settings, by_proxy):
    settings.MEDIA_BY_PROXY = by_proxy
    match, name = photographed(club)
    first, second, stranger = match.first, match.second, club.members[2]
    assert stranger not in (first, second)
    for user in (first.user, second.user, club.arbiter.user):
        answer = as_user(user).get(address(match))
        assert (answer.status_code, answer["Content-Type"]) == (200, "image/jpeg")
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Disposition"] == 'inline; filename="feuille.jpg"'
        content = b"" if by_proxy else (media / "sheets" / name).read_bytes()
        assert b"".join(answer) == content
        assert answer.headers.get("X-Accel-Redirect") == (
            photos.BY_PROXY + name if by_proxy else None
        )
    for user in (stranger.user, None):
        answer = as_user(user).get(address(match))
        assert answer.status_code in (302, 404) and "X-Accel-Redirect" not in answer.headers


def test_who_is_to_confirm_a_result_is_led_to_its_sheet(club, as_user, media):
    match, _name = photographed(club)
    bare, (_one, other) = club.entered()
    with time_machine.travel(club.at, tick=False):
        for row, user, is_led in ((match, match.second.user, True), (bare, other.user, False)):
            page = as_user(user).get(reverse("pairings:result_confirm", args=[row.pk]))
            assert ("Voir la photo" in page.content.decode()) is is_led
            assert (f'href="{address(row)}"' in page.content.decode()) is is_led


def upload(kind: str = "PNG", **how: Any) -> SimpleUploadedFile:
    picture = io.BytesIO()
    Image.new("RGB", (40, 30), "red").save(picture, kind, **how)
    return SimpleUploadedFile("feuille", picture.getvalue())


@pytest.mark.parametrize(("size", "side"), [(1599, 1599), (1600, 1600), (1601, 1600)])
def test_a_photo_has_at_most_1600_pixels_a_side(media, size, side):
    picture = io.BytesIO()
    Image.new("L", (30, size)).save(picture, "PNG")
    name = photos.keep(SimpleUploadedFile("sheet.png", picture.getvalue()))
    with Image.open(media / "sheets" / name) as small:
        assert small.height == side


@pytest.mark.parametrize(("most", "is_kept"), [(1199, False), (1200, True), (1201, True)])
@pytest.mark.parametrize(
    ("bound", "kind", "how"),
    [
        ("MAX_PIXELS", "JPEG", {}),
        ("MAX_PIXELS", "MPO", {"save_all": True, "append_images": [Image.new("RGB", (4, 3))]}),
        ("MAX_WHOLE", "JPEG", {"progressive": True}),
        ("MAX_WHOLE", "PNG", {}),
        ("MAX_WHOLE", "WEBP", {}),
    ],
)
def test_a_picture_of_too_many_pixels_is_not_read(
    media, monkeypatch, bound, kind, how, most, is_kept
):
    """A WebP of 109 KB and 60 million pixels took 1.1 GB: what is decoded whole has fewer of them."""
    monkeypatch.setattr(photos, bound, most)
    sent = upload(kind, **how)
    if is_kept:
        assert photos.keep(sent) in stored(media)
        return
    monkeypatch.setattr(ImageFile.ImageFile, "load", None)
    with refused("too_many_pixels"):
        photos.keep(sent)
    assert stored(media) == set()


def jpeg(side: int, kind: int, layers: int, scans: int) -> bytes:
    """Return a picture in which each scan has one component, and nothing where it is progressive."""

    def segment(marker: int, body: bytes) -> bytes:
        return bytes([0xFF, marker]) + struct.pack(">H", 2 + len(body)) + body

    blocks = (side // 8) ** 2
    components = b"".join(bytes([1 + layer, 0x11, 0]) for layer in range(layers))
    content = b"\xff\xd8" + segment(0xDB, bytes([0, *[1] * 64]))
    content += segment(kind, struct.pack(">BHHB", 8, side, side, layers) + components)
    of_one_bit = bytes([1, *[0] * 15])
    last = 63 if kind == 0xC0 else 0
    content += segment(0xC4, b"\x00" + of_one_bit + b"\x00")
    content += segment(0xC4, b"\x10" + of_one_bit + (b"\x00" if last else b"\xe0"))
    for layer in range(layers):
        content += segment(0xDA, bytes([1, 1 + layer, 0, 0, last, 0])) + bytes(blocks // 4 + 1)
    nothing = segment(0xDA, bytes([1, 1, 0, 1, 63, 0])) + b"\x3f\x00"
    return content + nothing * (scans - layers) + b"\xff\xd9"


@pytest.mark.parametrize(("scans", "is_kept"), [(99, True), (100, True), (101, False)])
def test_a_photo_of_many_scans_is_not_read(media, scans, is_kept):
    """Each goes over the whole picture: 1 MB of them took minutes."""
    sent = SimpleUploadedFile("p", jpeg(side=64, kind=0xC2, layers=1, scans=scans))
    if is_kept:
        assert photos.keep(sent) in stored(media)
        return
    with refused("too_many_pixels"):
        photos.keep(sent)


@pytest.mark.parametrize(("layers", "is_kept"), [(1, True), (3, False)])
def test_a_photo_whose_colours_come_one_after_the_other_has_fewer_pixels(
    media, monkeypatch, layers, is_kept
):
    """It is decoded whole: 700 kB and 60 million pixels took 400 MB."""
    monkeypatch.setattr(photos, "MAX_WHOLE", 64 * 64 - 1)
    sent = SimpleUploadedFile("p", jpeg(side=64, kind=0xC0, layers=layers, scans=layers))
    if is_kept:
        assert photos.keep(sent) in stored(media)
        return
    with refused("too_many_pixels"):
        photos.keep(sent)


@pytest.mark.parametrize("marker", [b"\xff\xdb", b"\xff\xda"], ids=["a table", "the scan"])
def test_a_photo_may_have_filling_before_a_marker(media, monkeypatch, marker):
    monkeypatch.setattr(photos, "MAX_WHOLE", 0)
    content = jpeg(side=64, kind=0xC0, layers=1, scans=1)
    filled = content.replace(marker, b"\xff\xff" + marker, 1)
    assert photos.keep(SimpleUploadedFile("p", filled)) in stored(media)


def test_a_large_photo_is_decoded_small_and_stands_upright(media, monkeypatch):
    monkeypatch.setattr(photos, "SIDE", 160)
    monkeypatch.setattr(photos, "MAX_WHOLE", 0)
    picture, decoded = io.BytesIO(), []
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    Image.new("RGB", (650, 640)).save(picture, "JPEG", exif=exif)
    load = ImageFile.ImageFile.load
    monkeypatch.setattr(
        ImageFile.ImageFile, "load", lambda image: decoded.append(image.size) or load(image)
    )
    name = photos.keep(SimpleUploadedFile("sheet.jpg", picture.getvalue()))
    with Image.open(media / "sheets" / name) as small:
        assert small.size == (158, 160)
    assert max(decoded) == (325, 320)


def test_a_photo_keeps_nothing_that_a_phone_wrote_beside_the_picture(media):
    picture, where = io.BytesIO(), "45.7640N, 4.8357E"
    exif = Image.Exif()
    exif[ExifTags.Base.ImageDescription] = where
    beside = {name: where.encode() for name in ("comment", "xmp", "icc_profile")}
    Image.new("RGB", (40, 30)).save(picture, "JPEG", exif=exif, **beside)
    assert picture.getvalue().count(where.encode()) == 4
    name = photos.keep(SimpleUploadedFile("sheet.jpg", picture.getvalue()))
    assert where.encode() not in (media / "sheets" / name).read_bytes()


def test_a_picture_that_pillow_takes_for_a_bomb_is_refused_as_any_other(media, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    with refused("not_a_photo"):
        photos.keep(upload())


def test_a_photo_that_finds_no_room_leaves_no_half_of_a_file(media, monkeypatch):
    def save(_picture, path, *_format, **_more):
        path.write_bytes(b"half")
        raise OSError(errno.ENOSPC, "no space left")

    content = upload()
    monkeypatch.setattr(Image.Image, "save", save)
    with refused("no_room"):
        photos.keep(content)
    assert stored(media) == set()


def stored(media: Path) -> set[str]:
    return {path.name for path in (media / "sheets").glob("*")}


def test_a_photo_of_a_refused_result_is_not_kept(club, as_user, media):
    match, (first, _second) = club.match()
    phone = as_user(first.user)
    address = reverse("pairings:result_enter", kwargs={"match_id": match.pk})
    given = {"mine": "400", "theirs": "350", "key": "one"}
    with time_machine.travel(club.at, tick=False):
        assert phone.post(address, {**given, "photo": upload()}).status_code == 302
        kept = {match.submissions.get().photo}
        # The same act again, and another act by its key.
        assert phone.post(address, {**given, "photo": upload()}).status_code == 302
        assert phone.post(address, {**given, "mine": "390", "photo": upload()}).status_code == 422
    assert stored(media) == kept


def test_a_photo_of_a_refused_contest_is_not_kept(club, as_user, media):
    match, (_first, second) = club.entered()
    version = Match.objects.get(pk=match.pk).version
    address = reverse("pairings:result_dispute", kwargs={"match_id": match.pk})
    given = {"subject": "score", "words": "faux", "mine": "351", "theirs": "400"}
    phone = as_user(second.user)
    with time_machine.travel(club.at, tick=False):
        for stale in range(3):
            body = {**given, "version": version + 1 + stale, "photo": upload()}
            assert phone.post(address, body).status_code == 422
        assert stored(media) == set()
        answer = phone.post(address, {**given, "version": version, "photo": upload()})
    assert answer.status_code == 302
    assert stored(media) == {match.contests.get().photo}


def test_a_photo_of_an_act_that_fails_is_not_kept(club, as_user, media, monkeypatch):
    match, (first, _second) = club.match()

    def fails(**_named):
        raise ValueError("a mistake of ours")

    monkeypatch.setattr(match_actions, "enter_score", fails)
    address = reverse("pairings:result_enter", kwargs={"match_id": match.pk})
    with time_machine.travel(club.at, tick=False), pytest.raises(ValueError, match="mistake"):
        as_user(first.user).post(address, {"mine": "400", "theirs": "350", "photo": upload()})
    assert stored(media) == set()


@pytest.mark.parametrize(("age_s", "gone"), [(86_399, 0), (86_400, 0), (86_401, 1)])
def test_a_file_that_no_row_names_is_deleted_after_a_day(club, media, age_s, gone):
    _match, named = photographed(club)
    unnamed = photos.keep(upload())
    other = media / "sheets" / "notes.jpg"
    other.write_bytes(b"not of the site")
    at = datetime.fromtimestamp(1_800_000_000, UTC)
    for path in (media / "sheets").glob("*"):
        os.utime(path, (at.timestamp() - age_s,) * 2)
    assert photos.delete_unnamed(at=at) == gone
    assert stored(media) == {named, other.name} | ({unnamed} if not gone else set())


def test_the_daily_task_deletes_files_that_no_row_names(club, media):
    _match, named = photographed(club)
    unnamed = media / "sheets" / photos.keep(upload())
    os.utime(unnamed, (1_000_000_000,) * 2)
    tasks.daily()
    assert stored(media) == {named}


@pytest.mark.parametrize("name", ["", "notes.jpg", "../" + "a" * 29 + ".jpg", "g" * 32 + ".jpg"])
def test_a_name_that_the_site_did_not_generate_leads_to_no_file(media, name):
    """As an archive from elsewhere may bring."""
    kept = photos.keep(upload())
    (media / "sheets" / (name or "x")).write_bytes(b"not of the site")
    assert photos.path_of(name) is None
    assert photos.path_of(kept) == media / "sheets" / kept


@pytest.mark.parametrize("umask", [0o022, 0o027])
def test_the_account_of_the_proxy_reads_photos_through_the_group_of_their_folder(
    club, media, umask
):
    """As systemd.md makes that folder; as root with a group that is not the site's own."""
    group = os.getegid() + 1 if os.geteuid() == 0 else os.getegid()
    media.mkdir()
    os.chown(media, -1, group)
    media.chmod(0o2750)
    before = os.umask(umask)
    try:
        _match, name = photographed(club)
    finally:
        os.umask(before)
    for path, needed in ((media / "sheets", 0o050), (media / "sheets" / name, 0o040)):
        assert path.stat().st_gid == group and path.stat().st_mode & needed == needed
    assert "install -d -m 2750 -o club -g www-data" in (DEPLOY / "systemd.md").read_text()


def test_the_proxy_has_the_photos_where_the_site_says_and_answers_nobody_else_there():
    site = (DEPLOY / "nginx/club.conf.template").read_text()
    location = re.search(rf"location \^~ {photos.BY_PROXY} {{\n(.*?)\n    }}", site, re.DOTALL)
    assert location and re.findall(r"internal;|alias .*;", location[1]) == [
        "internal;",
        "alias ${MEDIA}/sheets/;",
    ]


@pytest.fixture
def behind_the_proxy(transactional_db: None, tmp_path: Path, media: Path) -> Iterator[Deployed]:
    """One process for pages behind the proxy: it passes over the other, which is away."""
    site = Deployed.of_the_test(tmp_path)
    try:
        site.manage("prepare")
        site.start("web-1")
        site.proxy()
        yield site
    finally:
        for name in list(site.running):
            site.stop(name)


def asked(site: Deployed, path: str, session: str) -> tuple[int, http.client.HTTPMessage, bytes]:
    with site.asked(path, session=session) as answer:
        return answer.status, answer.headers, answer.read()


def from_the_site(site: Deployed, path: str, session: str) -> dict[str, str]:
    """Return the headers of a page that the proxy has not seen."""
    page = http.client.HTTPConnection("127.0.0.1", site.ports["web-1"], timeout=60)
    told = {"Host": "localhost", "X-Forwarded-Proto": "https", "Accept-Language": "fr"}
    try:
        page.request("GET", path, headers=told | {"Cookie": f"sessionid={session}"})
        return lower(page.getresponse().headers)
    finally:
        page.close()


def lower(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


@pytest.mark.real_clock
@pytest.mark.only_on("postgres")
@needs_a_proxy
def test_the_proxy_sends_a_photo_to_those_alone_who_may_read_it(behind_the_proxy, media):
    site, club = behind_the_proxy, make_club("faizers", size=4)
    match, name = photographed(club)
    path = f"/c/faizers/matchs/{match.pk}/photo/{match.submissions.get().pk}/"
    content = (media / "sheets" / name).read_bytes()
    (media / "editions").mkdir()
    (media / "editions" / name).write_bytes(content)
    stranger = next(one for one in club.members if one not in (match.first, match.second))
    sessions = {who: session_of(who.user) for who in (match.first, club.arbiter, stranger)}

    for who in (match.first, club.arbiter):
        status, headers, body = asked(site, path, sessions[who])
        assert (status, body) == (200, content)
        told, own = lower(headers), from_the_site(site, path, sessions[who])
        assert own.pop("x-accel-redirect") == photos.BY_PROXY + name
        number = own.pop("x-request-id")
        assert re.fullmatch("[0-9a-f]{32}", told.pop("x-request-id")) and number
        assert told.pop("accept-ranges") == "bytes"
        assert told.pop("expires") and own.pop("expires")  # the second of each answer
        assert {k: v for k, v in told.items() if k not in BY_THE_WAY} == {
            k: v for k, v in own.items() if k not in BY_THE_WAY
        }
        assert {"content-security-policy", "strict-transport-security", "vary"} <= set(told)

    refused = [(path, sessions[stranger], 404), (path, "", 302)]
    guesses = [name, f"../sheets/{name}", f"../editions/{name}", f"..%2feditions/{name}", ""]
    refused += [(photos.BY_PROXY + guess, sessions[match.first], 404) for guess in guesses]
    refused += [(f"/media/editions/{name}", sessions[match.first], 404)]
    for guess, session, expected in refused:
        status, _headers, body = asked(site, guess, session)
        assert (status, body.startswith(content[:4])) == (expected, False), guess


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\0\0\0\x18ftypheic" + bytes(20), "au format HEIC"),
        (b"\0\0\0\x18ftypisom" + bytes(20), "JPEG, PNG ou WebP"),  # a film
        (b"GIF89a", "JPEG, PNG ou WebP"),
    ],
)
def test_a_file_that_is_no_photo_is_refused_with_its_format(club, as_user, media, content, words):
    match, (first, _second) = club.match()
    address = reverse("pairings:result_enter", kwargs={"match_id": match.pk})
    given = {"mine": "400", "theirs": "350", "photo": SimpleUploadedFile("p.jpg", content)}
    page = as_user(first.user).post(address, given)
    assert page.status_code == 422 and words in page.content.decode()
    assert 'value="400"' in page.content.decode() and not stored(media)
