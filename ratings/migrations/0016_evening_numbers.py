"""The number of a club's evening as a column, filled once from the labels, which stay as they are."""

import re

from django.db import migrations, models

LABEL = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:/([0-9]{1,4}))?")


def read_labels(apps, schema_editor):
    """Fill the column of every evening that is still called by its day; the others were renamed."""
    rows = apps.get_model("ratings", "Period").objects.using(schema_editor.connection.alias)
    evenings = rows.filter(origin="evening").order_by("pk")
    for pk, label, held_on in list(evenings.values_list("pk", "label", "held_on")):
        day = LABEL.fullmatch(label)
        if day is not None and day[1] == held_on.isoformat():
            rows.filter(pk=pk).update(evening_number=int(day[2] or 1))


class Migration(migrations.Migration):
    dependencies = [("ratings", "0015_drop_runs")]

    operations = [
        migrations.AddField(
            model_name="period",
            name="evening_number",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        # The labels stay, so that going back loses nothing.
        migrations.RunPython(read_labels, migrations.RunPython.noop),
    ]
