"""An arbiter's decision on an open match asks only for what the chosen act keeps."""

from __future__ import annotations

import pytest
from django.conf import settings

from pairings.arbitration.forms import JudgeForm
from pairings.rules.match_state import Event

pytestmark = pytest.mark.browser
TEMPLATE = settings.BASE_DIR / "templates/pairings/arbitration/match_judge.html"
KEEPS = {act: act not in (Event.RECORD.value, Event.START.value) for act, _words in JudgeForm.ACTS}


@pytest.mark.parametrize("act", KEEPS)
def test_a_reason_is_asked_for_where_it_is_kept(chromium, act):
    field = "{{ form.reason.as_field_group }}"
    line = next(each for each in TEMPLATE.read_text("utf-8").splitlines() if field in each)
    acts = "".join(f'<input type="radio" name="act" value="{code}">' for code in KEEPS)
    page = chromium.new_page()
    page.set_content(
        f'<form><div class="decision">{acts}</div>{line.replace(field, "<input name=reason>")}</form>'
    )
    page.add_style_tag(path=settings.BASE_DIR / "static/css/forms.css")
    assert page.is_visible("[name=reason]")
    page.check(f"[value={act}]")
    assert page.is_visible("[name=reason]") == KEEPS[act]
    page.close()
