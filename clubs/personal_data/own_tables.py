"""The tables of clubs, and of the packages beside it, that refer to people."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from clubs.accounts.actor import Actor
from clubs.accounts.models import User
from clubs.journal import chain as journal
from clubs.members.models import Member, MemberImport
from clubs.members.models_access import Invitation, JoinRequest
from clubs.personal_data import files, forgetting, own_journal
from clubs.personal_data.models import PrivacySettings
from clubs.personal_data.register import Fate, PersonalTable, Purpose, Someone, columns
from clubs.persons.models import LicenceFile, Person
from clubs.search import without_accents

HIDDEN_OF_A_FILE = ("file_name", "rows", "columns", "encoding", "created_by")
NO_CONTACT = {"email": "", "guardian_email": "", "guardian_name": ""}


def invitations_of(someone: Someone) -> Q:
    """Select the invitations of this person: those that name another member are not, in a family."""
    return Q(member__in=someone.members) | (Q(member=None) & someone.of_address())


def requests_of(someone: Someone) -> Q:
    """Select the requests of this person, as a guest or by an address.

    Not those under another name that wait, or whose address another member has too: of a family.
    """
    names = {*someone.names, someone.member.search_name}
    by_address = JoinRequest.objects.filter(someone.of_address(), guest=None)
    own = [
        request.pk
        for request in by_address
        if without_accents(str(request)) in names
        or (request.answered_at is not None and request.email.lower() not in someone.shared)
    ]
    return Q(guest__in=someone.members) | Q(pk__in=own)


def old_requests(chosen: PrivacySettings, at: datetime) -> int:
    """Delete requests that were answered long ago, or asked long ago and never answered."""
    before = at - chosen.span("requests_days")
    asked = JoinRequest.objects.filter(
        Q(answered_at__lt=before) | Q(answered_at__isnull=True, asked_at__lt=before),
        organisation=chosen.organisation,
    )
    return asked.delete()[0]


def old_invitations(chosen: PrivacySettings, at: datetime) -> int:
    before = at - chosen.span("requests_days")
    sent = Invitation.objects.filter(organisation=chosen.organisation, expires_at__lt=before)
    return sent.delete()[0]


def old_files(model: Any) -> Callable[[PrivacySettings, datetime], int]:
    def expire(chosen: PrivacySettings, at: datetime) -> int:
        """Empty the lines of old files; the heading and what was done with the file stay."""
        emptied = 0
        before = at - chosen.span("imports_days")
        old = model.objects.filter(organisation=chosen.organisation, created_at__lt=before)
        for file in old.order_by("pk").iterator():
            if len(file.rows) > 1:
                emptied += model.objects.filter(pk=file.pk).update(rows=file.rows[:1])
        return emptied

    return expire


def old_contacts(chosen: PrivacySettings, at: datetime) -> int:
    """Empty the addresses of those who left the club long ago, and who their parent is."""
    before, emptied = at - chosen.span("past_days"), 0
    gone = Member.objects.filter(organisation=chosen.organisation, left_at__lt=before)
    gone = gone.exclude(**NO_CONTACT).order_by("pk")
    gone.lock()  # before the first journal entry; who comes back meanwhile is not gone below
    for member in gone:
        emptied += Member.objects.filter(pk=member.pk).update(**NO_CONTACT)
        journal.note(member, "contact_expired", by=Actor.system(), at=at)
    return emptied


def old_sessions(at: datetime) -> int:
    """Delete sessions that ended."""
    return Session.objects.filter(expire_date__lt=at).delete()[0]


def old_devices(at: datetime) -> int:
    """Delete the devices, with their addresses, whose session is no more."""
    session = Session.objects.filter(session_key=OuterRef("session_key"))
    return UserSession.objects.exclude(Exists(session)).delete()[0]


def old_accounts(at: datetime) -> int:
    """Close accounts that no membership was left of for long.

    And those that no club had and that nobody opened for as long.
    """
    before = at - timedelta(days=settings.ACCOUNTS_KEPT_DAYS)
    gone = Member.objects.filter(user__isnull=False, left_at__lt=before)
    unused = User.objects.filter(memberships=None, visits=None, is_active=True)
    unused = unused.filter(Q(last_login=None) | Q(last_login__lt=before), joined_at__lt=before)
    closed, past = 0, Q(pk__in=gone.values("user"))
    for user in User.objects.filter(past | Q(pk__in=unused.values("pk"))).order_by("pk"):
        User.objects.lock(user.pk)  # somebody may come back with it at this moment
        recent = Member.objects.filter(user=user, left_at__gte=before).exists()
        if forgetting.is_last(user) and not recent:
            forgetting.close_account(user)
            closed += 1
    return closed


TABLES = {
    "account.EmailConfirmation": PersonalTable(
        title=_("Confirmations d’adresse"),
        purpose=Purpose.MEMBERS,
        fate=Fate.ERASED,
        of=("email_address__user",),
        shown=("created", "sent"),
        hidden=("key", "email_address"),
        of_account=True,
    ),
    "account.EmailAddress": PersonalTable(
        title=_("Adresses e-mail du compte"),
        purpose=Purpose.MEMBERS,
        fate=Fate.ERASED,
        of=("user",),
        shown=("email", "verified", "primary"),
        of_account=True,
    ),
    "mfa.Authenticator": PersonalTable(
        title=_("Moyens de connexion"),
        purpose=Purpose.SAFETY,
        fate=Fate.ERASED,
        of=("user",),
        shown=("type", "created_at", "last_used_at"),
        hidden=("data",),
        of_account=True,
    ),
    "sessions.Session": PersonalTable(
        title=_("Connexions ouvertes"),
        purpose=Purpose.SAFETY,
        fate=Fate.ERASED,
        find=forgetting.sessions_of,
        shown=("expire_date",),
        hidden=("session_data",),
        of_account=True,
        expire_once=old_sessions,
    ),
    "usersessions.UserSession": PersonalTable(
        title=_("Appareils connectés, avec leur adresse IP"),
        purpose=Purpose.SAFETY,
        fate=Fate.ERASED,
        of=("user",),
        shown=("created_at", "last_seen_at", "ip", "user_agent"),
        hidden=("session_key", "data"),
        of_account=True,
        expire_once=old_devices,
    ),
    "clubs.User_groups": PersonalTable(
        title=_("Accès techniques"),
        purpose=Purpose.SAFETY,
        fate=Fate.ERASED,
        of=("user",),
        shown=("group__name",),
        of_account=True,
    ),
    "clubs.User_user_permissions": PersonalTable(
        title=_("Accès techniques"),
        purpose=Purpose.SAFETY,
        fate=Fate.ERASED,
        of=("user",),
        shown=("permission__name",),
        of_account=True,
    ),
    "admin.LogEntry": PersonalTable(
        title=_("Actions dans l’accès technique"),
        purpose=Purpose.SAFETY,
        fate=Fate.RECORD,
        of=("user",),
        shown=("action_time",),
        hidden=("object_repr", "object_id", "change_message"),
    ),
    "clubs.User": PersonalTable(
        title=_("Compte"),
        purpose=Purpose.MEMBERS,
        fate=Fate.EMPTIED,
        of=("pk",),
        shown=columns("email joined_at last_login language theme second_factor_asked_at"),
        hidden=("password",),
        of_account=True,
        forget=forgetting.empty_account,
        expire_once=old_accounts,
    ),
    "clubs.Invitation": PersonalTable(
        title=_("Invitations"),
        purpose=Purpose.MEMBERS,
        fate=Fate.ERASED,
        find=invitations_of,
        shown=columns("email language created_at expires_at mailed_at opened_at revoked_at"),
        hidden=("member", "created_by", "token_hash"),
        days="requests_days",
        expire=old_invitations,
    ),
    "clubs.JoinRequest": PersonalTable(
        title=_("Demandes d’adhésion"),
        purpose=Purpose.MEMBERS,
        fate=Fate.ERASED,
        find=requests_of,
        shown=columns(
            "first_name last_name email is_minor is_child guardian_email language asked_at answered_at "
            "accepted"
        ),
        hidden=("guest", "answered_by"),
        days="requests_days",
        expire=old_requests,
    ),
    "clubs.MemberImport": PersonalTable(
        title=_("Lignes des fichiers de membres importés"),
        purpose=Purpose.MEMBERS,
        fate=Fate.EMPTIED,
        lines=partial(files.lines, MemberImport, columns=files.columns_chosen),
        forget=partial(files.forget_lines, MemberImport),
        hidden=(*HIDDEN_OF_A_FILE, "created_members"),
        days="imports_days",
        expire=old_files(MemberImport),
    ),
    "clubs.LicenceFile": PersonalTable(
        title=_("Lignes des fichiers de licences importés"),
        purpose=Purpose.PLAY,
        fate=Fate.EMPTIED,
        lines=partial(files.lines, LicenceFile, columns=files.columns_chosen),
        forget=partial(files.forget_lines, LicenceFile),
        hidden=HIDDEN_OF_A_FILE,
        days="imports_days",
        expire=old_files(LicenceFile),
    ),
    "clubs.PinTries": PersonalTable(
        title=_("Essais faux de votre code"),
        purpose=Purpose.SAFETY,
        fate=Fate.ERASED,
        of=("member",),
        shown=("day", "wrong_today", "locked_until"),
        hidden=("source",),
    ),
    "clubs.PushSubscription": PersonalTable(
        title=_("Appareils prévenus"),
        purpose=Purpose.NOTICES,
        fate=Fate.ERASED,
        of=("member",),
        shown=("created_at",),
        hidden=("endpoint", "p256dh", "auth"),
    ),
    "clubs.PushChoices": PersonalTable(
        title=_("Choix des notifications"),
        purpose=Purpose.NOTICES,
        fate=Fate.ERASED,
        of=("member",),
        shown=columns("table call confirm ruling evening by_mail quiet_from quiet_until"),
    ),
    "clubs.PushNotice": PersonalTable(
        title=_("Notifications, jusqu’à une semaine après leur fin"),
        purpose=Purpose.NOTICES,
        fate=Fate.ERASED,
        of=("member",),
        shown=("kind", "title", "body", "due_at", "sent_at"),
        hidden=("path", "translations"),
    ),
    "clubs.Alias": PersonalTable(
        title=_("Autres noms dans des fichiers"),
        purpose=Purpose.PLAY,
        fate=Fate.ERASED,
        of=("member",),
        shown=("name", "chosen_at"),
        hidden=("chosen_by",),
    ),
    "clubs.MemberLink": PersonalTable(
        title=_("Licences dans des fédérations"),
        purpose=Purpose.PLAY,
        fate=Fate.EMPTIED,
        of=("member",),
        shown=("federation__name", "licence", "linked_at"),
        hidden=("person", "linked_by"),
        empties={"licence": ""},
    ),
    "clubs.Person": PersonalTable(
        title=_("Licence et club d’origine"),
        purpose=Purpose.PLAY,
        fate=Fate.EMPTIED,
        of=("member",),
        shown=("licence", "country", "club", "birth_year", "status"),
        empties={
            "licence": "",
            "country": "",
            "club": "",
            "birth_year": None,
            "status": Person.Status.NONE.value,
        },
    ),
    "clubs.RoleGrant": PersonalTable(
        title=_("Rôles"),
        purpose=Purpose.SAFETY,
        fate=Fate.PSEUDONYM,
        of=("member",),
        shown=("role", "granted_at", "revoked_at"),
        hidden=("granted_by", "revoked_by"),
    ),
    "clubs.Sanction": PersonalTable(
        title=_("Sanctions"),
        purpose=Purpose.DECISIONS,
        fate=Fate.RECORD,
        of=("member",),
        shown=columns(
            "status grounds proposed_at decided_at reason suspended_evenings suspended_from "
            "suspended_until suspended_tonight unfounded_at cut_percent appeal_until appealed_at appeal_text appeal_answer "
            "lifted_at"
        ),
        hidden=("decided_by",),
        written=("reason", "appeal_text", "appeal_answer"),
        within="member__organisation",
    ),
    "clubs.JournalEntry": PersonalTable(
        title=_("Actions dans le journal, de vous ou à votre sujet"),
        purpose=Purpose.SAFETY,
        fate=Fate.RECORD,
        find=lambda someone: Q(member_id_of_actor__in=someone.members),
        lines=own_journal.lines,
        shown=("at", "verb", "role", "reason"),
        hidden=("actor", "member_id_of_actor", "before", "after", "subject"),
        # Values too: the entry of a tournament's ranking of before 1.1 holds the names of its day.
        written=("reason", "before", "after"),
        to_committee=_("Journal du club"),
    ),
    "clubs.Job": PersonalTable(
        title=_("Travaux longs demandés"),
        purpose=Purpose.SAFETY,
        fate=Fate.RECORD,
        of=("asked_by",),
        shown=("kind", "asked_at", "state"),
        hidden=("given", "result", "words", "language"),
    ),
    "clubs.RuleBook": PersonalTable(
        title=_("Auteur d’une version des règles"),
        purpose=Purpose.DECISIONS,
        fate=Fate.RECORD,
        hidden=("created_by", "adopted_by", "voted_by", "reason", "values"),
        written=("reason", "voted_by"),
    ),
    "clubs.Organisation": PersonalTable(
        title=_("Adresse de contact du club"),
        purpose=Purpose.MEMBERS,
        fate=Fate.EMPTIED,
        hidden=("contact_email", "name"),
        forget=forgetting.forget_contact,
    ),
    "clubs.PrivacySettings": PersonalTable(
        title=_("Responsable du traitement des données du club"),
        purpose=Purpose.MEMBERS,
        fate=Fate.RECORD,
        hidden=("controller", "controller_address", "contact_email", "protection_contact"),
    ),
    "clubs.Member": PersonalTable(
        title=_("Fiche de membre"),
        purpose=Purpose.MEMBERS,
        fate=Fate.PSEUDONYM,
        of=("pk",),
        shown=columns(
            "first_name last_name number email language visibility is_guest is_minor is_child "
            "guardian_email guardian_name guardian_agreed_on joined_on confirmed_at left_at created_at"
        ),
        hidden=(
            "user",
            "visitor",
            "merged_into",
            "search_name",
            "sort_name",
            "slug",
            "public_id",
            "pin_hash",
        ),
        forget=forgetting.pseudonymise,
        expire=old_contacts,
    ),
}
