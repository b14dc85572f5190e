"""Indexes that nothing reads by, or that a longer one covers: each is a write for every act."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from clubs.dropped_indexes import without_indexes

DROPPED = {
    "match": ("evening", "rule_book", "submitted_by", "checked_by"),
    "seat": ("match",),
    "matchline": ("match", "by", "by_member"),
    "decision": ("by", "by_member"),
    "checkin": ("evening",),
    "liveevent": ("organisation",),
}


class Migration(migrations.Migration):
    dependencies = [
        ("clubs", "0004_fewer_indexes"),
        ("pairings", "0006_tournament_times"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        without_indexes(
            "pairings",
            DROPPED,
            [
                migrations.AlterField(
                    model_name="checkin",
                    name="evening",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="check_ins",
                        to="pairings.evening",
                    ),
                ),
                migrations.AlterField(
                    model_name="decision",
                    name="by",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AlterField(
                    model_name="decision",
                    name="by_member",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="clubs.member",
                    ),
                ),
                migrations.AlterField(
                    model_name="liveevent",
                    name="organisation",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="live_events",
                        to="clubs.organisation",
                    ),
                ),
                migrations.AlterField(
                    model_name="match",
                    name="checked_by",
                    field=models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AlterField(
                    model_name="match",
                    name="evening",
                    field=models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="matches",
                        to="pairings.evening",
                    ),
                ),
                migrations.AlterField(
                    model_name="match",
                    name="rule_book",
                    field=models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="clubs.rulebook",
                    ),
                ),
                migrations.AlterField(
                    model_name="match",
                    name="submitted_by",
                    field=models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="clubs.member",
                    ),
                ),
                migrations.AlterField(
                    model_name="matchline",
                    name="by",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AlterField(
                    model_name="matchline",
                    name="by_member",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="clubs.member",
                    ),
                ),
                migrations.AlterField(
                    model_name="matchline",
                    name="match",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="lines",
                        to="pairings.match",
                    ),
                ),
                migrations.AlterField(
                    model_name="seat",
                    name="match",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="seat_rows",
                        to="pairings.match",
                    ),
                ),
            ],
        ),
    ]
