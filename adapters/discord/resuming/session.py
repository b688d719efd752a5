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
class SessionTerms:
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
class GatewaySession:
    """A session that was left: where Discord goes on with it, and which servers it was of.

    `whole` says that nothing was left to be read in any history. `known` are the ids of the servers that were available, `away`
    those of the others. `left_at` is in microseconds UTC. `mark` is the same in the notes.
    """

    id: str = field(repr=False)
    url: str
    sequence: int
    left_at: int
    mark: str
    whole: bool
    known: Sequence[int]
    away: Sequence[int]

    def is_fresh(self, now: int) -> bool:
        """Say whether Discord may still have it."""
        return 0 <= now - self.left_at <= MOST_SECONDS * 1_000_000


@dataclass(frozen=True, slots=True)
class SavedSession:
    """A session with its servers as the gateway would tell of them: each a JSON text, in the order of `known`."""

    session: GatewaySession
    servers: Sequence[str] = field(repr=False)

    @classmethod
    def opened(cls, kept: bytes, terms: SessionTerms) -> Self:
        """Read what `Packing` packed. Raises ValueError, which says why it does not fit these terms."""
        try:
            *servers, last = zlib.decompress(kept).decode("ascii").split("\n")
            told = json.loads(last)
            if told["format"] != _FORMAT:
                raise ValueError("another version kept it")
            if changed := [name for name, mark in terms.marks.items() if told["terms"].get(name) != mark]:
                raise ValueError(f"it is for {' and '.join(f'other {name}' for name in changed)}")
            session = GatewaySession(**told["session"])
        except (zlib.error, LookupError, TypeError, AttributeError, json.JSONDecodeError, UnicodeDecodeError) as error:
            raise ValueError("it is damaged") from error
        if len(servers) != len(session.known):
            raise ValueError("it is damaged")
        return cls(session, servers)


class Packing:
    """Packs a session server by server: all of them at once would take as much memory again as the library does."""

    def __init__(self) -> None:
        self._zlib = zlib.compressobj(1)
        self._pieces: list[bytes] = []

    def add(self, server: Mapping[str, Any]) -> None:
        """Add the next of the servers that were available."""
        self._put(f"{json.dumps(server)}\n")

    def packed(self, session: GatewaySession, terms: SessionTerms) -> bytes:
        """Return all of it, with the session and its terms."""
        self._put(json.dumps({"format": _FORMAT, "terms": terms.marks, "session": asdict(session)}))
        return b"".join((*self._pieces, self._zlib.flush()))

    def _put(self, text: str) -> None:
        self._pieces.append(self._zlib.compress(text.encode("ascii")))
