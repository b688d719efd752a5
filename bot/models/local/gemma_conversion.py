"""The conversion of EmbeddingGemma's published files into those that are run here: a quarter of the size."""

import json
import shutil
from hashlib import sha256
from pathlib import Path

import numpy as np

from bot.models.local.gemma import DIMENSION, GRAPH, HASHED, MADE, SCALES, TOKENIZER, WORDS
from bot.models.local.gemma_layers import layers
from bot.models.local.local_embedder import mapped
from bot.models.local.minilm import tensors
from memory.ports import Vectors

_WEIGHTS, _WIDER, _NARROWER = "model.safetensors", "2_Dense/model.safetensors", "3_Dense/model.safetensors"
_EMBEDDING = "embed_tokens.weight"
_ROWS = 4096


def convert(published: Path, into: Path) -> None:
    """Write the converted model of a folder with the published files into an empty folder.

    Raises OSError, and NoModel for a file that is missing.
    """
    found = tensors(mapped(published / _WEIGHTS))
    wider, narrower = (next(iter(tensors(mapped(published / name)).values())) for name in (_WIDER, _NARROWER))
    (into / GRAPH).write_bytes(layers(found, np.ascontiguousarray((narrower @ wider)[:DIMENSION].T)))
    _write_words(found[_EMBEDDING], into)
    shutil.copyfile(published / TOKENIZER, into / TOKENIZER)
    hashes = {name: sha256(mapped(into / name)).hexdigest() for name in HASHED}
    (into / MADE).write_text(json.dumps(hashes), "utf-8")


def _write_words(words: Vectors, into: Path) -> None:
    """Write the embedding of each word in eight bits, and the scales, which hold that the model multiplies by the root of its width."""
    count, width = words.shape
    kept = np.lib.format.open_memmap(into / WORDS, "w+", np.int8, (count, width))
    scales = np.empty(count, np.float32)
    for start in range(0, count, _ROWS):
        some = words[start : start + _ROWS]
        most = np.maximum(np.abs(some).max(axis=1), np.finfo(np.float32).tiny)
        kept[start : start + _ROWS] = np.rint(some * (np.float32(127) / most)[:, None]).astype(np.int8)
        scales[start : start + _ROWS] = most * np.float32(width**0.5 / 127)
    kept.flush()
    np.save(into / SCALES, scales)
