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


def test_a_row_of_the_phone_says_what_parts_it_and_what_tonight_brought(club, as_user):
    one, other = played(club)
    match, (a, b) = club.match(club.members[2], club.members[3])
    match_actions.submit(match=match, by=a, scores=(300, 290), at=club.at)
    match_actions.confirm(match=match, by=b, at=club.at)
    html = as_user().get("/c/faizers/classement/").content.decode()
    rows = re.findall(r'<li data-key="(\d+)".*?</li>', html, re.S)
    texts = dict(re.findall(r'<li data-key="(\d+)"(.*?)</li>', html, re.S))
    assert rows[:2] == [str(one.pk), str(club.members[2].pk)]
    assert "list__tie" not in texts[str(one.pk)]
    assert "par DS" in texts[str(club.members[2].pk)]
    assert "départagé par la différence de score" in texts[str(club.members[2].pk)]
    # The wide table has the same short words: they leave room for the figures on a tablet.
    assert 'title="départagé par la différence de score">par DS</span>' in html
    assert re.search(r'delta is-up">\s*\+\d+', texts[str(one.pk)])
    assert 'class="delta' not in texts[str(other.pk)]  # the floor of 1000 holds


def test_a_reader_of_another_page_finds_the_page_of_their_row(club, as_user, monkeypatch):
    from pairings.ranking import views

    monkeypatch.setattr(views, "PAGE", 3)
    html = as_user(club.members[7].user).get("/c/faizers/classement/").content.decode()
    (url,) = re.findall(r'<a href="\?(page=\d+)">\s*Vous :', html)
    other = as_user(club.members[7].user).get(f"/c/faizers/classement/?{url}").content.decode()
    assert f'data-key="{club.members[7].pk}"' in re.sub("<style.*?</style>", "", other, flags=re.S)
    assert "Vous :" not in other.replace("\xa0", " ")
