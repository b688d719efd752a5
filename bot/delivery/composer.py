"""Composing outgoing text: it is cut into parts or put on cards, and whatever must not leave is removed from each.

No invisible or cursor-moving characters, no links except those said by people in view or allowed by the operator, no part
longer than the platform allows; checked on the parts, after cutting.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial

from adapters.base import Adapter
from adapters.command_table import Action, Card, CardLimits
from adapters.markdown_structure import closed
from adapters.markup import printable, units
from bot.delivery.exit_gate import ExitGate
from bot.delivery.links import NO_LINKS, AllowList, PassingLinks
from memory.journal.journal import Part
from memory.ports import Ids
from memory.text.off_loop import off_loop

CARDS = "cards"
"""The form of a part whose text is cards."""
MOST_CHARACTERS = 100_000
_SHORTEST = 2_000
"""The longest part that every platform accepts."""
REFLECTION = "reflection"
"""The form of a reflection, posted unasked."""
OFFER = "offer"
"""The form of an update that only changes the buttons under a message."""
_ROOM = 40
"""UTF-16 units that an adapter may add to a part, for example to mark a repeat."""


class Composer:
    """Composes the parts that a platform's adapter sends. `listed` are the links that may always pass."""

    def __init__(self, adapters: Mapping[str, Adapter], ids: Ids, listed: AllowList) -> None:
        self._adapters = adapters
        self._ids = ids
        self._listed = listed

    async def parts(
        self,
        platform: str,
        text: str,
        *,
        links: Collection[str],
        actions: Sequence[Action] = (),
        replaces: str = "",
        form: str = "",
        cards: Sequence[Card] = (),
    ) -> Sequence[Part]:
        """Return a text as it may leave, each part with its own key.

        `links` are the URLs that may be links besides those that the operator allows; NO_LINKS for none. `actions` go under the
        last part. `replaces` is the key of a preview that the first part replaces. `form` is "" or REFLECTION. `cards` replace the
        text where the platform shows cards.
        """
        if cards and self._adapters[platform].card_limits:
            texts, form = await off_loop(len(text), partial(self._cut_cards, platform, cards, links)), CARDS
        else:
            texts = await off_loop(len(text), partial(self._cut, platform, text, links))
        pressed = _pressed(actions)
        return [
            Part(
                self._ids.new(),
                part,
                "edit" if replaces and not at else "send",
                replaces if not at else "",
                pressed if at == len(texts) - 1 else "",
                form,
            )
            for at, part in enumerate(texts)
        ]

    async def plain_text(self, text: str, actions: Sequence[Action] = ()) -> Sequence[Part]:
        """Return a short text without links, fit for any platform, for another process to send."""
        gate = ExitGate(PassingLinks(NO_LINKS, self._listed), names=True)
        cut = await off_loop(len(text), partial(gate.parts, self.printed(text), _SHORTEST - _ROOM))
        return [Part(self._ids.new(), one, actions=_pressed(actions) if at == len(cut) - 1 else "") for at, one in enumerate(cut)]

    def keys(self) -> Iterator[str]:
        """Yield keys for parts composed elsewhere."""
        while True:
            yield self._ids.new()

    def offer(self, target: str, actions: Sequence[Action]) -> Sequence[Part]:
        """Return the parts that add buttons to a message already sent."""
        return [Part(self._ids.new(), "", "edit", target, _pressed(actions), OFFER)]

    def removal(self, replaces: str) -> Sequence[Part]:
        """Return the parts that remove a preview; () if there is none."""
        if not replaces:
            return ()
        return [Part(self._ids.new(), "", "delete", replaces)]

    async def preview(self, platform: str, text: str, links: Collection[str], actions: Sequence[Action]) -> Part | None:
        """Return the beginning of an answer as a preview, with buttons; None if there is nothing to show yet."""
        shown = self.partial_text(platform, text, links)[: 2 * self._adapters[platform].most_characters]
        if not self.printed(shown):
            return None
        texts = await off_loop(len(shown), partial(self._cut, platform, closed(shown), links))
        return Part(self._ids.new(), texts[0], "preview", actions=_pressed(actions))

    async def displayable(self, platform: str, text: str, links: Collection[str]) -> str:
        """Return a text as an adapter may show it when it asks a person something."""
        return await off_loop(len(text), partial(self._gate(platform, links).gated, self.printed(text)))

    def partial_text(self, platform: str, text: str, links: Collection[str]) -> str:
        """Return a text still being written, up to where it can be checked."""
        return self._gate(platform, links).without_partial_url(text)

    def can_stream(self, platform: str, words: str, links: Collection[str]) -> bool:
        """Return whether these whole words may be shown before the rest of the text is known."""
        return self._gate(platform, links).is_plain(words)

    def _gate(self, platform: str, links: Collection[str]) -> ExitGate:
        return ExitGate(PassingLinks(links, self._listed), names=self._adapters[platform].links_names)

    def _cut(self, platform: str, text: str, links: Collection[str]) -> list[str]:
        safe = self.printed(text) or "…"
        if len(safe) > MOST_CHARACTERS:
            safe = closed(safe[:MOST_CHARACTERS]) + " […]"
        return self._gate(platform, links).parts(safe, self._adapters[platform].most_characters - _ROOM)

    def _cut_cards(self, platform: str, cards: Sequence[Card], links: Collection[str]) -> list[str]:
        limits = self._adapters[platform].card_limits
        assert limits is not None
        return [serialize(some) for some in gated_cards(cards, self._gate(platform, links), limits)]

    def printed(self, text: str) -> str:
        """Return a text without invisible or cursor-moving characters."""
        return printable(text).strip()


