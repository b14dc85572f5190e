"""The pages of a hand-over: a club sends, an officer answers, a correction follows by itself."""

from __future__ import annotations

from datetime import date

import pytest
from django.contrib.messages import get_messages
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from clubs.accounts.actor import Refused
from clubs.members.actions import create_outsiders
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.persons.actions import link_members
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from pairings.rules.match_state import Result
from ratings.competitions import actions as competitions
from ratings.competitions import drafts, long_corrections, views_brought
from ratings.competitions.actions import preview
from ratings.competitions.models import CompetitionDraft
from ratings.handovers import documents
from ratings.handovers.models import HandOver
from ratings.handovers.queries import lists_open_to
from ratings.ledger import origins, settlement
from ratings.ledger.corrections import remove_event
from ratings.ledger.models import Period, RatedGame
from ratings.ledger.origins import UNOFFICIAL
from tests.clubhouse import make_club
from tests.older_pages import send

pytestmark = pytest.mark.django_db
INBOX = "/c/federation/gestion/cotes/transmissions/"


@pytest.fixture
def federation():
    found = make_club("federation", size=2)
    Organisation.objects.filter(pk=found.organisation.pk).update(kind=Organisation.FEDERATION)
    Member.objects.filter(pk__in=[one.pk for one in found.members]).update(first_name="Autre")
    return found


@pytest.fixture
def rating_list(federation):
    return federation.rating_list("glicko2", name="Liste nationale")


@pytest.fixture
def closed(club):
    """The club's evening with one match, closed."""
    match, _players = club.played(scores=(400, 300))
    club.close()
    return match


def page_of(club):
    day = club.evening.held_on.isoformat()
    return f"/c/{club.organisation.slug}/soirees/{day}/federation/"


def invite(officer, club, rating_list):
    """Let the club feed the list."""
    invited = {"club": club.organisation.pk, "lists": rating_list.pk}
    send(officer, "/c/federation/gestion/cotes/clubs/", invited)


def brought(club, rating_list, desk, officer, **more):
    """Hand the evening over, accept it and bring it in. Return its page in the inbox, and its row."""
    invite(officer, club, rating_list)
    desk.post(page_of(club), {"official": "yes", "arbiter": "A. Pop", **more})
    one = f"{INBOX}{HandOver.objects.get().pk}/"
    taken = officer.post(one, {"act": "accepter", "seen": "0"})
    officer.post(taken["Location"].removesuffix("noms/"), {"newcomers": "1"})
    return one, Period.objects.get(rating_list=rating_list)


def correct(club, match, first, second):
    club.correct(match, Result("played", first, second), "feuille relue")


def test_without_a_list_nobody_can_be_invited_and_the_page_leads_to_a_first_one(
    club, federation, as_user
):
    """The form asked for lists among none."""
    page = as_user(federation.committee.user).get("/c/federation/gestion/cotes/clubs/")
    told = page.content.decode()
    assert "ouvrez-en une d’abord" in told and "/c/federation/gestion/cotes/nouvelle/" in told
    assert 'name="lists"' not in told and "Noter ce que ce club" not in told
    federation.rating_list("glicko2", name="Liste nationale")
    told = as_user(federation.committee.user).get("/c/federation/gestion/cotes/clubs/")
    assert 'name="lists"' in told.content.decode()


def test_only_the_desk_of_a_federation_leads_to_what_clubs_hand_over(club, federation, as_user):
    for one, leads in ((federation, True), (club, False)):
        page = as_user(one.committee.user).get(f"/c/{one.organisation.slug}/gestion/cotes/")
        links = page.content.decode().split("<main")[1].split("</main>")[0]
        assert ("gestion/cotes/clubs/" in links) is leads
        assert ("gestion/cotes/transmissions/" in links) is leads
        assert "gestion/personnes/" in links


