"""Token counting and token budgets."""

from collections.abc import Sequence
from dataclasses import dataclass

MARK = " […] "


def tokens(text: str) -> int:
    """Return the estimated token count of a text: a third of its UTF-8 bytes, rounded up."""
    return -(-(len(text) if text.isascii() else len(text.encode("utf-8", "replace"))) // 3)


def clip(text: str, most: int) -> str:
    """Return a text of at most `most` tokens: beginning and end, with a mark in place of the middle."""
    if tokens(text) <= most:
        return text
    room = max(0, 3 * most - len(MARK.encode()))
    raw = text.encode("utf-8", "replace")
    if 3 * most < len(MARK.encode()):
        return raw[: max(0, 3 * most)].decode("utf-8", "ignore")
    head = raw[: room - room // 3].decode("utf-8", "ignore")
    tail = raw[len(raw) - room // 3 :].decode("utf-8", "ignore") if room // 3 else ""
    return head + MARK + tail


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer of a prompt: its pieces, most important first, its share of the budget between 0 and 1, and its title.

    The title precedes the pieces, and costs nothing if none is shown.
    """

    name: str
    pieces: Sequence[str]
    share: float
    title: str = ""


@dataclass(frozen=True, slots=True)
class FittedLayer:
    """The pieces of a layer that fit, the number of those that do not, and the tokens spent."""

    name: str
    shown: Sequence[str]
    cut: int
    tokens: int


class TokenBudget:
    """A token budget handed out layer by layer; what a layer leaves of its share is carried over to the next."""

    def __init__(self, budget: int) -> None:
        self._budget = max(0, budget)
        self._carried = 0

    def fill(self, layer: Layer) -> FittedLayer:
        """Return as many leading pieces of a layer as fit; a piece costs its tokens plus one for the line break."""
        room = int(layer.share * self._budget) + self._carried
        shown: list[str] = []
        spent = tokens(layer.title) + 1 if layer.title else 0
        for piece in layer.pieces:
            cost = tokens(piece) + 1
            if spent + cost > room:
                break
            shown.append(piece)
            spent += cost
        if not shown:
            spent = 0
        self._carried = room - spent
        return FittedLayer(layer.name, shown, len(layer.pieces) - len(shown), spent)
