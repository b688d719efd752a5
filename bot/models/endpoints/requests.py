"""What a model is asked, as an OpenAI-compatible endpoint gets it."""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.models.port import ChatMessage, Image, Tool, Toolbox, size
from memory.text.budget import tokens


@dataclass
class Asked:
    """What is asked for one answer: messages, or the prompt of a toolbox, of which something is `offered` as long as it may be.

    `junk` is how often nothing usable came of it.
    """

    messages: Sequence[ChatMessage]
    toolbox: Toolbox | None
    offers: bool
    told: bool = False
    junk: int = 0

    @property
    def tools(self) -> Sequence[Tool]:
        """What is offered now."""
        return self.toolbox.offered if self.toolbox and self.offers else ()

    @property
    def prompt(self) -> Sequence[ChatMessage]:
        """What is sent now."""
        return self.toolbox.prompt(plain=not self.tools) if self.toolbox else self.messages


def cost(prompt: Sequence[ChatMessage], tools: Sequence[Tool]) -> int:
    """Return how many tokens a prompt takes with the tools that are offered."""
    return size(prompt) + sum(tokens(json.dumps(offered(tool))) for tool in tools)


def shows(prompt: Sequence[ChatMessage]) -> bool:
    """Say whether a prompt has images."""
    return any(message.get("images") for message in prompt)


def offered(tool: Tool) -> dict[str, Any]:
    """Return a tool as the endpoint gets it."""
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def sent(message: ChatMessage, sees: bool) -> dict[str, Any]:
    """Return a message as the endpoint gets it: plain text, unless there are images and the model sees, or calls of tools."""
    sent: dict[str, Any] = {"role": message["role"], "content": message["content"]}
    if sees and (images := message.get("images")):
        sent["content"] = [{"type": "text", "text": message["content"]}, *(_image_part(image) for image in images)]
    if calls := message.get("calls"):
        sent["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}} for call in calls
        ]
    if answers := message.get("answers"):
        sent["tool_call_id"] = answers
    return sent


def _image_part(image: Image) -> dict[str, Any]:
    data = base64.b64encode(image.data).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{image.type};base64,{data}"}}
