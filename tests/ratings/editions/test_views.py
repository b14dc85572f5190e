"""The committee publishes and mends; anybody reads, downloads and compares."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.template.loader import render_to_string
from django.utils import timezone
from kombu.exceptions import OperationalError
from openpyxl import load_workbook

from clubs.members.models import Member
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from ratings.editions import actions as editions
from ratings.editions import file_cache, views
from ratings.editions import files as edition_files
from ratings.ledger import settlement
from ratings.ledger.models import Edition
from ratings.systems.columns import TEXT, ListColumn, ListRow, ListTable
from ratings.systems.protocol import Game
from ratings.tasks import write_edition_file
from tests.ratings.editions.test_actions import begun, correct

__all__ = ["begun"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def evening(begun):
    (club,) = begun
    club.base = f"/c/{club.organisation.slug}"
    return club


def seen(page) -> str:
    found = re.search(r'name="seen" value="([0-9a-f]{64})"', page.content.decode())
    assert found
    return found[1]


def publish(club, client, *, path="/gestion/classement/publier/", **given):
    page = client.get(club.base + path)
    sent = {"title": "Classement de novembre", "note": "", "seen": seen(page)} | given
    return client.post(club.base + path, sent)


@pytest.fixture
def committee(evening, as_user):
    return as_user(evening.committee.user)


@pytest.fixture
def edition(evening, committee) -> Edition:
    answer = publish(evening, committee)
    assert answer.status_code == 302
    assert answer["Location"] == f"{evening.base}/classement/publications/1/"
    return Edition.objects.get()


def test_a_phone_shows_the_grade_of_a_player_in_a_published_list(db):
    """A reader of a shogi list looks for the grade; an empty one is left out."""
    columns = (ListColumn("grade", "Grade", TEXT), ListColumn("waiting", "Grade en attente", TEXT))
    row = ListRow(member=1, name="Ana", rank=1, cells={"grade": "7 Kyu", "waiting": ""})
    page = render_to_string(
        "ratings/editions/_edition_table.html",
        views.shown(ListTable(columns=columns, sections=(), rows=(row,))),
    )
    phone = page[: page.index("only-wide")]
    assert "Grade 7 Kyu" in phone and "en attente" not in phone


def test_the_preview_is_the_page_that_is_published(evening, committee, as_user):
    preview = committee.get(f"{evening.base}/gestion/classement/publier/").content.decode()
    publish(evening, committee)
    page = as_user().get(f"{evening.base}/classement/publications/1/").content.decode()

    def table(html):
        return re.search(r"<tbody>.*?</tbody>", html, re.DOTALL)[0]

    assert table(preview) == table(page)


def test_the_checklist_says_what_is_in_the_way(evening, committee):
    evening.next_evening()
    evening.contested(scores=(400, 300))
    page = committee.get(f"{evening.base}/gestion/classement/publier/").content.decode()
    assert "1 litige ouvert" in page and "à faire d’abord" in page
    assert 'name="seen"' not in page
    answer = committee.post(
        f"{evening.base}/gestion/classement/publier/", {"title": "x", "seen": "0" * 64}
    )
    assert answer.status_code == 422 and not Edition.objects.exists()


def test_nothing_typed_is_lost_and_a_moved_ranking_is_read_again(evening, committee):
    path = "/gestion/classement/publier/"
    old = seen(committee.get(evening.base + path))
    correct(evening, evening.matches[1], (340, 350))
    answer = publish(evening, committee, seen=old, title="Mon titre", note="Ma note")
    page = answer.content.decode()
    assert answer.status_code == 422 and not Edition.objects.exists()
    assert "a bougé depuis l’aperçu" in page and "Mon titre" in page and "Ma note" in page
    sent = {"title": "Mon titre", "note": "Ma note", "seen": seen(answer)}
    assert committee.post(evening.base + path, sent).status_code == 302


def test_a_title_is_asked_for_next_to_its_field(evening, committee):
    answer = publish(evening, committee, title="")
    assert answer.status_code == 422
    assert 'id="id_title_error"' in answer.content.decode()


def test_a_second_publication_of_a_day_is_refused(evening, committee, edition):
    page = committee.get(f"{evening.base}/gestion/classement/publier/").content.decode()
    assert "déjà publié sous le nº\u00a01" in page or "déjà publié sous le nº 1" in page
    answer = committee.post(
        f"{evening.base}/gestion/classement/publier/", {"title": "x", "seen": "0" * 64}
    )
    assert answer.status_code == 422 and Edition.objects.count() == 1


def test_everybody_reads_the_list_the_edition_and_its_alias(evening, edition, as_user):
    visitor = as_user()
    listed = visitor.get(f"{evening.base}/classement/publications/").content.decode()
    assert "Classement de novembre" in listed
    assert "publier/" not in listed
    page = visitor.get(f"{evening.base}/classement/publications/1/").content.decode()
    for words in (edition.sha256, edition.journal_hash, evening.members[0].full_name):
        assert words in page
    last = visitor.get(f"{evening.base}/classement/publications/derniere/")
    assert last["Location"] == f"{evening.base}/classement/publications/1/"
    file = visitor.get(f"{evening.base}/classement/publications/derniere.csv")
    assert file["Location"] == f"{evening.base}/classement/publications/1.csv"


def cells(html: str) -> list[list[str]]:
    """The wide table's rows as text."""
    body = re.search(r"<tbody>(.*?)</tbody>", html, re.DOTALL)[1]
    found = []
    for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL):
        texts = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        hidden = [re.sub(r'<span class="hidden-text">.*?</span>', "", text) for text in texts]
        found.append([re.sub(r"<[^>]+>", "", text).strip() for text in hidden])
    return found


