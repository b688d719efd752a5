"""Tokens: how much text fits, and which of it is shown."""

from collections.abc import Sequence
from dataclasses import dataclass, field

MARK = " […] "


def tokens(text: str) -> int:
    """Return how many tokens a text is taken for: a third of its UTF-8 bytes, rounded up."""
    return -(-len(text.encode("utf-8", "replace")) // 3)


def clip(text: str, most: int) -> str:
    """Return a text of at most `most` tokens: its beginning and its end, with a mark where the middle was."""
    if tokens(text) <= most:
        return text
    room = max(0, 3 * most - len(MARK.encode()))
    raw = text.encode("utf-8", "replace")
    if 3 * most < len(MARK.encode()):
        return raw[: 3 * most].decode("utf-8", "ignore")
    head = raw[: room - room // 3].decode("utf-8", "ignore")
    tail = raw[len(raw) - room // 3 :].decode("utf-8", "ignore") if room // 3 else ""
    return head + MARK + tail


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer of a prompt: its pieces, most important first, and its share of the budget between 0 and 1."""

    name: str
    pieces: Sequence[str]
    share: float


@dataclass(frozen=True, slots=True)
class Fitted:
    """What of a layer fits: how many of its first pieces are shown, and what that costs."""

    name: str
    shown: Sequence[str]
    cut: int = 0
    tokens: int = field(default=0)


def fit(layers: Sequence[Layer], budget: int) -> list[Fitted]:
    """Give each layer its share of the budget, in order; what one leaves unused is handed on to the next."""
    fitted: list[Fitted] = []
    carried = 0
    for layer in layers:
        room = int(layer.share * budget) + carried
        shown: list[str] = []
        spent = 0
        for piece in layer.pieces:
            cost = tokens(piece) + 1
            if spent + cost > room:
                break
            shown.append(piece)
            spent += cost
        carried = room - spent
        fitted.append(Fitted(layer.name, shown, len(layer.pieces) - len(shown), spent))
    return fitted
