"""Append-only rows against REPLACE (SQLite) and TRUNCATE (PostgreSQL)."""

from django.db import migrations

from clubs.journal.triggers import protect_whole

TABLES = (
    "ratings_ratedgame",
    "ratings_ratedplacing",
    "ratings_ledgerentry",
    "ratings_edition",
)


class Migration(migrations.Migration):
    dependencies = [("ratings", "0007_fewer_indexes")]

    operations = [migrations.RunPython(*protect_whole(*TABLES))]
