from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('clubs', '0032_children_are_minors'),
    ]

    operations = [
        migrations.AddConstraint(
            model_name='member',
            constraint=models.CheckConstraint(condition=models.Q(('is_child', False), ('is_minor', True), _connector='OR'), name='child_is_a_minor'),
        ),
    ]