def test_an_evening_goes_from_the_club_into_the_list_and_is_corrected(
    club, closed, federation, rating_list, as_user
):
    desk, officer = as_user(club.committee.user), as_user(federation.committee.user)
    page = page_of(club)
    assert "ne vous a ouvert" in desk.get(page).content.decode()
    assert "Invitez un club" in officer.get(INBOX).content.decode()
    invited = {"club": club.organisation.pk, "lists": rating_list.pk}
    assert send(officer, "/c/federation/gestion/cotes/clubs/", invited).status_code == 302
    assert "Liste nationale" in desk.get(page).content.decode()
    empty = officer.get(INBOX).content.decode()
    assert "À examiner" not in empty and "Invitez un club" not in empty
    assert "que les clubs invités transmettent" in empty

    unsaid = desk.post(page, {"official": "no"})
    assert unsaid.status_code == 422 and "why_not" in unsaid.context["form"].errors
    assert desk.post(page, {"official": "yes", "arbiter": "A. Pop"}).status_code == 302
    twice = desk.post(page, {"official": "yes", "arbiter": "A. Pop"})
    assert twice.status_code == 422 and "déjà transmise" in twice.content.decode()

    held = HandOver.objects.get()
    one = f"{INBOX}{held.pk}/"
    shown = officer.get(one).content.decode()
    assert "A. Pop" in shown and club.members[0].full_name in shown and "400 – 300" in shown
    assert "<caption>Ronde" not in shown  # an evening has none
    assert officer.post(one, {"act": "retourner", "seen": "0"}).status_code == 422
    taken = officer.post(one, {"act": "accepter", "seen": "0"})
    assert taken.status_code == 302 and taken["Location"].endswith("/noms/")
    draft = taken["Location"].removesuffix("noms/")
    preview = officer.get(draft).content.decode()
    assert f'href="{one}"' in preview and "Lire un autre fichier" not in preview
    officer.post(draft, {"newcomers": "1"})
    period = Period.objects.get(rating_list=rating_list)
    settlement.settle(period=period, by=federation.committee, at=club.at)
    taken = desk.get(page).content.decode()
    assert "dans la liste" in taken and "l’a acceptée avec ces réponses" in taken
    assert "Transmettre de nouveau" not in taken  # it would be refused
    again = desk.post(page, {"official": "no", "why_not": "amical", "arbiter": "B. Ion"})
    assert again.status_code == 422 and "sans changement" in again.content.decode()
    held.refresh_from_db()
    assert (held.facts["arbiter"], held.facts["official"], held.delivered) == ("A. Pop", True, 1)

    rated = officer.get(one).content.decode()
    assert "Voir la compétition" in rated and "cotée nulle part" not in rated

    correct(club, closed, 300, 420)
    held.refresh_from_db()
    assert held.is_corrected and "correction proposée" in desk.get(page).content.decode()
    compared = officer.get(one).content.decode()
    assert "400 – 300" in compared and "300 – 420" in compared
    change = f"{one}correction/?version={held.version}"
    assert (
        "Appliquer" in officer.get(change).content.decode() or officer.get(change).context["page"]
    )
    assert RatedGame.objects.filter(period=period).in_force().get().first_score == 400
    done = officer.post(change, {"act": "appliquer", "reason": "Feuille relue au club"})
    assert done.status_code == 302
    assert RatedGame.objects.filter(period=period).in_force().get().second_score == 420
    held.refresh_from_db()
    assert not held.is_corrected


def test_a_competition_whose_hand_over_stayed_behind_is_restored_like_another(
    federation, rating_list, as_user
):
    """The archive of a federation alone has what its clubs handed over, and none of their rows."""
    officer, by = as_user(federation.committee.user), federation.committee
    period = settlement.open_period(
        rating_list=rating_list,
        origin=origins.handed_over(999),
        label="Open",
        held_on=federation.at.date(),
    )
    waiting = officer.get(f"/c/federation/gestion/cotes/{rating_list.slug}/calcul/{period.pk}/")
    assert "Abandonner la compétition" in waiting.content.decode()
    assert "lira votre motif" not in waiting.content.decode()  # no club is there to read it
    competitions.drop(period=period, reason="en double", by=by, at=federation.at)
    desk = f"/c/federation/gestion/cotes/{rating_list.slug}/"
    assert officer.get(f"{desk}calcul/{period.pk}/").status_code == 200
    restored = officer.get(f"{desk}competitions/{period.pk}/retirer/")
    assert "Rétablir la compétition" in restored.content.decode()


