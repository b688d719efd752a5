"""What turns and commands work with."""

from dataclasses import dataclass

from bot.config import Settings
from bot.connect import Connector
from bot.domains import Domains
from bot.dream import Dreams
from bot.embedders import Meaning
from bot.floor import Floor
from bot.keeping import Keeping
from bot.models import Models
from bot.outgoing import Outgoing
from bot.preferences import Preferences
from bot.scheduler import Keeper
from bot.vanishing import Vanishing
from bot.verifying import Verifying
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
