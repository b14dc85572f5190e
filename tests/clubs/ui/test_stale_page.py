"""A form opened before its reader signed in again: a sentence, and nothing written."""

from __future__ import annotations

import pytest
from django.test import Client

from pairings.matches.models import Match

pytestmark = pytest.mark.django_db


def test_a_form_of_an_earlier_sign_in_is_refused_in_the_readers_language(club):
    match, (a, _b) = club.match()
    phone = Client(enforce_csrf_checks=True, headers={"Accept-Language": "fr"})
    phone.force_login(a.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    url = f"/matchs/{match.pk}/saisir/"
    phone.get(url)
    sent = {"mine": "400", "theirs": "350", "csrfmiddlewaretoken": "x" * 64}
    answer = phone.post(url, sent)
    text = answer.content.decode()
    assert answer.status_code == 403
    assert "Cette page n’est plus à jour" in text
    assert "data-stale-page" in text, "static/js/entry.js looks for it and asks for a new token"
    assert Match.objects.get(pk=match.pk).status == "proposed"