def test_names_being_matched_whose_hand_over_stayed_behind_say_so(federation, rating_list, as_user):
    officer, desk = (
        as_user(federation.committee.user),
        f"/c/federation/gestion/cotes/{rating_list.slug}",
    )
    draft = CompetitionDraft.objects.create(
        rating_list=rating_list,
        file_name="Club",
        label="Open",
        held_on=federation.at.date(),
        facts={"sheet": "games"},
        rows=[["joueur 1", "joueur 2"], ["Ada", "Bob"]],
        handed={"players": {"Ada": 9998, "Bob": 9999}, "keys": ["match:1"]},
        created_at=federation.at,
        created_by=federation.committee.user,
    )
    for page in (f"{desk}/apporter/{draft.pk}/", f"{desk}/apporter/{draft.pk}/noms/"):
        answer = officer.get(page, follow=True)
        assert answer.redirect_chain[-1] == (INBOX, 302)
        assert "restée sur l’ancien site" in answer.content.decode()


def test_a_correction_of_a_club_is_applied_to_a_long_list_by_a_worker(
    club, closed, federation, rating_list, as_user, monkeypatch
):
    desk, officer = as_user(club.committee.user), as_user(federation.committee.user)
    invite(officer, club, rating_list)
    desk.post(page_of(club), {"official": "yes", "arbiter": "A. Pop"})
    held = HandOver.objects.get()
    taken = officer.post(f"{INBOX}{held.pk}/", {"act": "accepter", "seen": "0"})
    officer.post(taken["Location"].removesuffix("noms/"), {"newcomers": "1"})
    period = Period.objects.get(rating_list=rating_list)
    settlement.settle(period=period, by=federation.committee, at=club.at)
    correct(club, closed, 300, 420)
    monkeypatch.setattr(long_corrections, "LONG", 0)

    held.refresh_from_db()
    change = f"{INBOX}{held.pk}/correction/?version={held.version}"
    assert "Voir ce que cela change" in officer.get(change).content.decode()
    effect = officer.post(change, {"act": "voir"})
    officer.post(effect.url, {"act": "maintenant"})
    asked = officer.post(effect.url, {"act": "appliquer", "reason": "Feuille relue au club"})
    officer.post(asked.url, {"act": "maintenant"})
    assert "La correction est enregistrée." in officer.get(asked.url).content.decode()
    assert RatedGame.objects.filter(period=period).in_force().get().second_score == 420
    held.refresh_from_db()
    assert not held.is_corrected


def test_both_sides_read_that_a_list_has_a_competition_no_more(
    club, closed, federation, rating_list, as_user, after_commit
):
    """Given up before it was rated, it is the club's again."""
    desk, officer = as_user(club.committee.user), as_user(federation.committee.user)
    one, period = brought(club, rating_list, desk, officer, tell="on")
    pages = [(desk, page_of(club)), (officer, INBOX), (officer, one)]
    run = f"/c/federation/gestion/cotes/{rating_list.slug}/calcul/{period.pk}/"
    assert "Le club qui l’a transmise lira votre motif." in officer.get(run).content.decode()
    with after_commit():
        competitions.drop(period=period, reason="cadence", by=federation.committee, at=club.at)
    for reader, page in pages:
        text = reader.get(page).content.decode()
        assert "retournée au club" in text and "</svg>dans la liste" not in text
    assert "La fédération a répondu\u00a0: cadence" in desk.get(page_of(club)).content.decode()
    assert "Motif du retour\u00a0: cadence" in officer.get(one).content.decode()
    desk.post(page_of(club), {"official": "yes", "arbiter": "B. Pop"})
    again = desk.get(page_of(club)).content.decode()
    assert "avait répondu à la transmission précédente\u00a0: cadence" in again
    assert "La fédération a répondu" not in again
    assert "retournée au club" in mail.outbox[-1].body and "cadence" in mail.outbox[-1].body


