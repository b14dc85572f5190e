"""A column the site asks for, in the reader's language, is a column it finds."""

from __future__ import annotations

import pytest
from django.utils import translation

from ratings.competitions.files.headings import HEADS, LABELS, NEEDED
from ratings.competitions.files.import_files import columns_of
from tests.our_code import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", HEADS)
def test_the_column_named_to_the_reader_is_the_one_found(language: str, kind: str) -> None:
    with translation.override(language):
        for first in NEEDED[kind][0]:
            rest = [choices[0] for choices in NEEDED[kind][1:]]
            asked = [first, *rest]
            assert list(columns_of([LABELS[name]() for name in asked], kind)) == asked
        for choices in NEEDED[kind][1:]:
            for other in choices:
                asked = [
                    NEEDED[kind][0][0],
                    other,
                    *[c[0] for c in NEEDED[kind][1:] if c != choices],
                ]
                assert set(columns_of([LABELS[name]() for name in asked], kind)) == set(asked)
