"""The committee sets where its events are posted, and reads what became of them."""

from __future__ import annotations

import json

import pytest

from api.webhooks import actions
from api.webhooks.models import Delivery, Webhook
from clubs.journal.models import JournalEntry
from clubs.organisations.models import Organisation

pytestmark = pytest.mark.django_db
PAGE = "/c/faizers/gestion/webhooks/"
HOOK = {"address": "https://example.org/hook/jeton-secret", "events": ["ruling"]}


@pytest.fixture
def webhook(club):
    return actions.create(organisation=club.organisation, by=club.committee, at=club.at, **HOOK)


def test_the_secret_is_shown_once(club, other_club, desk):
    answer = desk.post(PAGE, HOOK)
    webhook = Webhook.objects.get()
    assert f'<code class="whole">{webhook.secret}</code>' in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    for address in (PAGE, f"{PAGE}{webhook.pk}/"):
        page = desk.get(address).content.decode()
        assert HOOK["address"] in page and webhook.secret not in page


def test_a_new_secret_replaces_the_old_one(club, other_club, desk, webhook):
    answer = desk.post(f"{PAGE}{webhook.pk}/secret/")
    renewed = Webhook.objects.get().secret
    assert renewed != webhook.secret and renewed in answer.content.decode()


def test_the_pages_of_a_closed_club_offer_no_form_that_is_refused(club, other_club, desk, webhook):
    times = dict.fromkeys(("created_at", "due_at", "ended_at"), club.at)
    Delivery.objects.create(webhook=webhook, seq=1, event="ruling", state="sent", **times)
    own = f"{PAGE}{webhook.pk}/"
    buttons = [(PAGE, "Ajouter"), (own, "Enregistrer"), (own, "Renvoyer")]
    assert all(words in desk.get(address).content.decode() for address, words in buttons)
    Organisation.objects.filter(pk=club.organisation.pk).update(closed_at=club.at)
    for address, words in buttons:
        page = desk.get(address).content.decode()
        assert webhook.address in page and words not in page


def test_a_closed_club_still_removes_a_webhook(club, other_club, desk, webhook):
    Organisation.objects.filter(pk=club.organisation.pk).update(closed_at=club.at)
    assert desk.post(PAGE, {**HOOK, "address": "https://example.org/new"}).status_code == 403
    desk.post(f"{PAGE}{webhook.pk}/supprimer/")
    assert not Webhook.objects.exists()


def test_the_journal_names_each_act_but_no_secret(club, other_club, desk, webhook):
    form = {**HOOK, "seen": "0", "is_on": "on", "events": ["ruling", "rating.changed"]}
    assert desk.post(f"{PAGE}{webhook.pk}/", form).status_code == 302
    desk.post(f"{PAGE}{webhook.pk}/secret/")
    desk.post(f"{PAGE}{webhook.pk}/supprimer/")
    assert not Webhook.objects.exists()
    entries = JournalEntry.objects.filter(subject=f"webhook:{webhook.pk}").order_by("seq")
    verbs = [entry.verb for entry in entries]
    assert verbs == [
        "webhook_created",
        "webhook_edited",
        "webhook_secret_renewed",
        "webhook_removed",
    ]
    told = json.dumps([[entry.before, entry.after] for entry in entries])
    assert "example.org" in told and "jeton-secret" not in told and webhook.secret not in told
    page = desk.get("/c/faizers/gestion/journal/").content.decode()
    assert "webhook_" not in page.partition("<ol")[2].partition("</ol>")[0]


@pytest.mark.parametrize(
    ("act", "words"),
    [("secret", "l’autre programme refuse les envois"), ("supprimer", "1 envoi")],
)
def test_a_page_asks_first_and_a_button_alone_does_nothing(
    club, other_club, desk, webhook, act, words
):
    secret = webhook.secret
    Delivery.objects.create(
        webhook=webhook, seq=1, event="ruling", created_at=club.at, due_at=club.at
    )
    address = f"{PAGE}{webhook.pk}/{act}/"
    page = desk.get(f"{PAGE}{webhook.pk}/").content.decode()
    assert f'href="{address}"' in page and f'action="{address}"' not in page
    asked = desk.get(address).content.decode()
    assert HOOK["address"] in asked and words in asked and secret not in asked
    assert Webhook.objects.get().secret == secret and Delivery.objects.count() == 1
    desk.post(address)
    assert not Webhook.objects.filter(secret=secret).exists()
    assert Delivery.objects.exists() == (act == "secret")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"address": "https://127.0.0.1/"}, "address"),
        ({"address": "http://example.org/"}, "address"),
        ({"address": HOOK["address"]}, "address"),
        ({"address": ""}, "address"),
        ({"address": "https://example.org/b", "events": []}, "events"),
        ({"address": "https://example.org/b", "events": ["everything"]}, "events"),
    ],
)
def test_a_refusal_stands_beside_its_field_and_what_was_typed_stays(
    club, other_club, desk, webhook, changes, field
):
    answer = desk.post(PAGE, {**HOOK, **changes})
    assert answer.status_code == 422 and list(answer.context["form"].errors) == [field]
    assert answer.context["form"]["address"].value() == changes["address"]
    assert Webhook.objects.count() == 1


