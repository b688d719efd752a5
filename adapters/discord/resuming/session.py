"""A gateway session as it is kept while nobody is connected, and whether it fits who would resume it."""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, Self

MOST_SECONDS = 300.0
"""How old a session may be to be resumed. Discord keeps one for "a few minutes", and one that it refuses costs five seconds."""

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Terms:
    """What a session is bound to: a bot's token and what it asked to hear of, and which shard of how many it is."""

    token: str = field(repr=False)
    intents: int
    shard: int
    shards: int

    @property
    def marks(self) -> Mapping[str, Any]:
        """These terms as they are kept: without the token itself."""
        return {**asdict(self), "token": sha256(self.token.encode()).hexdigest()}


@dataclass(frozen=True, slots=True)
class Session:
    """A session that was left: where Discord goes on with it, and what the library knew then.

    `whole` says that nothing was left to be read in any history. `known` are the servers that were available, as the gateway
    would tell of them; `away` are the ids of the others. `left_at` is in microseconds UTC. `mark` is the same in the notes.
    """

    id: str = field(repr=False)
    url: str
    sequence: int
    left_at: int
    mark: str
    whole: bool
    known: Sequence[Mapping[str, Any]] = field(repr=False)
    away: Sequence[int]

    def sealed(self, terms: Terms) -> bytes:
        """Return it with its terms, to be kept."""
        return zlib.compress(json.dumps({"format": _FORMAT, "terms": terms.marks, "session": asdict(self)}).encode(), 1)

    @classmethod
    def opened(cls, kept: bytes, terms: Terms) -> Self:
        """Read what was kept. Raises ValueError, which says why it does not fit these terms."""
        try:
            told = json.loads(zlib.decompress(kept))
            if told["format"] != _FORMAT:
                raise ValueError("another version kept it")
            if changed := [name for name, mark in terms.marks.items() if told["terms"].get(name) != mark]:
                raise ValueError(f"it is for {' and '.join(f'other {name}' for name in changed)}")
            return cls(**told["session"])
        except (zlib.error, LookupError, TypeError, AttributeError, json.JSONDecodeError, UnicodeDecodeError) as error:
            raise ValueError("it is damaged") from error

    def is_fresh(self, now: int) -> bool:
        """Say whether Discord may still have it."""
        return 0 <= now - self.left_at <= MOST_SECONDS * 1_000_000
