from django.db import migrations

STRICTNESS = ["everybody", "members", "initials"]


def keep_to_clubs(apps, schema_editor):
    """Let each row of a federation, and those merged into it, show no more than its clubs' rows."""
    members = apps.get_model("clubs", "Member").objects
    links = apps.get_model("clubs", "MemberLink").objects.exclude(person=None)
    said = {}
    for person, visibility, is_minor in links.values_list(
        "person", "member__visibility", "member__is_minor"
    ):
        strictness, minor = said.get(person, (0, False))
        said[person] = max(strictness, STRICTNESS.index(visibility)), minor or is_minor
    for person, (strictness, minor) in sorted(said.items()):
        row = members.get(pk=person)
        strictness = max(strictness, STRICTNESS.index(row.visibility))
        shown = {"visibility": STRICTNESS[strictness], "is_minor": minor or row.is_minor}
        rows = into = [person]
        while into:
            into = list(members.filter(merged_into__in=into).exclude(pk__in=rows).values_list("pk", flat=True))
            rows = rows + into
        if shown != {"visibility": row.visibility, "is_minor": row.is_minor}:
            members.filter(pk__in=rows).update(**shown)


class Migration(migrations.Migration):

    dependencies = [
        ('clubs', '0030_cases_of_merged_guests'),
    ]

    operations = [
        # The way back keeps it: nobody shows more of a name than they chose.
        migrations.RunPython(keep_to_clubs, migrations.RunPython.noop, elidable=True),
    ]
