"""Every person has a public id, and no two the same. Apart from the rows that 0010 writes:
PostgreSQL alters no table with writes pending in the same transaction."""

from django.db import migrations, models

import clubs.members.models


class Migration(migrations.Migration):
    dependencies = [("clubs", "0010_public_ids")]

    operations = [
        migrations.AlterField(
            model_name="member",
            name="public_id",
            field=models.CharField(
                default=clubs.members.models.new_public_id,
                editable=False,
                max_length=10,
                unique=True,
            ),
        ),
    ]
