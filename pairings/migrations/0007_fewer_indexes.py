"""Indexes that nothing reads by, or that a longer one covers: each is a write for every act."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clubs", "0004_fewer_indexes"),
        ("pairings", "0006_tournament_times"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    # By SQL: altering the field would make SQLite copy the table and lose its triggers.
    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    'DROP INDEX "pairings_checkin_evening_id_a04123a9"',
                    'CREATE INDEX "pairings_checkin_evening_id_a04123a9" ON "pairings_checkin" ("evening_id")',
                ),
                migrations.RunSQL(
                    'DROP INDEX "pairings_decision_by_id_11a9e592"',
                    'CREATE INDEX "pairings_decision_by_id_11a9e592" ON "pairings_decision" ("by_id")',
                ),
                migrations.RunSQL(
                    'DROP INDEX "pairings_decision_by_member_id_b938ed58"',
                    'CREATE INDEX "pairings_decision_by_member_id_b938ed58" ON "pairings_decision" ("by_member_id")',
                ),
                migrations.RunSQL(
                    'DROP INDEX "pairings_liveevent_organisation_id_13599c3d"',
                    'CREATE INDEX "pairings_liveevent_organisation_id_13599c3d" ON "pairings_liveevent" ("organisation_id")',
                ),
                migrations.RunSQL(
                    'DROP INDEX "pairings_match_checked_by_id_c2c9720d"',
                    'CREATE INDEX "pairings_match_checked_by_id_c2c9720d" ON "pairings_match" ("checked_by_id")',
                ),
                migrations.RunSQL(
                    'DROP INDEX "pairings_match_evening_id_24244f00"',
                    'CREATE INDEX "pairings_match_evening_id_24244f00" ON "pairings_match" ("evening_id")',
                ),
                migrations.RunSQL(
                    'DROP INDEX "pairings_match_rule_book_id_9f555c6b"',
                    'CREATE INDEX "pairings_match_rule_book_id_9f555c6b" ON "pairings_match" ("rule_book_id")',
                ),
                migrations.RunSQL(
                    'DROP INDEX "pairings_match_submitted_by_id_474a5809"',
                    'CREATE INDEX "pairings_match_submitted_by_id_474a5809" ON "pairings_match" ("submitted_by_id")',
                ),
                migrations.RunSQL(
                    'DROP INDEX "pairings_matchline_by_id_9c97e688"',
                    'CREATE INDEX "pairings_matchline_by_id_9c97e688" ON "pairings_matchline" ("by_id")',
                ),
                migrations.RunSQL(
                    'DROP INDEX "pairings_matchline_by_member_id_ad140f6a"',
                    'CREATE INDEX "pairings_matchline_by_member_id_ad140f6a" ON "pairings_matchline" ("by_member_id")',
                ),
                migrations.RunSQL(
                    'DROP INDEX "pairings_matchline_match_id_8b071f89"',
                    'CREATE INDEX "pairings_matchline_match_id_8b071f89" ON "pairings_matchline" ("match_id")',
                ),
                migrations.RunSQL(
                    'DROP INDEX "pairings_seat_match_id_3e8dcd98"',
                    'CREATE INDEX "pairings_seat_match_id_3e8dcd98" ON "pairings_seat" ("match_id")',
                ),
            ],
            state_operations=[
                migrations.AlterField(
                    "checkin",
                    "evening",
                    models.ForeignKey(
                        "pairings.evening",
                        on_delete=models.PROTECT,
                        db_index=False,
                        related_name="check_ins",
                    ),
                ),
                migrations.AlterField(
                    "decision",
                    "by",
                    models.ForeignKey(
                        settings.AUTH_USER_MODEL,
                        on_delete=models.PROTECT,
                        db_index=False,
                        null=True,
                        related_name="+",
                    ),
                ),
                migrations.AlterField(
                    "decision",
                    "by_member",
                    models.ForeignKey(
                        "clubs.member",
                        on_delete=models.PROTECT,
                        db_index=False,
                        null=True,
                        related_name="+",
                    ),
                ),
                migrations.AlterField(
                    "liveevent",
                    "organisation",
                    models.ForeignKey(
                        "clubs.organisation",
                        on_delete=models.PROTECT,
                        db_index=False,
                        related_name="live_events",
                    ),
                ),
                migrations.AlterField(
                    "match",
                    "checked_by",
                    models.ForeignKey(
                        settings.AUTH_USER_MODEL,
                        on_delete=models.PROTECT,
                        db_index=False,
                        blank=True,
                        null=True,
                        related_name="+",
                    ),
                ),
                migrations.AlterField(
                    "match",
                    "evening",
                    models.ForeignKey(
                        "pairings.evening",
                        on_delete=models.PROTECT,
                        db_index=False,
                        blank=True,
                        null=True,
                        related_name="matches",
                    ),
                ),
                migrations.AlterField(
                    "match",
                    "rule_book",
                    models.ForeignKey(
                        "clubs.rulebook",
                        on_delete=models.PROTECT,
                        db_index=False,
                        blank=True,
                        null=True,
                        related_name="+",
                    ),
                ),
                migrations.AlterField(
                    "match",
                    "submitted_by",
                    models.ForeignKey(
                        "clubs.member",
                        on_delete=models.PROTECT,
                        db_index=False,
                        blank=True,
                        null=True,
                        related_name="+",
                    ),
                ),
                migrations.AlterField(
                    "matchline",
                    "by",
                    models.ForeignKey(
                        settings.AUTH_USER_MODEL,
                        on_delete=models.PROTECT,
                        db_index=False,
                        null=True,
                        related_name="+",
                    ),
                ),
                migrations.AlterField(
                    "matchline",
                    "by_member",
                    models.ForeignKey(
                        "clubs.member",
                        on_delete=models.PROTECT,
                        db_index=False,
                        null=True,
                        related_name="+",
                    ),
                ),
                migrations.AlterField(
                    "matchline",
                    "match",
                    models.ForeignKey(
                        "pairings.match",
                        on_delete=models.PROTECT,
                        db_index=False,
                        related_name="lines",
                    ),
                ),
                migrations.AlterField(
                    "seat",
                    "match",
                    models.ForeignKey(
                        "pairings.match",
                        on_delete=models.PROTECT,
                        db_index=False,
                        related_name="seat_rows",
                    ),
                ),
            ],
        )
    ]
