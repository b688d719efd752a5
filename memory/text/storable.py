"""Text cleaned for storage and terminals."""

import re

EMPTY = "[an empty message]"
"""What an empty message without attachments is shown as."""
_REMOVED = re.compile(r"[\x00-\x08\x0b-\x1f]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def clean(text: str) -> str:
    r"""Return text that every store and terminal can hold.

    Control characters other than \n and \t are removed (so CRLF becomes \n), lone surrogates become U+FFFD.
    """
    return _SURROGATES.sub("\ufffd", _REMOVED.sub("", text))
