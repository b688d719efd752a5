"""The page's host names, its trusted proxies, and whether a request came encrypted."""

import ssl
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import web

from bot.config.environment import Environment
from bot.config.sections import WebSection
from bot.errors import BadConfig

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})


@dataclass(frozen=True, slots=True)
class HostNames:
    """The listening host, the accepted host names, the public URL, the proxies, and the TLS context."""

    host: str
    names: frozenset[str]
    address: str
    proxies: frozenset[str]
    tls: ssl.SSLContext | None

    def accepts_host(self, host: str) -> bool:
        """Return whether a request's Host header names this page, which defeats DNS rebinding."""
        name, _, port = host.lower().rpartition(":") if not host.endswith("]") and ":" in host else (host.lower(), "", "0")
        return port.isdecimal() and len(port) < 6 and name in self.names

    def accepts_peer(self, peer: str) -> bool:
        """Return whether an address may connect: behind proxies, only these and this machine."""
        return not self.proxies or peer in self.proxies or ip_address(peer).is_loopback

    def client_address(self, request: web.Request) -> str:
        """Return the client address of a request, as stated by a trusted proxy if there is one."""
        peer = request.remote or ""
        forwarded_for = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
        return forwarded_for if forwarded_for and peer in self.proxies else peer

    def is_encrypted(self, request: web.Request) -> bool:
        """Return whether a request is encrypted, from the browser's point of view."""
        return self.tls is not None or ((request.remote or "") in self.proxies and host_of(self.address) == request.host.lower())

    def url(self, port: int) -> str:
        """Return the URL that people open."""
        if self.address:
            return self.address
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{port}"


def reach(section: WebSection, environment: Environment) -> HostNames:
    """Return the reach from the configuration. Raises BadConfig if its certificate cannot be used."""
    names = {*LOOPBACK_NAMES, *([host_of(section.address).partition(":")[0]] if section.address else [])}
    tls = None
    if section.certificate:
        tls = _tls(environment.path(section.certificate), environment.path(section.certificate_key))
    return HostNames(section.host, frozenset(names), section.address, frozenset(section.proxies), tls)


def host_of(url: str) -> str:
    """Return the host of a URL with its port, '' if the URL is invalid."""
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""


def _tls(certificate: Path, key: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise BadConfig(
            "[web] names the certificate {certificate} with the key {key}, which cannot be used: {error}.",
            certificate=certificate,
            key=key,
            error=error,
        ) from error
    return context
