"""Indexes that nothing reads by, or that a longer one covers, are dropped from the largest tables."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from clubs.dropped_indexes import without_indexes

DROPPED = {
    "ratedgame": ("period",),
    "ratedplacing": ("period",),
    "ledgerentry": ("rating_list", "member", "rule_book", "written_by"),
}


def _unindexed(model: str, field: str, to: str, **options: Any) -> migrations.AlterField:
    key = models.ForeignKey(
        to, db_index=False, on_delete=django.db.models.deletion.PROTECT, **options
    )
    return migrations.AlterField(model, field, key)


class Migration(migrations.Migration):
    dependencies = [("ratings", "0006_trials")]

    operations = [
        without_indexes(
            "ratings",
            DROPPED,
            [
                _unindexed("ratedgame", "period", "ratings.period", related_name="games"),
                _unindexed("ratedplacing", "period", "ratings.period", related_name="placings"),
                _unindexed(
                    "ledgerentry", "rating_list", "ratings.ratinglist", related_name="entries"
                ),
                _unindexed("ledgerentry", "member", "clubs.member", related_name="ledger_entries"),
                _unindexed(
                    "ledgerentry", "rule_book", "clubs.rulebook", null=True, related_name="+"
                ),
                _unindexed(
                    "ledgerentry",
                    "written_by",
                    settings.AUTH_USER_MODEL,
                    null=True,
                    related_name="+",
                ),
            ],
        ),
    ]
