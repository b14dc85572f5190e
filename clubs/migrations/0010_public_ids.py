"""A random id for the addresses of each person, instead of their name."""

from typing import Any

from django.db import migrations, models

import clubs.members.models

CHUNK = 2000


def give(apps: Any, schema_editor: Any) -> None:
    """One id for each row there is, none given twice."""
    members = apps.get_model("clubs", "Member").objects.using(schema_editor.connection.alias)
    taken: set[str] = set()
    rows: list[Any] = []
    for member in members.only("pk").order_by("pk").iterator(chunk_size=CHUNK):
        member.public_id = clubs.members.models.new_public_id()
        while member.public_id in taken:
            member.public_id = clubs.members.models.new_public_id()
        taken.add(member.public_id)
        rows.append(member)
    members.bulk_update(rows, ["public_id"], batch_size=CHUNK)


class Migration(migrations.Migration):
    dependencies = [("clubs", "0009_suspensions_by_evenings")]

    operations = [
        migrations.AddField(
            model_name="member",
            name="public_id",
            field=models.CharField(max_length=10, null=True, editable=False),
        ),
        migrations.RunPython(give, migrations.RunPython.noop),
    ]
