from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ("ratings", "0014_runs_are_jobs"),
    ]

    operations = [migrations.DeleteModel(name="ListRun")]
