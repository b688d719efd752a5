"""Where the answer to a call goes: all that must outlive a restart, as one opaque string."""

import json
from dataclasses import dataclass, field

_PREFIX = "call "
_LIFE = 15 * 60 * 1_000_000


@dataclass(frozen=True, slots=True)
class Address:
    """A call's own way back, for fifteen minutes. `heard_at` is in microseconds UTC; the token is a secret.

    `private` says that only the person who called reads the answer.
    """

    application: int
    interaction: int
    token: str = field(repr=False)
    heard_at: int
    private: bool

    def text(self) -> str:
        """Return the address as it is kept."""
        return _PREFIX + json.dumps([self.application, self.interaction, self.token, self.heard_at, self.private])

    def late(self, now: int) -> bool:
        """Whether the fifteen minutes are over."""
        return now - self.heard_at > _LIFE


def read_address(text: str) -> Address | None:
    """Return the address that `text` wrote; None where the string is the id of a message, or empty."""
    if not text.startswith(_PREFIX):
        return None
    application, interaction, token, heard_at, private = json.loads(text.removeprefix(_PREFIX))
    return Address(application, interaction, token, heard_at, private)
