"""The arbiter's pages with real rows: evening, desk, contests, corrections, absences, sanctions."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse
from django.utils import translation

from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.models import Member
from clubs.sanctions.models import Sanction
from clubs.ui.french import written
from pairings.absences import actions as absences
from pairings.absences.models import Absence
from pairings.arbitration import actions as arbitration
from pairings.arbitration.models import Contest
from pairings.evenings import pairing
from pairings.evenings.admission import presence
from pairings.evenings.models import CheckIn, PairingRun
from pairings.matches import actions as match_actions
from pairings.matches.models import Decision, Match
from pairings.ranking import season
from pairings.rules.match_state import Result
from ratings.ledger.models import StandingCote
from tests.clubhouse import NOW
from tests.pages import url, words
from tests.printed_fields import Printed

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def evening_clock():
    """Freeze the clock at that evening, ten minutes after the pairing."""
    with time_machine.travel(NOW + timedelta(minutes=10), tick=False) as clock:
        yield clock


@pytest.fixture
def desk(club, as_user):
    """Return the client of the arbiter's tablet."""
    return as_user(club.arbiter.user)


@pytest.fixture
def chair(club, as_user):
    """Return the client of a committee member."""
    return as_user(club.committee.user)


def day(club) -> dict[str, str]:
    return {"day": club.evening.held_on.isoformat()}


def act(client, club, name: str, **data):
    return client.post(url("evening_act", act=name, **day(club)), data)


def contested(club, *, entered=(400, 350), claimed=(380, 390)):
    """Return a match entered by one, and contested two minutes later with other scores."""
    match, (a, b) = club.match()
    at = club.at + timedelta(minutes=7)
    match_actions.submit(match=match, by=a, scores=entered, at=at)
    match_actions.contest(
        match=match,
        by=b,
        at=at + timedelta(minutes=2),
        words="Mon dernier coup manque.",
        scores=claimed,
    )
    match.refresh_from_db()
    return match, match.contests.get()


def final(club, scores=(400, 350), first=None, second=None):
    return club.played(first, second, scores=scores)[0]


def read(client, address: str, data: dict) -> dict:
    """Read the effect of a decision; return what the button under it sends."""
    seen = client.post(address, {**data, "preview": "1"}).context["seen"]
    return {**data, "seen": seen, "decide": "1"}


# The evening


def test_the_control_page_shows_the_queue_the_tables_and_who_waits(club, desk):
    match, _contest = contested(club)
    called, _players = club.match()
    page = words(desk.get(url("control", **day(club))))
    assert "Litige · table 1" in page
    assert f"{called.first} – {called.second}" in page
    waiting = CheckIn.objects.filter(evening=club.evening, state="waiting")
    assert waiting.count() == 6
    assert all(str(row.member) in page for row in waiting)
    assert str(match.first) in page and "hx-get" in page


def test_the_moving_part_holds_no_text_field(club, desk):
    contested(club)
    answer = desk.get(url("control_live", **day(club)))
    page = answer.content.decode()
    assert "<select" not in page and "<textarea" not in page and 'type="text"' not in page
    assert page.lstrip().startswith("<div") and "<html" not in page


def test_the_buttons_lead_an_evening_from_its_doors_to_its_closing(club, desk):
    club.close()
    evening = club.announce(club.at + timedelta(days=7), auto_pair=False)
    club.evening = evening
    for name, state in (
        ("ouvrir", "open"),
        ("commencer", "running"),
        ("dernieres", "last_games"),
        ("commencer", "running"),
        ("dernieres", "last_games"),
        ("clore", "closing"),
    ):
        assert (
            f"conduite/{name}/" in words(desk.get(url("control", **day(club)))) or name == "clore"
        )
        assert act(desk, club, name).status_code == 302
        evening.refresh_from_db()
        assert evening.state == state
    assert desk.post(url("evening_close", **day(club))).status_code == 302
    evening.refresh_from_db()
    assert evening.state == "closed"


@pytest.mark.parametrize("page", ["control", "evening_close"])
def test_a_page_read_before_the_last_games_were_taken_back_moves_nothing(club, desk, page):
    """The button is of the state that was read: "commencer" begins, or takes the last games back."""
    act(desk, club, "dernieres")
    read = words(desk.get(url(page, **day(club))))
    assert '<input type="hidden" name="seen" value="last_games">' in read
    act(desk, club, "commencer")
    stale = {"control": url("evening_act", act="clore", **day(club))}.get(
        page, url(page, **day(club))
    )
    answer = desk.post(stale, {"seen": "last_games"}, follow=True)
    assert "Cette soirée vient de changer d’état" in words(answer)
    club.evening.refresh_from_db()
    assert club.evening.state == "running"


def test_who_begins_the_matches_takes_back_no_last_games(club, desk):
    act(desk, club, "dernieres")
    begins = url("evening_act", act="commencer", **day(club))
    assert "vient de changer d’état" in words(desk.post(begins, {"seen": "open"}, follow=True))
    club.evening.refresh_from_db()
    assert club.evening.state == "last_games"


def test_a_button_of_a_stale_page_says_so_and_changes_nothing(club, desk):
    answer = desk.post(url("evening_act", act="ouvrir", **day(club)), follow=True)
    assert "Cette soirée vient de changer d’état" in words(answer)
    club.evening.refresh_from_db()
    assert club.evening.state == "running"


def test_automatic_pairing_is_switched_on_and_off(club, desk):
    shown = words(desk.get(url("control", **day(club))))
    assert re.search(r'id="auto-pair" name="on" value="yes"', shown)
    act(desk, club, "auto", on="yes")
    club.evening.refresh_from_db()
    assert club.evening.auto_pair and Match.objects.open().count() == 5
    shown = words(desk.get(url("control", **day(club))))
    assert re.search(r'id="auto-pair" name="on" value="no"', shown)
    act(desk, club, "auto", on="no")
    club.evening.refresh_from_db()
    assert not club.evening.auto_pair


def test_two_arbiters_who_press_the_same_button_get_what_it_says(club, desk):
    """The second page is old: its button says what to do, not to turn it over."""
    entries = JournalEntry.objects.filter(verb="evening_auto_pair")
    for _arbiter in range(2):
        act(desk, club, "auto", on="yes")
    club.evening.refresh_from_db()
    assert club.evening.auto_pair and entries.count() == 1


def test_the_choices_of_an_evening_that_is_over_stay(club, desk):
    club.close()
    for name in ("auto", "invites"):
        answer = desk.post(url("evening_act", act=name, **day(club)), {"on": "yes"}, follow=True)
        assert "Cette soirée vient de changer d’état" in words(answer)
    before = club.evening.auto_pair, club.evening.guests_wait
    club.evening.refresh_from_db()
    assert (club.evening.auto_pair, club.evening.guests_wait) == before


def test_a_planned_evening_is_cancelled_only_with_a_reason(club, desk):
    club.close()
    club.evening = club.announce(club.at + timedelta(days=7))
    answer = act(desk, club, "annuler", reason="")
    assert answer.status_code == 422
    club.evening.refresh_from_db()
    assert club.evening.state == "planned"
    act(desk, club, "annuler", reason="salle fermée")
    club.evening.refresh_from_db()
    assert club.evening.state == "cancelled"


def test_two_people_are_paired_by_hand_with_a_reason(club, desk):
    a, b = club.members[:2]
    answer = act(desk, club, "apparier", first=a.pk, second=b.pk, reason=" ")
    assert answer.status_code == 422 and not Match.objects.exists()
    assert f'<option value="{a.pk}" selected' in answer.content.decode()
    answer = act(desk, club, "apparier", first=a.pk, second=a.pk, reason="x")
    assert answer.status_code == 422 and "deux personnes différentes" in words(answer)
    assert (
        act(desk, club, "apparier", first=a.pk, second=b.pk, reason="débutants").status_code == 302
    )
    match = Match.objects.get()
    assert match.pairing_reason["words"] == "débutants"


