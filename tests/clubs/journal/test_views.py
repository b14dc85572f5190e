"""The journal names what each act is about, and leads to its page."""

from __future__ import annotations

import ast
import csv
import re
from datetime import timedelta
from functools import cache

import pytest
from django.utils import translation

from api import journal_verbs as api_verbs
from clubs.accounts.actor import Actor
from clubs.journal import chain as journal
from clubs.journal import checks as journal_checks
from clubs.journal import wording as sentences
from clubs.journal.models import JournalEntry
from clubs.members.models import MemberImport
from clubs.organisations.models import Organisation
from clubs.personal_data.forgetting import empty_account
from clubs.personal_data.register import Someone
from clubs.registries import JOURNAL_VERBS
from pairings import journal_verbs as pairing_verbs
from pairings.rules.match_lifecycle import FLOW
from ratings import journal_verbs as rating_verbs
from ratings.ledger import settlement
from ratings.systems.protocol import Game
from tests.our_code import modules, tree_of

VERBS = {
    "clubs": sentences.VERBS,
    "ratings": rating_verbs.VERBS,
    "pairings": pairing_verbs.VERBS,
    "api": api_verbs.VERBS,
}


def lines_of(club, as_user, root):
    page = as_user(club.committee.user).get(f"{root}/gestion/journal/")
    assert page.status_code == 200
    return {line["entry"].subject: line["about"] for line in page.context["lines"]}, page


@pytest.mark.django_db
def test_subjects_are_words_with_their_page(club, neighbours, as_user):
    root = f"/c/{club.organisation.slug}"
    match, (a, b) = club.entered()
    about, page = lines_of(club, as_user, root)
    assert about[f"match:{match.pk}"] == (
        f"{a.member} – {b.member}",
        f"{root}/matchs/{match.pk}/",
    )
    words, address = about[f"evening:{club.evening.pk}"]
    assert "20 novembre 2026" in words and address.endswith("/soirees/2026-11-20/")
    text = page.content.decode()
    assert f"match:{match.pk}" not in text and f'href="{root}/matchs/{match.pk}/"' in text


@pytest.mark.django_db
def test_the_lines_of_one_person_are_found_by_their_name(club, as_user):
    _match, (a, _b) = club.entered()
    asked = {"qui": a.member.full_name}
    page = as_user(club.committee.user).get("/gestion/journal/", asked)
    found = {line["entry"].member_id_of_actor for line in page.context["lines"]}
    assert found == {a.member.pk}


@pytest.mark.django_db
def test_lists_competitions_editions_and_imports_are_words_too(club, neighbours, as_user):
    root = f"/c/{club.organisation.slug}"
    held = settlement.list_of(club.organisation, "fisf", kind="essai")
    period = settlement.open_period(
        rating_list=held, key="p", label="Tournoi", held_on=club.at.date() - timedelta(days=9)
    )
    posting = Game("g", club.members[0].pk, club.members[1].pk, 2, 400, 300)
    settlement.record_game(period=period, posting=posting, at=club.at)
    settlement.settle(period=period, by=club.committee, at=club.at)
    club.publish_edition("Publication", rating_list=held)
    read = MemberImport.objects.create(
        organisation=club.organisation,
        file_name="amis.csv",
        rows=[],
        created_at=club.at,
        created_by=club.committee.user,
    )
    for subject in (f"import:{read.pk}", f"list:{held.pk}", "edition:nulle-part:1"):
        journal.record(
            organisation=club.organisation,
            verb="list_opened",
            subject=subject,
            by=club.committee,
            at=club.at,
        )
    about, _page = lines_of(club, as_user, root)
    competition = f"{root}/cotes/{held.slug}/competitions/{period.pk}/"
    assert about[f"period:{period.pk}"] == (f"Tournoi, {held.name}", competition)
    publication = f"{root}/cotes/{held.slug}/publications/1/"
    assert about[f"edition:{held.slug}:1"] == (f"{held.name}, nº\u00a01", publication)
    assert about[f"list:{held.pk}"] == (held.name, f"{root}/cotes/{held.slug}/")
    assert about[f"import:{read.pk}"] == ("fichier amis.csv", "")
    assert about["edition:nulle-part:1"] == ("edition:nulle-part:1", "")
    for address in (competition, publication):
        assert as_user(None).get(address).status_code == 200


