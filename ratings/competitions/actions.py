"""Actions that bring a competition into a list: file to draft, draft to period, all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

from django.db import transaction
from django.db.models import F, Max
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, reason_of
from clubs.exchange import tables
from clubs.journal import chain as journal
from clubs.organisations.models import Organisation
from clubs.persons.actions import people_of
from clubs.persons.choices import lock_to_link
from clubs.rulebooks.fields import gettext_noop
from clubs.upkeep.jobs import Progress, no_progress
from ratings import systems
from ratings.competitions import drafts
from ratings.competitions.files.headings import GAMES, HEADS, NEEDED, PLACINGS, STARTS
from ratings.competitions.files.import_files import File, check_columns, lines_of
from ratings.competitions.files.lines import CompetitionLine
from ratings.competitions.models import CompetitionDraft
from ratings.handovers import actions as handovers
from ratings.handovers import corrections as handed_over
from ratings.handovers.models import HandOver
from ratings.ledger import origins, settlement
from ratings.ledger.models import Period, RatingList
from ratings.ledger.posting import LedgerRefused, Placement
from ratings.lists import queries as list_queries
from ratings.names import actions as names
from ratings.systems.protocol import EventRefused, Game, frozen
from ratings.systems.words import refusal_in_words

NO_RATING = gettext_noop("des parties, mais pas de cote")
NAME_ALONE = gettext_noop("un nom, et rien d’autre")


def kinds_of(rating_list: RatingList) -> list[str]:
    """Return what a file for this list may hold: games or places, and starting cotes."""
    takes = systems.system(rating_list.system).takes
    return [PLACINGS, STARTS] if takes == "placings" else [GAMES, STARTS]


@transaction.atomic
def create_list(
    *,
    organisation: Organisation,
    system: str,
    kind: str,
    name: str,
    category: str,
    by: Actor,
    at: datetime,
) -> RatingList:
    """Create a list: organisation × system × kind of game × category of players."""
    kinds = systems.system(system).kinds
    if kinds and kind not in kinds:
        raise LedgerRefused(_("Choisissez le type de partie de cette liste."), code="no_kind")
    slug = "-".join(
        part.replace("_", "-") for part in (system, kind if kinds else "", category) if part
    )
    journal.lock([organisation.pk])  # of two officers, one sees the other's
    if RatingList.objects.filter(organisation=organisation, slug=slug).exists():
        raise LedgerRefused(_("Cette liste existe déjà."), code="list_exists")
    rating_list = RatingList.objects.create(
        organisation=organisation,
        slug=slug,
        name=name.strip()[:80],
        system=system,
        kind=kind if kinds else "",
        facts={"category": category} if category else {},
    )
    journal.record(
        organisation=organisation,
        verb="list_opened",
        subject=f"list:{rating_list.pk}",
        by=by,
        at=at,
        after={"slug": slug, "system": system, "kind": rating_list.kind, "category": category},
    )
    return rating_list


@transaction.atomic
def draft(
    *,
    rating_list: RatingList,
    file: File,
    file_name: str,
    kind: str,
    label: str,
    held_on: date,
    facts: Mapping[str, object],
    by: Actor,
    at: datetime,
    corrects: CompetitionDraft | None = None,
) -> CompetitionDraft:
    """Store a file that was read as a draft; the list itself does not change.

    A file of too few columns is refused; otherwise the reader may say which is which. `corrects`: the
    draft whose file was wrong, which goes.
    """
    columns = tables.columns_of(file.rows[0], HEADS[kind])
    if len(file.rows[0]) < len(NEEDED[kind]):
        check_columns(columns, kind)
    assert by.user is not None
    if corrects is not None:
        drafts.drop(draft=corrects, by=by, at=at)
    return CompetitionDraft.objects.create(
        rating_list=rating_list,
        file_name=file_name[:200],
        encoding=file.encoding,
        label=label.strip()[:120],
        held_on=held_on,
        facts={**facts, "sheet": kind, "columns": columns},
        rows=file.rows,
        created_at=at,
        created_by=by.user,
    )


def columns_of_draft(draft: CompetitionDraft) -> dict[str, int]:
    """Return which column of the file holds what: the reader's choice, or the names of the head."""
    chosen: dict[str, int] | None = draft.facts.get("columns")
    return (
        tables.columns_of(draft.rows[0], HEADS[draft.facts["sheet"]]) if chosen is None else chosen
    )


def choose_columns(*, draft: CompetitionDraft, columns: Mapping[str, int]) -> None:
    """Keep the reader's choice of columns in a draft that is not brought in yet."""
    check_columns(columns, draft.facts["sheet"])
    moved = CompetitionDraft.objects.filter(pk=draft.pk, period=None).update(
        facts={**draft.facts, "columns": dict(columns)}
    )
    if not moved:
        raise LedgerRefused(_("Cette compétition est déjà importée."), code="stale")


