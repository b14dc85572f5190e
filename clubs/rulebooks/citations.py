"""Citations of articles for readers: the name of the document instead of its number."""

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
_ANNEX = re.compile(r"\bannexe (\d+)")
_SOURCES = re.compile(r", ABSP (?:ratings_detail|news\d+)")


def cited(article: str) -> str:
    """Return "FAIZERS IV.A" for "002 IV.A"; the working names of the ABSP's pages become "ABSP".

    A source in words ("usage international", "annexe 2") is in the reader's language.
    """
    text = _SOURCES.sub(", ABSP", _(article) if article else "")
    text = _ANNEX.sub(lambda match: _("annexe %(n)s") % {"n": match[1]}, text)
    return _NUMBER.sub(lambda match: _(DOCUMENTS[match[1]]), text)
