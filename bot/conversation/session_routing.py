"""Which conversation a message belongs to: its place, a thread begun on it, or one begun on the person's message before it.

Somebody who says two things before the thread of the first is visible means one conversation.
"""

from collections.abc import Sequence
from dataclasses import replace

from adapters.base import Adapter
from adapters.errors import PlaceGone
from adapters.events import MenuCall, Message, Place, Reach, split_key
from bot.conversation.inbox_events import untried
from bot.conversation.services import Services


class SessionRouting:
    """Assigns the messages of one platform to conversations."""

    def __init__(self, services: Services, adapter: Adapter) -> None:
        self._services = services
        self._adapter = adapter

    async def placed(self, message: Message, ahead: Sequence[Message | MenuCall], *, command: bool) -> Message:
        """Return a message with the conversation that answers it; `ahead` was heard before and is not committed yet."""
        if message.place.reach is Reach.ROOM:
            return await self._in_room(message, ahead, command=command)
        # A command concerns the place it was given at; off the record no thread is begun.
        if command or message.off_record or not message.addressed or not self._begins(message.place):
            return message
        thread = await self._under_way(message, ahead)
        return replace(message, place=replace(message.place, thread=thread or message.id), beside=bool(thread))

    async def kept_at(self, place: Place, ids: Sequence[str]) -> Sequence[Place]:
        """Return where messages of a place may be stored: there, in threads begun on them, and in other threads beside it."""
        threads = [place.thread]
        if place.reach is Reach.ROOM:
            # `replies` moves messages of a room into threads of their own, or out of one.
            threads += ["", *ids, *await self._beside(place, ids)]
        elif place.reach is Reach.DIRECT:
            threads += await self._beside(place, ids)
        elif place.server and not place.thread and self._services.preferences.threads(place):
            begun_here = [replace(place, thread=one) for one in ids]
            follows = self._services.memory.kept.follows
            threads += [one.thread for one in begun_here if await follows(place.platform, one.key, one.thread)]
            threads += await self._beside(place, ids)
        return [replace(place, thread=thread) for thread in dict.fromkeys(threads)]

    def _begins(self, place: Place) -> bool:
        opens = self._adapter.opens_threads and bool(place.server) and not place.thread
        return opens and self._services.preferences.threads(place) == "on"

    async def _in_room(self, message: Message, ahead: Sequence[Message | MenuCall], *, command: bool) -> Message:
        replies = await self._services.preferences.value(message.place, "replies")
        if replies == "thread" and not message.place.thread and not command:
            thread = await self._under_way(message, ahead)
            moved = await self._moved_to(message.place, thread or message.id)
            return replace(message, place=moved, beside=bool(thread))
        if replies == "timeline" and message.place.thread:
            return replace(message, place=await self._moved_to(message.place, ""))
        return message

    async def _under_way(self, message: Message, ahead: Sequence[Message | MenuCall]) -> str:
        """Return the thread its person began at a place that was not visible yet when this was said, '' for none."""
        place, thread = message.place, ""
        if message.off_record:
            return ""
        waiting = await untried(self._services.memory.journal, place.platform, place.key)
        for earlier in (*waiting, *(earlier for earlier in ahead if isinstance(earlier, Message))):
            begins = earlier.place.thread == earlier.id and replace(earlier.place, thread="").key == place.key
            if begins and earlier.person.id == message.person.id and not earlier.off_record and earlier.id != message.id:
                thread = earlier.id
        opened = self._adapter.thread_opened_at(replace(place, thread=thread)) if thread else 0
        return thread if not opened or message.said_at < opened else ""

    async def _beside(self, place: Place, ids: Sequence[str]) -> list[str]:
        found = await self._services.memory.shown.kept_around(place.platform, place.key, ids)
        return [split_key(one)[2] for one in found]

    async def _moved_to(self, place: Place, thread: str) -> Place:
        """Return another thread of a room, with its name and the readers of the room when something was said."""
        moved = replace(place, thread=thread)
        try:
            current = await self._adapter.locate(moved)
        except PlaceGone:
            return moved
        return replace(moved, name=current.name) if current else moved
