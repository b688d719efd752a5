"""The part that both local embedding models share: published files, loaded at the first text, and computing in worker threads."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from mmap import ACCESS_READ, mmap
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Generic, ParamSpec, TypeVar

import numpy as np

from bot.imports import imported
from bot.service.log import log
from localization.sentences import Explained, Said
from memory.errors import EmbeddingFailed
from memory.ports import Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

THREADS = 2
"""Threads of our own with a core each; the libraries' own would spin while waiting for each other."""
M = TypeVar("M")
P = ParamSpec("P")
R = TypeVar("R")


class NoModel(Explained):
    """The model is missing, or not the published one; the text says what to do."""


class LocalEmbedder(ABC, Generic[M]):
    """Embeds with a model of this machine, which is loaded once. `refused` says why it cannot be, '' if it was not tried."""

    def __init__(self) -> None:
        """Nothing is read yet."""
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="local-model")
        self._opening = Lock()
        self._model: M | None = None
        self.refused: Said = ""

    @abstractmethod
    def _load(self) -> M:
        """Load the model, in a worker thread. Raises NoModel."""

    async def warm(self) -> None:
        """Load the model, so that the first question does not wait for it. Raises EmbeddingFailed."""
        await self._threaded(self._open)

    async def close(self) -> None:
        """Finish running passes and release the weights."""
        await asyncio.to_thread(self._pool.shutdown, cancel_futures=True)
        model, self._model = self._model, None
        if model is not None:
            self._release(model)

    def _release(self, model: M) -> None:
        """Release what does not go with the model itself."""

    def _open(self) -> M:
        """Return the model, loaded once. A failure is cached, and logged once. Raises EmbeddingFailed."""
        with self._opening:
            if self._model is None and not self.refused:
                try:
                    self._model = self._load()
                except NoModel as error:
                    self.refused = error.sentence
                    log.warning("embed.refused", why=str(error))
            if self._model is None:
                raise EmbeddingFailed(self.refused)
            return self._model

    async def _threaded(self, work: Callable[P, R], *given: P.args, **named: P.kwargs) -> R:
        return await asyncio.get_running_loop().run_in_executor(self._pool, lambda: work(*given, **named))


def mapped(path: Path) -> mmap:
    """Map one of a model's files into memory. Raises NoModel.

    So 90 MB are not copied for a question that needs the embeddings of a few words.
    """
    try:
        with path.open("rb") as file:
            return mmap(file.fileno(), 0, access=ACCESS_READ)
    except (OSError, ValueError) as error:
        raise NoModel("The local model's file {path} cannot be read; install it again with `make model`.", path=path) from error


def tokenizers() -> "type[Tokenizer]":
    """Return the library's class of tokenizers. Raises NoModel."""
    try:
        found: type[Tokenizer] = imported("tokenizers:Tokenizer")
    except ImportError as error:
        raise NoModel("The local model's tokenizer cannot be loaded here; install it again with `make model`.") from error
    return found


def require_published(path: Path, body: mmap, published: str) -> None:
    """Raise NoModel unless a model's file has its published SHA-256."""
    if sha256(body).hexdigest() != published:
        raise NoModel("The local model's file {path} is not the published one; install it again with `make model`.", path=path)


def beginning(text: str, most: int) -> str:
    """Return the first characters of a text, at most so many, with lone surrogates replaced by question marks."""
    return text[:most].encode("utf-8", "replace").decode()


def unit(rows: Vectors) -> Vectors:
    """Normalize the rows to length 1. Raises EmbeddingFailed for a row without a direction: zero, or not finite."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(lengths) & (lengths > 0)).all():
        raise EmbeddingFailed("The local model found no direction for a text; what it makes cannot be compared.")
    made: Vectors = rows / lengths
    return made


def without_language(rows: Vectors, usual: Vectors) -> Vectors:
    """Return the rows, which are overwritten, as unit vectors without what all texts have in common and what tells languages apart.

    `usual` are the mean of all texts, and directions at right angles in which the means of languages differ: so a question is close
    to its answer in any language. Raises EmbeddingFailed for a row that has no direction.
    """
    mean, languages = usual[0], usual[1:]
    rows -= mean
    rows -= (rows @ languages.T) @ languages
    return unit(rows)
