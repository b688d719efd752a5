"""Sends what a model is asked to its endpoint, and opens the answer."""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any

import openai

from bot.models.endpoints.endpoint import Endpoint
from bot.models.endpoints.reading import Response
from bot.models.endpoints.requests import offered, sent
from bot.models.port import ChatMessage, Tool


class Completions:
    """Chat completions of one endpoint. Images are sent where the model `sees`; `sampling` goes into each request as it is."""

    def __init__(self, endpoint: Endpoint, *, sees: bool, sampling: Mapping[str, object]) -> None:
        self._endpoint = endpoint
        self._client = endpoint.client()
        self._sees = sees
        self._sampling = sampling
        self._limit_name = "max_tokens"

    async def open(self, messages: Sequence[ChatMessage], tools: Sequence[Tool], most: int, stack: AsyncExitStack) -> Response:
        """Ask for an answer of at most `most` tokens; return it, to be read as it comes and left on the stack. Raises FAULTS."""
        tooled = {"tools": [offered(tool) for tool in tools]} if tools else {}
        create: Any = self._client.chat.completions.with_streaming_response.create
        asked = create(
            model=self._endpoint.model,
            messages=(),
            stream=True,
            extra_headers=self._endpoint.headers(),
            # The library walks the types of whatever is not extra: 10 ms for the prompt of a long conversation.
            extra_body={"messages": [sent(message, self._sees) for message in messages], **tooled, **self._sampling},
            **{self._limit_name: most},
        )
        try:
            response: Response = await stack.enter_async_context(asked)
            return response
        except openai.BadRequestError as refusal:
            if refusal.param != "max_tokens" or self._limit_name != "max_tokens":
                raise
        # OpenAI's newer models know the limit by another name only; the compatible servers often know just the old one.
        self._limit_name = "max_completion_tokens"
        return await self.open(messages, tools, most, stack)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()
