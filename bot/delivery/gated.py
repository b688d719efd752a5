"""Questions to a person who waits for an answer: they leave through the exit as everything does."""

from adapters.command_table import Surface
from bot.delivery.addresses import addresses
from bot.delivery.links import configured
from bot.delivery.outgoing import Outgoing


class Gated:
    """A surface of a platform; `written` is what the person wrote, `owner` says that they run her."""

    def __init__(self, surface: Surface, outgoing: Outgoing, platform: str, written: str, *, owner: bool) -> None:
        self._surface = surface
        self._outgoing = outgoing
        self._platform = platform
        self._written = written
        self._owner = owner

    async def confirm(self, question: str) -> bool:
        """Ask the person, and return whether the answer was yes."""
        links = addresses(self._written) | configured(question, owner=self._owner)
        return await self._surface.confirm(await self._outgoing.composer.shown(self._platform, question, links))

    def enter(self, thread: str, name: str) -> bool:
        """Go on in another conversation of this person; False where a place has one at a time."""
        return self._surface.enter(thread, name)
