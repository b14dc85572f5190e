from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ratings", "0012_hand_overs"),
    ]

    operations = [
        migrations.AlterField(
            model_name="handover",
            name="state",
            field=models.CharField(
                choices=[
                    ("sent", "reçue, à examiner"),
                    ("matching", "acceptée, noms à relier"),
                    ("accepted", "dans la liste"),
                    ("returned", "retournée au club"),
                    ("withdrawn", "retirée par le club"),
                ],
                default="sent",
                max_length=10,
            ),
        ),
    ]
