"""Lyra's identity in the account's secret storage, so that her owner can verify her from Element with a recovery key."""

import secrets
from typing import Any

from nio import AsyncClient

from adapters.base import Notes
from adapters.errors import PlatformRefused
from adapters.matrix.account import secret_storage
from adapters.matrix.account.identity import MASTER, SELF, USER, CrossSigningIdentity
from adapters.matrix.account.published import packed, unpacked
from adapters.matrix.account.signing import REPLACE
from adapters.matrix.homeserver import Denied, Json, ask

_NOTE = "recovery"
_NAME = "Lyra's recovery key"
_DEFAULT = "m.secret_storage.default_key"


class Foreign(Exception):
    """The account has a secret storage that Lyra did not make."""


class Recovery:
    """The secret storage of the account, as far as it is Lyra's."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    async def ensure(self, client: AsyncClient, identity: CrossSigningIdentity, *, take_over: bool = False) -> None:
        """Put into the storage what is missing of an identity. A storage that others made is taken over only on demand.

        Raises Foreign, or as `ask`.
        """
        name, key = await self._key()
        default = await _data(client, _DEFAULT)
        if default.get("key") not in (None, name) and not take_over:
            raise Foreign
        if not secret_storage.describes(await _data(client, _description(name)), key):
            await _put(client, _description(name), secret_storage.description(key, _NAME))
        for usage in (MASTER, SELF, USER):
            await _keep(client, f"m.cross_signing.{usage}", packed(identity.seeds[usage]).encode(), name, key)
        # Last: from now on other clients use it.
        if default.get("key") != name:
            await _put(client, _DEFAULT, {"key": name})

    async def written(self, client: AsyncClient) -> str:
        """Return the recovery key as people type it. Raises PlatformRefused where the storage is not Lyra's, or as `ask`."""
        name, key = await self._key()
        if (await _data(client, _DEFAULT)).get("key") != name:
            raise PlatformRefused(
                "The account's secret storage is not Lyra's, so she has no recovery key for it; use the one that was made with it, "
                f"or let {REPLACE} make both new."
            )
        return secret_storage.written(key)

    async def _key(self) -> tuple[str, bytes]:
        """Return the name of the storage's key and the key, made once."""
        note: Any = await self._notes.get(_NOTE)
        if note is None:
            note = {"name": secrets.token_hex(16), "key": packed(secrets.token_bytes(32))}
            await self._notes.put(_NOTE, note)
        return note["name"], unpacked(note["key"])


def _description(name: str) -> str:
    return f"m.secret_storage.key.{name}"


async def _keep(client: AsyncClient, what: str, secret: bytes, name: str, key: bytes) -> None:
    sealed = (await _data(client, what)).get("encrypted", {}).get(name, {})
    if secret_storage.unseal(key, what, sealed) != secret:
        await _put(client, what, {"encrypted": {name: secret_storage.seal(key, what, secret)}})


async def _data(client: AsyncClient, what: str) -> Json:
    try:
        return await ask(client, "GET", "user", client.user_id, "account_data", what)
    except Denied as denied:
        if denied.status == 404:
            return {}
        raise


async def _put(client: AsyncClient, what: str, content: Json) -> None:
    await ask(client, "PUT", "user", client.user_id, "account_data", what, body=content)