def test_a_pairing_by_hand_tells_halves_of_pr(club, desk):
    """3,5 and 1 against two at 0, and 3,5 against 1."""
    club.evening.rule_book = club.rule_book({"pairing": {"pr_win": 3.5}})
    club.evening.save(update_fields=["rule_book"])
    _match, (winner, loser) = club.played(scores=(400, 300))
    asked = {"first": winner.member.pk, "second": loser.member.pk}
    page = words(desk.get(url("pair_preview", **day(club)), asked))
    assert "Écart entre adversaires (PR) : 4,50 avant, 2,50 après." in page


def test_a_pairing_by_hand_shows_what_it_costs_before_a_table_is_called(club, desk):
    _match, (a, b) = club.played(scores=(400, 300))
    one, other = a.member, b.member
    asked = {"first": one.pk, "second": other.pk, "reason": "venus ensemble"}
    form = words(desk.get(url("control", **day(club))))
    assert "Voir ce que cela coûte" in form
    page = words(desk.get(url("pair_preview", **day(club)), asked))
    assert "Ce que cet appariement coûterait" in page
    assert f"Revanche : {one.full_name} – {other.full_name} (" in page
    assert "Revanches : 0 avant, 1 après." in page
    assert "Écart entre adversaires (PR)" in page
    assert 'value="venus ensemble"' in page
    assert Match.objects.count() == 1
    assert act(desk, club, "apparier", **asked).status_code == 302
    assert Match.objects.count() == 2


@pytest.mark.parametrize("second", ["same", "playing", ""])
def test_the_cost_of_no_pair_is_refused_and_the_choice_stays(club, desk, second):
    first, playing = club.members[:2]
    club.match(playing, club.members[2])
    chosen = {"same": first.pk, "playing": playing.pk, "": ""}[second]
    asked = {"first": first.pk, "second": chosen}
    refused = desk.get(url("pair_preview", **day(club)), asked)
    assert refused.status_code == 422 and "Ce que cet" not in words(refused)
    assert f'<option value="{first.pk}" selected' in refused.content.decode()


def test_a_pair_that_the_rules_propose_is_said_to_be_so(club, desk):
    waiting = pairing.waiting_ids(club.evening, club.at)
    proposed = season.propose(club.evening, waiting).pairs[0]
    asked = {"first": proposed.first, "second": proposed.second}
    page = words(desk.get(url("pair_preview", **day(club)), asked))
    assert "une table de l’appariement proposé" in page
    assert "Revanche" not in page


def test_nobody_of_another_club_is_paired_by_hand(club, neighbours, desk):
    stranger = neighbours.members[0]
    address = "/c/faizers" + url("evening_act", act="apparier", **day(club))
    answer = desk.post(address, {"first": club.members[0].pk, "second": stranger.pk, "reason": "x"})
    assert answer.status_code == 422 and not Match.objects.exists()


def test_two_tables_are_swapped_with_a_reason(club, desk):
    one, _p = club.match()
    other, _q = club.match()
    answer = act(desk, club, "echanger", one=one.pk, other=one.pk, reason="x")
    assert answer.status_code == 422
    act(desk, club, "echanger", one=one.pk, other=other.pk, reason="voisins de table")
    open_pairs = {(m.first_id, m.second_id) for m in Match.objects.open()}
    assert open_pairs == {(one.first_id, other.second_id), (other.first_id, one.second_id)}


def test_called_tables_where_nobody_sits_are_one_line_that_leads_to_them(club, desk, evening_clock):
    alone, (player, _other) = club.match()
    for _table in range(3):
        club.match()
    match_actions.sit_down(match=alone, by=player, at=club.at)
    evening_clock.move_to(NOW + timedelta(hours=1))
    line = "3 tables appelées, personne n’y est assis"
    tables = url("control", **day(club)) + "#tables"
    for page in (url("control", **day(club)), url("arbiter")):
        shown = words(desk.get(page))
        assert shown.count(line) == 1 and f'href="{tables}"' in shown
        assert shown.count("Table appelée, match non commencé") == 1
    assert 'id="tables"' in words(desk.get(url("control", **day(club))))


# The proposal


def test_reading_the_proposal_pairs_nobody_and_shows_the_reasons(club, desk):
    page = words(desk.get(url("pair_preview", **day(club))))
    assert not PairingRun.objects.exists()
    assert page.count("<b>Prénom") == 5
    assert page.count("le mieux classé contre le moins bien classé") == 1


def test_a_reason_of_two_pairs_stands_under_each(club, desk):
    for member in club.members[2:]:
        presence.go_home(evening=club.evening, member=member, by=club.arbiter, at=club.at)
    page = desk.get(url("pair_preview", **day(club)))
    assert len(page.context["plan"]["pairs"]) == 2
    assert words(page).count("le mieux classé contre le moins bien classé") == 2


def test_calling_the_tables_makes_exactly_what_was_shown(club, desk):
    address = url("pair_preview", **day(club))
    page = desk.get(address)
    answer = desk.post(address, {"seen": page.context["seen"]})
    assert answer.status_code == 302
    shown = [(pair["first"], pair["second"]) for pair in page.context["plan"]["pairs"]]
    made = [(str(m.first), str(m.second)) for m in Match.objects.order_by("pk")]
    assert made == shown


def test_when_somebody_arrived_meanwhile_the_arbiter_reads_the_new_proposal_first(club, desk):
    address = url("pair_preview", **day(club))
    seen = desk.get(address).context["seen"]
    presence.go_home(evening=club.evening, member=club.members[3], by=club.arbiter, at=club.at)
    answer = desk.post(address, {"seen": seen})
    assert answer.status_code == 422 and "vient de changer" in words(answer)
    assert not Match.objects.exists()


def test_a_proposal_that_is_sent_twice_gives_one_bye(club, desk):
    """Who has had a bye waits as before: the same people, and another bye that nobody has read."""
    alone = club.members[0]
    CheckIn.objects.filter(evening=club.evening).exclude(member=alone).update(state="left")
    address = url("pair_preview", **day(club))
    seen = desk.get(address).context["seen"]
    assert desk.post(address, {"seen": seen}).status_code == 302
    again = desk.post(address, {"seen": seen})
    assert again.status_code == 422 and "limite d’exemptions consécutives" in words(again)
    assert Match.objects.filter(first=alone, kind="bye").count() == 1


def test_an_early_repeat_is_called_only_with_the_box_ticked(club, desk):
    one, other = club.members[:2]
    final(club, first=one, second=other)
    CheckIn.objects.filter(evening=club.evening).exclude(member__in=[one, other]).update(
        state="left"
    )
    address = url("pair_preview", **day(club))
    page = desk.get(address)
    assert 'name="early"' in page.content.decode() and "revanche avant le délai" in words(page)
    seen = page.context["seen"]
    assert desk.post(address, {"seen": seen}).status_code == 422
    assert Match.objects.count() == 1
    outdated = desk.post(address, {"seen": "0", "early": "on"})
    assert outdated.status_code == 422 and "checked" in Printed(outdated, "early").attributes
    assert desk.post(address, {"seen": seen, "early": "1"}).status_code == 302
    assert Match.objects.count() == 2


