"""Rows cached for everybody; the page of a member marks the row that is theirs."""

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


def test_a_style_of_the_page_marks_the_row_of_its_reader(club, as_user):
    for member in played(club):
        answer = as_user(member.user).get("/c/faizers/classement/")
        html = answer.content.decode()
        (nonce, style), *others = re.findall(r'<style nonce="([^"]+)">(.*?)</style>', html, re.S)
        assert others == [] and f"'nonce-{nonce}'" in answer["Content-Security-Policy"]
        assert set(re.findall(r'\[data-key="(\d+)"\]', style)) == {str(member.pk)}
        rows = re.findall(rf'<(li|tr) data-key="{member.pk}".*?</\1>', html, re.S)
        assert rows == ["li", "tr"]  # the phone's list and the table
        assert html.count("vous</span>") == html.count('class="own-mark"') > 2


def test_a_visitor_has_no_row(club, as_user):
    played(club)
    html = as_user().get("/c/faizers/classement/").content.decode()
    assert "<style" not in html and "vous</span>" not in html


def test_a_name_that_is_hidden_leaves_the_kept_rows_at_once(club, as_user):
    one, _other = played(club)
    page = "/c/faizers/classement/lignes/"
    visitor = as_user()
    assert one.full_name in visitor.get(page).content.decode()
    members.edit(member=one, changes={"visibility": Member.INITIALS}, by=club.committee, at=club.at)
    assert one.full_name not in visitor.get(page).content.decode()
