"""Answers to calls: they go out under the call's own token, and not through a channel.

They take discord.py's way for webhooks: its other one writes addresses, and with them tokens, into the log.
"""

from collections.abc import Callable, Mapping
from typing import Any

import discord
from discord.webhook.async_ import AsyncWebhookAdapter, async_context, interaction_response_params

from adapters.base import Sending
from adapters.discord.failures import ACKNOWLEDGED, TOKEN_OVER, UNKNOWN_MESSAGE, UNKNOWN_WEBHOOK
from adapters.discord.interactions.address import Address
from adapters.discord.interactions.buttons import view

_SAY = 4
_NO_EMBEDS, _EPHEMERAL = 1 << 2, 1 << 6
_UNANSWERED = frozenset({UNKNOWN_MESSAGE, UNKNOWN_WEBHOOK})


class TooLate(Exception):
    """The token of a call does not work any more, or what it promised is gone."""


class Answers:
    """What is said to calls. Raises what discord.py and its connection raise, and TooLate."""

    def __init__(self, client: discord.Client, now: Callable[[], int]) -> None:
        self._client = client
        self._now = now

    async def send(self, address: Address, sending: Sending) -> str:
        """Fill the promised answer, or follow it up with a further part; change or remove one. Return its id."""
        if address.late(self._now()):
            raise TooLate
        try:
            return await self._done(address, sending)
        except discord.HTTPException as error:
            if error.code in TOKEN_OVER or error.code == UNKNOWN_MESSAGE:
                raise TooLate from None
            raise

    async def _done(self, address: Address, sending: Sending) -> str:
        if sending.operation == "delete":
            return await self._remove(address, sending)
        if sending.target:
            return await self._change(address, sending)
        return await (self._first(address, sending) if sending.first else self._follow(address, sending))

    async def _first(self, address: Address, sending: Sending) -> str:
        try:
            return await self._fill(address, sending)
        except discord.NotFound as error:
            if error.code not in _UNANSWERED:
                raise
        # Nothing was promised yet: that is on its way, or Lyra was cut off before it. Discord waits three seconds for it.
        try:
            return await self._say(address, sending)
        except discord.HTTPException as error:
            if error.code != ACKNOWLEDGED:
                raise
        return await self._fill(address, sending)

    async def _fill(self, address: Address, sending: Sending) -> str:
        hook, way = self._hook(), self._way(address)
        told = await hook.edit_original_interaction_response(address.application, address.token, payload=_body(sending), **way)
        return str(told["id"])

    async def _say(self, address: Address, sending: Sending) -> str:
        hook, way = self._hook(), self._way(address)
        params = interaction_response_params(_SAY, _body(sending, _EPHEMERAL if address.private else 0))
        told = await hook.create_interaction_response(address.interaction, address.token, params=params, **way)
        return str(told["interaction"]["response_message_id"])

    async def _follow(self, address: Address, sending: Sending) -> str:
        hook, way = self._hook(), self._way(address)
        body = _body(sending, _EPHEMERAL if address.private else 0)
        told: Mapping[str, Any] | None = await hook.execute_webhook(
            address.application, address.token, payload=body, wait=True, **way
        )
        return str(told["id"]) if told else ""

    async def _change(self, address: Address, sending: Sending) -> str:
        hook, way = self._hook(), self._way(address)
        await hook.edit_webhook_message(address.application, address.token, int(sending.target), payload=_body(sending), **way)
        return sending.target

    async def _remove(self, address: Address, sending: Sending) -> str:
        hook, way = self._hook(), self._way(address)
        try:
            if sending.target:
                await hook.delete_webhook_message(address.application, address.token, int(sending.target), **way)
            else:
                await hook.delete_original_interaction_response(address.application, address.token, **way)
        except discord.NotFound as error:
            if error.code != UNKNOWN_MESSAGE:
                raise
        return sending.target

    def _hook(self) -> AsyncWebhookAdapter:
        return async_context.get()

    def _way(self, address: Address) -> dict[str, Any]:
        """Return the connection that the client uses."""
        http = self._client.http
        webhook = discord.Webhook.partial(address.application, address.token, client=self._client)
        return {"session": webhook.session, "proxy": http.proxy, "proxy_auth": http.proxy_auth}


def _body(sending: Sending, flags: int = 0) -> dict[str, Any]:
    buttons = view(sending.actions)
    return {
        "content": sending.text,
        "allowed_mentions": {"parse": []},
        "components": buttons.to_components() if buttons else [],
        "flags": _NO_EMBEDS | flags,
    }