def test_an_avoidable_repeat_shows_the_alternative_and_one_button_takes_it(club, desk):
    """Four players wait; the literal rule repeats a match that another drawing avoids."""
    repeat_that_could_be_avoided(club)
    address = url("pair_preview", **day(club))
    page = desk.get(address)
    assert page.context["alternative"] is not None
    assert any(pair["repeat"] for pair in page.context["plan"]["pairs"])
    assert not any(pair["repeat"] for pair in page.context["alternative"]["pairs"])
    assert "Éviter cette revanche" in words(page)
    desk.post(address, {"seen": page.context["seen"], "avoid": "1"})
    run = PairingRun.objects.get()
    assert run.strategy == "optimal"
    assert [(str(m.first), str(m.second)) for m in run.matches.order_by("pk")] == [
        (pair["first"], pair["second"]) for pair in page.context["alternative"]["pairs"]
    ]


def repeat_that_could_be_avoided(club):
    """Return players for whom the rule makes an avoidable repeat.

    First and last never met, so the rule pairs them; the two between have met.
    """
    first, second, third, last, *others = club.members[:6]
    for opponent in others:
        final(club, first=first, second=opponent)
    final(club, first=second, second=third)
    four = [first, second, third, last]
    CheckIn.objects.filter(evening=club.evening).exclude(member__in=four).update(state="left")
    return four


def test_a_suspended_person_who_waits_is_not_in_the_proposal(club, desk):
    suspend(club, club.members[0])
    page = words(desk.get(url("pair_preview", **day(club))))
    assert str(club.members[0]) not in page


def suspend(club, member):
    """Suspend a member for two evenings, and end tonight at once."""
    return Sanction.objects.create(
        member=member,
        status=Sanction.Status.IMPOSED,
        proposed_at=club.at,
        decided_at=club.at,
        reason="trois absences",
        trigger_key="t",
        grounds={},
        suspended_evenings=2,
        suspended_tonight=True,
    )


# Check-in


def test_the_desk_finds_names_without_accents_and_by_number(club, desk):
    member = club.join("Béatrice", "Œhler")
    address = url("checkin_desk", **day(club))
    for typed in ("oehler", "OEHLER b", str(member.number)):
        rows = desk.get(address, {"q": typed}).context["rows"]
        assert [row["member"].pk for row in rows] == [member.pk], typed
    assert "Personne ne correspond" in words(desk.get(address, {"q": "zzz"}))


def test_one_tap_arrives_one_tap_leaves(club, desk):
    member = club.members[0]
    address = url("checkin_desk", **day(club))
    said = words(desk.post(address, {"member": member.pk, "leave": "1"}, follow=True))
    row = CheckIn.objects.get(evening=club.evening, member=member)
    assert row.state == "left" and f"{member} : départ noté." in said
    assert "plus là" in words(desk.get(address, {"q": str(member.number)}))
    said = words(desk.post(address, {"member": member.pk}, follow=True))
    row.refresh_from_db()
    assert row.state == "waiting" and f"{member} : arrivée notée." in said


def test_the_desk_goes_back_to_the_line_pressed_or_to_the_search_that_found_it(club, desk):
    member = club.members[0]
    address = url("checkin_desk", **day(club))
    for query, act, back in (
        ("", {"leave": "1"}, f"{address}#m{member.pk}"),
        ("?q=prenom0", {}, address),
    ):
        answer = desk.post(address + query, {"member": member.pk, **act})
        assert answer.status_code == 302 and answer["Location"] == back
    page = words(desk.get(address))
    (line,) = re.findall(rf'<li [^>]*id="m{member.pk}"[^>]*>', page)
    assert 'tabindex="-1"' in line  # the focus goes there


def test_a_guest_plays_at_once_and_a_nameless_one_does_not(club, desk):
    address = url("checkin_desk", **day(club))
    answer = desk.post(address, {"first_name": "", "last_name": "D"})
    assert answer.status_code == 422 and 'value="D"' in answer.content.decode()
    said = words(desk.post(address, {"first_name": "Zoé", "last_name": "D"}, follow=True))
    assert "Zoé D : arrivée notée." in said
    guest = Member.objects.get(first_name="Zoé")
    assert guest.is_guest and CheckIn.objects.get(member=guest).state == "waiting"


def test_the_desk_says_why_a_suspended_person_may_not_come_in(club, desk):
    member = club.members[0]
    CheckIn.objects.filter(member=member).delete()
    suspend(club, member)
    address = url("checkin_desk", **day(club))
    page = words(desk.post(address, {"member": member.pk}, follow=True))
    assert "la suspension porte encore sur 2 soirées. Motif : trois absences" in page
    assert "suspension : encore 2 soirées" in page or "encore 2 soirées" in page
    assert not CheckIn.objects.filter(member=member).exists()


def test_a_member_of_another_club_is_not_found_at_the_desk(club, neighbours, desk):
    address = "/c/faizers" + url("checkin_desk", **day(club))
    assert desk.post(address, {"member": neighbours.members[0].pk}).status_code == 404
    assert desk.post(address, {"member": "1 or 1"}).status_code == 404


# Closing


def test_closing_waits_for_open_matches_and_lists_them(club, desk):
    match, _contest = contested(club)
    address = url("evening_close", **day(club))
    page = words(desk.get(address))
    assert f"{match.first} – {match.second}" in page and "1 match encore ouvert" in page
    answer = desk.post(address, follow=True)
    assert "terminez-le avant de clôturer" in words(answer)
    club.evening.refresh_from_db()
    assert club.evening.state == "closing"
    club.decide(match, Result("cancelled"), "x")
    desk.post(address)
    club.evening.refresh_from_db()
    assert club.evening.state == "closed"


# A contest


def test_a_contest_shows_both_versions_and_the_difference(club, desk):
    _match, contest = contested(club)
    answer = desk.get(url("dispute", contest_id=contest.pk))
    versions = answer.context["versions"]
    assert [[line["score"] for line in v["lines"]] for v in versions] == [[400, 350], [380, 390]]
    assert all(line["differs"] for v in versions for line in v["lines"])
    page = words(answer)
    assert "Mon dernier coup manque." in page and "respecté (2:00 après la saisie)" in page


@pytest.mark.parametrize(
    ("seconds", "printed"), [(60, "de 1 minute"), (150, "de 2,5 minutes"), (300, "de 5 minutes")]
)
def test_the_time_to_contest_is_told_as_the_rules_have_it(club, desk, seconds, printed):
    match, _players = club.contested()
    contest = Contest.objects.get(match=match)
    book = club.rule_book({"match": {"contest_window_s": seconds}})
    Match.objects.filter(pk=match.pk).update(rule_book=book)
    assert f"Délai de contestation {printed}" in words(
        desk.get(url("dispute", contest_id=contest.pk))
    )


def test_the_effect_is_what_the_browser_goes_to_when_it_was_asked_for(club, desk):
    """Without JavaScript the page is read again: its top is two screens above the effect."""
    _match, contest = contested(club)
    called, _players = club.match()
    for address in (
        url("dispute", contest_id=contest.pk),
        url("match_judge", match_id=called.pk),
    ):
        page = words(desk.get(address))
        assert 'name="preview" value="1" formaction="#effect"' in page and 'id="effect"' in page


def test_a_contest_has_both_photos_and_the_history_with_its_hours(club, desk):
    match, (a, b) = club.match()
    at = club.at + timedelta(minutes=7)
    match_actions.submit(match=match, by=a, scores=(400, 350), at=at, photo="feuille.jpg")
    match_actions.contest(
        match=match, by=b, at=at + timedelta(minutes=2), scores=(380, 390), photo="autre.jpg"
    )
    page = words(desk.get(url("dispute", contest_id=match.contests.get().pk)))
    for sent in (match.submissions.get().pk, 0):  # the sheet of each player
        photo = url("photo", match_id=match.pk, submission_id=sent)
        assert f'<a href="{photo}">' in page and f'src="{photo}"' in page
    assert f"par {a.member.full_name}, 20:07" in page and f"par {b.member.full_name}, 20:09" in page
    history = re.sub("<[^>]*>", "", page.split('<ol class="timeline">')[1].split("</ol>")[0])
    assert f"20:07 {a.member.first_name} saisit 400 – 350" in history
    assert f"20:09 {b.member.first_name} conteste" in history


