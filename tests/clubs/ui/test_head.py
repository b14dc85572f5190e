"""HEAD: link checkers, previews of chat programs and proxies ask for the headers alone."""

from __future__ import annotations

import pytest

from tests.permissions import access
from tests.permissions.conftest import site, world
from tests.permissions.furnished_club import rows
from tests.permissions.test_permissions import address, now_rows, signed_in, untouched

__all__ = ["site", "world"]

# GET is asked of both databases by tests/permissions.
pytestmark = [pytest.mark.django_db, pytest.mark.only_on("sqlite")]


KINDS = {
    "a page": ("pairings", "ranking", "visitor"),
    "a page of the committee": ("clubs", "dashboard", "committee"),
    "a page that the reader may not open": ("clubs", "dashboard", "visitor"),
    "a page that notes its reading": ("clubs", "invitation", "visitor"),
    "a print": ("pairings", "tournament_print", "visitor"),
    "a table to take": ("ratings", "list_edition_last_file", "visitor"),
    "a file that is streamed": ("pairings", "photo", "committee"),
    "an act": ("pairings", "evening_act", "committee"),
    "data": ("api", "organisations", "visitor"),
}
"""One address for each kind of answer: a middleware answers HEAD by GET, whatever the view."""


@pytest.mark.parametrize(("space", "name", "who"), KINDS.values(), ids=KINDS)
def test_head_gives_what_get_gives_without_the_body_and_changes_nothing(site, space, name, who):
    tables = {"pairings": access.PAIRINGS, "clubs": access.CLUBS, "ratings": access.RATINGS}
    arguments = tables.get(space, access.API)[name][1]
    url = address(site, space, name, arguments, site.club)
    client = signed_in(site, site.club.committee.user if who == "committee" else None)
    with untouched() as wrote:
        got = client.get(url)
        assert got.streaming is (name == "photo")
        after_get = now_rows(wrote, site.rows)  # an invitation remembers when it was opened
        if got.streaming:
            b"".join(got)  # read to its end, it closes its file
    with untouched() as wrote:
        head = client.head(url)
        assert now_rows(wrote, site.rows) == after_get
    assert head.status_code == got.status_code
    assert head.headers.get("Content-Type") == got.headers.get("Content-Type")
    assert (head.content if not head.streaming else b"".join(head)) == b""


def test_head_on_a_form_page_does_not_act_as_a_post(site):
    client = signed_in(site, site.owners["to_confirm"])
    url = address(site, "pairings", "result_confirm", {"match_id": "to_confirm"}, site.club)
    with untouched():
        assert client.head(url).status_code == 200
        assert rows() == site.rows
