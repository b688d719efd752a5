"""A thread for each conversation, where whoever runs a place wants it: opened on the message that begins it, called after that.

A name is a text that leaves like any other: it is judged at the exit, holds nobody's words but those of whoever asked, and is given
up with them. Where no thread can be opened, that is said once, and the answer stands in the channel.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace

from adapters.base import Adapter
from adapters.errors import PlatformFailure
from adapters.events import Message, Place, Reach
from bot.conversation.heard import Heard
from bot.conversation.preferences import Preferences
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS
from bot.service.log import log
from localization.languages import reading
from localization.sentences import _, lazy
from memory.text.told.confidence import discreet

_TOLD = "threadless"
_SPOILER = re.compile(r"\|\|.+?\|\|", re.DOTALL)
_MOST = 60
"""Characters of a thread's name, which Discord cuts in its list at about so many."""
_NOT_ALLOWED = lazy(
    "I cannot open a thread here, so I answer in the channel. Whoever runs this server can let me: with the permissions Create Public "
    "Threads and Send Messages in Threads, or by closing old threads where there are too many."
)


def begun(preferences: Preferences, adapter: Adapter, message: Message) -> Message:
    """Return a message of a server in the thread that it is to begin, where that is wanted; off the record none is begun."""
    place = message.place
    wanted = message.addressed and not message.off_record and place.reach is not Reach.ROOM and bool(place.server)
    if not (wanted and adapter.opens_threads) or place.thread or preferences.threads(place) != "on":
        return message
    return replace(message, place=replace(place, thread=message.id))


class Threads:
    """Opens the threads that messages begin."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def opened(self, heard: Sequence[Heard], adapter: Adapter) -> Sequence[Heard]:
        """Return messages in the thread that the first of them begins, opened now; in its channel where that cannot be."""
        first, *others = heard
        message = first.message
        place = message.place
        if not adapter.opens_threads or place.reach is Reach.ROOM or place.thread != message.id:
            return heard
        channel = replace(place, thread="")
        try:
            there = await adapter.open_thread(place, await self._name(message))
        except PlatformFailure as failure:
            log.info("thread.later", why=str(failure))
            return [replace(first, message=replace(message, place=channel)), *others]
        if there is None:
            there = channel
            await self._say_why(there, message)
        else:
            view, session = await self._services.domains.here(there, message.person)
            await view.posts.named_thread(session, message.id, next(self._services.outgoing.composer.keys()))
        return [replace(first, message=replace(message, place=there)), *others]

    async def _name(self, message: Message) -> str:
        """Return what a thread is called that a message begins: the beginning of it."""
        # A name would tell what is told in confidence to those from whom it is to be kept, in lists too.
        if await asyncio.to_thread(discreet, message.text):
            return _("Conversation")
        # A name has no marks of its own: what a spoiler hides would stand there for everyone to see.
        text = _SPOILER.sub("…", message.text)
        line = " ".join((text.strip().splitlines() or [""])[0].split())
        shown = await self._services.outgoing.composer.shown(message.place.platform, line[: 2 * _MOST], NO_LINKS)
        short = " ".join(shown.replace("`", "").split())
        if len(short) > _MOST:
            short = f"{short[:_MOST].rpartition(' ')[0] or short[:_MOST]}…"
        return short or _("Conversation")

    async def _say_why(self, place: Place, message: Message) -> None:
        view, session = await self._services.domains.here(place, message.person)
        with reading(await self._services.languages.to(place, message.person)):
            parts = await self._services.outgoing.composer.parts(place.platform, str(_NOT_ALLOWED), links=NO_LINKS)
        if await view.notices.once(f"place:{place.platform}:{place.key}", _TOLD, session, parts):
            await self._services.outgoing.flush(place.platform, place.key, parts)
