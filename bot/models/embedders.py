"""The choice of embedder: the local model, unless the configuration names an endpoint or disables embeddings."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bot.config.sections import Backend
from bot.config.settings import LARGE, LOCAL, OFF, Settings
from bot.errors import BadConfig
from bot.imports import imported
from bot.models.local import e5, gemma, minilm
from localization.sentences import Said, _, lazy
from memory.places.scope_settings import KeptSettings
from memory.ports import Embedder

if TYPE_CHECKING:
    from bot.models.endpoints.embedding import OpenAIEmbedder

_SCOPE, _TOLD = "install", "told_no_local_model"


class Embeds(Embedder, Protocol):
    """An embedder that Lyra opens and closes."""

    @property
    def refused(self) -> Said:
        """Why it cannot be used until reinstalled, '' if no reason is known."""
        ...

    async def warm(self) -> None:
        """Load what the first text would wait for. Raises EmbeddingFailed."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """The embedder to search with, None for none; `missing` says that the local model was expected.

    If that embedder knows English only, `others` embeds texts in other languages.
    """

    embedder: Embeds | None
    what: Said
    missing: bool = False
    others: Embeds | None = None

    def describe(self) -> str:
        """Return what is in use in a sentence, and what to do if nothing is; for the operator."""
        if self.embedder is None:
            return _("Meaning: {what}. Words alone find things.", what=self.what)
        if self.embedder.refused:
            return _("Meaning: {refused} Words alone find things.", refused=self.embedder.refused)
        return _("Meaning: {what}.", what=self.what)

    async def close(self) -> None:
        """Close the embedders."""
        async with AsyncExitStack() as stack:
            for one in (self.embedder, self.others):
                if one:
                    stack.push_async_callback(one.close)


def choose_embedder(settings: Settings, home: Path, key: Callable[[str, Backend], str | None]) -> EmbedderChoice:
    """Return the configured embedders; nothing is loaded or sent yet.

    `key` returns a backend's key by name. Only the first of a list is used: vectors of different models are not comparable, so
    that another could not stand in. Raises BadConfig if a local model is configured explicitly but not installed.
    """
    if settings.embed in ([], [LOCAL]):
        if (files := minilm.folder()) is not None:
            local = minilm.MiniLM(files)
            if (more := e5.folder()) is None:
                return EmbedderChoice(local, lazy("the local model {model}", model=minilm.MODEL))
            what = lazy("the local models {model} and, for other languages, {other}", model=minilm.MODEL, other=e5.MODEL)
            return EmbedderChoice(local, what, others=e5.E5(more))
        if settings.embed:
            raise BadConfig(
                'embed = "{local}", but the local model is not installed; `lyra setup` fetches it. Or say embed = "{off}".',
                local=LOCAL,
                off=OFF,
            )
        return EmbedderChoice(None, lazy("the local model is not installed; `lyra setup` fetches it"), missing=True)
    if settings.embed == [LARGE]:
        if (large := gemma.folder(home)) is None:
            raise BadConfig(
                'embed = "{large}", but the large local model is not there; `lyra setup --large` fetches it. Or say embed = "{local}".',
                large=LARGE,
                local=LOCAL,
            )
        return EmbedderChoice(gemma.Gemma(large), lazy("the large local model {model}", model=gemma.MODEL))
    if settings.embed == [OFF]:
        return EmbedderChoice(None, lazy("embed is off"))
    remote: type[OpenAIEmbedder] = imported("bot.models.endpoints.embedding:OpenAIEmbedder")
    name = settings.embed[0]
    backend = settings.models[name]
    return EmbedderChoice(
        remote(name, backend, key(name, backend)), lazy("{model} at {base_url}", model=backend.model, base_url=backend.shown_url)
    )


async def missing_model_notice(choice: EmbedderChoice, kept: KeptSettings) -> str:
    """Return a notice about a missing local model, once until it is installed again; else ''."""
    told = bool(await kept.get(_SCOPE, _TOLD))
    if told == choice.missing:
        return ""
    await kept.set(_SCOPE, _TOLD, choice.missing or None)
    return choice.describe() if choice.missing else ""
