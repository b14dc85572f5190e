"""Forget how long a called table was waited for: no page set it.

The column stays with a default, so that the processes of the version before go on with an evening
until they are restarted. A later version drops it.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("pairings", "0017_guestrequest_visitor"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.AlterField(
                    model_name="evening",
                    name="call_delay_s",
                    field=models.PositiveIntegerField(default=600, db_default=600),
                )
            ],
            state_operations=[migrations.RemoveField(model_name="evening", name="call_delay_s")],
        ),
    ]
