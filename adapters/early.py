"""What is told whoever wrote to her alone before she listened for the first time."""

from localization.sentences import lazy

EARLY = lazy("You wrote to me before I was here for the first time, and I read nothing of that. Say it again, and I answer it.")
LATELY = 7 * 24 * 60 * 60 * 1_000_000
"""Nobody waits any more for an answer to what is older (microseconds)."""
