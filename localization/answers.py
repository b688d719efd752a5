"""How people say yes and no, whichever language they are asked in."""

from localization.sentences import lazy

YES = frozenset({"y", "yes", "j", "ja"})
NO = frozenset({"n", "no", "nein"})
CHOICE = lazy("[y/N]")
"""What stands behind a question that is answered so; nothing at all is a no."""
