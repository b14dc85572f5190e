"""Runs over a list become jobs. A trial keeps its number, which is part of its address."""

from django.core.management.color import no_style
from django.db import migrations
from django.db.models import Max

OPEN = ("waiting", "running")
SAME = ("given", "state", "asked_at", "asked_by_id", "ended_at", "organisation_id", "kind")


def columns_of(row):
    return {name: getattr(row, name) for name in SAME}


def carry(apps, schema_editor):
    Job, ListRun = apps.get_model("clubs", "Job"), apps.get_model("ratings", "ListRun")
    last = max(model.objects.aggregate(n=Max("pk"))["n"] or 0 for model in (Job, ListRun))
    trials = ListRun.objects.filter(kind="trial").values_list("pk", flat=True)
    for pk in list(Job.objects.filter(pk__in=list(trials)).values_list("pk", flat=True)):
        last += 1
        Job.objects.filter(pk=pk).update(id=last)
    asked = set()
    for run in ListRun.objects.order_by("pk").iterator(chunk_size=100):
        if run.kind == "trial":
            number = run.pk
        else:
            last = number = last + 1
        job = Job(
            id=number,
            target_id=run.period_id if run.kind == "dry" else run.rating_list_id,
            words=run.result.pop("words", ""),
            result=run.result,
            language="fr",
            asked_as="committee",
            taken_at=run.beat_at,
            **columns_of(run),
        )
        if run.kind == "dry" and run.state == "done":
            job.result["version"] = run.version
        if run.state in OPEN:
            work = (job.kind, job.target_id)
            if work in asked:
                job.state, job.ended_at = "cancelled", run.asked_at
            asked.add(work)
        job.save(force_insert=True)
    count_from_the_last(schema_editor, Job)


def give_back(apps, schema_editor):
    Job, ListRun = apps.get_model("clubs", "Job"), apps.get_model("ratings", "ListRun")
    Period = apps.get_model("ratings", "Period")
    lists = dict(Period.objects.values_list("pk", "rating_list_id"))
    jobs = Job.objects.filter(kind__in=("dry", "check", "trial"))
    for job in jobs.order_by("pk").iterator(chunk_size=100):
        dry = job.kind == "dry"
        ListRun.objects.create(
            id=job.pk,
            rating_list_id=lists[job.target_id] if dry else job.target_id,
            period_id=job.target_id if dry else None,
            version=job.result.get("version", 0),
            result=job.result | ({"words": job.words} if job.words else {}),
            beat_at=job.taken_at,
            **columns_of(job),
        )
    jobs.delete()
    count_from_the_last(schema_editor, ListRun)


def count_from_the_last(schema_editor, model):
    """Give new rows numbers after these: PostgreSQL counts apart from the rows."""
    for statement in schema_editor.connection.ops.sequence_reset_sql(no_style(), [model]):
        schema_editor.execute(statement)


class Migration(migrations.Migration):

    dependencies = [
        ("clubs", "0025_calculations"),
        ("ratings", "0013_withdrawn_hand_overs"),
    ]

    operations = [migrations.RunPython(carry, give_back)]
