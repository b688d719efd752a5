"""Requests in the form of an OpenAI-compatible endpoint, the order of roles in them, and when one is made again."""

import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any

import httpx2
import openai

from bot.errors import ModelBusy, ModelError, ModelGarbled
from bot.models.endpoints.backend_facts import ALTERNATING, EXTRAS, ROLES, SYSTEMLESS, BackendFacts
from bot.models.endpoints.call_fragments import OF_A_CALL
from bot.models.endpoints.context_size import refusal_text
from bot.models.endpoints.endpoint import Endpoint
from bot.models.port import ChatMessage, Image, Tool, Toolbox, ToolCall, size
from memory.text.budget import tokens

_MOST_UNUSABLE = 2
# Google wants the signatures of thoughts back with the calls that came of them, DeepSeek and Moonshot the reasoning itself.
_OF_EXTRAS = re.compile("thought_signature|reasoning_content|reasoning_details")


class Completions:
    """Chat completions of one endpoint. Images are sent if the model `sees`; `sampling` is merged into each request.

    The order of roles that a refusal asks for is stored in `facts`.
    """

    def __init__(self, endpoint: Endpoint, facts: BackendFacts, *, sees: bool, sampling: Mapping[str, object]) -> None:
        self._endpoint = endpoint
        self._facts = facts
        self._headers = endpoint.headers()
        self._client = endpoint.client()
        self._sees = sees
        self._sampling = sampling
        self._limit_name = "max_tokens"

    async def open(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool],
        most: int,
        stack: AsyncExitStack,
        rounds: Sequence[Sequence[ToolCall]] = (),
    ) -> httpx2.Response:
        """Request an answer of at most `most` tokens; return the open response, left on the stack. Raises FAULTS.

        `rounds` are the tool calls that this endpoint made for the answer, whose extras it may want back.
        """
        order, wants_extras = self._facts.get(ROLES), self._facts.get(EXTRAS) is True
        while True:
            sent = ordered(messages, order)
            payload = [message_payload(message, self._sees) for message in sent]
            if wants_extras:
                _add_extras(payload, rounds)
            try:
                response = await self._opened(payload, tools, most, stack)
            except openai.APIStatusError as refusal:
                if not wants_extras and rounds and _OF_EXTRAS.search(refusal_text(refusal.body)):
                    wants_extras = True
                    continue
                # A template that knows no results of tools may say the same; those are taken out elsewhere.
                wanted = "" if any(message["role"] == "tool" for message in messages) else required(refusal.body)
                if wanted and order:
                    wanted = SYSTEMLESS
                if wanted in ("", order) or ordered(messages, wanted) == sent:
                    raise
                order = wanted
            else:
                if order:
                    await self._facts.note(ROLES, order)
                if wants_extras:
                    await self._facts.note(EXTRAS, True)
                return response

    async def _opened(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Tool], most: int, stack: AsyncExitStack
    ) -> httpx2.Response:
        tooled = {"tools": [tool_payload(tool) for tool in tools]} if tools else {}
        limited = {"model": self._endpoint.model, "stream": True, self._limit_name: most}
        # What the library has for this path alone looks through all parameters for types that JSON lacks, and wraps the response.
        post: Any = self._client.post
        try:
            response: httpx2.Response = await post(
                "/chat/completions",
                cast_to=httpx2.Response,
                body={**limited, "messages": messages, **tooled, **self._sampling},
                options={"headers": self._headers},
                stream=True,
            )
        except openai.BadRequestError as refusal:
            named = refusal.param == "max_tokens" or "max_completion_tokens" in refusal_text(refusal.body)
            if not named or self._limit_name != "max_tokens":
                raise
        else:
            stack.push_async_callback(response.aclose)
            return response
        # OpenAI's newer models accept the limit under another name only; compatible servers often know just the old one.
        self._limit_name = "max_completion_tokens"
        return await self._opened(messages, tools, most, stack)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


