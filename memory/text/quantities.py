"""How long ago an instant was, as a model is told."""

from memory.types import MINUTE


def ago(at: int, now: int) -> str:
    """Return how long ago an instant was: just now, 3 minutes ago, 2 days ago."""
    minutes = max(0, now - at) // MINUTE
    for size, name in ((60 * 24, "day"), (60, "hour"), (1, "minute")):
        if n := minutes // size:
            return f"{n:,} {name if n == 1 else f'{name}s'} ago"
    return "just now"
