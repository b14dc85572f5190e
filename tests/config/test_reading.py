"""The main pages as a screen reader reads them: headings, names, references, landmarks, live regions."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser

import pytest

from clubs.members import pins
from config.styleguide import matches, people
from pairings.matches import actions as match_actions
from tests.config.test_styleguide import guide, urlpatterns

__all__ = ["guide", "urlpatterns"]
pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]
HEADINGS = ("h1", "h2", "h3", "h4")
NAMED = ("button", "a", "summary")
VOID = ("input", "img", "br", "hr", "link", "meta", "path", "wbr")
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
            self.navigations.append(values.get("aria-label", ""))
        elif tag == "img" and "alt" not in values:
            self.wrong.append("image without words")
        elif tag == "svg" and "aria-hidden" not in values and values.get("role") != "img":
            self.wrong.append("drawing that is neither hidden nor an image")
        elif tag in ("input", "select", "textarea") and values.get("type") not in (
            *("hidden", "submit"),
        ):
            named = inside_label or any(k in values for k in ("aria-label", "aria-labelledby"))
            self.fields.append((values.get("id", ""), named))
        if "id" in values:
            self.ids[values["id"]] += 1
        if tag == "label" and "for" in values:
            self.labels.add(values["for"])
        for name in REFERENCES:
            self.references |= set(values.get(name, "").split())
        if tag not in VOID:
            self.open.append((tag, values, []))

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
        if not self.language:
            found.append("no language")
        return found


SCREENS = (
    *("cards", "control", "recap", "banners", "notifications", "devices", "passkeys", "tokens"),
    *("webhooks", "webhook", "persons", "licences", "handovers", "handover"),
)


def test_every_screen_of_the_guide_reads_in_order(guide):
    """Ma soirée in all its states and the arbiter's queue among them."""
    wrong = {screen: Reader(guide(screen)).problems(parts=True) for screen in SCREENS}
    assert not {screen: found for screen, found in wrong.items() if found}


@pytest.mark.parametrize("screen", ["publish", *matches.PAGES, *people.PAGES])
def test_a_page_of_a_match_or_of_a_player_reads_in_order(guide, screen):
    assert Reader(guide(screen)).problems() == []


def test_the_pages_of_an_evening_read_in_order(club, as_user):
    at = club.at
    playing, (a, b) = club.match()
    entered, (c, d) = club.match()
    match_actions.submit(match=entered, by=c, scores=(400, 350), at=at)
    pins.set_pin(member=d.member, pin="7305", by=d, at=at)
    disputed, (e, f) = club.match()
    match_actions.submit(match=disputed, by=e, scores=(400, 350), at=at)
    match_actions.contest(match=disputed, by=f, at=at, words="faux", scores=(390, 350))
    root, day = "/c/faizers", club.evening.held_on.isoformat()
    pages = {
        a.user: [f"{root}/ma-soiree/", f"{root}/matchs/{playing.pk}/saisir/"],
        c.user: [f"{root}/ma-soiree/", f"{root}/matchs/{entered.pk}/accord/"],
        d.user: [f"{root}/ma-soiree/", f"{root}/matchs/{entered.pk}/confirmer/"],
        f.user: [f"{root}/ma-soiree/", f"{root}/matchs/{disputed.pk}/"],
        b.user: [f"{root}/classement/", f"{root}/joueurs/{b.member.address}/", f"{root}/"],
        club.arbiter.user: [
            f"{root}/arbitrage/",
            f"{root}/arbitrage/litiges/",
            f"{root}/arbitrage/litiges/{disputed.contests.get().pk}/",
            f"{root}/soirees/{day}/conduite/",
            f"{root}/soirees/{day}/accueil/",
        ],
    }
    wrong = {}
    for user, paths in pages.items():
        client = as_user(user)
        for path in paths:
            answer = client.get(path)
            assert answer.status_code == 200, path
            found = Reader(answer.content.decode()).problems()
            if found:
                wrong[path] = found
    assert not wrong


def test_what_is_read_wrong_is_found():
    html = '<html><h1>A</h1><h3>B</h3><button></button><nav></nav><p aria-describedby="x"></p><img>'
    assert len(Reader(html + '<input id="y"></html>').problems()) == 7


def test_a_card_that_changes_by_itself_is_said_politely(club, as_user):
    """One live region for the words; the card itself is none, or a reader would hear all of it again."""
    html = as_user(club.members[0].user).get("/c/faizers/ma-soiree/").content.decode()
    assert 'class="hidden-text" role="status" data-say' in html
    card = html.split("<!--card-->")[1].split("<!--/card-->")[0]
    assert "aria-live" not in card and 'role="alert"' not in card and 'role="status"' not in card
