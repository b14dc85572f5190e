"""Every address against every role of this and of another club, by GET and by POST."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import get_resolver, reverse

from clubs import rulebook
from clubs.models import JournalEntry
from pairings import results, screen, tournaments
from pairings.models import Match, MatchLine
from ratings import competitions, editions, ledger, runs
from ratings.competition_files import GAMES, File
from ratings.ledger import Posting
from ratings.models import Edition, ListRun
from tests.pages import access
from tests.tournament_day import make_tournament

pytestmark = pytest.mark.django_db

LEVELS = (access.PUBLIC, access.MEMBER, access.ARBITER, access.COMMITTEE)
ADDRESSES = [
    *[("pairings", name, *line) for name, line in access.PAIRINGS.items()],
    *[("clubs", name, *line) for name, line in access.CLUBS.items()],
    *[("ratings", name, *line) for name, line in access.RATINGS.items()],
]
STREAM = ("pairings", "live")


def named(namespace: str) -> set[str]:
    """The names of every address of an app."""
    resolver = get_resolver()
    patterns = resolver.namespace_dict[namespace][1]
    return {name for name in patterns.reverse_dict if isinstance(name, str)}


@pytest.fixture
def site(club, neighbours):
    """A contested match, and the values that fill the addresses of this club."""
    match, (a, b) = club.match()
    results.submit(match=match, by=a, scores=(400, 350), at=club.at)
    results.contest(match=match, by=b, at=club.at, words="faux")
    tournament = make_tournament(club, round_count=3)
    tournaments.freeze(tournament=tournament, by=club.committee, at=club.at)
    club.words = {
        "open": tournament.slug,
        "entry": tournament.entries.order_by("pk").first().pk,
        "code": club.evening.door_code,
        "screen": screen.key_of(screen.give(evening=club.evening, by=club.arbiter, at=club.at)),
        "match": match.pk,
        "slug": a.member.address,
        "other": b.member.address,
        "day": club.evening.held_on.isoformat(),
        "contest": match.contests.get().pk,
        "token": "no-such-token",
        "member": a.member.pk,
        "season": club.evening.season_id,
        **rated_words(club, published_list(club)),
        "trial": trial_of(club).pk,
    }
    return club


def trial_of(club):
    """A simulation that waits for its worker."""
    draft = rulebook.save_draft(
        organisation=club.organisation,
        code="faizers",
        values={"cote": {"k_beginner": 40}},
        by=club.committee,
        at=club.at,
    )
    return runs.ask(
        rating_list=ledger.list_of(club.organisation, "faizers"),
        kind=ListRun.TRIAL,
        given={"draft": draft.pk, "since": "2026-01-01"},
        by=club.committee,
        at=club.at,
    )


def rated_words(club, held):
    """What fills the addresses of a rating list: its competition, a game, a file that waits."""
    period = held.periods.get()
    game = period.games.get()
    draft = competitions.draft(
        rating_list=held,
        file=File([["joueur 1", "joueur 2", "résultat"], ["1", "2", "1"]], "UTF-8"),
        file_name="essai.csv",
        kind=GAMES,
        label="Essai",
        held_on=club.at.date(),
        facts={},
        by=club.committee,
        at=club.at,
    )
    return {
        "liste": held.slug,
        "period": period.pk,
        "game": game.pk,
        "rated": game.first.slug,
        "draft": draft.pk,
    }


def published_list(club):
    """A rating list with one game, published once."""
    held = ledger.list_of(club.organisation, "faizers", kind="essai")
    period = ledger.open_period(
        rating_list=held, key="p", label="Tournoi", held_on=club.at.date() - timedelta(days=9)
    )
    one, other = club.members[6:8]
    ledger.record_game(
        period=period, posting=Posting("g", one.pk, other.pk, 2, 400, 300), at=club.at
    )
    ledger.settle(period=period, by=club.committee, at=club.at)
    editions.publish(
        organisation=club.organisation,
        rating_list=held,
        title="Liste",
        by=club.committee,
        at=club.at,
    )
    return held


def people(club, neighbours):
    """(name, account, level) of every kind of reader."""
    player = club.members[0]
    return [
        ("visitor", None, 0),
        ("player", player.user, 1),
        ("arbiter", club.arbiter.user, 2),
        ("committee", club.committee.user, 3),
        ("neighbour", neighbours.members[0].user, 0),
        ("neighbouring arbiter", neighbours.arbiter.user, 0),
        ("neighbouring committee", neighbours.committee.user, 0),
    ]


def address(club, namespace: str, name: str, arguments: dict) -> str:
    filled = {key: club.words.get(value, value) for key, value in arguments.items()}
    return f"/c/{club.organisation.slug}" + reverse(f"{namespace}:{name}", kwargs=filled)


def digest() -> tuple[int, ...]:
    versions = sum(Match.objects.values_list("version", flat=True))
    counted = (JournalEntry, MatchLine, Edition)
    return *(model.objects.count() for model in counted), versions


def test_every_named_address_has_a_line():
    assert named("pairings") == set(access.PAIRINGS)
    assert named("clubs") == set(access.CLUBS)
    assert named("ratings") == set(access.RATINGS)


@pytest.mark.parametrize(
    ("namespace", "name", "level", "arguments"),
    [line for line in ADDRESSES if line[:2] != STREAM],
    ids=[f"{line[0]}:{line[1]}" for line in ADDRESSES if line[:2] != STREAM],
)
def test_an_address_opens_for_those_it_is_for_and_nobody_else(
    site, neighbours, as_user, namespace, name, level, arguments
):
    url = address(site, namespace, name, arguments)
    needed = LEVELS.index(level)
    for who, user, held in people(site, neighbours):
        client = as_user(user)
        before = digest()
        answer = client.get(url)
        assert answer.status_code < 500, (who, url)
        if held < needed:
            assert answer.status_code in (302, 403, 404, 405), (who, answer.status_code)
            if answer.status_code == 302:
                assert "/compte/login/" in answer["Location"], who
            posted = client.post(url, {})
            assert posted.status_code in (302, 403, 404, 405), (who, posted.status_code)
            assert digest() == before, who
        elif held == needed:
            assert answer.status_code in (200, 302, 303, 404, 405, 409, 410, 422), who
            posted = client.post(url, {})
            assert posted.status_code < 500, (who, url)


def test_a_get_changes_nothing_but_what_the_clock_already_said(site, neighbours, as_user):
    client = as_user(site.committee.user)
    before = digest()
    for namespace, name, _level, arguments in ADDRESSES:
        if (namespace, name) != STREAM:
            client.get(address(site, namespace, name, arguments))
    assert digest() == before


def test_an_object_of_this_club_is_not_found_under_the_neighbours_address(
    site, neighbours, as_user
):
    client = as_user(neighbours.committee.user)
    for name in ("match", "match_why", "match_correct", "match_judge", "dispute"):
        _level, arguments = access.PAIRINGS[name]
        filled = {key: site.words.get(value, value) for key, value in arguments.items()}
        url = f"/c/{neighbours.organisation.slug}" + reverse(f"pairings:{name}", kwargs=filled)
        assert client.get(url).status_code == 404, name
        assert client.post(url, {}).status_code in (404, 405), name


def test_a_post_without_a_token_is_refused(site):
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(site.members[0].user, backend="config.accounts.AuthenticationBackend")
    url = address(site, "pairings", "result_enter", {"match_id": "match"})
    assert client.post(url, {"mine": "1", "theirs": "2"}).status_code == 403


QUERIES = {"ranking": 10, "player_list": 10, "evening": 16, "evening_list": 10, "board": 20}


@pytest.mark.parametrize("name", QUERIES)
def test_list_pages_ask_few_questions_whatever_their_size(
    site, as_user, django_assert_max_num_queries, name
):
    """What moves is computed once and kept until something moves: the next reader pays little."""
    _level, arguments = access.PAIRINGS[name]
    url = address(site, "pairings", name, arguments)
    client = as_user(site.members[0].user)
    client.get(url)
    with django_assert_max_num_queries(QUERIES[name]):
        client.get(url)


def test_a_ranking_asks_as_many_questions_for_many_as_for_few(
    site, as_user, django_assert_max_num_queries
):
    url = address(site, "pairings", "ranking", {})
    client = as_user(site.members[0].user)
    with django_assert_max_num_queries(18):
        client.get(url)
