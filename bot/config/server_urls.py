"""URLs of servers and databases, in the configuration and in commands."""

import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from bot.imports import imported
from localization.sentences import Sentence, _, lazy

API = ("http", "https"), "http://127.0.0.1:11434/v1"
"""The schemes of an OpenAI-compatible endpoint's URL, and an example."""
_LONGEST = 2000
_DATABASES = ("postgresql", "postgres")
_NAME = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?", re.IGNORECASE)
_NUMBERS = re.compile(r"\d+(?:\.\d+){3}")


def address(value: str, schemes: tuple[str, ...], example: str) -> str:
    """Return a URL without trailing slashes. Raises ValueError with one sentence in the current language."""
    if wrong := fault(value, schemes, example):
        raise ValueError(str(wrong))
    return value.rstrip("/")


def fault(value: str, schemes: tuple[str, ...], example: str) -> Sentence | None:
    """Return why a URL is invalid, None if it is valid."""
    if len(value) > _LONGEST:
        return lazy("an address has at most {most} characters", most=_LONGEST)
    if not _is_one(value, schemes):
        return lazy('"{value}" is not an address; write it like "{example}"', value=value, example=example)
    return None


def _is_one(value: str, schemes: tuple[str, ...]) -> bool:
    if not value.isprintable() or " " in value:
        return False
    try:
        parts = urlsplit(value)
        behind = parts.netloc.rpartition("]")[2] if "]" in parts.netloc else ""
        return parts.scheme in schemes and parts.port != 0 and behind[:1] in ("", ":") and _is_host(parts.hostname or "")
    except ValueError:  # unbalanced brackets, a port above 65535
        return False


def _is_host(host: str) -> bool:
    if ":" in host or _NUMBERS.fullmatch(host):
        return ip(host) is not None
    if not host.isascii():
        try:
            host = imported("idna:encode")(host).decode()
        except UnicodeError:
            return False
    return _NAME.fullmatch(host) is not None


def database_url(value: str, *, secret: bool) -> str:
    """Return a database URL.

    Raises ValueError, not showing the URL, if it is invalid, or has a password and is not `secret`.
    """
    try:
        parts = urlsplit(value)
        holds = parts.password is not None or "password=" in parts.query
        right = parts.scheme in _DATABASES and bool(parts.path.strip("/"))
    except ValueError:
        holds = right = False
    if not right:
        raise ValueError(_('that is not a database; write it like "postgresql://lyra@127.0.0.1/lyra"'))
    if holds and not secret:
        raise ValueError(
            _(
                "a password does not belong there: name it with password_env, an environment variable, or with password_file, a file"
            )
        )
    return value


def shown(url: str) -> str:
    """Return a URL as it may be shown to anyone: without user, password and query."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    return f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}{parts.path.rstrip('/')}"


def is_this_machine(base_url: str) -> bool:
    """Return whether a URL's host is this machine."""
    host = urlsplit(base_url).hostname or ""
    found = ip(host)
    return found.is_loopback if found else host == "localhost" or host.endswith(".localhost")


def is_nearby(base_url: str) -> bool:
    """Return whether a URL's host is this machine or in a private network."""
    found = ip(urlsplit(base_url).hostname or "")
    return found.is_private if found else is_this_machine(base_url)


def ip(host: str) -> IPv4Address | IPv6Address | None:
    """Return the IP address that a host states literally, None for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None
