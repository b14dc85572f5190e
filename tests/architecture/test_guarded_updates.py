"""An update or a delete names the rows it is about by `pk`; those that do not say what they name.

Without `pk=` such a statement is about the rows of every club. That it then changes too much is
shown in tests/permissions/test_neighbours.py and test_bystanders.py, act by act.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.our_code import APPS, ROOT, modules, tree_of

OF_THE_MATCH = "of one match"
OF_THE_TOURNAMENT = "of one tournament"
OF_THE_EVENING = "one member, or all, of one evening"

# One reason for each statement of the function.
WITHOUT_PK = {
    "api/webhooks/actions.py:edit": ["of one webhook"],
    "api/webhooks/actions.py:remove": ["of one webhook"],
    "api/webhooks/deliveries.py:forget_old": ["old deliveries of every club"],
    "clubs/accounts/models.py:take_back_address_change": ["of one account"],
    "clubs/journal/checks.py:_walk": ["one row an organisation"],
    "clubs/members/actions.py:withdraw_role": ["a role of one member"],
    "clubs/members/actions.py:leave": ["of one member", "of one member"],
    "clubs/members/invitations/unlinking.py:end_rights": ["of one member"] * 2,
    "clubs/members/invitations/unlinking.py:unlink_account": ["of one member"],
    "clubs/members/merging.py:_agree": ["of one member"],
    "clubs/members/pins.py:set_pin": ["of one member"],
    "clubs/members/pins.py:check": ["of one member"],
    "clubs/members/pins.py:take_factors_away": ["of one account"],
    "clubs/notifications/tasks.py:send_letter": ["by pk and token in _waiting"],
    "clubs/notifications/tasks.py:note_failure": ["by pk and token in _waiting"],
    "clubs/notifications/push.py:unsubscribe": ["of one member"],
    "clubs/notifications/push.py:sweep": ["old notifications of every club"],
    "clubs/notifications/unsent.py:note": ["of a week ago, of every club"],
    "clubs/personal_data/forgetting.py:_apply": ["of one person"] * 2,
    "clubs/personal_data/forgetting.py:empty_account": ["of one account"] * 2,
    "clubs/personal_data/own_tables.py:old_devices": ["without a session, of the whole site"],
    "clubs/personal_data/own_tables.py:old_sessions": ["ended, of the whole site"],
    "clubs/personal_data/own_tables.py:old_invitations": ["ended long ago"],
    "clubs/personal_data/own_tables.py:old_requests": ["answered or asked long ago"],
    "clubs/upkeep/sweeps.py:note": ["one row a task, by its name"],
    "pairings/absences/actions.py:set_justified": [OF_THE_MATCH],
    "pairings/absences/actions.py:impose": [OF_THE_EVENING],
    "pairings/personal_data.py:old_guests": ["names typed long ago"],
    "pairings/personal_data.py:old_operations": ["keys of long ago"],
    "pairings/arbitration/undo.py:_back": [OF_THE_EVENING],
    "pairings/demo/people.py:create_people": ["every member of the demo club"],
    "pairings/evenings/actions.py:close_evening": [OF_THE_EVENING, OF_THE_EVENING],
    "pairings/evenings/admission/presence.py:_while_waiting": [OF_THE_EVENING],
    "pairings/evenings/pairing.py:_seat": [OF_THE_EVENING],
    "pairings/live/stream.py:forget_old": ["old events of every club"],
    "pairings/evenings/competition.py:_free_players": [OF_THE_EVENING, OF_THE_EVENING],
    "pairings/matches/messages/pushes.py:_forgo_unsent": [OF_THE_MATCH],
    "pairings/matches/rating.py:note_absences": [OF_THE_MATCH],
    "pairings/matches/seats.py:free_old": ["of the members given"],
    "pairings/matches/transitions.py:_follow": [OF_THE_MATCH],
    "pairings/matches/transitions.py:_close_contests": [OF_THE_MATCH],
    "pairings/players/merging.py:unite": ["of one member"] * 3,
    "pairings/tournaments/actions.py:unfreeze": [OF_THE_TOURNAMENT, OF_THE_TOURNAMENT],
    "pairings/tournaments/actions.py:plan_rounds": [OF_THE_TOURNAMENT],
    "pairings/tournaments/closing.py:_leave_out_the_rest": [OF_THE_TOURNAMENT] * 2,
    "pairings/tournaments/files/restore.py:_initial": [OF_THE_TOURNAMENT],
    "ratings/ledger/entries.py:rebuild_cotes": ["of one list"],
}


def calls_of(node: ast.AST, function: str = "") -> Iterator[tuple[str, ast.Call]]:
    """Every call under the node, with the function it stands in."""
    for child in ast.iter_child_nodes(node):
        yield from calls_of(child, child.name if isinstance(child, ast.FunctionDef) else function)
        if isinstance(child, ast.Call):
            yield function, child


def is_write(call: ast.Call) -> bool:
    """Is it `.update(field=…)` or `.delete()`? A dict is updated with another dict."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return not call.args and (name == "delete" or (name == "update" and bool(call.keywords)))


def names_rows(call: ast.Call) -> bool:
    """Does a call of the same chain narrow by `pk`?"""
    node: ast.expr = call.func
    while isinstance(node, ast.Call | ast.Attribute):
        if isinstance(node, ast.Call):
            if any(keyword.arg in ("pk", "pk__in") for keyword in node.keywords):
                return True
            node = node.func
        else:
            node = node.value
    return False


def without_pk(tree: ast.AST) -> list[str]:
    """The function of each statement that does not name its rows."""
    return [
        function for function, call in calls_of(tree) if is_write(call) and not names_rows(call)
    ]


def test_every_update_and_delete_names_its_rows():
    found = [
        f"{path.relative_to(ROOT)}:{function}"
        for path in modules(APPS)
        for function in without_pk(tree_of(path))
    ]
    assert sorted(found) == sorted(name for name, why in WITHOUT_PK.items() for _ in why)


def test_an_update_that_lost_its_pk_is_found():
    guarded = "def move(row):\n    Row.objects.filter(pk=row.pk, state=1).update(state=2)\n"
    assert without_pk(ast.parse(guarded)) == []
    assert without_pk(ast.parse(guarded.replace("pk=row.pk, ", ""))) == ["move"]
    assert without_pk(ast.parse("def know(seen):\n    seen.update({1: 2})\n")) == []