def test_only_the_figure_that_differs_is_marked(club, desk):
    _match, contest = contested(club, entered=(400, 350), claimed=(400, 390))
    versions = desk.get(url("dispute", contest_id=contest.pk)).context["versions"]
    assert [line["differs"] for line in versions[0]["lines"]] == [False, True]


def test_no_decision_is_chosen_before_the_arbiter_chooses(club, desk):
    """The contester's version has no better place than the others, and no effect stands below."""
    _match, contest = contested(club)
    answer = desk.get(url("dispute", contest_id=contest.pk))
    form = answer.content.decode().split("Votre décision")[1]
    assert 'value="take"' in form and "checked" not in form
    assert answer.context["effect"] is None and 'name="seen"' not in form


@pytest.mark.parametrize("read_choice", [None, "keep"])
def test_a_ruling_without_its_own_effect_read_shows_it_and_changes_nothing(club, desk, read_choice):
    match, contest = contested(club)
    address = url("dispute", contest_id=contest.pk)
    data = {"version": match.version, "choice": "take", "reason": "feuille recomptée"}
    sent = {**data, "decide": "1"}
    if read_choice:
        sent["seen"] = read(desk, address, {**data, "choice": read_choice})["seen"]
    answer = desk.post(address, sent)
    assert answer.status_code == 422 and "Lisez l’effet de cette décision" in words(answer)
    assert "feuille recomptée" in words(answer) and answer.context["effect"].rows
    match.refresh_from_db()
    assert match.status == "contested"
    shown = answer.context["seen"]
    assert desk.post(address, {**sent, "seen": shown}).status_code == 302


def test_an_effect_that_changed_since_it_was_read_is_read_again(club, desk):
    match, contest = contested(club)
    address = url("dispute", contest_id=contest.pk)
    data = {"version": match.version, "choice": "take", "reason": "feuille recomptée"}
    sent = read(desk, address, data)
    final(club)  # of two others: ranks move, the points and cotes of this match do not
    assert read(desk, address, data)["seen"] == sent["seen"]
    Match.objects.filter(pk=match.pk).update(first_score=380, second_score=390)
    answer = desk.post(address, sent)
    assert answer.status_code == 422 and "Lisez l’effet" in words(answer)


def test_a_ruling_that_moves_tie_breaks_alone_says_so(club, desk):
    match, contest = contested(club, entered=(400, 350), claimed=(410, 350))
    answer = desk.post(
        url("dispute", contest_id=contest.pk),
        {"preview": "1", "version": match.version, "choice": "take"},
    )
    assert answer.context["effect"].rows == [] and answer.context["effect"].ties_changed
    page = words(answer)
    assert "Seul le départage de" in page and "Aucun joueur touché" not in page


def test_the_effect_of_each_choice_is_shown_before_and_nothing_is_written(club, desk):
    match, contest = contested(club)
    address = url("dispute", contest_id=contest.pk)
    base = {"preview": "1", "version": match.version}
    gains = {}
    for choice, more in (
        ("keep", {}),
        ("take", {}),
        ("other", {"first_score": "380", "second_score": "380"}),
        ("absent_b", {}),
        ("absent_both", {}),
        ("cancel", {}),
    ):
        answer = desk.post(address, {**base, "choice": choice, **more})
        assert answer.status_code == 200, choice
        effect = answer.context["effect"]
        gains[choice] = {row.member.pk: (row.pr[1], row.cote[1]) for row in effect.rows}
    a, b = match.first_id, match.second_id
    assert gains["keep"] == {}, "the version entered is where the table starts"
    assert (gains["take"][a], gains["take"][b]) == ((1, 1000), (3, 1015))
    assert (gains["other"][a], gains["other"][b]) == ((2, 1000), (2, 1000))
    assert gains["absent_b"][a] == (3, 1000) and gains["absent_b"][b] == (0, 1000)
    for choice in ("absent_both", "cancel"):
        assert gains[choice][a][0] in (0, None) and gains[choice][b][0] in (0, None), choice
    match.refresh_from_db()
    assert match.status == "contested" and not Decision.objects.exists()


def test_what_the_preview_said_is_what_the_decision_does(club, desk):
    match, contest = contested(club)
    address = url("dispute", contest_id=contest.pk)
    data = {"version": match.version, "choice": "take", "reason": "feuille recomptée"}
    shown = desk.post(address, {**data, "preview": "1"})
    effect = shown.context["effect"]
    label = shown.content.decode().partition("Motif, montré")[2].partition("</label>")[0]
    assert label and "facultatif" not in label  # the preview needs none, the decision does
    said = {row.member.pk: (row.rank[1], row.pr[1], row.cote[1]) for row in effect.rows}
    answer = desk.post(address, read(desk, address, data))
    assert answer.status_code == 302
    match.refresh_from_db()
    assert (match.status, match.first_score, match.second_score) == ("final", 380, 390)
    rows = desk.get(url("ranking")).context["ranking"].rows
    done = {row.member.pk: (row.rank, row.values["pr"], row.shown_cote) for row in rows}
    assert {pk: done[pk] for pk in said} == said
    contest.refresh_from_db()
    assert contest.answer == "feuille recomptée" and contest.taken_by_id == club.arbiter.user.pk


def test_a_decision_needs_a_reason_and_keeps_what_was_typed(club, desk):
    match, contest = contested(club)
    answer = desk.post(
        url("dispute", contest_id=contest.pk),
        {
            "version": match.version,
            "choice": "other",
            "first_score": "401",
            "second_score": "3x",
            "reason": "",
            "decide": "1",
        },
    )
    assert answer.status_code == 422
    page = answer.content.decode()
    assert 'value="401"' in page and 'value="3x"' in page
    assert "n’est pas un score" in page
    assert "<title> Erreur" in " ".join(page.split())
    match.refresh_from_db()
    assert match.status == "contested"


def test_scores_outside_the_clubs_bounds_are_refused_beside_the_field(club, desk):
    match, contest = contested(club)
    answer = desk.post(
        url("dispute", contest_id=contest.pk),
        {
            "version": match.version,
            "choice": "other",
            "first_score": "99999",
            "second_score": "",
            "reason": "x",
            "decide": "1",
        },
    )
    assert answer.status_code == 422
    assert set(answer.context["form"].errors) == {"first_score", "second_score"}


def test_a_stale_decision_is_refused(club, desk):
    match, contest = contested(club)
    address = url("dispute", contest_id=contest.pk)
    data = {"version": match.version - 1, "choice": "keep", "reason": "x"}
    answer = desk.post(address, read(desk, address, data))
    assert answer.status_code == 422 and "a changé depuis que vous l’avez lu" in words(answer)


