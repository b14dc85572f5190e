"""Indexes that nothing reads by, or that a longer one covers: each is a write for every act."""

from django.conf import settings
from django.db import migrations

from clubs.dropped_indexes import unindexed, without_indexes


class Migration(migrations.Migration):
    dependencies = [
        ("clubs", "0004_fewer_indexes"),
        ("pairings", "0006_tournament_times"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        without_indexes(
            "pairings",
            unindexed("checkin", "evening", "pairings.evening", related_name="check_ins"),
            unindexed("decision", "by", settings.AUTH_USER_MODEL, null=True, related_name="+"),
            unindexed("decision", "by_member", "clubs.member", null=True, related_name="+"),
            unindexed(
                "liveevent", "organisation", "clubs.organisation", related_name="live_events"
            ),
            unindexed(
                "match",
                "checked_by",
                settings.AUTH_USER_MODEL,
                blank=True,
                null=True,
                related_name="+",
            ),
            unindexed(
                "match",
                "evening",
                "pairings.evening",
                blank=True,
                null=True,
                related_name="matches",
            ),
            unindexed(
                "match", "rule_book", "clubs.rulebook", blank=True, null=True, related_name="+"
            ),
            unindexed(
                "match", "submitted_by", "clubs.member", blank=True, null=True, related_name="+"
            ),
            unindexed("matchline", "by", settings.AUTH_USER_MODEL, null=True, related_name="+"),
            unindexed("matchline", "by_member", "clubs.member", null=True, related_name="+"),
            unindexed("matchline", "match", "pairings.match", related_name="lines"),
            unindexed("seat", "match", "pairings.match", related_name="seat_rows"),
        ),
    ]
