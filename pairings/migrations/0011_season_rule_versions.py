"""Each season that has begun is ordered by the rule version of its first evening."""

from typing import Any

from django.db import migrations


def fix_versions(apps: Any, _schema: Any) -> None:
    season = apps.get_model("clubs", "Season")
    evening = apps.get_model("pairings", "Evening")
    for row in season.objects.filter(rule_fixed=False).order_by("pk"):
        first = (
            evening.objects.filter(season_id=row.pk, opened_at__isnull=False)
            .order_by("opened_at", "pk")
            .first()
        )
        if first is not None:
            season.objects.filter(pk=row.pk).update(
                rule_book_id=first.rule_book_id, rule_fixed=True
            )


def forget_versions(apps: Any, _schema: Any) -> None:
    apps.get_model("clubs", "Season").objects.update(rule_book=None, rule_fixed=False)


class Migration(migrations.Migration):
    dependencies = [
        ("clubs", "0012_season_ordering"),
        ("pairings", "0010_guests_wait_for_the_desk"),
    ]

    operations = [migrations.RunPython(fix_versions, forget_versions)]
