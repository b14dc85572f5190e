import secrets

from django.db import migrations

LETTERS, LENGTH = "23456789bcdfghjkmnpqrstvwxyz", 10


def give_other_ids(apps, schema_editor):
    """Give people forgotten before another public id: an old address, with a name, leads nowhere."""
    members = apps.get_model("clubs", "Member").objects
    for pk in members.filter(slug__startswith="joueur-retire-").values_list("pk", flat=True):
        public_id = "".join(secrets.choice(LETTERS) for _letter in range(LENGTH))
        members.filter(pk=pk).update(public_id=public_id)


class Migration(migrations.Migration):

    dependencies = [
        ('clubs', '0027_merged_rows_show_alike'),
    ]

    operations = [
        # The way back keeps the new ids: the old ones are what must be gone.
        migrations.RunPython(give_other_ids, migrations.RunPython.noop, elidable=True),
    ]
