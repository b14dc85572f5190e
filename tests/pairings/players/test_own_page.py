"""A member's own page begins with what waits for them, their place and their last evenings."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from clubs.sanctions.models import Sanction
from pairings.absences import actions as absences
from pairings.absences.models import Absence
from pairings.evenings.admission import presence
from pairings.matches import actions as match_actions
from tests.clubhouse import account

pytestmark = pytest.mark.django_db
ME = "/c/faizers/moi/"


def page_of(as_user, member):
    """The page, and its tasks: words and address."""
    page = as_user(member.user).get(ME).content.decode().replace("\u00a0", " ")
    tasks, _sep, _rest = page.partition("<h2>À faire</h2>")[2].partition("</section>")
    links = re.findall(r'href="([^"]+)".*?list__name">\s*(.*?)\s*</span>', tasks, re.DOTALL)
    return " ".join(page.split()), {words: url for url, words in links}


def with_code(member):
    member.pin_hash = "!"
    member.save(update_fields=["pin_hash"])
    return member


def test_a_newcomer_reads_what_to_do_first_and_what_their_place_waits_for(club, as_user):
    new = club.members[0]
    presence.go_home(evening=club.evening, member=new, by=club.player(new), at=club.at)
    page, tasks = page_of(as_user, new)
    assert tasks == {"Choisir votre code à 4 chiffres": "/c/faizers/moi/reglages/#code"}
    assert "Mes soirées" not in page
    assert page.index("À faire") < page.index("Ma place") < page.index("Mes données")
    assert "À faire" not in page_of(as_user, with_code(new))[0]


def test_a_match_waits_for_whom_it_waits(club, as_user):
    match, (one, other) = club.match()
    first, second = with_code(match.first), with_code(match.second)
    called = f"On vous attend à table contre {second}"
    assert page_of(as_user, first)[1] == {called: "/c/faizers/ma-soiree/"}
    match_actions.submit(match=match, by=one, scores=(400, 350), at=club.at)
    assert page_of(as_user, first)[1] == {}
    answer = f"Confirmer ou contester le résultat saisi par {first}"
    assert list(page_of(as_user, second)[1]) == [answer]
    match_actions.confirm(match=match, by=other, at=club.at)
    assert page_of(as_user, second)[1] == {}


def test_an_absence_is_to_be_excused_and_a_decision_to_be_read_while_there_is_time(club, as_user):
    match, _players = club.match()
    member = with_code(match.first)
    club.mark_absent(match, "a")
    absence = Absence.objects.get(member=member)
    to_excuse = {"Justifier votre absence du": f"/c/faizers/moi/absences/{absence.pk}/"}

    def tasks():
        found = page_of(as_user, member)[1].items()
        return {re.sub(r" \d.*", "", words): url for words, url in found if "absences" in url}

    assert tasks() == to_excuse
    absences.excuse(absence=absence, words="Train", by=club.player(member), at=club.at)
    assert tasks() == {}
    sanction = Sanction.objects.create(
        member=member,
        status=Sanction.Status.IMPOSED,
        proposed_at=club.at,
        trigger_key="match:0",
        reason="trois fois",
        decided_at=club.at,
        appeal_until=club.at + timedelta(days=7),
    )
    decided = "Lire la décision du comité ; un appel est possible jusqu’au"
    assert tasks() == {decided: "/c/faizers/moi/absences/"}
    Sanction.objects.filter(pk=sanction.pk).update(appeal_until=club.at)
    assert tasks() == {}


def test_a_member_reads_their_place_and_the_evenings_at_which_they_were(club, as_user):
    _match, (one, _other) = club.played()
    member = one.member
    assert "cote projetée" in page_of(as_user, member)[0]
    club.close()
    page, _tasks = page_of(as_user, member)
    assert f'data-key="{member.pk}" class="is-own"' in page and "cote projetée" not in page
    assert f"/c/faizers/ma-soiree/bilan/{club.evening.address}/" in page
    stranger = club.join("Absente")
    stranger.user = account("absente")
    stranger.save(update_fields=["user"])
    assert "Mes soirées" not in page_of(as_user, stranger)[0]
