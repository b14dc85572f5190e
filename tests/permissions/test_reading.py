"""The main pages as a screen reader reads them: headings, names, references, landmarks, live regions."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser

import pytest

from clubs.accounts.models import User
from pairings.matches.models import Match
from tests.permissions import access
from tests.permissions.furnished_club import Furnished
from tests.permissions.test_permissions import address, lines, reader_of, signed_in, untouched
from tests.permissions.test_queries import CARDS

# How a page reads is decided above the database; test_permissions.py opens each on both.
pytestmark = [pytest.mark.django_db, pytest.mark.only_on("sqlite")]
HEADINGS = ("h1", "h2", "h3", "h4")
NAMED = ("button", "a", "summary")
VOID = ("input", "img", "br", "hr", "link", "meta", "path", "wbr")
REGION_NAMES = ("aria-label", "aria-labelledby")
REFERENCES = ("aria-labelledby", "aria-describedby", "aria-controls", "for")


class Reader(HTMLParser):
    """Collect what a screen reader announces of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.levels: list[int] = []
        self.ids: Counter[str] = Counter()
        self.references: set[str] = set()
        self.wrong: list[str] = []
        self.navigations: list[str] = []
        self.open: list[tuple[str, dict[str, str], list[str]]] = []
        self.labels: set[str] = set()
        self.fields: list[tuple[str, bool]] = []
        self.language = ""
        self.crumbs: list[str] = []
        self.leads_to: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        inside_label = any(name == "label" for name, _values, _words in self.open)
        if "template" in [name for name, _values, _words in self.open]:
            values = {"aria-label": "-"}  # shown by a script in the place of the page
        elif tag in HEADINGS:
            self.levels.append(int(tag[1]))
        elif tag == "html":
            self.language = values.get("lang", "")
        elif tag == "nav" and not any(
            "only-phone" in v.get("class", "") for _t, v, _w in self.open
        ):
            self.navigations.append(values.get("aria-label") or values.get("aria-labelledby", ""))
        elif tag == "img" and "alt" not in values:
            self.wrong.append("image without words")
        elif tag == "img":
            self.handle_data(values["alt"])
        elif tag == "svg" and "aria-hidden" not in values and values.get("role") != "img":
            self.wrong.append("drawing that is neither hidden nor an image")
        elif tag in ("input", "select", "textarea") and values.get("type") not in (
            *("hidden", "submit"),
        ):
            named = inside_label or any(k in values for k in ("aria-label", "aria-labelledby"))
            self.fields.append((values.get("id", ""), named))
        if values.get("role") == "region" and not any(values.get(name) for name in REGION_NAMES):
            self.wrong.append("region without a name")
        if values.get("tabindex") == "0" and any(
            v.get("tabindex") == "0" for _t, v, _w in self.open
        ):
            self.wrong.append(f"a second stop of the Tab key for what has one: {values}")
        if tag == "a":
            self._link(values)
        if "id" in values:
            self.ids[values["id"]] += 1
        if tag == "label" and "for" in values:
            self.labels.add(values["for"])
        for name in REFERENCES:
            self.references |= set(values.get(name, "").split())
        if tag not in VOID:
            self.open.append((tag, values, []))

    def _link(self, values: dict[str, str]) -> None:
        """Note where the breadcrumb leads, and where the other links of the page's own part do.

        Left out are a button that leaves a form ("Ne pas forcer") and that of an empty page.
        """
        around = [(tag, each.get("class", "").split()) for tag, each, _words in self.open]
        leaves = "btn" in values.get("class", "").split() and "form" in dict(around)
        if any("breadcrumb" in classes for _tag, classes in around):
            self.crumbs.append(values.get("href", ""))
        elif "main" in dict(around) and not leaves and not any("empty" in c for _tag, c in around):
            self.leads_to.append(values.get("href", ""))

    def handle_data(self, data: str) -> None:
        for _tag, _values, words in self.open:
            words.append(data)

    def handle_endtag(self, tag: str) -> None:
        while self.open and tag not in VOID:
            name, values, words = self.open.pop()
            said = (
                "".join(words).strip() or values.get("aria-label") or values.get("aria-labelledby")
            )
            if name in NAMED and not said:
                self.wrong.append(f"{name} without a name: {values}")
            parts = [part.strip() for part in "".join(words).split("·")]
            if name == "title" and len(set(parts)) < len(parts):
                self.wrong.append(f"title that says a thing twice: {parts}")
            if name == "option" and set(said) == {"-"}:
                self.wrong.append("choice in dashes")
            if name == tag:
                break

    def problems(self, *, parts: bool = False) -> list[str]:
        """Return what is wrong; `parts`: a page of the guide that shows many cards at once."""
        found = list(self.wrong)
        if self.levels.count(1) != 1:
            found.append(f"{self.levels.count(1)} headings of the first level")
        for before, after in zip([0, *self.levels], self.levels, strict=False):
            if after > before + 1:
                found.append(f"heading {before} is followed by {after}")
        if len(set(self.navigations)) != len(self.navigations) or "" in self.navigations:
            found.append(f"navigations {self.navigations}")
        if not parts:
            found += [f"id {name} twice" for name, times in self.ids.items() if times > 1]
        found += [f"nothing has the id {name}" for name in self.references - set(self.ids)]
        found += [
            f"field {name} without a label"
            for name, named in self.fields
            if not named and name not in self.labels
        ]
        if self.crumbs[-1:] and self.crumbs[-1] in self.leads_to:
            found.append(f"the way back twice: {self.crumbs[-1]}")
        if not self.language:
            found.append("no language")
        return found