def preview(draft: CompetitionDraft) -> list[CompetitionLine]:
    """Return every line of a draft with its problems, checked against today's members."""
    people = people_of(draft.rating_list.organisation, draft.choices)
    lines = lines_of(draft.rows, draft.facts["sheet"], people, columns_of_draft(draft))
    if draft.facts["sheet"] == STARTS:
        known = set(draft.rating_list.cotes.values_list("member_id", flat=True))
        for line in lines:
            if line.players and line.players[0] in known:
                line.problems.append(_("ce joueur a déjà une cote dans cette liste"))
        _check_starts(draft, lines)
    return lines


def _check_starts(draft: CompetitionDraft, lines: Sequence[CompetitionLine]) -> None:
    """Ask the system about each starting state: add what is impossible, and what is doubtful."""
    system = list_queries.system_on(draft.rating_list, draft.held_on)
    for line, start in drafts.starts_of(lines):
        if line.problems:
            continue
        facts = frozen({"on": draft.held_on.isoformat(), **start})
        try:
            doubt = system.start_doubt(system.newcomer(facts), facts, draft.held_on)
        except EventRefused as refusal:
            line.problems.append(refusal_in_words(refusal))
        else:
            if not doubt and not line.facts:
                doubt = NAME_ALONE
            elif not doubt and facts.get("games") and "rating" not in facts:
                doubt = NO_RATING
            line.doubts += [_(doubt)] if doubt else []


def unknown_names(lines: Sequence[CompetitionLine]) -> dict[str, tuple[str, str]]:
    """Return {key: (name, licence)} of who matches no member, in the order of the file."""
    return {
        line.key(place): (line.names[place], line.licences[place] if line.licences else "")
        for line in lines
        for place in line.open_places
    }


@transaction.atomic
def bring(
    *,
    draft: CompetitionDraft,
    with_newcomers: bool,
    by: Actor,
    at: datetime,
    progress: Progress = no_progress,
) -> Period:
    """Write the whole draft as a period waiting to be rated, or write nothing.

    `progress(done, total)` is called after each line.
    """
    if draft.handed:  # forgetting somebody locks their row before the drafts that name them
        known = {pk for line in preview(draft) for pk in line.players if pk}
        lock_to_link(members=draft.handed["players"].values(), persons=known)
    locked = (
        CompetitionDraft.objects.select_for_update(no_key=True, of=("self", "rating_list"))
        .select_related("rating_list__organisation")
        .filter(pk=draft.pk)
        .first()
    )
    if locked is None:
        raise drafts.replaced()
    draft = locked
    if draft.period_id is not None:
        raise LedgerRefused(_("Cette compétition est déjà importée."), code="stale")
    lines = _sound_lines(draft)
    drafts.check_decided(draft, lines)
    handed = handovers.check_current(draft) if draft.handed else None
    newcomers = names.create_newcomers(
        draft, unknown_names(lines), with_newcomers, at, handovers.known_as(draft)
    )
    keys = {
        line.key(place): line.players[place] or newcomers[line.key(place)]
        for line in lines
        for place in range(len(line.names))
    }
    if handed is None:
        names.remember(draft, keys, by, at)
    period = _open_tables(draft, lines, newcomers, at, progress)
    CompetitionDraft.objects.filter(pk=draft.pk).update(period=period, brought_at=at)
    if handed is not None:
        handovers.brought(
            handover=handed, players=draft.handed["players"], persons=keys, by=by, at=at
        )
    after = {
        "list": draft.rating_list.slug,
        "label": draft.label,
        "file": draft.file_name,
        "lines": len(lines),
        "newcomers": len(newcomers),
    }
    journal.note(period, "competition_brought", by=by, at=at, after=after)
    return period


def is_taken_back(draft: CompetitionDraft) -> bool:
    """Return whether its hand-over is read anew: the club corrected it, or an officer returned it."""
    handovers = HandOver.objects.filter(draft=draft)
    return bool(draft.handed) and draft.period_id is None and not handovers.exists()


