from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("pairings", "0017_guestrequest_visitor"),
    ]

    operations = [
        migrations.RemoveField(
            model_name="evening",
            name="call_delay_s",
        ),
    ]
