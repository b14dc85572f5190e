"""Long files and their undo: done by a worker, followed and cancelled from the page that asked."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client

from clubs.accounts.models import User
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import imports
from clubs.members.models import Member, MemberImport, RoleGrant
from clubs.persons import licences
from clubs.persons.models import LicenceFile
from clubs.tasks import sweep_runs, undo_import, write_import, write_licences
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from pairings.exchange.snapshot import SheetPlayer, TournamentSheet
from pairings.tasks import bring_tournament
from pairings.tournaments.files import kept
from pairings.tournaments.models import TournamentFile
from ratings.competitions.models import CompetitionDraft
from ratings.ledger.models import Period, RatedGame
from ratings.tasks import bring_competition
from tests.clubhouse import NOW, Clubhouse, make_club
from tests.member_files import members_draft

pytestmark = pytest.mark.django_db
ROWS = 30


@pytest.fixture(autouse=True)
def _a_file_is_long_from_twenty_rows_on_and_undone_by_tens(monkeypatch):
    monkeypatch.setattr(jobs, "LONG", 20)
    monkeypatch.setattr(imports, "SLICE", 10)
    monkeypatch.setattr(licences, "SLICE", 10)


def member_file(club: Clubhouse, size: int = ROWS) -> MemberImport:
    rows = [["Prénom", "Nom", "E-mail"], *(["Ana", f"Rang{n}", f"a{n}@x.fr"] for n in range(size))]
    return members_draft(club, rows)


def written_file(club: Clubhouse, size: int = ROWS) -> MemberImport:
    draft = member_file(club, size)
    imports.write(draft=draft, by=club.committee, at=NOW)
    draft.refresh_from_db()
    return draft


def competition_file(club: Clubhouse, size: int = ROWS) -> CompetitionDraft:
    held = club.rating_list("fisf")
    own = club.members[0].number
    return CompetitionDraft.objects.create(
        rating_list=held,
        file_name="parties.csv",
        label="Tournoi",
        held_on=date(2026, 9, 12),
        facts={"sheet": "games"},
        rows=[
            ["ronde", "joueur 1", "joueur 2", "résultat"],
            *([str(n), str(own), f"Nouveau Venu{n}", "1"] for n in range(1, size + 1)),
        ],
        created_at=NOW,
        created_by=club.committee.user,
    )


def licence_file(club: Clubhouse, size: int = ROWS) -> LicenceFile:
    return LicenceFile.objects.create(
        organisation=club.organisation,
        file_name="licences.csv",
        rows=[["Licence", "Prénom", "Nom"], *([str(n), "Ana", f"Rang{n}"] for n in range(size))],
        columns=dict(zip(licences.COLUMNS, range(3), strict=False)),
        created_at=NOW,
        created_by=club.committee.user,
    )


FIRST_JOB_OF_A_PROCESS = """
import django
django.setup()
from django.urls import get_script_prefix, set_script_prefix
from clubs.upkeep import jobs
set_script_prefix("/c/lyon/")
print(jobs.doer_of("dry").task.name, get_script_prefix())
"""


def test_the_first_job_of_a_process_leaves_its_request_in_its_club():
    """A process that serves pages has loaded no task yet: loading them must not set Django up again."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    command = [sys.executable, "-c", FIRST_JOB_OF_A_PROCESS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["ratings.tasks.work", "/c/lyon/"]


@dataclass(frozen=True)
class Kind:
    """One kind of long act: how it begins, its page, its task, and what is written of it."""

    code: str
    make: Callable[..., Any]
    page: Callable[[Clubhouse, Any], str]
    task: Any


def _import_page(name: str) -> Callable[[Clubhouse, Any], str]:
    return lambda club, file: f"/c/{club.organisation.slug}/gestion/import/{file.pk}/{name}/"


KINDS = [
    Kind(Job.Kind.MEMBERS_IN, member_file, _import_page("apercu"), write_import),
    Kind(Job.Kind.MEMBERS_OUT, written_file, _import_page("bilan"), undo_import),
    Kind(
        Job.Kind.COMPETITION,
        competition_file,
        lambda club, file: f"/c/{club.organisation.slug}/gestion/cotes/fisf/apporter/{file.pk}/",
        bring_competition,
    ),
    Kind(
        Job.Kind.LICENCES,
        licence_file,
        lambda club, file: f"/c/{club.organisation.slug}/gestion/personnes/licences/{file.pk}/",
        write_licences,
    ),
]


