"""Settings that the committee may change later: the club's details, its seasons, its posters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import TZPATH, available_timezones

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.accounts.actor import Actor, Refused
from clubs.accounts.older_pages import STALE, changed_meanwhile, row_version
from clubs.journal import chain as journal
from clubs.members.actions import clean_name
from clubs.organisations.models import Organisation, Season
from clubs.personal_data.models import PrivacySettings
from clubs.registries import SEASON_DAYS
from clubs.ui.french import written

CLUB_FIELDS = ("name", "place", "language", "time_zone", "contact_email")
SEASON_FIELDS = ("name", "starts_on", "ends_on", "ds_mode")
SEASON_SEEN = (*SEASON_FIELDS, "rule_fixed")


class SettingsRefused(Refused):
    """A change of the club's settings that may not happen."""


@cache
def time_zones() -> list[str]:
    """Return every zone by the present name of a place, and UTC.

    A system also knows former names ("Asia/Calcutta", "US/Pacific"); its `zone.tab` lists, for each
    country, those in use. On a system without that file, every name of a place is returned.
    """
    known = {zone for zone in available_timezones() if "/" in zone and "Etc/" not in zone}
    tables = [table for folder in TZPATH if (table := Path(folder, "zone.tab")).is_file()]
    if tables:
        lines = tables[0].read_text(encoding="utf-8").splitlines()
        known &= {line.split("\t")[2] for line in lines if line and not line.startswith("#")}
    return [*sorted(known), "UTC"]


def _stale() -> SettingsRefused:
    return SettingsRefused(changed_meanwhile(), code=STALE)


@transaction.atomic
def edit_club(
    *, organisation: Organisation, changes: Mapping[str, object], seen: str, by: Actor, at: datetime
) -> Organisation:
    """Change the club's name, place, language, time zone or contact, as last read by `seen`."""
    row = Organisation.objects.select_for_update(no_key=True).get(pk=organisation.pk)
    if row_version(row, CLUB_FIELDS) != seen:
        raise _stale()
    before = {name: getattr(row, name) for name in CLUB_FIELDS}
    after = {**before, **{name: changes[name] for name in CLUB_FIELDS if name in changes}}
    after["name"], after["place"] = clean_name(after["name"]), clean_name(after["place"])
    if not after["name"]:
        raise SettingsRefused(_("Le nom est obligatoire."), code="name_required")
    if after["time_zone"] not in (*time_zones(), before["time_zone"]):
        raise SettingsRefused(
            _("Le fuseau horaire « %(zone)s » n’existe pas.") % {"zone": after["time_zone"]},
            code="bad_zone",
        )
    if after != before:
        moved = Organisation.objects.filter(pk=row.pk, **before).update(**after)
        if not moved:
            raise _stale()
        _note(organisation, "club_edited", f"organisation:{row.pk}", by, at, before, after)
    organisation.refresh_from_db()
    return organisation


@transaction.atomic
def edit_privacy(
    *, organisation: Organisation, changes: Mapping[str, object], seen: str, by: Actor, at: datetime
) -> PrivacySettings:
    """Change who answers for personal data and how long they are kept, as last read by `seen`."""
    rows = PrivacySettings.objects.select_for_update(no_key=True)
    row, _created = rows.get_or_create(organisation=organisation)
    if row_version(row, PrivacySettings.FIELDS) != seen:
        raise _stale()
    before = {name: getattr(row, name) for name in PrivacySettings.FIELDS}
    after = {name: changes.get(name, value) for name, value in before.items()}
    if after != before:
        PrivacySettings.objects.filter(pk=row.pk).update(**after)
        _note(
            organisation, "privacy_edited", f"organisation:{organisation.pk}", by, at, before, after
        )
        row.refresh_from_db()
    return row


@transaction.atomic
def open_season(
    *,
    organisation: Organisation,
    name: str,
    starts_on: date,
    ends_on: date,
    by: Actor,
    at: datetime,
    ds_mode: str = "",
) -> Season:
    """Add a season. Two seasons of an organisation never share a day.

    `ds_mode`: sum or mean of the DS for the whole season; empty as the rules in force say.
    """
    journal.lock([organisation.pk])
    _check_days(Season.objects.filter(organisation=organisation), starts_on, ends_on)
    with _own_name(), transaction.atomic():
        season = Season.objects.create(
            organisation=organisation,
            name=_season_name(name),
            starts_on=starts_on,
            ends_on=ends_on,
            ds_mode=ds_mode,
        )
    after = {"name": season.name, "from": starts_on, "to": ends_on, "ds_mode": ds_mode}
    journal.note(season, "season_opened", by=by, at=at, after=after)
    return season


