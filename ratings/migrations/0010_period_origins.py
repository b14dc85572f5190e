"""Origin of a rating period as columns, filled once from the keys, which stay as names."""

import re

from django.db import migrations, models

KEY = re.compile(r"(evening|from-evening|tournament|file|sanction):([0-9]+)(?::([0-9]+))?")


def read_keys(apps, schema_editor):
    """Fill the columns of every period whose key says where it comes from."""
    period = apps.get_model("ratings", "Period")
    rows = period.objects.using(schema_editor.connection.alias)
    for pk, key in list(rows.order_by("pk").values_list("pk", "key")):
        found = KEY.fullmatch(key)
        if found is not None:
            kind, number, part = found.groups()
            rows.filter(pk=pk).update(
                origin=kind, origin_id=int(number), origin_part=int(part or 1)
            )


class Migration(migrations.Migration):
    dependencies = [
        ("ratings", "0009_drop_period_numbers"),
    ]

    operations = [
        migrations.AddField(
            model_name="period",
            name="origin",
            field=models.CharField(
                choices=[
                    ("named", "named"),
                    ("evening", "evening"),
                    ("from-evening", "from-evening"),
                    ("tournament", "tournament"),
                    ("file", "file"),
                    ("sanction", "sanction"),
                ],
                default="named",
                max_length=16,
            ),
        ),
        migrations.AddField(
            model_name="period",
            name="origin_id",
            field=models.PositiveBigIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="period",
            name="origin_part",
            field=models.PositiveSmallIntegerField(default=1),
        ),
        migrations.AddConstraint(
            model_name="period",
            constraint=models.UniqueConstraint(
                condition=models.Q(("origin_id__isnull", False)),
                fields=("rating_list", "origin", "origin_id", "origin_part"),
                name="period_is_opened_once_for_its_origin",
            ),
        ),
        migrations.AddConstraint(
            model_name="period",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("origin", "named"), ("origin_id__isnull", True)),
                    models.Q(
                        models.Q(("origin", "named"), _negated=True),
                        ("origin_id__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="period_has_the_id_of_its_origin",
            ),
        ),
        # The keys stay, so that going back loses nothing.
        migrations.RunPython(read_keys, migrations.RunPython.noop),
    ]
