"""HEAD: link checkers, previews of chat programs and proxies ask for the headers alone."""

from __future__ import annotations

import pytest

from tests.permissions.access import addresses
from tests.permissions.furnished_club import rows
from tests.permissions.test_permissions import (
    address,
    now_rows,
    signed_in,
    site,
    untouched,
    world,
)

__all__ = ["site", "world"]

# GET is asked of both databases by tests/permissions.
pytestmark = [pytest.mark.django_db, pytest.mark.only_on("sqlite")]


@pytest.mark.parametrize("who", ["visitor", "committee"])
def test_head_gives_what_get_gives_without_the_body_and_changes_nothing(site, who):
    client = signed_in(site, site.club.committee.user if who == "committee" else None)
    for space, name, arguments in addresses():
        url = address(site, space, name, arguments, site.club)
        with untouched() as wrote:
            got = client.get(url)
            after_get = now_rows(wrote, site.rows)  # an invitation remembers when it was opened
        with untouched() as wrote:
            head = client.head(url)
            assert now_rows(wrote, site.rows) == after_get, url
        assert head.status_code == got.status_code, url
        assert head.headers.get("Content-Type") == got.headers.get("Content-Type"), url
        assert (head.content if not head.streaming else b"".join(head)) == b"", url


def test_head_on_a_form_page_does_not_act_as_a_post(site):
    client = signed_in(site, site.owners["to_confirm"])
    url = address(site, "pairings", "result_confirm", {"match_id": "to_confirm"}, site.club)
    with untouched():
        assert client.head(url).status_code == 200
        assert rows() == site.rows
