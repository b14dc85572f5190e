"""The README's figures are those of the last measurement, and nobody typed them."""

from __future__ import annotations

from benchmarks import report


def test_the_readme_shows_what_was_measured_last() -> None:
    readme = report.README.read_text()
    assert report.with_table(readme) == readme
    shown = readme.partition(report.BEGIN)[2].partition(report.END)[0]
    for start in report.HEADLINES:
        assert f"| {start}" in shown, f"nothing kept begins with {start!r}"
