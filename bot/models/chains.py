"""The models in use, for chat, summaries and vectors. Without any, the offline voice and the extractive writer are used."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property, partial
from hashlib import blake2b
from typing import TYPE_CHECKING

from bot.config.sections import Backend
from bot.config.settings import OFFLINE, Settings
from bot.errors import ModelError
from bot.imports import imported
from bot.models.endpoints.backend_facts import REFUSED, TOOLS, BackendFacts, LearntFacts
from bot.models.outage import LONGEST_UNASKED, ModelOutage
from bot.models.port import Chain, Model, writer_name
from bot.models.queued_models import ServedModel
from bot.models.request_queue import RequestQueue
from memory.journal.usage import CallLimits, Spending, Spent
from memory.places.scope_settings import KeptSettings
from memory.ports import Clock, Writer
from memory.types import Domain

if TYPE_CHECKING:
    from bot.models.offline.extractive import ExtractiveWriter
    from bot.models.writer import Metered, ModelWriter

OpenModel = Callable[[str, Backend, int, Sequence[float], BackendFacts], Model]
"""Opens a backend under a name, with the number of tries, the waits between them in seconds, and the facts learnt about it."""

_TRIES, _WAITS = 4, (1.0, 2.0, 4.0)
_SCOPE = "install"
_KEY = "chat"


def limits(settings: Settings, *, dreaming: bool = False) -> CallLimits:
    """Return the daily limits of unattended calls: a domain's dreams have a budget of their own, housekeeping shares one."""
    everything = Spent(settings.background_calls_per_day, settings.background_tokens_per_day)
    dream = settings.dream
    return CallLimits(Spent(dream.calls_per_day, dream.tokens_per_day) if dreaming else everything, everything)


