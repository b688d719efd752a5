"""The exit to Discord: each part once, to a channel or as the answer to a call."""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from typing import Any

import discord
from discord.http import MultipartParameters
from discord.webhook.async_ import async_context

from adapters.base import Sending
from adapters.discord import failures
from adapters.discord.access import readers
from adapters.discord.failures import TROUBLE, passing_over
from adapters.discord.interactions.buttons import view
from adapters.discord.interactions.call_parsing import CallAddress, read_address
from adapters.discord.limits import Limits
from adapters.discord.outgoing.posts import Posts, attached, embeds, with_mark
from adapters.errors import SendFailed
from adapters.events import split_key
from adapters.posting import REPEAT, put
from adapters.task_groups import accompanied
from localization.sentences import _, lazy

_SAY = 4
_NO_EMBEDS, _EPHEMERAL = 1 << 2, 1 << 6
AWAY = lazy("Discord is not connected now; what waits is sent as soon as it is.")
_Key = tuple[str, str]
_LASTS = 8.0
"""Discord shows typing for ten seconds."""


class CallExpired(Exception):
    """A call's token has expired, or its deferred response is gone."""


class CallFull(Exception):
    """A call has had all the follow-ups that it may have, and the rest may be posted at the part's place."""


class CallAnswers:
    """Answers to calls. Raises what discord.py and its connection raise, CallExpired and CallFull."""

    def __init__(self, client: discord.Client, now: Callable[[], int]) -> None:
        self._client = client
        self._now = now

    async def send(self, address: CallAddress, sending: Sending) -> str:
        """Fill the deferred response, or follow it up with a further part; edit or delete one. Return its id."""
        if address.late(self._now()):
            raise CallExpired
        try:
            return await self._done(address, sending)
        except discord.HTTPException as error:
            if error.code in failures.TOKEN_OVER or error.code == failures.UNKNOWN_MESSAGE:
                raise CallExpired from None
            # Only the caller's own DM is as private as the call.
            if error.code == failures.FOLLOWED_UP and not (address.private and split_key(sending.place)[0]):
                raise CallFull from None
            raise

    async def _done(self, address: CallAddress, sending: Sending) -> str:
        if sending.operation == "delete":
            return await self._remove(address, sending)
        if sending.target:
            return await self._change(address, sending)
        return await (self._first(address, sending) if sending.first else self._follow(address, sending))

    async def _first(self, address: CallAddress, sending: Sending) -> str:
        with passing_over(failures.UNKNOWN_MESSAGE, failures.UNKNOWN_WEBHOOK):
            return await self._fill(address, sending)
        # The call was not acknowledged: that is on its way, or Lyra was interrupted before it. Discord waits three seconds.
        with passing_over(failures.ACKNOWLEDGED):
            return await self._say(address, sending)
        return await self._fill(address, sending)

    async def _fill(self, address: CallAddress, sending: Sending) -> str:
        hook, way = async_context.get(), self._way(address)
        told = await hook.edit_original_interaction_response(
            address.application, address.token, **_content(_body(sending), sending)._asdict(), **way
        )
        return str(told["id"])

    async def _say(self, address: CallAddress, sending: Sending) -> str:
        hook, way = async_context.get(), self._way(address)
        body = _body(sending, _EPHEMERAL if address.private else 0)
        params = _content({"type": _SAY, "data": body}, sending)
        told = await hook.create_interaction_response(address.interaction, address.token, params=params, **way)
        return str(told["interaction"]["response_message_id"])

    async def _follow(self, address: CallAddress, sending: Sending) -> str:
        hook, way = async_context.get(), self._way(address)
        body = _body(sending, _EPHEMERAL if address.private else 0)
        told: Mapping[str, Any] | None = await hook.execute_webhook(
            address.application, address.token, wait=True, **_content(body, sending)._asdict(), **way
        )
        return str(told["id"]) if told else ""

    async def _change(self, address: CallAddress, sending: Sending) -> str:
        hook, way = async_context.get(), self._way(address)
        await hook.edit_webhook_message(address.application, address.token, int(sending.target), payload=_body(sending), **way)
        return sending.target

    async def _remove(self, address: CallAddress, sending: Sending) -> str:
        hook, way = async_context.get(), self._way(address)
        with passing_over(failures.UNKNOWN_MESSAGE):
            if sending.target:
                await hook.delete_webhook_message(address.application, address.token, int(sending.target), **way)
            else:
                await hook.delete_original_interaction_response(address.application, address.token, **way)
        return sending.target

    def _way(self, address: CallAddress) -> dict[str, Any]:
        http = self._client.http
        webhook = discord.Webhook.partial(address.application, address.token, client=self._client)
        return {"session": webhook.session, "proxy": http.proxy, "proxy_auth": http.proxy_auth}


