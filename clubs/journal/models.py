"""The journal: one entry for each action, chained by hashes, one chain an organisation."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.signals import post_save
from django.dispatch import receiver

from clubs.journal.append_only import AppendOnly
from clubs.organisations.models import Organisation

GENESIS = "0" * 64
"""The previous hash of the first entry of a chain."""


def parts_of(subject: str) -> tuple[str, str]:
    """Return the kind of a stored subject and its key: "match:42", "edition:club:3"."""
    kind, _sign, key = subject.partition(":")
    return kind, key


class JournalEntry(AppendOnly):
    """Who did what, when, to what, why, from which value to which. Only ever added."""

    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="journal_entries", db_index=False
    )
    seq = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    member_id_of_actor = models.BigIntegerField(null=True)
    role = models.CharField(max_length=12)
    origin = models.CharField(max_length=12)
    verb = models.CharField(max_length=40)
    subject = models.CharField(max_length=60)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    reason = models.TextField(blank=True)
    rule_book_id_in_force = models.BigIntegerField(null=True)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "seq"], name="journal_seq_is_unique_in_organisation"
            ),
            models.UniqueConstraint(
                fields=["organisation", "previous_hash"], name="journal_chain_never_forks"
            ),
        ]
        indexes = [
            models.Index(fields=["organisation", "subject"], name="journal_by_subject"),
            models.Index(fields=["organisation", "verb", "seq"], name="journal_by_verb"),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.verb} {self.subject}"

    @property
    def about(self) -> tuple[str, str]:
        """Return the kind of the subject and its key."""
        return parts_of(self.subject)


class JournalHead(models.Model):
    """The end of an organisation's chain: the row that writers lock."""

    organisation = models.OneToOneField(
        Organisation, on_delete=models.PROTECT, primary_key=True, related_name="journal_head"
    )
    seq = models.PositiveBigIntegerField(default=0)
    hash = models.CharField(max_length=64, default="")
    mailed_seq = models.PositiveBigIntegerField(default=0)
    mailed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.organisation_id}: {self.seq}"


@receiver(post_save, sender=Organisation)
def begin_chain(instance: Organisation, created: bool, raw: bool = False, **_told: object) -> None:
    """Create the chain of an organisation together with its row."""
    if created and not raw:
        JournalHead.objects.create(organisation=instance, hash=GENESIS)
