"""Indexes that nothing reads by, or that a longer one covers, are dropped from the largest tables."""

from django.conf import settings
from django.db import migrations

from clubs.dropped_indexes import unindexed, without_indexes


class Migration(migrations.Migration):
    dependencies = [("ratings", "0006_trials")]

    operations = [
        without_indexes(
            "ratings",
            unindexed("ratedgame", "period", "ratings.period", related_name="games"),
            unindexed("ratedplacing", "period", "ratings.period", related_name="placings"),
            unindexed("ledgerentry", "rating_list", "ratings.ratinglist", related_name="entries"),
            unindexed("ledgerentry", "member", "clubs.member", related_name="ledger_entries"),
            unindexed("ledgerentry", "rule_book", "clubs.rulebook", null=True, related_name="+"),
            unindexed(
                "ledgerentry",
                "written_by",
                settings.AUTH_USER_MODEL,
                null=True,
                related_name="+",
            ),
        ),
    ]
