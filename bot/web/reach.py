"""Where the page is reached: the names it answers to, who may stand between, and whether the way is encrypted."""

import ssl
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import web

from bot.config.environment import Surroundings
from bot.config.sections import WebSection
from bot.errors import BadConfig
from localization.sentences import lazy

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})


@dataclass(frozen=True, slots=True)
class Reach:
    """Where to listen, under which names, and behind whom."""

    host: str
    names: frozenset[str]
    address: str
    proxies: frozenset[str]
    tls: ssl.SSLContext | None

    def knows(self, host: str) -> bool:
        """Say whether a request's Host is a name of this page: others lead here from pages that mean no good."""
        name, _, port = host.lower().rpartition(":") if not host.endswith("]") and ":" in host else (host.lower(), "", "0")
        return port.isdecimal() and len(port) < 6 and name in self.names

    def may_come(self, peer: str) -> bool:
        """Say whether a connection may come from an address: behind proxies, from them and this machine alone."""
        return not self.proxies or peer in self.proxies or ip_address(peer).is_loopback

    def caller(self, request: web.Request) -> str:
        """Return the address that a request comes from, as a proxy tells it where one stands between."""
        peer = request.remote or ""
        told = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
        return told if told and peer in self.proxies else peer

    def encrypted(self, request: web.Request) -> bool:
        """Say whether a request came over an encrypted way, as far as the person's browser knows."""
        return self.tls is not None or ((request.remote or "") in self.proxies and _host(self.address) == request.host.lower())

    def url(self, port: int) -> str:
        """Return what people type to open the page."""
        if self.address:
            return self.address
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{port}"


def reach(section: WebSection, around: Surroundings) -> Reach:
    """Return where the page is reached, by the configuration. Raises BadConfig where its certificate cannot be used."""
    names = {*LOOPBACK_NAMES, *([_host(section.address).partition(":")[0]] if section.address else [])}
    tls = None
    if section.certificate:
        tls = _tls(around.path(section.certificate), around.path(section.certificate_key))
    return Reach(section.host, frozenset(names), section.address, frozenset(section.proxies), tls)


def _host(address: str) -> str:
    return urlsplit(address).netloc.lower()


def _tls(certificate: Path, key: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise BadConfig(
            lazy(
                "[web] names the certificate {certificate} with the key {key}, which cannot be used: {error}.",
                certificate=certificate,
                key=key,
                error=error,
            )
        ) from error
    return context
