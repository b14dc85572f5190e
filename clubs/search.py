"""What search and sorting compare: text without accents and case, the keys of a name, the words typed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

LIGATURES = str.maketrans({"œ": "oe", "æ": "ae", "ß": "ss", "ø": "o", "ł": "l", "đ": "d"})
INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
"""Control signs, what Unicode calls "default ignorable", and the blank of braille: nobody sees them."""
KEY_LENGTH = 130
SEARCH_LENGTH, SEARCH_WORDS = 100, 5
NEAREST, ALMOST = 3, 0.7
"""How many names are suggested, and how much of each is as typed (`difflib`)."""


def without_accents(text: str) -> str:
    """Return the text that search and sorting compare: no accents, no case, Œ = OE, Ș = S.

    What nobody sees is left out: a file's "Ana" with such a letter is the Ana who is there.
    """
    plain = INVISIBLE.sub("", text.casefold())
    if not plain.isascii():
        parted = unicodedata.normalize("NFD", plain.translate(LIGATURES))
        plain = "".join(c for c in parted if not unicodedata.combining(c))
    return " ".join(plain.replace("-", " ").replace("’", " ").replace("'", " ").split())


def search_keys(first_name: str, last_name: str) -> dict[str, str]:
    """Return what a name is searched and sorted by: the columns `search_name` and `sort_name`.

    Cut to their length: one letter may become three here ("ﬃ").
    """
    return {
        "search_name": without_accents(f"{first_name} {last_name}")[:KEY_LENGTH],
        "sort_name": without_accents(f"{last_name} {first_name}")[:KEY_LENGTH],
    }


def search_words(typed: str) -> list[str]:
    """Return the words that a search looks for, in the form of `search_name`.

    At most 5 words of the first 100 characters: each word is a condition of the query, and anybody
    may write the address of a search.
    """
    return without_accents(typed[:SEARCH_LENGTH].replace("\0", " ")).split()[:SEARCH_WORDS]


def nearest(typed: str, names: Iterable[str]) -> list[str]:
    """Return up to three of these names that are spelt almost as what was typed, whole or in a word."""
    spelt: dict[str, list[str]] = {}
    for name in names:
        whole = without_accents(name)
        for part in {whole, *whole.split()}:
            spelt.setdefault(part, []).append(name)
    wanted = " ".join(search_words(typed))
    close = get_close_matches(wanted, spelt, n=NEAREST, cutoff=ALMOST)
    return list(dict.fromkeys(name for part in close for name in spelt[part]))[:NEAREST]