def tournament_file(club: Clubhouse, size: int = ROWS) -> TournamentFile:
    people = tuple(
        SheetPlayer(number=n, name=f"Ana Rang{n}", first_name="Ana", last_name=f"Rang{n}")
        for n in range(1, size + 1)
    )
    return kept.keep(
        sheet=TournamentSheet(
            name="Open", held_on=date(2026, 9, 12), system="swiss", players=people
        ),
        organisation=club.organisation,
        file_name="open.json",
        digest="0",
        by=club.committee,
        at=NOW,
    )


KINDS.append(
    Kind(
        Job.Kind.TOURNAMENT,
        tournament_file,
        lambda club, file: f"/c/{club.organisation.slug}/gestion/reprendre-un-tournoi/{file.pk}/",
        bring_tournament,
    )
)
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)


def written(club: Clubhouse) -> list[Any]:
    """What the database holds of the club, without the ids that differ from run to run."""
    own = club.committee.member
    assert own is not None
    people = Member.objects.of(club.organisation).order_by("number")
    periods = Period.objects.filter(rating_list__organisation=club.organisation)
    games = RatedGame.objects.filter(period__in=periods).order_by("position")
    journal = JournalEntry.objects.filter(organisation=club.organisation).order_by("seq")
    return [
        list(people.values_list("number", "first_name", "last_name", "email", "initial_rank")),
        list(people.values_list("joined_on", "search_name", "slug", "created_at")),
        list(periods.values_list("label", "held_on", "position", "settled_at")),
        list(games.values_list("position", "first__number", "second__number", "first_halves")),
        [
            (entry.verb, entry.role, entry.origin, entry.at, entry.member_id_of_actor == own.pk)
            for entry in journal
        ],
    ]


def ask(club: Clubhouse, desk: Client, kind: Kind, file: Any) -> Job:
    page = kind.page(club, file)
    assert desk.post(page, {"newcomers": "1"}).status_code == 302
    return Job.objects.get(kind=kind.code, target_id=file.pk, state__in=Job.OPEN)


def during(monkeypatch: pytest.MonkeyPatch, act: Callable[[int], None]) -> None:
    """Call `act` after each row of the job, with how many rows are done."""
    real = jobs.progress_of

    def steps(job: Job) -> jobs.Progress:
        tell = real(job)

        def step(done: int, total: int) -> None:
            tell(done, total)
            act(done)

        return step

    monkeypatch.setattr(jobs, "progress_of", steps)


@each_kind
def test_a_worker_writes_what_the_request_writes(kind, as_user, monkeypatch):
    by_worker, by_request = (make_club(name) for name in ("faizers", "voisins"))
    desk = as_user(by_worker.committee.user)
    job = ask(by_worker, desk, kind, kind.make(by_worker))
    before = written(by_worker)
    assert kind.task(job.pk) == Job.State.DONE
    assert written(by_worker) != before
    monkeypatch.setattr(jobs, "LONG", ROWS)
    other = as_user(by_request.committee.user)
    file = kind.make(by_request)
    assert other.post(kind.page(by_request, file), {"newcomers": "1"}).status_code == 302
    assert Job.objects.count() == 1
    assert written(by_worker) == written(by_request)


@each_kind
def test_a_short_file_is_written_in_the_request(kind, club, desk):
    file = kind.make(club, jobs.LONG)
    before = written(club)
    assert desk.post(kind.page(club, file), {"newcomers": "1"}).status_code == 302
    assert not Job.objects.exists()
    assert written(club) != before


@each_kind
def test_its_page_shows_it_move(kind, club, desk, monkeypatch):
    file = kind.make(club)
    job = ask(club, desk, kind, file)
    page = kind.page(club, file)
    text = desk.get(page).content.decode()
    assert 'hx-get="?etat=1" hx-trigger="every 1s"' in text and 'value="annuler"' in text
    seen: list[str] = []

    def look(done: int) -> None:
        if done % 10 == 0:
            answer = desk.get(f"{page}?etat=1")
            part = answer.content.decode()
            assert "HX-Refresh" not in answer
            assert f"{done} sur " in part
            seen.append(part.partition('value="')[2].partition('"')[0])

    during(monkeypatch, look)
    assert kind.task(job.pk) == Job.State.DONE
    assert len(seen) >= 3
    assert seen == sorted(set(seen), key=int)
    assert desk.get(f"{page}?etat=1")["HX-Refresh"] == "true"
    assert 'hx-get="?etat=1"' not in desk.get(page, follow=True).content.decode()


