"""The arbiter's page of an evening: a key for every act, and who has been waiting for how long."""

from __future__ import annotations

from datetime import timedelta
from html.parser import HTMLParser

import pytest
import time_machine
from django.urls import reverse

from clubs.templatetags.ui import waited
from pairings.evenings import pairing
from pairings.evenings.admission import guests, presence
from pairings.evenings.admission import screen_link as screen
from pairings.evenings.models import Evening
from pairings.matches import actions as match_actions
from pairings.rules.match_state import Result
from tests.clubhouse import NOW
from tests.tournament_day import frozen, publish

MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def twenty_minutes_later():
    with time_machine.travel(NOW + 20 * MINUTE, tick=False) as clock:
        yield clock


def control(club, as_user):
    day = club.evening.held_on.isoformat()
    return as_user(club.arbiter.user).get(reverse("pairings:control", kwargs={"day": day}))


class Keys(HTMLParser):
    """The keys of a page, those it shows, and the acts in <main> that no key reaches."""

    VOID = ("input", "img", "br", "meta", "link")
    SKIPPED = frozenset({"nav", "noscript"})  # without scripts there is no key

    def __init__(self, page: str) -> None:
        super().__init__()
        self.stack: list[tuple[str, dict[str, str | None]]] = []
        self.keys: list[str] = []
        self.shown: list[str] = []
        self.out_of_reach: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if key := given.get("data-key-shortcut"):
            self.keys.append(key)
        if tag in self.VOID:
            return
        self.stack.append((tag, given))
        above = [name for name, _given in self.stack]
        reached = any(
            {"data-key-shortcut", "data-shortcuts"} & set(given) for _tag, given in self.stack
        )
        if tag in ("a", "button", "summary") and "main" in above and not self.SKIPPED & {*above}:
            self.out_of_reach += [] if reached else [self.get_starttag_text() or ""]

    def handle_endtag(self, tag: str) -> None:
        while self.stack and self.stack.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.stack and self.stack[-1][0] == "kbd" and "key" in self.stack[-1][1].values():
            self.shown.append(data)


@pytest.mark.django_db
@pytest.mark.parametrize("state", ["planned", *Evening.LIVE])
def test_every_act_of_the_evening_has_a_key_that_the_page_shows_and_lists(club, as_user, state):
    called, _players = club.match()  # by hand: this can be undone
    disputed, (_a, b) = club.entered()
    match_actions.contest(match=disputed, by=b, at=club.at + MINUTE, words="faux")
    if state != "planned":
        guests.ask(evening=club.evening, first_name="Gus", last_name="", at=club.at)
    screen.give(evening=club.evening, by=club.arbiter, at=club.at)
    Evening.objects.filter(pk=club.evening.pk).update(state=state)
    Evening.objects.filter(pk=club.evening.pk, state="planned").update(screen_open=False)
    answer = control(club, as_user)
    found = Keys(answer.content.decode())
    assert found.out_of_reach == []
    assert len(found.keys) == len(set(found.keys)), "one key reaches one thing"
    listed = [key for key, _words in answer.context["shortcuts"]]
    missing = {"u"} - set(found.keys)  # nothing to undo any more
    assert sorted(found.keys) == sorted(set(listed) - {"?"} - missing)
    assert sorted(found.shown) == sorted([*found.keys, "?"])
    assert str(called.first) in answer.content.decode()


@pytest.mark.django_db
def test_a_key_is_one_letter_of_its_own_in_every_state(club):
    """None is used by a browser with no other key held down, as / and ' are by Firefox."""
    from pairings.evenings.views.director import shortcuts_of

    for state in Evening.State:
        club.evening.state = state
        keys = [key for key, _words in shortcuts_of(club.evening)]
        assert len(keys) == len(set(keys))
        assert all(key == "?" or (len(key) == 1 and key.islower()) for key in keys)


