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
from memory.types import MINUTE, Identity

LINK_MINUTES = 10
COOKIE_DAYS = 30
_LINKS, _COOKIES = "web links", "web cookies"


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A signed-in identity, its form token, which no other page knows, and the account whose memory it chose to read."""

    identity: Identity
    form_token: str
    reads: Identity

    def wrote(self, given: str) -> bool:
        """Return whether a form token is this browser's."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.form_token.encode())


@dataclass(frozen=True, slots=True)
class SignIns:
    """Creates and redeems links, and resolves cookies."""

    settings: KeptSettings
    clock: Clock

    async def link(self, identity: Identity) -> str:
        """Return a token that signs an identity in, once, within ten minutes."""
        await self._clear()
        return await self._keep(_LINKS, identity, LINK_MINUTES * MINUTE)

    async def enter(self, word: str) -> str | None:
        """Redeem a link's token; return the cookie's value, None if the token is unknown, expired or used."""
        found = self._valid(await self.settings.take(_LINKS, _hash(word)))
        return await self._keep(_COOKIES, found, COOKIE_DAYS * 24 * 60 * MINUTE) if found else None

    async def who(self, cookie: str) -> SignedIn | None:
        """Return the sign-in of a cookie, None if it is unknown or expired."""
        kept = await self.settings.get(_COOKIES, _hash(cookie))
        found = self._valid(kept)
        if found is None or not isinstance(kept, dict):
            return None
        platform, account = kept.get("reads", (found.platform, found.native_id))
        return SignedIn(found, hmac.digest(cookie.encode(), b"forms", sha256).hex(), Identity(platform, account))

    async def read(self, cookie: str, identity: Identity) -> None:
        """Let a browser read another account of the same person from now on; the caller must verify that it is."""
        kept = await self.settings.get(_COOKIES, _hash(cookie))
        if isinstance(kept, dict):
            chosen = {**kept, "reads": (identity.platform, identity.native_id)}
            await self.settings.set(_COOKIES, _hash(cookie), chosen)

    async def leave(self, cookie: str) -> None:
        """Sign a browser out."""
        await self.settings.take(_COOKIES, _hash(cookie))

    async def _keep(self, scope: str, identity: Identity, lasts: int) -> str:
        word = secrets.token_urlsafe(32)
        kept = {"platform": identity.platform, "account": identity.native_id, "until": self.clock.now() + lasts}
        await self.settings.set(scope, _hash(word), kept)
        return word

    def _valid(self, kept: object) -> Identity | None:
        if not isinstance(kept, dict) or kept["until"] <= self.clock.now():
            return None
        return Identity(kept["platform"], kept["account"])

    async def _clear(self) -> None:
        for (scope, key), kept in (await self.settings.chosen([_LINKS, _COOKIES])).items():
            if self._valid(kept) is None:
                await self.settings.set(scope, key, None)


def _hash(word: str) -> str:
    return sha256(word.encode("utf-8", "replace")).hexdigest()