@each_kind
def test_cancelled_while_it_goes_it_leaves_nothing(kind, club, desk, monkeypatch):
    file = kind.make(club)
    before = written(club)
    job = ask(club, desk, kind, file)
    page = kind.page(club, file)
    during(monkeypatch, lambda done: done == 10 and desk.post(page, {"act": "annuler"}))
    assert kind.task(job.pk) == Job.State.CANCELLED
    assert written(club) == before
    assert "Annulé\N{NO-BREAK SPACE}: rien n’a changé." in desk.get(page).content.decode()
    again = ask(club, desk, kind, file)
    monkeypatch.undo()
    assert again.pk != job.pk
    assert kind.task(again.pk) == Job.State.DONE


@each_kind
def test_cancelled_before_a_worker_took_it_it_never_begins(kind, club, desk):
    file = kind.make(club)
    before = written(club)
    job = ask(club, desk, kind, file)
    desk.post(kind.page(club, file), {"act": "annuler"})
    assert kind.task(job.pk) == Job.State.CANCELLED
    assert written(club) == before


@each_kind
def test_who_lost_the_role_while_their_job_waited_changes_nothing(kind, club, desk, as_user):
    job = ask(club, desk, kind, kind.make(club))
    chair, other = club.committee.member, club.members[0]
    members.grant(member=other, role=RoleGrant.COMMITTEE, by=club.committee, at=NOW)
    withdraw = {"member": chair, "role": RoleGrant.COMMITTEE, "by": club.player(other), "at": NOW}
    members.withdraw_role(**withdraw)
    before = written(club)
    assert kind.task(job.pk) == Job.State.FAILED
    assert written(club) == before
    file = SimpleNamespace(pk=job.target_id)
    successor = as_user(other.user)
    text = successor.get(kind.page(club, file)).content.decode()
    assert "n’a plus le rôle qu’il faut" in text
    assert kind.task(ask(club, successor, kind, file).pk) == Job.State.DONE


@each_kind
def test_who_loses_the_role_while_a_worker_is_at_their_job_changes_nothing(
    kind, club, desk, monkeypatch
):
    job = ask(club, desk, kind, kind.make(club))
    before = written(club)
    withdrawn = RoleGrant.objects.filter(member=club.committee.member)
    during(monkeypatch, lambda done: done == 10 and withdrawn.update(revoked_at=NOW))
    assert kind.task(job.pk) == Job.State.FAILED
    assert written(club) == before


@pytest.mark.parametrize("left", ["club", "site"])
def test_who_left_while_their_job_waited_changes_nothing(club, desk, left):
    kind = KINDS[0]
    job = ask(club, desk, kind, kind.make(club))
    if left == "club":
        Member.objects.filter(pk=club.committee.member.pk).update(left_at=NOW)
    else:
        User.objects.filter(pk=club.committee.user.pk).update(is_active=False)
    before = written(club)
    assert kind.task(job.pk) == Job.State.FAILED
    assert written(club) == before


def test_a_role_withdrawn_as_a_worker_takes_its_job_is_seen(club, desk, monkeypatch):
    """The role is read after the job is taken: nothing is between the two to be missed."""
    kind = KINDS[0]
    job = ask(club, desk, kind, kind.make(club))
    clock = jobs.database_clock.now

    def withdraw():
        RoleGrant.objects.update(revoked_at=NOW)
        return clock()

    assert jobs.work(job.pk, clock=withdraw) == Job.State.FAILED


@each_kind
def test_a_task_that_runs_twice_does_it_once(kind, club, desk):
    file = kind.make(club)
    job = ask(club, desk, kind, file)
    kind.task(job.pk)
    once = written(club)
    assert kind.task(job.pk) == Job.State.DONE
    Job.objects.filter(pk=job.pk).update(state=Job.State.WAITING)
    assert kind.task(job.pk) == Job.State.DONE
    assert written(club) == once


@pytest.mark.parametrize(("seconds", "lost"), [(59, False), (60, False), (61, True)])
@pytest.mark.parametrize("taken", [False, True])
def test_a_job_that_nobody_moves_is_lost_after_a_minute(club, desk, taken, seconds, lost):
    kind = KINDS[0]
    file = kind.make(club)
    job = ask(club, desk, kind, file)
    if taken:
        Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING, taken_at=NOW)
    page = kind.page(club, file)
    with time_machine.travel(NOW + timedelta(seconds=seconds), tick=False):
        text = desk.get(page).content.decode()
        assert ("Rien n’avance depuis une minute." in text) is lost
        assert ('hx-trigger="every 1s"' in text) is not lost
        desk.post(page, {"act": "recommencer"})
    job.refresh_from_db()
    assert (job.asked_at > NOW) is lost
    if lost:
        assert kind.task(job.pk) == Job.State.DONE


