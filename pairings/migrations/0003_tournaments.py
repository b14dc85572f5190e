"""Tournaments: entries, rounds, draws, final rankings; matches of a round, games of a match.

SQLite rebuilds a table to add a column and loses its triggers: they are put back at the end.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from clubs.journal.triggers import protect

FORWARDS, BACKWARDS = protect("pairings_rounddraw", "pairings_finalranking")
AGAIN, _REMOVE = protect("pairings_submission", "pairings_decision")


class Migration(migrations.Migration):
    dependencies = [
        ("clubs", "0002_append_only"),
        ("pairings", "0002_append_only"),
        ("ratings", "0002_append_only"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(migrations.RunPython.noop, AGAIN),
        migrations.CreateModel(
            name="Round",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("planned", "À venir"),
                            ("draft", "Brouillon"),
                            ("published", "Publiée"),
                            ("closed", "Terminée"),
                        ],
                        default="planned",
                        max_length=10,
                    ),
                ),
                ("starts_at", models.DateTimeField(verbose_name="début prévu")),
                ("draft", models.JSONField(default=list)),
                ("warnings", models.JSONField(default=list)),
                ("alternative", models.JSONField(blank=True, null=True)),
                ("strategy", models.CharField(blank=True, max_length=20)),
                ("version", models.PositiveIntegerField(default=0)),
                ("published_at", models.DateTimeField(blank=True, null=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="RoundDraw",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                ("strategy", models.CharField(max_length=20)),
                ("given", models.JSONField()),
                ("outcome", models.JSONField()),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Tournament",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=80)),
                ("name", models.CharField(max_length=120, verbose_name="nom")),
                ("held_on", models.DateField(verbose_name="date")),
                ("ends_on", models.DateField(blank=True, null=True, verbose_name="dernier jour")),
                ("starts_at", models.DateTimeField(verbose_name="heure de la première ronde")),
                ("place", models.CharField(blank=True, max_length=120, verbose_name="lieu")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("entries", "Inscriptions"),
                            ("running", "En cours"),
                            ("closed", "Terminé"),
                            ("cancelled", "Annulé"),
                        ],
                        default="entries",
                        max_length=10,
                    ),
                ),
                ("system", models.CharField(max_length=20, verbose_name="système")),
                ("rules", models.JSONField(default=dict)),
                ("match_rules", models.JSONField(default=dict)),
                (
                    "round_count",
                    models.PositiveIntegerField(
                        blank=True, null=True, verbose_name="nombre de rondes"
                    ),
                ),
                (
                    "minutes",
                    models.PositiveIntegerField(default=25, verbose_name="minutes par joueur"),
                ),
                (
                    "round_minutes",
                    models.PositiveIntegerField(
                        default=75, verbose_name="minutes entre deux rondes"
                    ),
                ),
                (
                    "rated_on",
                    models.DateField(blank=True, null=True, verbose_name="date des cotes"),
                ),
                (
                    "self_entry",
                    models.BooleanField(default=True, verbose_name="inscription par les membres"),
                ),
                (
                    "fee",
                    models.CharField(blank=True, max_length=40, verbose_name="droit d’inscription"),
                ),
                ("version", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField()),
                ("frozen_at", models.DateTimeField(blank=True, null=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.AddField(
            model_name="decision",
            name="games",
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name="match",
            name="checked_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="match",
            name="checked_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="match",
            name="checked_version",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="match",
            name="games",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name="submission",
            name="games",
            field=models.JSONField(default=list),
        ),
        migrations.CreateModel(
            name="Entry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("cote", models.IntegerField(default=0, verbose_name="cote")),
                (
                    "cote_origin",
                    models.CharField(blank=True, max_length=10, verbose_name="origine de la cote"),
                ),
                ("home_club", models.CharField(blank=True, max_length=60, verbose_name="club")),
                (
                    "initial",
                    models.PositiveIntegerField(
                        blank=True, null=True, verbose_name="place initiale"
                    ),
                ),
                ("first_round", models.PositiveIntegerField(default=1)),
                ("away", models.JSONField(default=list)),
                ("withdrawn_from", models.PositiveIntegerField(blank=True, null=True)),
                ("paid", models.BooleanField(default=False, verbose_name="droit payé")),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("self", "sur le site"),
                            ("desk", "à l’accueil"),
                            ("file", "par un fichier"),
                        ],
                        default="desk",
                        max_length=5,
                    ),
                ),
                ("entered_at", models.DateTimeField()),
                (
                    "member",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="clubs.member",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="FinalRanking",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                ("reason", models.TextField(blank=True)),
                ("rules", models.JSONField()),
                ("lines", models.JSONField()),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="match",
            name="round",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="matches",
                to="pairings.round",
            ),
        ),
        migrations.AddConstraint(
            model_name="match",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("evening__isnull", True), ("round__isnull", True), _connector="OR"
                ),
                name="match_is_of_an_evening_or_of_a_round",
            ),
        ),
        migrations.AddConstraint(
            model_name="match",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    ("round__isnull", False), models.Q(("status", "cancelled"), _negated=True)
                ),
                fields=("round", "table_number"),
                name="one_match_per_table_in_a_round",
            ),
        ),
        migrations.AddField(
            model_name="rounddraw",
            name="by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="rounddraw",
            name="round",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="draws",
                to="pairings.round",
            ),
        ),
        migrations.AddField(
            model_name="tournament",
            name="organisation",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="tournaments",
                to="clubs.organisation",
            ),
        ),
        migrations.AddField(
            model_name="tournament",
            name="rating_list",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="ratings.ratinglist",
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="tournament",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="rounds",
                to="pairings.tournament",
            ),
        ),
        migrations.AddField(
            model_name="finalranking",
            name="tournament",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="rankings",
                to="pairings.tournament",
            ),
        ),
        migrations.AddField(
            model_name="entry",
            name="tournament",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="entries",
                to="pairings.tournament",
            ),
        ),
        migrations.AddConstraint(
            model_name="tournament",
            constraint=models.UniqueConstraint(
                fields=("organisation", "slug"), name="tournament_slug_is_unique_in_organisation"
            ),
        ),
        migrations.AddConstraint(
            model_name="tournament",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state__in", ["running", "closed"]), _negated=True),
                    ("frozen_at__isnull", False),
                    _connector="OR",
                ),
                name="running_tournament_has_a_frozen_ranking",
            ),
        ),
        migrations.AddConstraint(
            model_name="tournament",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "closed"), _negated=True),
                    ("closed_at__isnull", False),
                    _connector="OR",
                ),
                name="closed_tournament_says_when",
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.UniqueConstraint(
                fields=("tournament", "number"), name="rounds_of_a_tournament_are_numbered"
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state__in", ["published", "closed"]), _negated=True),
                    ("published_at__isnull", False),
                    _connector="OR",
                ),
                name="published_round_says_when",
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "closed"), _negated=True),
                    ("closed_at__isnull", False),
                    _connector="OR",
                ),
                name="closed_round_says_when",
            ),
        ),
        migrations.AddConstraint(
            model_name="finalranking",
            constraint=models.UniqueConstraint(
                fields=("tournament", "number"), name="final_rankings_are_numbered"
            ),
        ),
        migrations.AddConstraint(
            model_name="finalranking",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("number", 1), models.Q(("reason", ""), _negated=True), _connector="OR"
                ),
                name="a_later_ranking_says_why",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(
                fields=("tournament", "member"), name="a_member_enters_a_tournament_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(
                condition=models.Q(("initial__isnull", False)),
                fields=("tournament", "initial"),
                name="initial_places_are_unique",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(("first_round__gte", 1)), name="rounds_are_counted_from_one"
            ),
        ),
        migrations.AddField(
            model_name="contest",
            name="games",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.RunPython(FORWARDS, BACKWARDS),
        migrations.RunPython(AGAIN, migrations.RunPython.noop),
    ]
