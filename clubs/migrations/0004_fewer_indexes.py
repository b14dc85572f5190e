"""Indexes that nothing reads by, or that a longer one covers: each is a write for every act."""

import django.db.models.deletion
from django.db import migrations, models

from clubs.dropped_indexes import without_indexes

DROPPED = {"journalentry": ("organisation",)}


class Migration(migrations.Migration):
    dependencies = [
        ("clubs", "0003_invitation_mail"),
    ]

    operations = [
        without_indexes(
            "clubs",
            DROPPED,
            [
                migrations.AlterField(
                    model_name="journalentry",
                    name="organisation",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="journal_entries",
                        to="clubs.organisation",
                    ),
                ),
            ],
        ),
    ]
