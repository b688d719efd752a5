"""An answer before it is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.reconciliation.used_messages import UsedMessage
from memory.tiers.messages.asides import Aside


@dataclass(frozen=True, slots=True)
class GeneratedAnswer:
    """An answer: its text, the keys of its sources, whether it only quotes memory, and the links it may show.

    `seen` is what was in view, as read from `read_at` (microseconds UTC) on, `asides` the messages in view that are not stored. `used` are the
    stored messages it may rest on, with where they were said. `raised` is the open topic it was asked to bring up. `tokens` counts
    those sent and received.
    """

    text: str
    sources: frozenset[int]
    echo: bool
    links: frozenset[str]
    read_at: int
    seen: Mapping[int, str] = field(default_factory=dict)
    asides: frozenset[Aside] = frozenset()
    used: Sequence[UsedMessage] = ()
    raised: frozenset[int] = frozenset()
    tokens: int = 0
