"""What goes wrong with a request to any of the fakes' servers: a bare status, a lost answer, one that is held."""

import asyncio
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Status:
    """Answer with a bare status, as a broken server or front does. With `accepted` the request has taken effect all the same."""

    status: int
    accepted: bool = False
    text: str = "upstream error"


@dataclass(frozen=True)
class Lost:
    """Close the connection instead of answering; the request has taken effect, or with `accepted=False` has not."""

    accepted: bool = True


@dataclass
class Held:
    """Take effect, then keep the answer until the test lets it go."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    go: asyncio.Event = field(default_factory=asyncio.Event)
    before: bool = False
    """Hold the request before it takes effect instead."""
