"""What an arbiter types for the two players of a match is read beside nobody's rating."""

from __future__ import annotations

import pytest

from clubs.personal_data.export import data_of
from clubs.personal_data.register import Someone
from pairings.matches import actions as match_actions
from pairings.matches import reasons
from pairings.rules.match_state import Result
from ratings.ledger.models import LedgerEntry

pytestmark = pytest.mark.django_db
TYPED = "Xenofa Bulbucanari a mal lu la feuille"


def corrected(club):
    """A result corrected after its evening: the changes of a later evening are calculated again."""
    match, (_one, other) = club.played()
    club.close()
    club.next_evening()
    club.played(other.member, club.members[2])
    club.close()
    match.refresh_from_db()
    how = {"by": club.arbiter, "at": club.at, "version": match.version}
    match_actions.correct(match=match, result=Result("played", 300, 350), reason=TYPED, **how)
    return LedgerEntry.objects.exclude(supersedes=None)


def test_nobody_reads_beside_a_rating_why_the_arbiter_corrected_a_match(club, as_user):
    again = corrected(club)
    assert again.filter(member=club.members[2]).count() == 1
    for user in (None, club.members[2].user):
        for entry in again.select_related("member"):
            page = as_user(user).get(f"/joueurs/{entry.member.address}/cote/{entry.pk}/")
            assert "Recalcul après une décision de l’arbitre." in page.content.decode()
            assert TYPED not in page.content.decode()
    assert TYPED not in str(data_of(Someone.of(club.members[2])))


def test_a_visitor_of_a_club_reads_no_typed_reason_that_an_older_version_stored(
    club, as_user, monkeypatch
):
    monkeypatch.setattr(reasons, "RULED", TYPED)
    entry = corrected(club).latest("pk")
    address = f"/joueurs/{entry.member.address}/cote/{entry.pk}/"
    assert TYPED not in as_user(None).get(address).content.decode()
    assert TYPED in as_user(club.members[3].user).get(address).content.decode()
