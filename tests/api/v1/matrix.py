"""What every act of a director answers: to each role and scope, to an old reading, to a key used twice.

`sent` is a request that is right: its method, path and body.
"""

from __future__ import annotations

from django.db import transaction
from django.test import Client

from clubs.journal.models import JournalEntry
from pairings.live.models import Operation
from tests.api.keys import ALL, code_of


def entries(club):
    return JournalEntry.objects.filter(organisation=club.organisation).exclude(
        verb__startswith="token_"
    )


def check_rights(club, other_club, send, sent, scope="arbitrate"):
    """Refused without a key, its scope or role, and of another club; who may is in the journal."""
    method, path, body = sent
    before = entries(club).count()

    def refused(by, *scopes):
        return code_of(send(path, body, by, *scopes, method=method))

    visitor = getattr(Client(), method)(
        f"/c/faizers/api/v1/{path}", body, content_type="application/json"
    )
    assert code_of(visitor) == (401, "token_needed")
    judge, chair = club.arbiter.member, club.committee.member
    assert refused(chair, *(one for one in ALL if one != scope)) == (403, "scope_needed")
    assert refused(club.members[0]) == (403, "role_needed")
    for stranger in (other_club.members[0], other_club.arbiter.member, other_club.committee.member):
        assert refused(stranger) == (403, "token_of_another_club")
    assert entries(club).count() == before
    if scope == "office":
        assert refused(judge) == (403, "role_needed")
    for by in (chair,) if scope == "office" else (judge, chair):
        with transaction.atomic():
            answer = send(path, body, by, scope, method=method)
            assert answer.status_code in (200, 201), answer.content
            done = entries(club).filter(actor=by.user).exclude(origin="web")
            assert done.exists() is (method == "post")
            role = "arbiter" if by == judge else "committee"
            assert {(entry.role, entry.origin) for entry in done} <= {(role, "api")}
            transaction.set_rollback(True)


def check_stale(club, send, sent, other):
    """Refused when what was read (`other` in the body) is not what is there; nothing is kept."""
    method, path, body = sent
    before = entries(club).count()
    answer = send(path, {**body, **other}, club.arbiter.member, method=method, once="k")
    assert code_of(answer) == (409, "stale")
    assert entries(club).count() == before and not Operation.objects.exists()


def check_once(club, send, sent):
    """Done once for its key, and answered again; the key is of this body alone."""
    method, path, body = sent
    by = club.committee.member
    first = send(path, body, by, method=method, once="k")
    assert first.status_code in (200, 201), first.content
    before = entries(club).count()
    again = send(path, body, by, method=method, once="k")
    assert (again.status_code, again.json()) == (first.status_code, first.json())
    assert entries(club).count() == before
    other = {**body, **_other_than(body, club.arbiter.member)}
    assert code_of(send(path, other, by, method=method, once="k")) == (422, "key_reused")
    assert entries(club).count() == before


def _other_than(body, member):
    """What makes of a body another one that can be read."""
    if "member" in body:
        return {"member": member.public_id}
    for name in ("state", "seen", "reason", "first_name", "hour"):
        if name in body:
            return {name: "18:15"}
    return {"version": 99} if "version" in body else {"admit": False}
