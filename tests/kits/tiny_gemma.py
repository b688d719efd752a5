"""A model of EmbeddingGemma's architecture, small enough to be made for a test, and what it computes, in numpy."""

import json
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from bot.models.local.gemma_conversion import in_four_bits
from memory.ports import Vectors

LAYERS, WIDTH, WIDE, HEADS, HEAD = 6, 32, 64, 3, 256
WORDS = "? task : search result | query title none text red planet which is known as the mars venus called often for".split()
_SHAPES = {
    "self_attn.q_proj": (HEADS * HEAD, WIDTH), "self_attn.k_proj": (HEAD, WIDTH), "self_attn.v_proj": (HEAD, WIDTH),
    "self_attn.o_proj": (WIDTH, HEADS * HEAD), "mlp.gate_proj": (WIDE, WIDTH), "mlp.up_proj": (WIDE, WIDTH),
    "mlp.down_proj": (WIDTH, WIDE), "self_attn.q_norm": (HEAD,), "self_attn.k_norm": (HEAD,), "input_layernorm": (WIDTH,),
    "post_attention_layernorm": (WIDTH,), "pre_feedforward_layernorm": (WIDTH,), "post_feedforward_layernorm": (WIDTH,),
}  # fmt: skip


def published(folder: Path) -> dict[str, Vectors]:
    """Write the model's files into a folder, as they are published; return its weights."""
    random = np.random.default_rng(7)
    shapes = {f"layers.{n}.{name}.weight": shape for n in range(LAYERS) for name, shape in _SHAPES.items()}
    shapes |= {"norm.weight": (WIDTH,), "embed_tokens.weight": (len(WORDS), WIDTH)}
    weights = {name: _some(random, shape) for name, shape in shapes.items()}
    heads = {"2_Dense": _some(random, (48, WIDTH)), "3_Dense": _some(random, (400, 48))}
    for where, tensors in (("", weights), *((name, {"linear.weight": weight}) for name, weight in heads.items())):
        (folder / where).mkdir(parents=True, exist_ok=True)
        (folder / where / "model.safetensors").write_bytes(safetensors(tensors))
    tokenizer = Tokenizer(WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="?"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return weights | heads


def computed(weights: dict[str, Vectors], words: list[str]) -> Vectors:
    """Return the vector of some words, as the architecture is described, with the layers' weights in four bits: float32 (384,)."""
    state = weights["embed_tokens.weight"][[WORDS.index(word) for word in words]] * np.sqrt(WIDTH)
    for n in range(LAYERS):
        own = {name: weights[f"layers.{n}.{name}.weight"] for name in _SHAPES}
        normed = _normed(state, own["input_layernorm"])
        query, key, value = ((normed @ _rounded(own[f"self_attn.{part}_proj"]).T).reshape(len(words), -1, HEAD) for part in "qkv")
        base = 1e6 if n == LAYERS - 1 else 1e4
        query, key = _turned(_normed(query, own["self_attn.q_norm"]), base), _turned(_normed(key, own["self_attn.k_norm"]), base)
        near = np.exp(np.einsum("ihd,jd->hij", query, key[:, 0]) / np.sqrt(HEAD))
        near /= near.sum(axis=-1, keepdims=True)
        attended = np.einsum("hij,jd->ihd", near, value[:, 0]).reshape(len(words), -1) @ _rounded(own["self_attn.o_proj"]).T
        state = state + _normed(attended, own["post_attention_layernorm"])
        normed = _normed(state, own["pre_feedforward_layernorm"])
        gate, wide = normed @ _rounded(own["mlp.gate_proj"]).T, normed @ _rounded(own["mlp.up_proj"]).T
        opened = gate / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (gate + 0.044715 * gate**3)))
        state = state + _normed((opened * wide) @ _rounded(own["mlp.down_proj"]).T, own["post_feedforward_layernorm"])
    made: Vectors = (_normed(state, weights["norm.weight"]).mean(axis=0) @ weights["2_Dense"].T @ weights["3_Dense"].T)[:384]
    return made


def _some(random: np.random.Generator, shape: tuple[int, ...]) -> Vectors:
    return (random.standard_normal(shape) * (0.2 if len(shape) == 1 else shape[-1] ** -0.5)).astype(np.float32)


def safetensors(tensors: dict[str, Vectors]) -> bytes:
    """Return the content of a file with these tensors."""
    header, body = {}, b""
    for name, values in tensors.items():
        header[name] = {"dtype": "F32", "shape": values.shape, "data_offsets": [len(body), len(body) + values.nbytes]}
        body += values.tobytes()
    described = json.dumps(header).encode()
    described += b" " * (-len(described) % 8)
    return len(described).to_bytes(8, "little") + described + body


def _rounded(weight: Vectors) -> Vectors:
    packed, scales = in_four_bits(weight)
    numbers = np.stack([packed & 15, packed >> 4], axis=-1).reshape(len(weight), -1, 32).astype(np.float32) - 8
    whole: Vectors = (numbers * scales.reshape(len(weight), -1, 1)).reshape(weight.shape)
    return whole


def _normed(rows: Vectors, weight: Vectors) -> Vectors:
    made: Vectors = rows / np.sqrt((rows * rows).mean(axis=-1, keepdims=True) + 1e-6) * (1 + weight)
    return made


def _turned(rows: Vectors, base: float) -> Vectors:
    """Return the rows, (tokens, heads, 256), each pair of numbers turned by an angle that grows with its place."""
    angles = np.outer(np.arange(len(rows)), base ** -(np.arange(0, HEAD, 2) / HEAD))[:, None]
    first, second = np.split(rows, 2, axis=-1)
    made: Vectors = np.concatenate(
        [first * np.cos(angles) - second * np.sin(angles), second * np.cos(angles) + first * np.sin(angles)], axis=-1
    )
    return made
