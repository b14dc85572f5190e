"""Rows cached for everybody, with only the reader's own line marked."""

from __future__ import annotations

import re

import pytest

from clubs.members import actions as members
from clubs.members.models import Member
from pairings.matches import actions as match_actions

pytestmark = pytest.mark.django_db


def played(club):
    match, (a, b) = club.match()
    match_actions.submit(match=match, by=a, scores=(400, 350), at=club.at)
    match_actions.confirm(match=match, by=b, at=club.at)
    return a.member, b.member


def own_lines(html):
    return re.findall(r'data-key="(\d+)" class="is-own', html)


def test_each_reader_sees_his_own_line_in_the_same_rows(club, as_user):
    one, other = played(club)
    for member in (one, other):
        html = as_user(member.user).get("/c/faizers/classement/").content.decode()
        assert set(own_lines(html)) == {str(member.pk)}
        assert len(own_lines(html)) == 2  # the phone's list and the table
        assert html.count("vous</span>") == 2
    assert own_lines(as_user().get("/c/faizers/classement/").content.decode()) == []


def test_a_name_that_is_hidden_leaves_the_kept_rows_at_once(club, as_user):
    one, _other = played(club)
    page = "/c/faizers/classement/lignes/"
    visitor = as_user()
    assert one.full_name in visitor.get(page).content.decode()
    members.edit(member=one, changes={"visibility": Member.INITIALS}, by=club.committee, at=club.at)
    assert one.full_name not in visitor.get(page).content.decode()
