"""How a reader is told where a rule is written: by the name of its document, not by its number."""

from __future__ import annotations

import re

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

DOCUMENTS = {
    "000": "FISF",
    "001": gettext_noop("Roumanie"),
    "002": "FAIZERS",
    "003": "FESA",
    "004": gettext_noop("Formule Classique"),
}
_NUMBER = re.compile(r"\b(00[0-4])(?= |$)")
_SOURCES = re.compile(r", ABSP (?:ratings_detail|news\d+)")


def cited(article: str) -> str:
    """ "002 IV.A" is "FAIZERS IV.A"; a working name of the ABSP's own pages is "ABSP"."""
    return _NUMBER.sub(lambda found: _(DOCUMENTS[found[1]]), _SOURCES.sub(", ABSP", article))
