"""Large bodies and addresses with NUL are refused at once; a photo keeps nothing of its camera."""

from __future__ import annotations

import io

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import RequestFactory
from PIL import Image, PngImagePlugin

from config.middleware import RequestSizeMiddleware
from pairings.matches import photos

pytestmark = pytest.mark.django_db
MB = 1024 * 1024


class Unread:
    """A body that nobody may read."""

    def read(self, *_size):
        raise AssertionError("the body was read")

    readline = read


def send(client, length):
    return client.generic(
        "POST",
        "/c/faizers/gestion/import/",
        b"",
        content_type="multipart/form-data; boundary=x",
        CONTENT_LENGTH=str(length),
        **{"wsgi.input": Unread()},
    )


@pytest.mark.parametrize(
    ("signed_in", "most"),
    [(False, settings.LARGEST_BODY), (True, settings.LARGEST_BODY_SIGNED_IN)],
)
def test_a_body_is_refused_before_it_is_read(club, as_user, signed_in, most):
    client = as_user(club.members[0].user if signed_in else None)
    answer = send(client, most + 1)
    assert answer.status_code == 413
    assert f"{most // MB} Mo" in answer.content.decode().replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("account", "device", "words"),
    [("ro", "", "Trimiterea este prea mare"), ("ro", "en", "This upload is too large")],
)
def test_who_sends_too_much_reads_it_in_their_language(club, as_user, account, device, words):
    """Of the device, or the account, before that of the browser; with the number of the request."""
    user = club.members[0].user
    user.language = account
    user.save()
    client = as_user(user)
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = device
    if not device:
        del client.cookies[settings.LANGUAGE_COOKIE_NAME]
    answer = send(client, settings.LARGEST_BODY_SIGNED_IN + 1)
    page = answer.content.decode()
    assert words in page and f'lang="{answer["Content-Language"]}"' in page
    assert answer["X-Request-ID"] in page


@pytest.mark.parametrize(("length", "passes"), [(MB - 1, True), (MB, True), (MB + 1, False)])
def test_the_limit_of_a_visitor_is_one_megabyte(length, passes):
    request = RequestFactory().get("/")
    request.META["CONTENT_LENGTH"] = str(length)
    request.user = type("Visitor", (), {"is_authenticated": False})()
    answer = RequestSizeMiddleware(lambda _request: None)(request)
    assert (answer is None) == passes


def test_a_length_that_is_no_number_is_a_bad_request(client):
    assert send(client, "²").status_code == 400


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_photo_keeps_no_comment_and_no_metadata(kind, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    exif = Image.Exif()
    exif[0x010E] = "canary description"
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", "canary text")
    out = io.BytesIO()
    extra = {"PNG": {"pnginfo": text}, "JPEG": {"comment": b"canary comment"}, "WEBP": {}}[kind]
    Image.new("RGB", (40, 30), "red").save(
        out, kind, exif=exif, xmp=b"canary xmp", icc_profile=b"canary profile", **extra
    )
    assert b"canary" in out.getvalue()
    name = photos.keep(SimpleUploadedFile("p", out.getvalue()))
    kept = (tmp_path / "sheets" / name).read_bytes()
    assert b"canary" not in kept
    with Image.open(io.BytesIO(kept)) as picture:
        assert set(picture.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


@pytest.mark.parametrize(
    "path",
    [
        "/c/faizers/gestion/journal/?verbe=%00",
        "/c/faizers/joueurs/?q=a%00b",
        "/c/faizers/tournois/%00/",
        "/c/%00/",
        "/c/faizers/api/v1/editions?list=%00",
    ],
)
def test_an_address_that_no_text_of_the_database_can_hold_is_a_bad_request(club, as_user, path):
    assert as_user(club.committee.user).get(path).status_code == 400


def test_a_percent_sign_before_two_zeros_is_text(club, client):
    assert client.get("/joueurs/?q=%2500").status_code == 200


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_session_that_no_text_of_the_database_can_hold_is_none(club, client, method):
    """In quotes a cookie may hold any character, written in octal digits."""
    cookie = {"Cookie": 'sessionid="\\000bcdefghijklmnop"'}
    answer = getattr(client, method)("/theme/", headers=cookie)
    assert answer.status_code == {"get": 405, "post": 302}[method]