def test_the_second_of_two_arbiters_is_told_that_their_decision_came_too_late(club, desk, chair):
    match, contest = contested(club)
    page = url("dispute", contest_id=contest.pk)
    given = read(desk, page, {"version": match.version, "choice": "keep", "reason": "relu"})
    assert "relu" in desk.post(page, given, follow=True).content.decode()
    late = chair.post(page, {**given, "choice": "take"}, follow=True)
    assert "vient de changer d’état" in late.content.decode()
    assert Match.objects.get(pk=match.pk).decisions.count() == 1
    late = chair.post(page, {"decide": "1", "first_score": "1", "reason": "vu <b>"}, follow=True)
    assert "Vous aviez saisi\u00a0: 1, vu &lt;b&gt;" in late.content.decode()
    late = chair.post(url("opinion", contest_id=contest.pk), {"words": "je lis 400"}, follow=True)
    assert "Vous aviez saisi\u00a0: je lis 400" in late.content.decode()
    late = chair.post(
        url("match_judge", match_id=match.pk), {"act": "cancel", "reason": "x"}, follow=True
    )
    assert "vient de changer d’état" in late.content.decode()
    assert Match.objects.get(pk=match.pk).status == "final"


@pytest.mark.parametrize("version", ["", "abc", "1e3", None])
def test_a_yes_that_does_not_say_to_what_is_asked_again(club, as_user, version):
    match, (a, b) = club.match()
    match_actions.submit(match=match, by=a, scores=(400, 350), at=club.at + timedelta(minutes=9))
    given = {} if version is None else {"version": version}
    page = as_user(b.user).post(url("result_confirm", match_id=match.pk), given)
    assert page.status_code == 409
    assert "Relisez-le avant d’agir" in page.content.decode()
    assert Match.objects.get(pk=match.pk).status == "submitted"


def test_an_arbiter_cannot_decide_their_own_match_and_reads_why(club, desk):
    match, (a, b) = club.match(second=club.arbiter.member)
    match_actions.submit(match=match, by=a, scores=(400, 350), at=club.at + timedelta(minutes=8))
    match_actions.contest(match=match, by=b, at=club.at + timedelta(minutes=9), words="faux")
    match.refresh_from_db()
    contest = match.contests.get()
    address = url("dispute", contest_id=contest.pk)
    page = words(desk.get(address))
    assert "un autre arbitre doit s’en charger" in page
    assert not any(f'name="{name}"' in page for name in ("decide", "preview", "take"))
    assert 'id="id_reason"' not in page
    data = {"version": match.version, "choice": "keep", "reason": "x"}
    answer = desk.post(address, read(desk, address, data))
    assert answer.status_code == 422
    assert desk.post(address, {"take": "1"}, follow=True).status_code == 200
    match.refresh_from_db()
    contest.refresh_from_db()
    assert match.status == "contested" and contest.taken_by_id is None


def test_the_queue_says_of_an_arbiters_own_match_that_another_one_judges_it(club, desk, chair):
    match, (a, b) = club.match(second=club.arbiter.member)
    barred = "un autre arbitre doit s’en charger"
    lists = [url("arbiter"), url("dispute_list"), url("control", **day(club))]
    match_actions.submit(match=match, by=a, scores=(400, 350), at=club.at + timedelta(minutes=8))
    judge = url("match_judge", match_id=match.pk)
    page = words(desk.get(judge))
    assert barred in page and 'name="act"' not in page and 'name="act"' in words(chair.get(judge))
    match_actions.contest(match=match, by=b, at=club.at + timedelta(minutes=9), words="faux")
    for address in lists:
        page, colleague = words(desk.get(address)), words(chair.get(address))
        assert barred in page and ">Trancher<" not in page
        assert barred not in colleague and ">Trancher<" in colleague


def test_the_queue_says_of_a_contest_passed_on_that_a_colleague_judges_it(club, desk, chair):
    _match, contest = contested(club)
    address = url("dispute", contest_id=contest.pk)
    desk.post(address, {"pass_on": "1", "reason": "ma sœur joue"})
    for page in (url("arbiter"), url("dispute_list"), url("control", **day(club))):
        mine, colleague = words(desk.get(page)), words(chair.get(page))
        assert "Vous avez passé ce litige à un autre arbitre." in mine and ">Trancher<" not in mine
        assert f'href="{address}"' in mine and ">Trancher<" in colleague


def test_taking_passing_on_and_a_colleague_who_takes_over(club, desk, chair):
    _match, contest = contested(club)
    address = url("dispute", contest_id=contest.pk)
    desk.post(address, {"take": "1"})
    contest.refresh_from_db()
    assert contest.taken_by_id == club.arbiter.user.pk
    assert "Vous avez pris ce litige" in words(desk.get(address))
    shown = words(chair.get(address))
    assert f"Pris par {club.arbiter.member}." in shown and club.arbiter.user.email not in shown
    assert "pris" in words(chair.get(url("dispute_list")))
    refused = chair.post(address, {"take": "1"}, follow=True)
    assert "vient de prendre ce litige" in words(refused)
    assert desk.post(address, {"pass_on": "1", "reason": ""}).status_code == 422
    assert desk.post(address, {"pass_on": "1", "reason": "ma sœur joue"}).status_code == 302
    page = words(desk.get(address))
    assert "Vous avez passé ce litige à un autre arbitre" in page
    assert 'name="pass_on"' not in page and 'name="pass_on"' in words(chair.get(address))
    assert chair.post(address, {"take": "1"}).status_code == 302
    contest.refresh_from_db()
    assert contest.taken_by_id == club.committee.user.pk


@pytest.mark.parametrize("lost", ["role", "membership", "name"])
def test_a_contest_of_an_arbiter_who_is_none_any_more_is_free_again(club, desk, chair, lost):
    _match, contest = contested(club)
    address = url("dispute", contest_id=contest.pk)
    desk.post(address, {"take": "1"})
    assert "pris en charge" in words(chair.get(url("dispute_list")))
    by, former = club.committee, club.arbiter.member
    if lost == "role":
        members.withdraw_role(member=former, role="arbiter", by=by, at=club.at)
    else:
        members.leave(member=former, by=by, at=club.at, forget=lost == "name")
    assert "pris en charge" not in words(chair.get(url("dispute_list")))
    page = words(chair.get(address))
    assert "Pris par" not in page and "Je prends ce litige" in page
    chair.post(address, {"take": "1"})
    contest.refresh_from_db()
    assert contest.taken_by_id == club.committee.user.pk
    assert JournalEntry.objects.filter(verb="contest_taken").count() == 2
    assert "Vous avez pris ce litige" in words(chair.get(address))


def test_a_settled_contest_leads_to_its_match_and_leaves_the_badge(club, desk):
    match, contest = contested(club)
    home = url("arbiter")
    assert desk.get(home).context["nav"]["roles"][0]["count"] == 1
    club.decide(match, Result("played", 400, 350), "vu")
    assert desk.get(home).context["nav"]["roles"][0]["count"] == 0
    answer = desk.get(url("dispute", contest_id=contest.pk))
    assert answer.status_code == 302 and answer["Location"] == match.get_absolute_url()
    assert "vu" in words(desk.get(url("dispute_list")))


# After the window


def late_request(club):
    match = final(club)
    contest = arbitration.ask_committee(
        match=match,
        by=club.player(match.second),
        at=club.at + timedelta(minutes=8),
        words="19 points oubliés",
        scores=(400, 419),
    )
    return match, contest


def test_a_late_request_is_answered_without_changing_the_result(club, desk):
    match, contest = late_request(club)
    address = url("dispute", contest_id=contest.pk)
    assert "Demande de correction" in words(desk.get(address))
    answer = desk.post(address, {"refuse": "1", "reason": "", "version": match.version})
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == ["reason"]
    answer = desk.post(address, {"refuse": "1", "reason": "délai passé", "version": match.version})
    assert answer.status_code == 302
    contest.refresh_from_db()
    match.refresh_from_db()
    assert contest.answer == "délai passé" and match.second_score == 350


