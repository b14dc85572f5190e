"""A game that an officer added says so in a column, filled once from the keys, which stay."""

from django.db import migrations, models

from clubs.journal.triggers import install, protect, remove

TABLE = "ratings_ratedgame"


def read_keys(apps, schema_editor):
    """Fill the column of every version of an added game, then protect the rows again.

    SQLite made the table anew for the column, which lost its triggers.
    """
    remove(schema_editor.connection, TABLE)
    games = apps.get_model("ratings", "RatedGame").objects.using(schema_editor.connection.alias)
    games.filter(source__contains=":added:").update(added=True)
    install(schema_editor.connection, TABLE)


class Migration(migrations.Migration):
    dependencies = [("ratings", "0016_evening_numbers")]

    operations = [
        # On the way back this comes last: the table was made anew without the column.
        migrations.RunPython(migrations.RunPython.noop, protect(TABLE)[0]),
        migrations.AddField(
            model_name="ratedgame",
            name="added",
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(read_keys, migrations.RunPython.noop),
    ]
