"""Photos of score sheets: re-encoded as small JPEG without metadata, and served only as such."""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from PIL import Image, ImageOps
from PIL.JpegImagePlugin import JpegImageFile

from clubs.accounts.actor import Refused
from pairings.arbitration.models import Contest
from pairings.matches.models import Submission

SIDE = 1600
MAX_PIXELS = 60_000_000
MAX_WHOLE = 16_000_000
"""Pixels of a picture that cannot be decoded at a smaller size: all but a camera's JPEG."""
MOST_SCANS = 100
"""A progressive JPEG has about ten. One that holds nothing is 29 bytes and goes over every block."""
SEGMENT = re.compile(rb"\xff+[\xc0-\xcf\xdb-\xfe]")
"""Markers that a length follows, and that may stand before the first scan; 0xFF may fill before one."""
FIRST_SCAN = re.compile(rb"\xff+\xda..(.)", re.DOTALL)
SCAN = re.compile(rb"\xff\xda\x00[\x08\x0a\x0c\x0e][\x01-\x04]")
"""The head of a scan, which a decoder reads by its length and number of components."""
KINDS = ("JPEG", "PNG", "WEBP")
HEIC = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1")
OURS = re.compile(r"[0-9a-f]{32}\.jpg")
UNNAMED_FOR = timedelta(days=1)
"""How long a file may be without a row: an act, or an archive that is restored, ends sooner."""
BY_PROXY = "/media/sheets/"
"""Where the proxy has the folder of the photos, for answers of the site alone: `internal` there."""


class PhotoRefused(Refused):
    """Refusal of a file that is not a readable photo."""


def keep(upload: UploadedFile) -> str:
    """Store an upload as a new JPEG of at most 1600 px a side; return its name.

    Raises PhotoRefused for anything that is not an image of a supported format, or has too many pixels.
    """
    try:
        with Image.open(upload, formats=KINDS) as opened:
            most = MAX_WHOLE
            if isinstance(opened, JpegImageFile):  # also one with a small picture behind it
                most = _most_pixels(opened, upload)
            if opened.width * opened.height > most:
                raise PhotoRefused(
                    _(
                        "Cette photo a trop de pixels : envoyez-en une plus petite, ou sa capture d’écran."
                    ),
                    code="too_many_pixels",
                )
            opened.thumbnail((SIDE, SIDE))
            picture = ImageOps.exif_transpose(opened).convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as bad:
        raise _not_a_photo(upload) from bad
    picture.info.clear()  # Pillow would copy its comment, XMP and profile into the new file
    path = _folder() / f"{secrets.token_hex(16)}.jpg"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        picture.save(path, "JPEG", quality=82)
    except OSError as full:
        path.unlink(missing_ok=True)
        raise PhotoRefused(
            _("La photo n’a pas pu être enregistrée : envoyez le résultat sans elle."),
            code="no_room",
        ) from full
    return path.name


def _most_pixels(opened: JpegImageFile, upload: UploadedFile) -> int:
    """Return how many pixels a JPEG may have: one of several scans is decoded whole."""
    upload.seek(0)
    data, at = upload.read(), 2
    while marker := SEGMENT.match(data, at):
        at = marker.end() + int.from_bytes(data[marker.end() : marker.end() + 2], "big")
    first = FIRST_SCAN.match(data, at)
    is_alone = first is not None and first[1] == bytes([opened.layers])
    if is_alone and "progressive" not in opened.info:
        return MAX_PIXELS
    return MAX_WHOLE if len(SCAN.findall(data)) <= MOST_SCANS else 0


def _not_a_photo(upload: UploadedFile) -> PhotoRefused:
    """Return the refusal of a file that cannot be read; what phones call HEIC is named."""
    upload.seek(0)
    head = upload.read(12)
    if head[4:8] == b"ftyp" and head[8:12] in HEIC:
        words = _(
            "Cette photo est au format HEIC, que le site ne lit pas : prenez-la en JPEG, ou "
            "envoyez le résultat sans elle."
        )
    else:
        words = _("Ce fichier n’est pas une photo lisible (JPEG, PNG ou WebP).")
    return PhotoRefused(words, code="not_a_photo")


@contextmanager
def kept(upload: UploadedFile | None) -> Iterator[str]:
    """Store an upload for an act, which gets its name ("" without one).

    Deleted again where no row names it then: the act was refused, or had been done before.
    """
    name = keep(upload) if upload else ""
    try:
        yield name
    finally:
        if name and not _named([name]):
            (_folder() / name).unlink(missing_ok=True)


def delete_unnamed(*, at: datetime) -> int:
    """Delete the files of more than a day that no row names; return how many.

    A process that is killed between the file and its row leaves one.
    """
    before = (at - UNNAMED_FOR).timestamp()
    old = [
        path
        for path in _folder().glob("*.jpg")
        if OURS.fullmatch(path.name) and path.stat().st_mtime < before
    ]
    gone = 0
    for start in range(0, len(old), 500):
        some = old[start : start + 500]
        named = _named([path.name for path in some])
        for path in some:
            if path.name not in named:
                path.unlink(missing_ok=True)
                gone += 1
    return gone


def _named(names: Collection[str]) -> set[str]:
    """Return which of these files a row names."""
    return {
        name
        for model in (Submission, Contest)
        for name in model._default_manager.filter(photo__in=names).values_list("photo", flat=True)
    }


def path_of(name: str) -> Path | None:
    """Return the stored file, or None for a name that the site did not generate."""
    path = _folder() / name
    return path if OURS.fullmatch(name) and path.is_file() else None


def _folder() -> Path:
    return Path(settings.MEDIA_ROOT) / "sheets"