def test_what_was_given_up_before_it_was_rated_is_sent_again_with_other_facts(
    club, closed, federation, rating_list, as_user
):
    desk, officer = as_user(club.committee.user), as_user(federation.committee.user)
    one, first = brought(club, rating_list, desk, officer)
    competitions.drop(period=first, reason="arbitre", by=federation.committee, at=club.at)
    correct(club, closed, 300, 420)  # nothing is proposed for what is the club's again
    assert HandOver.objects.get().delivered == 1
    assert_is_not_restored(officer, first)  # the club may send it again: it would count twice
    assert "Transmettre de nouveau" in desk.get(page_of(club)).content.decode()

    sent = desk.post(page_of(club), {"official": "yes", "arbiter": "B. Pop"})
    assert sent.status_code == 302
    officer.post(one, {"act": "accepter", "seen": str(HandOver.objects.get().version)})
    again = Period.objects.exclude(pk=first.pk).get(rating_list=rating_list)
    assert (again.facts["arbiter"], again.removed_at) == ("B. Pop", None)
    assert RatedGame.objects.filter(period=again).in_force().get().second_score == 420
    first.refresh_from_db()
    assert (first.facts["arbiter"], first.removed_at) == ("A. Pop", club.at)
    assert f"/calcul/{again.pk}/" in officer.get(one).content.decode()
    assert_is_not_restored(officer, first)
    # A correction reaches the one that waits, and its rating is validated as any other.
    correct(club, closed, 310, 420)
    officer.post(one, {"act": "corriger", "seen": str(HandOver.objects.get().version)})
    assert RatedGame.objects.filter(period=again).in_force().get().first_score == 310
    settlement.settle(period=again, by=federation.committee, at=club.at)
    assert not RatedGame.objects.filter(period=first, first_score=310).exists()


def assert_is_not_restored(officer, period):
    desk = f"/c/federation/gestion/cotes/{period.rating_list.slug}/"
    restoring = f"{desk}competitions/{period.pk}/retirer/"
    control = officer.get(f"{desk}calcul/{period.pk}/").content.decode()
    assert "Elle est retournée au club" in control and restoring not in control
    wish = {"act": "appliquer", "seen": period.rating_list.version, "reason": "à garder"}
    assert officer.post(restoring, wish)["Location"] == f"{desk}calcul/{period.pk}/"
    period.refresh_from_db()
    assert period.removed_at is not None


def test_a_club_reads_why_its_rated_competition_was_taken_out(
    club, closed, federation, rating_list, as_user
):
    desk, officer = as_user(club.committee.user), as_user(federation.committee.user)
    one, period = brought(club, rating_list, desk, officer)
    settlement.settle(period=period, by=federation.committee, at=club.at)
    removal = f"/c/federation/gestion/cotes/{rating_list.slug}/competitions/{period.pk}/retirer/"
    shown = officer.post(removal, {"act": "voir"}).content.decode()
    hint = shown.partition('id="id_reason_helptext"')[2].partition("</")[0]
    assert "Le club qui l’a transmise lira votre motif." in hint
    settlement.apply(
        rating_list=rating_list,
        correction=remove_event(period),
        by=federation.committee,
        at=club.at,
        reason="Horloges absentes",
    )
    for reader, page in ((desk, page_of(club)), (officer, one)):
        assert "liste\u00a0: Horloges absentes" in reader.get(page).content.decode()
    assert "n’entre qu’une fois" in desk.get(page_of(club)).content.decode()
    late = desk.post(page_of(club), {"official": "yes", "arbiter": "B. Pop"})
    assert late.status_code == 422
    assert late.content.decode().count("n’entre qu’une fois") == 1
    assert HandOver.objects.get().delivered == 1


def test_a_correction_of_an_evening_never_handed_over_goes_nowhere(club, closed, rating_list):
    correct(club, closed, 300, 420)
    assert not HandOver.objects.exists()


