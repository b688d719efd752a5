"""Sign-in: a one-time link, and the session cookie that it leaves in the browser.

Only the hashes of both are stored, in the encrypted memory, so that `lyra web` can make a link that `lyra run` accepts, and a
browser stays signed in across restarts.
"""

import hmac
import secrets
from dataclasses import dataclass
from hashlib import sha256

from memory.places.scope_settings import KeptSettings
from memory.ports import Clock
from memory.types import DAY, MINUTE, Identity

LINK_MINUTES = 10
COOKIE_DAYS = 30
_LINKS, _COOKIES = "web links", "web cookies"
_LASTS = {_LINKS: LINK_MINUTES * MINUTE, _COOKIES: COOKIE_DAYS * DAY}


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A signed-in identity, its form token, which no other page knows, and the account whose memory it chose to read."""

    identity: Identity
    form_token: str
    reads: Identity

    def wrote_form(self, form_token: str) -> bool:
        """Return whether a form token is this browser's."""
        return hmac.compare_digest(form_token.encode("utf-8", "replace"), self.form_token.encode())


@dataclass(frozen=True, slots=True)
class SignIns:
    """Creates and redeems links, and resolves cookies."""

    settings: KeptSettings
    clock: Clock

    async def create_link(self, identity: Identity) -> str:
        """Return a token that signs an identity in, once, within ten minutes."""
        await self._drop_expired()
        return await self._store_token(_LINKS, identity)

    async def redeem_link(self, token: str) -> str | None:
        """Redeem a link's token; return the cookie's value, None if the token is unknown, expired or used."""
        identity = self._valid(_LINKS, await self.settings.take(_LINKS, _hash(token)))
        return await self._store_token(_COOKIES, identity) if identity else None

    async def signed_in(self, cookie: str) -> SignedIn | None:
        """Return the sign-in of a cookie, None if it is unknown or expired."""
        stored = await self.settings.get(_COOKIES, _hash(cookie))
        identity = self._valid(_COOKIES, stored)
        if identity is None or not isinstance(stored, dict):
            return None
        platform, account = stored.get("reads", (identity.platform, identity.native_id))
        return SignedIn(identity, hmac.digest(cookie.encode(), b"forms", sha256).hex(), Identity(platform, account))

    async def choose_account(self, cookie: str, identity: Identity) -> None:
        """Let a browser read another account of the same person from now on; the caller must verify that it is."""
        stored = await self.settings.get(_COOKIES, _hash(cookie))
        if isinstance(stored, dict):
            chosen = {**stored, "reads": (identity.platform, identity.native_id)}
            await self.settings.set(_COOKIES, _hash(cookie), chosen)

    async def sign_out(self, cookie: str) -> None:
        """Sign a browser out."""
        await self.settings.take(_COOKIES, _hash(cookie))

    async def _store_token(self, scope: str, identity: Identity) -> str:
        token = secrets.token_urlsafe(32)
        stored = {"platform": identity.platform, "account": identity.native_id, "until": self.clock.now() + _LASTS[scope]}
        await self.settings.set(scope, _hash(token), stored)
        return token

    def _valid(self, scope: str, stored: object) -> Identity | None:
        """Return the identity of a stored link or cookie, None if that is unknown or expired."""
        # One that ends much later was made by a clock that was ahead, and would outlive what was said of it.
        if not isinstance(stored, dict) or not 0 < stored["until"] - self.clock.now() <= 2 * _LASTS[scope]:
            return None
        return Identity(stored["platform"], stored["account"])

    async def _drop_expired(self) -> None:
        for (scope, key), stored in (await self.settings.of_scopes([_LINKS, _COOKIES])).items():
            if self._valid(scope, stored) is None:
                await self.settings.set(scope, key, None)


def _hash(token: str) -> str:
    return sha256(token.encode("utf-8", "replace")).hexdigest()
