"""What officers gave up before it was rated is returned to its club, as giving up does since 1.3."""

from django.db import migrations
from django.db.models import Exists, F, OuterRef, Q


def return_to_clubs(apps, schema_editor):
    """Return each accepted hand-over of which every competition was given up and none was rated.

    The reason and the journal entry are those of giving up. Nobody gets a mail.
    """
    alias = schema_editor.connection.alias
    made = apps.get_model("ratings", "Period").objects.filter(
        origin="handed-over", origin_id=OuterRef("pk")
    )
    stays = made.filter(Q(removed_at__isnull=True) | Q(settled_at__isnull=False))
    hand_overs = apps.get_model("ratings", "HandOver").objects.using(alias)
    hand_overs.filter(Exists(made), ~Exists(stays), state="accepted").update(
        state="returned", draft=None, answered=F("delivered"), version=F("version") + 1
    )


class Migration(migrations.Migration):
    dependencies = [("ratings", "0017_added_games")]

    operations = [
        # On the way back they stay with the club, which may have sent them again.
        migrations.RunPython(return_to_clubs, migrations.RunPython.noop, elidable=True),
    ]
