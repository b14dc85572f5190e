"""What the tables of pairings hold about people, and what a departure ends first."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from clubs.accounts.actor import Actor
from clubs.journal import chain as journal
from clubs.members.actions import MemberRefused
from clubs.members.models import Member
from clubs.personal_data import erasures, files, forgetting
from clubs.personal_data.models import PrivacySettings
from clubs.personal_data.own_tables import old_files
from clubs.personal_data.register import Fate, PersonalTable, Purpose, Someone, columns
from clubs.personal_data.words import STATUSES
from pairings.arbitration.models import Contest
from pairings.evenings.admission import presence
from pairings.evenings.models import CheckIn, GuestRequest
from pairings.live.models import Operation
from pairings.matches import photos, seats
from pairings.matches.messages import pushes
from pairings.matches.models import Match, Submission
from pairings.rules.match_state import Absent, Ending, Event, Kind
from pairings.tournaments import actions as tournaments
from pairings.tournaments import registration
from pairings.tournaments.models import Entry, Tournament, TournamentFile
from ratings.ledger.models import StandingCote


def forget_in_tournament_files(someone: Someone) -> None:
    """Empty the files with this person: reasons of boards name them too. One not imported is sent again."""
    kept_files = TournamentFile.objects.filter(organisation=someone.organisation)
    for file in kept_files.order_by("pk").iterator():
        if any(files.is_line_of(cells, someone) for cells in file.rows[1:]):
            TournamentFile.objects.filter(pk=file.pk).update(rows=file.rows[:1])


def forget_in_answers(someone: Someone) -> None:
    """Replace this person's name in stored answers to programs, which a repeated request gets again."""
    users = Member.objects.of(someone.organisation).filter(user__isnull=False).values("user")
    answers = Operation.objects.filter(actor__in=users).exclude(answer={})
    for operation in answers.order_by("pk").iterator():
        if files.without_names(operation.answer, someone) != operation.answer:
            # As it is now: somebody else in it may be forgotten at that moment.
            for now in Operation.objects.filter(pk=operation.pk).select_for_update(no_key=True):
                answer = files.without_names(now.answer, someone)
                Operation.objects.filter(pk=now.pk).update(answer=answer)


def before_leaving(member: Member, by: Actor, at: datetime) -> None:
    """End what a departure would leave half done: the waiting line and tournaments.

    A match at a table has an opponent, and is played or cancelled first: the departure is refused.
    """
    match = seats.holding([member.pk], at=at).get(member.pk)
    if match is not None:
        raise MemberRefused(
            gettext(
                "Un match est en cours (table %(n)s). Terminez-le, confirmez le résultat ou faites-le annuler par "
                "l’arbitre, puis recommencez : rien n’a été changé."
            )
            % {"n": match.table_number},
            code="playing",
        )
    here = CheckIn.objects.present().filter(member=member)
    for row in here.select_related("evening").order_by("pk"):
        if row.state == CheckIn.State.PLAYING:  # of a contested match: its end would free them
            CheckIn.objects.filter(pk=row.pk, state=row.state).update(state=CheckIn.State.WAITING)
        presence.go_home(evening=row.evening, member=member, by=by, at=at)
    for entry in registration.current(member):
        if entry.tournament.state == Tournament.State.ENTRIES:
            registration.remove(entry=entry, by=by, at=at)
        else:
            number = tournaments.next_round_number(entry.tournament)
            registration.withdraw(entry=entry, number=number, by=by, at=at)


def forget_photos(someone: Someone) -> None:
    """Delete the files of the photos they sent; a submission itself is a row that never changes."""
    for model, of in ((Submission, "by"), (Contest, "opened_by")):
        sent = model._default_manager.filter(**{f"{of}__in": someone.members}).exclude(photo="")
        _delete_after_commit(list(sent.values_list("photo", flat=True)))


def _delete_after_commit(names: list[str]) -> None:
    paths = [path for name in names if (path := photos.path_of(name)) is not None]
    for path in paths:
        transaction.on_commit(partial(path.unlink, missing_ok=True))


def old_photos(chosen: PrivacySettings, at: datetime) -> int:
    """Delete the photos of matches of long ago, among the files that are still there."""
    before, club = at - chosen.span("photos_days"), chosen.organisation
    names = [path.name for path in Path(settings.MEDIA_ROOT, "sheets").glob("*.jpg")]
    gone: set[str] = set()
    for start in range(0, len(names), 500):
        within = {"photo__in": names[start : start + 500], "match__organisation": club}
        sent = Submission.objects.filter(at__lt=before, **within)
        opened = Contest.objects.filter(closed_at__lt=before, **within)
        gone |= {*sent.values_list("photo", flat=True), *opened.values_list("photo", flat=True)}
    _delete_after_commit(sorted(gone))
    return len(gone)


