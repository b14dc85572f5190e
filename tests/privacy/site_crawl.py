"""Read everything that a reader can reach on the site, as text: pages, links, headers and files."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import unquote, urljoin, urlsplit

from django.http import HttpResponse
from django.test import Client
from openpyxl import load_workbook

from clubs.search import without_accents
from tests.ratings.editions.test_files import pages as pdf_pages

LINKS = re.compile(r'(?:href|src|action|hx-get|data-[a-z-]*url)="([^"#]*)', re.I)
SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MOST = 1500
"""Nothing here is as large; a page that links to ever new ones must end the test."""


folded_word = lru_cache(maxsize=200_000)(without_accents)  # pages repeat their words


def folded(text: str) -> str:
    """Without accents, case, dashes or line breaks, so that slugs and labels read alike."""
    return " ".join(filter(None, map(folded_word, text.replace("_", " ").split())))


def text_of(answer: HttpResponse) -> str:
    """What an answer says, whatever its format, its headers and cookies included."""
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    # A request's id is random: its digits may be those of anybody's number.
    told = {name: value for name, value in answer.headers.items() if name != "X-Request-ID"}
    head = " ".join(unquote(value) for value in told.values())
    head += " ".join(morsel.value for morsel in answer.cookies.values())
    if kind == "application/pdf":
        body = " ".join(" ".join(page) for page in pdf_pages(answer.content))
    elif kind == SPREADSHEET:
        book = load_workbook(io.BytesIO(answer.content))
        cells = [
            str(cell.value)
            for sheet in book.worksheets
            for row in sheet.iter_rows()
            for cell in row
            if cell.value is not None
        ]
        properties = book.properties
        cells += [str(properties.creator), str(properties.title), str(properties.subject)]
        body = " ".join(cells)
    elif kind == "text/calendar":
        body = answer.content.decode().replace("\r\n ", "")
    elif kind == "application/json":
        body = answer.content.decode().encode().decode("unicode_escape") + answer.content.decode()
    else:
        raw = answer.content.decode("utf-8", "replace")
        # Read with the tags, for names in addresses and attributes, and without, for names in parts.
        body = unquote(html.unescape(raw)) + " " + html.unescape(re.sub(r"<[^>]*>", "", raw))
    return folded(f"{head} {body}")


@lru_cache(maxsize=200_000)
def led_to(page: str, link: str) -> str:
    """The address on this site that a link of a page leads to; empty where it leads elsewhere."""
    found = urlsplit(urljoin(page, html.unescape(link)))
    if found.netloc not in ("", "testserver"):
        return ""
    return found._replace(scheme="", netloc="", fragment="").geturl()


@dataclass
class Crawl:
    """One reader's walk: address → what it answered, the status, and who linked to it first."""

    client: Client
    root: str
    seen: dict[str, str] = field(default_factory=dict)
    status: dict[str, int] = field(default_factory=dict)
    source: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)

    def read(self, starts: Iterable[str]) -> Crawl:
        """Get each start, and everything that leads on from there, once."""
        queue = [urljoin(self.root, start) for start in starts]
        while queue:
            address = queue.pop(0)
            if address in self.seen or not self._is_ours(address):
                continue
            assert len(self.seen) < MOST, f"no end of pages: {address}"
            answer = self.client.get(address)
            assert not answer.streaming, address
            assert answer.status_code < 500, address
            kind = answer.headers.get("Content-Type", "").partition(";")[0]
            self.kinds[kind] = self.kinds.get(kind, 0) + 1
            self.status[address] = answer.status_code
            self.seen[address] = text_of(answer)
            for link in self._links(address, answer):
                if link not in self.source:
                    self.source[link] = address
                    queue.append(link)
        return self

    def _is_ours(self, address: str) -> bool:
        path, query = urlsplit(address)[2:4]
        if "lang=" in query:
            return False  # the same page in another language
        return path.startswith(self.root) and not path.endswith(("/flux/", "/compte/logout/"))

    def _links(self, address: str, answer: HttpResponse) -> Iterator[str]:
        if "Location" in answer.headers:
            target = urljoin(address, answer["Location"])
            if "/compte/login/" not in target:  # a page of its own for each page that asks for it
                yield target
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            for link in dict.fromkeys(LINKS.findall(answer.content.decode())):
                whole = link.startswith("/")  # leads to the same place from every page
                if found := led_to("" if whole else address, link):
                    yield found

    def finding(self, word: str) -> list[str]:
        """The addresses whose answer holds that word."""
        wanted = folded(word)
        return [address for address, text in self.seen.items() if wanted in text]
