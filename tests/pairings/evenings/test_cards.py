"""The card of "Ma soirée": one state, one template."""

from __future__ import annotations

import inspect
import re
from datetime import timedelta

import pytest
import time_machine
from django.conf import settings
from django.template import Template
from django.template.base import TextNode
from django.template.defaulttags import IfNode
from django.template.loader import get_template
from django.template.loader_tags import IncludeNode
from django.urls import reverse

from clubs.members import actions as members
from pairings.evenings import actions as evenings
from pairings.evenings.admission import presence
from pairings.evenings.player_page import card as player_card
from pairings.evenings.views import player
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from tests.clubhouse import account
from tests.plugins.clock import NOW

CARDS = settings.BASE_DIR / "templates/pairings/evenings/cards"


def test_each_state_of_the_card_has_its_template_and_each_template_its_state():
    source = inspect.getsource(player_card) + inspect.getsource(player)
    states = set(re.findall(r'(?:Card\(|: |else |state = )"(\w+)"', source)) | {"stranger"}
    assert states == {path.stem for path in CARDS.glob("[a-z]*.html")}


def test_a_member_who_has_not_come_yet_is_shown_how_to_note_their_arrival(club, as_user):
    late = club.join("Tard", "Venu")
    members.link_account(member=late, user=account("tard"), by=club.committee, at=NOW)
    assert player_card.my_card(late, club.organisation, match=None, at=NOW).state == "arrive"
    page = as_user(late.user).get(f"/c/{club.organisation.slug}/ma-soiree/")
    assert page.status_code == 200 and "Je suis là" in page.content.decode()


def filled_buttons(nodes) -> int:
    """Return the most filled buttons that one rendering of these nodes can show."""
    most = 0
    for node in nodes:
        if isinstance(node, TextNode):
            most += node.s.count("btn--primary")
        elif isinstance(node, IncludeNode) and isinstance(node.template.var, str):
            most += filled_buttons(get_template(node.template.var).template.nodelist)
        elif isinstance(node, IfNode):
            most += max(filled_buttons(branch) for _condition, branch in node.conditions_nodelists)
        else:
            inner = [getattr(node, name, ()) for name in node.child_nodelists]
            most += sum(filled_buttons(one) for one in inner)
    return most


@pytest.mark.parametrize("path", sorted(CARDS.glob("*.html")), ids=lambda path: path.stem)
def test_a_card_has_a_sentence_and_at_most_one_filled_button(path):
    nodes = get_template(f"pairings/evenings/cards/{path.name}").template.nodelist
    assert filled_buttons(nodes) <= 1
    if not path.stem.startswith("_"):
        assert re.search(r"<h2|_empty\.html", path.read_text())


def test_filled_buttons_of_branches_are_counted_once_and_of_includes_too():
    def count(text: str) -> int:
        return filled_buttons(Template(text).nodelist)

    assert count("{% if a %}btn--primary{% else %}btn--primary{% endif %}") == 1
    assert count("{% if a %}btn--primary{% endif %}{% with b=1 %}btn--primary{% endwith %}") == 2
    assert count('{% include "pairings/evenings/cards/playing.html" %}btn--primary') == 2


def test_the_wall_invites_nobody_in_while_the_evening_closes(club, as_user):
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)
    wall = reverse("pairings:board", kwargs={"day": club.evening.held_on.isoformat()})
    shown = as_user().get(wall).content.decode()
    assert "Tous les matchs sont terminés" in shown
    assert "arrivées sont ouvertes" not in shown and "Vous arrivez" not in shown


@pytest.mark.parametrize("name", ["board", "evening"])
def test_nobody_waits_for_a_table_once_no_more_are_called(club, as_user, name):
    page = reverse(f"pairings:{name}", kwargs={"day": club.evening.held_on.isoformat()})
    for begin, waiting in (
        (None, True),
        (evenings.last_games, False),
        (evenings.begin_closing, False),
    ):
        if begin is not None:
            begin(evening=club.evening, by=club.arbiter, at=club.at)
        shown = " ".join(as_user().get(page).content.decode().split())
        assert "10 présents" in shown
        assert ("10 attendent" in shown) is waiting


@pytest.mark.parametrize("name", ["board", "evening"])
def test_who_takes_a_pause_does_not_wait(club, as_user, name):
    """As on the arbiter's page, where they stand apart."""
    member = club.members[0]
    presence.pause(evening=club.evening, member=member, by=club.player(member), at=club.at)
    page = reverse(f"pairings:{name}", kwargs={"day": club.evening.held_on.isoformat()})
    for later, words in ((timedelta(0), "9 attendent"), (presence.PAUSE, "10 attendent")):
        with time_machine.travel(club.at + later, tick=False):
            shown = " ".join(as_user().get(page).content.decode().split())
        assert words in shown and "10 présents" in shown


def test_last_games_do_not_deny_the_table_that_an_arbiter_may_still_call(club, as_user):
    reader = as_user(club.members[0].user)
    evenings.last_games(evening=club.evening, by=club.arbiter, at=club.at)
    wall = reverse("pairings:board", kwargs={"day": club.evening.held_on.isoformat()})
    for page in (reverse("pairings:my_evening"), wall):
        assert "sauf décision de l’arbitre" in reader.get(page).content.decode(), page
    assert "Je m’arrête là" in reader.get(reverse("pairings:my_evening")).content.decode()
    club.match(*club.members[:2])
    assert "À table" in reader.get(reverse("pairings:my_evening")).content.decode()


