"""The reader's own row in shared rows: rows are cached as printed, then one is marked.

Printing fifty rows takes ten times as long as the rest of a page. They are the same for every
reader but for one row, which has `class` after `data-key` and a mark where the word "vous" goes.
"""

from __future__ import annotations

import re

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from clubs.templatetags.ui import tag


def place(key: object) -> SafeString:
    """Return the placeholder of the own row's word, for the row of that key."""
    return mark_safe(f"<!--own:{int(str(key))}-->")


def mark(html: str, key: int | None) -> SafeString:
    """Return the rows with the row of that key marked as the reader's own."""
    if key is None:
        return mark_safe(html)
    found = re.sub(rf'(data-key="{key}" class=")', r"\1is-own ", html)
    return mark_safe(found.replace(f"<!--own:{key}-->", f" {tag(_('vous'))}"))
