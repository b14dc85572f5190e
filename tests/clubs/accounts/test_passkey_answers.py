"""What a passkey answers, signed by a key of the test: which answers sign in, and which do not."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from django.test import Client
from django.urls import reverse
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

from clubs.accounts.models import User

pytestmark = pytest.mark.django_db
PASSWORD = "planted-password-77"
PRESENT, VERIFIED, ATTESTED = (
    AuthenticatorData.FLAG.UP,
    AuthenticatorData.FLAG.UV,
    AuthenticatorData.FLAG.AT,
)
CREATED, ASKED = CollectedClientData.TYPE.CREATE, CollectedClientData.TYPE.GET


@dataclass
class Key:
    """A passkey that somebody added: it signs whatever it is asked to."""

    owner: User
    name: bytes
    site: str = "testserver"
    private: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )

    def add(self) -> Key:
        public = ES256.from_cryptography_key(self.private.public_key())
        held = AttestedCredentialData.create(Aaguid.NONE, self.name, public)
        data = AuthenticatorData.create(
            self._site_hash(), PRESENT | VERIFIED | ATTESTED, 0, bytes(held)
        )
        said = CollectedClientData.create(CREATED, b"x", f"https://{self.site}")
        response = {
            "clientDataJSON": websafe_encode(said),
            "attestationObject": websafe_encode(AttestationObject.create("none", data, {})),
        }
        credential = {**self._named(), "response": response}
        Authenticator.objects.create(
            user=self.owner,
            type=Authenticator.Type.WEBAUTHN,
            data={"name": "clé", "credential": credential},
        )
        return self

    def answer(self, challenge: str, flags: AuthenticatorData.FLAG, origin: str = "") -> str:
        """What a browser sends for this challenge, as the field of a form."""
        said = CollectedClientData.create(ASKED, challenge, origin or f"https://{self.site}")
        data = AuthenticatorData.create(self._site_hash(), flags, 1)
        signature = self.private.sign(data + said.hash, ec.ECDSA(SHA256()))
        response = {
            "clientDataJSON": websafe_encode(said),
            "authenticatorData": websafe_encode(data),
            "signature": websafe_encode(signature),
            "userHandle": websafe_encode(user_pk_to_url_str(self.owner).encode()),
        }
        return json.dumps({**self._named(), "response": response})

    def _named(self) -> dict[str, object]:
        name = websafe_encode(self.name)
        return {"id": name, "rawId": name, "type": "public-key", "clientExtensionResults": {}}

    def _site_hash(self) -> bytes:
        return sha256(self.site.encode()).digest()


@pytest.fixture
def keys(club: Any) -> list[Key]:
    """A key of each of two players, who have a password too."""
    made = []
    for number in (0, 1):
        user = club.members[number].user
        user.set_password(PASSWORD)
        user.save()
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        made.append(Key(user, f"key {number}".encode()).add())
    return made


def challenge_alone(client: Client) -> str:
    """Ask to sign in by a key alone."""
    script = {"HTTP_X_REQUESTED_WITH": "XMLHttpRequest"}
    asked = client.get(reverse("mfa_login_webauthn"), **script).json()
    return str(asked["request_options"]["publicKey"]["challenge"])


def challenge_after_password(client: Client, user: User) -> str:
    """Sign in by a password, and be asked for the key."""
    typed = {"login": user.email, "password": PASSWORD}
    client.post(reverse("account_login"), typed)
    client.get(reverse("mfa_authenticate"))
    return str(client.session["mfa.webauthn.state"]["challenge"])


def signed_in(client: Client) -> int | None:
    owner = client.session.get("_auth_user_id")
    return int(owner) if owner else None


def test_a_key_alone_signs_in_where_it_made_sure_of_its_owner(keys):
    for flags, who in ((PRESENT | VERIFIED, keys[0].owner.pk), (PRESENT, None)):
        client = Client()
        answer = keys[0].answer(challenge_alone(client), flags)
        client.post(reverse("mfa_login_webauthn"), {"credential": answer}, secure=True)
        assert signed_in(client) == who


def test_a_stolen_key_does_not_sign_in_by_the_challenge_of_another_sign_in(keys, clock):
    """After a password a touch is enough, also once that sign-in has ended; alone it is not."""
    own, stolen = keys
    client = Client()
    answer = stolen.answer(challenge_after_password(client, own.owner), PRESENT)
    clock.shift(timedelta(minutes=16))
    client.post(reverse("mfa_login_webauthn"), {"credential": answer}, secure=True)
    assert signed_in(client) is None


def test_after_the_password_a_touch_of_ones_own_key_is_enough_and_another_one_is_none(keys):
    own, other = keys
    for key, who in ((other, None), (own, own.owner.pk)):
        client = Client()
        answer = key.answer(challenge_after_password(client, own.owner), PRESENT)
        client.post(reverse("mfa_authenticate"), {"credential": answer}, secure=True)
        assert signed_in(client) == who


def test_an_answer_given_to_another_site_or_to_another_challenge_signs_in_nobody(keys):
    for site, origin in (("elsewhere.example", ""), ("testserver", "https://elsewhere.example")):
        client = Client()
        key = Key(keys[0].owner, keys[0].name, site, keys[0].private)
        answer = key.answer(challenge_alone(client), PRESENT | VERIFIED, origin)
        client.post(reverse("mfa_login_webauthn"), {"credential": answer}, secure=True)
        assert signed_in(client) is None
    client, before = Client(), Client()
    answer = keys[0].answer(challenge_alone(before), PRESENT | VERIFIED)
    challenge_alone(client)
    client.post(reverse("mfa_login_webauthn"), {"credential": answer}, secure=True)
    assert signed_in(client) is None


def test_a_key_that_is_refused_leads_back_to_a_sign_in_that_knows_the_wanted_page(keys):
    client, wanted = Client(), "/moi/reglages/"
    answer = keys[0].answer(challenge_alone(client), PRESENT)
    sent = {"credential": answer, "next": wanted}
    again = client.post(reverse("mfa_login_webauthn"), sent, secure=True, follow=True)
    page = again.content.decode()
    assert "n’est pas acceptée" in page
    assert f'<input type="hidden" name="next" value="{wanted}">' in page
