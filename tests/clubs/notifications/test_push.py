"""Notifications reach the member's own phones, encrypted, once, and hold nobody up."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from datetime import time, timedelta

import pytest
from django.core import mail
from django.core.cache import cache
from django.db import transaction

from clubs.accounts.models import User
from clubs.members import actions as members
from clubs.members import pins
from clubs.members.models import Member
from clubs.notifications import outbox, push, push_service
from clubs.notifications.models import Kind, PushChoices, PushNotice, PushSubscription
from clubs.notifications.push_service import PushRefused
from clubs.personal_data.export import data_of
from clubs.personal_data.register import Someone
from tests.clubhouse import NOW
from tests.push_server import push_server, silent_server, waiting_on
from tests.refusals import refused

pytestmark = pytest.mark.django_db
PAGE = "/moi/notifications/"


@pytest.fixture
def server(settings):
    settings.PUSH_LOOPBACK = True
    with push_server() as running:
        yield running


def subscribe(member, browser, at):
    return push.subscribe(member=member, endpoint=browser.endpoint, **browser.keys, at=at)


def write(member, at, *, kind=Kind.TABLE, key="table:1", until=None):
    """A notification written with the text of a table that is ready."""
    words = push.Words(
        link="https://club.example.org/ma-soiree/",
        until=until or at + timedelta(hours=1),
        context={"table": 4, "other": "Karim B.", "until": at},
    )
    push.post(to=[member.pk], kind=kind, key=key, at=at, words=lambda reader: words)
    return PushNotice.objects.filter(key=key).first()


@pytest.fixture
def phone(club, server):
    browser = server.browser()
    subscribe(club.members[0], browser, club.at)
    return browser


def test_a_message_arrives_encrypted_for_that_browser_and_signed_by_the_site(
    club, phone, after_commit
):
    with after_commit():
        notice = write(club.members[0], club.at)
    assert phone.messages() == [
        {
            "title": notice.title,
            "body": notice.body,
            "url": "/ma-soiree/",
            "tag": "table:1",
        }
    ]
    assert "4" in notice.title and "Karim B." in notice.body
    head, body = phone.requests()[0]
    assert b"Karim" not in body
    assert head["Urgency"] == "high" and head["TTL"] == "3600"
    token = head["Authorization"].split("t=")[1].split(",")[0].split(".")[1]
    claims = json.loads(urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    assert claims["aud"] == phone.server.address
    assert 0 < claims["exp"] - club.at.timestamp() <= 86400  # RFC 8292: a day at most
    assert f"k={push_service.public_key()}" in head["Authorization"]


def test_a_text_that_is_cut_ends_in_an_ellipsis(club, phone, monkeypatch):
    monkeypatch.setattr(push.outbox, "write", lambda *_: ("Table " * 30, "Karim " * 60))
    notice = write(club.members[0], club.at)
    assert (len(notice.title), len(notice.body)) == (120, 300)
    assert notice.title.endswith("…") and notice.body.endswith("…")


def test_nothing_leaves_when_the_transaction_does_not_commit(club, phone):
    with pytest.raises(RuntimeError), transaction.atomic():
        write(club.members[0], club.at)
        raise RuntimeError
    assert not PushNotice.objects.exists() and not phone.messages()


def test_the_same_thing_is_said_once_however_often_a_task_runs(club, phone):
    notice = write(club.members[0], club.at)
    write(club.members[0], club.at)
    assert PushNotice.objects.count() == 1
    assert [push.deliver(notice.pk, at=club.at) for _run in range(3)] == [1, 0, 0]
    assert push.sweep(at=club.at) == 0
    assert len(phone.messages()) == 1


def test_generated_data_notifies_nobody(club, phone):
    with outbox.silence():
        write(club.members[0], club.at)
    assert not PushNotice.objects.exists()
    assert write(club.members[0], club.at) is not None


@pytest.mark.parametrize("status", [404, 410])
def test_a_dead_subscription_is_forgotten(club, phone, status):
    phone.server.answers[phone.path] = status
    push.deliver(write(club.members[0], club.at).pk, at=club.at)
    assert not PushSubscription.objects.exists()
    assert push.sweep(at=club.at) == 0 and len(phone.requests()) == 1


def test_two_phones_of_one_player_are_both_told_and_a_dead_one_costs_the_other_nothing(
    club, phone, server, after_commit
):
    tablet = server.browser("tablet")
    subscribe(club.members[0], tablet, club.at)
    with after_commit():
        assert push.deliver(write(club.members[0], club.at).pk, at=club.at) == 2
        server.answers[phone.path] = 410
        assert push.deliver(write(club.members[0], club.at, key="table:2").pk, at=club.at) == 1
    assert mail.outbox == []  # one phone has it
    assert [message["tag"] for message in tablet.messages()] == ["table:1", "table:2"]
    assert PushSubscription.objects.get().endpoint == tablet.endpoint


def test_the_notification_that_is_asked_for_goes_to_its_member_alone(club, phone, server):
    other = server.browser("other")
    subscribe(club.members[1], other, club.at)
    write(club.members[0], club.at)
    assert push.deliver(write(club.members[1], club.at, key="table:2").pk, at=club.at) == 1
    assert [message["tag"] for message in other.messages()] == ["table:2"]
    assert not phone.requests()


@pytest.mark.parametrize("status", [410, 503])
def test_a_mail_says_what_no_phone_took_once(club, phone, status, after_commit):
    phone.server.answers[phone.path] = status
    with after_commit():
        notice = write(club.members[0], club.at)
        push.sweep(at=club.at)
    [letter] = mail.outbox
    assert (letter.to, letter.subject) == ([club.members[0].user.email], notice.title)
    assert notice.body in letter.body and "/ma-soiree/" in letter.body and PAGE in letter.body


def test_mails_go_on_once_the_only_phone_is_dead(club, phone, after_commit):
    phone.server.answers[phone.path] = 410
    for key in ("table:1", "table:2", "table:3"):
        with after_commit():
            write(club.members[0], club.at, key=key)
    assert len(mail.outbox) == 3 and len(phone.requests()) == 1


@pytest.mark.parametrize("chosen", [True, False], ids=["chose mail", "chose nothing"])
def test_who_stops_every_phone_is_mailed_only_if_they_chose_that(club, phone, chosen):
    if chosen:
        push.choose(member=club.members[0], choices={"by_mail": True})
    push.unsubscribe(member=club.members[0])
    assert (write(club.members[0], club.at) is not None) == chosen


def test_a_dead_phone_changes_no_choice(club, phone, server):
    push.choose(member=club.members[0], choices={"by_mail": False, "evening": False})
    server.answers[phone.path] = 410
    push.deliver(write(club.members[0], club.at).pk, at=club.at)
    chosen = PushChoices.objects.get(member=club.members[0])
    assert (chosen.by_mail, chosen.evening) == (False, False)


@pytest.mark.parametrize(
    ("kind", "by_mail", "letters"),
    [(Kind.TABLE, True, 1), (Kind.TABLE, False, 0), (Kind.RULING, True, 0)],
)
def test_who_has_no_phone_gets_a_mail_if_they_chose_it(club, kind, by_mail, letters, after_commit):
    """A ruling is mailed to everybody by itself."""
    PushChoices.objects.create(
        member=club.members[0], by_mail=by_mail, quiet_from=None, quiet_until=None
    )
    with after_commit():
        write(club.members[0], club.at, kind=kind)
    assert len(mail.outbox) == letters


def test_who_never_chose_and_has_no_phone_gets_nothing(club, phone):
    """Whoever else has one."""
    assert write(club.members[1], club.at) is None


def test_both_players_of_a_table_are_told_by_what_each_has_and_chose(club, phone, server, as_user):
    one, other = club.members[:2]
    PushChoices.objects.create(member=one, call=False)
    subscribe(other, server.browser("other"), club.at)
    for member in (one, other):
        write(member, club.at)
    assert PushNotice.objects.filter(key="table:1").count() == 2
    assert push.choices_of(other).call and not push.choices_of(one).call
    for number in range(4):
        later = club.at + timedelta(minutes=number + 1)
        subscribe(other, server.browser(f"more{number}"), later)
    assert PushSubscription.objects.filter(member=one).count() == 1
    assert as_user(one.user).get(PAGE).context["devices"] == 1
    assert not push.is_wanted(member=one, endpoint=server.browser("other").endpoint)


def test_a_service_in_trouble_is_tried_again_while_it_is_of_use(club, phone):
    PushChoices.objects.create(member=club.members[0], by_mail=False)
    phone.server.answers[phone.path] = 503
    notice = write(club.members[0], club.at)
    assert push.deliver(notice.pk, at=club.at) == 0
    assert PushSubscription.objects.exists()
    del phone.server.answers[phone.path]
    assert push.sweep(at=club.at + timedelta(minutes=1)) == 1
    late = write(club.members[0], club.at, key="table:2")
    assert push.deliver(late.pk, at=late.until) == 0
    assert len(phone.messages()) == 2


def test_a_notification_whose_worker_died_is_sent_by_a_later_sweep(club, phone, monkeypatch):
    notice = write(club.members[0], club.at)

    def killed(**_message):
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(push_service, "send", killed)
        with pytest.raises(KeyboardInterrupt):
            push.deliver(notice.pk, at=club.at)
    over = club.at + push.LEASE
    assert push.sweep(at=over - timedelta(microseconds=1)) == 0  # it may only be slow
    assert [push.sweep(at=over), push.sweep(at=over)] == [1, 0]
    assert len(phone.messages()) == 1
    after = PushNotice.objects.get()
    assert (after.due_at, after.sent_at) == (notice.due_at + push.LEASE, over)


def test_a_notification_that_ends_soon_is_held_to_its_end_by_the_worker_that_sends_it(club, phone):
    notice = write(club.members[0], club.at, until=club.at + timedelta(seconds=30))
    assert push.deliver(notice.pk, at=club.at) == 1


def test_a_call_withdrawn_while_a_phone_could_not_take_it_is_not_tried_again(
    club, phone, monkeypatch
):
    PushChoices.objects.create(member=club.members[0], by_mail=False)
    notice = write(club.members[0], club.at)

    def withdrawn(**_message):
        PushNotice.objects.filter(sent_at=None).update(sent_at=club.at)
        raise push_service.ServiceAway

    with monkeypatch.context() as changed:
        changed.setattr(push_service, "send", withdrawn)
        assert push.deliver(notice.pk, at=club.at) == 0
    assert push.sweep(at=club.at + push.LEASE) == 0 and not phone.messages()


def test_a_redirection_is_not_followed(club, phone):
    phone.server.answers[phone.path] = 307
    push.deliver(write(club.members[0], club.at).pk, at=club.at)
    assert [path for path, _head, _body in phone.server.received] == [phone.path]


@pytest.mark.real_clock
def test_an_endpoint_that_hangs_is_left_after_a_time_limit_and_other_pushes_go_on(
    club, server, monkeypatch
):
    first, second = club.members[:2]
    PushChoices.objects.create(member=second, by_mail=False)
    with silent_server() as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        for member, name in ((first, "a"), (first, "b"), (second, "c")):
            browser = server.browser(name)
            browser.endpoint = f"{address}/{name}"
            subscribe(member, browser, club.at)
        answering = server.browser("answers")
        subscribe(first, answering, club.at)
        asked = push_service.requests.post

        def post(endpoint, *, timeout, **more):
            assert 0 < timeout[0] <= 5 and 0 < timeout[1] <= 5, "a worker waits for seconds at most"
            short = (timeout[0], 0.2) if endpoint.startswith(address) else timeout
            return asked(endpoint, timeout=short, **more)

        monkeypatch.setattr(push_service.requests, "post", post)
        notices = [write(first, club.at), write(second, club.at, key="table:2")]
        assert [push.deliver(notice.pk, at=club.at) for notice in notices] == [1, 0]
        assert waiting_on(listener) == 1  # one wait for three phones: the service is left alone
    assert [message["tag"] for message in answering.messages()] == ["table:1"]
    assert list(PushNotice.objects.due(at=club.at)) == notices[1:]
    cache.clear()


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://fcm.googleapis.com/fcm/send/x",
        "https://127.0.0.1/x",
        "https://[::1]/x",
        "https://10.0.0.7/x",
        "https://192.168.1.1/x",
        "https://169.254.169.254/latest/meta-data/",
        "https://localhost/x",
        "https://redis.internal/x",
        "https://fcm.googleapis.com.evil.example/x",
        "https://evilfcm.googleapis.com@10.0.0.7/x",
        "https://fcm.googleapis.com@10.0.0.7/x",
        "https://user:pass@fcm.googleapis.com/x",
        "https://fcm.googleapis.com:6379/x",
        "https://fcm.googleapis.com:port/x",
        "https://notfcm.googleapis.com/x",
        "https://evil.example\\.fcm.googleapis.com/x",
        "https://10.0.0.7\\@fcm.googleapis.com/x",
        "ftp://fcm.googleapis.com/x",
        "javascript:alert(1)",
        "https://[broken/x",
        "",
        "https://fcm.googleapis.com/" + "x" * 1024,
    ],
)
def test_only_known_push_services_are_posted_to(club, endpoint):
    with refused("unknown_service"):
        push_service.check_endpoint(endpoint)


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://fcm.googleapis.com/fcm/send/abc:def",
        "https://updates.push.services.mozilla.com/wpush/v2/abc",
        "https://web.push.apple.com/abc",
        "https://wns2-par02p.notify.windows.com/w/?token=abc",
    ],
)
def test_the_services_of_the_usual_browsers_are_known(endpoint):
    push_service.check_endpoint(endpoint)


def test_loopback_is_for_tests_alone(club, server, settings):
    settings.PUSH_LOOPBACK = False
    with pytest.raises(PushRefused):
        subscribe(club.members[0], server.browser(), club.at)


def test_a_stored_address_that_is_accepted_no_more_is_not_posted_to(club, phone, settings):
    """An archive may bring it, and the site may have left a service out since."""
    settings.PUSH_LOOPBACK = False
    assert push.deliver(write(club.members[0], club.at).pk, at=club.at) == 0
    assert not phone.requests()


@pytest.mark.parametrize(
    ("name", "value"),
    [("p256dh", ""), ("p256dh", "B" * 87), ("p256dh", "é"), ("auth", ""), ("auth", "AAAA")],
)
def test_keys_that_no_browser_makes_are_refused(club, server, name, value):
    browser = server.browser()
    browser.keys[name] = value
    with refused("bad_keys"):
        subscribe(club.members[0], browser, club.at)


def test_a_browser_moves_to_the_account_that_subscribes_with_it(club, phone, server):
    other = subscribe(club.members[2], server.browser("other"), club.at)
    moved = subscribe(club.members[1], phone, club.at)
    assert moved.member == club.members[1]
    kept = PushSubscription.objects.values_list("pk", "member")
    assert set(kept) == {(moved.pk, club.members[1].pk), (other.pk, club.members[2].pk)}


@pytest.mark.parametrize("change", [{"left_at": NOW}, {"user": None}], ids=["left", "unlinked"])
def test_a_browser_is_not_kept_for_who_left_since_the_page_was_opened(club, server, change):
    Member.objects.filter(pk=club.members[0].pk).update(**change)
    with pytest.raises(PushRefused) as refusal:
        subscribe(club.members[0], server.browser(), club.at)
    assert refusal.value.code == "stale" and not PushSubscription.objects.exists()


def test_a_browser_is_wanted_by_its_account_in_whichever_club_it_subscribed(
    club, other_club, phone
):
    visitor, stranger = other_club.members[:2]
    Member.objects.filter(pk=visitor.pk).update(user=club.members[0].user)
    visitor.refresh_from_db()
    assert push.is_wanted(member=visitor, endpoint=phone.endpoint)
    assert not push.is_wanted(member=stranger, endpoint=phone.endpoint)
    stranger.user = None  # a guest: two people without an account are not one
    Member.objects.filter(pk=club.members[0].pk).update(user=None)
    assert not push.is_wanted(member=stranger, endpoint=phone.endpoint)


def test_an_address_copied_from_somebody_else_takes_nothing_away(club, phone, server):
    thief = server.browser()  # the same endpoint, keys of their own
    with refused("somebody_else"):
        subscribe(club.members[1], thief, club.at)
    assert push.unsubscribe(member=club.members[1], endpoint=phone.endpoint) == 0
    assert PushSubscription.objects.get().member == club.members[0]


def test_the_sixth_browser_replaces_the_oldest(club, server):
    for number in range(6):
        at = club.at + timedelta(minutes=number)
        subscribe(club.members[0], server.browser(f"phone{number}"), at)
    kept = PushSubscription.objects.order_by("created_at").values_list("endpoint", flat=True)
    assert [endpoint.rsplit("/", 1)[1] for endpoint in kept] == [f"phone{n}" for n in range(1, 6)]


def test_a_kind_that_was_switched_off_is_not_sent(club, phone):
    member = club.members[0]
    PushChoices.objects.create(member=member, table=False)
    assert write(member, club.at) is None
    assert write(member, club.at, kind=Kind.CALL, key="call:1") is not None


@pytest.mark.parametrize(
    ("hour", "kind", "due"),
    [
        ("21:59", Kind.RULING, "21:59"),
        ("22:00", Kind.RULING, "08:00"),
        ("23:30", Kind.EVENING, "08:00"),
        ("07:59", Kind.RULING, "08:00"),
        ("08:00", Kind.RULING, "08:00"),
        ("23:30", Kind.TABLE, "23:30"),
        ("23:30", Kind.CONFIRM, "23:30"),
        ("23:30", Kind.CALL, "23:30"),
    ],
)
def test_quiet_hours_hold_back_what_can_wait(club, hour, kind, due):
    hours, minutes = map(int, hour.split(":"))
    at = club.at.astimezone(club.organisation.zone).replace(hour=hours, minute=minutes, second=0)
    at = at.replace(microsecond=0)
    found = PushChoices(member=club.members[0]).due_at(kind, at)
    assert f"{found:%H:%M}" == due
    assert timedelta(0) <= found - at <= timedelta(hours=10)


@pytest.mark.parametrize(
    ("hour", "due"), [(10, 10), (12, 12), (13, 15), (14, 15), (15, 15), (20, 20)]
)
def test_quiet_hours_of_an_afternoon_end_the_same_day(club, hour, due):
    at = club.at.astimezone(club.organisation.zone).replace(hour=hour, minute=0)
    choices = PushChoices(member=club.members[0], quiet_from=time(13), quiet_until=time(15))
    assert choices.due_at(Kind.RULING, at) == at.replace(hour=due)


def test_what_was_held_back_leaves_in_the_morning(club, phone):
    night = club.at.astimezone(club.organisation.zone).replace(hour=23, minute=0)
    notice = write(club.members[0], night, kind=Kind.RULING, until=night + timedelta(days=2))
    assert push.sweep(at=night + timedelta(hours=8)) == 0
    assert push.sweep(at=night + timedelta(hours=9)) == 1
    assert phone.messages()[0]["title"] == notice.title


@pytest.mark.parametrize(
    ("language", "title"),
    [("fr", "L’arbitre a décidé"), ("en", "The arbiter has"), ("ro", "Arbitrul a decis")],
)
def test_what_was_held_back_is_read_in_the_language_chosen_meanwhile(club, phone, language, title):
    night = club.at.astimezone(club.organisation.zone).replace(hour=23, minute=0)
    notice = write(club.members[0], night, kind=Kind.RULING, until=night + timedelta(days=2))
    User.objects.filter(pk=club.members[0].user_id).update(language=language)
    assert push.sweep(at=night + timedelta(hours=9)) == 1
    assert phone.messages()[0]["title"].startswith(title)
    notice.refresh_from_db()
    assert notice.title.startswith("L’arbitre a décidé")  # as it was written


def test_the_mail_of_what_was_held_back_is_in_one_language(club, after_commit):
    member, night = club.members[0], club.at.astimezone(club.organisation.zone).replace(hour=23)
    PushChoices.objects.create(member=member)
    context = {"starts_at": night + timedelta(hours=20), "place": "Salle B"}
    words = push.Words(
        link="https://x.org/ma-soiree/", until=night + timedelta(days=1), context=context
    )
    push.post(to=[member.pk], kind=Kind.EVENING, key="e:1", at=night, words=lambda reader: words)
    User.objects.filter(pk=member.user_id).update(language="en")
    with after_commit():
        push.sweep(at=night + timedelta(hours=9))
    [letter] = mail.outbox
    assert letter.subject == "Club night tomorrow at 19:00" and "Hello" in letter.body


def written_at_night(club, kind):
    """A notification that waits for the morning, and the moment at which it was written."""
    night = club.at.astimezone(club.organisation.zone).replace(hour=23, minute=0)
    context = {"starts_at": night + timedelta(hours=20), "place": "Salle B"}
    words = push.Words(
        link="https://x.org/ma-soiree/", until=night + timedelta(days=1), context=context
    )
    push.post(to=[club.members[0].pk], kind=kind, key="e:1", at=night, words=lambda reader: words)
    assert PushNotice.objects.get().due_at == night + timedelta(hours=9)
    return night


@pytest.mark.parametrize("choice", ["kind", "phones"])
def test_what_was_held_back_is_not_sent_to_who_wants_it_no_more(club, phone, choice, after_commit):
    night = written_at_night(club, Kind.EVENING)
    if choice == "kind":
        push.choose(member=club.members[0], choices={"evening": False})
    else:
        push.unsubscribe(member=club.members[0])
    with after_commit():
        push.sweep(at=night + timedelta(hours=9))
    assert not phone.messages() and not mail.outbox
    assert not PushNotice.objects.due(at=night + timedelta(hours=9)).exists()


def test_quiet_hours_chosen_meanwhile_hold_it_back_longer(club, phone):
    night = written_at_night(club, Kind.EVENING)
    push.choose(member=club.members[0], choices={"quiet_until": time(10)})
    assert [push.sweep(at=night + timedelta(hours=h)) for h in (9, 10, 11, 12)] == [0, 0, 1, 0]
    assert len(phone.messages()) == 1


def test_what_is_sent_at_once_is_written_once(club, phone):
    assert write(club.members[0], club.at).translations is None


def test_old_notifications_are_deleted(club, phone):
    write(club.members[0], club.at)
    push.sweep(at=club.at + timedelta(hours=1, days=7))
    assert PushNotice.objects.exists()
    push.sweep(at=club.at + timedelta(hours=2, days=7))
    assert not PushNotice.objects.exists()


@pytest.mark.parametrize("forget", [False, True])
def test_whoever_leaves_is_notified_no_more(club, phone, server, forget):
    member, other = club.members[:2]
    subscribe(other, server.browser("other"), club.at)
    write(member, club.at)
    write(other, club.at, key="table:3")
    PushChoices.objects.create(member=member)
    members.leave(member=member, by=club.committee, at=club.at, forget=forget)
    assert PushSubscription.objects.get().member == PushNotice.objects.get().member == other
    assert PushChoices.objects.exists() is not forget
    assert write(member, club.at, key="table:2") is None


def test_a_member_reads_what_is_stored_about_their_phones(club, phone):
    PushChoices.objects.create(member=club.members[0], ruling=False)
    write(club.members[0], club.at)
    held = data_of(Someone.of(club.members[0]))
    assert list(held["clubs.PushSubscription"][0]) == ["created_at"]  # and no secret of the phone
    assert held["clubs.PushChoices"][0]["ruling"] is False
    assert held["clubs.PushNotice"][0]["kind"] == "table"
    assert "clubs.PushSubscription" not in data_of(Someone.of(club.members[1]))


def test_a_lost_phone_of_somebody_without_an_account_silences_nobody_else(club, server):
    lost, other = (club.join(name) for name in ("Ada", "Bela"))
    browser = server.browser()
    subscribe(other, browser, club.at)
    pins.report_loss(member=lost, by=club.committee, at=club.at)
    assert PushSubscription.objects.get().member == other
