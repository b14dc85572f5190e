"""Rows that are only ever added: the database itself refuses to edit or delete them."""

from django.db import migrations

from clubs.journal.triggers import protect

FORWARDS, BACKWARDS = protect(
    "ratings_ratedgame",
    "ratings_ratedplacing",
    "ratings_ledgerentry",
    "ratings_edition",
)


class Migration(migrations.Migration):
    dependencies = [("ratings", "0001_initial")]

    operations = [migrations.RunPython(FORWARDS, BACKWARDS)]
