"""Public pages of the rating lists: few queries, every change explained, calculators."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

import pytest
from django.core.cache import cache
from django.utils import timezone, translation

from clubs.members.models import Member
from ratings import systems
from ratings.competitions import actions as competitions
from ratings.competitions.files.headings import GAMES, PLACINGS, STARTS
from ratings.competitions.files.import_files import File
from ratings.ledger import settlement
from ratings.ledger.models import LedgerEntry, RatingList, StandingCote
from ratings.lists import filters
from ratings.lists.tables import phone_rows, shared_tags
from ratings.systems.columns import TAG, ListColumn

pytestmark = pytest.mark.django_db


def held_list(club, system="fisf", kind="", category=""):
    return club.rating_list(system, name=f"Liste {system} {kind}", kind=kind, category=category)


def rated(club, held, rows, kind=GAMES, day=None, facts=None):
    draft = competitions.draft(
        rating_list=held,
        file=File(rows, "UTF-8"),
        file_name="x.csv",
        kind=kind,
        label=f"Épreuve {kind}",
        held_on=day or date(2026, 9, 1),
        facts=facts or {},
        by=club.committee,
        at=club.at,
    )
    period = competitions.bring(draft=draft, with_newcomers=True, by=club.committee, at=club.at)
    settlement.settle(period=period, by=club.committee, at=club.at)
    return period


def example(club):
    """000 §7: five rounds of J0, with the cotes and K of the document."""
    held = held_list(club)
    people = [("J0", 1700, 30), ("J1", 1900, 40), ("J2", 1950, 60)]
    people += [("J3", 1550, 10), ("J4", 1600, 25), ("J5", 1700, 30)]
    rows = [[f"Joueur {name}", str(cote), str(games)] for name, cote, games in people]
    starts = [["joueur", "cote", "parties"], *rows]
    rated(club, held, starts, STARTS, date(2026, 8, 20))
    results = [("J1", "0"), ("J2", "1"), ("J3", "1"), ("J4", "0"), ("J5", "1")]
    games = [["ronde", "joueur 1", "joueur 2", "résultat"]]
    games += [
        [str(n), "Joueur J0", f"Joueur {who}", won] for n, (who, won) in enumerate(results, start=1)
    ]
    return held, rated(club, held, games)


def plain(answer):
    return " ".join(answer.content.decode().replace("\u00a0", " ").split())


def test_the_example_of_000_7_reads_line_by_line(club, client):
    held, period = example(club)
    entry = LedgerEntry.objects.get(period=period, member__last_name="J0")
    answer = client.get(f"/c/faizers/joueurs/{entry.member.address}/cote/{entry.pk}/")
    words = plain(answer)
    for effect in ("−4,80", "+16,20", "+6,00", "−12,80", "+10,00"):
        assert f">{effect}<" in words
    assert "1700 − 1900 = −200, ligne 198 de la table : We = 0,24" in words
    assert "E1 = 1700 + 20 × (3 − 2,27) = 1714,60" in words
    assert ">1715<" in words
    lines = answer.context["lines"]
    total = sum(Fraction(line.effect) for line in lines if line.effect is not None)
    assert 1700 + total == 1715
    assert {line.article.split(" ")[0] for line in lines} == {"FISF"}
    listed = client.get(f"/c/faizers/cotes/{held.slug}/?partie=everybody")
    assert "1715" in plain(listed)


@pytest.mark.parametrize(
    ("system", "query", "expected"),
    [
        ("fisf", "first_rating=1700&second_rating=1900&result=0", "−4,80"),
        ("fesa", "first_rating=1500&second_rating=1500&result=2", "Cote après"),
        ("absp", "first_rating=100&second_rating=120&result=2", "Cote après"),
    ],
)
def test_a_calculator_explains_two_ratings_and_a_result(club, client, system, query, expected):
    held = held_list(club, system, "compunere" if system == "romania" else "")
    page = f"/c/faizers/cotes/{held.slug}/calculateur/"
    assert client.get(page).status_code == 200
    assert client.get(f"{page}?lang=en").status_code == 200  # search engines are told of it
    answer = client.get(f"{page}?{query}&first_games=50&second_games=50")
    assert answer.status_code == 200
    assert expected in plain(answer)
    wrong = client.get(f"{page}?first_rating=abc&second_rating=1&result=2")
    assert wrong.status_code == 422


def test_every_line_of_every_system_has_words(club, client):
    """No kind of reason is printed by its bare code."""
    people = [str(member) for member in club.members]
    example(club)
    romania = held_list(club, "romania", "compunere")
    for day in range(1, 20):
        order = people[day % 3 :][:5] if day != 7 else people[3:]
        sheet = [["place", "joueur"], *([str(n), name] for n, name in enumerate(order, start=1))]
        rated(club, romania, sheet, PLACINGS, date(2026, 3, day))
    fesa = held_list(club, "fesa")
    official = {"minutes": 30, "byoyomi": 30, "arbiter": "X"}
    official["named"] = {"accepted": [[people[4], "1 Dan", "NSR"]]}
    elos = [["joueur", "elo", "parties"], *([name, "1500", "40"] for name in people[:3])]
    rated(club, fesa, elos, STARTS, date(2026, 1, 1))
    games = [["joueur 1", "joueur 2", "résultat"]]
    games += [[people[4], people[0], "1"], [people[1], people[0], "1"], [people[5], people[1], "0"]]
    rated(club, fesa, games, facts=official)
    absp = held_list(club, "absp")
    starts = [["joueur", "cote", "parties"], *([name, "100", "20"] for name in people[:4])]
    rated(club, absp, starts, STARTS, date(2026, 1, 1))
    more = [["joueur 1", "joueur 2", "résultat"]]
    more += [[people[0], name, "1"] for name in (*people[1:4], people[5])]
    rated(club, absp, more)
    seen = set()
    for entry in LedgerEntry.objects.select_related("member"):
        answer = client.get(f"/c/faizers/joueurs/{entry.member.address}/cote/{entry.pk}/")
        assert answer.status_code == 200
        for line, stored in zip(answer.context["lines"], entry.because, strict=True):
            assert line.head and line.head != stored["kind"], stored
            seen.add((stored["article"].split(" ")[0], stored["kind"]))
    assert {("000", "game"), ("001", "ageing"), ("003", "virtual"), ("003", "game")} <= seen
    assert ("001", "game") in seen


def test_the_general_rating_is_the_mean_of_five_types(club, client):
    people = [str(member) for member in club.members[:4]]
    for kind in ("duplicat_clasic", "compunere"):
        held = held_list(club, "romania", kind, "seniors")
        for day in (1, 2, 3):
            sheet = [["place", "joueur"], *([str(n), w] for n, w in enumerate(people, start=1))]
            rated(club, held, sheet, PLACINGS, date(2026, 3, day))
    answer = client.get("/c/faizers/cotes/general/")
    rows = answer.context["rows"]
    assert [row["name"] for row in rows] == people
    best = StandingCote.objects.filter(member=club.members[0])
    known = [Fraction(c.state["rating"]["fraction"]) for c in best]
    assert rows[0]["value"] == (sum(known) + 3 * 150) / 5
    assert client.get("/c/faizers/cotes/general/?categorie=tineret").status_code == 200


def test_players_sit_by_their_general_rating(club, as_user):
    people = [str(member) for member in club.members[:4]]
    held = held_list(club, "romania", "compunere", "seniors")
    for day in (1, 2, 3):
        sheet = [["place", "joueur"], *([str(n), w] for n, w in enumerate(people, start=1))]
        rated(club, held, sheet, PLACINGS, date(2026, 3, day))
    desk, page = as_user(club.committee.user), "/c/faizers/gestion/cotes/places/?categorie=seniors"
    # The seventh and the sixth have no general rating: they follow, by name.
    there = [club.members[6].full_name, people[2], club.members[5].full_name, people[0]]
    refused = desk.post(page, {"players": "\n".join([*there, "Personne"])})
    assert refused.status_code == 422 and "Ligne 5" in refused.content.decode()
    typed = "\n".join([*there, str(club.members[2].number)])
    rows = desk.post(page, {"players": typed}).context["rows"]
    assert [row["name"] for row in rows] == [people[0], people[2], there[2], there[0]]
    assert [row["value"] is None for row in rows] == [False, False, True, True]


@pytest.mark.parametrize("size", [5, 60])
def test_a_list_page_needs_few_queries_however_long_the_list(
    club, client, size, django_assert_max_num_queries
):
    held = held_list(club)
    many(club, held, [fisf_state(1400 + n, None) for n in range(size)])
    with django_assert_max_num_queries(10):
        answer = client.get(f"/c/faizers/cotes/{held.slug}/")
    assert len(answer.context["rows"]) == min(size, 50)
    assert answer.context["rows"][0]["rank"] == 1
    with django_assert_max_num_queries(10):
        found = client.get(f"/c/faizers/cotes/{held.slug}/?q=p{size - 1}")
    assert found.context["rows"][0]["rank"] == 1


def test_rules_of_every_list_are_printed_from_their_own_values(club, client):
    for system in ("fisf", "fesa", "absp", "romania"):
        held_list(club, system, "compunere" if system == "romania" else "")
        answer = client.get(f"/c/faizers/regles/?livre={system}")
        assert answer.status_code == 200
        assert any(tab["current"] for tab in answer.context["tabs"])
    assert client.get("/c/faizers/regles/?livre=belote").status_code == 404


@pytest.mark.parametrize(
    ("visibility", "stranger", "member"),
    [("everybody", 200, 200), ("members", 404, 200), ("initials", 404, 200)],
)
def test_a_player_who_hides_is_hidden_on_every_page_about_them(
    club, client, visibility, stranger, member
):
    held, period = example(club)
    entry = LedgerEntry.objects.filter(period=period).select_related("member").first()
    Member.objects.filter(pk=entry.member_id).update(visibility=visibility)
    entry.member.refresh_from_db()
    one, other = entry.member.address, club.members[0].address
    pages = [
        f"joueurs/{one}/cote/{entry.pk}/",
        f"joueurs/{one}/cotes/{held.slug}/",
        f"joueurs/{one}/",
        f"joueurs/{one}/contre/{other}/",
        f"joueurs/{other}/contre/{one}/",
    ]
    seen = {page: client.get(f"/c/faizers/{page}").status_code for page in pages}
    assert seen == dict.fromkeys(pages, stranger)
    client.force_login(
        club.members[0].user, backend="allauth.account.auth_backends.AuthenticationBackend"
    )
    seen = {page: client.get(f"/c/faizers/{page}").status_code for page in pages}
    assert seen == dict.fromkeys(pages, member)


def many(club, held, states):
    """Players P0, P1, … of a list, with these states, best first."""
    members = [
        Member(
            organisation=club.organisation,
            first_name=f"P{n}",
            last_name="X",
            slug=f"p-{n}",
            number=5000 + n,
            search_name=f"p{n} x",
            sort_name=f"x p{n}",
            joined_on=club.at.date(),
        )
        for n in range(len(states))
    ]
    Member.objects.bulk_create(members)
    StandingCote.objects.bulk_create(
        StandingCote(
            rating_list=held,
            member=member,
            state=state,
            shown=state["rating"],
            games=state["games"],
            status=state["status"],
            last_on=timezone.localdate(),
        )
        for member, state in zip(members, states, strict=True)
    )
    cache.clear()


def fisf_state(live, frozen):
    """Ranked, with the cote of last summer, which says the series, and the one of today."""
    long_ago = timezone.localdate() - timedelta(days=400)
    cotes = [[long_ago.isoformat(), frozen]] if frozen else []
    extra = {"last": timezone.localdate().isoformat(), "cotes": cotes}
    return {"rating": live, "games": 40, "events": 5, "status": "ranked", "extra": extra}


def names(answer):
    return [row["name"].split()[0] for row in answer.context["rows"]]


def test_a_fisf_list_narrows_to_a_series_as_frozen_not_as_played(
    club, client, django_assert_max_num_queries
):
    held = held_list(club)
    frozen = [1900, 1950, 1700, None, 1500, 1960]
    many(club, held, [fisf_state(1990 - n, cote) for n, cote in enumerate(frozen)])
    page = f"/c/faizers/cotes/{held.slug}/"
    with django_assert_max_num_queries(10):
        answer = client.get(page)
    chips = [(chip["label"], chip["count"]) for chip in answer.context["chips"]]
    assert chips == [("Tous", None), ("Joker", 2), ("A", 1), ("B", 1), ("C", 1)]
    assert names(answer) == [f"P{n}" for n in range(6)]
    with django_assert_max_num_queries(10):
        jokers = client.get(f"{page}?serie=Joker")
    assert names(jokers) == ["P1", "P5"]
    assert [row["rank"] for row in jokers.context["rows"]] == [2, 6]
    assert names(client.get(f"{page}?serie=Joker&q=p5")) == ["P5"]
    assert names(client.get(f"{page}?serie=Z")) == [f"P{n}" for n in range(6)]
    assert "Aucun joueur ne correspond" in plain(client.get(f"{page}?serie=A&q=p5"))
    lines = client.get(f"{page}liste.csv?partie=ranked&serie=Joker").content.decode("utf-8-sig")
    assert [line.split(";")[2] for line in lines.splitlines()[1:]] == ["P1 X", "P5 X"]


@pytest.mark.parametrize(("counted", "expected"), [(2000, [None, 60, 15]), (10, [None, None, 15])])
def test_a_series_has_its_own_pages_and_counts_where_they_are_cheap(
    club, client, monkeypatch, counted, expected
):
    monkeypatch.setattr(filters, "COUNTED", counted)
    held = held_list(club)
    states = [fisf_state(1990 - n, 1950) for n in range(60)]
    states += [fisf_state(1800 - n, 1850) for n in range(15)]
    many(club, held, states)
    page = f"/c/faizers/cotes/{held.slug}/"
    first = client.get(page)
    assert [chip["count"] for chip in first.context["chips"]][:2] == expected[:2]
    second = client.get(f"{page}?serie=Joker&page=2")
    assert names(second) == [f"P{n}" for n in range(50, 60)]
    assert second.context["chips"][2]["count"] == expected[2]


@pytest.mark.parametrize("typed", ["0", "-1", "deux", "9" * 5000])
def test_what_is_no_page_is_the_first_one(club, client, typed):
    held = held_list(club)
    many(club, held, [fisf_state(1990 - n, 1950) for n in range(60)])
    shown = client.get(f"/c/faizers/cotes/{held.slug}/", {"page": typed})
    assert names(shown) == [f"P{n}" for n in range(50)]


def test_a_fesa_list_narrows_to_a_grade_somebody_holds(club, client, django_assert_max_num_queries):
    held = held_list(club, "fesa")
    grades = ["2 Dan", "1 Dan", "1 Dan", None]
    states = [
        {
            "rating": 1900 - n,
            "games": 40,
            "events": 0,
            "status": "established",
            "extra": {"grade": grade, "outcomes": "10", "bonus_used": 0},
        }
        for n, grade in enumerate(grades)
    ]
    many(club, held, states)
    page = f"/c/faizers/cotes/{held.slug}/"
    with django_assert_max_num_queries(10):
        answer = client.get(page)
    offered = [(one["value"], one["count"]) for one in answer.context["choices"]]
    assert offered == [("", None), ("2 Dan", 1), ("1 Dan", 2)]
    assert names(client.get(f"{page}?grade=1+Dan")) == ["P1", "P2"]
    assert names(client.get(f"{page}?grade=1+Dan&q=p2")) == ["P2"]
    assert 'value="1 Dan" selected' in client.get(f"{page}?grade=1+Dan").content.decode()


def test_a_phone_reads_once_the_status_that_every_row_shares(club, client):
    held, _period = example(club)
    listed = client.get(f"/c/faizers/cotes/{held.slug}/?partie=everybody")
    tags = {word[2] for row in listed.context["rows"] for word in row["words"] if word[1] == "tag"}
    rows = listed.context["rows"]
    assert len(rows) > 1 and (len(tags) > 1 or not tags)
    columns = (ListColumn("status", "Statut", TAG),)
    same = [{"cells": {"status": "Comité"}}, {"cells": {"status": "Comité"}}]
    shared = shared_tags(columns, same)
    assert list(shared) == ["status"] and "Comité" in shared["status"]
    assert shared["status"].startswith("Statut\u00a0: <")
    assert [row["words"] for row in phone_rows(columns, same, without=shared)] == [[], []]
    assert not shared_tags(columns, [*same, {"cells": {"status": "Arbitre"}}])
    assert not shared_tags(columns, same[:1])


def test_of_a_start_nothing_is_said_to_add_up(club, client):
    held = held_list(club, "fesa")
    elos = [["joueur", "elo", "parties"], [str(club.members[0]), "1500", "40"]]
    rated(club, held, elos, STARTS, date(2026, 1, 1))
    entry = LedgerEntry.objects.get(rating_list=held)
    page = plain(client.get(f"/c/faizers/joueurs/{entry.member.address}/cote/{entry.pk}/"))
    assert "Cote après" in page and "1500" in page
    assert "Les effets s’ajoutent" not in page


def test_a_player_reads_how_far_the_next_series_is_and_whose_rules_these_are(club, client):
    held, period = example(club)
    entry = LedgerEntry.objects.get(period=period, member__last_name="J0")
    own = plain(client.get(f"/c/faizers/joueurs/{entry.member.address}/cotes/{held.slug}/"))
    assert "Série A, barre 1810 : encore 95 points" in own
    assert "Pour être classé : 1 tournoi sur 2" in own
    assert '<progress max="2" value="1"' in own
    why = plain(client.get(f"/c/faizers/joueurs/{entry.member.address}/cote/{entry.pk}/"))
    assert "Règlement FISF" in why and "Règlement 000" not in why
    listed = client.get(f"/c/faizers/cotes/{held.slug}/?partie=everybody")
    table = plain(listed)
    assert "Points à la barre" in table and "Série au 1er septembre" in table
    # Neither a phone's rows nor the file have these columns.
    assert all("barre" not in word[0] for row in listed.context["rows"] for word in row["words"])
    file = client.get(f"/c/faizers/cotes/{held.slug}/liste.csv?partie=everybody")
    assert "barre" not in file.content.decode()


def test_a_romanian_list_says_how_much_of_the_window_was_played(club, client):
    held = held_list(club, "romania", "duplicat_clasic")
    people = [str(member) for member in club.members[:4]]
    for day in (1, 2, 3):
        order = people if day != 2 else people[:3]
        sheet = [["place", "joueur"], *([str(n), w] for n, w in enumerate(order, start=1))]
        rated(club, held, sheet, PLACINGS, date(2026, 3, day))
    assert "3 sur 20" in plain(client.get(f"/c/faizers/cotes/{held.slug}/"))
    last = club.members[3]
    own = plain(client.get(f"/c/faizers/joueurs/{last.address}/cotes/{held.slug}/"))
    assert "Rating actif : 2 parties sur 3" in own and "sur les 20 dernières" in own
    file = client.get(f"/c/faizers/cotes/{held.slug}/liste.csv").content.decode()
    assert "3 sur 20" in file


def test_a_list_nobody_named_is_called_by_its_system_in_the_reader_s_language(club, client):
    ladder = settlement.list_of(club.organisation, "faizers")
    own = RatingList(system="faizers", name="Cote du jeudi")
    with translation.override("ro"):
        assert (str(ladder), ladder.title, own.title) == (
            "Scara FAIZERS",
            "Scara FAIZERS",
            "Cote du jeudi",
        )
    page = client.get(f"/c/faizers/cotes/{ladder.slug}/", headers={"accept-language": "ro"})
    assert "<h1>Scara FAIZERS</h1>" in page.content.decode()


def test_a_phone_counts_games_once_where_a_list_says_how_many_of_them_count():
    columns = systems.system("absp")().columns()
    cells = {"cote": 155, "games": 48, "window": "48/150", "status": "classé"}
    (row,) = phone_rows(columns, [{"cells": cells}], without=["status"])
    assert (row["label"], row["value"]) == (str(columns[0].label), "155")
    assert [word[0] for word in row["words"]] == ["Parties comptées"]
    assert [column.code for column in columns] == list(cells)  # a wide page and files have both


def test_the_figures_of_a_curve_name_competitions_and_days_as_the_reader_writes_them(club, client):
    held = club.rating_list("romania", kind="duplicat_clasic", category="seniors", name="Seniors")
    sheet = [
        ["place", "joueur"],
        *([str(n), str(one.number)] for n, one in enumerate(club.members[:4], start=1)),
    ]
    rated(club, held, sheet, PLACINGS, date(2026, 3, 5))
    page = f"/c/faizers/joueurs/{club.members[0].address}/cotes/{held.slug}/"
    for language, head, day in (
        ("fr", "Compétition", "05/03/2026"),
        ("en", "Competition", "5 Mar 2026"),
        ("ro", "Competiție", "05.03.2026"),
    ):
        shown = client.get(page, headers={"accept-language": language}).content.decode()
        table = shown.split('<figure class="graph">')[1].split("<table")[1].split("</table>")[0]
        assert f'<th scope="col">{head}</th>' in table
        assert f'<th scope="row">{day}</th>' in table
