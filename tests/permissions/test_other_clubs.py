"""What a club's pages answer is the same without the other clubs of the site.

Every page, file and list is asked for twice by somebody it is for: beside a club and its league that
hold other words and numbers, and in which readers are members and officers too, then once both are
gone. A query that forgets to name its club answers something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any
from urllib.parse import parse_qsl, urlencode
from zipfile import ZipFile

import pytest
from allauth.usersessions.models import UserSession
from django.core.cache import caches
from django.db import IntegrityError, connection, models, transaction
from django.test import Client
from django.urls import reverse

from api.tokens.models import Token
from clubs.accounts.models import User
from clubs.journal import triggers
from clubs.members.models import Member, RoleGrant
from clubs.members.models_access import PinTries
from clubs.notifications.models import PushChoices, PushNotice, PushSubscription
from clubs.organisations.models import Organisation
from clubs.sanctions.models import Sanction
from clubs.setup.actions import create_organisation
from pairings.absences import actions as absences
from pairings.absences.models import Absence
from pairings.arbitration import actions as arbitration
from pairings.arbitration.models import Contest
from pairings.matches.models import Match
from tests.api.keys import key_of
from tests.our_code import tables
from tests.permissions import access
from tests.permissions.furnished_club import Furnished, rows
from tests.permissions.test_markup import typed
from tests.permissions.test_permissions import (
    address,
    lines,
    now_rows,
    reader_of,
    signed_in,
    untouched,
)
from tests.permissions.test_swapped_bodies import club_of
from tests.privacy.site_crawl import SPREADSHEET, text_of

# What is read is decided above the database; test_permissions.py opens each page on both.
pytestmark = [pytest.mark.django_db, pytest.mark.only_on("sqlite")]
NOT_READ = (access.POST_ONLY, access.COOKIE, access.POSTED)
OF_A_REQUEST = re.compile(
    r'name="(?:csrfmiddlewaretoken|key)" value="\w+"|"X-CSRFToken": ?"\w+"|nonce[-=]"?[\w+/=-]+'
)
"""What is random in every answer."""
# Links of a page with a query, fields in which one searches.
WITH_QUERY = re.compile(r'(?:href|hx-get)="([^"?#]*)\?([^"#]+)"')
SEARCHED = re.compile(r'<input[^>]*name="(q|qui)"')
CANARY = "voisinage"
# The document of the API is the same in every club and slow to make.
OF_NO_CLUB = {"openapi-json", "openapi-view"}
# What lists the clubs of the site.
LISTS_THE_CLUBS = {"/api/v1/organisations"}
OWN_PAGES = ("", "carte/", "reglages/", "notifications/", "donnees/", "cles/", "absences/")
OF_ONE_MEMBER = (
    *(Token, PushSubscription, PushChoices, PushNotice, PinTries, UserSession, Absence, Sanction),
)
WORD_OF = {"match_id": "match", "contest_id": "contest", "file_id": "tournament_file"}
"""Arguments whose example in access.py is nobody's object: the word of one that is there."""
Answers = dict["Ask", tuple[int, str, str]]


@dataclass(frozen=True)
class Ask:
    """An address with its query, asked for in a session or with a key of the API."""

    reader: User | None
    url: str
    key: str = ""

    def client(self, site: Furnished) -> Client:
        client = Client(raise_request_exception=False)
        if self.reader is not None:
            client.cookies.load(site.cookies[self.reader.pk])
        if self.key:
            client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {self.key}"
        return client


def asks(site: Furnished) -> Iterator[Ask]:
    """Every address that is read, by somebody it is for; those of the API by a key.

    The neighbours' objects are asked for too; OF_ONE_CLUB are by test_permissions.py, as pages.
    """
    key = key_of(site.club.committee.member, site.club.at)
    closed = ("pairings", "evening", access.PUBLIC, {"day": "last_week"}, None, access.WRITES)
    for space, name, level, arguments, body, effect in (
        *(line.values for line in lines()),
        closed,
    ):
        if (
            name in OF_NO_CLUB
            or effect in NOT_READ
            or (effect == access.KEYED and body is not None)
        ):
            continue
        if effect == access.KEYED:
            arguments = {**arguments, **{k: v for k, v in WORD_OF.items() if k in arguments}}
        for words in (site, replace(site, words=site.their_words)):
            url = address(words, space, name, arguments, site.club)
            if "/api/v1/" in url:  # a session counts for nothing there
                yield Ask(None, url, key)
            elif words is site or set(arguments.values()) - access.OF_ONE_CLUB:
                yield Ask(reader_of(site, level, arguments), url)


def answer_of(site: Furnished, ask: Ask) -> tuple[int, str, str]:
    """Status, way on and content, without what is random in each answer."""
    with untouched():
        answer = ask.client(site).get(ask.url)
    if answer.streaming:
        text = repr(b"".join(answer))
    elif answer.get("Content-Type") == SPREADSHEET:
        text = text_of(answer)
    else:
        text = OF_A_REQUEST.sub("", answer.content.decode("utf-8", "replace"))
    return answer.status_code, answer.get("Location", ""), text


