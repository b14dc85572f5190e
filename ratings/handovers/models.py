"""What a club hands to a federation: the right to, the hand-over and each document delivered."""

from __future__ import annotations

from typing import Any, NotRequired, Self, TypedDict

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from clubs.journal.append_only import AppendOnly
from clubs.organisations.models import Organisation
from ratings.ledger.models import Period
from ratings.ledger.origins import OriginKind


class SentGame(TypedDict):
    """A game of a document; its players are members of the club.

    `absent`: "1", "2" or "1+2" where it was not played.
    """

    key: str
    first: int
    second: int
    first_halves: int
    first_score: int | None
    second_score: int | None
    round: str
    absent: NotRequired[str]


class Document(TypedDict):
    """What a club sends: games, or places. No name is in it."""

    players: dict[str, str]
    """Members of the club and their licences."""
    games: NotRequired[list[SentGame]]
    byes: NotRequired[list[list[Any]]]
    """[member, half points, round]."""
    placings: NotRequired[list[list[int]]]
    """[member, place]."""
    split_after: NotRequired[int]
    """The last round of the first of two tables."""


class FeedRight(models.Model):
    """A list that a club may feed, from when to when, and who said so."""

    rating_list = models.ForeignKey(
        "ratings.RatingList", on_delete=models.PROTECT, related_name="feeders"
    )
    club = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="feeds")
    granted_at = models.DateTimeField()
    granted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["rating_list", "club"],
                condition=Q(revoked_at__isnull=True),
                name="a_club_may_feed_a_list_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.club_id} → {self.rating_list_id}"


class HandOverQuerySet(models.QuerySet["HandOver"]):
    def waiting(self) -> Self:
        """Select what an officer has to answer: received, being matched, or corrected since."""
        return self.filter(
            Q(state__in=[HandOver.State.SENT, HandOver.State.MATCHING])
            | Q(state=HandOver.State.ACCEPTED, delivered__gt=F("answered"))
        )

    def told(self) -> Self:
        """Select with whether a list that took it has it no more, for `HandOver.words`."""
        made = Period.objects.filter(origin=OriginKind.HANDED_OVER.value, origin_id=OuterRef("pk"))
        counting = made.filter(removed_at__isnull=True)
        taken = Q(state=HandOver.State.ACCEPTED)
        return self.annotate(is_gone=taken & Q(Exists(made) & ~Exists(counting)))


class HandOver(models.Model):
    """One evening or tournament handed to one list: once only, whatever is delivered later.

    `delivered` is the number of the last document, `accepted` that of the one in the list,
    `answered` that of the last one an officer accepted or returned. `reason` is the officer's of a
    return or of giving it up, or the club's of a withdrawal.
    """

    class State(models.TextChoices):
        SENT = "sent", _("reçue, à examiner")
        MATCHING = "matching", _("acceptée, noms à relier")
        ACCEPTED = "accepted", _("dans la liste")
        RETURNED = "returned", _("retournée au club")
        WITHDRAWN = "withdrawn", _("retirée par le club")

    SET_ASIDE = (State.RETURNED, State.WITHDRAWN)

    rating_list = models.ForeignKey(
        "ratings.RatingList", on_delete=models.PROTECT, related_name="hand_overs"
    )
    club = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="hand_overs")
    origin = models.CharField(
        max_length=16, choices=[(kind.value, kind.value) for kind in OriginKind]
    )
    origin_id = models.PositiveBigIntegerField()
    label = models.CharField(max_length=120)
    held_on = models.DateField()
    facts = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.SENT.value)
    version = models.PositiveIntegerField(default=0)
    delivered = models.PositiveIntegerField(default=1)
    accepted = models.PositiveIntegerField(default=0)
    answered = models.PositiveIntegerField(default=0)
    reason = models.TextField(blank=True)
    # Whether the club wants a mail when it is answered.
    told = models.BooleanField(default=False)
    draft = models.OneToOneField(
        "ratings.CompetitionDraft", on_delete=models.PROTECT, null=True, related_name="hand_over"
    )

    objects = HandOverQuerySet.as_manager()
    is_gone = False
    """Set by `told`: the officer took the competition out of the list."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["rating_list", "origin", "origin_id"],
                name="a_competition_is_handed_to_a_list_once",
            ),
            models.CheckConstraint(
                condition=Q(accepted__lte=F("answered")) & Q(answered__lte=F("delivered")),
                name="a_hand_over_answers_what_was_delivered",
            ),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def last_delivery(self) -> Delivery:
        return self.deliveries.get(number=self.delivered)

    @property
    def is_set_aside(self) -> bool:
        """Return whether nothing is asked of an officer until the club hands it over again."""
        return self.state in self.SET_ASIDE

    @property
    def is_corrected(self) -> bool:
        """Return whether a correction arrived after the list took it."""
        return self.state == self.State.ACCEPTED and self.delivered > self.answered

    @property
    def words(self) -> str:
        """Return where it stands, as both sides read it."""
        if self.is_gone:
            return str(_("plus dans la liste"))
        if self.is_corrected:
            return str(_("correction proposée"))
        return str(self.State(self.state).label)


class Delivery(AppendOnly):
    """One document as the club sent it; `content` is a `Document`."""

    hand_over = models.ForeignKey(HandOver, on_delete=models.PROTECT, related_name="deliveries")
    number = models.PositiveIntegerField()
    content = models.JSONField()
    sent_at = models.DateTimeField()
    sent_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["hand_over", "number"], name="a_document_is_delivered_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.hand_over_id}/{self.number}"

    @property
    def document(self) -> Document:
        document: Document = self.content
        return document

    @property
    def games(self) -> list[SentGame]:
        return self.document.get("games", [])

    @property
    def placings(self) -> list[list[int]]:
        return self.document.get("placings", [])
