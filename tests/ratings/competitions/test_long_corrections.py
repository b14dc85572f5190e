"""Corrections of a long list through the pages: a worker calculates, somebody reads, a worker applies."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db.models import F
from django.test import Client
from django.utils.formats import date_format

from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.models import Member, RoleGrant
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from ratings.competitions import long_corrections
from ratings.competitions.corrections.words import heading_of, title_of
from ratings.ledger import corrections, replay
from ratings.ledger.models import LedgerEntry, RatingList
from tests.clubhouse import Clubhouse, make_club
from tests.clubs.approvals.test_second_person import PIN, approver, publish, want_two
from tests.kept import once_a_worker
from tests.ratings.competitions.test_views import (
    DAY,
    brought,
    computed,
    games_file,
    open_list,
    rated,
    sheet,
    starts_file,
)

pytestmark = pytest.mark.django_db
__all__ = ["approver"]  # a fixture


@once_a_worker
def club_with_a_list() -> tuple[Clubhouse, RatingList]:
    """A list of three competitions."""
    club, desk = make_club("faizers"), Client()
    desk.force_login(club.committee.user)
    root = f"/c/{club.organisation.slug}"
    rating_list = open_list(desk, root)
    rated(desk, root, rating_list, starts_file(club), kind="starts", day=DAY - timedelta(days=90))
    for days in (60, 40):
        rated(desk, root, rating_list, games_file(club), day=DAY - timedelta(days=days))
    return club, rating_list


@pytest.fixture
def begun(db):
    return club_with_a_list()


@pytest.fixture
def rating_list(begun, monkeypatch):
    """It counts as a long one."""
    monkeypatch.setattr(long_corrections, "LONG", 5)
    return begun[1]


@pytest.fixture
def period(rating_list):
    return rating_list.periods.filter(settled_at__isnull=False).in_order()[1]


@pytest.fixture
def page(root, rating_list, period):
    game = period.games.order_by("position")[0]
    address = f"{root}/gestion/cotes/{rating_list.slug}/competitions/{period.pk}/"
    return f"{address}partie/{game.pk}/"


def worked(desk, answer):
    """Do the job whose page an answer leads to, as no worker runs in the tests; its page."""
    assert answer.status_code == 302, answer.content.decode()
    job = Job.objects.latest("pk")
    assert answer.url.endswith(f"/correction/{job.pk}/") and job.state == Job.State.WAITING
    jobs.doer_of(job.kind).task(job.pk)
    return answer.url


def cotes(rating_list):
    return dict(rating_list.cotes.values_list("member_id", "shown"))


def test_a_long_list_is_counted_up_to_its_limit(rating_list, monkeypatch):
    rows = sum(period.games.count() for period in rating_list.periods.all())
    for limit, is_long in ((rows - 1, True), (rows, False), (rows + 1, False)):
        monkeypatch.setattr(long_corrections, "LONG", limit)
        assert long_corrections.is_long(rating_list) is is_long


def test_a_game_is_corrected_by_two_jobs_with_a_reading_between(
    club, desk, root, rating_list, period, page
):
    before = cotes(rating_list)
    run = worked(desk, desk.post(page, {"act": "voir", "result": "0"}))
    shown = desk.get(run)
    assert "Ce que cela change" not in desk.get(page).content.decode()
    [part] = shown.context["parts"]
    game = period.games.order_by("position")[0]
    assert shown.context["heading"] == "Corriger une partie"
    title = f"{game.first} contre {game.second}\u00a0: 0 – 1 · {period.label}"
    assert shown.context["title"] == title
    assert (
        cotes(rating_list) == before
        and len(part["page"])
        and period.label in shown.content.decode()
    )

    without = desk.post(run, {"act": "appliquer", "reason": " "})
    assert without.status_code == 422 and Job.objects.latest("pk").kind == Job.Kind.EFFECT
    applied = worked(desk, desk.post(run, {"act": "appliquer", "reason": "feuille relue"}))
    job = Job.objects.latest("pk")
    assert job.state == Job.State.DONE, job.words
    assert "La correction est enregistrée." in desk.get(applied).content.decode()
    assert job.given["back"] == page[: page.index("partie/")]
    assert job.given["back"] in desk.get(applied).content.decode()
    after = {Member.objects.get(pk=pk).full_name: shown for pk, shown in cotes(rating_list).items()}
    assert all(after[row["name"]] == row["after"] for row in part["page"])
    assert cotes(rating_list) != before and list(replay.check(rating_list)) == []
    entry = JournalEntry.objects.filter(verb="list_replayed").latest("pk")
    assert entry.reason == "feuille relue" and entry.actor == club.committee.user


def test_a_list_changed_since_the_reading_is_not_corrected(desk, root, rating_list, period, page):
    run = worked(desk, desk.post(page, {"act": "voir", "result": "0"}))
    type(rating_list).objects.filter(pk=rating_list.pk).update(version=rating_list.version + 7)
    before = cotes(rating_list)
    applied = worked(desk, desk.post(run, {"act": "appliquer", "reason": "feuille relue"}))
    job = Job.objects.latest("pk")
    assert job.state == Job.State.FAILED and "ont changé depuis l’aperçu" in job.words
    assert job.words in desk.get(applied).content.decode()
    assert cotes(rating_list) == before


def test_an_impossible_correction_is_refused_before_a_worker_is_asked(
    club, desk, root, rating_list
):
    kept, other = club.members[0], club.members[1]
    met = desk.post(
        f"{root}/gestion/cotes/fusion/",
        {"act": "voir", "merged": other.number, "kept": kept.number},
    )
    assert met.status_code == 422 and "l’un contre l’autre" in met.content.decode()
    assert not long_corrections.of_club(club.organisation).exists()


def test_a_second_correction_waits_for_the_first_and_the_same_one_is_found_again(
    desk, root, rating_list, page
):
    first = desk.post(page, {"act": "voir", "result": "0"})
    again = desk.post(page, {"act": "voir", "result": "0"})
    assert (
        again.url == first.url and long_corrections.of_club(rating_list.organisation).count() == 1
    )
    other = desk.post(page, {"act": "voir", "result": "1"})
    assert (
        other.status_code == 422 and "Une autre correction est en cours" in other.content.decode()
    )
    assert first.url in desk.get(f"{root}/gestion/cotes/").content.decode()
    desk.post(first.url, {"act": "annuler"})
    assert "C’est annulé" in desk.get(first.url).content.decode()
    assert desk.post(page, {"act": "voir", "result": "1"}).status_code == 302


def test_reading_a_page_asks_no_worker(desk, root, rating_list, period):
    page = f"{root}/gestion/cotes/{rating_list.slug}/competitions/{period.pk}/retirer/"
    assert "Voir ce que cela change" in desk.get(page).content.decode()
    assert not long_corrections.of_club(rating_list.organisation).exists()
    run = worked(desk, desk.post(page, {"act": "voir"}))
    worked(desk, desk.post(run, {"act": "appliquer", "reason": "non homologué"}))
    period.refresh_from_db()
    assert period.removed_at is not None


def test_a_late_competition_is_inserted_by_a_worker(club, desk, root, rating_list):
    late = brought(desk, root, rating_list, games_file(club, False), day=DAY - timedelta(days=50))
    page, run = computed(desk, root, late)
    sent = {"act": "valider", "seen": run.result["version"], "reason": "reçu en retard"}
    worked(desk, desk.post(page, sent))
    late.refresh_from_db()
    assert late.settled_at is not None
    assert LedgerEntry.objects.filter(supersedes__isnull=False).exists()


def test_two_players_who_are_one_are_merged_by_a_worker(club, desk, root, rating_list):
    kept, merged, other = club.members[0], club.members[6], club.members[1]
    rows = [f"1;{merged.number};{other.number};1"]
    head = "ronde;joueur 1;joueur 2;résultat"
    rated(desk, root, rating_list, sheet(club, rows, head), day=DAY + timedelta(days=5))
    for number, name in enumerate(("Seniors, anciens", "Tineret")):
        club.rating_list("glicko2", name=name, category=f"c{number}")
    page = f"{root}/gestion/cotes/fusion/"
    asked = desk.post(page, {"act": "voir", "merged": merged.number, "kept": kept.number})
    run = worked(desk, asked)
    effect = desk.get(run).content.decode()
    assert f"{merged} ({merged.number}) → {kept} ({kept.number})" in effect
    assert "Aucun nombre ne change dans\u00a0: " in effect and "joueur touché," not in effect
    assert "Seniors, anciens\u00a0; " in effect or "\u00a0; Seniors, anciens" in effect
    assert "Une fusion ne s’annule pas" in effect and "Fusionner les deux fiches" in effect
    done = worked(desk, desk.post(run, {"act": "appliquer", "reason": "même personne"}))
    assert "Les deux fiches sont fusionnées." in desk.get(done).content.decode()
    merged.refresh_from_db()
    assert merged.merged_into == kept and not rating_list.cotes.filter(member=merged).exists()


def test_a_merge_by_a_worker_is_refused_where_another_list_has_changed(
    club, desk, root, rating_list
):
    second = club.rating_list("glicko2", name="Autre liste")
    page = f"{root}/gestion/cotes/fusion/"
    kept, merged = club.members[0], club.members[6]
    asked = desk.post(page, {"act": "voir", "merged": merged.number, "kept": kept.number})
    run = worked(desk, asked)
    RatingList.objects.filter(pk=second.pk).update(version=F("version") + 1)
    refused = worked(desk, desk.post(run, {"act": "appliquer", "reason": "même personne"}))
    assert (
        "Une liste ou ses règles ont changé depuis l’aperçu" in desk.get(refused).content.decode()
    )
    merged.refresh_from_db()
    assert merged.merged_into is None


def test_a_withdrawn_game_names_its_players_and_many_games_only_their_competition(
    club, desk, root, rating_list, period, page
):
    game = period.games.order_by("position")[0]
    withdrawn = worked(desk, desk.post(page, {"act": "voir", "result": "out"}))
    title = desk.get(withdrawn).context["title"]
    assert title == f"{game.first} contre {game.second}\u00a0: partie retirée · {period.label}"
    wish = corrections.Correction(
        games={period.pk: {row.source: None for row in period.games.in_force()}}
    )
    job = Job.objects.latest("pk")
    job.given = long_corrections.asked(wish, rating_list=rating_list, back="/")
    assert title_of(job) == period.label


def test_the_page_of_a_job_says_what_is_done(rating_list, period):
    """Removing and bringing back have the same effect on a page, read backwards."""
    game = game_of(period).game
    forfeit = replace(game, first_halves=2, first_score=None, facts={"played": False})
    job = Job(kind=Job.Kind.EFFECT)

    def said(correction):
        job.given = long_corrections.asked(correction, back="/")
        return heading_of(job), title_of(job).removesuffix(period.label)

    people = f"{game_of(period).first} contre {game_of(period).second}\u00a0: "
    assert said(corrections.remove_event(period)) == ("Retirer la compétition", "")
    assert said(corrections.restore_event(period)) == ("Rétablir la compétition", "")
    assert said(corrections.insert_event(period)) == ("Compter la compétition", "")
    scored = replace(game, first_halves=1, first_score=400, second_score=400)
    words = (f"{people}½ – ½, 400 – 400 · ", f"{people}1 – 0, forfait, pas cotée · ")
    for corrected, result in zip((scored, forfeit), words, strict=True):
        told = said(corrections.change_game(period, corrected))
        assert told == ("Corriger une partie", result)
    moved = corrections.change_event(period, held_on=DAY, label="Autre nom")
    day = date_format(DAY, "j F Y")
    assert said(moved) == (
        "Corriger la date ou le nom",
        f"{period.label} → Autre nom, {day}",
    )
    declared = corrections.change_event(period, facts={"players": {}})
    assert said(declared) == ("Corriger ce qui est déclaré", "")


def game_of(period):
    return period.games.in_force().order_by("pk")[0]


def test_a_correction_stored_as_json_is_the_same_correction(rating_list, period):
    game = period.games.in_force()[0].game
    wish = (
        corrections.change_game(period, game)
        | corrections.withdraw_game(period, "match:1")
        | corrections.change_event(period, held_on=DAY, facts={"percent": "0"})
        | corrections.remove_event(period)
    )
    stored = long_corrections.CORRECTION.dump_python(wish, mode="json")
    assert long_corrections.CORRECTION.validate_python(stored) == wish


def test_a_neighbour_finds_no_correction_of_this_club(desk, root, page, other_club, as_user):
    run = worked(desk, desk.post(page, {"act": "voir", "result": "0"}))
    theirs = run.replace(root, f"/c/{other_club.organisation.slug}")
    assert as_user(other_club.committee.user).get(theirs).status_code == 404


def test_an_added_game_and_its_approval_reach_the_worker(
    club, desk, root, rating_list, period, approver
):
    publish(club, rating_list)
    want_two(club, rating_list.system)
    address = f"{root}/gestion/cotes/{rating_list.slug}/competitions/{period.pk}/partie/nouvelle/"
    one, other = club.members[3], club.members[0]
    game = {"first": one.number, "second": other.number, "result": "2", "round": "7"}
    run = worked(desk, desk.post(address, {**game, "act": "voir"}))
    decided = {"act": "appliquer", "reason": "Barrage"}
    assert desk.post(run, decided).status_code == 422  # nobody approves
    worked(desk, desk.post(run, {**decided, "approver": approver.pk, "approver_pin": PIN}))
    assert period.games.get(added=True).first_id == one.pk
    line = JournalEntry.objects.get(verb="correction_seconded")
    assert (line.actor_id, line.reason) == (approver.user_id, "Barrage")


def test_who_approved_and_left_the_committee_before_the_worker_began_approves_nothing(
    club, desk, rating_list, page, approver
):
    publish(club, rating_list)
    want_two(club, rating_list.system)
    before = cotes(rating_list)
    run = worked(desk, desk.post(page, {"act": "voir", "result": "0"}))
    decided = {"act": "appliquer", "reason": "feuille relue"}
    asked = desk.post(run, {**decided, "approver": approver.pk, "approver_pin": PIN})
    committee = RoleGrant.COMMITTEE
    members.withdraw_role(member=approver, role=committee, by=club.committee, at=club.at)
    worked(desk, asked)
    assert Job.objects.latest("pk").state == Job.State.FAILED
    assert cotes(rating_list) == before
    assert not JournalEntry.objects.filter(verb="correction_seconded").exists()
