"""Who may be put in order by the whole family name: only readers who see it."""

from __future__ import annotations

from tests.our_code import ROOT, modules

KEEPS_IT = {
    "clubs/members/models.py",  # `name_order` and `Member.order_for`, for every other page
    "clubs/members/actions.py",
    "clubs/search.py",  # makes it of a name
    "clubs/persons/actions.py",  # hands a merged record's spellings to the person that stays
    "clubs/persons/licences.py",
    "clubs/personal_data/own_tables.py",
    "clubs/personal_data/register.py",
    "config/watch/masking.py",
}
"""Where the column is declared, filled, emptied or kept out of a log."""

FOR_THE_DESK = {
    "clubs/approvals/actions.py",
    "clubs/members/imports.py",
    "clubs/members/invitations/addresses.py",
    "clubs/members/tables.py",
    "clubs/members/views.py",
    "clubs/members/views_member.py",
    "clubs/persons/queries.py",
    "clubs/persons/tables.py",
    "clubs/setup/views_posters.py",
    "pairings/evenings/views/desk.py",
    "pairings/evenings/views/director.py",
    "pairings/evenings/views/pairing.py",
    "pairings/players/merging.py",
    "pairings/tournaments/views/registration.py",
    "ratings/competitions/corrections/views.py",
    "ratings/competitions/files/import_examples.py",
    "ratings/competitions/views_newcomers.py",
    "ratings/lists/views_seating.py",
}
"""Pages of arbiters, committee and officers, who read whole names."""

OF_ITS_OWN_NAME = {"ratings/lists/views.py"}
"""Sorts by it only a row that shows the whole name."""


def test_the_hidden_key_of_a_name_is_read_where_the_whole_name_is_shown():
    readers = {
        str(module.relative_to(ROOT)) for module in modules() if "sort_name" in module.read_text()
    }
    assert readers == KEEPS_IT | FOR_THE_DESK | OF_ITS_OWN_NAME
