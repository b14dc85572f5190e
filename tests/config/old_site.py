"""A site begun on 0.1, used on 0.2 and upgraded to the newest: `python -m tests.config.old_site`.

In a process of its own, on the database of its environment. Prints as JSON what the rows mean to
the newest site. The names of migrations are those of the last commits of 0.1 and of 0.2 before 1.0.
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402
from django.db.migrations.executor import MigrationExecutor  # noqa: E402

THE_END_OF_0_1 = [
    ("clubs", "0005_a_head_for_each_chain"),
    ("pairings", "0007_fewer_indexes"),
    ("ratings", "0007_fewer_indexes"),
]
THE_END_OF_0_2 = [
    ("clubs", "0018_persons"),
    ("pairings", "0013_sessions_of_a_day"),
    ("ratings", "0012_hand_overs"),
]
DAY, AT = date(2026, 11, 20), datetime(2026, 11, 20, 19, 0, tzinfo=UTC)


def migrate(targets: list[tuple[str, str]] | None = None) -> Any:
    """Migrate forward and return the apps of that moment."""
    executor = MigrationExecutor(connection)
    targets = targets or executor.loader.graph.leaf_nodes()
    executor.migrate(targets)
    return executor.loader.project_state(targets).apps


def begin(apps: Any) -> None:
    """Write what a club has after its first evening on 0.1."""

    def add(model: str, /, **columns: Any) -> Any:
        return apps.get_model(model).objects.create(**columns)

    chair = add("clubs.User", email="chair@example.org", password="!")
    club = add("clubs.Organisation", slug="faizers", name="Club", created_at=AT)
    people = [
        add(
            "clubs.Member",
            organisation=club,
            first_name=name,
            search_name=name.lower(),
            sort_name=name.lower(),
            slug=name.lower(),
            number=number,
            joined_on=DAY,
            user=chair if number == 1 else None,
        )
        for number, name in enumerate(("Ana", "Ion"), 1)
    ]
    add("clubs.RoleGrant", member=people[0], role="committee", granted_at=AT)
    book = add(
        "clubs.RuleBook",
        organisation=club,
        scope="faizers",
        number=1,
        reason="x",
        effective_from=AT,
        created_at=AT,
        adopted_at=AT,
    )
    season = add(
        "clubs.Season",
        organisation=club,
        name="2026",
        starts_on=date(2026, 9, 1),
        ends_on=date(2027, 8, 31),
    )
    evening = add(
        "pairings.Evening",
        organisation=club,
        season=season,
        rule_book=book,
        held_on=DAY,
        starts_at=AT,
        state="closed",
        door_code="1234",
        board_code="5678",
        opened_at=AT,
        closed_at=AT + timedelta(hours=3),
    )
    match = add(
        "pairings.Match",
        organisation=club,
        evening=evening,
        rule_book=book,
        first=people[0],
        second=people[1],
        table_number=1,
        status="final",
        kind="played",
        first_score=300,
        second_score=410,
        why="confirmed",
        counts=True,
        confirmed=True,
        proposed_at=AT,
        deadline_until=AT,
        ended_at=AT,
    )
    for side, member in zip(("first", "second"), people, strict=True):
        add("pairings.Seat", match=match, member=member, side=side, live=False)
    add("clubs.Sanction", member=people[0], trigger_key=f"absence:{match.pk}", proposed_at=AT)
    cotes = add("ratings.RatingList", organisation=club, slug="cote", name="Cote", system="faizers")
    period = add(
        "ratings.Period",
        rating_list=cotes,
        key=f"evening:{evening.pk}",
        label="Soirée",
        held_on=DAY,
        rule_book=book,
        rule_fixed=True,
        settled_at=AT,
    )
    add(
        "ratings.LedgerEntry",
        rating_list=cotes,
        period=period,
        member=people[1],
        before={"rating": 1000},
        after={"rating": 1016},
        shown_before=1000,
        shown_after=1016,
        held_on=DAY,
        written_at=AT,
        rule_book=book,
    )
    from clubs.journal.chain import digest

    head = apps.get_model("clubs", "JournalHead").objects.get_or_create(
        organisation=club, defaults={"hash": "0" * 64}
    )[0]
    for seq, verb in enumerate(("evening_opened", "evening_closed"), head.seq + 1):
        entry = apps.get_model("clubs", "JournalEntry")(
            organisation=club,
            seq=seq,
            at=AT,
            actor=chair,
            member_id_of_actor=people[0].pk,
            role="committee",
            origin="web",
            verb=verb,
            subject=f"evening:{evening.pk}",
            after={"matches": 1},
            previous_hash=head.hash,
        )
        entry.hash = head.hash = digest(entry)
        entry.save(force_insert=True)
        head.seq = seq
    head.save()


def go_on(apps: Any) -> None:
    """Write what came with 0.2: a phone, a person of a federation, a second evening that day."""
    ana = apps.get_model("clubs", "Member").objects.get(slug="ana")
    apps.get_model("clubs", "PushSubscription").objects.create(
        member=ana, endpoint="https://push.example.org/1", p256dh="p", auth="a", created_at=AT
    )
    apps.get_model("clubs", "Person").objects.create(
        organisation=ana.organisation, member=ana, licence="0001"
    )
    first = apps.get_model("pairings", "Evening").objects.get()
    first.pk, first.number = None, first.number + 1
    first.door_code, first.board_code = "1357", "2468"
    first.starts_at += timedelta(hours=4)
    first.save(force_insert=True)
    asked = {"organisation": ana.organisation, "asked_at": AT, "asked_by": ana.user}
    apps.get_model("clubs", "Job").objects.create(
        kind="members_in", target_id=1, state="done", language="fr", asked_as="committee", **asked
    )
    period = apps.get_model("ratings", "Period").objects.get()
    for run in (
        {
            "kind": "trial",
            "state": "done",
            "given": {"since": "2026-01-01"},
            "result": {"rows": []},
        },
        {"kind": "dry", "state": "done", "period": period, "result": {"moves": []}, "version": 3},
        {"kind": "check", "state": "failed", "result": {"words": "Le calcul s’est arrêté."}},
        {"kind": "check", "state": "running", "beat_at": AT},
        {"kind": "check"},
    ):
        apps.get_model("ratings", "ListRun").objects.create(
            rating_list=period.rating_list, **run, **asked
        )


def meaning() -> dict[str, Any]:
    """Read the rows as the newest site does."""
    from clubs.journal import chain as journal
    from clubs.members.models import Member
    from clubs.organisations.models import Organisation, Season
    from clubs.persons.models import Person
    from clubs.sanctions.models import Sanction
    from clubs.upkeep.models_jobs import Job
    from pairings.evenings.models import Evening
    from pairings.matches.models import Match
    from pairings.ranking.season import standing
    from ratings.ledger.models import LedgerEntry, Period

    season, club = Season.objects.get(), Organisation.objects.get()
    found = standing(season, season.rule_book, today=DAY)
    match, period = Match.objects.get(), Period.objects.get()
    first = Evening.objects.order_by("pk").first()
    assert first is not None
    return {
        "members": list(Member.objects.order_by("number").values_list("first_name", "user__email")),
        "public ids": Member.objects.exclude(public_id="").values("public_id").distinct().count(),
        "committee": list(
            Member.objects.filter(grants__role="committee", grants__revoked_at=None).values_list(
                "slug", flat=True
            )
        ),
        "ranking": [found.members[line.player].first_name for line in found.lines],
        "score": [match.first_score, match.second_score, match.status],
        "season's version": [season.rule_fixed, season.rule_book_id == first.rule_book_id],
        "period": [period.origin, period.origin_id == first.pk],
        "rating": list(
            LedgerEntry.objects.values_list("member__slug", "shown_before", "shown_after")
        ),
        "sanction": list(Sanction.objects.values_list("member__slug", "status")),
        "journal": [journal.head_of(club)[0], [b.what for b in journal.verify(club)]],
        "person": list(Person.objects.values_list("licence", "member__slug")),
        "phone": Member.objects.get(slug="ana").push_subscriptions.count(),
        "jobs": [
            [job.pk, job.kind, job.target_id, job.state, job.words, job.result]
            for job in Job.objects.filter(asked_by__email="chair@example.org").order_by("pk")
        ],
        "next job": Job.objects.create(organisation=club, target_id=1, asked_at=AT).pk,
        "evenings": list(Evening.objects.order_by("pk").values_list("held_on__day", "number")),
    }


if __name__ == "__main__":
    begin(migrate(THE_END_OF_0_1))
    go_on(migrate(THE_END_OF_0_2))
    migrate()
    migrate(
        [("ratings", "0013_withdrawn_hand_overs")]
    )  # and back: the calculations are carried anew
    migrate()
    print(json.dumps(meaning()))