NO_PAGE = (access.POST_ONLY, access.POSTED, access.COOKIE, access.KEYED)


@pytest.mark.parametrize(
    ("space", "name", "level", "arguments"),
    [
        pytest.param(*line.values[:4], id=line.id)
        for line in lines()
        if line.values[5] not in NO_PAGE
    ],
)
def test_a_page_reads_in_order(site, space, name, level, arguments):
    """Every page of the furnished club, as somebody reads it whom it is for."""
    reader = reader_of(site, level, arguments)
    assert problems_of(site, reader, address(site, space, name, arguments, site.club)) == []


@pytest.mark.parametrize("word", CARDS)
def test_the_card_of_an_evening_reads_in_order_in_each_state(site, word):
    assert problems_of(site, site.owners[word], "/c/faizers/ma-soiree/") == []


def test_a_match_that_is_disputed_reads_in_order_for_who_plays_it(site):
    url = address(site, "pairings", "match", {"match_id": "match"}, site.club)
    assert problems_of(site, site.owners["match"], url) == []


def test_a_move_still_to_be_settled_reads_in_order(site):
    """The page of a projected change: only who has ended a match tonight has one."""
    player = Match.objects.get(pk=site.words["over"]).first
    url = address(site, "pairings", "projected", {"slug": player.address}, site.club)
    assert problems_of(site, site.club.members[0].user, url, only=200) == []


def test_a_sanction_dismissed_without_a_reason_says_so_first(site):
    url = address(site, "pairings", "sanction", {"sanction_id": "sanction"}, site.club)
    with untouched():
        answer = signed_in(site, site.club.committee.user).post(url, {"dismiss": "1"})
    html = answer.content.decode()
    assert answer.status_code == 422 and Reader(html).problems() == []
    assert html.index('class="error-summary"') < html.index('href="#end_reason"')


@pytest.mark.parametrize("url", ["/", "/compte/sessions/"])
def test_a_page_beside_the_clubs_reads_in_order(site, url):
    assert problems_of(site, site.club.members[0].user, url) == []


def problems_of(site: Furnished, reader: User | None, url: str, only: int = 0) -> list[str]:
    """Return what reads wrong in a whole page, nothing for a file, a piece of a page or a way on."""
    with untouched():
        answer = signed_in(site, reader).get(url)
    assert answer.status_code in ((only,) if only else (200, 302, 303)), url
    html = b"" if answer.streaming else answer.content
    return Reader(html.decode()).problems() if b"<html" in html else []


def test_what_is_read_wrong_is_found():
    html = '<html><title>B · B</title><h1>A</h1><h3>B</h3><button></button><nav></nav><p aria-describedby="x"></p><img>'
    assert len(Reader(html + '<input id="y"></html>').problems()) == 8


@pytest.mark.parametrize(
    ("rest", "times"),
    [
        ('<a href="/b/">Retour</a>', 1),
        ('<a href="/a/">Tout</a>', 0),
        ('<form><a class="btn" href="/b/">Ne rien changer</a></form>', 0),
        ('<div class="card empty"><a class="btn" href="/b/">Voir</a></div>', 0),
    ],
)
def test_a_link_that_repeats_the_breadcrumb_is_found(rest, times):
    way = '<nav class="breadcrumb"><a href="/a/">A</a><a href="/b/">B</a></nav>'
    page = Reader(f'<html lang="fr"><main>{way}<h1>C</h1>{rest}</main></html>')
    assert "".join(page.problems()).count("the way back twice: /b/") == times
