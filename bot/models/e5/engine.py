"""The engine that runs the model: a library in C, called without the interpreter's lock."""

import os
from collections.abc import Sequence
from ctypes import CDLL, POINTER, c_char_p, c_float, c_int, c_void_p
from pathlib import Path

import numpy as np

from bot.models.minilm.weights import NoModel
from localization.sentences import lazy
from memory.errors import EmbeddingFailed
from memory.ports import Vectors

_FLOATS = POINTER(c_float)


class Engine:
    """Reads texts, each by itself, in the thread that asks."""

    def __init__(self, library: Path, weights: Path) -> None:
        """Map the weights into memory. Raises NoModel."""
        # Two threads of ours with a core each; the library's own would spin while they wait for each other.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        try:
            self._library = CDLL(str(library))
        except OSError as error:
            raise NoModel(
                lazy(
                    "The local model's engine {library} cannot be loaded here; install it again with `make model`.",
                    library=library,
                )
            ) from error
        self._library.e5_load.restype = c_void_p
        self._library.e5_load.argtypes = [c_char_p]
        self._library.e5_dim.argtypes = [c_void_p]
        self._library.e5_embed.restype = c_int
        self._library.e5_embed.argtypes = [c_void_p, c_char_p, c_int, _FLOATS]
        self._library.e5_free.argtypes = [c_void_p]
        self._model = self._library.e5_load(os.fsencode(weights))
        if not self._model:
            raise NoModel(lazy("The local model's file {path} cannot be read; install it again with `make model`.", path=weights))
        self.dimension = int(self._library.e5_dim(self._model))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row a text: float32 (texts, dimension). Raises EmbeddingFailed."""
        rows = np.empty((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            # What is asked and what is told are both read as what is asked: then they are near whatever their languages.
            if self._library.e5_embed(self._model, text.encode("utf-8", "replace"), 1, row.ctypes.data_as(_FLOATS)):
                raise EmbeddingFailed(lazy("The local model could not read a text."))
        return rows

    def close(self) -> None:
        """Let go of the weights."""
        self._library.e5_free(self._model)