@transaction.atomic
def edit_season(
    *, season: Season, changes: Mapping[str, Any], seen: str, by: Actor, at: datetime
) -> Season:
    """Change a season's name or days, and until its first evening the sum or mean of its DS.

    The evenings counted in it stay inside it.
    """
    # An evening that is announced meanwhile holds this row when it comes to the journal.
    Organisation.objects.select_for_update(no_key=True).get(pk=season.organisation_id)
    journal.lock([season.organisation_id])
    row = Season.objects.select_for_update(no_key=True).get(pk=season.pk)
    if row_version(row, SEASON_SEEN) != seen:
        raise _stale()
    starts_on, ends_on = changes["starts_on"], changes["ends_on"]
    others = Season.objects.filter(organisation=row.organisation_id).exclude(pk=row.pk)
    _check_days(others, starts_on, ends_on)
    _keep_evenings(row, starts_on, ends_on)
    before = {name: getattr(row, name) for name in SEASON_FIELDS}
    after = {"name": _season_name(changes["name"]), "starts_on": starts_on, "ends_on": ends_on}
    after["ds_mode"] = changes.get("ds_mode", row.ds_mode)
    if row.rule_fixed and after["ds_mode"] != row.ds_mode:
        raise SettingsRefused(
            _("La première soirée a commencé : le cumul de la DS vaut toute la saison."),
            code="ds_fixed",
        )
    if after != before:
        with _own_name(), transaction.atomic():
            Season.objects.filter(pk=row.pk).update(**after)
        _note(row.organisation, "season_edited", f"season:{row.pk}", by, at, before, after)
    season.refresh_from_db()
    return season


def _check_days(others: QuerySet[Season], starts_on: date, ends_on: date) -> None:
    if ends_on < starts_on:
        raise SettingsRefused(_("La saison finit avant de commencer."), code="order")
    clash = others.filter(starts_on__lte=ends_on, ends_on__gte=starts_on).order_by("pk").first()
    if clash is not None:
        raise SettingsRefused(
            _("La saison « %(name)s » comprend déjà une partie de ces jours.") % {"name": clash},
            code="overlap",
        )


def _season_name(typed: str) -> str:
    name = clean_name(typed)
    if not name:
        raise SettingsRefused(_("Le nom de la saison est obligatoire."), code="name_required")
    return name


@contextmanager
def _own_name() -> Iterator[None]:
    """Refuse, inside, the name of another season."""
    try:
        yield
    except IntegrityError as taken:
        raise SettingsRefused(_("Une saison porte déjà ce nom."), code="name_taken") from taken


def _keep_evenings(season: Season, starts_on: date, ends_on: date) -> None:
    """Refuse days that would leave an evening of this season outside it."""
    days = sorted(day for outside in SEASON_DAYS for day in outside(season, starts_on, ends_on))
    if days:
        raise SettingsRefused(
            ngettext(
                "Une soirée de cette saison serait en dehors : %(day)s.",
                "%(n)s soirées de cette saison seraient en dehors, la première le %(day)s.",
                len(days),
            )
            % {"n": len(days), "day": written(days[0], "j F Y")},
            code="evenings_outside",
        )


@transaction.atomic
def hang_posters(*, organisation: Organisation, by: Actor, at: datetime) -> None:
    """Record that the posters are up. Twice changes nothing."""
    if Organisation.objects.filter(pk=organisation.pk, posters_hung_at=None).update(
        posters_hung_at=at
    ):
        _note(organisation, "posters_hung", f"organisation:{organisation.pk}", by, at, {}, {})


def _note(
    organisation: Organisation,
    verb: str,
    subject: str,
    by: Actor,
    at: datetime,
    before: Mapping[str, object],
    after: Mapping[str, object],
) -> None:
    """Write one journal entry with the values that changed."""
    changed = [name for name in after if before[name] != after[name]]
    journal.record(
        organisation=organisation,
        verb=verb,
        subject=subject,
        by=by,
        at=at,
        before={name: before[name] for name in changed} or None,
        after={name: after[name] for name in changed} or None,
    )