def old_guests(chosen: PrivacySettings, at: datetime) -> int:
    """Forget guests without account who have not come for long, and names typed at the door."""
    before, club = at - chosen.span("guests_days"), chosen.organisation
    since, guest_pk = before.astimezone(club.zone).date(), OuterRef("pk")
    lately = CheckIn.objects.filter(member=guest_pk, arrived_at__gte=before)
    lasts = Q(tournament__held_on__gte=since) | Q(tournament__ends_on__gte=since)
    entered = Entry.objects.filter(lasts, member=guest_pk)
    entered = entered.exclude(tournament__state=Tournament.State.CANCELLED)
    rated = StandingCote.objects.filter(member=guest_pk, last_on__gte=since)
    playing = Match.objects.filter(Q(first=guest_pk) | Q(second=guest_pk), ended_at=None)
    guests = Member.objects.of(club).active().filter(is_guest=True, user=None)
    names = GuestRequest.objects.filter(evening__organisation=club, asked_at__lt=before)
    blank = {"first_name": "", "last_name": "", "visitor": None}
    emptied = names.exclude(**blank).update(**blank)
    came = Exists(lately) | Exists(entered) | Exists(rated) | Exists(playing)
    gone = guests.filter(created_at__lt=before).exclude(came).order_by("pk")
    gone.lock()  # before the first journal entry; who arrives meanwhile waits, or is not gone below
    for guest in gone:
        forgetting.forget_named(guest)
    for guest in gone:
        Member.objects.filter(pk=guest.pk).update(left_at=at)
        erased = forgetting.forget(guest, at=at)
        journal.record(
            organisation=club,
            verb="member_left",
            subject=f"member:{guest.pk}",
            by=Actor.system(),
            at=at,
            after={"forgotten": True},
        )
        erasures.note(erased)
        emptied += 1
    return emptied


def old_operations(at: datetime) -> int:
    """Delete the keys of repeated requests."""
    before = at - timedelta(days=settings.OPERATIONS_KEPT_DAYS)
    return Operation.objects.filter(at__lt=before).delete()[0]


MATCH = ("match__first", "match__second")
SHORT_GAMES = {"games": _("manches")}

