"""Cards at the exit: each of their texts is judged as any other, and as many go into one message as the platform takes.

They are frozen into the outbox as JSON, as they go out.
"""

import json
from collections.abc import Container, Iterator, Sequence
from dataclasses import asdict, replace

from adapters.command_table import Card, CardLimits
from adapters.markup import printable
from adapters.splitting import units
from bot.delivery.gate import gated_parts
from bot.delivery.links import NO_LINKS

CARDS = "cards"
"""The form of a part whose text is cards."""


def frozen(cards: Sequence[Card]) -> str:
    """Return cards as a part's text."""
    return json.dumps([asdict(card) for card in cards], ensure_ascii=False)


def thawed(text: str) -> tuple[Card, ...]:
    """Return the cards that `frozen` wrote."""
    return tuple(Card(**one) for one in json.loads(text))


def gated_cards(cards: Sequence[Card], allowed: Container[str], limits: CardLimits, *, names: bool) -> list[list[Card]]:
    """Return cards as they may leave, those of each message by themselves.

    A title leads only where that is `allowed`, word for word, and shows no address itself, nor does a note. A text that is
    longer than a card takes goes on in the next one.
    """
    messages: list[list[Card]] = [[]]
    left = limits.units
    for card in (part for whole in cards for part in _gated(whole, allowed, limits, names=names)):
        size = units(card.title) + units(card.text) + units(card.note)
        if len(messages[-1]) == limits.cards or (messages[-1] and size > left):
            messages.append([])
            left = limits.units
        messages[-1].append(card)
        left -= size
    return messages


def _gated(card: Card, allowed: Container[str], limits: CardLimits, *, names: bool) -> Iterator[Card]:
    whole = replace(
        card,
        title=_line(card.title, limits.title, names=names),
        note=_line(card.note, limits.note, names=names),
        link=card.link if card.link in allowed else "",
    )
    # What is said of a card in small print stands under its last part alone.
    most = min(limits.text, limits.units - units(whole.title) - units(whole.note))
    text = printable(card.text).strip()
    *before, last = gated_parts(text, allowed, most, names=names) if text else [""]
    yield from (replace(whole, text=text, note="") for text in before)
    yield replace(whole, text=last)


def _line(text: str, most: int, *, names: bool) -> str:
    """Return a text as one line that shows no address as a link, cut where it is too long."""
    line = " ".join(printable(text).split())
    first, *rest = gated_parts(line, NO_LINKS, most - 1, names=names) if line else [""]
    return f"{first}…" if rest else first
