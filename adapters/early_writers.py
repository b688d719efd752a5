"""What is told to people who wrote to Lyra privately before she listened for the first time."""

from localization.sentences import lazy

EARLY = lazy("You wrote to me before I was here for the first time, and I read nothing of that. Say it again, and I answer it.")
LATELY = 7 * 24 * 60 * 60 * 1_000_000
"""The age (microseconds) beyond which nobody waits for an answer any more."""
