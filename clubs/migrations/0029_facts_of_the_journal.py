"""What pages asked the journal for as columns: a guest's confirmation, the posters that hang."""

from django.db import migrations, models


def read_journal(apps, schema_editor):
    """Fill both columns from the entries, oldest first."""
    alias = schema_editor.connection.alias
    entries = apps.get_model("clubs", "JournalEntry").objects.using(alias)
    members = apps.get_model("clubs", "Member").objects.using(alias)
    organisations = apps.get_model("clubs", "Organisation").objects.using(alias)
    for entry in entries.filter(verb="guest_confirmed").order_by("organisation", "seq"):
        member = members.filter(pk=entry.subject.removeprefix("member:"))
        member.update(confirmed_at=entry.at)
    for entry in entries.filter(verb="posters_hung").order_by("organisation", "seq"):
        first_time = organisations.filter(pk=entry.organisation_id, posters_hung_at=None)
        first_time.update(posters_hung_at=entry.at)


class Migration(migrations.Migration):
    dependencies = [("clubs", "0028_forgotten_public_ids")]

    operations = [
        migrations.AddField(
            model_name="member",
            name="confirmed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="organisation",
            name="posters_hung_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        # The journal stays, so that going back loses nothing.
        migrations.RunPython(read_journal, migrations.RunPython.noop),
    ]