def test_page_and_files_agree_to_the_digit(evening, edition, as_user):
    base = f"{evening.base}/classement/publications/1"
    visitor = as_user()
    html = cells(visitor.get(f"{base}/").content.decode())
    answers = {kind: visitor.get(f"{base}.{kind}") for kind in ("csv", "xlsx", "json", "pdf")}
    assert {kind: a.status_code for kind, a in answers.items()} == dict.fromkeys(answers, 200)
    assert answers["csv"]["Content-Type"] == "text/csv; charset=utf-8"
    assert "faizers-classement-1.csv" in answers["csv"]["Content-Disposition"]
    assert answers["pdf"].content.startswith(b"%PDF-")
    text = answers["csv"].content.decode("utf-8-sig")
    head, *lines = csv.reader(io.StringIO(text, newline=""), delimiter=";")
    assert head[:2] == ["Rang", "Joueur"]
    page = load_workbook(io.BytesIO(answers["xlsx"].content)).worksheets[0]
    read = json.loads(answers["json"].content)
    assert len(html) == len(lines) == page.max_row - 1 == len(read["edition"]["rows"]) == 6
    for shown, line, row, stored in zip(
        html,
        lines,
        page.iter_rows(min_row=2, values_only=True),
        read["edition"]["rows"],
        strict=True,
    ):
        plain = [
            text.replace("\u00a0%", "")
            .replace("\u2212", "-")
            .replace("–", "")
            .replace("\u00a0=", "")
            for text in shown
        ]
        assert plain == line
        assert [number(text) if text else None for text in line[3:7]] == [
            None if value is None else float(value) for value in row[3:7]
        ]
        cell = stored["cells"]
        assert [line[0], line[3], line[4], line[7]] == [
            str(value) for value in (stored["rank"], cell["cote"], cell["pr"], cell["played"])
        ]
        assert line[6] == (cell["ds"] or "").replace(".", ",")


def number(text: str) -> float:
    return float(text.replace(",", "."))


def test_an_edition_does_not_call_its_organisation_a_club(evening, edition, as_user):
    """A federation's editions have the same page."""
    page = as_user().get(f"{evening.base}/classement/publications/{edition.number}/")
    assert "figure au journal." in " ".join(page.content.decode().split())


