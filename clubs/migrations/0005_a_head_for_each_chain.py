"""An organisation has its chain from its first moment; one without any act yet had none."""

from typing import Any

from django.db import migrations


def begin(apps: Any, schema_editor: Any) -> None:
    heads = apps.get_model("clubs", "JournalHead")
    without = apps.get_model("clubs", "Organisation").objects.filter(journal_head__isnull=True)
    heads.objects.bulk_create([heads(organisation=one, hash="0" * 64) for one in without])


class Migration(migrations.Migration):
    dependencies = [("clubs", "0004_fewer_indexes")]

    operations = [migrations.RunPython(begin, migrations.RunPython.noop)]
