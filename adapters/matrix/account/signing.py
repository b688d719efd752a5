"""Lyra vouches for her own device, so that clients that exclude unsigned devices talk to her.

Her cross-signing keys are created once and kept. A new identity is noted as the next one before the homeserver learns of
it, so that the keys to what the homeserver shows can never be lost.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from Crypto.PublicKey import ECC
from nio import AsyncClient

from adapters.errors import PlatformRefused
from adapters.listener import Notes
from adapters.matrix.account import published_keys
from adapters.matrix.account.published_keys import PublishedKeys, published
from adapters.matrix.homeserver import Json, RequestRefused, ask
from adapters.matrix.incoming.event import part
from localization.sentences import Explained, lazy

MASTER, SELF, USER = "master", "self_signing", "user_signing"
_USAGES = (MASTER, SELF, USER)


@dataclass(frozen=True, slots=True)
class CrossSigningIdentity:
    """The keys of one account by usage, as seeds of 32 bytes."""

    user: str
    seeds: Mapping[str, bytes] = field(repr=False)

    @classmethod
    def new(cls, user: str) -> Self:
        """Create a new identity."""
        return cls(user, {usage: secrets.token_bytes(32) for usage in _USAGES})

    @classmethod
    def from_note(cls, user: str, note: Any) -> Self | None:
        """Deserialize an identity from a note, None without one."""
        return cls(user, {usage: published_keys.unpacked(note[usage]) for usage in _USAGES}) if note else None

    def note(self) -> Json:
        """Serialize the identity for a note."""
        return {usage: published_keys.packed(seed) for usage, seed in self.seeds.items()}

    def public(self, usage: str) -> str:
        """Return a public key, in base64."""
        key = ECC.construct(curve="Ed25519", seed=self.seeds[usage]).public_key()
        return published_keys.packed(key.export_key(format="raw"))

    def described(self, usage: str) -> Json:
        """Return the document that publishes a key, signed by the master key unless it is the master key."""
        public = self.public(usage)
        document: Json = {"user_id": self.user, "usage": [usage], "keys": {f"ed25519:{public}": public}}
        return document if usage == MASTER else self.signed(document, MASTER)

    def signed(self, document: Json, usage: str) -> Json:
        """Return a document signed by one of the keys, without other signatures."""
        signatures = {self.user: {f"ed25519:{self.public(usage)}": published_keys.signature(self.seeds[usage], document)}}
        return document | {"signatures": signatures}


REPLACE = "lyra matrix replace-identity"
"""The command that replaces an identity that is not Lyra's."""

_NOTE, _NEXT = "identity", "identity.next"
_PASSWORD = "m.login.password"
_ON_A_PAGE = ("m.oauth", "org.matrix.cross_signing_reset")
"""The authentication stages of homeservers that delegate accounts to an authorization server (MSC4312)."""


class Unsigned(Explained):
    """Lyra cannot vouch for her device; the text says why, and what to do."""