def test_an_unknown_number_or_format_is_not_found(evening, edition, as_user):
    visitor = as_user()
    for path in ("2/", "2.pdf", "1.doc", "1..9/", "0/"):
        assert visitor.get(f"{evening.base}/classement/publications/{path}").status_code == 404, (
            path
        )
    empty = visitor.get(f"{evening.base}/classement/publications/?page=99")
    assert empty.status_code == 200


def test_without_any_edition_the_pages_say_what_they_wait_for(club, as_user):
    base = f"/c/{club.organisation.slug}"
    visitor = as_user()
    assert "Aucun classement publié" in visitor.get(f"{base}/classement/publications/").content.decode()  # fmt: skip
    assert visitor.get(f"{base}/classement/publications/derniere/").status_code == 404
    page = as_user(club.committee.user).get(f"{base}/gestion/classement/publier/")
    assert "Rien à publier encore" in page.content.decode()


def test_a_correction_shows_on_the_edition_and_leads_to_an_erratum(
    evening, committee, edition, as_user
):
    base = f"{evening.base}/classement/publications"
    assert "Corrigé depuis" not in as_user().get(f"{base}/1/").content.decode()
    correct(evening, evening.matches[1], (340, 350))
    assert "Corrigé depuis" in as_user().get(f"{base}/1/").content.decode()
    assert "rectifie=1" not in as_user().get(f"{base}/1/").content.decode()
    assert "rectifie=1" in committee.get(f"{base}/1/").content.decode()
    waits = committee.get(f"{evening.base}/gestion/").context["awaiting"]
    (words,) = [words for words, url in waits if url.endswith("/publier/?rectifie=1")]
    assert "nº\u00a01" in words and "à jour" in words
    path = "/gestion/classement/publier/?rectifie=1"
    preview = committee.get(evening.base + path).context
    assert preview["players"] == len(preview["proposal"].table.rows) > preview["total"] > 0
    answer = publish(evening, committee, path=path, note="")
    assert answer.status_code == 422 and 'id="id_note_error"' in answer.content.decode()
    answer = publish(evening, committee, path=path, note="La feuille disait l’inverse.")
    assert answer["Location"] == f"{base}/2/"
    old, new = (as_user().get(f"{base}/{n}/").content.decode() for n in (1, 2))
    assert "Cette publication contient une erreur" in old and f"{base}/2/" in old
    assert "Corrigé depuis" not in old
    waits = committee.get(f"{evening.base}/gestion/").context["awaiting"]
    assert not [words for words, url in waits if "rectifie" in url]
    assert f"{base}/1/" in new and "La feuille disait l’inverse." in new
    changes = as_user().get(f"{base}/1..2/").content.decode()
    names = {evening.matches[1].first.full_name, evening.matches[1].second.full_name}
    assert all(name in changes for name in names)
    listed = as_user().get(f"{base}/").content.decode()
    assert "rectifié par le nº" in listed and "rectifie le nº" in listed
    again = committee.get(evening.base + path)
    assert again["Location"] == f"{base}/2/"


def test_whoever_corrects_a_match_reads_which_editions_contain_it(evening, edition, as_user):
    client = as_user(evening.arbiter.user)
    link = f"{evening.base}/classement/publications/1/"
    page = client.get(f"{evening.base}/matchs/{evening.matches[1].pk}/corriger/").content.decode()
    assert link in page
    later = evening.next_evening()
    match, _players = evening.played(scores=(400, 300))
    assert match.evening_id == later.pk
    page = f"{evening.base}/matchs/{match.pk}/corriger/"
    assert link not in client.get(page).content.decode()
    evening.close()  # a day that nobody has published
    assert link not in client.get(page).content.decode()


