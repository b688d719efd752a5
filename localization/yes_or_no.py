"""Parsing yes and no in every supported language."""

from localization.sentences import lazy

YES = frozenset({"y", "yes", "j", "ja"})
NO = frozenset({"n", "no", "nein"})
CHOICE = lazy("[y/N]")
"""The suffix of a yes/no question; an empty answer means no."""
