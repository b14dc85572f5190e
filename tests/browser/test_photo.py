"""A photo of a score sheet is made small on the phone, before it is sent."""

from __future__ import annotations

import base64
import io

import pytest
from django.conf import settings
from PIL import Image, ImageDraw

from tests.browser.alone import show
from tests.browser.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]

PAGE = """<label for="photo"><span data-photo-name>Feuille</span></label>
<input id="photo" type="file" data-photo><script type="module" src="/static/js/photo.js"></script>"""
SENT = """(async () => {
  const bytes = new Uint8Array(await document.querySelector("input").files[0].arrayBuffer());
  return btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(""));
})()"""


@pytest.fixture
def chosen(chromium):
    """What is sent of a file that is chosen, once that is a JPEG of less than so many bytes."""
    context = chromium.new_context()
    page = context.new_page()

    def choose(content: bytes, kind: str, *, below: int) -> bytes:
        page.locator("input").set_input_files(
            {"name": "IMG_1.PNG", "mimeType": kind, "buffer": content}
        )
        until(page, f"document.querySelector('input').files[0].size < {below}")
        return base64.b64decode(page.evaluate(SENT))

    show(page, PAGE)
    yield choose
    context.close()


def turned(kind: str) -> bytes:
    """A sheet of 3000 × 2000, red at its left, that the camera says to turn to the right."""
    sheet, out, exif = Image.new("RGB", (3000, 2000), "white"), io.BytesIO(), Image.Exif()
    ImageDraw.Draw(sheet).rectangle((0, 0, 300, 2000), fill="red")
    exif[0x0112] = 6
    sheet.save(out, kind, exif=exif)
    return out.getvalue()


def test_a_photo_of_nine_megabytes_leaves_small_and_upright(chosen):
    content = turned("JPEG") + bytes(9_000_000)
    sent = chosen(content, "image/jpeg", below=settings.LARGEST_BODY)
    with Image.open(io.BytesIO(sent)) as picture:
        assert (picture.format, picture.size) == ("JPEG", (1066, 1600))
        assert not picture.getexif()
        top, foot = picture.getpixel((500, 20)), picture.getpixel((500, 1580))
    assert top[1] < 60 and foot[1] > 200, "red is where the left of the sheet was turned to"


def test_a_file_that_the_phone_does_not_read_is_sent_as_it_is(chosen):
    content = b"\0\0\0\x18ftypheic" + bytes(20)
    assert chosen(content, "image/heic", below=100) == content
