"""Columns of a result, written once for the tables that hold one: nothing changes in the database."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("pairings", "0018_one_time_to_wait"),
    ]

    operations = [
        migrations.AlterField(
            model_name="decision",
            name="first_score",
            field=models.IntegerField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name="decision",
            name="games",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AlterField(
            model_name="decision",
            name="second_score",
            field=models.IntegerField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name="submission",
            name="games",
            field=models.JSONField(blank=True, default=list),
        ),
    ]
