"""The embeddings of the loopback model server: good ones, and spoilt ones."""

import base64
import hashlib
import math
import re
import struct
from typing import Any

DIMENSION = 64


def bag_of_words(text: str) -> list[float]:
    """A unit vector that is the same for the same words: texts that share words are near each other."""
    row = [0.0] * DIMENSION
    for word in re.findall(r"\w+", text.casefold()) or [""]:
        digest = hashlib.sha256(word.encode()).digest()
        row[digest[0] % DIMENSION] += 1.0
    length = math.sqrt(sum(value * value for value in row))
    return [value / length for value in row]


def spoilt(rows: list[tuple[int, list[float]]], wrong: str) -> list[tuple[int, Any]]:
    """The rows, each with its index, with something wrong about them."""
    first = rows[0][1]
    match wrong:
        case "count":
            return list(rows[:-1])
        case "order":
            return list(reversed(rows))
        case "indices":
            return [(0, row) for _, row in rows]
        case "zero":
            return [(0, [0.0] * DIMENSION), *rows[1:]]
        case "nan":
            return [(0, [math.nan, *first[1:]]), *rows[1:]]
        case "dimension":
            return [(0, first[:-1]), *rows[1:]]
        case _:
            return [(0, {"not": "numbers"}), *rows[1:]]


def as_base64(row: Any) -> Any:
    """The row as OpenAI packs it: little-endian float32."""
    return base64.b64encode(struct.pack(f"<{len(row)}f", *row)).decode() if isinstance(row, list) else row
