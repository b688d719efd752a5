"""Which texts are questions, by the marks of all scripts."""

_MARKS = ("?", "？", "؟", "՞")
_GREEK_MARKS = (";", "\u037e")
_LOOKED_AT = 40
"""The characters before a semicolon that show whether it ends a Greek sentence."""


def is_question(text: str) -> bool:
    """Return whether a text ends with a question mark, which in Greek is a semicolon."""
    end = text.rstrip()
    return end.endswith(_MARKS) or (end.endswith(_GREEK_MARKS) and any("\u0370" <= char < "\u0400" for char in end[-_LOOKED_AT:]))


def asks(text: str) -> bool:
    """Return whether a text contains a question anywhere; a semicolon in Greek counts as one."""
    return any(mark in text for mark in (*_MARKS, "¿")) or any(is_question(line) for line in text.splitlines())
