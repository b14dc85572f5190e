from django.db import migrations


def hide_names_of_children(apps, schema_editor):
    """Let children be minors too, with the rows merged into theirs and the copies of federations.

    Before 1.1 a box could be ticked without the other, and visitors read a child's whole name.
    """
    members = apps.get_model("clubs", "Member").objects
    links = apps.get_model("clubs", "MemberLink").objects.exclude(person=None)
    rows, more = set(), set(members.filter(is_child=True).values_list("pk", flat=True))
    while more:
        rows |= more
        merged = members.filter(merged_into__in=more).values_list("pk", flat=True)
        copies = links.filter(member__in=more).values_list("person", flat=True)
        more = {*merged, *copies} - rows
    members.filter(pk__in=rows, is_minor=False).update(is_minor=True)


class Migration(migrations.Migration):

    dependencies = [
        ('clubs', '0031_copies_keep_to_clubs'),
    ]

    operations = [
        # The way back keeps it: nobody shows more of a name than they chose.
        migrations.RunPython(hide_names_of_children, migrations.RunPython.noop, elidable=True),
    ]
