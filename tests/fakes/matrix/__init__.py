"""A real homeserver for tests, its people, and a way to it on which things go wrong.

What Synapse 1.163.2 and matrix-nio 0.26.0 taught here, for whoever writes the adapter. Of the homeserver:

- The first sync after a join shows up to ten messages from before the join and before the cursor, as `limited`. Only a
  position in the room tells that they are old; a walk from `prev_batch` to the cursor finds nothing there.
- A gap is walked with `/messages`, `dir=b`, from `prev_batch`, `to` the sync token of before: it ends by itself, without `end`.
- A transaction id is known for 24 hours, over restarts and new tokens of the same device; another device
  makes a second message with it. `unsigned.transaction_id` in `/sync` and `/messages` tells the sending device which event is its.
- The server accepts edits of other people's messages and leaves them unbundled: compare the senders. A thread on an event that
  has a relation is refused: 400 M_UNKNOWN. `/event` gives the original of an edited message, with the edit bundled beside it.
- A redaction blanks the original only; edits of it stay readable until each is redacted. From room version 11 on `redacts`
  stands in the content.
- Of 64 KiB, about 60,000 bytes of text fit: 65,000 are refused with 413 M_TOO_LARGE. HTML and ciphertext count, too.
- What is said at the moment of a change stands beside it, not after it: the next sync then tells in `state` of what was before the
  change, and whoever believes it has just left the room that they came to. The event that stands says what it replaced:
  `unsigned.replaces_state`.
- An invite's stripped state tells a space (`m.room.create`), encryption, and `is_direct` in the invited user's own membership.
- A room id of version 12 has no colon. Its creator has more power than any number and is not listed in the power levels.

Of matrix-nio:

- `room_send` and `sync` wait out 429 by themselves. Other errors come back as RoomSendError and SyncError whose `status_code`
  is 'M_UNKNOWN_TOKEN' or, for what is no JSON, None: then `transport_response.status` tells.
- A connection that breaks is tried again below nio, by aiohttp, and then `max_timeouts` times by nio, under the same transaction
  id. With 2 that were six requests within 0.2 s, then `aiohttp.ServerDisconnectedError` is raised, which is no nio error.
- A sync that is not answered ends after its own timeout and 15 s more, and is then asked again without a word.
- A one-time key count of 0 is taken for none given, so that the store is refilled only by what was used before: set
  `client.olm.uploaded_key_count` from `device_key_count` after each sync, 0 included.
- `invite_state` drops what is not a membership, name, alias or avatar: encryption and spaces do not show, and
  `invited_rooms[...].encrypted` is False for an encrypted DM. Read them from the state after the join, or from raw JSON.
- `room_send` into a room that was not synced yet raises LocalProtocolError if there is a key store; without one it sends plaintext.
- A refusal of keys may come in the same sync as the message; an undecryptable message stays a MegolmEvent for good, and has to
  be decrypted again (`client.decrypt_event`) once its key is there. A redacted one is a RedactedEvent.
- Its store binds its tables for the whole process: clients with keys live in one thread, or trip over each other.
- The store's `.db` is made 0644. `AsyncClient.close()` leaves it open, which Python 3.13 warns of: `client.store.database.close()`.
"""

from tests.fakes.matrix.client import Client, Refused
from tests.fakes.matrix.events import Event
from tests.fakes.matrix.faults import UNKNOWN_TOKEN, Held, Lost, RateLimit, Refuse, Status, Then
from tests.fakes.matrix.people import People, Person
from tests.fakes.matrix.proxy import Call, Proxy
from tests.fakes.matrix.signing import PublicKeys
from tests.fakes.matrix.synapse import Synapse, SynapseFailed

__all__ = [
    "UNKNOWN_TOKEN",
    "Call",
    "Client",
    "Event",
    "Held",
    "Lost",
    "People",
    "Person",
    "Proxy",
    "PublicKeys",
    "RateLimit",
    "Refuse",
    "Refused",
    "Status",
    "Synapse",
    "SynapseFailed",
    "Then",
]
