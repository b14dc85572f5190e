"""What was declared of a rated competition is corrected as everything else of it is: shown, then applied."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clubs.journal.models import JournalEntry
from pairings.evenings.rating import hand_over
from ratings.ledger import replay
from tests.ratings.competitions.test_views import (
    DAY,
    Forms,
    brought,
    computed,
    games_file,
    open_list,
    rated,
    starts_file,
)

pytestmark = pytest.mark.django_db
REASON = {"reason": "mal recopié"}


@pytest.fixture
def deviations(club, desk, root):
    """A Glicko-2 list whose first competition starts one player at 1700 ± 50; a second one follows."""
    held, player = open_list(desk, root, "glicko2"), club.members[0]
    first = rated(desk, root, held, games_file(club), fact_starts=f"{player.number}; 1700; 50")
    rated(desk, root, held, games_file(club), day=DAY + timedelta(days=7))
    page = f"{root}/gestion/cotes/{held.slug}/competitions/{first.pk}/"
    return held, player, page


def shown_of(held, player):
    return held.cotes.get(member=player).shown


def test_a_start_that_was_mistyped_is_corrected_and_every_later_number_follows(desk, deviations):
    held, player, page = deviations
    before = shown_of(held, player)
    assert f"{page}declare/" in desk.get(page).content.decode()
    stored = desk.get(f"{page}declare/").context["form"]["starts"].value()
    assert stored == f"{player.number}; 1700; 50"
    corrected = {"act": "voir", "starts": f"{player.number}; 1500; 50"}
    seen = desk.post(f"{page}declare/", corrected)
    sent = Forms(seen).holding("act", "appliquer") | REASON
    assert shown_of(held, player) == before, "nothing is changed by reading"
    assert desk.post(f"{page}declare/", sent).status_code == 302
    held.refresh_from_db()
    assert shown_of(held, player) < before - 50
    assert list(replay.check(held)) == []
    line = JournalEntry.objects.filter(verb="list_replayed").latest("pk")
    assert line.reason == "mal recopié" and "1500" in str(line.after)


def test_an_evening_in_a_list_of_its_club_is_declared_on_a_page_that_its_own_leads_to(
    club, desk, root
):
    """FESA rates no game without a rhythm and an arbiter, of which an evening knows nothing."""
    held = open_list(desk, root, "fesa")
    rated(desk, root, held, starts_file(club), kind="starts", day=DAY)
    club.played(*club.members[:2])
    club.close()
    given = {"evening": club.evening, "by": club.committee, "at": club.at}
    period = hand_over(rating_list=held, **given)
    declaring = f"{root}/gestion/cotes/{held.slug}/competitions/{period.pk}/declare/"
    waiting = f"{root}/gestion/cotes/{held.slug}/calcul/{period.pk}/"
    assert declaring in desk.get(waiting).content.decode()
    said = {"minutes": "30", "byoyomi": "30", "arbiter": "A. Olufsen"}
    sent = Forms(desk.post(declaring, {"act": "voir", **said})).holding("act", "appliquer")
    back = desk.post(declaring, sent | REASON, follow=True)
    assert back.redirect_chain[-1][0] == waiting
    period.refresh_from_db()
    assert period.settled_at is None and computed(desk, root, period)[1].result["moves"]


def test_a_list_of_starts_that_waits_leads_to_no_rhythm_nor_arbiter(club, desk, root):
    """Nothing is played in it."""
    held = open_list(desk, root, "fesa")
    starts = brought(desk, root, held, starts_file(club), kind="starts", day=DAY)
    waiting = desk.get(f"{root}/gestion/cotes/{held.slug}/calcul/{starts.pk}/")
    assert waiting.status_code == 200 and b"/declare/" not in waiting.content


def test_a_start_taken_away_leaves_what_the_rules_give_a_newcomer(desk, deviations):
    held, _player, page = deviations
    seen = desk.post(f"{page}declare/", {"act": "voir", "starts": ""})
    sent = Forms(seen).holding("act", "appliquer") | REASON
    assert desk.post(f"{page}declare/", sent).status_code == 302
    held.refresh_from_db()
    assert list(replay.check(held)) == []
    assert "players" not in held.periods.in_order()[0].facts


def test_a_line_that_names_nobody_of_the_competition_is_refused_and_kept(club, desk, deviations):
    _held, player, page = deviations
    for line in (f"{club.members[7].number}; 1500; 50", f"{player.number}; 1500"):
        answer = desk.post(f"{page}declare/", {"act": "voir", "starts": line})
        assert answer.status_code == 422
        assert "Ligne 1" in str(answer.context["form"].errors["starts"])
        assert line in answer.content.decode()


def test_a_fact_below_what_the_document_rates_is_refused(club, desk, root):
    held = open_list(desk, root, "fesa")
    facts = {"minutes": 30, "byoyomi": 30, "arbiter": "A. Olufsen"}
    period = rated(
        desk, root, held, games_file(club), **{f"fact_{name}": fact for name, fact in facts.items()}
    )
    page = f"{root}/gestion/cotes/{held.slug}/competitions/{period.pk}/declare/"
    form = Forms(desk.get(page)).holding("act", "voir")
    assert {name: form[name] for name in facts} == {name: str(fact) for name, fact in facts.items()}
    for changed, status in (
        ({"minutes": "10"}, 422),
        ({"minutes": ""}, 422),
        ({"minutes": "40"}, 200),
    ):
        assert desk.post(page, form | changed).status_code == status, changed
    sent = Forms(desk.post(page, form | {"arbiter": "M. Theelen"})).holding("act", "appliquer")
    assert desk.post(page, sent | REASON).status_code == 302
    period.refresh_from_db()
    assert period.facts["arbiter"] == "M. Theelen" and period.facts["minutes"] == 30


@pytest.mark.parametrize("system", ["romania", "faizers"])
def test_a_list_whose_document_asks_nothing_has_no_such_page(club, desk, root, system):
    held = open_list(
        desk, root, system, **({"kind": "duplicat_clasic"} if system == "romania" else {})
    )
    period = held.periods.create(key="k", label="Coupe", held_on=DAY, settled_at=club.at)
    page = f"{root}/gestion/cotes/{held.slug}/competitions/{period.pk}/"
    assert "declare/" not in desk.get(page).content.decode()
    assert desk.get(f"{page}declare/").status_code == 404
