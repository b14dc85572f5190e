"""Indexes that nothing reads by, or that a longer one covers: each is a write for every act."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clubs", "0003_invitation_mail"),
    ]

    # By SQL: altering the field would make SQLite copy the table and lose its triggers.
    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    'DROP INDEX "clubs_journalentry_organisation_id_127adf80"',
                    'CREATE INDEX "clubs_journalentry_organisation_id_127adf80" ON "clubs_journalentry" ("organisation_id")',
                )
            ],
            state_operations=[
                migrations.AlterField(
                    "journalentry",
                    "organisation",
                    models.ForeignKey(
                        "clubs.organisation",
                        on_delete=models.PROTECT,
                        db_index=False,
                        related_name="journal_entries",
                    ),
                ),
            ],
        )
    ]