def test_a_late_request_may_lead_to_a_correction(club, desk):
    match, contest = late_request(club)
    address = url("dispute", contest_id=contest.pk)
    data = {"choice": "take", "reason": "feuille", "version": match.version}
    answer = desk.post(address, read(desk, address, data))
    assert answer.status_code == 302
    match.refresh_from_db()
    contest.refresh_from_db()
    assert (match.second_score, match.why, match.rev) == (419, "corrected", 1)
    assert contest.closed_at is not None


def test_a_correction_of_a_closed_evening_shows_later_evenings_before_it_is_done(club, desk):
    match = final(club)
    club.close()
    first, second = club.evening.held_on, club.next_evening().held_on
    final(club, (300, 400), first=match.first, second=club.members[5])
    club.close()
    address = url("match_correct", match_id=match.pk)
    data = {"choice": "other", "first_score": "350", "second_score": "400"}
    data |= {"version": match.version, "reason": "scores inversés"}
    answer = desk.post(address, {**data, "preview": "1"})
    effect = answer.context["effect"]
    assert len(effect.periods) == 2
    for one in (first, second):
        assert f"Soirée du {written(one, 'j F Y')}" in words(answer)
    said = {row.member.pk: row.cote[1] for row in effect.rows if row.cote[0] != row.cote[1]}
    assert set(said) == {match.second_id, club.members[5].pk}
    assert desk.post(address, read(desk, address, data)).status_code == 302
    done = dict(StandingCote.objects.values_list("member_id", "shown"))
    assert {pk: done[pk] for pk in said} == said
    page = words(desk.get(address))
    assert "scores inversés" in page and "400 – 350" in page and "350 – 400" in page


def test_an_exempt_is_only_taken_away(club, desk):
    presence.go_home(evening=club.evening, member=club.members[0], by=club.arbiter, at=club.at)
    run = pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)
    bye = run.matches.get(second=None)
    address = url("match_correct", match_id=bye.pk)
    assert [
        code for code, _label in desk.get(address).context["form"].fields["choice"].choices
    ] == ["cancel"]
    answer = desk.post(
        address,
        {
            "decide": "1",
            "choice": "other",
            "first_score": "1",
            "second_score": "2",
            "reason": "x",
            "version": bye.version,
        },
    )
    assert answer.status_code == 422
    data = {"choice": "cancel", "reason": "x", "version": bye.version}
    answer = desk.post(address, read(desk, address, data))
    assert answer.status_code == 302
    bye.refresh_from_db()
    assert bye.status == "cancelled"


# An open match


def test_an_arbiter_acts_on_an_open_match(club, desk):
    match, _players = club.match()
    address = url("match_judge", match_id=match.pk)
    cancel = read(desk, address, {"act": "cancel", "reason": ""})
    assert desk.post(address, cancel).status_code == 422
    assert desk.post(address, {**cancel, "reason": "table double"}).status_code == 302
    match.refresh_from_db()
    assert match.status == "cancelled"
    other, _players = club.match()
    address = url("match_judge", match_id=other.pk)
    desk.post(address, read(desk, address, {"act": "absent_b", "justified": "on"}))
    other.refresh_from_db()
    assert (other.status, other.absent, other.justified) == ("final", "b", True)


def test_an_arbiter_types_the_slip_of_two_players_without_a_phone(club, desk):
    match, _players = club.match()
    address = url("match_judge", match_id=match.pk)
    incomplete = desk.post(address, {"act": "record", "first_score": "428"})
    assert incomplete.status_code == 422 and "Saisissez le score" in words(incomplete)
    assert 'value="428"' in words(incomplete)
    slip = {"act": "record", "first_score": "428", "second_score": "392"}
    assert desk.post(address, slip).status_code == 422  # its effect was not read
    answer = desk.post(address, read(desk, address, slip))
    assert answer["Location"].endswith(url("control", **day(club)))
    match.refresh_from_db()
    assert (match.status, match.first_score, match.second_score) == ("final", 428, 392)
    assert match.lines.order_by("number").last().event == "record"


def test_a_result_that_a_player_entered_is_not_typed_over(club, desk):
    match, (a, _b) = club.match()
    match_actions.submit(match=match, by=a, scores=(400, 350), at=club.at + timedelta(minutes=8))
    slip = {"act": "record", "first_score": "400", "second_score": "300", "reason": ""}
    assert desk.post(url("match_judge", match_id=match.pk), slip).status_code == 422
    match.refresh_from_db()
    assert (match.status, match.second_score) == ("submitted", 350)


def test_the_effect_of_an_absence_is_read_before_it_is_noted(club, desk):
    match, _players = club.match()
    address = url("match_judge", match_id=match.pk)
    sent = {"act": "absent_b", "reason": "parti"}
    answer = desk.post(address, sent)
    assert answer.status_code == 422 and "Lisez l’effet" in words(answer)
    rows = {row.member.pk: row.pr[1] for row in answer.context["effect"].rows}
    assert rows == {match.first_id: 3, match.second_id: 0}
    match.refresh_from_db()
    assert match.status == "proposed"
    other = read(desk, address, {"act": "absent_a", "reason": ""})
    assert desk.post(address, {**sent, "seen": other["seen"]}).status_code == 422
    assert desk.post(address, {**sent, "seen": answer.context["seen"]}).status_code == 302
    match.refresh_from_db()
    assert (match.status, match.absent) == ("final", "b")


def test_an_act_that_ends_nothing_says_so_and_needs_no_effect(club, desk):
    match, _players = club.match()
    address = url("match_judge", match_id=match.pk)
    page = desk.post(address, {"act": "start", "preview": "1"})
    assert page.status_code == 200 and "aucun résultat ne compte encore" in words(page)
    assert desk.post(address, {"act": "start"}).status_code == 302
    match.refresh_from_db()
    assert match.status == "playing"


def test_a_submitted_result_is_sent_to_arbitration_with_a_reason(club, desk):
    match, (a, _b) = club.match()
    match_actions.submit(match=match, by=a, scores=(400, 350), at=club.at + timedelta(minutes=8))
    address = url("match_judge", match_id=match.pk)
    codes = [code for code, _label in desk.get(address).context["form"].fields["act"].choices]
    assert codes == ["contest", "cancel"]
    assert desk.post(address, {"act": "contest", "reason": ""}).status_code == 422
    desk.post(address, {"act": "contest", "reason": "feuille illisible"})
    contest = Contest.objects.get(match=match)
    assert contest.words == "feuille illisible"
    answer = desk.get(address)
    assert answer["Location"].endswith(url("dispute", contest_id=contest.pk))


def test_a_claimed_absence_is_said_and_not_chosen_for_the_arbiter(club, desk, evening_clock):
    match, (a, _b) = club.match()
    match_actions.claim_absence(match=match, by=a, at=club.at + timedelta(minutes=16))
    evening_clock.move_to(NOW + timedelta(minutes=17))
    page = desk.get(url("match_judge", match_id=match.pk))
    choices = words(page).split("Que faire")[1]
    assert 'value="absent_b"' in choices and "checked" not in choices.split("</fieldset>")[0]
    assert "Absence signalée" in words(desk.get(url("control", **day(club))))


@pytest.mark.parametrize("absent", ["a", "b", "both"])
def test_a_forfeit_names_who_was_absent_where_it_is_corrected_and_read(club, desk, client, absent):
    match, (one, other) = club.match()
    club.mark_absent(match, absent)
    away = {"a": [one], "b": [other], "both": [one, other]}[absent]
    names = ", ".join(player.member.full_name for player in away)
    page = words(desk.get(url("match_correct", match_id=match.pk)))
    assert f"Absence : {names}" in page.replace("\u00a0", " ")
    public = words(client.get(match.get_absolute_url()))
    card = public.split("score-card__line")[1:]
    assert [">absent</span>" in line for line in card] == [
        player in away for player in (one, other)
    ]


