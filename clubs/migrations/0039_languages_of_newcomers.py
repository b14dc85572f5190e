from django.db import migrations, models


def give_the_language_of_their_club(apps, schema_editor):
    """Members without an account had "fr" in every club, though nobody had chosen it."""
    members = apps.get_model("clubs", "Member").objects.filter(user=None, language="fr")
    organisations = apps.get_model("clubs", "Organisation").objects.exclude(language="fr")
    for organisation in organisations:
        members.filter(organisation=organisation).update(language=organisation.language)


class Migration(migrations.Migration):
    dependencies = [
        ("clubs", "0038_closed_organisations"),
    ]

    operations = [
        migrations.AddField(
            model_name="joinrequest",
            name="language",
            field=models.CharField(
                blank=True, db_default="", default="", max_length=5, verbose_name="langue"
            ),
        ),
        migrations.RunPython(
            give_the_language_of_their_club, migrations.RunPython.noop, elidable=True
        ),
    ]
