"""What a page prints of one field of a form: its attributes, and the error beside it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any


class Printed(HTMLParser):
    """The element with an id, its label and its error."""

    def __init__(self, page: Any, name: str) -> None:
        super().__init__()
        self.id, self.attributes, self.label, self.error = name, {}, "", ""
        self.reading = ""
        self.feed(page.content.decode())
        self.label, self.error = (  # a no-break space stays what it is
            re.sub(r"[ \n]+", " ", words).strip(" ") for words in (self.label, self.error)
        )

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in pairs}
        if attributes.get("id") == self.id:
            self.attributes = attributes
        if tag == "label" and attributes.get("for") == self.id:
            self.reading = "label"
        elif attributes.get("id") == f"{self.id}_error":
            self.reading = "error"

    def handle_endtag(self, tag: str) -> None:
        if tag in ("label", "div"):
            self.reading = ""

    def handle_data(self, words: str) -> None:
        if self.reading == "label":
            self.label += words
        elif self.reading == "error":
            self.error += words

    @property
    def is_refused(self) -> bool:
        """Whether the error is there, said to a reader of the screen and tied to the field."""
        described = self.attributes.get("aria-describedby", "").split()
        return (
            self.attributes.get("aria-invalid") == "true"
            and f"{self.id}_error" in described
            and bool(self.error)
        )
