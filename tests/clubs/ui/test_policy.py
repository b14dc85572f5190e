"""Which Content-Security-Policy an answer bears."""

from __future__ import annotations

import pytest
from csp.utils import build_policy

HEADER = "Content-Security-Policy"


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/classement/", "/nulle-part/"])
def test_every_page_bears_the_policy_of_the_site(client, club, path):
    policy = client.get(path, follow=True)[HEADER]
    assert set(policy.split("; ")) == set(build_policy().split("; "))
    assert "frame-ancestors 'none'" in policy and "unsafe" not in policy
