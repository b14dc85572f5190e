"""Notifications to phones: subscribe, choose, post, deliver.

A notification reports what is already stored, as mail does: nothing waits for it, and one that
cannot be sent undoes nothing. It is a row until a worker has sent it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from kombu.exceptions import OperationalError

from clubs.members.models import Member
from clubs.notifications import outbox, push_service
from clubs.notifications.models import Kind, PushChoices, PushNotice, PushSubscription
from clubs.notifications.push_service import PushRefused, ServiceAway, SubscriptionGone

log = logging.getLogger(__name__)
MOST_DEVICES = 5
LEASE = timedelta(minutes=2)
"""Longer than a worker takes for the phones of one member; one that died has lost it by then."""
KEPT = timedelta(days=7)
"""How long after its end a notification is kept, so that a late task does not repeat it."""


@transaction.atomic
def subscribe(
    *, member: Member, endpoint: str, p256dh: str, auth: str, at: datetime
) -> PushSubscription:
    """Notify this browser. The same browser with another account moves to that account.

    Its secret says that it is the same browser: an address alone, copied from somebody else, does
    not take their notifications away. Beyond five browsers of a member the oldest is forgotten.
    """
    push_service.check_endpoint(endpoint)
    push_service.check_keys(p256dh, auth)
    row = Member.objects.select_for_update(no_key=True).get(pk=member.pk)
    # The account was taken off meanwhile, or they left.
    if row.user_id != member.user_id or row.left_at is not None:
        raise PushRefused(_("Cette fiche vient d’être modifiée. Rechargez la page."), code="stale")
    known = (
        PushSubscription.objects.select_for_update(no_key=True).filter(endpoint=endpoint).first()
    )
    if known is not None and (known.p256dh, known.auth) != (p256dh, auth):
        raise PushRefused(_("Cet abonnement appartient à un autre appareil."), code="somebody_else")
    if known is not None:
        PushSubscription.objects.filter(pk=known.pk).update(member=member)
        known.refresh_from_db()
    else:
        try:
            with transaction.atomic():
                known = PushSubscription.objects.create(
                    member=member, endpoint=endpoint, p256dh=p256dh, auth=auth, created_at=at
                )
        except IntegrityError as clash:
            raise PushRefused(
                _("Cet abonnement appartient à un autre appareil."), code="somebody_else"
            ) from clash
    subscriptions = PushSubscription.objects.filter(member=member).exclude(pk=known.pk)
    surplus = list(subscriptions.order_by("-created_at", "-pk").values_list("pk", flat=True))
    PushSubscription.objects.filter(pk__in=surplus[MOST_DEVICES - 1 :]).delete()
    return known


def unsubscribe(*, member: Member, endpoint: str = "") -> int:
    """Forget one browser of a member, or all of them. Return how many."""
    subscriptions = PushSubscription.objects.filter(member=member)
    gone, _models = (
        subscriptions.filter(endpoint=endpoint) if endpoint else subscriptions
    ).delete()
    return gone


def lose(*, member: Member, endpoint: str = "") -> int:
    """Forget a browser of a member, or all of them, that they did not give up: it is dead or lost.

    They asked to be notified and still want to be, so their choices are saved: a mail comes instead.
    A member who stops their browsers themselves and chose nothing else gets nothing.
    """
    gone = unsubscribe(member=member, endpoint=endpoint)
    if gone:
        PushChoices.objects.get_or_create(member=member)
    return gone


def is_wanted(*, member: Member, endpoint: str) -> bool:
    """Return whether this browser still has a subscription of the member's account, in any club."""
    of_account = Q(member=member)
    if member.user_id is not None:
        of_account |= Q(member__user=member.user_id)
    return PushSubscription.objects.filter(of_account, endpoint=endpoint).exists()


def choices_of(member: Member) -> PushChoices:
    """Return what a member wants to hear of; unsaved defaults for one who never chose."""
    choices = PushChoices.objects.filter(member=member).first()
    return choices if choices is not None else PushChoices(member=member)


def choose(*, member: Member, choices: Mapping[str, object]) -> PushChoices:
    """Save what a member wants to hear of, and their quiet hours."""
    saved, _created = PushChoices.objects.update_or_create(member=member, defaults=dict(choices))
    return saved


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The message to one member: the page that shows it, how long it is of use, and the text's names."""

    link: str
    until: datetime
    context: Mapping[str, object]