def test_names_are_those_that_members_show_to_everybody(evening, committee, as_user):
    shy = evening.matches[0].first
    Member.objects.filter(pk=shy.pk).update(visibility=Member.INITIALS)
    publish(evening, committee)
    base = f"{evening.base}/classement/publications/1"
    for client in (as_user(), committee):
        for kind in ("/", ".csv", ".json"):
            text = client.get(base + kind).content.decode()
            assert shy.last_name not in text, kind
    assert shy.slug not in as_user().get(f"{base}/").content.decode()


@pytest.mark.parametrize(("system", "kind"), [("faizers", "blitz"), ("fisf", "")])
def test_a_rating_list_is_published_under_its_own_address(
    evening, committee, as_user, system, kind
):
    held = settlement.list_of(evening.organisation, system, kind=kind)
    period = settlement.open_period(
        rating_list=held, key="p", label="Tournoi", held_on=evening.at.date() - timedelta(days=1)
    )
    settlement.record_game(
        period=period,
        posting=Game("g", evening.members[0].pk, evening.members[1].pk, 2, 400, 300),
        at=evening.at,
    )
    settlement.settle(period=period, by=evening.committee, at=evening.at)
    cote = str(held.cotes.get(member=evening.members[0]).shown)
    answer = publish(evening, committee, path=f"/gestion/cotes/{held.slug}/publier/")
    base = f"{evening.base}/cotes/{held.slug}/publications"
    assert answer["Location"] == f"{base}/1/"
    page = as_user().get(f"{base}/1/")
    assert page.status_code == 200 and cote in page.content.decode()
    rules = f"{evening.base}/regles/0/?livre={system}"
    assert f'href="{rules}"' in page.content.decode()
    assert as_user().get(rules).status_code == 200
    player = f"/joueurs/{evening.members[0].address}/cotes/{held.slug}/"
    assert f'href="{evening.base}{player}"' in page.content.decode()
    assert as_user().get(f"{base}/1.csv").status_code == 200
    assert as_user().get(f"{evening.base}/classement/publications/1/").status_code == 404
    assert as_user().get(f"{evening.base}/cotes/autre/publications/").status_code == 404


def test_an_edition_is_not_found_under_the_neighbours_address(
    evening, edition, neighbours, as_user
):
    client = as_user(neighbours.committee.user)
    base = f"/c/{neighbours.organisation.slug}"
    assert client.get(f"{base}/classement/publications/1/").status_code == 404
    assert client.get(f"{base}/gestion/classement/publier/?rectifie=1").status_code == 404


def test_an_edition_asks_few_questions(evening, edition, as_user, django_assert_max_num_queries):
    visitor = as_user()
    visitor.get(f"{evening.base}/classement/publications/1/")
    with django_assert_max_num_queries(12):
        visitor.get(f"{evening.base}/classement/publications/1/")
    assert editions.corrected_since(edition) == 0


def ranking(page):
    """(rank, name) of the lines of the published tab, as the table prints them."""
    html = page.content.decode()
    body = re.search(r"<tbody>(.*?)</tbody>", html, re.DOTALL)
    rows = re.findall(r"<tr>(.*?)</tr>", body[1], re.DOTALL) if body else []
    return [
        (
            int(re.search(r">\s*(\d+)", row)[1]),
            re.search(r"<th scope=\"row\">\s*(.*?)\s*</th>", row, re.S)[1],
        )
        for row in rows
    ]


def test_the_tab_of_the_published_ranking_is_the_edition_not_the_last_evening(
    evening, committee, as_user
):
    tab = f"{evening.base}/classement/?etat=publie"
    assert "Aucun classement n’est encore publié" in as_user().get(tab).content.decode()
    publish(evening, committee, note="Première du trimestre.")
    frozen = [(row["rank"], row["name"]) for row in Edition.objects.get().rows]
    correct(evening, evening.matches[0], (100, 500))  # the books move, the edition stays
    page = as_user().get(tab)
    assert [(rank, re.sub("<.*?>", "", name)) for rank, name in ranking(page)] == frozen
    html = page.content.decode()
    assert "/classement/publications/1/" in html
    assert "Première du trimestre." in html
    assert "/classement/publications/1.pdf" in html
    assert "hx-get" not in html
    labels = [one["label"] for one in page.context["tabs"]]
    assert labels == ["En direct", "Publié"]


