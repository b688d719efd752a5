"""A gateway session as it is saved, and the terms under which it can be resumed."""

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
    """What a session is bound to: the token, the intents, the shard and the number of shards."""

    token: str = field(repr=False)
    intents: int
    shard: int
    shards: int

    @property
    def marks(self) -> Mapping[str, Any]:
        """The terms as they are saved, with a hash of the token."""
        return {**asdict(self), "token": sha256(self.token.encode()).hexdigest()}


@dataclass(frozen=True, slots=True)
class GatewaySession:
    """A session that was left: its id, URL and last event number, and its servers.

    `whole` means that no history was left to be read. `known` are the ids of the servers that were available, `away` those of the
    others. `left_at` is in microseconds UTC. `mark` is also in the notes.
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
        """Return whether Discord may still have it."""
        return 0 <= now - self.left_at <= MOST_SECONDS * 1_000_000


@dataclass(frozen=True, slots=True)
class SavedSession:
    """A session with the GUILD_CREATE payloads of its servers as JSON, in the order of `known`."""

    session: GatewaySession
    servers: Sequence[str] = field(repr=False)

    @classmethod
    def opened(cls, kept: bytes, terms: SessionTerms) -> Self:
        """Unpack a session. Raises ValueError with the reason if it is damaged or has other terms."""
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
    """Packs a session server by server: all at once would double the memory."""

    def __init__(self) -> None:
        self._zlib = zlib.compressobj(1)
        self._pieces: list[bytes] = []

    def add(self, server: Mapping[str, Any]) -> None:
        """Add the next available server."""
        self._put(f"{json.dumps(server)}\n")

    def packed(self, session: GatewaySession, terms: SessionTerms) -> bytes:
        """Return the packed session with its terms."""
        self._put(json.dumps({"format": _FORMAT, "terms": terms.marks, "session": asdict(session)}))
        return b"".join((*self._pieces, self._zlib.flush()))

    def _put(self, text: str) -> None:
        self._pieces.append(self._zlib.compress(text.encode("ascii")))
