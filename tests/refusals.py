"""What the site refuses: by which code, and with a sentence."""

from __future__ import annotations

import pytest

from clubs.accounts.actor import Refused


def refused(code: str) -> pytest.RaisesExc[Refused]:
    """Expect a refusal of that code, with words for the reader."""
    return pytest.raises(Refused, match=" ", check=lambda error: error.code == code)
