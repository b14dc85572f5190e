"""Rows cached for everybody; the page of a member marks the row that is theirs."""

from __future__ import annotations

import re

import pytest
from django.http import HttpResponse
from django.test import Client

from clubs.accounts.device import remember_device
from clubs.members.models import Member
from pairings.evenings.admission import presence
from ratings.ledger.models import RatingList

pytestmark = pytest.mark.django_db


def played(club):
    _match, (a, b) = club.played()
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


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("fr", "1<sup>er</sup>, 3 PR"),
        ("en", "rank 1, 3 PR"),
        ("ro", "locul 1, 3 PR"),
    ],
)
def test_a_profile_says_a_place_as_one_in_each_language(club, as_user, language, words):
    """A bare number before the points reads as one number of two parts."""
    one, _other = played(club)
    page = as_user().get(
        f"/c/faizers/joueurs/{one.address}/", headers={"accept-language": language}
    )
    assert words in " ".join(page.content.decode().split())


def test_a_visitor_has_no_row(club, as_user):
    played(club)
    html = as_user().get("/c/faizers/classement/").content.decode()
    assert "<style" not in html and "vous</span>" not in html


def test_a_name_that_is_hidden_leaves_the_kept_rows_at_once(club, as_user):
    one, _other = played(club)
    page = "/c/faizers/classement/lignes/"
    visitor = as_user()
    assert one.full_name in visitor.get(page).content.decode()
    club.edit(one, {"visibility": Member.INITIALS})
    assert one.full_name not in visitor.get(page).content.decode()


def test_a_row_of_the_phone_says_what_parts_it_and_what_tonight_brought(club, as_user):
    one, other = played(club)
    club.played(club.members[2], club.members[3], scores=(300, 290))
    html = as_user().get("/c/faizers/classement/").content.decode()
    assert (
        "PR\u00a0: points de rencontre." in html
        and "PDI\u00a0: points des duels individuels." in html
    )
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


def guest_playing(club):
    """A guest who played, last of the ranking, and the phone with which they arrived."""
    guest = club.join("Théo", "Zola", is_guest=True)
    presence.check_in(
        evening=club.evening, member=guest, source="guest", by=club.committee, at=club.at
    )
    club.played(guest, club.members[0], scores=(350, 400))
    phone, answer = Client(), HttpResponse()
    remember_device(answer, guest)
    phone.cookies.update(answer.cookies)
    return guest, phone


def test_a_guest_finds_their_row_and_the_names_that_a_visitor_reads(club, as_user):
    guest, phone = guest_playing(club)
    Member.objects.filter(pk=club.members[0].pk).update(visibility=Member.INITIALS)
    hidden = Member.objects.get(pk=club.members[0].pk).full_name
    club.close()
    rating_list = RatingList.objects.get(organisation=club.organisation).slug
    for address in ("/c/faizers/classement/", f"/c/faizers/cotes/{rating_list}/"):
        plain = as_user().get(address).content.decode()
        html = phone.get(address).content.decode()
        (style,) = re.findall(r"<style[^>]*>(.*?)</style>", html, re.S)
        assert set(re.findall(r'\[data-key="(\d+)"\]', style)) == {str(guest.pk)}, address
        (row, *_wide) = re.findall(rf'<(?:li|tr) data-key="{guest.pk}".*?</(?:li|tr)>', html, re.S)
        assert 'class="own-mark"' in row and hidden not in html, address
        assert "own-mark" not in plain, address  # the rows kept for visitors stay theirs
        assert "own-mark" not in as_user().get(address).content.decode(), address


def test_a_guest_of_another_page_finds_the_page_of_their_row(club, monkeypatch):
    from pairings.ranking import views

    monkeypatch.setattr(views, "PAGE", 1)
    guest, phone = guest_playing(club)
    html = phone.get("/c/faizers/classement/?page=1").content.decode()
    (url,) = re.findall(r'<a href="\?(page=\d+)">\s*Vous\s:', html)
    own = phone.get(f"/c/faizers/classement/?{url}").content.decode()
    assert f'<li data-key="{guest.pk}"' in own and f'<li data-key="{guest.pk}"' not in html