@pytest.mark.django_db
def test_the_queue_names_who_waits_for_whom_and_how_long(club, as_user):
    entered, (a, b) = club.match()
    match_actions.submit(match=entered, by=b, scores=(400, 350), at=club.at + 16 * MINUTE)
    missed, (c, d) = club.match()
    match_actions.claim_absence(match=missed, by=c, at=club.at + 18 * MINUTE)
    disputed, (e, f) = club.entered(scores=(1, 2))
    match_actions.contest(match=disputed, by=f, at=club.at + MINUTE, words="faux")
    called, (g, h) = club.match()
    match_actions.sit_down(match=called, by=h, at=club.at + 3 * MINUTE)
    answer = control(club, as_user)
    tasks = {
        task["kind"]: (task["waits"], waited(task["since"], answer.context["at"]))
        for task in answer.context["tasks"]
    }
    assert tasks == {
        "contest": (f"{e.member} et {f.member} attendent la décision", "19\u00a0min"),
        "absence": (f"{c.member} attend {d.member}", "2\u00a0min"),
        "call": (f"{h.member} attend {g.member}", "17\u00a0min"),
        "unanswered": (f"{b.member} attend {a.member}", "4\u00a0min"),
    }
    page = answer.content.decode()
    assert all(words in page and time in page for words, time in tasks.values())
    free = page.split("En attente")[1]
    assert "attend depuis" in free and "20\u00a0min" in free


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(-3, "0 min"), (0, "0 min"), (59, "59 min"), (60, "1 h 00"), (125, "2 h 05")],
)
def test_a_wait_of_an_hour_is_said_in_hours(minutes, words):
    assert waited(NOW, NOW + minutes * MINUTE) == words.replace(" ", "\u00a0")


def test_the_arbiter_pairs_before_a_long_list_of_tables(club, as_user):
    """On a phone all stands in one column: forty tables are four thousand pixels."""
    club.match()
    page = control(club, as_user).content.decode()
    assert page.index("Apparier maintenant") < page.index("Rappeler à la table")


def test_no_justification_can_wait_where_there_is_none(club, as_user):
    day = club.evening.held_on.isoformat()
    page = as_user(club.arbiter.user).get(reverse("pairings:evening_close", kwargs={"day": day}))
    shown = page.content.decode()
    assert "Justifications à lire" in shown and "Aucune." in shown
    assert "peut attendre" not in shown


def test_a_bye_is_no_table_that_was_called(club, as_user):
    presence.go_home(
        evening=club.evening, member=club.members[0], by=club.player(club.members[0]), at=NOW
    )
    day = club.evening.held_on.isoformat()
    desk, address = (
        as_user(club.arbiter.user),
        reverse("pairings:pair_preview", kwargs={"day": day}),
    )
    seen = desk.get(address).context["seen"]
    answered = desk.post(address, {"seen": seen}, follow=True).content.decode()
    assert club.evening.matches.count() == 5 and "4 tables appelées." in answered


def test_who_waits_alone_has_a_bye_recorded_and_no_table_called(club, as_user):
    pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=NOW)
    club.check_in(club.join("Zoé"))
    day = {"day": club.evening.held_on.isoformat()}
    page = as_user(club.arbiter.user).get(reverse("pairings:pair_preview", kwargs=day))
    shown = page.content.decode()
    assert "Noter l’exemption" in shown and "Appeler ces tables" not in shown


def test_the_trail_of_an_evening_names_its_page_apart_from_that_of_the_club(club, as_user):
    day = {"day": club.evening.held_on.isoformat()}
    for name in ("pair_preview", "evening_close"):
        page = as_user(club.arbiter.user).get(reverse(f"pairings:{name}", kwargs=day))
        crumbs = page.content.decode().partition("Fil d’Ariane")[2].partition("</nav>")[0]
        assert ">Gérer la soirée</a>" in crumbs and "Gestion" not in crumbs


def test_who_is_called_to_a_table_of_a_tournament_does_not_wait_here(club, as_user):
    """No pairing takes them: the director reads where they are, and does not choose them by hand."""
    published = publish(club, frozen(club, 4, system="swiss", round_count=3), 1)
    match = published.matches.first()
    page = control(club, as_user)
    busy = {row.member_id for row in page.context["elsewhere"]}
    assert busy == {member.pk for member in club.members[:4]}
    assert busy.isdisjoint(row.member_id for row in page.context["waiting"])
    assert busy.isdisjoint(
        page.context["pair_form"].fields["first"].queryset.values_list("pk", flat=True)
    )
    words = " ".join(page.content.decode().replace("\u00a0", " ").split())
    assert "À une table de tournoi : " in words and match.first.full_name in words
    for played in published.matches.all():
        club.record(played, Result("played", 400, 350))
    assert control(club, as_user).context["elsewhere"] == []