class Models:
    """The models in use. `connect` and `off` change the chat model at run time, and for the next start."""

    def __init__(self, settings: Settings, kept: KeptSettings, open_model: OpenModel, clock: Clock) -> None:
        self._settings = settings
        self._kept = kept
        self._open_model = open_model
        self._opened: list[Model] = []
        self.learnt = LearntFacts(kept)
        self._lines: dict[str, RequestQueue] = {}
        self.chat: Model | None = None
        self.cheaper: Model | None = None
        """The configured cheaper model for people beyond their limits, or None."""
        self.offers_tools = False
        """Whether any chat model may be offered tools, as known when they were opened.

        What one person's turn finds out later must not change the room in another's prompt.
        """
        self.summary: Model | None = None
        self.chatting: Sequence[Backend] = ()
        """The backends that receive chat messages, in order of preference."""
        self._connected: Backend | None = None
        self.outage = ModelOutage(clock, lambda: self.chat)
        """When questions that no chat model answered are put to it again."""
        self._pause = ModelOutage(clock, lambda: self.summary, LONGEST_UNASKED)

    async def open(self) -> None:
        """Open the configured models, or the one that a person connected."""
        await self.reload(self._settings)

    async def reload(self, settings: Settings) -> None:
        """Switch to another configuration; an answer in progress keeps its models.

        Everything stays as it is if the memory cannot be read. Raises MemoryFailure.
        """
        told = await self._kept.get(_SCOPE, _KEY)
        connected = [Backend(base_url=told["base_url"], model=told["model"])] if isinstance(told, dict) else []
        await self.learnt.open([*settings.models.values(), *connected])
        self._settings = settings
        self.chat, self.chatting, self._connected, self.offers_tools, self.cheaper = None, (), None, False, None
        if connected:
            self._use(*connected)
        elif told != "off":
            self.chat = self._chain(self._settings.chat)
            self._chat_through(*(self._settings.models[name] for name in self._settings.chat if name != OFFLINE))
            if name := self._settings.limits.cheaper:
                self.cheaper = self._open(name, self._settings.models[name], patient=False)
        self.summary = self._summarizer()

    @property
    def where(self) -> str:
        """The URLs, as they may be shown, that receive chat messages, '' for none."""
        return ", ".join(backend.shown_url for backend in self.chatting)

    @property
    def goes_to(self) -> str:
        """The URLs, as they may be shown, that receive any text, for answers, summaries or vectors, '' for none."""
        models = self._settings.models
        embedding = [models[name].shown_url for name in self._settings.embed[:1] if name in models]
        return ", ".join(dict.fromkeys((*self.answering, *self.writing, *embedding)))

    @property
    def answering(self) -> Sequence[str]:
        """The URLs, as they may be shown, that receive text for answers."""
        cheaper = [self._settings.models[self._settings.limits.cheaper]] if self.cheaper else []
        return list(dict.fromkeys(backend.shown_url for backend in (*self.chatting, *cheaper)))

    @property
    def writing(self) -> Sequence[str]:
        """The URLs, as they may be shown, that receive text for summaries and dreams."""
        return list(dict.fromkeys(backend.shown_url for backend in self.summarizing))

    @property
    def summarizing(self) -> Sequence[Backend]:
        """The backends that receive text for summaries and dreams, in order of preference."""
        named = [self._settings.models[name] for name in self._settings.summary if name != OFFLINE]
        return named if self._settings.summary else self.chatting

    @property
    def writer_setup(self) -> tuple[str, str] | None:
        """The writer's name, and a hash of the configuration on which its answers depend; None without a model."""
        if self.summary is None:
            return None
        shaping = [repr((one.base_url, one.model, one.max_tokens, one.context, one.sampling)) for one in self.summarizing]
        return writer_name(self.summary), blake2b("".join(shaping).encode(), digest_size=8).hexdigest()

    @property
    def backends(self) -> Mapping[str, Backend]:
        """All configured backends by name, as the configuration was read last."""
        return self._settings.models

    @property
    def sees(self) -> bool:
        """Whether any chat model takes images, so that fetching them is worthwhile."""
        return any(backend.sees for backend in self.chatting)

    @property
    def voice_last(self) -> bool:
        """Whether the offline voice takes over if the chat models fail."""
        return self._settings.chat[-1:] == [OFFLINE]

    @property
    def writer(self) -> Writer:
        """The current writer of gists and summaries."""
        return self._written_by(self.summary) if self.summary else self.extractive

    async def summary_room(self) -> int | None:
        """Return the most tokens of a digest's prompt, None if unknown."""
        try:
            return await self.summary.room() if self.summary else None
        except ModelError:
            return None

    def unasked(
        self,
        domain: Domain,
        spending: Spending,
        limits: CallLimits,
        before: Callable[[], Awaitable[None]],
        *,
        paced: bool = False,
    ) -> "Metered | None":
        """Return a metered writer for a domain's background work, within limits; None without a model.

        A `paced` one leaves a model in peace that fails for long, and the budget with it.
        """
        if self.summary is None:
            return None
        made: Metered = imported("bot.models.writer:Metered")(
            self._written_by(self.summary), domain, spending, limits, before, self._pause if paced else None
        )
        return made

    @cached_property
    def extractive(self) -> "ExtractiveWriter":
        """The writer that needs no model."""
        made: ExtractiveWriter = imported("bot.models.offline.extractive:ExtractiveWriter")()
        return made

    def _written_by(self, model: Model) -> "ModelWriter":
        made: ModelWriter = imported("bot.models.writer:ModelWriter")(model)
        return made

    async def as_configured(self) -> None:
        """Return to the configured chat models, dropping what was connected or switched off."""
        await self._kept.set(_SCOPE, _KEY, None)
        await self.reload(self._settings)

    @property
    def connected(self) -> bool:
        """Whether a person's choice (a model, or none) overrides the configured chat models."""
        return self._connected is not None or (self.chat is None and bool(self._settings.chat))

    async def connect(self, base_url: str, model: str) -> None:
        """Use this chat model from now on, also after a restart."""
        await self._kept.set(_SCOPE, _KEY, {"base_url": base_url, "model": model})
        backend = Backend(base_url=base_url, model=model)
        await self.learnt.open([backend])
        self._use(backend)
        self.summary = self._summarizer()

    async def off(self) -> bool:
        """Use no chat model from now on; return whether there was one."""
        had, self.cheaper = self.chat is not None, None
        await self._kept.set(_SCOPE, _KEY, "off" if self._settings.chat else None)
        self.chat = self._connected = None
        self.chatting = ()
        self.summary = self._summarizer()
        return had

    async def close(self) -> None:
        """Close every opened model."""
        while self._opened:
            await self._opened.pop().close()

    def _use(self, backend: Backend) -> None:
        self._connected, self.cheaper = backend, None
        self.chat = self._open(backend.model, backend, patient=False)
        self._chat_through(backend)

    def _chat_through(self, *backends: Backend) -> None:
        self.chatting = backends
        self.offers_tools = any(one.tools == "auto" and self.learnt.facts(one).get(TOOLS) != REFUSED for one in backends)

    def _summarizer(self) -> Model | None:
        """Return the summary model: as configured in `summary`, else the chat model's backend."""
        if self._settings.summary:
            return self._chain(self._settings.summary, patient=True)
        if self.chat is None:
            return None
        if self._connected is not None:
            return self._open(self.chat.name, self._connected, patient=True)
        return self._chain(self._settings.chat, patient=True)

    def _chain(self, names: list[str], *, patient: bool = False) -> Model | None:
        called = [name for name in names if name != OFFLINE]
        # A model with a fallback behind it is tried once: falling back beats waiting.
        models = [self._open(name, self._settings.models[name], patient=patient, alone=name == names[-1]) for name in called]
        return (models[0] if len(models) == 1 else Chain(models)) if models else None

    def _open(self, name: str, backend: Backend, *, patient: bool, alone: bool = True) -> Model:
        tries, waits = (self._settings.summary_tries, self._settings.summary_waits) if patient else (_TRIES, _WAITS)
        open_model = partial(self._open_model, name, backend, tries if alone else 1, waits, self.learnt.facts(backend))
        served = ServedModel(name, open_model, self._line(backend), background=patient)
        self._opened.append(served)
        return served

    def _line(self, backend: Backend) -> RequestQueue:
        """Return the queue of a backend's server, shared by all its backends, with the lowest of their `parallel` values."""
        sharing = [one.places for one in self._settings.models.values() if one.base_url == backend.base_url]
        return self._lines.setdefault(backend.base_url, RequestQueue(min([backend.places, *sharing])))
