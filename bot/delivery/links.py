"""Which links may pass the exit: those that people in view gave, and those that the operator allows."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from bot.delivery.urls import addresses, has_link
from localization.sentences import _
from memory.text.off_loop import off_loop
from memory.types import Exchange, Kind

NO_LINKS: frozenset[str] = frozenset()
"""For text that shows no links, whether composed by code or quoted from people."""

_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_ENTRY = re.compile(
    rf"(?P<below>\*\.)?(?P<domain>{_HOST}\.[A-Za-z][A-Za-z0-9-]*)"
    rf"|(?P<origin>[Hh][Tt][Tt][Pp][Ss]?://{_HOST}(?::\d{{1,5}})?)(?P<path>/[\w\-.~!$&'()*+,;=:@%/]*)?"
)
# What every client and browser parses in the same way, with no earlier end; anything else is not considered.
_ADDRESS = re.compile(
    rf"(?:(?P<scheme>[Hh][Tt][Tt][Pp][Ss]?)://)?(?P<host>{_HOST})(?P<port>:\d{{1,5}})?"
    r"(?P<path>/[\w\-.~!$&'()+,;=:@%/]*)?(?P<more>[?#][\w\-.~!$&'()+,;=:@%/?#]*)?"
)
_NAME_BEHIND_AN_END = re.compile(r"[(),;!$'].*\.[^\W\d_]{2}")
_LEADS_UP = re.compile(r"(?:^|/)(?:\.|%2e){1,2}(?:/|$)|%2f|%5c", re.IGNORECASE)


class AllowList:
    """The operator's `[exit] links`.

    "example.org" allows every URL at that host, "*.example.org" those at any subdomain, and "https://example.org/docs/" every
    URL with that prefix. Raises ValueError for any other entry.
    """

    def __init__(self, entries: Iterable[str]) -> None:
        self._domains: set[str] = set()
        self._below: set[str] = set()
        self._beginnings: set[tuple[str, str]] = set()
        for entry in entries:
            self._add(entry)

    def _add(self, entry: str) -> None:
        if entry.strip("*.") == "":
            raise ValueError(_('"{entry}" would let every link pass; name domains like "example.org"', entry=entry))
        found = _ENTRY.fullmatch(entry)
        if not found or _LEADS_UP.search(found["path"] or ""):
            raise ValueError(
                _(
                    '"{entry}" is neither a domain nor the beginning of an address; write it like "example.org", '
                    '"*.example.org" or "https://example.org/docs/"',
                    entry=entry,
                )
            )
        if found["domain"]:
            (self._below if found["below"] else self._domains).add(found["domain"].lower())
        else:
            self._beginnings.add((found["origin"].lower(), found["path"] or "/"))

    def __contains__(self, address: object) -> bool:
        found = _ADDRESS.fullmatch(address) if isinstance(address, str) else None
        if not found or _LEADS_UP.search(path := found["path"] or "/"):
            return False
        # A URL within the URL would stand by itself if a client ends the outer one before it.
        rest = path + (found["more"] or "")
        if "~~" in rest or has_link(rest) or _NAME_BEHIND_AN_END.search(rest):
            return False
        host, port = found["host"].lower(), found["port"] or ""
        if not port and (host in self._domains or any(host.endswith(f".{domain}") for domain in self._below)):
            return True
        origin = f"{(found['scheme'] or '').lower()}://{host}{port}"
        return any(origin == begin and _begins(path, prefix) for begin, prefix in self._beginnings)


@dataclass(frozen=True, slots=True)
class PassingLinks:
    """The URLs that may pass in one text: those that people in view `said`, verbatim, and those the operator `listed`."""

    said: Collection[str]
    listed: AllowList

    def __contains__(self, address: object) -> bool:
        return address in self.said or address in self.listed


def _begins(path: str, prefix: str) -> bool:
    """Return whether a path equals a prefix, or continues it with a further segment."""
    return path == prefix or path.startswith(prefix if prefix.endswith("/") else f"{prefix}/")


async def written_urls(messages: Iterable[Exchange], quotes: Iterable[str] = ()) -> frozenset[str]:
    """Return the URLs in people's messages and in quotes of people."""
    sources = [*(message.text for message in messages if message.kind is Kind.SAID), *quotes]
    return await off_loop(sum(map(len, sources)), lambda: frozenset[str]().union(*map(addresses, sources)))


def configured(text: str, *, owner: bool) -> frozenset[str]:
    """Return the URLs in a text composed from the configuration, for the operator; none for anybody else."""
    return addresses(text) if owner else NO_LINKS
