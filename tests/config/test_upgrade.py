"""A site of 0.1, then of 0.2, brought to the newest: what its rows mean is still there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.only_on("sqlite")
def test_a_site_begun_on_0_1_and_used_on_0_2_keeps_its_meaning(tmp_path):
    told = {**os.environ, "DATA_DIR": str(tmp_path), "DATABASE_URL": "", "REDIS_URL": ""}
    done = subprocess.run(
        [sys.executable, "-m", "tests.config.old_site"],
        cwd=ROOT,
        env=told,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "members": [["Ana", "chair@example.org"], ["Ion", None]],
        "public ids": 2,
        "committee": ["ana"],
        "ranking": ["Ion", "Ana"],
        "score": [300, 410, "final"],
        "season's version": [True, True],
        "period": ["evening", True],
        "rating": [["ion", 1000, 1016]],
        "sanction": [["ana", "proposed"]],
        "journal": [2, []],
        "person": [["0001", "ana"]],
        "phone": 1,
        "evenings": [[20, 1], [20, 2]],
    }