def test_a_contest_and_a_correction_lead_to_their_evening_and_match(club, desk):
    match, contest = contested(club)
    final(club, (300, 400))
    done = Match.objects.latest("pk")
    for page, shown in (
        (url("dispute", contest_id=contest.pk), match),
        (url("match_correct", match_id=done.pk), done),
    ):
        head = words(desk.get(page)).split('class="page-head"')[1].split("</p>")[0]
        assert f'href="{shown.get_absolute_url()}"' in head
        assert f'href="{club.evening.get_absolute_url()}">20 nov. 2026<' in head


@pytest.mark.parametrize(
    ("later", "said"),
    [
        (timedelta(minutes=20), "ouvert à 20:09 par Prénom1 Nom1, il y a 11 min"),
        (timedelta(hours=48, minutes=8), "ouvert à 20:09 par Prénom1 Nom1, il y a 47 h 59"),
        (timedelta(hours=48, minutes=9), "ouvert à 20:09 par Prénom1 Nom1, il y a 2 jours"),
    ],
)
def test_how_long_a_contest_is_open_is_told_in_minutes_hours_or_days(
    club, desk, evening_clock, later, said
):
    _match, contest = contested(club)
    evening_clock.move_to(NOW + later)
    page = words(desk.get(url("dispute", contest_id=contest.pk))).replace("\u00a0", " ")
    head = page.split("page-head__line")[1].split("</div>")[0]
    assert said in head and ("20 novembre 2026," in head) == (later > timedelta(days=1))


# Absences and sanctions


def absent(club, member, justified=False):
    """Pair somebody who is then noted absent, and check them in again."""
    other = next(
        row.member
        for row in club.evening.check_ins.filter(state="waiting").order_by("pk")
        if row.member_id != member.pk
    )
    club.used = set()
    match, _players = club.match(member, other)
    club.mark_absent(match, "a", justified=justified)
    club.check_in(member)
    return Absence.objects.get(match=match)


def test_an_absence_is_excused_by_its_member_and_answered_by_an_arbiter(club, as_user, desk):
    member = club.members[0]
    absence = absent(club, member)
    me = as_user(member.user)
    page = words(me.get(url("my_absences")))
    assert "1 absence non justifiée sur vos 10 derniers matchs" in page
    address = url("absence_justify", absence_id=absence.pk)
    assert me.post(address, {"text": " "}).status_code == 422
    assert me.post(address, {"text": "Train supprimé"}).status_code == 302
    other = as_user(club.members[1].user)
    assert other.get(address).status_code == 404
    review = url("absence_list")
    assert "Train supprimé" in words(desk.get(review))
    answer = desk.post(review, {"absence": absence.pk, "justified": "yes", "reason": ""})
    assert answer.status_code == 422
    read = {"seen": seen_in(desk.get(review))}
    desk.post(review, read | {"absence": absence.pk, "justified": "yes", "reason": "billet montré"})
    absence.refresh_from_db()
    assert absence.justified and absence.review_reason == "billet montré"
    page = words(me.get(url("my_absences")))
    assert "billet montré" in page
    assert "Aucune absence non justifiée sur vos 10 derniers matchs" in page


def test_an_excuse_older_than_sixty_absences_is_still_on_the_list(club, desk):
    old = absent(club, club.members[0])
    absences.excuse(absence=old, words="malade", by=club.player(club.members[0]), at=club.at)
    Absence.objects.bulk_create(
        Absence(
            match=final_absence(club),
            member=club.members[number % 5 + 1],
            noted_at=club.at + timedelta(days=1),
        )
        for number in range(3)
    )
    rows = desk.get(url("absence_list")).context["rows"]
    assert rows[0]["absence"].pk == old.pk and rows[0]["waits"]
    assert len({row["absence"].pk for row in rows}) == len(rows) == 4


def final_absence(club):
    """Return a cancelled match, to carry an absence row."""
    club.used = set()
    waiting = [row.member for row in club.evening.check_ins.filter(state="waiting").order_by("pk")]
    match, _players = club.match(waiting[0], waiting[1])
    match_actions.cancel(match=match, reason="x", by=club.arbiter, at=club.at)
    return match


def test_the_third_absence_proposes_and_the_committee_decides_with_its_effect(
    club, as_user, desk, chair
):
    member = club.members[0]
    final(club, first=member, second=club.members[1])
    club.close()
    club.next_evening(days=1)
    for _time in range(3):
        absent(club, member)
    found = Sanction.objects.get(member=member)
    assert "1 proposition de sanction attend le comité" in words(desk.get(url("absence_list")))
    assert desk.get(url("sanction_list")).status_code == 403
    address = url("sanction", sanction_id=found.pk)
    preview = chair.post(
        address, {"sessions": "2", "cut_percent": "1,5", "reason": "", "preview": "1"}
    )
    assert preview.status_code == 200
    assert preview.context["effect"] == (1015, 1000)
    label = preview.content.decode().partition('for="id_reason"')[2].partition("</label>")[0]
    assert "Motif" in label and "facultatif" not in label
    refused = chair.post(
        address, {"sessions": "2", "cut_percent": "1,5", "reason": "", "impose": "1"}
    )
    assert refused.status_code == 422
    refused = chair.post(address, {"dismiss": "1", "reason": ""})
    assert refused.status_code == 422
    assert "Erreur" in refused.content.decode().split("</title>")[0]
    found.refresh_from_db()
    assert found.status == Sanction.Status.PROPOSED
    chair.post(
        address, {"sessions": "2", "cut_percent": "1,5", "reason": "trois fois", "impose": "1"}
    )
    found.refresh_from_db()
    assert found.status == Sanction.Status.IMPOSED and found.suspended_evenings == 2
    assert StandingCote.objects.get(member=member).shown == 1000
    mine = words(as_user(member.user).get(url("my_absences")))
    assert "trois fois" in mine and "Faire appel" in mine


@pytest.mark.parametrize(
    ("button", "status", "cote"), [("lift", "lifted", 1015), ("refuse_appeal", "imposed", 1000)]
)
def test_an_appeal_is_answered_and_an_accepted_one_gives_the_cote_back(
    club, as_user, chair, button, status, cote
):
    member = club.members[0]
    final(club, first=member, second=club.members[1])
    club.close()
    found = Sanction.objects.create(member=member, proposed_at=club.at, trigger_key="x", grounds={})
    chair.post(
        url("sanction", sanction_id=found.pk),
        {"sessions": "0", "cut_percent": "1.5", "reason": "abus", "impose": "1"},
    )
    me = as_user(member.user)
    assert (
        me.post(url("appeal", sanction_id=found.pk), {"text": "J’étais malade"}).status_code == 302
    )
    assert "J’étais malade" in words(chair.get(url("sanction", sanction_id=found.pk)))
    assert str(member) in words(chair.get(url("sanction_list")))
    address = url("sanction", sanction_id=found.pk)
    seen = chair.get(address).context["seen"]
    sent = {button: "1", "reason": "vu le certificat"}
    chair.post(address, {**sent, "give_back": "on", "seen": str(seen)})
    found.refresh_from_db()
    assert (found.status, found.appeal_answer) == (status, "vu le certificat")
    assert StandingCote.objects.get(member=member).shown == cote
    assert "vu le certificat" in words(me.get(url("my_absences")))


def test_an_appeal_after_seven_days_is_refused_with_its_reason(club, as_user, evening_clock):
    member = club.members[0]
    found = Sanction.objects.create(member=member, proposed_at=club.at, trigger_key="x", grounds={})
    club.impose(found, "abus")
    evening_clock.move_to(NOW + timedelta(days=8))
    me = as_user(member.user)
    answer = me.post(url("appeal", sanction_id=found.pk), {"text": "trop tard"})
    assert answer.status_code == 422 and "délai d’appel" in words(answer)
    assert "Faire appel" not in words(me.get(url("my_absences")))


