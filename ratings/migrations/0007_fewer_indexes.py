"""Indexes that nothing reads by, or that a longer one covers, are dropped from the largest tables."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ratings", "0006_trials")]

    # By SQL: altering the field would make SQLite copy the table and lose its triggers.
    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    'DROP INDEX "ratings_ratedgame_period_id_57013c36"',
                    'CREATE INDEX "ratings_ratedgame_period_id_57013c36" ON "ratings_ratedgame" ("period_id")',
                ),
                migrations.RunSQL(
                    'DROP INDEX "ratings_ratedplacing_period_id_d5a6d807"',
                    'CREATE INDEX "ratings_ratedplacing_period_id_d5a6d807" ON "ratings_ratedplacing" ("period_id")',
                ),
                migrations.RunSQL(
                    'DROP INDEX "ratings_ledgerentry_rating_list_id_1342cd8b"',
                    'CREATE INDEX "ratings_ledgerentry_rating_list_id_1342cd8b" ON "ratings_ledgerentry" ("rating_list_id")',
                ),
                migrations.RunSQL(
                    'DROP INDEX "ratings_ledgerentry_member_id_ae447d71"',
                    'CREATE INDEX "ratings_ledgerentry_member_id_ae447d71" ON "ratings_ledgerentry" ("member_id")',
                ),
                migrations.RunSQL(
                    'DROP INDEX "ratings_ledgerentry_rule_book_id_a7d9f455"',
                    'CREATE INDEX "ratings_ledgerentry_rule_book_id_a7d9f455" ON "ratings_ledgerentry" ("rule_book_id")',
                ),
                migrations.RunSQL(
                    'DROP INDEX "ratings_ledgerentry_written_by_id_e1d4849b"',
                    'CREATE INDEX "ratings_ledgerentry_written_by_id_e1d4849b" ON "ratings_ledgerentry" ("written_by_id")',
                ),
            ],
            state_operations=[
                migrations.AlterField(
                    "ratedgame",
                    "period",
                    models.ForeignKey(
                        "ratings.period",
                        on_delete=models.PROTECT,
                        db_index=False,
                        related_name="games",
                    ),
                ),
                migrations.AlterField(
                    "ratedplacing",
                    "period",
                    models.ForeignKey(
                        "ratings.period",
                        on_delete=models.PROTECT,
                        db_index=False,
                        related_name="placings",
                    ),
                ),
                migrations.AlterField(
                    "ledgerentry",
                    "rating_list",
                    models.ForeignKey(
                        "ratings.ratinglist",
                        on_delete=models.PROTECT,
                        db_index=False,
                        related_name="entries",
                    ),
                ),
                migrations.AlterField(
                    "ledgerentry",
                    "member",
                    models.ForeignKey(
                        "clubs.member",
                        on_delete=models.PROTECT,
                        db_index=False,
                        related_name="ledger_entries",
                    ),
                ),
                migrations.AlterField(
                    "ledgerentry",
                    "rule_book",
                    models.ForeignKey(
                        "clubs.rulebook",
                        on_delete=models.PROTECT,
                        db_index=False,
                        null=True,
                        related_name="+",
                    ),
                ),
                migrations.AlterField(
                    "ledgerentry",
                    "written_by",
                    models.ForeignKey(
                        settings.AUTH_USER_MODEL,
                        on_delete=models.PROTECT,
                        db_index=False,
                        null=True,
                        related_name="+",
                    ),
                ),
            ],
        )
    ]