@pytest.mark.django_db
def test_an_edition_names_its_list_in_the_language_of_the_page(club):
    held = settlement.list_of(club.organisation, "fisf")
    subject = f"edition:{held.slug}:1"
    with translation.override("ro"):
        words, _address = sentences.subjects([subject], club.organisation)[subject]
    assert words == "Rating FISF, nr. 1"


@pytest.mark.django_db
def test_an_evening_that_was_counted_is_named_by_its_day(club):
    club.played(scores=(400, 300))
    club.close()
    [period] = settlement.list_of(club.organisation, "faizers").periods.all()
    subject = f"period:{period.pk}"
    words, _address = sentences.subjects([subject], club.organisation)[subject]
    assert words.startswith("Soirée du 20 novembre, ")


@pytest.mark.django_db
def test_the_file_says_in_words_who_acted_and_on_what(club, as_user):
    """No code name, in the language of whoever reads it; the site itself is an actor too."""
    club.entered()
    journal.record(
        organisation=club.organisation,
        verb="match_expire",
        subject=f"organisation:{club.organisation.pk}",
        by=Actor.system(),
        at=club.at,
    )
    reader = as_user(club.committee.user)
    reader.cookies["django_language"] = "en"
    file = reader.get(f"/c/{club.organisation.slug}/gestion/journal/?format=csv")
    head, *lines = csv.reader(file.content.decode("utf-8-sig").splitlines())
    assert head[2:6] == ["Who", "Role", "Action", "Subject"]
    assert next(line[2:4] for line in lines) == ["the site", "the site"]
    cells = [cell for line in lines for cell in line[2:6]]
    assert cells and not [cell for cell in cells if re.search(r"^\w+:\d+$|_|^$", cell)]
    assert {"enters a result", "player"} <= set(cells), cells


@pytest.mark.django_db
def test_the_page_and_its_file_begin_with_the_newest_or_the_oldest(club, desk):
    club.entered()
    for order, newest_first in (("", True), ("seq", False), ("no-such-order", True)):
        page = desk.get("/gestion/journal/", {"tri": order})
        shown = [line["entry"].seq for line in page.context["lines"]]
        file = desk.get("/gestion/journal/", {"tri": order, "format": "csv"})
        _head, *lines = csv.reader(file.content.decode("utf-8-sig").splitlines(), delimiter=";")
        assert len(shown) > 2
        assert shown == sorted(shown, reverse=newest_first) == [int(line[0]) for line in lines]


@pytest.mark.django_db
def test_a_federation_reads_of_itself_as_one(club, as_user):
    founded = {"verb": "organisation_founded", "subject": "organisation:1"}
    journal.record(organisation=club.organisation, **founded, by=club.committee, at=club.at)
    client = as_user(club.committee.user)
    for kind, words in (("club", "fonde le club"), ("federation", "fonde la fédération")):
        Organisation.objects.update(kind=kind)
        page = client.get("/gestion/journal/", {"verbe": "organisation_founded"})
        (line,) = page.context["lines"]
        assert line["words"] == dict(page.context["verbs"])["organisation_founded"] == words
        file = client.get("/gestion/journal/", {"format": "csv"}).content.decode()
        assert words in file


def test_what_nobody_names_or_is_gone_is_printed_as_it_is_stored(club):
    found = sentences.subjects(["match:999999", "comet:1", "odd", "member:x"], club.organisation)
    assert found == {s: (s, "") for s in ("match:999999", "comet:1", "odd", "member:x")}


@pytest.mark.django_db
def test_a_page_of_the_journal_asks_a_query_a_kind(club, django_assert_max_num_queries):
    for _time in range(4):
        club.match()
    subjects = list(JournalEntry.objects.values_list("subject", flat=True))
    kinds = {subject.partition(":")[0] for subject in subjects}
    with django_assert_max_num_queries(len(kinds)):
        sentences.subjects(subjects, club.organisation)


def verbs_of(node: ast.AST) -> list[ast.expr]:
    """What a node names as the verb of an entry: `verb=…`, `verb = …`, `note(row, …)`."""
    if isinstance(node, ast.keyword) and node.arg == "verb":
        return [node.value]
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "verb":
        return [node.value]
    if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "note":
        return node.args[1:2]
    return []