def test_the_wall_promises_no_ranking_while_a_match_is_open(club, as_user):
    match, _both = club.match()
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)
    wall = reverse("pairings:board", kwargs={"day": club.evening.held_on.isoformat()})
    shown = as_user().get(wall).content.decode()
    assert "le classement se calcule après le dernier match" in shown
    assert "Calcul du classement" not in shown
    match_actions.cancel(match=match, reason="Fin", by=club.arbiter, at=club.at)
    assert "Calcul du classement" in as_user().get(wall).content.decode()


def test_a_player_reads_that_ratings_wait_for_the_arbiter_who_closes(club, as_user):
    """Nothing is calculated by itself when the last match is over."""
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)
    reader = as_user(club.members[0].user)
    page = reader.get(reverse("pairings:my_evening")).content.decode()
    assert "Les cotes sont calculées quand l’arbitre clôture" in page


@pytest.mark.parametrize("name", ["my_evening", "control", "evening"])
def test_a_live_page_is_read_again_by_hand_without_scripts(club, as_user, name):
    day = {} if name == "my_evening" else {"day": club.evening.held_on.isoformat()}
    page = as_user(club.arbiter.user).get(reverse(f"pairings:{name}", kwargs=day))
    without = page.content.decode().partition("<noscript>")[2].partition("</noscript>")[0]
    assert 'href=""' in without and "Rafraîchir" in without


def test_only_two_versions_with_scores_differ(club, as_user):
    match, (one, other) = club.entered()
    match_actions.contest(match=match, by=other, at=club.at, words="On joue encore")
    page = as_user(one.user).get("/ma-soiree/", follow=True).content.decode()
    assert "Sans autre score." in page and "(score qui diffère)" not in page


def test_a_row_of_the_wall_says_how_long_it_may_or_did_take(club, as_user):
    called, _both = club.match()
    sent, _players = club.entered()
    wall = reverse("pairings:board", kwargs={"day": club.evening.held_on.isoformat()})
    with time_machine.travel(club.at + timedelta(seconds=70), tick=False):
        shown = as_user().get(wall).content.decode()
    sent.refresh_from_db()
    ends = sent.contest_until.isoformat()
    assert f'À confirmer <span data-until-short="{ends}">3:50</span>' in shown
    ends = called.competition.call_ends().isoformat()
    assert f'À table\u00a0! <span data-until-short="{ends}">' in shown
    Match.objects.filter(pk=called.pk).update(status="playing", started_at=club.at)
    with time_machine.travel(club.at + timedelta(minutes=31), tick=False):
        shown = as_user().get(wall).content.decode()
    assert f'<span data-since="{club.at.isoformat()}">31</span>&nbsp;min' in shown


@pytest.mark.parametrize(("grace", "hour"), [(240, "20:04"), (900, "20:15")])
def test_a_called_card_waits_until_the_minute_from_which_an_absence_may_be_reported(
    club, as_user, grace, hour
):
    match, (a, _b) = club.match()
    book = club.rule_book({"match": {"absence_grace_s": grace}})
    Match.objects.filter(pk=match.pk).update(rule_book=book)
    shown = as_user(a.user).get(reverse("pairings:my_evening")).content.decode()
    assert f"On vous y attend jusqu’à {hour}." in shown
    assert f"Une absence peut être signalée à partir de {hour}." in shown


def test_a_wall_without_tables_and_a_phone_without_an_evening_say_what_comes(club, as_user):
    wall = reverse("pairings:board", kwargs={"day": club.evening.held_on.isoformat()})
    shown = as_user().get(wall).content.decode()
    assert 'class="wall-wait"' in shown and "Les arrivées sont ouvertes" in shown
    club.evening.check_ins.all().delete()
    club.close()
    page = as_user(club.members[0].user).get("/ma-soiree/", follow=True).content.decode()
    assert "Pas de soirée annoncée" in page and "Le comité annoncera la prochaine date ici." in page


def screen_stays_on(member, club, match=None):
    card = player_card.my_card(member, club.organisation, match=match, at=club.at)
    return card.state, card.keeps_screen_on


def test_the_screen_stays_on_for_who_waits_after_a_result_too(club):
    match, (one, other) = club.match()
    assert screen_stays_on(one.member, club, match) == ("called", True)
    sent = match_actions.enter_score(
        match=match, by=one, mine=389, theirs=398, key="screen", at=club.at
    )
    assert screen_stays_on(one.member, club, sent) == ("sent", False)
    assert screen_stays_on(other.member, club, sent) == ("to_confirm", True)
    ended = match_actions.confirm(match=sent, by=other, at=club.at)
    assert screen_stays_on(one.member, club, ended) == ("result", True)
    presence.pause(evening=club.evening, member=other.member, by=other, at=club.at)
    assert screen_stays_on(other.member, club, ended) == ("paused", False)
    evenings.last_games(evening=club.evening, by=club.arbiter, at=club.at)
    assert screen_stays_on(one.member, club, ended) == ("result", False)


def test_the_screen_stays_on_while_a_confirmed_result_may_still_be_contested(club):
    match, (one, other) = club.match()
    sent = match_actions.enter_score(
        match=match, by=one, mine=389, theirs=398, key="screen", at=club.at
    )
    sent.confirmed = True
    assert screen_stays_on(other.member, club, sent) == ("agreed", True)


def test_a_card_that_changes_by_itself_is_said_politely(club, as_user):
    """One live region for the words; the card itself is none, or a reader would hear all of it again."""
    html = as_user(club.members[0].user).get("/c/faizers/ma-soiree/").content.decode()
    assert 'class="hidden-text" role="status" data-say' in html
    card = html.split("<!--card-->")[1].split("<!--/card-->")[0]
    assert "aria-live" not in card and 'role="alert"' not in card and 'role="status"' not in card