def _open_tables(
    draft: CompetitionDraft,
    lines: Sequence[CompetitionLine],
    newcomers: Mapping[str, int],
    at: datetime,
    progress: Progress,
) -> Period:
    """Open a period for each table of the draft, and post its lines. Returns the first."""
    hand_over = HandOver.objects.filter(draft=draft).first()
    origin = origins.file(draft.pk) if hand_over is None else origins.handed_over(hand_over.pk)
    given_up = draft.rating_list.periods.opened_for_any_part(origin).count()
    tables = drafts.tables_of(draft, lines)
    facts = drafts.facts_of(draft, lines, newcomers)
    if len(tables) > 1:
        facts[drafts.ONE] = True
    same_day = draft.rating_list.periods.filter(held_on=draft.held_on)
    last, done = same_day.aggregate(n=Max("position"))["n"], 0
    position = 0 if last is None else last + 1
    periods = []
    for part, table in enumerate(tables, start=1):
        period = settlement.open_period(
            rating_list=draft.rating_list,
            origin=replace(origin, part=given_up + part),
            label=draft.label if len(tables) == 1 else f"{draft.label} ({part}/{len(tables)})",
            held_on=draft.held_on,
            kind=drafts.kind_of(draft),
            facts={**facts, **drafts.byes_of(table, newcomers)},
            position=position + part - 1,
        )
        before = done
        _post(period, draft, table, newcomers, at, lambda n, b=before: progress(b + n, len(lines)))  # type: ignore[misc]
        done += len(table)
        periods.append(period)
    return periods[0]


def _sound_lines(draft: CompetitionDraft) -> list[CompetitionLine]:
    """Return the lines of the draft; refuse a file with an error or without lines."""
    lines = preview(draft)
    wrong = next((line for line in lines if line.problems), None)
    if wrong is not None:
        raise LedgerRefused(
            _("Ligne %(n)s : %(why)s. Rien n’a été importé.")
            % {"n": wrong.number, "why": ", ".join(wrong.problems)},
            code="errors",
        )
    if not lines:
        raise LedgerRefused(_("Ce fichier n’a pas de lignes."), code="empty")
    return lines


def _post(
    period: Period,
    draft: CompetitionDraft,
    lines: Sequence[CompetitionLine],
    newcomers: Mapping[str, int],
    at: datetime,
    progress: Callable[[int], None],
) -> None:
    kind, sources = draft.facts["sheet"], draft.handed.get("keys", [])

    def member(line: CompetitionLine, place: int) -> int:
        return line.players[place] or newcomers[line.key(place)]

    if kind == PLACINGS:
        sheet = [Placement(member(line, 0), line.place, {}, line.number) for line in lines]
        settlement.record_placings(period=period, placings=sheet, at=at)
    if kind != GAMES:
        progress(len(lines))
        return
    for position, line in enumerate(lines):
        if line.is_bye:
            progress(position + 1)
            continue
        score, other = line.scores or (None, None)
        settlement.record_game(
            period=period,
            posting=Game(
                key=sources[line.number - 2] if sources else f"{period.key}:{line.source}",
                first=member(line, 0),
                second=member(line, 1),
                first_halves=line.halves,
                first_score=score,
                second_score=other,
                position=position,
                facts=line.game_facts,
            ),
            at=at,
            is_first=True,
        )
        progress(position + 1)


def waiting(rating_list: RatingList) -> list[Period]:
    """Return the competitions brought in or handed over and not yet rated, oldest first."""
    return list(rating_list.periods.waiting_for_the_officer().in_order())


def is_late(period: Period) -> bool:
    """Return whether a later competition is already rated: then this one is inserted by a replay."""
    return period.rating_list.periods.rated().after(period).exists()


@transaction.atomic
def drop(*, period: Period, reason: str, by: Actor, at: datetime) -> None:
    """Give up a competition that was never rated: mark it removed, delete nothing.

    The club that handed it over reads the reason.
    """
    reason = reason_of(reason, LedgerRefused)
    moved = Period.objects.filter(
        pk=period.pk, settled_at__isnull=True, removed_at__isnull=True
    ).update(removed_at=at)
    if not moved:
        raise LedgerRefused(_("Cette compétition est déjà calculée."), code="stale")
    handed_over.given_up(period=period, reason=reason)
    journal.note(period, "competition_dropped", by=by, at=at, reason=reason)


@transaction.atomic
def declare_newcomers(
    *,
    period: Period,
    players: Mapping[str, Mapping[str, object]],
    seen: int,
    by: Actor,
    at: datetime,
) -> None:
    """Keep what is said of the new players, in place of what was; a dry run is then out of date.

    `players`: key of a player → their start, grade or estimate. `seen`: the version of the list that
    was read; refused when it is another one, or when the competition does not wait any more.
    """
    stale = LedgerRefused(_("Cette compétition vient de changer."), code="stale")
    moved = RatingList.objects.filter(pk=period.rating_list_id, version=seen).update(
        version=F("version") + 1
    )
    if not moved:
        raise stale
    facts = Period.objects.values_list("facts", flat=True).get(pk=period.pk)
    facts["players"] = {player: dict(told) for player, told in players.items()}
    moved = Period.objects.filter(pk=period.pk, settled_at=None, removed_at=None).update(
        facts=facts
    )
    if not moved:
        raise stale
    after = {"list": period.rating_list.slug, "players": facts["players"]}
    journal.note(period, "newcomers_declared", by=by, at=at, after=after)
