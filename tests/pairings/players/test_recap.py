"""After the evening: each player's own recap, the wall's last page, publication, shared pictures."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from PIL import Image, ImageDraw

from clubs.members import actions as members
from clubs.members.models import Member
from pairings.evenings import actions as evenings
from pairings.matches.models import Match
from pairings.players import share_picture
from pairings.rules.match_state import Result
from ratings.ledger.models import LedgerEntry, StandingCote
from ratings.systems.categories import CLUB_BANDS
from tests.clubhouse import Clubhouse, make_club
from tests.kept import once_a_worker

pytestmark = pytest.mark.django_db
HOME = "/c/faizers"


@once_a_worker
def closed_evening() -> Clubhouse:
    """Member 0 won twice and 1 lost, 2 won, 3 lost twice."""
    club = make_club("faizers")
    a, b, c, d = club.members[:4]
    club.played(a, b, scores=(400, 350))
    club.played(c, d, scores=(500, 300))
    club.played(a, d, scores=(450, 200))
    club.close()
    club.evening.refresh_from_db()
    return club


@pytest.fixture
def over(db):
    return closed_evening()


def url(club, tail=""):
    return f"{HOME}/ma-soiree/bilan/{club.evening.held_on.isoformat()}/{tail}"


def page(as_user, member, address):
    answer = as_user(member.user).get(address)
    return answer, " ".join(answer.content.decode().split())


def test_every_player_sees_their_evening_and_the_change_of_their_cote(over, as_user):
    for member in over.members[:4]:
        answer, html = page(as_user, member, url(over))
        assert answer.status_code == 200
        summary = answer.context["summary"]
        entry = LedgerEntry.objects.get(member=member, period__isnull=False)
        assert (summary.cote.before, summary.cote.after) == (entry.shown_before, entry.shown_after)
        before, after = summary.cote.before, summary.cote.after
        assert f"{before}</" in html and f"{after}</" in html
        why = answer.context["why_url"]
        assert str(entry.pk) in why and f'href="{why}"' in html
        assert as_user(member.user).get(why).status_code == 200
        assert f"{summary.row.rank}<sup>" in html
    recap = page(as_user, over.members[0], url(over))[0].context["recap"]
    assert recap.record == {"won": 2, "drawn": 0, "lost": 0} and recap.pr == 6
    assert recap.best_score.mine == 450 and recap.best_margin.won == 250
    assert recap.streak == 2 and len(recap.lines) == 2
    lost = page(as_user, over.members[3], url(over))[0].context["recap"]
    assert (lost.streak, lost.best_margin, lost.best_score.mine) == (0, None, 300)


def test_in_a_game_won_1_to_0_the_recap_says_outcomes_and_no_scores(club, as_user):
    a, b = club.members[:2]
    club.played(a, b, scores=(1, 0))
    club.close()
    answer, html = page(as_user, a, url(club))
    assert answer.context["recap"].record == {"won": 1, "drawn": 0, "lost": 0}
    assert "Meilleur score" not in html and "Plus grand écart" not in html


def test_the_recap_explains_a_cote_that_stays(club, as_user):
    a, b, c, d = club.members[:4]
    club.played(a, b, scores=(400, 400))
    club.played(c, d, scores=(500, 300))
    club.close()
    drawn, won = (page(as_user, member, url(club))[1] for member in (a, c))
    assert "Pourquoi ma cote reste la même" in drawn and "a bougé" not in drawn
    assert "Pourquoi ma cote a bougé" in won


def test_the_recap_says_what_is_missing_to_the_next_category(over, as_user):
    answer, html = page(as_user, over.members[0], url(over))
    cote = answer.context["summary"].cote
    assert cote.category == "onyx" and cote.next_category == "amethyste"
    assert cote.missing == 1400 - cote.after and f"Encore {cote.missing} points" in html


def test_a_category_won_is_said(over, as_user, monkeypatch):
    after = StandingCote.objects.get(member=over.members[0]).shown
    lowered = (CLUB_BANDS[0], replace(CLUB_BANDS[1], minimum=after), *CLUB_BANDS[2:])
    monkeypatch.setattr("ratings.systems.faizers.system.Faizers.bands", lambda self: lowered)
    answer, html = page(as_user, over.members[0], url(over))
    assert answer.context["summary"].cote.has_won_category
    assert "Vous avez gagné une catégorie" in html
    wall = (
        as_user().get(f"{HOME}/soirees/{over.evening.held_on.isoformat()}/ecran/").context["over"]
    )
    assert [line["category"] for line in wall["risers"] if line["new"]] == ["amethyste"]


def test_my_evening_lists_the_matches_after_closing(over, as_user):
    home = f"{HOME}/ma-soiree/"
    answer, html = page(as_user, over.members[0], home)
    assert answer.context["card"].state == "recap"
    assert [(line.mine, line.theirs) for line in answer.context["tonight"]] == [
        (450, 200),
        (400, 350),
    ]
    assert '<h2 class="card__title"> Vos matchs </h2>' in html and "450 – 200" in html
    assert over.members[3].full_name in html
    answer, html = page(as_user, over.members[6], home)
    assert answer.context["tonight"] == [] and "Vos matchs" not in html


def test_my_evening_leads_to_the_recap_until_the_next_evening_opens(over, as_user):
    member = over.members[0]
    answer, html = page(as_user, member, f"{HOME}/ma-soiree/")
    assert answer.context["card"].state == "recap" and url(over) in html
    profile = page(as_user, member, f"{HOME}/joueurs/{member.address}/")[1]
    assert url(over) in profile
    other = page(as_user, over.members[1], f"{HOME}/joueurs/{member.address}/")[1]
    assert url(over) not in other
    over.next_evening()
    answer, _html = page(as_user, member, f"{HOME}/ma-soiree/")
    assert answer.context["card"].state == "waiting"
    over.close()
    assert page(as_user, member, url(over))[0].status_code == 200


def test_the_graph_of_a_profile_has_its_figures_in_a_table(over, as_user):
    member = over.members[0]
    html = page(as_user, member, f"{HOME}/joueurs/{member.address}/")[1]
    table = html.split('<figure class="graph">')[1].split("</figure>")[0].split("<table")[1]
    after = StandingCote.objects.get(member=member).shown
    rows = re.findall(r'<th scope="row">([^<]*)</th> <td class="num"> (\d+) </td>', table)
    assert rows == [("début", "1000"), ("20 nov.", str(after))]
    assert f"cote de 1000 à {after}." in table.split("</caption>")[0]


def test_a_recap_is_ones_own_alone(over, other_club, as_user):
    address = url(over)
    visitor = as_user().get(address)
    assert visitor.status_code == 302 and "next=" in visitor["Location"]
    assert as_user(other_club.members[0].user).get(address).status_code == 403
    newcomer = over.join("Zoé")
    members.link_account(
        member=newcomer, user=other_club.members[0].user, by=over.committee, at=over.at
    )
    answer = as_user(newcomer.user).get(address, follow=True)
    day = over.evening.held_on.isoformat()
    assert answer.redirect_chain == [(f"{HOME}/soirees/{day}/", 302)]
    assert "Vous n’étiez pas à cette soirée" in answer.content.decode()


def test_an_evening_that_goes_on_has_no_recap(club, as_user):
    club.played(*club.members[:2], scores=(400, 350))
    assert as_user(club.members[0].user).get(url(club)).status_code == 404


def test_a_correction_after_the_closing_shows_in_the_recap(over, as_user):
    member = over.members[0]
    before = StandingCote.objects.get(member=member).shown
    match = Match.objects.get(first=member, second=over.members[1])
    over.correct(match, Result("played", 300, 350), "x")
    answer, html = page(as_user, member, url(over))
    cote = answer.context["summary"].cote
    assert cote.corrected_from == before != cote.after
    assert "Une correction est venue après la clôture" in html


# The wall


def wall(club, as_user, part=""):
    answer = as_user().get(f"{HOME}/soirees/{club.evening.held_on.isoformat()}/ecran/{part}")
    return answer, " ".join(answer.content.decode().split())


def test_the_wall_closes_with_podium_and_rises_and_no_banner(over, as_user):
    answer, html = wall(over, as_user)
    highlights = answer.context["over"]
    assert [line["rank"] for line in highlights["podium"]] == [1, 2, 3]
    assert highlights["podium"][0]["name"] == over.members[0].wall_name
    assert highlights["risers"][0]["name"] == over.members[0].wall_name
    assert all(line["delta"] > 0 for line in highlights["risers"])
    assert "wall-podium" in html and "Plus fortes hausses" in html
    assert "wall-banner" not in html and "Vous arrivez" not in html
    assert "last_line" not in answer.context  # the ranking says more than the last match played


def test_a_first_evening_without_a_match_has_no_podium(club, as_user, monkeypatch):
    """Those who came stood on it by the alphabet, with 0 PR, on the wall and on the shared picture."""
    club.close()
    answer, html = wall(club, as_user)
    assert answer.context["wall_rows"] and answer.context["over"]["podium"] == []
    assert "wall-podium" not in html and "Aucun match ce soir." in html
    drawn = []
    monkeypatch.setattr(share_picture.Picture, "podium", lambda _self, rows: drawn.extend(rows))
    day = club.evening.held_on.isoformat()
    for path in (f"soirees/{day}/image.png", "partage.png"):
        assert as_user().get(f"{HOME}/{path}").status_code == 200
    assert drawn == []


def test_the_banner_of_the_wall_is_asked_for_again_when_the_state_changes(club, as_user):
    club.played(*club.members[:2], scores=(400, 350))
    evenings.last_games(evening=club.evening, by=club.arbiter, at=club.at)
    assert "Derniers matchs" in wall(club, as_user, "bandeau/")[1]
    page = wall(club, as_user)[1]
    assert page.count("/ecran/bandeau/") == 1
    club.close()
    assert "Derniers matchs" not in wall(club, as_user, "bandeau/")[1]


def test_an_older_evening_keeps_its_own_podium(over, as_user):
    first = wall(over, as_user)[0].context["over"]["podium"]
    day = over.evening.held_on.isoformat()
    over.next_evening()
    for rival in over.members[2:4]:
        over.played(over.members[4], rival, scores=(500, 100))
        over.used.clear()
    over.played(over.members[4], over.members[5], scores=(500, 100))
    over.close()
    again = as_user().get(f"{HOME}/soirees/{day}/ecran/").context["over"]["podium"]
    assert again == first


# Publication


def test_the_committee_is_led_to_publish_with_what_is_left_open(over, as_user):
    address = f"{HOME}/soirees/{over.evening.held_on.isoformat()}/"
    chair = as_user(over.committee.user)
    html = chair.get(address).content.decode()
    assert "Publier le classement" in html and "Tout est en ordre" in html
    assert (
        "Publier le classement" not in as_user(over.members[0].user).get(address).content.decode()
    )
    over.next_evening()
    html = chair.get(address).content.decode()
    assert "Il reste à régler" in html and "La soirée n’est pas clôturée" in html
    over.close()
    over.publish_edition("C")
    assert "Publier le classement" not in chair.get(address).content.decode()


# Pictures to share


def picture(client, path):
    answer = client.get(path)
    if answer.status_code != 200:
        return answer, None
    assert answer["Content-Type"] == "image/png"
    image = Image.open(io.BytesIO(answer.content))
    image.load()
    return answer, image


def drawn(monkeypatch) -> list[str]:
    """Every text that a picture draws from now on."""
    words: list[str] = []
    text = share_picture.Picture.text

    def note(self, x, y, content, *rest, **named):
        words.append(content)
        return text(self, x, y, content, *rest, **named)

    monkeypatch.setattr(share_picture.Picture, "text", note)
    return words


def test_a_picture_of_ones_evening_names_its_player_alone(over, as_user, monkeypatch):
    words = drawn(monkeypatch)
    member = over.members[0]
    path = f"{HOME}/joueurs/{member.address}/soiree-{over.evening.held_on.isoformat()}.png"
    _answer, image = picture(as_user(), path)
    assert image.size == (1200, 630)
    assert member.full_name in words
    assert not any(other.first_name in " ".join(words) for other in over.members[1:4])


def test_a_picture_of_an_evening_to_come_begins_with_its_day(club, monkeypatch):
    words = drawn(monkeypatch)
    share_picture.of_evening(club.evening, [])
    assert "Vendredi 20 novembre" in words


@pytest.mark.parametrize("visibility", [Member.MEMBERS, Member.INITIALS])
def test_a_hidden_player_has_no_picture_whoever_asks(over, as_user, visibility):
    member = over.members[0]
    over.edit(member, {"visibility": visibility})
    member.refresh_from_db()
    path = f"{HOME}/joueurs/{member.address}/soiree-{over.evening.held_on.isoformat()}.png"
    for reader in (None, member.user, over.members[1].user, over.committee.user):
        assert as_user(reader).get(path).status_code == 404
    assert "image de votre soirée" in page(as_user, member, url(over))[1]


def test_a_guest_never_chose_and_has_no_picture(over, as_user, monkeypatch):
    words = drawn(monkeypatch)
    member = over.members[0]
    Member.objects.filter(pk=member.pk).update(is_guest=True)
    day = over.evening.held_on.isoformat()
    assert (
        as_user(member.user).get(f"{HOME}/joueurs/{member.address}/soiree-{day}.png").status_code
        == 404
    )
    assert picture(as_user(), f"{HOME}/soirees/{day}/image.png")[1].size == (1200, 630)
    assert "Nom non public" in words and member.first_name not in " ".join(words)


def test_a_podium_names_nobody_who_is_not_public(over, as_user, monkeypatch):
    words = drawn(monkeypatch)
    member = over.members[0]
    over.edit(member, {"visibility": Member.MEMBERS})
    for path in (f"soirees/{over.evening.held_on.isoformat()}/image.png", "partage.png"):
        words.clear()
        assert picture(as_user(member.user), f"{HOME}/{path}")[1].size == (1200, 630)
        assert "Nom non public" in words and over.members[2].full_name in words
        assert not any(member.first_name in text for text in words)


@pytest.mark.parametrize(
    ("first", "last", "shown"),
    [
        ("太郎", "山田", "–"),
        ("राम", "", "–"),
        ("Shogi", "将棋", "Shogi"),
        ("Ana 🎉", "Pop", "Ana Pop"),
        ("Ștefan", "Țîru", "Ștefan Țîru"),
        ("محمد", "علي", "محمد علي"),
        ("", "", ""),
    ],
)
def test_a_picture_shows_no_boxes_for_letters_that_its_font_lacks(first, last, shown, monkeypatch):
    """In names of people, clubs and places."""
    lines: list[str] = []
    monkeypatch.setattr(ImageDraw.ImageDraw, "text", lambda _, __, words, **_n: lines.append(words))
    share_picture.Picture(f"{first} {last}".strip(), "Café 🎲")
    assert lines == [shown, "Café"]


def test_romanian_letters_have_a_glyph_of_their_own():
    face = share_picture.font(40)
    missing = face.getmask("\U0010fffd").getbbox(), bytes(face.getmask("\U0010fffd"))
    for letter in "șțăâîȘȚĂÂÎœŒ":
        assert bytes(face.getmask(letter)) != missing[1], letter


def test_a_long_name_is_drawn_inside_the_picture():
    shown = share_picture.Picture("Club", "x" * 400)
    assert shown.text(72, 200, "Marie-Christine " * 20, 64) <= 1200 - 2 * 72


@pytest.mark.parametrize(
    "name",
    ["Ștefania-Alexandrina Țurcănescu-d’Ornellas", "Jean-Christophe d’Aubigny de La Rochefoucauld"],
)
def test_a_name_of_forty_letters_stands_whole_on_a_podium(monkeypatch, name):
    """Beside its points, in the middle of its line though it is smaller."""
    shown: dict[str, tuple[float, float]] = {}
    monkeypatch.setattr(
        ImageDraw.ImageDraw,
        "text",
        lambda self, place, words, **_more: shown.update({words: place}),
    )
    monkeypatch.setattr(share_picture, "public_name", lambda member: name)
    row = SimpleNamespace(rank=1, member=None, values={"pr": 46})
    share_picture.Picture("Club", "").podium([row])
    assert name in shown and "46 PR" in shown
    assert abs(shown[name][1] - shown["46 PR"][1]) <= 12


@pytest.mark.parametrize("path", ["", "classement/", "joueurs/", "soirees/"])
def test_a_public_page_has_a_picture_for_its_link(over, as_user, path):
    html = as_user().get(f"{HOME}/{path}").content.decode()
    assert f'property="og:image" content="http://testserver{HOME}/partage.png"' in html


def test_a_shared_evening_and_a_shared_profile_show_their_own_picture(over, as_user):
    day, member = over.evening.held_on.isoformat(), over.members[0]
    html = as_user().get(f"{HOME}/soirees/{day}/").content.decode()
    assert f"{HOME}/soirees/{day}/image.png" in html
    html = as_user().get(f"{HOME}/joueurs/{member.address}/").content.decode()
    assert f"{HOME}/joueurs/{member.address}/soiree-{day}.png" in html


def test_search_engines_leave_out_the_pages_of_a_minor(over, as_user, client):
    """Only where the name is shortened: what a club mate reads does not say who is a minor."""
    minor, other = over.members[:2]
    entry = LedgerEntry.objects.get(member=minor, period__isnull=False)
    day = over.evening.held_on.isoformat()
    tails = ["", f"cote/{entry.pk}/", f"cotes/{entry.rating_list.slug}/", f"soiree-{day}.png"]

    def asked_to_leave_out(reader, of, tail):
        answer = reader.get(f"{HOME}/joueurs/{of.address}/{tail}")
        assert answer.status_code == 200, tail
        return answer.get("X-Robots-Tag")

    for is_minor, header in ((False, None), (True, "noindex")):
        Member.objects.filter(pk=minor.pk).update(is_minor=is_minor)
        minor.refresh_from_db()
        for tail in (*tails, f"contre/{other.address}/"):
            assert asked_to_leave_out(client, minor, tail) == header, tail
        assert asked_to_leave_out(client, other, f"contre/{minor.address}/") == header
        assert asked_to_leave_out(client, other, "") is None
        assert asked_to_leave_out(as_user(other.user), minor, "") is None
