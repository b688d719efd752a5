"""The key stores of nio's client: one SQLite file per device, which only its owner can read."""

import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import peewee  # type: ignore[import-untyped]
import vodozemac
from nio import AsyncClient, AsyncClientConfig
from nio.crypto import GroupSessionStore, InboundGroupSession
from nio.store import SqliteStore
from nio.store.database import use_database
from nio.store.models import MegolmInboundSessions

from adapters.errors import PlatformFailure, PlatformRefused
from adapters.matrix.account.client import Client
from adapters.recent import Recent

_TRIES = 2
_UNREADABLE = (peewee.DatabaseError, vodozemac.PickleException, vodozemac.LibolmPickleException, ValueError)
_MOST_SESSIONS = 2_000
"""How many sessions of rooms are kept in memory."""


class KeysUnreadable(Exception):
    """A key store is damaged, or was written with another pickle key."""


class _GroupSessions(GroupSessionStore):  # type: ignore[misc]
    """The keys of encrypted rooms, read from the key store when a message needs one: over years there are tens of thousands.

    `read` reads the session with an id, `every` all of them.
    """

    def __init__(
        self, read: Callable[[str], InboundGroupSession | None], every: Callable[[], Iterator[InboundGroupSession]]
    ) -> None:
        super().__init__()
        self._read = read
        self._every = every
        self._at_hand: Recent[tuple[str, str, str], InboundGroupSession] = Recent(_MOST_SESSIONS)

    def __iter__(self) -> Iterator[InboundGroupSession]:
        return self._every()

    def add(self, session: InboundGroupSession) -> bool:
        """Take a session; return whether it says more than what is known of it."""
        known = self.get(session.room_id, session.sender_key, session.id)
        if known is not None and not _is_better(session, known):
            return False
        self._at_hand[session.room_id, session.sender_key, session.id] = session
        return True

    def get(self, room_id: str, sender_key: str, session_id: str) -> InboundGroupSession | None:
        """Return a session of a room and a sender, None if there is none."""
        key = (room_id, sender_key, session_id)
        found = self._at_hand.get(key) or self._read(session_id)
        if found is None or (found.room_id, found.sender_key) != (room_id, sender_key):
            return None
        self._at_hand[key] = found
        return found


def _is_better(new: InboundGroupSession, known: InboundGroupSession) -> bool:
    """Return whether a session is the same as a known one of its id, and reads what was said before it, too.

    Whoever has a session can hand it on from a later message on, as one of their own.
    """
    same = (new.room_id, new.sender_key, new.ed25519) == (known.room_id, known.sender_key, known.ed25519)
    return same and new.first_known_index < known.first_known_index


class _Store(SqliteStore):  # type: ignore[misc]
    """A store that keeps its key out of its repr, and leaves nothing open if it cannot be read."""

    def __post_init__(self) -> None:
        try:
            super().__post_init__()
        except BaseException:
            self.database.close()
            raise

    def __repr__(self) -> str:
        return f"<key store of {self.device_id}>"

    def load_inbound_group_sessions(self) -> _GroupSessions:
        """Return the sessions, none of them read yet."""
        return _GroupSessions(self._group_session, self._group_sessions)

    def save_inbound_group_session(self, session: InboundGroupSession) -> None:
        """Save a session unless the same state is saved under its id."""
        known = self._group_session(session.id)
        if known is None or _is_better(session, known):
            super().save_inbound_group_session(session)

    @use_database  # type: ignore[untyped-decorator]
    def _group_session(self, id: str) -> InboundGroupSession | None:
        row = MegolmInboundSessions.get_or_none(MegolmInboundSessions.session_id == id)
        return self._unpickled(row) if row else None

    @use_database  # type: ignore[untyped-decorator]
    def _group_sessions(self) -> Iterator[InboundGroupSession]:
        return iter([session for row in MegolmInboundSessions.select() if (session := self._unpickled(row))])

    def _unpickled(self, row: MegolmInboundSessions) -> InboundGroupSession | None:
        chain = [one.sender_key for one in row.forwarded_chains]
        try:
            return InboundGroupSession.from_pickle(row.session, row.fp_key, row.sender_key, row.room_id, self.pickle_key, chain)
        except _UNREADABLE:
            return None


@dataclass(frozen=True)
class _Config(AsyncClientConfig):  # type: ignore[misc]
    pickle_key: str = field(default="", repr=False)


class KeyStores:
    """The folder of the key stores, which are encrypted with `pickle_key`."""

    kind: type[AsyncClient] = Client

    def __init__(self, folder: Path, pickle_key: str) -> None:
        self._folder = folder
        self._pickle_key = pickle_key

    def client(self, homeserver: str, user: str, device: str) -> AsyncClient:
        """Return a client that has no token yet, and loads its keys only with one."""
        config = _Config(store=_Store, store_name=self.path(device).name, pickle_key=self._pickle_key, max_timeouts=_TRIES)
        return self.kind(homeserver.rstrip("/"), user, device, str(self._folder), config)

    @asynccontextmanager
    async def briefly(self, homeserver: str, user: str, device: str) -> AsyncIterator[AsyncClient]:
        """Yield such a client for the block, and close it afterwards."""
        client = self.client(homeserver, user, device)
        try:
            yield client
        finally:
            await close(client)

    def prepare(self) -> None:
        """Create the folder, readable by its owner only. Raises PlatformRefused if it cannot be written."""
        with self._writing():
            self._folder.mkdir(parents=True, exist_ok=True)
            self._folder.chmod(0o700)

    def unlock(self, client: AsyncClient, user: str, token: str) -> str:
        """Give a client its token and its keys, created if there are none; return the key that identifies the device.

        Raises KeysUnreadable, PlatformFailure if transient, or like `prepare`.
        """
        with self._writing():
            file = self.path(client.device_id)
            # SQLite gives the journal the mode of its file.
            os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
            file.chmod(0o600)
        try:
            client.restore_login(user, client.device_id, token)
        except peewee.OperationalError as error:
            raise PlatformFailure(
                "The keys in {folder} cannot be used just now ({error}); Lyra tries again.", folder=self._folder, error=error
            ) from None
        except _UNREADABLE:
            raise KeysUnreadable from None
        assert client.olm is not None
        return str(client.olm.account.identity_keys["ed25519"])

    def path(self, device: str) -> Path:
        """Return the path of a device's key store."""
        return self._folder / f"{quote(device, safe='')}.db"

    def remove(self, device: str) -> None:
        """Remove the key store of a device that no longer exists."""
        path = self.path(device)
        with self._writing():
            for one in (path, path.with_name(f"{path.name}-journal")):
                one.unlink(missing_ok=True)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PlatformRefused(
                "Lyra cannot keep her keys in {folder} ({strerror}); let her write there.",
                folder=self._folder,
                strerror=error.strerror,
            ) from None


async def close(client: AsyncClient) -> None:
    """Close a client and its key store."""
    await client.close()
    if client.store is not None:
        client.store.database.close()
