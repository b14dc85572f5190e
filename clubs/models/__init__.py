"""People and decisions. It knows no game."""

from clubs.models.append_only import AppendOnly, AppendOnlyError
from clubs.models.job import Job
from clubs.models.journal import JournalEntry, JournalHead
from clubs.models.member import Invitation, JoinRequest, Member, MemberImport, RoleGrant
from clubs.models.organisation import Organisation, Season
from clubs.models.pin import PinTries
from clubs.models.rulebook import RuleBook
from clubs.models.sanction import Sanction
from clubs.models.upkeep import JournalCheck, SweepRun
from clubs.models.user import User

__all__ = [
    "AppendOnly",
    "AppendOnlyError",
    "Invitation",
    "Job",
    "JoinRequest",
    "JournalCheck",
    "JournalEntry",
    "JournalHead",
    "Member",
    "MemberImport",
    "Organisation",
    "PinTries",
    "RoleGrant",
    "RuleBook",
    "Sanction",
    "Season",
    "SweepRun",
    "User",
]
