"""The bank of a shared home."""

from memory.bank import block
from memory.bank.block import Block
from memory.places import consent
from memory.places.consent import Consent
from memory.tiers import statements
from memory.types import Identity
from memory.view.binding import Binding


class SharedBank:
    """The bank of one home, and who keeps out of it."""

    def __init__(self, binding: Binding) -> None:
        self._b = binding

    async def state(self) -> Consent:
        """Return since when the bank is on at home (None: it is off), and which members keep out of it."""
        return await consent.consent(self._b.shared.places, self._b.home)

    async def shown(self, max_tokens: int) -> Block:
        """Return the bank at home as it is shown in at most so many tokens, with the bullets that it shows."""
        if not await consent.is_on(self._b.shared.places, self._b.home):
            return Block()
        standing = await statements.standing(self._b.db, self._b.home, consent.TIER, shown_only=True)
        return block.render(block.entries(standing), max_tokens)

    async def text(self, max_tokens: int) -> str:
        """Return the text of the bank at home, '' where it is off or empty."""
        return (await self.shown(max_tokens)).text

    async def turn_on(self) -> bool:
        """Turn the bank at home on from now on; return whether it was off. Raises NotShared."""
        return await consent.turn_on(self._b.shared.places, self._b.home, self._b.shared.clock.now())

    async def turn_off(self) -> bool:
        """Turn the bank at home off and empty it; return whether it was on."""
        return await consent.turn_off(self._b.shared.places, self._b.home, self._b.shared.clock.now())

    async def leave(self, member: Identity) -> int:
        """Keep what a member said and says out of the bank at home; return how many bullets went. Raises NotShared."""
        return await consent.withdraw(self._b.shared.places, self._b.home, member, self._b.shared.clock.now())

    async def join(self, member: Identity) -> None:
        """Let what a member said and says enter the bank at home again. Raises NotShared."""
        await consent.rejoin(self._b.shared.places, self._b.home, member)
