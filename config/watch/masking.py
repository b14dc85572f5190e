"""What no log and no report may hold: addresses, tokens, codes, and the values of rows.

Each expression reads a text once, whatever the text is: its repetitions never give back a character
(`++`), and what begins none of them is left at its first character. Anybody may make the site log a
text that they wrote.
"""

from __future__ import annotations

import re
import sqlite3
import traceback
from itertools import chain

from django.db import Error

LONGEST = 1000
"""Characters of a message: a visitor chooses the path that Django repeats."""
MOST_ERRORS = 20
"""Of a chain of exceptions, the last ones that are written."""
MAIL = re.compile(r"(?<![\w.+-])[\w.+-]++(?:@[\w.+-]++)+")
"""From the beginning of a word, and never read back: a word without "@" is read once."""
CUT_WORD = re.compile(r"(?<![\w.+@-])[\w.+@-]++\Z")
SECRET_PART = re.compile(r"/(i|s|ecran|j|joueurs|key|confirm-email)/\S++")
"""Addresses that hold a token, a code or a name, where a server or a library writes one."""
QUERY = re.compile(r"\?[^\s?=]++=\S++")
FIELD = re.compile(
    r"\b(first_name|last_name|full_name|search_name|sort_name|guardian_name|e?mail|guardian_email"
    r"|username|password|pin|code|door_code|board_code|token|secret|key|seal|licence|sessionid)"
    r"""(["']?+ ?+[=:] ?+)(?:"[^"]*+"?+|'[^']*+'?+|[^\s"',;)}\]]++)"""
)
"""A personal field or a secret with its value, as Python or JSON writes it."""
VALUES = re.compile(r"(?:DETAIL|DÉTAIL|DETALII) ?:|\)=\(|\b(?:args|params|parameters)=|\bwith url:")
"""Before what a database or a library repeats of its values, which may hold anything, a newline too."""
LONG_WORD = re.compile(r"[A-Za-z0-9_-]{20,}+")


def without_people(text: str) -> str:
    """Return the text without addresses, tokens, codes, personal fields and the values of a row."""
    if values := VALUES.search(text):
        text = text[: values.end()] + " …"
    text = SECRET_PART.sub(r"/\1/…", text)
    text = QUERY.sub("?…", text)
    text = MAIL.sub("…@…", text)
    text = FIELD.sub(r"\1\2…", text)
    return LONG_WORD.sub(lambda word: "…" if _is_random(word[0]) else word[0], text)


def _is_random(word: str) -> bool:
    """Return whether a long word reads like a token or a session's key, not like a name in code.

    Numbers of requests and tasks are kept: hexadecimal, and opening nothing.
    """
    has_digit, has_capital = (any(map(has, word)) for has in (str.isdecimal, str.isupper))
    if has_capital and any(map(str.islower, word)):
        return has_digit or sum(map(str.isupper, word)) > 5
    return has_digit and not has_capital and word.isalnum() and any(c > "f" for c in word)


def shortened(text: str) -> str:
    """Return at most LONGEST characters, without a word that the end cuts: it may be an address."""
    return text if len(text) <= LONGEST else CUT_WORD.sub("", text[: LONGEST - 1]) + "…"


def words_of(error: BaseException) -> str:
    """Return what an exception says that a log may keep.

    Of a database its first sentence, without the value that it quotes. Of a refusal its code: the
    sentence is for a reader, and names people.
    """
    code = getattr(error, "code", "")
    if isinstance(code, str) and code:
        return without_people(code)
    text = shortened(str(error))
    kinds = (kind.__module__.partition(".")[0] for kind in type(error).__mro__)
    if isinstance(error, (Error, sqlite3.Error)) or "psycopg" in kinds:
        text = text.partition("\n")[0].partition(': "')[0]
    return without_people(text)


def traceback_of(error: BaseException) -> str:
    """Return the tracebacks of an exception and of those that led to it, the first one first."""
    written: list[str] = []
    waiting, seen = [error], {id(error)}
    while waiting and len(written) < MOST_ERRORS:
        one = waiting.pop()
        written.append(_traceback(one))
        led_to_it = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
        parts = one.exceptions if isinstance(one, BaseExceptionGroup) else ()
        for other in chain([led_to_it] if led_to_it else [], parts):
            if id(other) not in seen:
                seen.add(id(other))
                waiting.append(other)
    return "\n\n".join(reversed(written))


def _traceback(error: BaseException) -> str:
    notes = [without_people(shortened(note)) for note in getattr(error, "__notes__", ())]
    kind = type(error)
    name = (
        kind.__qualname__
        if kind.__module__ == "builtins"
        else f"{kind.__module__}.{kind.__qualname__}"
    )
    words = "\n".join([f"{name}: {words_of(error)}", *notes])
    frames = "".join(traceback.format_tb(error.__traceback__))
    return f"Traceback (most recent call last):\n{frames}{words}"
