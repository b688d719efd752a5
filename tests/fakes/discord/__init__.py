"""A loopback Discord for tests: the world, its people, its faults, and the server that speaks for it.

What running discord.py 2.7.1 against it taught, for whoever writes the adapter:

- A connection reset after a send was accepted is never retried on Linux (it looks for errno 54 and 10054, not 104):
  `aiohttp.ClientConnectionError`, which is no `DiscordException`, reaches the caller. Resend under the same nonce.
- Interactions and webhooks are retried on every status from 500 on, 503 included, and ignore the global limit; the main
  client does not retry 503.
- `on_guild_join` fires only where GUILD_CREATE has no `unavailable`; while it waits to be ready it is `guild_available`.
- The callback answer to a defer carries no message, only `response_message_id` and `response_message_loading`.
- `tts` in edits and callbacks, `nsfw` in commands and `use_nested_fields` in forum posts are sent though undescribed.
- After close 4004 or 4014 `start()` raises but `is_closed()` stays false: watch the task.
- A thread on a message begins with an empty message of type 21, one without puts a type 18 into the parent.
- `history()` without READ_MESSAGE_HISTORY is an empty page, not an error; `fetch_message` is refused with 50013.
- `AllowedMentions` without `replied_user` does not ping the person answered.
"""

from tests.fakes.discord.calls import Call
from tests.fakes.discord.faults import Held, Lost, RateLimit, Status, Then
from tests.fakes.discord.interactions import Interaction
from tests.fakes.discord.people import Person
from tests.fakes.discord.pointing import Listener, pointed_at, running
from tests.fakes.discord.server import DiscordServer
from tests.fakes.discord.spec import SpecMissing
from tests.fakes.discord.things import USUAL, Channel, Guild, Kind, Message, Right, Role, User

__all__ = [
    "USUAL",
    "Call",
    "Channel",
    "DiscordServer",
    "Guild",
    "Held",
    "Interaction",
    "Kind",
    "Listener",
    "Lost",
    "Message",
    "Person",
    "RateLimit",
    "Right",
    "Role",
    "SpecMissing",
    "Status",
    "Then",
    "User",
    "pointed_at",
    "running",
]
