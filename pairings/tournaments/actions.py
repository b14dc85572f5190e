"""Actions on a tournament before it is played: announce, edit, freeze, plan.

Entries are in `registration`, rounds in `rounds`, the end in `closing`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Max, QuerySet
from django.utils.text import slugify
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, reason_of
from clubs.accounts.permissions import lock_open
from clubs.journal import chain as journal
from clubs.organisations.models import Organisation
from clubs.rulebooks import actions as rulebooks
from pairings.live import stream as live
from pairings.matches.models import Match
from pairings.rules.match_state import IN_WINDOW
from pairings.systems.points.seeding import Entry as Ranked
from pairings.systems.points.seeding import initial_ranking
from pairings.systems.schedule.system import MOST_ROUNDS
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments.models import Entry, FinalRanking, Round, Tournament
from pairings.tournaments.rules import TournamentRefused
from ratings.ledger.models import RatingList

FEWEST = 2
TIMES = ("starts_at", "round_minutes", "rounds_a_day")
DETAILS = (
    *TIMES,
    "name",
    "held_on",
    "ends_on",
    "place",
    "minutes",
    "byoyomi",
    "director",
    "split_after",
    "round_count",
    "rating_list",
    "rated_on",
    "self_entry",
    "fee",
)
BEFORE_FREEZE = ("rating_list", "rated_on", "self_entry")
OF_A_WINDOW = ("contest_window_s", "tacit_acceptance", "final_on_confirm")


@transaction.atomic
def create(
    *,
    organisation: Organisation,
    name: str,
    starts_at: datetime,
    system: str,
    by: Actor,
    at: datetime,
    rules: Mapping[str, object] | None = None,
    match_rules: Mapping[str, object] | None = None,
    held_on: date | None = None,
    **details: Any,
) -> Tournament:
    """Announce a tournament with its rules.

    `match_rules`: the numbers of a match's life; the club's own of that day where nothing is given.
    """
    if not name.strip():
        raise TournamentRefused(_("Donnez un nom au tournoi."), code="name_required")
    _check_rounds(details.get("round_count"))
    kept = tournament_rules.checked_rules(system, rules or {})
    if match_rules is None:
        current = rulebooks.rules_at(organisation, rulebooks.LADDER, "match", starts_at)
        match_rules = asdict(current)  # the club's numbers of a match's life that day
    life = tournament_rules.checked_match_rules(match_rules)
    lock_open(organisation, TournamentRefused)
    tournament = Tournament.objects.create(
        organisation=organisation,
        slug=_free_slug(organisation, name),
        name=name.strip(),
        held_on=held_on or starts_at.astimezone(organisation.zone).date(),
        starts_at=starts_at,
        system=system,
        rules=kept,
        match_rules=life,
        created_at=at,
        **details,
    )
    after = {"system": system, "rules": kept, "match_rules": life}
    note(tournament, "tournament_created", by, at, after=after)
    return tournament


@transaction.atomic
def edit(
    *,
    tournament: Tournament,
    changes: Mapping[str, Any],
    by: Actor,
    at: datetime,
    version: int | None = None,
) -> Tournament:
    """Change details, rules or the number of rounds.

    The rules can only be changed before the first draw, and what a window is only while none is
    open: who has entered a result has read until when it may be contested. A shorter time to play
    is that of the rounds published from now on.
    """
    row = locked(tournament, version=version)
    if not row.is_open:
        raise TournamentRefused(
            _("Ce tournoi est terminé : il faut d’abord le rouvrir."), code="wrong_state"
        )
    fields = dict(changes)
    new: dict[str, Any] = {name: fields[name] for name in DETAILS if name in fields}
    if "name" in new and not str(new["name"]).strip():
        raise TournamentRefused(_("Donnez un nom au tournoi."), code="name_required")
    _check_rounds(new.get("round_count"))
    _check_rounds_left(row, new.get("round_count"))
    system = fields.get("system", row.system)
    if "rules" in fields or system != row.system:
        new["rules"] = tournament_rules.checked_rules(system, fields.get("rules", {}))
        new["system"] = system
    if "match_rules" in fields:
        new["match_rules"] = tournament_rules.edited_match_rules(fields["match_rules"])
    changed = {name: value for name, value in new.items() if getattr(row, name) != value}
    if not changed:
        if "round_count" in new:
            _plan_what_was_left_out(row, by, at)
        return row
    _check_may_change(row, changed)
    last, before = row.ends_on, {name: _plain(getattr(row, name)) for name in changed}
    change(row, **changed)
    after = {name: _plain(getattr(row, name)) for name in changed}
    note(row, "tournament_edited", by, at, before=before, after=after)
    if row.state == Tournament.State.RUNNING:
        plan_rounds(row, moved=bool(set(TIMES) & set(changed)))
        tournament_rules.check_rounds_stay(row, last_before=last or row.held_on)
    return row


def _plan_what_was_left_out(row: Tournament, by: Actor, at: datetime) -> None:
    """Plan the rounds that an early end left out, where who reopened it keeps their number."""
    if row.state != Tournament.State.RUNNING or last_ranking(row) is None:
        return
    before = {"round_count": row.rounds.count()}
    plan_rounds(row)
    after = {"round_count": row.rounds.count()}
    if after == before:
        return
    change(row)
    note(row, "tournament_edited", by, at, before=before, after=after)


def _check_may_change(row: Tournament, changed: Mapping[str, Any]) -> None:
    """Refuse what a drawn round, a frozen initial ranking or an open window no longer allows."""
    drawn = set(row.rounds.exclude(state=Round.State.PLANNED).values_list("number", flat=True))
    fixed = {"rules", "system", "split_after"} & set(changed)
    if fixed == {"rules"} and tournament_rules.SCHEDULE in {*row.rules, *changed["rules"]}:
        fixed = set() if tournament_rules.same_rounds(row, changed["rules"], drawn) else fixed
    if drawn and fixed:
        raise TournamentRefused(
            _("Une ronde est déjà appariée : les règles de ce tournoi ne changent plus."),
            code="drawn",
        )
    if row.state != Tournament.State.ENTRIES and set(BEFORE_FREEZE) & set(changed):
        raise TournamentRefused(
            _("Le classement initial est figé : rouvrez d’abord les inscriptions."),
            code="frozen",
        )
    if "match_rules" in changed:
        _check_no_window_changes(row, changed["match_rules"])


def _check_no_window_changes(row: Tournament, match_rules: Mapping[str, object]) -> None:
    """Refuse another window, or another meaning of silence, while a result waits for its answer."""
    if all(row.match_rules.get(name) == match_rules.get(name) for name in OF_A_WINDOW):
        return
    in_window = Match.objects.filter(
        round__tournament=row, status__in=[status.value for status in IN_WINDOW]
    )
    if in_window.exists():
        raise TournamentRefused(
            _("Un résultat attend sa confirmation : changez ces règles quand il sera définitif."),
            code="window_open",
        )


# The initial ranking


@transaction.atomic
def freeze(
    *, tournament: Tournament, by: Actor, at: datetime, version: int | None = None
) -> Tournament:
    """Freeze the initial ranking (004 §2) and plan the rounds. Entries from now on are late ones."""
    row = locked(tournament, version=version)
    if row.state != Tournament.State.ENTRIES:
        raise TournamentRefused(_("Le classement initial est déjà figé."), code="wrong_state")
    entries = list(row.entries.select_related("member"))
    if len(entries) < FEWEST:
        raise TournamentRefused(_("Il faut au moins deux inscrits."), code="too_few")
    if tournament_rules.rounds_of(row, len(entries)) is None:
        raise TournamentRefused(
            tournament_rules.why_no_rounds(row, len(entries)), code="rounds_needed"
        )
    for place, entry in enumerate(initial_order(entries), start=1):
        entry.initial = place
    Entry.objects.bulk_update(entries, ["initial"], batch_size=200)
    change(row, state=Tournament.State.RUNNING, frozen_at=at)
    plan_rounds(row)
    order = [entry.member_id for entry in sorted(entries, key=lambda e: e.initial or 0)]
    note(row, "tournament_frozen", by, at, after={"initial": order})
    return row


def initial_order(entries: list[Entry]) -> list[Entry]:
    """Return the entries by decreasing cote, then alphabetical (004 §2), then as they were made."""
    entries = sorted(entries, key=lambda entry: entry.pk)
    by_member = {entry.member_id: entry for entry in entries}
    ranked = initial_ranking(
        [
            Ranked(e.member_id, f"{e.member.last_name} {e.member.first_name}", e.cote)
            for e in entries
        ]
    )
    return [by_member[int(str(pk))] for pk in ranked if pk in by_member]


@transaction.atomic
def unfreeze(
    *, tournament: Tournament, by: Actor, at: datetime, reason: str, version: int | None = None
) -> Tournament:
    """Reopen the entries while nothing has been drawn."""
    reason = reason_of(reason, TournamentRefused)
    row = locked(tournament, version=version)
    if row.state != Tournament.State.RUNNING:
        raise TournamentRefused(_("Le classement initial n’est pas figé."), code="wrong_state")
    if row.rounds.exclude(state=Round.State.PLANNED).exists():
        raise TournamentRefused(
            _("Une ronde est déjà appariée : le classement initial ne change plus."), code="drawn"
        )
    row.rounds.all().delete()
    row.entries.update(initial=None, first_round=1)
    change(row, state=Tournament.State.ENTRIES, frozen_at=None)
    note(row, "tournament_unfrozen", by, at, reason=reason)
    return row


def plan_rounds(row: Tournament, *, moved: bool = False) -> None:
    """Create one row a round, at the times of the schedule, and remove those not drawn beyond them.

    `moved`: the schedule is another one, which the rounds not yet public follow.
    """
    wanted = tournament_rules.rounds_of(row, row.entries.count())
    if wanted is None:
        return
    known = set(row.rounds.values_list("number", flat=True))
    row.rounds.never_drawn().filter(number__gt=wanted).delete()
    Round.objects.bulk_create(
        Round(tournament=row, number=number, starts_at=starts_at(row, number))
        for number in range(1, wanted + 1)
        if number not in known
    )
    for each in row.rounds.exclude(published_at__isnull=False) if moved else ():
        Round.objects.filter(pk=each.pk).update(starts_at=starts_at(row, each.number))


def starts_at(row: Tournament, number: int) -> datetime:
    """Return the start of a round: one after the other, and each day from the hour of the first.

    A day begins at that hour of the club's clock, also where summer time begins or ends.
    """
    day, place = tournament_rules.place_of_round(
        number, minutes=row.round_minutes, a_day=row.rounds_a_day
    )
    morning = row.starts_at.astimezone(row.organisation.zone) + timedelta(days=day)
    return morning.astimezone(UTC) + timedelta(minutes=row.round_minutes * place)


def next_round_number(row: Tournament) -> int:
    """Return the number of the first round that is not public yet."""
    last = row.rounds.filter(state__in=[Round.State.PUBLISHED, Round.State.CLOSED]).aggregate(
        n=Max("number")
    )
    return int(last["n"] or 0) + 1


# Shared by the actions


def locked(tournament: Tournament, *, version: int | None = None) -> Tournament:
    """Return the row, locked.

    Refused when it is no longer the version that its reader saw.
    """
    row = (
        Tournament.objects.select_for_update(no_key=True, of=("self",))
        .select_related("organisation")
        .get(pk=tournament.pk)
    )
    if version is not None and version != row.version:
        raise TournamentRefused(
            _("Ce tournoi vient d’être modifié par quelqu’un d’autre. Relisez-le."), code="stale"
        )
    return row


def change(row: Tournament, **changes: object) -> None:
    """Change a locked tournament, which is another version then."""
    Tournament.objects.filter(pk=row.pk).update(version=F("version") + 1, **changes)
    row.refresh_from_db()


def locked_with_matches(tournament: Tournament, matches: QuerySet[Match]) -> Tournament:
    """Return the row, locked, with these matches of it: results of several are one act.

    They come before the act's first journal entry; a player holds one when they come to the journal.
    """
    row = locked(tournament)
    own = matches.filter(round__in=row.rounds.all()).order_by("pk")
    list(own.select_for_update(no_key=True).values_list("pk"))
    return row


def note(
    tournament: Tournament,
    verb: str,
    by: Actor,
    at: datetime,
    *,
    before: object = None,
    after: object = None,
    reason: str = "",
) -> None:
    """Write one journal entry, and announce it to the pages that show this tournament."""
    journal.note(
        tournament,
        verb,
        by=by,
        at=at,
        before=before,
        after=after if after is not None else {"state": tournament.state},
        reason=reason,
    )
    live.announce(tournament.organisation, "tournament", at=at, tournament=tournament.pk)


def rating_lists(organisation: Organisation) -> QuerySet[RatingList]:
    """Return the rating lists whose cotes may order a tournament, or that may rate its games."""
    return RatingList.objects.filter(organisation=organisation).order_by("name", "pk")


def last_ranking(tournament: Tournament) -> FinalRanking | None:
    """Return the final ranking in force."""
    return tournament.rankings.order_by("-number").first()


def _check_rounds(count: int | None) -> None:
    if count is not None and not 1 <= count <= MOST_ROUNDS:
        words = _("Choisissez de 1 à %(most)s rondes.") % {"most": MOST_ROUNDS}
        raise TournamentRefused(words, code="rounds")


def _check_rounds_left(row: Tournament, count: int | None) -> None:
    if count is None:
        return
    kept = row.rounds.exclude(pk__in=row.rounds.never_drawn())
    drawn = kept.aggregate(n=Max("number"))["n"] or 0
    if count < drawn:
        raise TournamentRefused(
            _(
                "La ronde %(number)s est déjà appariée : le tournoi garde ce nombre de rondes. Pour finir "
                "avant elle, terminez-le avant la dernière ronde sur sa page de gestion."
            )
            % {"number": drawn},
            code="drawn",
        )


def _free_slug(organisation: Organisation, name: str) -> str:
    base = slugify(name)[:70] or "tournoi"
    alike = Tournament.objects.of(organisation).filter(slug__startswith=base)
    taken = set(alike.values_list("slug", flat=True))
    if base not in taken:
        return base
    return next(f"{base}-{n}" for n in range(2, len(taken) + 3) if f"{base}-{n}" not in taken)


def _plain(value: object) -> object:
    if isinstance(value, date | datetime):
        return value.isoformat()
    return getattr(value, "pk", value)
