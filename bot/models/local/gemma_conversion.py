"""The conversion of EmbeddingGemma's published files into those that are run here: a quarter of the size."""

import json
import shutil
from hashlib import sha256
from pathlib import Path

import numpy as np

from bot.models.local.gemma import DIMENSION, GRAPH, HASHED, MADE, SCALES, TOKENIZER, WORDS
from bot.models.local.gemma_layers import layers
from bot.models.local.local_embedder import NoModel, mapped
from bot.models.local.minilm import tensors
from localization.sentences import lazy
from memory.ports import Vectors

_WEIGHTS, _WIDER, _NARROWER = "model.safetensors", "2_Dense/model.safetensors", "3_Dense/model.safetensors"
_EMBEDDING = "embed_tokens.weight"
_ROWS = 4096


def convert(published: Path, into: Path) -> None:
    """Write the converted model of a folder with the published files into an empty folder.

    Raises OSError, and NoModel for a file that is missing or another one.
    """
    found = _read(published / _WEIGHTS)
    wider, narrower = (_only(published / name) for name in (_WIDER, _NARROWER))
    try:
        head, words = (narrower @ wider)[:DIMENSION], found[_EMBEDDING]
        graph = layers(found, np.ascontiguousarray(head.T))
    except (ValueError, KeyError, IndexError) as error:
        raise _not_published(published / _WEIGHTS) from error
    if head.shape != (DIMENSION, words.shape[-1]):
        raise _not_published(published / _NARROWER)
    _require_words(published / TOKENIZER, len(words))
    (into / GRAPH).write_bytes(graph)
    _write_words(words, into)
    shutil.copyfile(published / TOKENIZER, into / TOKENIZER)
    hashes = {name: sha256(mapped(into / name)).hexdigest() for name in HASHED}
    (into / MADE).write_text(json.dumps(hashes), "utf-8")


def _read(path: Path) -> dict[str, Vectors]:
    try:
        return tensors(mapped(path))
    except (ValueError, KeyError, TypeError, AttributeError, NoModel) as error:
        raise _not_published(path) from error


def _only(path: Path) -> Vectors:
    found = list(_read(path).values())
    if len(found) != 1:
        raise _not_published(path)
    return found[0]


def _require_words(path: Path, count: int) -> None:
    """Raise NoModel unless a tokenizer is in a file, and each of its words has one of `count` embeddings."""
    try:
        right = max(json.loads(path.read_bytes())["model"]["vocab"].values()) < count
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _not_published(path) from error
    if not right:
        raise _not_published(path)


def _not_published(path: Path) -> NoModel:
    return NoModel(lazy("{path} cannot be read, or is not what EmbeddingGemma was published with; download it again.", path=path))


def _write_words(words: Vectors, into: Path) -> None:
    """Write the embedding of each word in eight bits, and the scales, which hold that the model multiplies by the root of its width."""
    count, width = words.shape
    scales = np.empty(count, np.float32)
    # Not by a map of the file: where no room is left on the disk, that ends the process without a word.
    with (into / WORDS).open("wb") as kept:
        about = {"descr": np.lib.format.dtype_to_descr(np.dtype(np.int8)), "fortran_order": False, "shape": (count, width)}
        np.lib.format.write_array_header_1_0(kept, about)
        for start in range(0, count, _ROWS):
            some = words[start : start + _ROWS]
            most = np.maximum(np.abs(some).max(axis=1), np.finfo(np.float32).tiny)
            kept.write(np.rint(some * (np.float32(127) / most)[:, None]).astype(np.int8).tobytes())
            scales[start : start + _ROWS] = most * np.float32(width**0.5 / 127)
    np.save(into / SCALES, scales)