@cache
def written_by(app: str) -> set[str]:
    """Return the verbs that an app names, without those that it makes of parts."""
    return {
        value.value
        for path in modules([app])
        for node in ast.walk(tree_of(path))
        for named in verbs_of(node)
        for value in (named, *ast.iter_child_nodes(named))
        if isinstance(value, ast.Constant)
        and isinstance(value.value, str)
        and not value.value.endswith("_")
    }


def test_every_act_the_site_writes_has_a_sentence():
    written = {event.verb for event in FLOW}.union(*map(written_by, VERBS))
    assert len(written) > 90
    unsaid = written - set(JOURNAL_VERBS)
    assert not unsaid, f"give each a sentence in VERBS of its app's journal_verbs.py: {unsaid}"


@pytest.mark.parametrize("app", VERBS)
def test_an_app_lists_the_acts_that_it_alone_writes(app):
    elsewhere = set().union(*(written_by(other) for other in VERBS if other != app))
    unlisted = written_by(app) - elsewhere - set(VERBS[app])
    assert not unlisted, f"not in VERBS of the journal words of {app}: {unlisted}"


def test_an_act_is_listed_once():
    listed = [verb for verbs in VERBS.values() for verb in verbs]
    assert sorted(listed) == sorted(set(listed)) == sorted(JOURNAL_VERBS)


@pytest.mark.django_db
def test_a_mailed_code_is_compared_on_the_page(club, desk):
    """A chain computed anew holds by itself; only the code that somebody kept shows the change."""
    seq, head = journal.head_of(club.organisation)
    club.entered()

    def said(code: str) -> str:
        page = desk.get("/gestion/journal/", {"code": code})
        assert page.status_code == 200
        return (
            page.content.decode().partition("Comparer avec un code")[2].partition("</details>")[0]
        )

    unverified = said(f" {seq}:{head}\n")
    assert f"La ligne {seq} a bien ce code" in unverified
    journal_checks.check(club.organisation, at=club.at)
    assert f"C’est bien le code de la ligne {seq}\u00a0: rien n’a changé" in said(f"{seq}:{head}")
    for other in (
        f"{seq + 1}:{head}",
        f"{seq - 1}:{head}",
        f"{seq}:{'0' * 64}",
        f"{'9' * 18}:{head}",
    ):
        text = said(other)
        assert "le journal a changé depuis ce message" in text and "a bien ce code" not in text
    for wrong in ("", head, f"{seq}:{head[1:]}", f"0:{head}", "9" * 19 + f":{head}"):
        text = said(wrong)
        assert 'aria-invalid="true"' in text and "notice--bad" not in text


@pytest.mark.django_db
def test_neither_a_code_nor_a_line_of_another_club_is_one_of_this_journal(
    club, neighbours, as_user
):
    opened = {"verb": "list_opened", "subject": "list:1", "by": neighbours.committee, "at": club.at}
    journal.record(organisation=neighbours.organisation, **opened)
    seq, head = journal.head_of(neighbours.organisation)
    page = as_user(club.committee.user).get(
        f"/c/{club.organisation.slug}/gestion/journal/", {"code": f"{seq}:{head}"}
    )
    assert "le journal a changé depuis ce message" in page.content.decode()
    shown = {line["entry"].organisation_id for line in page.context["lines"]}
    assert shown == {club.organisation.pk} and "list_opened" not in dict(page.context["verbs"])


@pytest.mark.django_db
def test_who_acted_before_they_were_a_member_and_is_forgotten_is_a_closed_account(club, as_user):
    member = club.members[0]
    club_row = {"organisation": club.organisation, "subject": f"member:{member.pk}", "at": club.at}
    journal.record(verb="account_linked", by=Actor(member.user, None, "player"), **club_row)
    address = f"/c/{club.organisation.slug}/gestion/journal/"
    assert member.user.email == lines_read(club, as_user, address)[0]["who"]
    empty_account(Someone.of(member))
    assert lines_read(club, as_user, address)[0]["who"] == "un compte fermé"


def lines_read(club, as_user, address):
    return as_user(club.committee.user).get(address).context["lines"]
