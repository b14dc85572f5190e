"""What was asked of the journal as columns: why an evening is cancelled, when players were called."""

from django.db import migrations, models


def read_journal(apps, schema_editor):
    """Fill both columns from the entries, oldest first."""
    alias = schema_editor.connection.alias
    entries = apps.get_model("clubs", "JournalEntry").objects.using(alias)
    evenings = apps.get_model("pairings", "Evening").objects.using(alias)
    matches = apps.get_model("pairings", "Match").objects.using(alias)
    for entry in entries.filter(verb="evening_cancelled").order_by("organisation", "seq"):
        evening = evenings.filter(pk=entry.subject.removeprefix("evening:"), state="cancelled")
        evening.update(cancel_reason=entry.reason)
    for entry in entries.filter(verb="match_called").order_by("organisation", "seq"):
        match = matches.filter(pk=entry.subject.removeprefix("match:"))
        match.update(called_again_at=entry.at)


class Migration(migrations.Migration):
    dependencies = [
        ("clubs", "0028_forgotten_public_ids"),
        ("pairings", "0014_tournament_files"),
    ]

    operations = [
        migrations.AddField(
            model_name="evening",
            name="cancel_reason",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="match",
            name="called_again_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        # The journal stays, so that going back loses nothing.
        migrations.RunPython(read_journal, migrations.RunPython.noop),
    ]