def further(ask: Ask, page: str) -> Iterator[Ask]:
    """The page's own links with a query, one of each set of parameters, and its searches."""
    kinds = set()
    path = ask.url.partition("?")[0]
    for to, query in WITH_QUERY.findall(page):
        query = query.replace("&amp;", "&")
        names = tuple(sorted(name for name, _value in parse_qsl(query)))
        if to in ("", path) and names not in kinds:
            kinds.add(names)
            yield Ask(ask.reader, f"{path}?{query}", ask.key)
    for name in dict.fromkeys(SEARCHED.findall(page)):
        yield Ask(ask.reader, f"{path}?{urlencode({name: 'a'})}", ask.key)


def join_the_neighbours(site: Furnished) -> None:
    """Make each reader the member in the same place there; the player, an officer and the reverse."""
    ours, theirs = site.club, site.neighbours
    same = dict(zip(ours.members, theirs.members, strict=True)) | {
        ours.members[0]: theirs.committee.member,
        ours.committee.member: theirs.arbiter.member,
        ours.arbiter.member: theirs.members[0],
    }
    owners = {user.pk for user in site.owners.values()}
    first = (ours.members[0], ours.committee.member, ours.arbiter.member)
    for own, other in same.items():
        if own in first or own.user_id in owners:
            Member.objects.filter(pk=other.pk).update(user=own.user)
            Token.objects.filter(member=other).update(user=own.user)


def contest_more(site: Furnished) -> None:
    """Give the neighbours a request to the committee, a settled contest and an excuse to review."""
    club, match = site.neighbours, Match.objects.get(pk=site.their_words["over"])
    asked = {"match": match, "by": club.player(match.first), "words": "faux"}
    request = arbitration.ask_committee(**asked, at=club.at)
    Contest.objects.create(
        match=match, opened_by=match.first, opened_at=request.opened_at, closed_at=club.at
    )
    absence = Absence.objects.get(pk=site.their_words["absence"])
    absences.excuse(absence=absence, words="malade", by=club.player(absence.member), at=club.at)


def rows_of(slug: str) -> Iterator[tuple[type[models.Model], list[Any]]]:
    """The keys of every row of the clubs whose address begins so, table by table."""
    for model in tables():
        way = "slug" if model is Organisation else f"{club_of(model)}__slug"
        if model is Organisation or club_of(model):
            rows = model._base_manager.filter(**{f"{way}__startswith": slug})
            yield model, list(rows.values_list("pk", flat=True))


def make_different(slug: str) -> int:
    """Write other words and other numbers in their rows; how many columns took them."""
    taken = 0
    words = set(typed())
    for model, keys in rows_of(slug):
        table, pk = model._meta.db_table, model._meta.pk.column
        triggers.remove(connection, table)
        for one in model._meta.concrete_fields:
            if (model, one) in words:
                to = f"substr('{CANARY} ' || {one.column}, 1, {one.max_length or 1000})"
            elif isinstance(one, models.IntegerField | models.FloatField) and not one.choices:
                to = f"{one.column} + 7001"
            else:
                continue
            if one.primary_key:
                continue
            where = f"{one.column} <> '' AND {pk} IN ({','.join('%s' for _key in keys)})"
            with suppress(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f"UPDATE {table} SET {one.column} = {to} WHERE {where}", keys)
                taken += cursor.rowcount > 0
    return taken


def remove(slug: str) -> None:
    """Delete every row of the clubs whose address begins so; their accounts stay."""
    for model, keys in list(rows_of(slug)):
        delete(model, keys)


def delete(model: type[models.Model], keys: Iterable[Any]) -> None:
    """Delete these rows as no action does: what refers to them stays, tables of additions too."""
    table, pk = model._meta.db_table, model._meta.pk.column
    triggers.remove(connection, table)
    with connection.cursor() as cursor:
        cursor.executemany(f"DELETE FROM {table} WHERE {pk} = %s", [(key,) for key in keys])


def forget_caches() -> None:
    for name in caches:
        caches[name].clear()


def exports_of(site: Furnished, readers: list[User]) -> Answers:
    """What the file of one's own data holds."""
    url = f"/c/{site.club.organisation.slug}/moi/donnees/"
    found = {}
    for reader in readers:
        with untouched():
            answer = Ask(reader, url).client(site).post(url, {"export": "1"})
            assert answer.status_code == 200
            with ZipFile(BytesIO(b"".join(answer))) as file:
                parts = {name: file.read(name) for name in file.namelist()}
        found[Ask(reader, f"{url}export")] = (200, "", repr(parts))
    return found


def different(before: Answers, after: Answers) -> list[tuple[str, User | None]]:
    return [(ask.url, ask.reader) for ask in before if before[ask] != after[ask]]