class Signing:
    """The account's cross-signing identity, if it is Lyra's."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    async def ensure(self, client: AsyncClient, password: str) -> CrossSigningIdentity:
        """Create an identity if there is none, sign this device if it is not signed, and return the identity.

        Raises Unsigned, or like `ask` without RequestRefused.
        """
        try:
            shown = await published(client)
            if not shown.master:
                await self._begin(client, await self._kept(client.user_id), password)
                shown = await published(client)
            return await self._signed_by_own(client, shown)
        except RequestRefused as denied:
            raise Unsigned(
                "The homeserver does not let Lyra sign her device ({denied}); clients that exclude unsigned devices "
                "cannot talk with her.",
                denied=denied,
            ) from None

    async def replace(self, client: AsyncClient, password: str) -> CrossSigningIdentity:
        """Replace the identity, sign this device with the new one, and return it. Raises PlatformRefused, or like `ask`."""
        try:
            await self._begin(client, None, password)
            return await self._signed_by_own(client, await published(client))
        except RequestRefused as denied:
            raise _not_replaced(denied, password) from None
        except Unsigned as unsigned:
            raise PlatformRefused(str(unsigned)) from None

    async def _signed_by_own(self, client: AsyncClient, shown: PublishedKeys) -> CrossSigningIdentity:
        identity = await self._own(shown)
        await _sign(client, identity, shown)
        return identity

    async def _begin(self, client: AsyncClient, identity: CrossSigningIdentity | None, password: str) -> None:
        """Publish an identity, a new one for None."""
        # The next one may be on the homeserver already, because the answer to an earlier attempt can be lost.
        identity = identity or await self._kept(client.user_id, _NEXT)
        if identity is None:
            identity = CrossSigningIdentity.new(client.user_id)
            await self._notes.put(_NEXT, identity.note())
        await _upload(client, identity, password)

    async def _kept(self, user: str, name: str = _NOTE) -> CrossSigningIdentity | None:
        return CrossSigningIdentity.from_note(user, await self._notes.get(name))

    async def _own(self, shown: PublishedKeys) -> CrossSigningIdentity:
        """Return the identity that the homeserver shows, if its keys are here. Raises Unsigned."""
        for name in (_NEXT, _NOTE):
            identity = await self._kept(shown.user, name)
            if (
                identity
                and published_keys.names(shown.master, identity.public(MASTER))
                and published_keys.names(shown.self_signing, identity.public(SELF))
            ):
                if name == _NEXT:
                    await self._notes.put(_NOTE, identity.note())
                    await self._notes.put(_NEXT, None)
                return identity
        raise Unsigned(
            "The account has a cross-signing identity whose keys Lyra does not have, so her device is unsigned and "
            "clients that exclude such devices cannot talk with her; {replace} gives her an identity of her own.",
            replace=REPLACE,
        )


async def _upload(client: AsyncClient, identity: CrossSigningIdentity, password: str) -> None:
    """Publish an identity; the homeserver may require the password. Raises like `ask`."""
    body = {f"{usage}_key": identity.described(usage) for usage in (MASTER, SELF, USER)}
    body["master_key"] = published_keys.countersigned(client.olm, body["master_key"])
    path = ("keys", "device_signing", "upload")
    try:
        await ask(client, "POST", *path, body=body)
    except RequestRefused as denied:
        if not password or not _takes_password(denied):
            raise
        who = {"type": "m.id.user", "user": client.user_id}
        auth = {"type": _PASSWORD, "identifier": who, "password": password, "session": denied.body.get("session", "")}
        await ask(client, "POST", *path, body=body | {"auth": auth})


async def _sign(client: AsyncClient, identity: CrossSigningIdentity, shown: PublishedKeys) -> None:
    """Sign the device, and the identity by the device, unless they are. Raises RequestRefused, Unsigned, or like `ask`."""
    own, master = identity.public(SELF), identity.public(MASTER)
    signatures: Json = {}
    # What is signed is built here, never taken from the homeserver.
    if not published_keys.signed_by(shown.device, shown.user, own, own):
        signatures[shown.device_id] = identity.signed(published_keys.described(client.olm), SELF)
    if not published_keys.signed_by(shown.master, shown.user, shown.device_id, shown.device_key):
        signatures[master] = published_keys.countersigned(client.olm, identity.described(MASTER))
    if not signatures:
        return
    answer = await ask(client, "POST", "keys", "signatures", "upload", body={shown.user: signatures})
    if answer.get("failures"):
        raise Unsigned("The homeserver did not take Lyra's signature of her own device; start her again to try once more.")


def _takes_password(denied: RequestRefused) -> bool:
    flows = denied.body.get("flows", ())
    return denied.status == 401 and any(flow.get("stages") == [_PASSWORD] for flow in flows)


def _reset_page(denied: RequestRefused) -> str:
    """Return the authorization server's page where the owner allows the reset, '' if there is none."""
    pages = [part(part(denied.body, "params"), stage).get("url") for stage in _ON_A_PAGE]
    return next((page for page in pages if isinstance(page, str) and page), "")


def _not_replaced(denied: RequestRefused, password: str) -> PlatformRefused:
    if page := _reset_page(denied):
        return PlatformRefused(
            "Who owns Lyra's account has to allow it first: sign in at {page}, allow the reset of her identity, and call {replace} "
            "again within ten minutes.",
            page=page,
            replace=REPLACE,
        )
    if not password and _takes_password(denied):
        return PlatformRefused("Replacing the identity takes the account's password: password_env or password_file in [matrix].")
    if denied.code == "M_FORBIDDEN":
        return PlatformRefused("The homeserver does not accept the password, so the identity was not replaced; try again.")
    if denied.status == 401:
        return PlatformRefused(
            "The homeserver does not replace an identity for a password alone; reset it where the account is managed, "
            "then start Lyra again."
        )
    return denied.final(lazy("replace her identity"))
