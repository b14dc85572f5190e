"""Notifications the day before an evening."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from clubs.members.models import Member
from clubs.notifications import outbox, push
from clubs.notifications.models import Kind
from clubs.organisations.models import Organisation
from clubs.upkeep import sweeps
from pairings.evenings.models import Evening

ANNOUNCED_FROM = time(9)


def evenings_tomorrow(*, at: datetime) -> None:
    """Notify members of each evening that takes place tomorrow, by the club's calendar.

    From nine in the morning on, also for those who have no quiet hours. Of no use after midnight,
    when tomorrow has become today: what quiet hours hold back until then is not sent.
    """
    for club in Organisation.objects.order_by("pk"):
        with sweeps.apart(sweeps.ANNOUNCEMENTS, club.slug, at=at):
            _tomorrow_of(club, at=at)


def _tomorrow_of(club: Organisation, *, at: datetime) -> None:
    now = at.astimezone(club.zone)
    if now.time() < ANNOUNCED_FROM:
        return
    day = now.date() + timedelta(days=1)
    midnight = datetime.combine(day, time(), tzinfo=club.zone)
    evenings = Evening.objects.of(club).filter(state=Evening.State.PLANNED, held_on=day)
    for evening in evenings.select_related("organisation").order_by("pk"):
        _announce(evening, until=midnight, at=at)


def _announce(evening: Evening, *, until: datetime, at: datetime) -> None:
    club = evening.organisation
    words = push.Words(
        link=outbox.link(club, "pairings:my_evening"),
        until=until,
        context={"starts_at": evening.starts_at, "place": evening.place},
    )
    people = Member.objects.of(club).active().filter(is_guest=False)
    push.post(
        to=people.values_list("pk", flat=True),
        kind=Kind.EVENING,
        key=f"announced:{evening.pk}",
        at=at,
        words=lambda reader: words,
    )
