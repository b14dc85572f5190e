"""The printed sheets of a club, read as a camera and a reader would."""

from __future__ import annotations

import base64
import re
import zlib
from unittest import mock

import pytest
import zxingcpp
from django.utils import translation
from PIL import Image, ImageDraw
from reportlab.pdfgen.canvas import Canvas

from clubs.members import pins
from clubs.organisations.models import Organisation
from clubs.setup import poster_pdf as posters
from clubs.ui.pdf import BOLD, text_width

pytestmark = pytest.mark.django_db
DOTS_PER_POINT = 3
PAGE = (595 * DOTS_PER_POINT, 842 * DOTS_PER_POINT)
NUMBER = rb"(-?[\d.]+)"
FILLED = re.compile(rb"%b %b %b %b re\b(?! S)" % (NUMBER, NUMBER, NUMBER, NUMBER))


def pages(pdf: bytes) -> list[Image.Image]:
    """Each page's filled rectangles, as the printer puts them on paper."""
    pictures = []
    for raw in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.S):
        try:
            drawn = zlib.decompress(base64.a85decode(raw.strip().removesuffix(b"~>")))
        except (ValueError, zlib.error):
            continue
        squares = FILLED.findall(drawn)
        if not squares:
            continue
        picture = Image.new("L", PAGE, 255)
        brush = ImageDraw.Draw(picture)
        for square in squares:
            x, y, wide, high = (float(number) * DOTS_PER_POINT for number in square)
            brush.rectangle((x, PAGE[1] - y - high, x + wide, PAGE[1] - y), fill=0)
        pictures.append(picture)
    return pictures


def codes(answer) -> list[str]:
    """What a camera reads on the pages of that answer."""
    assert answer.status_code == 200
    return [code.text for page in pages(answer.content) for code in zxingcpp.read_barcodes(page)]


def test_the_poster_of_each_of_two_clubs_leads_into_that_club(club, neighbours, as_user):
    for house in (club, neighbours):
        desk = as_user(house.committee.user)
        base = f"/c/{house.organisation.slug}"
        (read,) = codes(desk.get(f"{base}/gestion/affiches/porte.pdf"))
        assert read == f"http://testserver{base}/s/"
        assert as_user(None).get(read).status_code == 200


def test_the_cards_of_each_of_two_clubs_lead_to_its_own_players(club, neighbours, as_user):
    for house in (club, neighbours):
        desk = as_user(house.committee.user)
        base = f"/c/{house.organisation.slug}"
        read = codes(desk.get(f"{base}/gestion/affiches/cartes.pdf"))
        cards = {f"/j/{one.number}/{pins.seal_of(one)}/" for one in house.everybody()}
        assert set(read) == {f"http://testserver{base}{card}" for card in cards}


def test_no_card_compares_the_patterns_of_its_code(club, as_user):
    """That takes most of the seconds of 300 cards."""
    with mock.patch("segno.encoder.mask_scores", side_effect=AssertionError):
        cards = codes(as_user(club.committee.user).get("/gestion/affiches/cartes.pdf"))
    assert len(cards) == len(club.everybody())


def test_a_club_alone_on_its_site_prints_short_addresses_that_open(club, as_user):
    assert Organisation.objects.count() == 1
    desk = as_user(club.committee.user)
    (read,) = codes(desk.get("/gestion/affiches/porte.pdf"))
    assert read == "http://testserver/s/" and as_user(None).get(read).status_code == 200
    cards = codes(desk.get("/gestion/affiches/cartes.pdf"))
    assert len(cards) == len(club.everybody())
    assert all(re.fullmatch(r"http://testserver/j/\d+/[0-9a-f]{20}/", card) for card in cards)


@pytest.mark.parametrize(
    "name",
    [
        "Amélie Dufour",
        "Marie-Christine de La Rochefoucauld-Vandermeersch",
        "Maximilienne-Alexandrine-Constance Bourguignon-Castelnaudary-Montpensier",
        "L" * 60 + " " + "W" * 60,
    ],
)
def test_a_name_stands_whole_on_a_card(name):
    posters.cards([], club="")  # registers the fonts
    lines, size = posters.fitted(name, size=14, smallest=7, room=253)
    assert "".join(lines).replace(" ", "") == name.replace(" ", "")
    assert all(text_width(line, BOLD, size) <= 253 for line in lines)
    assert len(lines) * size * 1.2 <= 44  # above the QR


def test_a_long_name_is_printed_whole(club, as_user, monkeypatch):
    member = club.members[0]
    type(member).objects.filter(pk=member.pk).update(
        first_name="Marie-Christine", last_name="de La Rochefoucauld-Vandermeersch"
    )
    printed = []
    plain = Canvas.drawString
    monkeypatch.setattr(
        Canvas,
        "drawString",
        lambda self, x, y, text: printed.append(text) or plain(self, x, y, text),
    )
    as_user(club.committee.user).get("/gestion/affiches/cartes.pdf")
    assert "Marie-Christine de La Rochefoucauld-Vandermeersch" in " ".join(printed)
    assert printed.count(club.organisation.name) == len(club.everybody())  # a card says whose it is


@pytest.mark.parametrize(
    ("language", "title"), [("fr", "Cartes des joueurs"), ("en", "Player cards")]
)
def test_a_document_says_its_title_its_club_and_its_language(monkeypatch, language, title):
    """A reader aloud begins with them, and the tab of a browser shows the title."""
    titles: list[str] = []
    monkeypatch.setattr(Canvas, "setTitle", lambda self, text: titles.append(text))
    with translation.override(language):
        pdf = posters.cards([], club="Club")
    assert titles == [f"{title} – Club"] and b"/Lang (%b)" % language.encode() in pdf
