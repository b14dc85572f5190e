"""Rows that are only ever added: the database itself refuses to edit or delete them."""

from django.db import migrations

from clubs.journal.triggers import protect

FORWARDS, BACKWARDS = protect(
    "clubs_journalentry",
)


class Migration(migrations.Migration):
    dependencies = [("clubs", "0001_initial")]

    operations = [migrations.RunPython(FORWARDS, BACKWARDS)]
