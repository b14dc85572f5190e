"""Indexes that nothing reads by, or that a longer one covers: each is a write for every act."""

from django.db import migrations

from clubs.dropped_indexes import unindexed, without_indexes


class Migration(migrations.Migration):
    dependencies = [
        ("clubs", "0003_invitation_mail"),
    ]

    operations = [
        without_indexes(
            "clubs",
            unindexed(
                "journalentry", "organisation", "clubs.organisation", related_name="journal_entries"
            ),
        ),
    ]
