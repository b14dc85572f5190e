"""The clock of the room, started by the director for a round."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("pairings", "0011_season_rule_versions"),
    ]

    operations = [
        migrations.AddField(
            model_name="round",
            name="clock_from",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="round",
            name="clock_until",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("clock_from__isnull", True), ("clock_until__isnull", True)),
                    models.Q(
                        ("clock_from__isnull", False),
                        ("clock_until__isnull", False),
                        ("clock_until__gt", models.F("clock_from")),
                    ),
                    _connector="OR",
                ),
                name="clock_of_a_round_runs_forward",
            ),
        ),
    ]
