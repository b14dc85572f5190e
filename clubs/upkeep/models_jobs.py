"""Long actions that a page hands to a worker."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from clubs.organisations.models import Organisation


class WorkState(models.TextChoices):
    WAITING = "waiting", gettext_lazy("en attente")
    RUNNING = "running", gettext_lazy("en cours")
    DONE = "done", gettext_lazy("terminé")
    FAILED = "failed", gettext_lazy("refusé")
    CANCELLED = "cancelled", pgettext_lazy("d’un travail du site", "annulé")


OPEN_VALUES = (WorkState.WAITING.value, WorkState.RUNNING.value)


class JobKind(models.TextChoices):
    MEMBERS_IN = "members_in", gettext_lazy("Import de membres")
    MEMBERS_OUT = "members_out", gettext_lazy("Annulation d’un import")
    COMPETITION = "competition", gettext_lazy("Compétition importée")
    LICENCES = "licences", gettext_lazy("Import de licences")
    TOURNAMENT = "tournament", gettext_lazy("Tournoi importé")
    ARCHIVE = "archive", gettext_lazy("Archive du club")
    EDITION = "edition", gettext_lazy("Fichier d’une publication")
    DRY = "dry", gettext_lazy("Calcul à blanc")
    CHECK = "check", gettext_lazy("Vérification de la liste")
    TRIAL = "trial", gettext_lazy("Simulation")
    EFFECT = "effect", gettext_lazy("Effet d’une correction")
    CORRECTION = "correction", gettext_lazy("Correction d’une liste")


class Job(models.Model):
    """A long action or calculation requested on a page and done by a worker.

    Its row is apart from the row it works on (`target_id`), which an action locks to its end.
    `done`, `total` and `is_lost` are not stored: `clubs.upkeep.jobs.follow` sets them.
    """

    State = WorkState
    Kind = JobKind
    OPEN = OPEN_VALUES

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=12, choices=JobKind.choices)
    target_id = models.PositiveBigIntegerField()
    given = models.JSONField(default=dict)
    result = models.JSONField(default=dict)
    state = models.CharField(
        max_length=10, choices=WorkState.choices, default=WorkState.WAITING.value
    )
    words = models.TextField(blank=True)
    language = models.CharField(max_length=5)
    asked_at = models.DateTimeField()
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    asked_as = models.CharField(max_length=10)
    taken_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    done = 0
    total = 0
    is_lost = False

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "target_id"],
                condition=Q(state__in=list(OPEN_VALUES)),
                name="a_long_act_is_asked_for_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.target_id}"

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN

    @property
    def calculates(self) -> bool:
        """Return whether it only reads a list: it counts periods and may be done at any time."""
        return self.kind in (JobKind.DRY, JobKind.CHECK, JobKind.TRIAL, JobKind.EFFECT)

    @property
    def percent(self) -> int:
        """Return the progress in percent, for a progress bar."""
        return min(100, 100 * self.done // self.total) if self.total else 0

    @property
    def progress_words(self) -> str:
        """Return the progress as a sentence."""
        if self.state == self.State.WAITING:
            return _("C’est demandé : cela commence dans un instant.")
        if self.state == self.State.RUNNING and self.total:
            return _("%(done)s sur %(total)s") % {"done": self.done, "total": self.total}
        return self.get_state_display()
