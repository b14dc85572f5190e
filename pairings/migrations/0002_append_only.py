"""Rows that are only ever added: the database itself refuses to edit or delete them."""

from django.db import migrations

from clubs.journal.triggers import protect

FORWARDS, BACKWARDS = protect(
    "pairings_pairingrun",
    "pairings_submission",
    "pairings_decision",
    "pairings_matchline",
)


class Migration(migrations.Migration):
    dependencies = [("pairings", "0001_initial")]

    operations = [migrations.RunPython(FORWARDS, BACKWARDS)]