def post(
    *,
    to: Iterable[int | None],
    kind: Kind,
    key: str,
    at: datetime,
    words: Callable[[Member], Words],
) -> None:
    """Write a notification for those of these members who want this kind and can be reached.

    They have a phone that subscribed, or chose to get a mail instead. `words` is called for them
    alone: most acts concern nobody who can be reached, and cost one query.
    `templates/mail/push_<kind>.txt` holds the title on its first line, then the text. A second
    notification with the same key is not written.
    """
    if outbox.is_silent():
        return
    readers = (
        Member.objects.filter(pk__in=[pk for pk in to if pk is not None])
        .active()
        .filter(
            Exists(PushSubscription.objects.filter(member=OuterRef("pk")))
            | Q(push_choices__by_mail=True)
        )
        .exclude(Exists(PushNotice.objects.filter(member=OuterRef("pk"), key=key)))
        .select_related("organisation", "user", "push_choices")
    )
    for reader in readers.order_by("pk"):
        choices = getattr(reader, "push_choices", None) or PushChoices(member=reader)
        zone = reader.organisation.zone
        due_at = choices.due_at(kind, at.astimezone(zone))
        if due_at is None:
            continue
        message = words(reader)
        if due_at >= message.until:
            continue
        context = {"club": reader.organisation, "member": reader, **message.context}
        is_held, own = due_at > at, outbox.language_of(reader)
        languages = {own, *(code for code, _name in settings.LANGUAGES if is_held)}
        with timezone.override(zone):
            texts = {language: _written(kind, language, context) for language in languages}
        title, body = texts[own]
        notice, created = PushNotice.objects.get_or_create(
            member=reader,
            key=key,
            defaults={
                "kind": kind.value,
                "title": title,
                "body": body,
                "translations": texts if is_held else None,
                "path": urlsplit(message.link).path,
                "due_at": due_at,
                "until": message.until,
            },
        )
        if created and not is_held:
            _send_after_commit(notice.pk)


def _written(kind: Kind, language: str, context: Mapping[str, object]) -> tuple[str, str]:
    """Return title and body of a notification, as long as their columns at most."""
    title, body = outbox.write(f"push_{kind.value}", language, context)
    return Truncator(title).chars(120), Truncator(" ".join(body.split())).chars(300)


def _send_after_commit(pk: int) -> None:
    # Not by a partial: Django logs the name of what fails, and that has none.
    transaction.on_commit(lambda: _hand_over(pk), robust=True)


def _hand_over(pk: int) -> None:
    """Queue the notification for the workers; without a broker the next sweep sends it."""
    from clubs.notifications import tasks

    try:
        tasks.send_push.apply_async(args=[pk], retry=False)
    except (OperationalError, OSError):
        log.exception("notification %s not handed over", pk)


def deliver(pk: int, *, at: datetime) -> int:
    """Send one notification to each phone of its member. Return how many phones took it.

    Where none could, the member gets a mail; one without an address, or who wants none, is tried
    again by the next sweep, as long as the notification is of use. So is one whose worker died: it
    is held for `LEASE` while it is sent, and no longer. What they chose since it was written
    counts: the kind, the quiet hours, no phone any more.
    """
    due = PushNotice.objects.due(at=at)
    notice = due.select_related("member__organisation", "member__user").filter(pk=pk).first()
    if notice is None:
        return 0
    # A moment before its end at most: a notification is due while it is of use.
    lease = min(at + LEASE, notice.until - timedelta.resolution)
    if not due.filter(pk=pk).update(due_at=lease):
        return 0
    choices, zone = choices_of(notice.member), notice.member.organisation.zone
    due_at = choices.due_at(Kind(notice.kind), at.astimezone(zone))
    sent, is_ended = 0, True
    if due_at == at:
        sent, is_ended = _send(notice, choices, at=at)
    elif due_at is not None and due_at < notice.until:
        notice.due_at, is_ended = due_at, False
    ended = {"sent_at": at} if is_ended else {}
    PushNotice.objects.filter(pk=pk).update(due_at=notice.due_at, **ended)
    return sent


def _send(notice: PushNotice, choices: PushChoices, *, at: datetime) -> tuple[int, bool]:
    """Send to each phone. Return how many took it, and whether no further try is needed."""
    notice.title, notice.body = notice.words_in(outbox.language_of(notice.member))
    message = {
        "title": notice.title,
        "body": notice.body,
        "url": notice.path,
        "tag": notice.key,
    }
    sent = failed = 0
    devices = list(PushSubscription.objects.filter(member=notice.member_id).order_by("pk"))
    # As in `post`: they stopped them, and chose nothing else.
    if not devices and choices.pk is None:
        return 0, True
    for device in devices:
        try:
            push_service.send(
                endpoint=device.endpoint,
                p256dh=device.p256dh,
                auth=device.auth,
                kind=notice.kind,
                message=message,
                ttl=int((notice.until - at).total_seconds()),
                now=int(at.timestamp()),
            )
            sent += 1
        except SubscriptionGone:
            lose(member=notice.member, endpoint=device.endpoint)
        except (ServiceAway, PushRefused) as away:
            failed += 1
            log.warning("notification %s not sent: %s", notice.pk, away)
    return sent, bool(sent) or _mailed(notice, choices) or not failed


def _mailed(notice: PushNotice, choices: PushChoices) -> bool:
    """Mail what no phone took, if the member wants that. A ruling has a mail of its own already."""
    member = notice.member
    address = outbox.address_of(member)
    if not address or notice.kind == Kind.RULING or not choices.by_mail:
        return False
    club = member.organisation
    outbox.post(
        to=address,
        name="push",
        language=outbox.language_of(member),
        context={
            "club": club,
            "member": member,
            "notice": notice,
            "link": outbox.on_site(notice.path),
            "choices": outbox.link(club, "clubs:notifications"),
        },
    )
    return True


def sweep(*, at: datetime) -> int:
    """Send what was held back or could not be sent, 200 at once; delete what ended a week ago."""
    pks = PushNotice.objects.due(at=at).order_by("due_at", "pk").values_list("pk", flat=True)
    sent = sum(deliver(pk, at=at) for pk in list(pks[:200]))
    PushNotice.objects.filter(until__lt=at - KEPT).delete()
    return sent
