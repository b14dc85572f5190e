"""The reader's own line in rows that everybody shares: rows are kept as printed, then one is marked.

Printing fifty rows costs ten times what the rest of a page does. They are the same for every
reader but for one line, which has `class` after `data-key` and a mark where the word "vous" goes.
"""

from __future__ import annotations

import re

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from clubs.templatetags.ui import tag


def place(key: object) -> SafeString:
    """Where the own line's word goes, for the line of that key."""
    return mark_safe(f"<!--own:{int(str(key))}-->")


def mark(html: str, key: int | None) -> SafeString:
    """The rows with the line of that key as the reader's own."""
    if key is None:
        return mark_safe(html)
    found = re.sub(rf'(data-key="{key}" class=")', r"\1is-own ", html)
    return mark_safe(found.replace(f"<!--own:{key}-->", f" {tag(_('vous'))}"))