TABLES = {
    "pairings.Match": PersonalTable(
        title=_("Matchs et résultats"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        of=("first", "second"),
        shown=columns(
            "evening__held_on round__tournament__name table_number first second status kind "
            "first_score second_score games absent justified proposed_at started_at submitted_at "
            "ended_at why counts"
        ),
        hidden=("submitted_by", "checked_by", "pairing_reason"),
        heads=SHORT_GAMES,
        forget_mentions=pushes.forget_opponent,
    ),
    "pairings.MatchLine": PersonalTable(
        title=_("Étapes de vos matchs"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        of=MATCH,
        shown=(*MATCH, "at", "event", "to_status", "first_score", "second_score"),
        hidden=("by", "by_member", "reason"),
        written=("reason",),
        within="match__organisation",
    ),
    "pairings.Decision": PersonalTable(
        title=_("Décisions sur vos matchs"),
        purpose=Purpose.DECISIONS,
        fate=Fate.RECORD,
        of=MATCH,
        shown=(
            *MATCH,
            *columns("at status kind first_score second_score absent justified basis reason"),
        ),
        hidden=("by", "by_member", "games"),
        written=("reason",),
        within="match__organisation",
    ),
    "pairings.Submission": PersonalTable(
        title=_("Résultats saisis, photos"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        of=("by",),
        shown=(*MATCH, "at", "first_score", "second_score", "games", "photo"),
        heads=SHORT_GAMES,
        days="photos_days",
        forget=forget_photos,
        expire=old_photos,
        left=_("Résultats saisis, sans photos"),
    ),
    "pairings.Contest": PersonalTable(
        title=_("Litiges ouverts, photos"),
        purpose=Purpose.DECISIONS,
        fate=Fate.RECORD,
        of=("opened_by",),
        shown=(
            *MATCH,
            *columns(
                "opened_at late subject first_score second_score words photo closed_at answer"
            ),
        ),
        hidden=("games", "taken_by", "closed_by", "passed_on"),
        days="photos_days",
        left=_("Litiges ouverts, sans photos"),
        written=("words", "answer"),
        within="match__organisation",
    ),
    "pairings.Opinion": PersonalTable(
        title=_("Avis donnés"),
        purpose=Purpose.DECISIONS,
        fate=Fate.RECORD,
        of=("by_member",),
        shown=("at", "asks", "words"),
        hidden=("by",),
        written=("words",),
        within="contest__match__organisation",
    ),
    "pairings.Absence": PersonalTable(
        title=_("Absences et justifications"),
        purpose=Purpose.DECISIONS,
        fate=Fate.RECORD,
        of=("member",),
        shown=columns("noted_at justified excuse excuse_at reviewed_at review_reason withdrawn_at"),
        hidden=("reviewed_by",),
        written=("excuse", "review_reason"),
        within="member__organisation",
    ),
    "pairings.CheckIn": PersonalTable(
        title=_("Présences aux soirées"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        of=("member",),
        shown=("evening__held_on", "state", "arrived_at", "paused_until", "source"),
    ),
    "pairings.GuestRequest": PersonalTable(
        title=_("Demandes pour jouer en invité"),
        purpose=Purpose.PLAY,
        fate=Fate.EMPTIED,
        of=("member",),
        shown=("first_name", "last_name", "asked_at", "answered_at"),
        hidden=("answered_by", "visitor"),
        empties={"first_name": "", "last_name": "", "visitor": None},
        days="guests_days",
        expire=old_guests,
    ),
    "pairings.Entry": PersonalTable(
        title=_("Inscriptions aux tournois"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        of=("member",),
        shown=columns(
            "tournament__name tournament__held_on cote home_club initial paid entered_at "
            "withdrawn_from"
        ),
        hidden=("away",),
    ),
    "pairings.Seat": PersonalTable(
        title=_("Places à table"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        of=("member",),
        shown=("match__table_number", "side", "live"),
    ),
    "pairings.Operation": PersonalTable(
        title=_("Envois déjà reçus, contre les doubles"),
        purpose=Purpose.SAFETY,
        fate=Fate.ERASED,
        of=("actor",),
        shown=("at",),
        hidden=("answer", "key", "body_hash"),
        of_account=True,
        forget_mentions=forget_in_answers,
        expire_once=old_operations,
    ),
    "pairings.TournamentFile": PersonalTable(
        title=_("Lignes des fichiers de tournois importés"),
        purpose=Purpose.PLAY,
        fate=Fate.EMPTIED,
        lines=partial(files.lines, TournamentFile),
        forget=forget_in_tournament_files,
        hidden=("file_name", "rows", "created_by", "moved"),
        days="imports_days",
        expire=old_files(TournamentFile),
    ),
    "pairings.Tournament": PersonalTable(
        title=_("Nom du directeur d’un tournoi"),
        purpose=Purpose.PLAY,
        fate=Fate.RECORD,
        hidden=("director", "name", "rules", "match_rules"),
        written=("director",),
    ),
    "pairings.PairingRun": PersonalTable(
        title=_("Appariements : numéros des joueurs"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        hidden=("by", "given", "outcome"),
    ),
    "pairings.RoundDraw": PersonalTable(
        title=_("Rondes : numéros des joueurs"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        hidden=("by", "given", "outcome"),
    ),
    "pairings.Evening": PersonalTable(
        title=_("Motifs des soirées annulées"),
        purpose=Purpose.PLAY,
        fate=Fate.RECORD,
        hidden=("cancel_reason",),
        written=("cancel_reason",),
    ),
    "pairings.Round": PersonalTable(
        title=_("Brouillons de rondes : numéros des joueurs"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        hidden=("draft", "warnings", "alternative"),
    ),
    "pairings.FinalRanking": PersonalTable(
        title=_("Classements de tournois : numéros des joueurs"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        hidden=("by", "reason", "rules", "lines"),
        written=("reason", "lines"),  # those published before 1.1 hold the names of their day
        within="tournament__organisation",
    ),
    "pairings.LiveEvent": PersonalTable(
        title=_("Annonces aux pages ouvertes, deux jours"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        hidden=("payload",),
    ),
    "pairings.PdiWaiver": PersonalTable(
        title=_("Égalités décidées par le comité"),
        purpose=Purpose.DECISIONS,
        fate=Fate.RECORD,
        hidden=("group", "reason", "decided_by", "withdrawn_by", "withdrawn_reason"),
        written=("reason", "withdrawn_reason"),
        within="season__organisation",
    ),
}

ENDINGS = {
    **STATUSES,
    Ending.DESK: _("feuille de match"),
    Ending.TIMEOUT: _("délai de jeu passé"),
}
CODES: dict[str, Mapping[str, str | Promise]] = {
    "to_status": STATUSES,
    "kind": {Kind.PLAYED: _("joué"), Kind.ABSENT: ngettext_lazy("absence", "absences", 1)},
    "basis": ENDINGS,
    "why": ENDINGS,
    "event": {
        Event.START: _("début"),
        Event.SUBMIT: _("saisie"),
        Event.EDIT: _("saisie corrigée"),
        Event.RECORD: _("feuille de match"),
        Event.CONFIRM: _("confirmation"),
        Event.CONTEST: _("litige"),
        Event.CLAIM_ABSENCE: _("absence signalée"),
        Event.DENY: _("absence contestée"),
        Event.WITHDRAW: _("absence retirée"),
        Event.EXPIRE: _("fin du délai"),
        Event.TIMEOUT: _("délai de jeu passé"),
        Event.MARK_ABSENT: _("absence constatée"),
        Event.DECIDE: _("décision"),
        Event.CORRECT: _("correction"),
        Event.CANCEL: _("annulation"),
    },
    "absent": {
        Absent.FIRST: _("premier joueur"),
        Absent.SECOND: _("second joueur"),
        Absent.BOTH: _("les deux"),
    },
    "side": {"first": _("premier joueur"), "second": _("second joueur")},
    "source": {
        "desk": _("à l’accueil"),
        "qr": _("par le code affiché"),
        "guest": _("comme invité"),
    },
}
"""Words of what pairings stores as a code, by the name of the column."""