def test_five_addresses_are_enough(club, other_club, desk):
    for number in range(6):
        answer = desk.post(PAGE, {**HOOK, "address": f"https://example.org/{number}"})
    assert answer.status_code == 422 and Webhook.objects.count() == 5


def test_a_change_made_meanwhile_is_not_overwritten(club, other_club, desk, webhook):
    form = {**HOOK, "seen": "0", "is_on": "on"}
    assert desk.post(f"{PAGE}{webhook.pk}/", form).status_code == 302
    assert desk.post(f"{PAGE}{webhook.pk}/", form).status_code == 422
    with pytest.raises(actions.WebhookRefused):
        actions.renew_secret(webhook=webhook, by=club.committee, at=club.at)


def test_what_was_given_up_is_said_and_sent_again(club, other_club, desk, webhook):
    delivery = Delivery.objects.create(
        webhook=webhook,
        seq=1,
        event="ruling",
        created_at=club.at,
        due_at=club.at,
        ended_at=club.at,
        state=Delivery.State.GIVEN_UP.value,
        answer="no_answer",
        tries=9,
    )
    assert "1 envoi abandonné" in desk.get(PAGE).content.decode()
    page = desk.get(f"{PAGE}{webhook.pk}/").content.decode()
    assert "abandonné" in page and "pas de réponse" in page and "9 essais" in page
    button = " ".join(page.partition("Renvoyer")[2].partition("</button>")[0].split())
    assert f"nº {delivery.pk}" in button  # the `Webhook-Id` that the other program noted
    assert "une décision d’arbitre" in button  # a page of 50 buttons: each says what it sends
    desk.post(f"{PAGE}{webhook.pk}/envois/{delivery.pk}/")
    delivery.refresh_from_db()
    assert (delivery.state, delivery.tries) == ("waiting", 0)


def test_a_page_shows_and_sends_what_is_its_own_alone(club, other_club, desk, webhook):
    how, words = {"at": club.at, "events": HOOK["events"]}, ("second", "neighbour")
    second, theirs = (
        actions.create(
            organisation=one.organisation,
            address=f"https://{name}.example.org/",
            by=one.committee,
            **how,
        )
        for one, name in zip((club, other_club), words, strict=True)
    )
    sent = {
        hook.pk: Delivery.objects.create(
            webhook=hook,
            seq=1,
            event="ruling",
            created_at=club.at,
            due_at=club.at,
            ended_at=club.at,
            state=Delivery.State.SENT.value,
        ).pk
        for hook in (second, theirs)
    }
    listed = desk.get(PAGE).content.decode()
    assert "second" in listed and "neighbour" not in listed
    assert [line[0].pk for line in desk.get(f"{PAGE}{second.pk}/").context["lines"]] == [
        sent[second.pk]
    ]
    assert not desk.get(f"{PAGE}{webhook.pk}/").context["lines"]
    assert desk.post(f"{PAGE}{webhook.pk}/envois/{sent[second.pk]}/").status_code == 404
    assert desk.post(f"{PAGE}{theirs.pk}/envois/{sent[theirs.pk]}/").status_code == 404


def test_a_federation_is_not_offered_the_closing_of_evenings(club, other_club, desk):
    assert "une soirée est clôturée" in desk.get(PAGE).content.decode()
    Organisation.objects.filter(pk=club.organisation.pk).update(kind=Organisation.FEDERATION)
    assert "une soirée est clôturée" not in desk.get(PAGE).content.decode()
    assert desk.post(PAGE, {**HOOK, "events": ["evening.closed"]}).status_code == 422
    assert desk.post(PAGE, HOOK).status_code == 200
