"""Append-only rows against REPLACE and TRUNCATE; an adopted rule book is guarded from then on."""

from django.db import migrations

from clubs.journal.triggers import protect, protect_whole


class Migration(migrations.Migration):
    dependencies = [("clubs", "0005_a_head_for_each_chain")]

    operations = [
        migrations.RunPython(*protect_whole("clubs_journalentry")),
        migrations.RunPython(*protect("clubs_rulebook", once="adopted_at")),
    ]