def _pressed(actions: Sequence[Action]) -> str:
    return json.dumps([asdict(action) for action in actions], ensure_ascii=False) if actions else ""


def serialize(cards: Sequence[Card]) -> str:
    """Serialize cards as a part's text."""
    return json.dumps([asdict(card) for card in cards], ensure_ascii=False)


def deserialize(text: str) -> tuple[Card, ...]:
    """Deserialize the cards that `serialize` wrote."""
    return tuple(Card(**one) for one in json.loads(text))


def gated_cards(cards: Sequence[Card], gate: ExitGate, limits: CardLimits) -> list[list[Card]]:
    """Return checked cards, grouped by message.

    A title is a link only if its URL is allowed verbatim, and neither title nor note shows a URL. A text longer than a card's
    limit continues in the next card.
    """
    messages: list[list[Card]] = [[]]
    remaining = limits.units
    for card in (part for whole in cards for part in _gated(whole, gate, limits)):
        size = units(card.title) + units(card.text) + units(card.note)
        if len(messages[-1]) == limits.cards or (messages[-1] and size > remaining):
            messages.append([])
            remaining = limits.units
        messages[-1].append(card)
        remaining -= size
    return messages


def _gated(card: Card, gate: ExitGate, limits: CardLimits) -> Iterator[Card]:
    no_links = replace(gate, allowed=NO_LINKS)
    title, note = _line(card.title, limits.title, no_links), _line(card.note, limits.note, no_links)
    whole = replace(card, title=title, note=note, link=card.link if card.link in gate.allowed else "")
    # A card's small print is placed under its last part alone.
    most = min(limits.text, limits.units - units(whole.title) - units(whole.note))
    text = printable(card.text).strip()
    *before, last = gate.parts(text, most) if text else [""]
    yield from (replace(whole, text=text, note="") for text in before)
    yield replace(whole, text=last)


def _line(text: str, most: int, gate: ExitGate) -> str:
    """Return a text as one line, truncated."""
    line = " ".join(printable(text).split())
    first, *rest = gate.parts(line, most - 1) if line else [""]
    return f"{first}…" if rest else first