@pytest.mark.parametrize(
    ("total", "step"), [(40, 1), (199, 1), (200, 2), (999, 9), (1000, 10), (2000, 10)]
)
def test_progress_is_told_each_hundredth_of_a_job_and_each_ten_rows_at_least(total, step):
    job = Job(pk=total, state=Job.State.WAITING, asked_at=NOW)
    told, report = [], jobs.progress_of(job)
    for done in range(1, 2 * step + 1):
        report(done, total)
        told.append(jobs.follow(job, at=NOW).done)
    assert told == [*[0] * (step - 1), *[step] * step, 2 * step]


@each_kind
def test_the_sweep_takes_up_what_a_worker_left(kind, club, desk, after_commit):
    job = ask(club, desk, kind, kind.make(club))
    Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING, taken_at=NOW)
    for seconds, lost in ((60, 0), (61, 1)):
        moment = time_machine.travel(NOW + timedelta(seconds=seconds), tick=False)
        with moment, after_commit() as sent:
            assert sweep_runs() == lost
        assert len(sent) == lost
    job.refresh_from_db()
    assert job.state == Job.State.DONE
    assert sweep_runs() == 0


def test_a_worker_that_still_tells_how_far_it_is_is_not_lost(club, desk):
    kind = KINDS[0]
    file = kind.make(club)
    job = ask(club, desk, kind, file)
    Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING, taken_at=NOW)
    with time_machine.travel(NOW + timedelta(minutes=5), tick=False):
        cache.set(f"job:{job.pk}", [90, 300], timeout=60)
        assert sweep_runs() == 0
        assert "90 sur 300" in desk.get(kind.page(club, file)).content.decode()
        desk.post(kind.page(club, file), {"act": "recommencer"})
    job.refresh_from_db()
    assert job.state == Job.State.RUNNING


def test_a_slow_worker_that_was_thought_lost_writes_nothing_once_cancelled(club, desk, monkeypatch):
    """Cancelled in the row alone: the act's own transaction still sees it at its end."""
    kind = KINDS[0]
    file = kind.make(club)
    before = written(club)
    job = ask(club, desk, kind, file)

    def cancel_in_the_row(done: int) -> None:
        if done == ROWS:
            Job.objects.filter(pk=job.pk).update(state=Job.State.CANCELLED)

    during(monkeypatch, cancel_in_the_row)
    kind.task(job.pk)
    assert written(club) == before


def test_a_refusal_is_told_in_the_language_of_who_asked(club, desk):
    kind = KINDS[2]
    file = kind.make(club)
    desk.post(kind.page(club, file), {}, headers={"accept-language": "fr"})
    job = Job.objects.get()
    assert kind.task(job.pk) == Job.State.FAILED
    text = desk.get(kind.page(club, file)).content.decode()
    assert "« Nouveau Venu1 » n’est pas connu" in " ".join(text.replace("\xa0", " ").split())
    assert not Period.objects.filter(rating_list=file.rating_list).exists()


def test_asking_hands_it_over_to_a_worker_once(club, desk, django_capture_on_commit_callbacks):
    file = member_file(club)
    page = KINDS[0].page(club, file)
    with django_capture_on_commit_callbacks(execute=False) as sent:
        desk.post(page)
        desk.post(page)
    assert len(sent) == 1
    sent[0]()
    assert Job.objects.get().state == Job.State.DONE
    file.refresh_from_db()
    assert len(file.created_members) == ROWS


def test_an_act_that_has_just_begun_counts_nothing_out_of_nothing():
    job = Job(state=Job.State.RUNNING)
    assert job.progress_words == "en cours"
    job.done, job.total = 3, 7
    assert job.progress_words == "3 sur 7"


def test_a_job_is_taken_back_and_cancelled_alone(club):
    kind, later = Job.Kind.ARCHIVE, NOW + timedelta(seconds=61)
    asked = {"organisation": club.organisation, "kind": kind, "by": club.committee, "at": NOW}
    job, _other = (jobs.ask(target_id=number, **asked) for number in (1, 2))
    assert jobs.take_back(job=job, at=later)
    jobs.cancel(job=job, at=later)
    rows = Job.objects.order_by("target_id").values_list("state", "asked_at")
    assert list(rows) == [(Job.State.CANCELLED, later), (Job.State.WAITING, NOW)]
