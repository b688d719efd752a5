"""Threads of conversations: which one a message belongs to, and how one is opened.

Where the admins want it, each conversation gets a thread, opened on the message that begins it and named after that message. A
name leaves through the exit gate like any text, contains only the asker's words, and is removed with them.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from adapters.base import Adapter
from adapters.errors import PlaceGone, PlatformFailure
from adapters.events import MenuCall, Message, Place, Reach, split_key
from bot.admission.allowance import Allowance
from bot.conversation.inbox_events import HeardMessage, untried
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS
from bot.service.log import log
from localization.current_language import reading
from localization.sentences import _, lazy
from memory.text.told.discretion import discreet

_TOLD = "threadless"
_SPOILER = re.compile(r"\|\|.+?\|\|", re.DOTALL)
_MOST = 60
"""The maximum length of a thread's name, about what Discord's list shows."""
_NOT_ALLOWED = lazy(
    "I cannot open a thread here, so I answer in the channel. Whoever runs this server can let me: with the permissions Create Public "
    "Threads and Send Messages in Threads, or by closing old threads where there are too many."
)


class SessionRouting:
    """Assigns the messages of one platform to conversations: their place, a thread begun on them, or one begun just before.

    Somebody who says two things before the thread of the first is visible means one conversation.
    """

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


class ConversationThreads:
    """Opens threads on messages. If one cannot be opened, that is said once, and the answer goes to the channel."""

    def __init__(self, services: Services, allowance: Allowance) -> None:
        self._services = services
        self._allowance = allowance

    async def opened(self, heard: Sequence[HeardMessage], adapter: Adapter) -> Sequence[HeardMessage]:
        """Return the messages moved into the thread that the first of them begins, opened now; into its channel if that fails.

        Messages said beside a thread are answered in it too, unless it could not be opened.
        """
        first = heard[0].message
        place = first.place
        if not adapter.opens_threads or place.reach is Reach.ROOM or not (place.thread == first.id or first.beside):
            return heard
        there = await (self._known(place, adapter) if first.beside else self._begun(first, adapter))
        return [replace(one, message=replace(one.message, place=there)) for one in heard]

    async def _begun(self, message: Message, adapter: Adapter) -> Place:
        place = message.place
        channel = replace(place, thread="")
        chosen = await self._services.preferences.read(message.person, place)
        if await self._allowance.is_over(message.person, place, message.said_at, chosen):
            return channel
        try:
            there = await adapter.open_thread(place, await self._name(message))
        except PlatformFailure as failure:
            log.info("thread.later", why=str(failure))
            return channel
        if there is None:
            await self._say_why(channel, message)
            return channel
        view, session = await self._services.domains.view_and_session(there, message.person)
        await view.posts.named_thread(session, message.id, next(self._services.outgoing.composer.keys()))
        return there

    async def _known(self, place: Place, adapter: Adapter) -> Place:
        """Return the place of a thread that an earlier message began, or else its channel."""
        try:
            return await adapter.locate(place) or place
        except PlaceGone:
            return replace(place, thread="")

    async def _name(self, message: Message) -> str:
        """Return the name of a thread: the beginning of its first message."""
        # A name would reveal a confidence, in lists too, to those it is kept from.
        if await asyncio.to_thread(discreet, message.text):
            return _("Conversation")
        # Names have no markup: what a spoiler hides would be visible to everyone.
        text = _SPOILER.sub("…", message.text)
        line = " ".join((text.strip().splitlines() or [""])[0].split())
        shown = await self._services.outgoing.composer.displayable(message.place.platform, line[: 2 * _MOST], NO_LINKS)
        short = " ".join(shown.replace("`", "").split())
        if len(short) > _MOST:
            short = f"{short[:_MOST].rpartition(' ')[0] or short[:_MOST]}…"
        return short or _("Conversation")

    async def _say_why(self, place: Place, message: Message) -> None:
        view, session = await self._services.domains.view_and_session(place, message.person)
        with reading(await self._services.languages.to(place, message.person)):
            once = partial(view.notices.once, f"place:{place.platform}:{place.key}", _TOLD, session)
            await self._services.outgoing.say(place, str(_NOT_ALLOWED), once)
