"""What keeps memory true to the platforms, as one part."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from adapters.base import Adapter
from bot.conversation.intake import Intake
from bot.conversation.services import Services
from bot.reconciliation.comparing import Comparing
from bot.reconciliation.keeping import Keeping
from bot.reconciliation.vanished import Register
from bot.reconciliation.vanishing import Vanishing
from bot.reconciliation.verifying import Verifying
from bot.service.priority import Priority


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Looks up what is about to be used, compares histories, and follows what disappears and what is to be kept."""

    verifying: Verifying
    comparing: Comparing
    vanishing: Vanishing
    keeping: Keeping

    @classmethod
    async def open(cls, services: Services, intake: Intake, adapters: Mapping[str, Adapter], priority: Priority) -> Self:
        """Wire the parts, and load what was in doubt and what had disappeared when Lyra ended."""
        memory = services.memory
        verifying = Verifying(memory, intake, adapters)
        register = Register(memory, verifying, adapters)
        keeping = Keeping(memory, register, services.domains, services.preferences, services.outgoing, adapters)
        vanishing = Vanishing(memory, register, keeping, verifying, adapters)
        comparing = Comparing(memory, verifying, vanishing.vanish, adapters, priority, services.clock)
        await verifying.open()
        await register.open()
        return cls(verifying, comparing, vanishing, keeping)