def _body(sending: Sending, flags: int = 0) -> dict[str, Any]:
    buttons = view(sending.actions)
    return {
        "content": sending.text,
        "allowed_mentions": {"parse": []},
        "components": buttons.to_components() if buttons else [],
        "flags": flags if sending.cards else _NO_EMBEDS | flags,
        "embeds": [one.to_dict() for one in embeds(sending.cards)],
    }


def _content(body: dict[str, Any], sending: Sending) -> MultipartParameters:
    if not sending.files:
        return MultipartParameters(payload=body, multipart=None, files=None)
    files = attached(sending)
    parts: list[dict[str, Any]] = [{"name": "payload_json", "value": json.dumps(body)}]
    parts += [{"name": f"files[{at}]", "value": one.fp, "filename": one.filename} for at, one in enumerate(files)]
    return MultipartParameters(payload=None, multipart=parts, files=files)


class Sender:
    """Sends parts. `require` raises SendFailed while sending is forbidden; `seconds` is the longest a caller waits.

    `posts` posts in channels. A request that takes longer is not cancelled: inside discord.py that can block every later
    one for good, and it may still arrive. The next attempt under the same key waits for it instead of sending a second
    time.
    """

    def __init__(
        self, client: discord.Client, require: Callable[[], None], now: Callable[[], int], posts: Posts, *, seconds: float = 60.0
    ) -> None:
        self._client = client
        self._require = require
        self._seconds = seconds
        self._posts = posts
        self._answers = CallAnswers(client, now)
        self._under_way: dict[_Key, asyncio.Task[str]] = {}

    async def send(self, sending: Sending) -> str:
        """Send a part and return Discord's id of it. Raises SendFailed."""
        self._require()
        if self._client.user is None or self._client.is_closed():
            raise SendFailed(AWAY)
        key = (sending.key, sending.operation)
        task = self._under_way.get(key)
        if task is None:
            task = self._under_way[key] = asyncio.create_task(self._sent(sending))
            task.add_done_callback(lambda done: self._end(key, done))
        await asyncio.wait({task}, timeout=self._seconds)
        if not task.done():
            raise SendFailed("Discord has not answered in time; what waits is sent as soon as it can be.")
        return task.result()

    def _end(self, key: _Key, task: asyncio.Task[str]) -> None:
        del self._under_way[key]
        if not task.cancelled():
            task.exception()  # Retrieved, even if nobody waits for it any more.

    async def _sent(self, sending: Sending) -> str:
        # The library's error is not chained: it can hold the URL with its token.
        try:
            return await self._route(sending)
        except TROUBLE as error:
            raise failures.failure(error) from None
        except RuntimeError:
            if not self._client.is_closed():
                raise
            raise SendFailed(AWAY) from None

    async def _route(self, sending: Sending) -> str:
        address = read_address(sending.answers)
        if address is None:
            return await put(self._posts, sending)
        try:
            return await self._answers.send(address, sending)
        except CallFull:
            pass
        except CallExpired:
            # Only the caller's own DM is as private as the call.
            if address.private and split_key(sending.place)[0]:
                if sending.first and sending.operation == "send" and address.caller:
                    await self._tell_late(address.caller, sending)
                raise SendFailed("The private answer came too late for Discord; ask again.", final=True) from None
            if address.private and sending.unsure and sending.operation == "send":
                # No history shows what the caller alone may have read.
                sending = replace(sending, text=with_mark(str(REPEAT), sending.text))
        # The deferred response that the answer may have filled is older than the part.
        return await put(self._posts, replace(sending, answers="", since=min(sending.since, address.heard_at)))

    async def _tell_late(self, caller: int, sending: Sending) -> None:
        """Tell a caller in their DM that an answer was late, without its words: nothing would take these back there."""
        _server, channel, thread = split_key(sending.place)
        told = _(
            "My answer in {channel} that only you could see may have come too late: Discord shows one for fifteen minutes. If you do "
            "not see it there, use the command again.",
            channel=f"<#{thread or channel}>",
        )
        # Who lets Lyra write no DM cannot be told.
        with suppress(discord.Forbidden):
            dm = await self._client.create_dm(discord.Object(caller))
            bare = replace(sending, place=readers.direct(str(dm.id)).key, answers="", text=told, files=(), cards=(), actions=())
            await self._posts.send(bare)


def thinking(client: discord.Client, limits: Limits, channel: int) -> AbstractAsyncContextManager[None]:
    """Show typing in a channel for the block. Failures end it, and disturb nobody."""

    async def is_typing() -> bool:
        # A closed client raises RuntimeError.
        with suppress(*TROUBLE, SendFailed, RuntimeError):
            limits.require()
            await client.get_partial_messageable(channel).typing()
            return True
        return False

    # Nothing of it is cancelled: a request that is can block all others.
    return accompanied(is_typing, _LASTS)
