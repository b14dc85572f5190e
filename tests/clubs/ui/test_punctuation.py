"""Signs between words follow the reader's language."""

from __future__ import annotations

import pytest
from django.utils import translation

from clubs.rulebooks.wording import shown
from clubs.ui.charts import Bar, Point, RatingGraph, distribution, rating_graph
from clubs.ui.punctuation import labelled, listed, quoted


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("fr", ("Place\u00a0: 3", "3\u00a0; 11", "«\u00a0Licence\u00a0»")),
        ("en", ("Place: 3", "3; 11", "“Licence”")),
        ("ro", ("Place: 3", "3; 11", "„Licence”")),
    ],
)
def test_a_sign_has_the_spaces_of_the_readers_language(language, said):
    with translation.override(language):
        assert (labelled("Place", 3), listed([3, 11]), quoted("Licence")) == said


@pytest.mark.parametrize("language", ["en", "ro"])
def test_a_chart_and_a_list_of_numbers_have_no_french_space(language):
    point = Point(label="19/12", value=1950)
    with translation.override(language):
        drawn = rating_graph(
            RatingGraph(points=[point], sentence=""), bands={}, width=300, height=200
        )
        bars = distribution([Bar(label=x, value=1, text="1") for x in ("Onyx", "Topaze")])
        assert "<title>19/12: 1950</title>" in drawn
        assert "Onyx 1; Topaze 1" in bars
        assert shown([4, 11]) == "4; 11"
