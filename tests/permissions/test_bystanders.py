"""An act changes the row it is about: another in the same state, of this club or the next, stays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from api.tokens import actions as tokens
from api.tokens.models import Token
from clubs.accounts.older_pages import row_version
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import merging, pins
from clubs.members.invitations import actions as invitations
from clubs.members.invitations import agreement, unlinking
from clubs.members.models import Member, RoleGrant
from clubs.members.models_access import Invitation, JoinRequest
from clubs.sanctions import actions as sanctions
from clubs.sanctions.models import Sanction
from tests.api.keys import key_of
from tests.clubhouse import Clubhouse, account, make_club
from tests.permissions.test_neighbours import imposed, open_invitation, proposed
from tests.refusals import refused

pytestmark = pytest.mark.django_db
PIN = "7305"


def guest(club: Clubhouse) -> Member:
    return club.join("Gaspard", is_guest=True)


def player(club: Clubhouse) -> Member:
    member = club.members[0]
    pins.set_pin(member=member, pin=PIN, by=club.player(member), at=club.at)
    return member


def child(club: Clubhouse) -> Member:
    """With an account, since a parent agreed to it."""
    agreed = {"guardian_name": "Ada", "guardian_agreed_on": club.at.date()}
    member = club.join("Lila", is_child=True, **agreed)
    user = account(f"lila-{club.organisation.slug}")
    members.link_account(member=member, user=user, by=club.committee, at=club.at)
    member.refresh_from_db()
    return member


def asked(club: Clubhouse) -> JoinRequest:
    return invitations.ask_to_join(
        organisation=club.organisation,
        at=club.at,
        first_name="Nora",
        last_name="Neuf",
        email=f"nora@{club.organisation.slug}.example",
    )


def mailed(club: Clubhouse) -> Invitation:
    email, how = f"ines@{club.organisation.slug}.example", {"by": club.committee, "at": club.at}
    return invitations.invite(organisation=club.organisation, email=email, **how)[0]


def unlinked(club: Clubhouse) -> Member:
    return club.join("Inès")


def accept(member: Member, how: dict[str, Any]) -> None:
    invitation, _token = invitations.invite(organisation=member.organisation, member=member, **how)
    who = {"first_name": "Inès", "last_name": "Neuve", "at": how["at"]}
    invitations.accept(invitation=invitation, user=account("ines"), **who)


def unlink(member: Member, how: dict[str, Any]) -> None:
    seen = row_version(member, unlinking.ACCOUNT)
    unlinking.unlink_account(member=member, seen=seen, reason="r", **how)


def merge(guest: Member, how: dict[str, Any]) -> None:
    into = Member.objects.of(guest.organisation).exclude(pk=guest.pk).order_by("pk")[0]
    merging.mark_merged(guest=guest, into=into, reason="r", **how)


def key(club: Clubhouse) -> Token:
    key_of(club.members[0], club.at)
    return Token.objects.get(member=club.members[0])


def appealed(club: Clubhouse) -> Sanction:
    sanction = imposed(club)
    by = club.player(sanction.member)
    return sanctions.appeal(sanction=sanction, text="malade", by=by, at=club.at)


def arbiter(club: Clubhouse) -> RoleGrant:
    return RoleGrant.objects.get(member=club.arbiter.member, role=RoleGrant.ARBITER)


@dataclass
class Case:
    make: Callable[[Clubhouse], Any]
    act: Callable[[Any, dict[str, Any]], Any]
    by_owner: bool = False


ACTS = {
    "a guest confirmed": Case(guest, lambda row, how: merging.confirm_guest(member=row, **how)),
    "a guest merged": Case(guest, merge),
    "an invitation accepted": Case(unlinked, accept),
    "an account linked": Case(
        unlinked, lambda row, how: members.link_account(member=row, user=account("ines"), **how)
    ),
    "an invitation sent again": Case(
        mailed, lambda row, how: invitations.resend(invitation=row, link=str, **how)
    ),
    "a key revoked": Case(key, lambda row, how: tokens.revoke(token=row, **how), by_owner=True),
    "a member who leaves": Case(
        player, lambda row, how: members.leave(member=row, forget=False, **how)
    ),
    "a member forgotten": Case(
        player, lambda row, how: members.leave(member=row, forget=True, **how)
    ),
    "an account taken off": Case(player, unlink),
    "an agreement taken back": Case(child, lambda row, how: agreement.withdraw(member=row, **how)),
    "a code chosen": Case(
        player, lambda row, how: pins.set_pin(member=row, pin="9416", **how), by_owner=True
    ),
    "phones forgotten": Case(
        player, lambda row, how: pins.forget_devices(member=row, **how), by_owner=True
    ),
    "details mended": Case(
        player, lambda row, how: members.edit(member=row, changes={"first_name": "Ana"}, **how)
    ),
    "a request answered": Case(
        asked,
        lambda row, how: invitations.answer_request(request=row, accepted=True, link=str, **how),
    ),
    "an invitation revoked": Case(
        open_invitation, lambda row, how: invitations.revoke(invitation=row, **how)
    ),
    "a role withdrawn": Case(
        arbiter, lambda row, how: members.withdraw_role(member=row.member, role=row.role, **how)
    ),
    "a sanction imposed": Case(
        proposed, lambda row, how: sanctions.impose(sanction=row, reason="r", appeal_days=7, **how)
    ),
    "a sanction dismissed": Case(
        proposed, lambda row, how: sanctions.dismiss(sanction=row, reason="r", **how)
    ),
    "a sanction appealed": Case(
        imposed, lambda row, how: sanctions.appeal(sanction=row, text="malade", **how), True
    ),
    "a sanction lifted": Case(
        imposed, lambda row, how: sanctions.lift(sanction=row, reason="r", **how)
    ),
    "an appeal refused": Case(
        appealed, lambda row, how: sanctions.refuse_appeal(sanction=row, reason="r", **how)
    ),
}


@pytest.mark.parametrize("name", ACTS)
def test_an_act_changes_the_row_it_is_about_and_no_other(name):
    club, neighbours = make_club("ici", size=3), make_club("voisins", size=3)
    case = ACTS[name]
    row = case.make(club)
    case.make(neighbours)
    model = type(row)
    everything = {line[0]: line for line in model.objects.values_list()}
    written = set(JournalEntry.objects.values_list("pk", flat=True))
    by = (
        club.player(Member.objects.get(pk=getattr(row, "member_id", row.pk)))
        if case.by_owner
        else club.committee
    )
    case.act(row, {"by": by, "at": club.at + timedelta(minutes=1)})
    changed = {
        line[0] for line in model.objects.values_list() if everything.get(line[0], line) != line
    }
    assert changed == {row.pk}
    entries = JournalEntry.objects.exclude(pk__in=written)
    assert {entry.organisation for entry in entries} == {club.organisation}, "in its own journal"


def test_the_code_of_a_forgotten_member_is_gone(club):
    member = player(club)
    assert Member.objects.get(pk=member.pk).pin_hash
    members.leave(member=member, by=club.committee, at=club.at, forget=True)
    assert Member.objects.get(pk=member.pk).pin_hash == ""


OWN_CASE = {
    "impose": (proposed, partial(sanctions.impose, appeal_days=7)),
    "dismiss": (proposed, sanctions.dismiss),
    "lift": (imposed, sanctions.lift),
    "refuse_appeal": (appealed, sanctions.refuse_appeal),
}


@pytest.mark.parametrize("name", OWN_CASE)
def test_nobody_decides_their_own_case_and_every_decision_says_why(club, name):
    make, decide = OWN_CASE[name]
    sanction = make(club)
    before = Sanction.objects.values().get(pk=sanction.pk)
    for reason, by, code in (
        ("r", club.player(sanction.member), "own_case"),
        (" ", club.committee, "reason_required"),
    ):
        with refused(code):
            decide(sanction=sanction, reason=reason, by=by, at=club.at)
    assert Sanction.objects.values().get(pk=sanction.pk) == before


@pytest.mark.parametrize(("seconds", "open_"), [(-1, True), (0, True), (1, False)])
def test_an_appeal_is_open_up_to_its_last_instant_and_once(club, seconds, open_):
    sanction = imposed(club)
    by, at = club.player(sanction.member), club.at + timedelta(days=7, seconds=seconds)
    if open_:
        assert sanctions.appeal(sanction=sanction, text="m", by=by, at=at).appealed_at == at
        with pytest.raises(sanctions.SanctionRefused, match="déjà enregistré"):
            sanctions.appeal(sanction=sanction, text="m", by=by, at=at)
    else:
        with pytest.raises(sanctions.SanctionRefused, match="délai d’appel est passé"):
            sanctions.appeal(sanction=sanction, text="m", by=by, at=at)


@pytest.mark.parametrize(("percent", "accepted"), [(0, False), (1, True), (99, True), (100, False)])
def test_a_cut_is_more_than_nothing_and_less_than_everything(club, percent, accepted):
    decided = {"reason": "r", "cut_percent": percent, "appeal_days": 7}
    decided |= {"by": club.committee, "at": club.at}
    if accepted:
        sanction = sanctions.impose(sanction=proposed(club), **decided)
        assert sanction.cut_percent == percent
    else:
        with refused("percent"):
            sanctions.impose(sanction=proposed(club), **decided)
