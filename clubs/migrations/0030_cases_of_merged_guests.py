from django.db import migrations


def give_to_the_member(apps, schema_editor):
    """Give a merged guest's cases to the row that stands for the person, as merging does since.

    Where the same absence was proposed again for the member meanwhile, both cases stay as they are.
    """
    alias = schema_editor.connection.alias
    members = apps.get_model("clubs", "Member").objects.using(alias)
    sanctions = apps.get_model("clubs", "Sanction").objects.using(alias)
    merged = members.filter(merged_into__isnull=False)
    direct = dict(merged.values_list("pk", "merged_into_id"))
    for case in sanctions.filter(member__merged_into__isnull=False).order_by("pk"):
        kept, walked = case.member_id, set()
        while kept in direct and kept not in walked:
            walked.add(kept)
            kept = direct[kept]
        if not sanctions.filter(member=kept, trigger_key=case.trigger_key).exists():
            sanctions.filter(pk=case.pk).update(member=kept)


class Migration(migrations.Migration):

    dependencies = [
        ('clubs', '0029_facts_of_the_journal'),
    ]

    operations = [
        # The way back keeps what was moved: the guest's row is the same person.
        migrations.RunPython(give_to_the_member, migrations.RunPython.noop, elidable=True),
    ]
