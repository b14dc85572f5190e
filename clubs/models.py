"""The tables of the app, gathered from its packages for Django."""

from clubs.accounts.models import User
from clubs.journal.append_only import AppendOnly, AppendOnlyError
from clubs.journal.models import JournalEntry, JournalHead
from clubs.members.models import Member, MemberImport, RoleGrant
from clubs.members.models_access import Invitation, JoinRequest, PinTries
from clubs.notifications.models import PushChoices, PushNotice, PushSubscription, UnsentMail
from clubs.organisations.models import Organisation, Season
from clubs.personal_data.models import PrivacySettings
from clubs.persons.models import Alias, LicenceFile, MemberLink, Person
from clubs.rulebooks.models import RuleBook
from clubs.sanctions.models import Sanction
from clubs.upkeep.models import JournalCheck, SweepRun
from clubs.upkeep.models_jobs import Job