def test_a_club_takes_an_evening_back_and_the_inbox_says_why(
    club, closed, federation, rating_list, as_user
):
    desk, officer = as_user(club.committee.user), as_user(federation.committee.user)
    invite(officer, club, rating_list)
    page = page_of(club)
    form = desk.get(f"{page}?liste={rating_list.pk}").content.decode().partition("<form method")[2]
    assert f">{rating_list.name}</h2>" in form  # which of them, under a long list of lists
    assert "Retirer cette transmission" not in desk.get(page).content.decode()
    desk.post(page, {"official": "yes"})
    offered = desk.get(page).content.decode()
    label = offered.partition('for="withdrawal_reason"')[2].partition("</label>")[0]
    assert "Motif" in label and "facultatif" not in label
    one = f"{INBOX}{HandOver.objects.get().pk}/"
    unsaid = desk.post(page, {"act": "retirer", "seen": "0", "reason": ""})
    assert unsaid.status_code == 422 and "reason" in unsaid.context["withdrawal"].errors
    assert "Erreur\u00a0:" in unsaid.content.decode().partition("</title>")[0]

    gone = desk.post(page, {"act": "retirer", "seen": "0", "reason": "Feuille à relire"})
    assert gone.status_code == 302
    told = desk.get(page).content.decode()
    assert "retirée par le club" in told and "Feuille à relire" in told
    assert "Transmettre de nouveau" in told and "Retirer cette transmission" not in told
    assert "retirée par le club" in officer.get(INBOX).content.decode()
    shown = officer.get(one).content.decode()
    assert "Motif du retrait" in shown and "Feuille à relire" in shown
    assert club.members[0].full_name not in shown and "400 – 300" not in shown
    late = officer.post(one, {"act": "accepter", "seen": "0"})
    assert late.status_code == 422 and "vient de changer" in late.content.decode()


def test_a_withdrawal_after_the_acceptance_says_so_and_keeps_the_reason(
    club, closed, federation, rating_list, as_user
):
    desk, officer = as_user(club.committee.user), as_user(federation.committee.user)
    invite(officer, club, rating_list)
    page = page_of(club)
    desk.post(page, {"official": "yes"})
    officer.post(f"{INBOX}{HandOver.objects.get().pk}/", {"act": "accepter", "seen": "0"})
    late = desk.post(page, {"act": "retirer", "seen": "0", "reason": "Feuille à relire"})
    assert late.status_code == 422
    assert "déjà acceptée" in late.content.decode()
    assert "Feuille à relire" in late.content.decode()
    assert HandOver.objects.get().state == HandOver.State.MATCHING


def test_nothing_of_a_club_is_seen_before_it_is_handed_over(
    club, closed, federation, rating_list, as_user
):
    officer = as_user(federation.committee.user)
    for page in (INBOX, "/c/federation/gestion/personnes/"):
        assert club.members[0].full_name + "<" not in officer.get(page).content.decode()
    stranger = as_user(club.committee.user)
    assert stranger.get(INBOX).status_code == 403


def test_only_clubs_of_the_federations_game_are_invited(club, federation, rating_list, as_user):
    officer, page = as_user(federation.committee.user), "/c/federation/gestion/cotes/clubs/"
    invited = {"club": club.organisation.pk, "lists": rating_list.pk}
    Organisation.objects.filter(pk=federation.organisation.pk).update(game="Shogi")
    shown = officer.get(page).content.decode()
    assert "ne joue au jeu de la fédération" in shown and "Club faizers" not in shown
    assert "club" in send(officer, page, invited).context["form"].errors
    Organisation.objects.update(game="Shogi")
    assert "Club faizers" in officer.get(page).content.decode()
    send(officer, page, invited)
    # One that changes its game afterwards is still there, to be withdrawn.
    Organisation.objects.filter(pk=club.organisation.pk).update(game="Go")
    assert officer.get(f"{page}?club=faizers").context["form"].clubs.count() == 1


def test_lists_of_an_invited_club_are_changed_only_as_they_were_read(
    club, federation, rating_list, as_user
):
    """A form that begins empty withdrew what it did not name."""
    other = federation.rating_list("fisf", name="Autre liste", kind="autre")
    officer, page = as_user(federation.committee.user), "/c/federation/gestion/cotes/clubs/"
    invited = {"club": club.organisation.pk, "lists": rating_list.pk}
    assert send(officer, page, {"club": club.organisation.pk}).status_code == 422
    send(officer, page, invited)
    assert send(officer, page, {**invited, "lists": other.pk}).status_code == 422
    assert "Aucun autre club de ce site" in officer.get(page).content.decode()
    its_own = f"{page}?club={club.organisation.slug}"
    assert f'href="?club={club.organisation.slug}"' in officer.get(page).content.decode()
    form = officer.get(its_own).context["form"]
    assert form["lists"].value() == [rating_list.pk] and not form.fields["lists"].required
    send(officer, its_own, {**invited, "lists": [rating_list.pk, other.pk]})
    assert {one.pk for one in lists_open_to(club.organisation)} == {
        rating_list.pk,
        other.pk,
    }
    send(officer, its_own, {"club": club.organisation.pk})
    assert not lists_open_to(club.organisation)


