"""What every group of commands has: the house, and the way from a call to its memory."""

from adapters.base import Adapter
from adapters.table import Call, Reply
from bot.house import House
from bot.verbs.pages import Pages
from memory.types import Identity, Session
from memory.view import View


class Group:
    """A group of commands."""

    def __init__(self, house: House, adapters: dict[str, Adapter], pages: Pages) -> None:
        self._h = house
        self._adapters = adapters
        self._pages = pages

    async def _here(self, call: Call) -> tuple[View, Session]:
        """Return memory as the readers of the place may know it, and its session."""
        view = await self._view(call)
        return view, await self._h.domains.session(view, call.place)

    async def _view(self, call: Call) -> View:
        return await self._h.domains.view(call.place, call.person, self._adapters[call.place.platform])

    @staticmethod
    def _shared(call: Call) -> bool:
        return not call.place.is_private

    def _only(self, call: Call) -> Identity | None:
        """Return whose words alone a person may have forgotten here; None where it is everybody's."""
        return Identity(call.person.platform, call.person.id) if self._shared(call) and not call.admin else None


def plain(text: str) -> Reply:
    """Return a text as an answer."""
    return Reply(text)
