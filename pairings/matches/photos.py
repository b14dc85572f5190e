"""Photos of score sheets: re-encoded as small JPEG without metadata, and served only as such."""

from __future__ import annotations

import secrets
import warnings
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from PIL import Image, ImageOps, UnidentifiedImageError

from clubs.accounts.actor import Refused

SIDE = 1600
MAX_PIXELS = 60_000_000
KINDS = ("JPEG", "PNG", "WEBP")
BY_PROXY = "/media/sheets/"
"""Where the proxy has the folder of the photos, for answers of the site alone: `internal` there."""


class PhotoRefused(Refused):
    """Refusal of a file that is not a readable photo."""


def keep(upload: UploadedFile) -> str:
    """Store an upload as a new JPEG of at most 1600 px a side; return its name.

    Raises PhotoRefused for anything that is not an image of a supported format.
    """
    refusal = PhotoRefused(
        _("Ce fichier n’est pas une photo lisible (JPEG, PNG ou WebP)."), code="not_a_photo"
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(upload, formats=KINDS) as opened:
                if opened.width * opened.height > MAX_PIXELS:
                    raise refusal
                picture = ImageOps.exif_transpose(opened).convert("RGB")
    except (
        UnidentifiedImageError,
        OSError,
        ValueError,
        SyntaxError,
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,
    ) as bad:
        raise refusal from bad
    picture.info.clear()  # Pillow would copy its comment, XMP and profile into the new file
    picture.thumbnail((SIDE, SIDE))
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


def path_of(name: str) -> Path | None:
    """Return the stored file, or None for a name that the site did not generate."""
    path = _folder() / name
    return path if len(name) == 36 and path.parent == _folder() and path.is_file() else None


def _folder() -> Path:
    return Path(settings.MEDIA_ROOT) / "sheets"