def test_a_document_is_read_round_by_round():
    """In the order they were played: as the text that a document holds, 10 is before 2."""
    people = {1: "Ana", 2: "Ion", 3: "Eva"}
    game = {"key": "a", "first": 1, "second": 2, "first_score": 400, "second_score": 300}
    content = {"games": [{**game, "round": "10"}, {**game, "round": "2"}], "byes": [[3, 2, "2"]]}
    with translation.override("fr"):
        assert documents.by_round(content, people) == [
            (2, [("Ana – Ion", "400 – 300"), ("Eva", "exempt")]),
            (10, [("Ana – Ion", "400 – 300")]),
        ]


@pytest.fixture
def sent(club, closed, federation, as_user):
    """An officer's client, their list and the hand-over of a club whose every name is known."""
    rating_list = federation.rating_list("faizers", name="Liste nationale")
    desk, officer = as_user(club.committee.user), as_user(federation.committee.user)
    invite(officer, club, rating_list)
    for member, person in zip((closed.first, closed.second), federation.members, strict=True):
        link_members(
            federation=federation.organisation,
            people={member.pk: person.pk},
            by=federation.committee,
            at=club.at,
        )
    desk.post(page_of(club), {"official": "yes"})
    return officer, rating_list, f"{INBOX}{HandOver.objects.get().pk}/"


def test_a_competition_is_rated_in_six_clicks_where_every_name_is_known(club, sent, after_commit):
    """Of the club: the page, official or not, send. Of the officer: what waits, accept, validate."""
    officer, rating_list, one = sent
    assert f'href="{one}"' in officer.get("/c/federation/gestion/").content.decode()
    with after_commit():
        control = officer.post(one, {"act": "accepter", "seen": "0"}).url
    period = Period.objects.get(rating_list=rating_list)
    assert control.endswith(f"/calcul/{period.pk}/") and not period.settled_at
    job = jobs.latest(Job.Kind.DRY, period.pk, at=club.at)
    assert job is not None
    if job.is_open:  # no worker in this test
        officer.post(control, {"act": "maintenant"})
    shown = officer.get(control)
    assert "Valider et compter" in shown.content.decode()
    seen = shown.context["run"].result["version"]
    officer.post(control, {"act": "valider", "seen": seen})
    period.refresh_from_db()
    assert period.settled_at


def doubtful(draft):
    lines = preview(draft)
    lines[0].doubts.append("Deux joueurs du même nom.")
    return lines


@pytest.mark.parametrize(
    ("place", "name", "value"),
    [
        (jobs, "LONG", 0),
        (competitions, "preview", doubtful),
        (views_brought.drafts, "question", lambda _draft, _lines: {"rounds": [1]}),
        (views_brought.timezone, "localdate", lambda: date(2026, 11, 1)),
    ],
    ids=["long", "a doubt", "a question about tables", "a day to come"],
)
def test_what_the_preview_would_ask_is_asked(sent, monkeypatch, place, name, value):
    officer, rating_list, one = sent
    monkeypatch.setattr(place, name, value)
    draft = officer.post(one, {"act": "accepter", "seen": "0"}).url
    assert draft.startswith("/c/federation/gestion/cotes/faizers/apporter/")
    assert not Period.objects.filter(rating_list=rating_list).exists()


def test_a_refusal_to_bring_it_in_is_said_on_the_preview(sent, monkeypatch):
    def bring(**_given):
        raise Refused("La liste est fermée.", code="closed")

    officer, rating_list, one = sent
    monkeypatch.setattr(competitions, "bring", bring)
    answer = officer.post(one, {"act": "accepter", "seen": "0"}, follow=True)
    assert "La liste est fermée." in answer.content.decode()
    assert not Period.objects.filter(rating_list=rating_list).exists()


