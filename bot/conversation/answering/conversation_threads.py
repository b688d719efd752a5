"""One thread per conversation, where the admins want it: opened on the message that begins it, and named after that message.

A name leaves through the exit gate like any text, contains only the asker's words, and is removed with them. If no thread
can be opened, that is said once, and the answer goes to the channel.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from adapters.base import Adapter
from adapters.errors import PlaceGone, PlatformFailure
from adapters.events import Message, Place, Reach
from bot.admission.allowance import Allowance
from bot.conversation.inbox_events import HeardMessage
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


class ConversationThreads:
    """Opens threads on messages."""

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
        shown = await self._services.outgoing.composer.shown(message.place.platform, line[: 2 * _MOST], NO_LINKS)
        short = " ".join(shown.replace("`", "").split())
        if len(short) > _MOST:
            short = f"{short[:_MOST].rpartition(' ')[0] or short[:_MOST]}…"
        return short or _("Conversation")

    async def _say_why(self, place: Place, message: Message) -> None:
        view, session = await self._services.domains.view_and_session(place, message.person)
        with reading(await self._services.languages.to(place, message.person)):
            once = partial(view.notices.once, f"place:{place.platform}:{place.key}", _TOLD, session)
            await self._services.outgoing.say(place, str(_NOT_ALLOWED), once)