def test_every_answer_is_the_same_without_the_other_clubs(site):
    slug, neighbours = site.club.organisation.slug, site.neighbours.organisation.slug
    readers = [site.club.members[0].user, site.club.committee.user]
    with untouched():
        contest_more(site)
        join_the_neighbours(site)
        assert make_different(neighbours) > 100, "columns with rows"
        forget_caches()
        beside: Answers = {}
        for ask in dict.fromkeys(asks(site)):
            beside[ask] = answer_of(site, ask)
            for more in further(ask, beside[ask][2]):
                if more not in beside:
                    beside[more] = answer_of(site, more)
        beside |= exports_of(site, readers)
        remove(neighbours)
        forget_caches()
        alone = {ask: answer_of(site, ask) for ask in beside if not ask.url.endswith("export")}
        alone |= exports_of(site, readers)
    forget_caches()
    assert sum(status == 200 for status, _to, _text in beside.values()) > 220
    found = {url.removeprefix(f"/c/{slug}") for url, _reader in different(beside, alone)}
    assert found == LISTS_THE_CLUBS


def test_a_club_that_begins_says_the_same_beside_full_ones_and_alone(site):
    """Where it has nothing of its own, the first row of a list is not that of another club."""
    at, user = site.club.at, site.club.members[0].user
    with untouched():
        member = create_organisation(
            slug="debut",
            name="Début",
            kind="club",
            game="Scrabble",
            email=user.email,
            first_name="Ada",
            last_name="",
            language="fr",
            time_zone="Europe/Paris",
            by=site.club.committee,
            at=at,
        )
        RoleGrant.objects.create(member=member, role=RoleGrant.ARBITER, granted_at=at)
        pages = [
            Ask(user, f"/c/debut{reverse(f'{space}:{name}')}")
            for space, name, _level, arguments, _body, effect in (one.values for one in lines())
            if not arguments and name not in OF_NO_CLUB and effect not in (*NOT_READ, access.KEYED)
        ]
        forget_caches()
        beside = {ask: answer_of(site, ask) for ask in pages}
        for slug in (site.neighbours.organisation.slug, site.club.organisation.slug):
            remove(slug)
        forget_caches()
        alone = {ask: answer_of(site, ask) for ask in pages}
    forget_caches()
    assert sum(status == 200 for status, _to, _text in beside.values()) > 60
    assert {url for url, _reader in different(beside, alone)} == {"/c/debut/api/v1/organisations"}


def test_what_is_of_one_member_is_the_same_without_the_others(site):
    """Keys, phones, sessions, choices, notices, absences, sanctions: pages and the file of a member."""
    club, member = site.club, site.club.members[1]
    root = f"/c/{club.organisation.slug}"
    pages = [Ask(member.user, f"{root}/moi/{page}") for page in OWN_PAGES]
    pages.append(Ask(member.user, "/compte/sessions/"))
    with untouched():
        here = {ask: answer_of(site, ask) for ask in pages} | exports_of(site, [member.user])
        for model in OF_ONE_MEMBER:
            owner = "user" if model is UserSession else "member"
            others = model._base_manager.exclude(**{owner: getattr(member, owner, member)})
            keys = others.values_list("pk", flat=True)
            assert keys, model
            delete(model, keys)
        alone = {ask: answer_of(site, ask) for ask in pages} | exports_of(site, [member.user])
    assert {status for status, _to, _text in here.values()} == {200}
    assert different(here, alone) == []


def test_a_key_does_nothing_to_the_objects_of_another_club(site):
    """Every act of the API that names a match, a contest, a person: refused, and no row changes."""
    words, not_found = dict(site.their_words), 0
    for person in ("slug", "other"):  # acts take the public id alone
        words[person] = words[person].partition("-")[0]
    member = site.club.committee.member
    named = WORD_OF | {
        "request_id": "guest_request",
        "member": "slug",
        "first": "slug",
        "second": "other",
    }
    with untouched():
        RoleGrant.objects.create(member=member, role=RoleGrant.ARBITER, granted_at=site.club.at)
        client = Ask(None, "", key_of(member, site.club.at)).client(site)
        client.get(address(site, "api", "seasons", {}, site.club))  # notes the use of the key
        before = rows()
        for name, line in access.API.items():
            _level, arguments, body, effect = access.whole(line)
            if effect != access.KEYED or body is None or not named.keys() & {*arguments, *body}:
                continue
            sent = {
                key: words[named[key]] if key in named else value for key, value in body.items()
            }
            ours = {**arguments, **{key: named[key] for key in named if key in arguments}}
            their_site = replace(site, words=site.words | {k: words[k] for k in named.values()})
            url = address(their_site, "api", name, ours, site.club)
            for ask in (client.post, client.patch):
                with untouched():
                    answer = ask(url, sent, content_type="application/json")
                    assert answer.status_code in (404, 405, 422), (name, answer.content)
                    assert rows() == before, name
                not_found += answer.status_code == 404
    assert not_found >= 18


def test_a_key_of_another_member_is_not_found(site):
    club = site.club
    client = signed_in(site, club.members[1].user)
    for other in (club.members[0], club.members[23], site.neighbours.members[1]):
        token = Token.objects.get(member=other)
        url = f"/c/{club.organisation.slug}/moi/cles/?revoke={token.pk}"
        with untouched() as wrote:
            assert client.get(url).status_code == client.post(url).status_code == 404
            assert now_rows(wrote, site.rows) == site.rows