@pytest.mark.parametrize("asks_for_lines", [True, False])
def test_a_dry_run_begins_where_no_line_is_to_be_read_first(sent, monkeypatch, asks_for_lines):
    officer, rating_list, one = sent
    monkeypatch.setattr(views_brought.drafts, "lines_asked", lambda _list: asks_for_lines)
    control = officer.post(one, {"act": "accepter", "seen": "0"})
    period = Period.objects.get(rating_list=rating_list)
    assert control.url.endswith(f"/calcul/{period.pk}/")
    begun = jobs.latest(Job.Kind.DRY, period.pk, at=timezone.now())
    assert (begun is None) is asks_for_lines
    said = [str(message) for message in get_messages(control.wsgi_request)]
    assert ("il reste à la calculer" in said[-1]) is asks_for_lines


def test_a_competition_that_is_not_official_is_not_computed(sent):
    officer, rating_list, one = sent
    handover = HandOver.objects.get()
    HandOver.objects.update(facts=handover.facts | {"official": False})
    officer.post(one, {"act": "accepter", "seen": "0"})
    period = Period.objects.get(rating_list=rating_list)
    assert period.kind == UNOFFICIAL
    assert jobs.latest(Job.Kind.DRY, period.pk, at=timezone.now()) is None


@pytest.mark.parametrize("declared", ["yes", "no"])
def test_a_club_that_hands_over_again_finds_its_list_and_what_it_declared(
    club, closed, federation, as_user, declared
):
    """Where it was official: the page and send, five clicks with the three of the officer."""
    other, usual = (federation.rating_list(system) for system in ("glicko2", "faizers"))
    officer, desk = as_user(federation.committee.user), as_user(club.committee.user)
    invited = {"club": club.organisation.pk, "lists": [other.pk, usual.pk]}
    send(officer, "/c/federation/gestion/cotes/clubs/", invited)
    assert desk.get(page_of(club)).context["chosen"] is None
    first = {"official": declared, "why_not": "partie amicale" if declared == "no" else ""}
    assert desk.post(f"{page_of(club)}?liste={usual.pk}", first).status_code == 302

    club.next_evening()
    club.played()
    club.close()
    with CaptureQueriesContext(connection) as asked:
        page = desk.get(page_of(club))
    about = [one for one in asked if 'FROM "ratings_handover"' in one["sql"]]
    assert len(about) == 2  # where this competition stands, and what was sent last
    assert page.context["chosen"] == usual
    shown = page.context["form"]
    assert shown["official"].value() == ("yes" if declared == "yes" else None)
    said = "comme lors de votre dernière transmission" in page.content.decode()
    assert said is (declared == "yes")
    typed = {field.name: field.value() or "" for field in shown}
    sent = desk.post(page_of(club), typed)
    assert sent.status_code == (302 if declared == "yes" else 422)
    assert HandOver.objects.filter(rating_list=usual).count() == (2 if declared == "yes" else 1)


def test_a_club_reads_what_became_of_it_in_a_list_that_it_may_feed_no_more(
    club, closed, federation, rating_list, as_user
):
    desk, officer = as_user(club.committee.user), as_user(federation.committee.user)
    feeders = "/c/federation/gestion/cotes/clubs/"
    send(officer, feeders, {"club": club.organisation.pk, "lists": rating_list.pk})
    desk.post(page_of(club), {"official": "yes", "arbiter": "A. Pop"})
    address = f"{feeders}?club={club.organisation.slug}"
    send(officer, address, {"club": club.organisation.pk, "lists": []})
    one = f"{INBOX}{HandOver.objects.get().pk}/"
    officer.post(one, {"act": "retourner", "seen": "0", "reason": "Sans pendules"})
    text = desk.get(page_of(club)).content.decode()
    assert "Sans pendules" in text and "ne vous ouvre plus cette liste" in text
    assert "ne vous a ouvert" not in text and "Transmettre de nouveau" not in text
    desk.post(page_of(club), {"official": "yes", "arbiter": "B. Pop"})
    assert HandOver.objects.get().delivered == 1


