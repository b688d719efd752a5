"""What texts have in common and what tells their languages apart, as the multilingual model reads small talk."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from bot.models.local import e5 as weights
from bot.models.local.e5 import Engine
from memory.ports import Vectors

SET = Path(__file__).parents[1] / "sets" / "small_talk" / "messages.jsonl"


def usual_of_e5() -> Vectors:
    """Return `usual` of the model for other languages than English."""
    folder = weights.folder()
    assert folder is not None, "`make model` installs it"
    engine = Engine(folder)
    try:
        return usual(engine.embed)
    finally:
        engine.close()


def usual(embed: Callable[[Sequence[str]], Vectors]) -> Vectors:
    """Return the mean of all vectors, then one direction a language but one: float32 (languages, dimension)."""
    told = [_unit(embed(json.loads(line)["said"])) for line in SET.read_text().splitlines()]
    mean = np.concatenate(told).mean(axis=0)
    apart = np.linalg.svd(np.array([one.mean(axis=0) - mean for one in told]), full_matrices=False)[2]
    return np.concatenate([mean[None], apart[:-1]])


def _unit(rows: Vectors) -> Vectors:
    made: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made