def test_the_published_tab_is_searched_and_narrowed_and_says_what_it_lacks(
    evening, edition, as_user, django_assert_max_num_queries
):
    tab = f"{evening.base}/classement/?etat=publie"
    last = edition.rows[-1]
    name = last["name"].split()[-1]
    assert [rank for rank, _name in ranking(as_user().get(f"{tab}&q={name}"))] == [last["rank"]]
    category = edition.rows[0]["cells"]["category"]
    held = [row for row in edition.rows if row["cells"]["category"] == category]
    page = as_user().get(f"{tab}&categorie={category}")
    assert len(ranking(page)) == len(held)
    assert {chip["count"] for chip in page.context["chips"] if chip["current"]} == {len(held)}
    assert "Aucun joueur ne correspond" in as_user().get(f"{tab}&q=zzz").content.decode()
    Member.objects.filter(pk=last["member"]).update(visibility=Member.INITIALS)
    assert ranking(as_user().get(f"{tab}&q={name}")) == []
    evening.next_evening()
    with django_assert_max_num_queries(10):
        page = as_user().get(tab)
    labels = [one["label"] for one in page.context["tabs"]]
    assert labels == ["En direct", "Dernière soirée clôturée", "Publié"]
    evening.played(scores=(400, 300))
    evening.close()
    assert "n’y est pas encore" in as_user().get(tab).content.decode()


@pytest.fixture
def long_ones(monkeypatch, settings, tmp_path):
    """Every edition counts as a long one; `written` is the list of files made."""
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(file_cache, "LONG", 1)
    written = []
    for extension, (kind, write) in list(edition_files.FILES.items()):

        def noted(edition, progress, extension=extension, write=write):
            written.append(extension)
            return write(edition, progress)

        monkeypatch.setitem(edition_files.FILES, extension, (kind, noted))
    return written


@pytest.fixture
def asked(as_user, after_commit):
    """Ask for a file; a worker does at once what it is asked for."""

    def ask(page, **options):
        with after_commit():
            return as_user().get(page, follow=True, **options)

    return ask


def test_a_long_file_that_goes_while_it_is_asked_for_is_written_again(
    evening, edition, asked, long_ones, monkeypatch
):
    """Another worker removes it to write the next one of its kind."""
    page = f"{evening.base}/classement/publications/1.xlsx"
    asked(page)
    reads, lost = Path.read_bytes, []

    def goes_first(path):
        if not lost and path.parent.name == "editions":
            lost.append(path)
            path.unlink()
        return reads(path)

    monkeypatch.setattr(Path, "read_bytes", goes_first)
    assert asked(page).status_code == 200
    assert lost and long_ones == ["xlsx", "xlsx"]


@pytest.mark.parametrize("extension", ["pdf", "xlsx"])
def test_a_long_file_is_written_once_until_what_it_prints_changes(
    evening, edition, asked, long_ones, extension, tmp_path
):
    page = f"{evening.base}/classement/publications/1.{extension}"
    assert "il se prépare" in asked(page).content.decode()
    first, again = asked(page), asked(page)
    assert first.content == again.content
    assert long_ones == [extension]
    asked(page, headers={"accept-language": "en"})
    assert long_ones == [extension] * 2
    row = edition.rows[0]
    Member.objects.filter(pk=row["member"]).update(visibility=Member.INITIALS)
    assert "il se prépare" in asked(page).content.decode()
    assert long_ones == [extension] * 3
    assert asked(page).content != first.content
    kept = sorted(file.suffix for file in (tmp_path / "editions").iterdir())
    assert kept == [f".{extension}"] * 2  # one a language: the one with the whole name is gone


