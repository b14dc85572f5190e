"""Notifications the day before an evening."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from clubs.members.models import Member
from clubs.notifications import outbox, push
from clubs.notifications.models import Kind
from clubs.organisations.models import Organisation
from pairings.evenings.models import Evening


def evenings_tomorrow(*, at: datetime) -> None:
    """Notify members of each evening that takes place tomorrow, by the club's calendar.

    Of no use after midnight, when tomorrow has become today: what quiet hours hold back until then
    is not sent.
    """
    for club in Organisation.objects.order_by("pk"):
        now = at.astimezone(club.zone)
        day = now.date() + timedelta(days=1)
        midnight = datetime.combine(day, time(), tzinfo=club.zone)
        evenings = Evening.objects.of(club).filter(state=Evening.State.PLANNED, held_on=day)
        for evening in evenings.order_by("pk"):
            words = push.Words(
                link=outbox.link(club, "pairings:my_evening"),
                until=midnight,
                context={"starts_at": evening.starts_at, "place": evening.place},
            )
            people = (
                Member.objects.of(club)
                .active()
                .filter(is_guest=False, push_subscriptions__isnull=False)
            )
            push.post(
                to=people.values_list("pk", flat=True).distinct(),
                kind=Kind.EVENING,
                key=f"evening:{evening.pk}",
                at=at,
                words=lambda reader, words=words: words,
            )
