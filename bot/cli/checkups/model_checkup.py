"""The model check of `lyra doctor`: whether it answers, how fast, whether it streams, and what input it takes."""

import asyncio
import base64
from contextlib import aclosing

from bot.app import secret_of
from bot.cli.checkups import Finding
from bot.config.environment import Environment
from bot.config.sections import Backend
from bot.errors import LyraError, ModelError
from bot.models.endpoints.backend_facts import REFUSED, TOOLS, USED, BackendFacts
from bot.models.endpoints.endpoint import FAULTS, Endpoint
from bot.models.endpoints.llm import OpenAIModel
from bot.models.endpoints.probing import takes_tools
from bot.models.endpoints.requests import tool_payload
from bot.models.port import CutShort, Image, Tool, complete
from localization.numerals import number
from localization.sentences import _, told
from memory.text.budget import tokens

_TOOL = Tool("look_up", "Looks up a word that was said before, and returns the sentence that it stood in.", {"type": "object"})
# A black square of 32 pixels: some models reject smaller images.
_SQUARE = "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgAQAAAABbAUdZAAAADElEQVR42mNgGNwAAACgAAGO+7G0AAAAAElFTkSuQmCC"


async def checkup(environment: Environment, name: str, backend: Backend, facts: BackendFacts) -> Finding:
    """Have a model say a few words, within its own timeout, and report how they arrive."""
    try:
        key = secret_of(environment, backend, name)
        # As in a conversation: with fewer tokens, a model that reasons first would not come to its answer. Asked twice, it gets more.
        model = OpenAIModel(name, backend, key, facts, tries=2, waits=())
        try:
            way = await _way(model)
            context = await model.context()
            blind = await _blindness(model) if backend.sees else ""
            tools = await _tools(Endpoint(backend.base_url, backend.model, key), backend, facts)
        finally:
            await model.close()
    except LyraError as error:
        return Finding(False, _("Model {name}: {error}", name=name, error=error))
    if blind:
        return Finding(
            False,
            _(
                "Model {name}: it answers, but not about an image: {blind} Mend that, or set sees = false in [models.{name}].",
                name=name,
                blind=blind,
            ),
        )
    takes = _("context {context} tokens", context=number(context)) if context else _("context not known")
    return Finding(
        True,
        _(
            "Model {name}: {model} answers at {base_url}, {way}; {takes}; {tools}.",
            name=name,
            model=backend.model,
            base_url=backend.shown_url,
            way=way,
            takes=takes,
            tools=tools,
        ),
    )


async def _way(model: OpenAIModel) -> str:
    """Return how an answer arrives: the time to the first token, and whether it is streamed."""
    clock = asyncio.get_running_loop().time
    asked_at, moments, text = clock(), list[float](), ""
    async with aclosing(model.stream([{"role": "user", "content": "Count from one to ten, in words."}])) as pieces:
        async for piece in pieces:
            if isinstance(piece, CutShort) and piece.late:
                raise piece.late
            moments.append(clock())
            text += piece
    streams = len(moments) > 1
    made, seconds = (len(moments) - 1, moments[-1] - moments[0]) if streams else (tokens(text), moments[-1] - asked_at)
    pace = number(round(made / max(seconds, 0.001)))
    return _("{pace} tokens a second, streaming", pace=pace) if streams else _("{pace} tokens a second, all at once", pace=pace)


async def _tools(endpoint: Endpoint, backend: Backend, facts: BackendFacts) -> str:
    """Report on tool calls; an endpoint that silently drops tools is recorded as not supporting them."""
    if backend.tools == "off":
        return _("tools off")
    if facts.get(TOOLS) is None:
        try:
            async with asyncio.timeout(backend.timeout):
                taken = await takes_tools(endpoint, tool_payload(_TOOL))
        except (*FAULTS, TimeoutError):
            taken = None
        if taken is False:
            await facts.note(TOOLS, REFUSED)
    found = {REFUSED: _("it knows no tools"), USED: _("it uses tools")}
    return found.get(str(facts.get(TOOLS)), _("tools are offered"))


async def _blindness(model: OpenAIModel) -> str:
    """Return why a model cannot answer about an image, '' if it can."""
    square = Image("image/png", base64.b64decode(_SQUARE))
    try:
        await complete(model, [{"role": "user", "content": "Which colour is this? Say one word.", "images": [square]}])
    except ModelError as error:
        return told(error)
    return ""
