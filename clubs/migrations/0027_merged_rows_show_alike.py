from django.db import migrations


def show_alike(apps, schema_editor):
    """Give each merged row the choice and the age of the row that stands for the person."""
    members = apps.get_model("clubs", "Member").objects
    merged = members.filter(merged_into__isnull=False)
    direct = dict(merged.values_list("pk", "merged_into_id"))
    for pk, kept in direct.items():
        walked = {pk}
        while kept in direct and kept not in walked:
            walked.add(kept)
            kept = direct[kept]
        row = members.values("visibility", "is_minor").get(pk=kept)
        members.filter(pk=pk).update(**row, is_child=False)


class Migration(migrations.Migration):

    dependencies = [
        ('clubs', '0026_long_corrections'),
    ]

    operations = [
        # The way back keeps what was copied: what the merged rows showed before is not known.
        migrations.RunPython(show_alike, migrations.RunPython.noop, elidable=True),
    ]
