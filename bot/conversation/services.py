"""What turns and commands work with."""

from dataclasses import dataclass

from bot.config.settings import Settings
from bot.conversation.domains import Domains
from bot.conversation.preferences import Preferences
from bot.delivery.outgoing import Outgoing
from bot.dreams.dreaming import Dreams
from bot.models.chains import Models
from bot.models.connect import Connector
from bot.models.embedders import Meaning
from bot.reconciliation.keeping import Keeping
from bot.reconciliation.vanishing import Vanishing
from bot.reconciliation.verifying import Verifying
from bot.service.maintenance import Keeper
from bot.service.priority import Floor
from memory.core import Memory
from memory.ports import Clock


@dataclass(frozen=True, slots=True)
class House:
    """The open parts of Lyra, wired by bot/app.py."""

    memory: Memory
    domains: Domains
    preferences: Preferences
    models: Models
    keeper: Keeper
    outgoing: Outgoing
    connector: Connector
    settings: Settings
    clock: Clock
    persona: str
    meaning: Meaning
    floor: Floor
    dreams: Dreams
    verifying: Verifying
    vanishing: Vanishing
    keeping: Keeping
