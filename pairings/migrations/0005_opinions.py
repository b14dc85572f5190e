"""Second opinions on a contest, only ever added."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from clubs.journal.triggers import protect

FORWARDS, BACKWARDS = protect("pairings_opinion")


class Migration(migrations.Migration):
    dependencies = [
        ("clubs", "0003_invitation_mail"),
        ("pairings", "0004_pdi_waivers"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Opinion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                ("asks", models.BooleanField(default=False)),
                ("words", models.TextField()),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "by_member",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="clubs.member",
                    ),
                ),
                (
                    "contest",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="opinions",
                        to="pairings.contest",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("words", ""), _negated=True),
                        name="an_opinion_has_words",
                    )
                ],
            },
        ),
        migrations.RunPython(FORWARDS, BACKWARDS),
    ]
