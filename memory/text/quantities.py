"""Numbers of things, and how long ago an instant was, as people say them."""

from memory.types import MINUTE


def counted(n: int, what: str) -> str:
    """Return a number of things as people say it: 1 reply, 3 replies, 1,200 messages."""
    many = what.removesuffix("y") + "ies" if what.endswith("y") and what[-2] not in "aeiou" else what + "s"
    return f"{n:,} {what if n == 1 else many}"


def ago(at: int, now: int) -> str:
    """Return how long ago an instant was: just now, 3 minutes ago, 2 days ago."""
    minutes = max(0, now - at) // MINUTE
    for size, name in ((60 * 24, "day"), (60, "hour"), (1, "minute")):
        if n := minutes // size:
            return f"{counted(n, name)} ago"
    return "just now"
