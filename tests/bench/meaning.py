"""How fast texts are turned into vectors by the local model for English, beside numpy. Processor time: what else runs here counts little."""

import time
from collections.abc import Callable

from bot.models.local import minilm as weights
from bot.models.local.minilm import MiniLM

Row = Callable[[str, float, str, float, str], None]
_QUESTIONS = 60
_MESSAGES = [f"We bought a puppy number {n} last weekend, and it sleeps." for n in range(600)]
"""15 tokens each."""
_PASSAGES = ["The kayak lies behind the boathouse, where nobody looks for it. " * 10] * 12
"""640 characters, 152 tokens."""


async def measure(row: Row) -> None:
    """Measure one question after the other, many short messages at once, and passages of full length."""
    if not (folder := weights.folder()):
        return
    here, numpy = [await _times(MiniLM(folder, quantized)) for quantized in (None, False)]
    row("processor time of a question's vector", here[0], "in numpy", numpy[0], "ms")
    row("short messages embedded in a second of one processor", 1_000 / here[1], "in numpy", 1_000 / numpy[1], "/s")
    row("processor time of a full passage's vector", here[2], "in numpy", numpy[2], "ms")


async def _times(model: MiniLM) -> tuple[float, float, float]:
    """Return the milliseconds that one of each takes."""
    await model.embed(["hello"])
    began = time.process_time()
    for n in range(_QUESTIONS):
        await model.embed([f"What is the name of the dog that {n} of us bought?"])
    asked = time.process_time()
    await model.embed(_MESSAGES)
    said = time.process_time()
    await model.embed(_PASSAGES)
    read = time.process_time()
    await model.close()
    whole = (asked - began, said - asked, read - said)
    question, message, passage = (
        1_000 * took / n for took, n in zip(whole, (_QUESTIONS, len(_MESSAGES), len(_PASSAGES)), strict=True)
    )
    return question, message, passage
