"""Append-only rows against REPLACE (SQLite) and TRUNCATE (PostgreSQL)."""

from django.db import migrations

from clubs.journal.triggers import protect_whole

TABLES = (
    "pairings_pairingrun",
    "pairings_rounddraw",
    "pairings_finalranking",
    "pairings_submission",
    "pairings_decision",
    "pairings_matchline",
    "pairings_opinion",
)


class Migration(migrations.Migration):
    dependencies = [("pairings", "0007_fewer_indexes")]

    operations = [migrations.RunPython(*protect_whole(*TABLES))]
