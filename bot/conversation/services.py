"""Dependencies shared by turns, commands and listeners."""

from dataclasses import dataclass

from bot.config.settings import Settings
from bot.conversation.answer_language import AnswerLanguage
from bot.conversation.domain_access import DomainAccess
from bot.conversation.preferences import Preferences
from bot.delivery.outgoing import Outgoing
from bot.models.chains import Models
from bot.rights.off_record import OffRecord
from bot.service.maintenance import Maintenance
from memory.core import Memory
from memory.ports import Clock


@dataclass(frozen=True, slots=True)
class Services:
    """The opened parts of Lyra that most of the conversation code needs; what only one part needs is passed to it directly."""

    memory: Memory
    domains: DomainAccess
    preferences: Preferences
    models: Models
    maintenance: Maintenance
    outgoing: Outgoing
    settings: Settings
    clock: Clock
    off_record: OffRecord
    languages: AnswerLanguage
