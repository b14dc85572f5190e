from django.db import migrations


def leave_out_details(apps, schema_editor):
    """Keep of the reason of a board from a file what is before its first semicolon.

    Behind it stood names in full, which every visitor read, also of people forgotten since.
    """
    matches = apps.get_model("pairings", "Match").objects
    rows = matches.filter(round__isnull=False, pairing_reason__reason__icontains=";")
    for pk, why in list(rows.values_list("pk", "pairing_reason")):
        reason = why["reason"].partition(";")[0].rstrip()
        matches.filter(pk=pk).update(pairing_reason={**why, "reason": reason})


class Migration(migrations.Migration):
    dependencies = [
        ("pairings", "0019_result_columns"),
    ]

    operations = [
        # The way back keeps it: nobody shows more of a name than they chose.
        migrations.RunPython(leave_out_details, migrations.RunPython.noop, elidable=True),
    ]
