"""Cards at the exit gate: all their texts are checked, and they are distributed over messages as the platform allows.

They are frozen into the outbox as JSON, in their final form.
"""

import json
from collections.abc import Container, Iterator, Sequence
from dataclasses import asdict, replace

from adapters.command_table import Card, CardLimits
from adapters.markup import printable
from adapters.splitting import units
from bot.delivery.exit_gate import gated_parts
from bot.delivery.links import NO_LINKS

CARDS = "cards"
"""The form of a part whose text is cards."""


def serialize(cards: Sequence[Card]) -> str:
    """Serialize cards as a part's text."""
    return json.dumps([asdict(card) for card in cards], ensure_ascii=False)


def deserialize(text: str) -> tuple[Card, ...]:
    """Deserialize the cards that `serialize` wrote."""
    return tuple(Card(**one) for one in json.loads(text))


def gated_cards(cards: Sequence[Card], allowed: Container[str], limits: CardLimits, *, names: bool) -> list[list[Card]]:
    """Return checked cards, grouped by message.

    A title is a link only if its URL is `allowed` verbatim, and neither title nor note shows a URL. A text longer than a card's
    limit continues in the next card.
    """
    messages: list[list[Card]] = [[]]
    remaining = limits.units
    for card in (part for whole in cards for part in _gated(whole, allowed, limits, names=names)):
        size = units(card.title) + units(card.text) + units(card.note)
        if len(messages[-1]) == limits.cards or (messages[-1] and size > remaining):
            messages.append([])
            remaining = limits.units
        messages[-1].append(card)
        remaining -= size
    return messages


def _gated(card: Card, allowed: Container[str], limits: CardLimits, *, names: bool) -> Iterator[Card]:
    whole = replace(
        card,
        title=_line(card.title, limits.title, names=names),
        note=_line(card.note, limits.note, names=names),
        link=card.link if card.link in allowed else "",
    )
    # A card's small print is placed under its last part alone.
    most = min(limits.text, limits.units - units(whole.title) - units(whole.note))
    text = printable(card.text).strip()
    *before, last = gated_parts(text, allowed, most, names=names) if text else [""]
    yield from (replace(whole, text=text, note="") for text in before)
    yield replace(whole, text=last)


def _line(text: str, most: int, *, names: bool) -> str:
    """Return a text as one line, truncated, in which no URL becomes a link."""
    line = " ".join(printable(text).split())
    first, *rest = gated_parts(line, NO_LINKS, most - 1, names=names) if line else [""]
    return f"{first}…" if rest else first