@pytest.mark.parametrize("by_club", [True, False])
def test_an_officer_who_is_telling_the_names_is_led_to_what_the_club_sent_since(
    club, closed, federation, rating_list, as_user, by_club
):
    """The club corrected a result meanwhile, or another officer returned it."""
    desk, officer = as_user(club.committee.user), as_user(federation.committee.user)
    invite(officer, club, rating_list)
    desk.post(page_of(club), {"official": "yes", "arbiter": "A. Pop"})
    one = f"{INBOX}{HandOver.objects.get().pk}/"
    names = officer.post(one, {"act": "accepter", "seen": "0"})["Location"]
    draft = names.removesuffix("noms/")
    if by_club:
        correct(club, closed, 300, 420)
    else:
        officer.post(one, {"act": "retourner", "seen": "1", "reason": "Non."})
    assert officer.get(names)["Location"] == draft
    assert officer.post(draft, {"newcomers": "1"})["Location"] == INBOX
    told = officer.get(draft, follow=True)
    assert told.redirect_chain == [(INBOX, 302)]
    for page, posted in ((draft, {"newcomers": "1"}), (names, {"act": "relire"})):
        for answer in (officer.get(page, follow=True), officer.post(page, posted, follow=True)):
            assert answer.redirect_chain[-1] == (INBOX, 302)
            assert "Cette transmission vient de changer" in answer.content.decode()
    assert not Period.objects.filter(rating_list=rating_list).exists()


def test_an_officer_is_asked_about_a_hand_over_that_a_file_brought_before(
    club, closed, federation, rating_list, as_user
):
    """Of another club's evening of the same name nothing is asked."""
    desk, officer = as_user(club.committee.user), as_user(federation.committee.user)
    invite(officer, club, rating_list)
    desk.post(page_of(club), {"official": "yes", "arbiter": "A. Pop"})
    held = HandOver.objects.get()
    origins_of_the_other = (origins.handed_over(9_999), origins.file(9_999))
    for origin, asks in zip(origins_of_the_other, (False, True), strict=True):
        settlement.open_period(
            rating_list=rating_list, origin=origin, label=held.label, held_on=held.held_on
        )
        draft = CompetitionDraft(
            rating_list=rating_list, label=held.label, held_on=held.held_on, handed={"keys": []}
        )
        assert [one.origin_id for one in drafts.already_there(draft)] == [9_999] * asks
    people = [documents.newcomer(pk) for pk in (closed.first, closed.second)]
    create_outsiders(organisation=federation.organisation, people=people, at=club.at)
    taken = officer.post(f"{INBOX}{held.pk}/", {"act": "accepter", "seen": "0"})
    assert taken["Location"].endswith(f"/apporter/{CompetitionDraft.objects.get().pk}/")
    assert "compteraient deux fois" in officer.get(taken["Location"]).content.decode()


def test_a_club_reads_why_what_it_called_official_is_not_rated(
    club, closed, federation, rating_list, as_user
):
    desk, officer = as_user(club.committee.user), as_user(federation.committee.user)
    one, period = brought(club, rating_list, desk, officer)
    run = f"/c/federation/gestion/cotes/{rating_list.slug}/calcul/{period.pk}/"
    assert officer.get(run).content.decode().count("transmise lira votre motif.") == 2
    officer.post(run, {"act": "amicale", "reason": "Parties trop courtes"})
    for reader, page in ((desk, page_of(club)), (officer, one)):
        assert "sans la coter\u00a0: Parties trop courtes" in reader.get(page).content.decode()
    drafts.say_official(
        period=period, official=True, reason="Relu", by=federation.committee, at=club.at
    )
    assert "sans la coter" not in desk.get(page_of(club)).content.decode()


def test_the_log_says_which_club_feeds_which_lists(federation, rating_list, club, as_user):
    journal_page = "/c/federation/gestion/journal/"
    officer = as_user(federation.committee.user)
    for lists in ([rating_list], []):
        federation.lets_feed(club, *lists)
        line = officer.get(journal_page).context["lines"][0]
        assert line["about"][0] == club.organisation.name
        (change,) = line["changes"]
        named = ["–", rating_list.title]
        assert [change.old, change.new] == (named if lists else named[::-1])
