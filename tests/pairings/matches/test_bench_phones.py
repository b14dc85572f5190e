"""The phones of `benchmarks/bench_clubs.py` play by the pages, or its figures are those of nobody."""

from __future__ import annotations

from typing import Any

from django.test import Client

from benchmarks.crowd import Phone
from pairings.matches.models import Match


class Here(Phone):
    """A phone that asks this process."""

    client: Client

    def ask(self, path: str, fields: dict[str, Any] | None = None) -> tuple[int, str, str]:
        ask = self.client.get if fields is None else self.client.post
        answer = ask(f"/c/{self.slug}{path}", fields or {})
        self.answers.append((0.0, 0.0, answer.status_code))
        return answer.status_code, answer.content.decode(), answer.headers.get("Location", "")


def test_two_phones_play_a_match_from_their_cards(club):
    match, both = club.match()
    phones = []
    for person in both:
        phone = Here(site=None, session="phone", slug=club.organisation.slug)
        phone.client = Client()
        phone.client.force_login(person.user)
        phones.append(phone)
    for _turn in range(2):
        for phone in phones:
            list(phone.act())
    first, second = phones
    assert (first.entered, set(second.confirmed)) == ({match.pk}, {match.pk})
    assert Match.objects.get(pk=match.pk).status == "final"
    assert {status for phone in phones for *_when, status in phone.answers} <= {200, 302}
