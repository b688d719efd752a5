"""Interactive questions to a person; they leave through the exit gate like everything else."""

from adapters.command_table import Surface
from bot.delivery.addresses import addresses
from bot.delivery.links import configured
from bot.delivery.outgoing import Outgoing


class Gated:
    """A surface of a platform; `written` is what the person wrote, `owner` whether they are the operator."""

    def __init__(self, surface: Surface, outgoing: Outgoing, platform: str, written: str, *, owner: bool) -> None:
        self._surface = surface
        self._outgoing = outgoing
        self._platform = platform
        self._written = written
        self._owner = owner

    async def confirm(self, question: str) -> bool:
        """Ask the person; return whether the answer was yes."""
        links = addresses(self._written) | configured(question, owner=self._owner)
        return await self._surface.confirm(await self._outgoing.composer.shown(self._platform, question, links))

    def enter(self, thread: str, name: str) -> bool:
        """Switch to another conversation of this person; False if the place has only one."""
        return self._surface.enter(thread, name)
