"""A site that changes its secret key and tells the former one signs nobody out (docs/upgrading.md)."""

from __future__ import annotations

import re
from http.cookies import SimpleCookie

import pytest
from allauth.usersessions.models import UserSession
from django.core import mail
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from clubs.accounts.device import device_member, remember_device
from clubs.members import pins

pytestmark = pytest.mark.django_db


@pytest.fixture
def change(settings):
    """Replace the key; the former one goes on where it is told."""

    def replace(*, told: bool) -> None:
        settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY] if told else []
        settings.SECRET_KEY = f"another-{settings.SECRET_KEY}"

    return replace


def is_in(client: Client, root: str) -> bool:
    return client.get(f"{root}/gestion/").status_code == 200


@pytest.mark.parametrize("told", [True, False])
def test_sessions_go_on_where_the_former_key_is_told(club, root, as_user, change, told):
    client = as_user(club.committee.user)
    assert is_in(client, root)
    change(told=told)
    assert is_in(client, root) is told


def test_who_came_meanwhile_stays_when_the_former_key_goes(club, root, as_user, change, settings):
    came, stayed_away = as_user(club.committee.user), as_user(club.committee.user)
    assert is_in(came, root) and is_in(stayed_away, root)
    change(told=True)
    assert is_in(came, root)
    settings.SECRET_KEY_FALLBACKS = []
    assert is_in(came, root) and not is_in(stayed_away, root)
    assert UserSession.objects.filter(session_key=came.session.session_key).exists()


@pytest.mark.parametrize("told", [True, False])
def test_phones_and_mailed_links_go_on_and_cards_do_not(club, root, change, told):
    member, answer = club.members[0], HttpResponse()
    remember_device(answer, member)
    phone = RequestFactory().get("/")
    phone.COOKIES = {name: morsel.value for name, morsel in SimpleCookie(answer.cookies).items()}
    seal = pins.seal_of(member)
    Client().post(f"{root}{reverse('account_reset_password')}", {"email": member.user.email})
    link = re.search(r"https?://[^/\s]+(/\S+)", mail.outbox[-1].body)[1]
    change(told=told)
    assert (device_member(phone, club.organisation) == member) is told
    assert ("password1" in Client().get(link, follow=True).content.decode()) is told
    assert not pins.is_sealed(member, seal)