def test_who_asks_for_a_long_file_is_not_noted(evening, edition, asked, long_ones):
    """A visitor is nobody, nor a member without an account."""
    Member.objects.filter(pk=evening.members[0].pk).update(user=None)
    asked(f"{evening.base}/classement/publications/1.pdf")
    job = Job.objects.get()
    assert (job.asked_by, job.state, job.percent) == (None, Job.State.DONE, 0)
    assert jobs.actor_of(job).member is None


def test_two_who_ask_for_the_same_long_file_do_not_write_it_twice(
    evening, edition, as_user, asked, long_ones, monkeypatch
):
    page = f"{evening.base}/classement/publications/1.pdf"
    inner = []
    kind, write = edition_files.FILES["pdf"]

    def asked_meanwhile(found, progress):
        inner.append(as_user().get(page, follow=True))
        return write(found, progress)

    monkeypatch.setitem(edition_files.FILES, "pdf", (kind, asked_meanwhile))
    asked(page)
    assert asked(page).content.startswith(b"%PDF")
    assert len(inner) == 1 and inner[0].status_code == 200
    assert "il se prépare" in inner[0].content.decode()
    assert long_ones == ["pdf"] and Job.objects.count() == 1


def test_the_writer_of_a_long_file_reports_its_progress(
    evening, edition, as_user, long_ones, monkeypatch
):
    monkeypatch.setattr(jobs, "send_to_worker", lambda _job: None)
    for extension in ("pdf", "xlsx"):
        told = []
        monkeypatch.setattr(jobs, "progress_of", lambda _job, told=told: lambda *n: told.append(n))
        as_user().get(f"{evening.base}/classement/publications/1.{extension}")
        assert write_edition_file(Job.objects.latest("pk").pk) == Job.State.DONE
        assert told[-1][0] == told[-1][1] > 0


def test_a_long_file_whose_writer_failed_is_written_by_the_next(
    evening, edition, asked, long_ones, monkeypatch
):
    page = f"{evening.base}/classement/publications/1.xlsx"
    kind, write = edition_files.FILES["xlsx"]

    def broken(found, progress):
        raise OSError("no space")

    monkeypatch.setitem(edition_files.FILES, "xlsx", (kind, broken))
    asked(page)
    monkeypatch.setitem(edition_files.FILES, "xlsx", (kind, write))
    asked(page)
    assert asked(page).content.startswith(b"PK")
    assert long_ones == ["xlsx"]


def test_a_request_leaves_a_long_file_to_a_worker(
    evening, edition, as_user, long_ones, monkeypatch
):
    page = f"{evening.base}/classement/publications/1.pdf"
    monkeypatch.setattr(jobs, "send_to_worker", lambda _job: None)
    for _time in range(2):
        said = as_user().get(page, follow=True)
        assert "il se prépare" in said.content.decode()
    job = Job.objects.get()
    assert job.given == {"edition": edition.pk, "extension": "pdf", "origin": "web"}
    assert (job.language, long_ones) == ("fr", [])
    write_edition_file(job.pk)
    assert as_user().get(page).content.startswith(b"%PDF")
    assert long_ones == ["pdf"]


def test_without_a_worker_the_reader_is_led_to_the_short_file(
    evening, edition, as_user, asked, long_ones, monkeypatch
):
    page = f"{evening.base}/classement/publications/1.pdf"

    def unreachable(_job_id):
        raise OperationalError

    with monkeypatch.context() as without:
        without.setattr(write_edition_file, "delay", unreachable)
        asked(page)
    with time_machine.travel(timezone.now() + timedelta(seconds=61), tick=False):
        assert "ne peut pas être préparé" in as_user().get(page, follow=True).content.decode()
        assert write_edition_file(Job.objects.get().pk) == Job.State.DONE
        assert as_user().get(page).content.startswith(b"%PDF")  # nothing waits for a lock
