"""URLs in text: what any client may take for one, and where it begins and ends."""

import html
import re

from memory.text.lazy_patterns import lazy_pattern

_LONGEST_SAID = 4_000

# White space as browsers define it; Python's further characters do not end a URL.
_GAP = r"\t\n\v\f\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
SCHEME = r"[a-z][a-z0-9+.-]{1,31}:"
WITHOUT_SLASHES = (
    "https?|ftps?|file|mailto|javascript|vbscript|data|blob|tel|callto|sms|smsto|sips?|xmpp|matrix|magnet|geo|im|news|urn"
    "|bitcoin|openpgp4fpr"
)
DOMAIN = r"(?:[\w-]+\.)+(?:[^\W\d_]{2,}|xn--[\w-]+)"
# A superset of what any client takes for the start of a URL.
_BEGIN = (
    rf"(?<![a-z0-9+.-])[a-z0-9+.-]+://(?=[^{_GAP}<])"
    rf"|(?<![a-z0-9])(?:{WITHOUT_SLASHES}):(?=[^{_GAP}<])"
    rf"|(?<![a-z0-9])www\.(?=[^{_GAP}<])"
    r"|discord\.gg"
    rf"|(?<![\w-])(?<![\w-]\.)(?:{DOMAIN}(?:/|[?#](?=\w)|:\d)|localhost:\d)"
    rf"|//{DOMAIN}"
    rf"|(?<![\w.+%-])[\w.+%-]+@{DOMAIN}"
)
# What some clients turn into links too: any dotted name, IP addresses, and Matrix users and rooms.
_NAME = (
    rf"|(?<![\w-])(?<![\w-]\.){DOMAIN}(?![^\W_])"
    r"|(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\.?\w)"
    r"|[@#!+][\w.=/+-]+:\w"
)


def _addresses(begin: str) -> re.Pattern[str]:
    rest = rf"(?:(?!\]\()[^{_GAP}<])*"
    found = rf"(?<!\\)<(?:{SCHEME}|[\w.+%-]+@|\+\d)[^{_GAP}<>]*>|(?:{begin}){rest}"
    # No match begins with another character: without this, each mark in a long text would be tried as every kind of beginning.
    return lazy_pattern(rf"(?=[\w<+.%/@#!-])(?:{found})", re.IGNORECASE)


ADDRESS = _addresses(_BEGIN)
ADDRESS_OR_NAME = _addresses(_BEGIN + _NAME)
WORD = lazy_pattern(rf"[^{_GAP}]+")
# Every URL contains one of these signs.
_SIGNED_WORD = lazy_pattern(rf"(?<![^{_GAP}])[^{_GAP}/.:@<]*+[/.:@<][^{_GAP}]*+")
_AFTER = "`\"'.,:;!?*_~|>}»”’。，：；！？、）】」』》"


def addresses(text: str) -> frozenset[str]:
    """Return every URL in a text, verbatim, without the punctuation around it."""
    return frozenset(
        bare(match[0])
        for word in dict.fromkeys(_SIGNED_WORD.findall(text))
        if len(word) <= _LONGEST_SAID
        for pattern in (ADDRESS, ADDRESS_OR_NAME)
        for match in pattern.finditer(word)
    )


def has_link(text: str) -> bool:
    """Return whether a text contains anything that every client turns into a link, even within a longer URL."""
    return ADDRESS.search(text) is not None


def bare(found: str) -> str:
    """Return a URL without surrounding punctuation; a closing bracket stays if the URL contains the opening one."""
    if found.startswith("<"):
        return found[1:-1]
    address = found.rstrip(_AFTER + ")]")
    opened = max(0, address.count("(") - address.count(")"))
    rest = found[len(address) :]
    return address + rest[: min(opened, len(rest) - len(rest.lstrip(")")))]


def decoded(text: str) -> str:
    """Return a text as Markdown renders it: with entities and escapes resolved."""
    return re.sub(
        r"\\([!-/:-@\[-`{-~])|&(?:#\d{1,7}|#x[\da-f]{1,6}|\w{1,32});",
        lambda m: m[1] or html.unescape(m[0]),
        text,
        flags=re.IGNORECASE,
    )
