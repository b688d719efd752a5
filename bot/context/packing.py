"""Packing the recalled items into the room that the other layers leave: ranked together, each shown once.

The best message, the best gist and the best month come first, then everything by rank; shorter entries fill the space that
longer ones do not fit. Digests have a share of the room, which they exceed only after all messages. Neighbours of messages come
last, those of the best first: a neighbour in the place of a hit costs evidence (docs/measured.md).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.context import layers
from bot.context.layers import InView, LayerPiece, ShownLayer
from memory.index.hits import DigestHit, Hit, Recalled
from memory.index.recall.only_hers import PeoplesWords, answers, with_neighbours
from memory.text.budget import FittedLayer, tokens
from memory.tiers.statements import INDEXED
from memory.types import Statement

_BEST_ABOVE = 0.5
_ABOVE = 0.3


@dataclass
class _Section:
    """One layer being filled: its title, its entries, how many were left out, and its cost in tokens."""

    name: str
    title: str
    shown: list[LayerPiece] = field(default_factory=list)
    cut: int = 0
    spent: int = 0

    def cost(self, piece: LayerPiece) -> int:
        """Return the cost of one more entry, including the title if it is the first."""
        return tokens(piece.text) + 1 + (0 if self.shown else tokens(self.title) + 1)

    def filled(self) -> ShownLayer:
        """Return the layer in reading order, oldest first."""
        ordered = sorted(self.shown, key=lambda piece: piece.place)
        return ShownLayer(FittedLayer(self.name, [piece.text for piece in ordered], self.cut, self.spent), self.title, ordered)


class Packer:
    """Fills a room with recalled items, without repeating anything in view. The given view is not changed."""

    def __init__(self, view: InView, in_view: Iterable[int], room: int, time_zone: str) -> None:
        self._view = view.copy()
        self._seen = set(in_view)
        self._left = room
        self._room = room
        self._above = int(_BEST_ABOVE * room)
        self._time_zone = time_zone
        self._gists = _Section("gists", "From earlier conversations:")
        self._eras = _Section("eras", "What was going on at other times:")
        self._pages = _Section("pages", "What you know about who and what is named:")
        self._messages = _Section("recalled", "What you recall:")

    def fill(self, recalled: Recalled) -> list[ShownLayer]:
        """Show the recalled items that fit, best first. Call it once per room."""
        ranked = [self._placed(one) for one in recalled.ranked]
        for kind in (self._messages, self._gists, self._eras):
            for one in [one for one in ranked if one[0] is kind][:1]:
                self._show(*one)
        self._above -= int(_BEST_ABOVE * self._room) - int(_ABOVE * self._room)
        later = [one for one in ranked if not self._show(*one)]
        self._above = self._left
        for section, piece in later:
            section.cut += not self._show(section, piece)
        told: PeoplesWords | None = None
        for hit in recalled.hits:
            if hit.exchange.key in self._seen:
                for near in (hit.before, hit.after):
                    if near is not None and not near.echo and near.key not in self._seen:
                        note = ""
                        if near is hit.after and answers(near, hit.exchange):
                            told = told or PeoplesWords(with_neighbours(recalled.hits))
                            note = layers.ONLY_YOURS if told.leave_open(near, hit.exchange) else ""
                        self._show(self._messages, layers.message(near, self._time_zone, note=note))
        return [self._gists.filled(), self._eras.filled(), self._pages.filled(), self._messages.filled()]

    def _placed(self, one: Hit | DigestHit | Statement) -> tuple[_Section, LayerPiece]:
        if isinstance(one, Hit):
            return self._messages, layers.recalled(one, self._time_zone)
        if isinstance(one, DigestHit):
            return self._gists, layers.gist(one, self._time_zone)
        if one.tier not in INDEXED:
            return self._pages, layers.facts([one], self._time_zone)[0]
        return self._eras, layers.era(one)

    def _show(self, section: _Section, piece: LayerPiece) -> bool:
        """Show an entry if there is room; return whether it is in view now."""
        if piece.keys <= self._seen or not self._view.is_new(piece):
            return True
        cost, above = section.cost(piece), section is not self._messages
        if cost > self._left or (above and cost > self._above):
            return False
        section.shown.append(piece)
        section.spent += cost
        self._left -= cost
        self._above -= cost * above
        self._seen |= piece.keys
        self._view.note([piece])
        return True
