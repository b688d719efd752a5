"""Embeddings from EmbeddingGemma in a hundred languages, run by ONNX Runtime, computed in worker threads."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bot.models.local.local_embedder import (
    LocalEmbedder,
    NoModel,
    beginning,
    mapped,
    require_published,
    tokenizers,
    without_language,
)
from bot.models.local.onnx_graph import session
from memory.ports import Vectors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

MODEL = "embeddinggemma-300m"
REVISION = "q4-384"
"""How the published weights were converted: four bits for the layers, and the first 384 numbers of a vector."""
_USUAL = Path(__file__).with_name("gemma_usual.npy")
GRAPH, WORDS, SCALES, TOKENIZER = "model.onnx", "words.npy", "scales.npy", "tokenizer.json"
MADE, HASHED = "made.json", (GRAPH, SCALES, TOKENIZER)
"""The file with the SHA-256 of these as they were made; that of the words would take longer than to load the model."""
DIMENSION = 384
"""Of 768 numbers; the model was trained so that the first ones serve alone (arXiv:2509.20354)."""
NAME = f"{MODEL}-{REVISION}"
_QUESTION, _TOLD = "task: search result | query: ", "title: none | text: "
"""The prompts that the model was trained with (its published config_sentence_transformers.json)."""
_MOST_TOKENS = 512
_MOST_CHARACTERS = 2_000
"""More than any passage has; a longer question is truncated."""


def place(home: Path) -> Path:
    """Return where the converted model is kept in a home."""
    return home / "models" / NAME


def folder(home: Path) -> Path | None:
    """Return the folder of the converted model in a home, None if it is not there."""
    found = place(home)
    return found if found.is_dir() else None


@dataclass(frozen=True, slots=True)
class _Model:
    """The converted model: the embedding of each word in eight bits with a scale a word, and the layers."""

    tokenizer: "Tokenizer"
    words: NDArray[np.int8]
    scales: Vectors
    layers: "InferenceSession"
    usual: Vectors

    def encode(self, text: str) -> Vectors:
        """Return the vector of a text with its prompt, in the calling thread: float32 (384,), of any length."""
        # The batch call releases the GIL, even for a list of one.
        tokens = self.tokenizer.encode_batch_fast([text])[0].ids
        state = self.words[tokens] * self.scales[tokens, None]
        made: Vectors = self.layers.run(None, {"state": state[None]})[0][0]
        return made


class Gemma(LocalEmbedder[_Model]):
    """Embeds with the converted model in a folder, loaded at the first text; questions otherwise than what is told.

    What all texts have in common, and what only marks their language, is removed from the vectors, of questions too.
    """

    name = NAME

    def __init__(self, folder: Path) -> None:
        """Nothing is read yet."""
        super().__init__()
        self._folder = folder

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of length 1 a text, in order: float32 (len(texts), 384). Raises EmbeddingFailed."""
        return await self._encoded([_TOLD + text for text in texts])

    async def ask(self, question: str) -> Vectors:
        """Return the unit vector of a question: float32 (384,). Raises EmbeddingFailed."""
        vector: Vectors = (await self._encoded([_QUESTION + question]))[0]
        return vector

    async def _encoded(self, texts: Sequence[str]) -> Vectors:
        model = await self._threaded(self._open)
        made = await asyncio.gather(*(self._threaded(model.encode, beginning(text, _MOST_CHARACTERS)) for text in texts))
        return without_language(np.stack(made), model.usual) if made else np.empty((0, DIMENSION), np.float32)

    def _load(self) -> _Model:
        try:
            made = json.loads((self._folder / MADE).read_text("utf-8"))
            for name in HASHED:
                require_published(self._folder / name, mapped(self._folder / name), made[name])
            words: NDArray[np.int8] = np.load(self._folder / WORDS, mmap_mode="r")
            scales = np.load(self._folder / SCALES)
        except (OSError, EOFError, ValueError, KeyError, TypeError, NoModel) as error:
            raise self._damaged() from error
        layers = session(self._folder / GRAPH)
        if words.dtype != np.int8 or words.shape != (len(scales), layers.get_inputs()[0].shape[2]):
            raise self._damaged()
        return _Model(_tokenizer(self._folder / TOKENIZER), words, scales, layers, np.load(_USUAL).astype(np.float32))

    def _damaged(self) -> NoModel:
        return NoModel(
            "The large local model in {folder} is damaged; remove it, and `lyra setup --large` fetches it again.",
            folder=self._folder,
        )


def _tokenizer(path: Path) -> "Tokenizer":
    made: Tokenizer = tokenizers().from_file(str(path))
    made.enable_truncation(_MOST_TOKENS)
    # Who writes the name of a control token means its letters; that of an image has no embedding at all.
    made.encode_special_tokens = True
    return made
