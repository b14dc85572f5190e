"""`run.py mutate`: which changes it tries, what it prints, and that it leaves a project alone."""

from __future__ import annotations

import pytest

from config.devtools import mutate

SOURCE = """\
@committee_required
@require_POST
def lift(request, pk):
    if pk > 3 and request:
        return None
    if pk == 0:
        raise ValueError
    Sanction.objects.filter(pk=pk, status="imposed").update(status="lifted")
"""


def changed(kind: str) -> list[str]:
    """The lines that a kind of change makes of SOURCE."""
    before = SOURCE.splitlines()
    return [
        line
        for mutant in mutate.mutants_of(SOURCE.encode())
        if mutant.kind == kind
        for number, line in enumerate(mutant.of(SOURCE.encode()).decode().splitlines())
        if line != before[number]
    ]


@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        ("without pk=", ['    Sanction.objects.filter( status="imposed").update(status="lifted")']),
        ("without status=", ['    Sanction.objects.filter(pk=pk, ).update(status="lifted")']),
        ("comparison changed", ["    if pk >= 3 and request:", "    if pk != 0:"]),
        ("one more", ["    if pk > 4 and request:", "    if pk == 1:"]),
        ("raise removed", ["        pass"]),
        ("call removed", ["    pass"]),
        ("return removed", ["        pass"]),
        ("and → or", ["    if pk > 3 or request:"]),
        ("condition negated", ["    if (not (pk > 3 and request)):", "    if (not (pk == 0)):"]),
        ("guard removed", ["", ""]),
    ],
)
def test_each_kind_of_change_is_tried(kind, lines):
    assert changed(kind) == lines


def test_survivors_are_named_by_their_line_and_the_project_stays_as_it_was(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE", raising=False)
    source = "def may(age):\n    if age < 18:\n        return False\n    return True\n"
    (tmp_path / "ages.py").write_text(source)
    (tmp_path / "test_ages.py").write_text(
        "from ages import may\n\n\ndef test_ages():\n    assert may(30) and not may(5)\n"
    )
    assert mutate.mutate(["ages.py", "test_ages.py"], root=tmp_path) == 1
    told = capsys.readouterr().out
    assert "ages.py:2: comparison changed: if age < 18:" in told
    assert "condition negated" not in told
    assert told.endswith("2 noticed, 2 survived\n")
    assert (tmp_path / "ages.py").read_text() == source
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ages.py", "test_ages.py"]


def test_without_tests_of_its_own_a_file_asks_for_them(tmp_path, capsys):
    (tmp_path / "ages.py").write_text("x = 1\n")
    (tmp_path / "tests").mkdir()
    assert mutate.mutate(["ages.py"], root=tmp_path) == 2
    assert "name the tests" in capsys.readouterr().out
