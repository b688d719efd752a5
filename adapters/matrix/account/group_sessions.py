"""The keys of encrypted rooms: read from the key store when a message needs one. Over years there are tens of thousands."""

from collections.abc import Callable, Iterator

from nio.crypto import GroupSessionStore, InboundGroupSession

from adapters.recent import Recent

_MOST = 2_000
"""How many sessions are kept at hand."""

Read = Callable[[str], InboundGroupSession | None]


class GroupSessions(GroupSessionStore):  # type: ignore[misc]
    """The sessions of all rooms. `read` reads the one with an id from the key store, `every` all of them."""

    def __init__(self, read: Read, every: Callable[[], Iterator[InboundGroupSession]]) -> None:
        super().__init__()
        self._read = read
        self._every = every
        self._at_hand: Recent[tuple[str, str, str], InboundGroupSession] = Recent(_MOST)

    def __iter__(self) -> Iterator[InboundGroupSession]:
        return self._every()

    def add(self, session: InboundGroupSession) -> bool:
        """Take a session; return whether it says more than what is known of it."""
        known = self.get(session.room_id, session.sender_key, session.id)
        if known is not None and not is_better(session, known):
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


def is_better(new: InboundGroupSession, known: InboundGroupSession) -> bool:
    """Return whether a session is the same as a known one of its id, and reads what was said before it, too.

    Whoever has a session can hand it on from a later message on, as one of their own.
    """
    same = (new.room_id, new.sender_key, new.ed25519) == (known.room_id, known.sender_key, known.ed25519)
    return same and new.first_known_index < known.first_known_index