@dataclass
class CompletionRequest:
    """The request for one answer: messages, or the prompt of a toolbox, whose tools are offered while `offers_tools`.

    `has_text` says that an earlier round already gave some of the answer, `rounds` are the calls of all earlier ones. `unusable` is
    the number of unusable responses so far.
    """

    messages: Sequence[ChatMessage]
    toolbox: Toolbox | None
    offers_tools: bool
    has_text: bool = False
    unusable: int = 0
    rounds: list[Sequence[ToolCall]] = field(default_factory=list)

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools currently offered."""
        return self.toolbox.offered if self.toolbox and self.offers_tools else ()

    @property
    def prompt(self) -> Sequence[ChatMessage]:
        """The messages currently sent."""
        return self.toolbox.prompt(plain=not self.tools) if self.toolbox else self.messages


def prompt_tokens(prompt: Sequence[ChatMessage], tools: Sequence[Tool]) -> int:
    """Return the tokens of a prompt with its offered tools."""
    return size(prompt) + sum(tokens(json.dumps(tool_payload(tool))) for tool in tools)


def has_images(prompt: Sequence[ChatMessage]) -> bool:
    """Return whether a prompt has images."""
    return any(message.get("images") for message in prompt)


def tool_payload(tool: Tool) -> dict[str, Any]:
    """Return a tool in the endpoint's format."""
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def message_payload(message: ChatMessage, sees: bool) -> dict[str, Any]:
    """Return a message in the endpoint's format: plain text, unless it has tool calls, or images and the model sees."""
    payload: dict[str, Any] = {"role": message["role"], "content": message["content"]}
    if sees and (images := message.get("images")):
        payload["content"] = [{"type": "text", "text": message["content"]}, *(_image_part(image) for image in images)]
    if calls := message.get("calls"):
        payload["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}} for call in calls
        ]
    if answers := message.get("answers"):
        payload["tool_call_id"] = answers
    return payload


def _add_extras(payload: Sequence[dict[str, Any]], rounds: Sequence[Sequence[ToolCall]]) -> None:
    """Give the extras of the last rounds back with their calls: some reasoning models go on with nothing else."""
    messages = [message for message in payload if message.get("tool_calls")]
    for message, calls in zip(reversed(messages), reversed(rounds), strict=False):
        for call, made in zip(message["tool_calls"], calls, strict=False):
            of_call = {key: value for key, value in made.extras.items() if key == OF_A_CALL}
            call.update(of_call)
            message.update({key: value for key, value in made.extras.items() if key not in of_call})


def _image_part(image: Image) -> dict[str, Any]:
    data = base64.b64encode(image.data).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{image.type};base64,{data}"}}


def policy(waits: Sequence[float], request: CompletionRequest, left: Callable[[], float]) -> Callable[[Exception], bool | float]:
    """Return a retry policy that gives the wait after a failure, or False if it would outlast the seconds `left`.

    `waits` are the seconds after each attempt, of which the last repeats. After two unusable answers there is no third attempt.
    """
    following = chain(waits, repeat(waits[-1] if waits else 0.0))

    def wait_after(error: Exception) -> bool | float:
        if not isinstance(error, ModelError) or not error.transient:
            return False
        if isinstance(error, ModelGarbled) and request.unusable >= _MOST_UNUSABLE:
            return False
        # Waiting does not cure an unusable answer, so retry at once.
        seconds = 0.0 if isinstance(error, ModelGarbled) else next(following)
        if isinstance(error, ModelBusy) and error.retry_after is not None:
            seconds = error.retry_after
        return seconds if seconds < left() else False

    return wait_after


_OF_ROLES = re.compile(
    r"\broles?\b[^.]{0,40}\b(?:must|should|need to|have to)\b[^.]{0,60}\balternat|\bmust alternate between|\bshould alternate with"
    r"|\bsuccessive (?:user|assistant)|\bfirst message must be|\bstart with a user"
)
_OF_SYSTEM = re.compile(
    r"\b(?:system|developer)\b[^.]{0,40}\b(?:not (?:supported|enabled|allowed)|unsupported)|\bsupport(?:s|ed)? [^.]{0,20}\bsystem role"
    r"|\bonly user(?:,| and) assistant\b"
)


def required(body: object) -> str:
    """Return the order of roles that a refusal asks for, "" if it is about something else."""
    text = refusal_text(body)
    return SYSTEMLESS if _OF_SYSTEM.search(text) else ALTERNATING if _OF_ROLES.search(text) else ""


def ordered(messages: Sequence[ChatMessage], order: object) -> list[ChatMessage]:
    """Return a prompt in an order of roles, unchanged for none: neighbours of one role joined, a person's message first.

    Calls of tools and their results stay messages of their own.
    """
    if order not in (ALTERNATING, SYSTEMLESS):
        return list(messages)
    found: list[ChatMessage] = []
    for message in messages:
        one = message.copy()
        if one["role"] == "system" and order == SYSTEMLESS:
            one["role"] = "user"
        if one["role"] == "assistant" and not any(before["role"] == "user" for before in found):
            found.append(ChatMessage(role="user", content="…"))
        last = found[-1] if found else None
        if last and last["role"] == one["role"] != "tool" and not (last.get("calls") or one.get("calls")):
            last["content"] = f"{last['content']}\n\n{one['content']}"
            if images := [*last.get("images", ()), *one.get("images", ())]:
                last["images"] = images
        else:
            found.append(one)
    return found