def test_nobody_decides_on_their_own_case(club, chair):
    found = Sanction.objects.create(
        member=club.committee.member, proposed_at=club.at, trigger_key="x", grounds={}
    )
    address = url("sanction", sanction_id=found.pk)
    assert "Vous ne pouvez pas décider de votre propre cas" in words(chair.get(address))
    for data in ({"dismiss": "1", "reason": "x"}, {"impose": "1", "sessions": "0", "reason": "x"}):
        assert chair.post(address, data).status_code == 422
    found.refresh_from_db()
    assert found.status == Sanction.Status.PROPOSED


def test_no_page_of_the_arbiter_has_a_number_input(club, desk, chair):
    match, contest = contested(club)
    found = Sanction.objects.create(
        member=club.members[0], proposed_at=club.at, trigger_key="x", grounds={}
    )
    for client, address in (
        (desk, url("control", **day(club))),
        (desk, url("dispute", contest_id=contest.pk)),
        (desk, url("checkin_desk", **day(club))),
        (chair, url("sanction", sanction_id=found.pk)),
    ):
        page = client.get(address).content.decode()
        assert 'type="number"' not in page, address
        assert "None" not in page, address
    assert match.table_number


@pytest.mark.parametrize("name", ["control", "checkin_desk"])
def test_the_evenings_pages_ask_few_questions(club, desk, django_assert_max_num_queries, name):
    contested(club)
    club.match()
    address = url(name, **day(club))
    desk.get(address)
    with django_assert_max_num_queries(24):
        desk.get(address)


def test_a_page_read_before_the_absences_changed_imposes_nothing_and_says_why(club, chair):
    member = club.members[0]
    for _time in range(3):
        absent(club, member)
    found = Sanction.objects.get(member=member)
    address = url("sanction", sanction_id=found.pk)
    assert "Prononcer" in words(chair.get(address))
    Absence.objects.filter(member=member).update(justified=True)
    answer = chair.post(address, {"sessions": "2", "reason": "trois fois", "impose": "1"})
    found.refresh_from_db()
    assert answer.status_code == 422 and found.status == Sanction.Status.WITHDRAWN
    assert "Cette proposition a été retirée" in words(answer)
    assert "Prononcer" not in words(answer)


def test_an_answer_on_an_absence_never_overwrites_one_that_was_not_read(club, desk, chair):
    absent(club, club.members[0])
    absence, address = Absence.objects.get(member=club.members[0]), url("absence_list")
    yes, no = ({"absence": absence.pk, "justified": one} for one in ("yes", "no"))
    read = {"seen": seen_in(desk.get(address))}
    assert read == {"seen": "- -"}
    assert chair.post(address, yes | read | {"reason": "billet vu"}).status_code == 302
    late = desk.post(address, no | read | {"reason": "sans billet"})
    assert late.status_code == 422
    assert "Cette absence a changé depuis que vous l’avez lue" in words(late)
    assert "billet vu" in words(late)
    absence.refresh_from_db()
    assert (absence.justified, absence.review_reason) == (True, "billet vu")
    again = {"seen": seen_in(late)}  # the page with the other answer counts as read
    assert desk.post(address, no | again | {"reason": "autre billet"}).status_code == 302
    absence.refresh_from_db()
    assert (absence.justified, absence.review_reason) == (False, "autre billet")
    fresh = {"seen": seen_in(chair.get(address))}
    assert chair.post(address, yes | fresh | {"reason": "relu"}).status_code == 302


def test_an_excuse_written_anew_is_not_answered_unread(club, desk, as_user, evening_clock):
    member = club.members[0]
    absent(club, member)
    absence, address = Absence.objects.get(member=member), url("absence_list")
    own = url("absence_justify", absence_id=absence.pk)
    assert as_user(member.user).post(own, {"text": "malade"}).status_code == 302
    answer = {"absence": absence.pk, "justified": "yes", "reason": "vu"}
    read = {"seen": seen_in(desk.get(address))}
    assert "malade" in words(as_user(member.user).get(own))
    evening_clock.shift(timedelta(seconds=1))
    assert as_user(member.user).post(own, {"text": "train en retard"}).status_code == 302
    late = desk.post(address, answer | read)
    assert late.status_code == 422 and "train en retard" in words(late)
    absence.refresh_from_db()
    assert (absence.justified, absence.reviewed_at) == (False, None)
    assert desk.post(address, answer | {"seen": seen_in(late)}).status_code == 302


def seen_in(page) -> str:
    """The mark of the only absence on the page."""
    field = re.search(r'<input[^>]*name="seen"[^>]*>', page.content.decode())[0]
    value = re.search(r'value="([^"]*)"', field)
    return value[1] if value else ""


def test_a_sanction_whose_grounds_are_gone_waits_for_the_committee(club, chair, as_user):
    member = club.members[0]
    for _time in range(3):
        absent(club, member)
    found = Sanction.objects.get(member=member)
    address = url("sanction", sanction_id=found.pk)
    chair.post(address, {"sessions": "2", "reason": "trois fois", "impose": "1"})
    absence = Absence.objects.filter(member=member).first()
    answer = {"justified": True, "reason": "vu", "seen": absence.version}
    absences.review(absence=absence, **answer, by=club.arbiter, at=club.at)
    assert "Motif disparu" in words(chair.get(url("sanction_list")))
    assert "motif disparu" in words(chair.get(address))
    assert "motif disparu" in words(as_user(member.user).get(url("my_absences")))
    chair.post(address, {"lift": "1", "reason": "absence justifiée"})
    found.refresh_from_db()
    assert found.status == Sanction.Status.LIFTED
    assert "Motif disparu" not in words(chair.get(url("sanction_list")))


def test_a_contest_without_words_is_read_in_the_language_of_the_arbiter(club, desk):
    match, (_a, b) = club.entered()
    with translation.override("en"):
        match_actions.contest(match=match, by=b, at=club.at, scores=(380, 390))
    page = desk.get(url("dispute", contest_id=match.contests.get().pk)).content.decode()
    assert "Un score est faux" in page
    assert "A score is wrong" not in page


def test_a_decided_result_is_not_said_to_be_what_a_player_entered(club, desk):
    match = final(club)
    address = url("match_correct", match_id=match.pk)
    assert "Garder le résultat saisi" in desk.get(address).content.decode()
    Match.objects.filter(pk=match.pk).update(why="arbiter")
    page = desk.get(address)
    assert [version["title"] for version in page.context["versions"]] == ["Décision"]
    assert "Garder le résultat décidé" in page.content.decode()
    assert "Garder le résultat saisi" not in page.content.decode()


def test_the_scores_of_a_choice_stay_on_one_line(club, desk):
    match = final(club)
    page = desk.get(url("match_correct", match_id=match.pk)).content.decode()
    score = f"{match.first_score}\u00a0–\u2060\u00a0{match.second_score}"
    assert f"Garder le résultat saisi\u00a0: {score}, " in page


def test_the_page_of_all_that_is_pending_asks_for_itself_again(club, as_user):
    """An arbiter who waits on it reads a contest of now, without the menus around it."""
    client, address = as_user(club.arbiter.user), reverse("pairings:arbiter")
    whole = client.get(address).content.decode()
    assert f'hx-get="{address}"' in whole and "Litige" not in whole.split("<h2>À traiter")[1][:300]
    club.contested()
    part = client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part and "Tournois" not in part
    assert f'hx-get="{address}"' in part and "attendent la décision" in part
