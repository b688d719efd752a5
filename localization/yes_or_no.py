"""Yes and no as they are typed in English, German, French, Spanish and Italian, in lower case."""

from localization.sentences import lazy

YES = frozenset({"y", "yes", "yep", "yeah", "j", "ja", "oui", "sí", "si"})
NO = frozenset({"n", "no", "nope", "nein", "nee", "non"})
CHOICE = lazy("[y/N]")
"""The suffix of a yes/no question; an empty answer means no."""
