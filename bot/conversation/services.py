"""What turns and commands work with."""

from dataclasses import dataclass

from bot.config.settings import Settings
from bot.conversation.domains import Domains
from bot.conversation.preferences import Preferences
from bot.delivery.outgoing import Outgoing
from bot.dreams.dreaming import Dreams
from bot.models.chains import Models
from bot.models.connect import Connector
from bot.models.embedders import EmbedderChoice
from bot.reconciliation.keeping import Keeping
from bot.reconciliation.vanishing import Vanishing
from bot.reconciliation.verifying import Verifying
from bot.service.maintenance import Maintenance
from bot.service.priority import Priority
from memory.core import Memory
from memory.ports import Clock


@dataclass(frozen=True, slots=True)
class Services:
    """The open parts of Lyra, wired by bot/app.py."""

    memory: Memory
    domains: Domains
    preferences: Preferences
    models: Models
    maintenance: Maintenance
    outgoing: Outgoing
    connector: Connector
    settings: Settings
    clock: Clock
    persona: str
    meaning: EmbedderChoice
    priority: Priority
    dreams: Dreams
    verifying: Verifying
    vanishing: Vanishing
    keeping: Keeping
